//! `mws deliveries`: what was sent to endpoints and what they answered, and sending it again.

use super::Context;
use super::pages::ago;
use super::pages::{self, Pages, Period};
use super::without_nulls;
use crate::client::part;
use crate::failure::Failure;
use crate::globals::duration;
use crate::output::Column;
use clap::Subcommand;
use serde_json::{Value, json};
use std::time::Duration;

const COLUMNS: [Column; 8] = [
    Column::new("ID", "/delivery_id"),
    Column::new("ENDPOINT", "/endpoint_id"),
    Column::new("EVENT", "/event_type"),
    Column::new("STATUS", "/status"),
    Column::new("ATTEMPTS", "/attempt_count"),
    Column::new("ANSWER", "/response_status"),
    Column::new("ERROR", "/error"),
    Column::new("NEXT", "/next_attempt_at"),
];

const ATTEMPTS: [Column; 11] = [
    Column::new("ATTEMPT", "/attempt"),
    Column::new("AT", "/at"),
    Column::new("MS", "/duration_ms"),
    Column::new("DNS", "/times/dns_ms"),
    Column::new("CONNECT", "/times/connect_ms"),
    Column::new("TLS", "/times/tls_ms"),
    Column::new("FIRST BYTE", "/times/first_byte_ms"),
    Column::new("CLOCK S", "/clock_ahead_seconds"),
    Column::new("ANSWER", "/response_status"),
    Column::new("ERROR", "/error"),
    Column::new("BODY", "/response_excerpt"),
];

const HEADERS: [Column; 2] = [Column::new("HEADER", "/header"), Column::new("VALUE", "/value")];

/// Commands about deliveries.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List deliveries, newest first, to one endpoint or to all.
    List {
        /// Only those to this endpoint.
        #[arg(long)]
        endpoint: Option<String>,
        /// Only those in this state: pending, succeeded, failed, skipped, cancelled.
        #[arg(long)]
        status: Option<String>,
        /// Only those of this type: job.succeeded, job.failed, job.cancelled, ping.
        #[arg(long)]
        event_type: Option<String>,
        /// Only those whose last answer had this status.
        #[arg(long)]
        http_status: Option<u16>,
        #[command(flatten)]
        period: Period,
        #[command(flatten)]
        pages: Pages,
    },
    /// Show a delivery and each of its attempts, with the milliseconds of its steps and by how many seconds the
    /// receiver's clock was ahead (negative: behind), and the headers of the last answer; with --json also what was
    /// sent, and the headers of every answer.
    Get {
        /// Its id.
        id: String,
        /// The endpoint that it was sent to. Without it, all endpoints are searched.
        #[arg(long)]
        endpoint: Option<String>,
    },
    /// Send again, from the first attempt: deliveries by id, or all that failed since a time.
    #[command(after_help = "Examples:
  mws deliveries resend dlv_01J…
  mws deliveries resend --endpoint whe_01J… --failed --since 6h")]
    Resend {
        /// Their ids.
        #[arg(required_unless_present = "failed", conflicts_with = "failed")]
        ids: Vec<String>,
        /// The endpoint that they were sent to.
        #[arg(long)]
        endpoint: Option<String>,
        /// Every event whose last delivery failed or was skipped.
        #[arg(long, requires_all = ["since", "endpoint"])]
        failed: bool,
        /// How far back to go, such as 6h.
        #[arg(long, value_parser = duration, requires = "failed")]
        since: Option<Duration>,
    },
}

pub(super) async fn run(command: Command, context: &Context) -> Result<(), Failure> {
    match command {
        Command::List { endpoint, status, event_type, http_status, period, pages } => {
            let http_status = http_status.map(|status| status.to_string());
            let mut filters = vec![("status", status), ("event_type", event_type), ("http_status", http_status)];
            filters.extend(period.filters());
            let list = match endpoint {
                Some(id) => pages::fetch(context, &path(&id), &filters, pages).await?,
                None => of_all(context, &filters, pages).await?,
            };
            context.out.list(&list, "delivery_id", &COLUMNS)
        }
        Command::Get { id, endpoint } => {
            let found = find(context, endpoint.as_deref(), &id).await?;
            show(context, &found)
        }
        Command::Resend { ids, endpoint, since, .. } => resend(context, &ids, endpoint, since).await,
    }
}

/// Shows a delivery, a line for each of its attempts, and the headers of the last answer.
pub(super) fn show(context: &Context, found: &Value) -> Result<(), Failure> {
    context.out.record(found, "delivery_id", &COLUMNS)?;
    if context.out.json {
        return Ok(());
    }
    let attempts = found["attempts"].as_array().map_or(&[][..], Vec::as_slice);
    match attempts {
        [] if context.out.in_words() => context.out.say("No attempt was made yet."),
        attempts => context.out.rows(attempts, "attempt", &ATTEMPTS)?,
    }
    let headers = last_headers(attempts);
    if headers.is_empty() || !context.out.in_words() {
        return Ok(());
    }
    context.out.rows(&headers, "header", &HEADERS)
}

/// The headers of the last of these attempts that has any, one a row.
fn last_headers(attempts: &[Value]) -> Vec<Value> {
    let last = attempts.iter().rev().find_map(|attempt| attempt["response_headers"].as_object());
    last.into_iter().flatten().map(|(name, value)| json!({ "header": name, "value": value })).collect()
}

