//! `mws jobs`: see, follow and cancel jobs.

use super::{Context, pages, without_nulls};
use crate::failure::Failure;
use crate::globals::duration;
use crate::output::{Column, document, event, follow};
use clap::Subcommand;
use serde_json::{Value, json};
use std::time::Duration;

const COLUMNS: [Column; 8] = [
    Column::new("ID", "/id"),
    Column::new("KIND", "/kind"),
    Column::new("READ", "/read"),
    Column::new("REF", "/ref"),
    Column::new("STATUS", "/status"),
    Column::new("WAITS FOR", "/waits/code"),
    Column::new("MINUTES", "/cloud_minutes"),
    Column::new("CREATED", "/created_at"),
];

const FIELDS: [Column; 16] = [
    Column::new("id", "/id"),
    Column::new("kind", "/kind"),
    Column::new("read", "/read"),
    Column::new("ref", "/ref"),
    Column::new("status", "/status"),
    Column::new("waits", "/waits/message"),
    Column::new("progress", "/progress"),
    Column::new("attempt", "/attempt"),
    Column::new("estimated minutes", "/estimated_minutes"),
    Column::new("charged minutes", "/cloud_minutes"),
    Column::new("charged credits", "/credits"),
    Column::new("error", "/error/message"),
    Column::new("context", "/context"),
    Column::new("created", "/created_at"),
    Column::new("started", "/started_at"),
    Column::new("finished", "/finished_at"),
];

const CANCELLED: [Column; 3] =
    [Column::new("ID", "/id"), Column::new("STATUS", "/status"), Column::new("OUTCOME", "/outcome")];

/// Commands about jobs.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List jobs, newest first.
    #[command(after_help = "Example:\n  mws jobs list --status failed --since 2h")]
    List {
        /// Only those in these states: queued, running, succeeded, failed, cancelled.
        #[arg(long, value_delimiter = ',')]
        status: Vec<String>,
        /// Only those of this kind: read, transcription, render …
        #[arg(long)]
        kind: Option<String>,
        /// Only those on this item.
        #[arg(long = "ref")]
        item: Option<String>,
        /// Only those created this long ago or less, such as 2h.
        #[arg(long, value_parser = duration)]
        since: Option<Duration>,
        #[command(flatten)]
        pages: pages::Pages,
    },
    /// Show jobs.
    Get {
        /// Their ids.
        #[arg(required = true)]
        ids: Vec<String>,
    },
    /// Follow jobs until they end. Exits with 1 when one did not succeed.
    Watch {
        /// Their ids.
        #[arg(required = true)]
        ids: Vec<String>,
    },
    /// Cancel jobs. Those that have ended stay as they are.
    Cancel {
        /// Their ids.
        #[arg(required = true)]
        ids: Vec<String>,
    },
}

pub(super) async fn run(command: Command, context: &Context) -> Result<(), Failure> {
    match command {
        Command::List { status, kind, item, since, pages } => list(context, status, kind, item, since, pages).await,
        Command::Get { ids } => get(context, &ids).await,
        Command::Watch { ids } => {
            let followed = follow(&context.client, &context.out, &ids).await?;
            if context.out.json {
                event(&json!({ "type": "ended", "jobs": followed.jobs }))?;
            } else {
                context.out.rows(&followed.jobs, "id", &COLUMNS)?;
            }
            let all = followed.count("succeeded") == ids.len();
            if all { Ok(()) } else { Err(Failure::Work("not every job succeeded".to_owned())) }
        }
        Command::Cancel { ids } => {
            let answer = context.client.tool("cancel_jobs", &json!({ "job_ids": ids })).await?;
            if context.out.json {
                return document(&answer);
            }
            context.out.rows(rows(&answer), "id", &CANCELLED)?;
            missing(&answer)
        }
    }
}

async fn list(
    context: &Context,
    status: Vec<String>,
    kind: Option<String>,
    item: Option<String>,
    since: Option<Duration>,
    pages: pages::Pages,
) -> Result<(), Failure> {
    let mut filter = without_nulls(json!({
        "limit": pages.limit(),
        "status": (!status.is_empty()).then_some(status),
        "kind": kind.map(|kind| [kind]),
        "ref": item,
        "created_after": since.and_then(pages::ago),
    }));
    let mut found = Vec::new();
    loop {
        let page = context.client.tool("get_jobs", &filter).await?;
        found.extend(rows(&page).iter().cloned());
        let cursor = page["next_cursor"].clone();
        if cursor.is_null() || !pages.all() {
            let list = json!({ "data": found, "has_more": !cursor.is_null(), "next_cursor": cursor });
            return context.out.list(&list, "id", &COLUMNS);
        }
        filter["cursor"] = cursor;
    }
}

async fn get(context: &Context, ids: &[String]) -> Result<(), Failure> {
    let answer = context.client.tool("get_jobs", &json!({ "job_ids": ids })).await?;
    match (rows(&answer), ids) {
        ([job], [_]) => context.out.record(job, "id", &FIELDS)?,
        _ if context.out.json => document(&answer)?,
        (jobs, _) => context.out.rows(jobs, "id", &COLUMNS)?,
    }
    missing(&answer)
}

fn rows(answer: &Value) -> &[Value] {
    answer["jobs"].as_array().map_or(&[], Vec::as_slice)
}

/// Fails if a named job does not exist, after the others were shown.
fn missing(answer: &Value) -> Result<(), Failure> {
    let missing = answer["missing"].as_array().map_or(&[][..], Vec::as_slice);
    if missing.is_empty() {
        return Ok(());
    }
    let body = json!({ "error": {
        "code": "job_not_found",
        "message": format!("There is no such job in this workspace: {}.", crate::output::plain(&json!(missing))),
    }});
    Err(Failure::Refused(Box::new(crate::failure::Refusal::read(404, &body, None))))
}