async fn resend(
    context: &Context,
    ids: &[String],
    endpoint: Option<String>,
    since: Option<Duration>,
) -> Result<(), Failure> {
    if let (Some(endpoint), Some(since)) = (&endpoint, since) {
        let since = ago(since);
        let resent = context.client.post(&path(endpoint), &json!({ "since": since })).await?;
        return context.out.done(&resent, &told(endpoint, &since.unwrap_or_default(), &resent));
    }
    let mut sent = Vec::new();
    for id in ids {
        let endpoint = match &endpoint {
            Some(endpoint) => endpoint.clone(),
            None => find(context, None, id).await?["endpoint_id"].as_str().unwrap_or_default().to_owned(),
        };
        sent.push(context.client.post(&path(&endpoint), &without_nulls(json!({ "delivery_id": id }))).await?);
    }
    let list = json!({ "data": sent, "has_more": false, "next_cursor": null });
    context.out.list(&list, "delivery_id", &COLUMNS)
}

/// Returns how many deliveries to an endpoint are sent again; where there are none, what was looked for.
fn told(endpoint: &str, since: &str, answer: &Value) -> String {
    let first = match answer["resent"].as_u64().unwrap_or_default() {
        0 => format!(
            "No delivery matches, and nothing is sent. Looked for were those to {endpoint} that failed or were skipped \
             since {since} and were not sent again."
        ),
        1 => "1 delivery is sent again.".to_owned(),
        many => format!("{many} deliveries are sent again."),
    };
    if answer["has_more"] == true { format!("{first} There are more: run the command again.") } else { first }
}

fn path(endpoint: &str) -> String {
    format!("/webhooks/{}/deliveries", part(endpoint))
}

async fn endpoints(context: &Context) -> Result<Vec<String>, Failure> {
    let list = context.client.get("/webhooks?limit=100").await?;
    let ids = list["data"].as_array().into_iter().flatten().filter_map(|row| row["id"].as_str().map(str::to_owned));
    Ok(ids.collect())
}

/// The deliveries of all endpoints in one list, newest first.
async fn of_all(context: &Context, filters: &[(&str, Option<String>)], pages: Pages) -> Result<Value, Failure> {
    let (mut rows, mut has_more) = (Vec::new(), false);
    for endpoint in endpoints(context).await? {
        let list = pages::fetch(context, &path(&endpoint), filters, pages).await?;
        has_more |= list["has_more"] == true;
        rows.extend(list["data"].as_array().cloned().unwrap_or_default());
    }
    rows.sort_by(|a, b| b["delivery_id"].as_str().cmp(&a["delivery_id"].as_str()));
    if !pages.all() && rows.len() > usize::from(pages.limit()) {
        rows.truncate(usize::from(pages.limit()));
        has_more = true;
    }
    Ok(json!({ "data": rows, "has_more": has_more, "next_cursor": null }))
}

/// Finds a delivery by its id, at its endpoint or at any.
async fn find(context: &Context, endpoint: Option<&str>, id: &str) -> Result<Value, Failure> {
    let endpoints = match endpoint {
        Some(endpoint) => vec![endpoint.to_owned()],
        None => endpoints(context).await?,
    };
    for endpoint in endpoints {
        match context.client.get(&format!("{}/{}", path(&endpoint), part(id))).await {
            Err(Failure::Refused(refusal)) if refusal.code == "delivery_not_found" => {}
            found => return found,
        }
    }
    let body = json!({ "error": { "code": "delivery_not_found", "message": format!("There is no delivery {id}.") } });
    Err(Failure::Refused(Box::new(crate::failure::Refusal::read(404, &body, None))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_attempts_of_a_delivery_say_in_what_their_receivers_clock_is_told() {
        let attempt = json!({ "attempt": 1, "duration_ms": 12, "clock_ahead_seconds": -420 });
        let shown = crate::output::table(&[attempt], &ATTEMPTS).set_width(200).to_string();
        assert!(shown.contains("CLOCK S") && shown.contains("-420"), "{shown}");
    }

    #[test]
    fn the_headers_of_the_last_answer_have_a_line_each() {
        let answered = json!({ "attempt": 1, "response_headers": { "retry-after": "9", "x-request-id": "r1" } });
        let none = json!({ "attempt": 2, "response_headers": null });
        let rows = last_headers(&[json!({ "response_headers": { "age": "1" } }), answered, none.clone()]);
        assert_eq!(rows[0], json!({ "header": "retry-after", "value": "9" }));
        assert_eq!((rows.len(), last_headers(&[none]).len()), (2, 0));
        let shown = crate::output::table(&rows, &HEADERS).set_width(80).to_string();
        assert!(shown.contains("x-request-id") && shown.contains("r1"), "{shown}");
    }

    #[test]
    fn a_resend_of_what_failed_tells_how_many_or_what_was_looked_for() {
        let said = |answer: &Value| told("whe_1", "2026-11-20T09:30:00.000Z", answer);
        let none = said(&json!({ "resent": 0, "has_more": false }));
        assert!(none.contains("to whe_1 that failed or were skipped since 2026-11-20T09:30:00.000Z"), "{none}");
        assert_eq!(said(&json!({ "resent": 1, "has_more": false })), "1 delivery is sent again.");
        let more = said(&json!({ "resent": 1_000, "has_more": true }));
        assert_eq!(more, "1000 deliveries are sent again. There are more: run the command again.");
    }
}
