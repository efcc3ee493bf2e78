//! Attempts to deliver: what was sent, what came back, and what happens next (contract §6.1, §6.3).
//!
//! The statement that logs an attempt also counts it against its endpoint, disables the endpoint at the twentieth
//! failure in a row, and gives the series its next state, so that none of these can be done twice or without the
//! others. Most batches hold nothing but successes and count nothing: they have a statement of their own, which does
//! less.

use chrono::{DateTime, Utc};
use domain::attempt::{AttemptError, AttemptTimes};
use domain::ids::{AccountId, DeliveryId, EndpointId};
use domain::series::{FAILURES_THAT_DISABLE, FAILURES_THAT_WARN, Next};
use sqlx::PgConnection;
use std::collections::HashSet;

/// An attempt that has ended.
#[derive(Debug, Clone)]
pub struct EndedAttempt {
    /// The delivery whose series it is in.
    pub delivery_id: DeliveryId,
    /// The claim that it was made under.
    pub claim_no: i32,
    /// The endpoint that it was sent to.
    pub endpoint_id: EndpointId,
    /// Its number.
    pub attempt: i16,
    /// Whether it counts towards the endpoint's failures in a row.
    pub counts: bool,
    /// The process that made it.
    pub worker: String,
    /// When it began.
    pub at: DateTime<Utc>,
    /// How long it took, in milliseconds.
    pub duration_ms: i32,
    /// How long its steps took.
    pub times: AttemptTimes,
    /// The host that it went to, with the port unless that is the scheme's; none when nothing is known to have been
    /// sent.
    pub url_host: Option<String>,
    /// The path there, without the query string.
    pub url_path: Option<String>,
    /// The request's headers that are kept, as the text that `domain::attempt_headers` makes of them.
    pub kept_headers: Option<String>,
    /// The response's HTTP status; none without a response.
    pub response_status: Option<i16>,
    /// Why it failed; none on success.
    pub error: Option<AttemptError>,
    /// The start of the response's body, at most 1 KiB.
    pub response_excerpt: Option<String>,
    /// The response's headers, as `domain::answer_headers` keeps them; none without any.
    pub response_headers: Option<String>,
    /// By how many seconds the receiver's clock was ahead of ours, as `domain::receiver_clock` has it; none without a
    /// response that has a date.
    pub clock_ahead_seconds: Option<i32>,
    /// The next state of the series.
    pub next: Next,
}

/// An endpoint whose count of failures was written.
#[derive(Debug, Clone)]
pub struct CountedEndpoint {
    /// Its id.
    pub id: EndpointId,
    /// Its account.
    pub account_id: AccountId,
    /// False when these attempts disabled it.
    pub enabled: bool,
    /// Failures in a row.
    pub consecutive_failures: i32,
    /// How many of those these attempts added.
    pub added: i32,
}

impl CountedEndpoint {
    /// Whether its owner is to be warned now: the tenth failure in a row is among the added ones.
    pub const fn warns(&self) -> bool {
        self.enabled
            && self.consecutive_failures >= FAILURES_THAT_WARN
            && self.consecutive_failures - self.added < FAILURES_THAT_WARN
    }

    /// Logs a warning of what the endpoint's owner sees in `GET /webhooks` (contract §6.3). Call it once the record is
    /// committed.
    pub fn tell(&self) {
        let (endpoint, account, failures) = (self.id, self.account_id, self.consecutive_failures);
        if !self.enabled {
            tracing::warn!(
                endpoint.id = %endpoint, account.id = %account, failures,
                "A webhook endpoint is disabled: its last {FAILURES_THAT_DISABLE} attempts failed."
            );
        } else if self.warns() {
            tracing::warn!(
                endpoint.id = %endpoint, account.id = %account, failures,
                "A webhook endpoint keeps failing; it will be disabled at {FAILURES_THAT_DISABLE} failures in a row."
            );
        }
    }
}

/// Records attempts, in the order in which they ended. Returns the endpoints whose count of failures was written.
///
/// An attempt that a rescue has logged already is not changed. A series whose claim has another number by now, or
/// which has ended, keeps its state; the attempt is still logged and counted. A success writes an endpoint's row
/// only when its count is not 0 or its `last_success_at` is ten seconds old. An endpoint that is disabled already is
/// not written at all, so that a late success can't undo the disabling.
pub async fn record(conn: &mut PgConnection, ended: &[EndedAttempt]) -> sqlx::Result<Vec<CountedEndpoint>> {
    sqlx::query_file_as!(
        CountedEndpoint,
        "src/attempts/record.sql",
        &column(ended, |attempt| attempt.delivery_id) as _,
        &column(ended, |attempt| attempt.claim_no),
        &column(ended, |attempt| attempt.endpoint_id) as _,
        &column(ended, |attempt| attempt.attempt),
        &column(ended, |attempt| attempt.counts),
        &column(ended, |attempt| attempt.worker.clone()),
        &column(ended, |attempt| attempt.at),
        &column(ended, |attempt| attempt.duration_ms),
        &column(ended, |attempt| attempt.url_host.clone()) as _,
        &column(ended, |attempt| attempt.url_path.clone()) as _,
        &column(ended, |attempt| attempt.kept_headers.clone()) as _,
        &column(ended, |attempt| attempt.response_status) as _,
        &column(ended, |attempt| attempt.error.map(|error| error.name().to_owned())) as _,
        &column(ended, |attempt| attempt.response_excerpt.clone()) as _,
        &column(ended, |attempt| attempt.next.status().name().to_owned()),
        &column(ended, |attempt| match attempt.next {
            Next::Retry { after_ms } => Some(after_ms),
            Next::Succeeded | Next::Failed => None,
        }) as _,
        FAILURES_THAT_DISABLE,
        &column(ended, |attempt| attempt.times.dns) as _,
        &column(ended, |attempt| attempt.times.connect) as _,
        &column(ended, |attempt| attempt.times.tls) as _,
        &column(ended, |attempt| attempt.times.first_byte) as _,
        &column(ended, |attempt| attempt.clock_ahead_seconds) as _,
        &column(ended, |attempt| attempt.response_headers.clone()) as _
    )
    .fetch_all(conn)
    .await
}

/// Records attempts that all succeeded, such as the first part of what [`parted`] returns. Its effect is that of
/// [`record`]. It goes by ids alone, so it is for connections that plan a statement once.
pub async fn record_succeeded(conn: &mut PgConnection, ended: &[EndedAttempt]) -> sqlx::Result<()> {
    let mut endpoints: Vec<EndpointId> =
        ended.iter().filter(|attempt| attempt.counts).map(|attempt| attempt.endpoint_id).collect();
    endpoints.sort_unstable();
    endpoints.dedup();
    sqlx::query_file!(
        "src/attempts/record_succeeded.sql",
        &column(ended, |attempt| attempt.delivery_id) as _,
        &column(ended, |attempt| attempt.claim_no),
        &column(ended, |attempt| attempt.endpoint_id) as _,
        &column(ended, |attempt| attempt.attempt),
        &column(ended, |attempt| attempt.counts),
        &column(ended, |attempt| attempt.worker.clone()),
        &column(ended, |attempt| attempt.at),
        &column(ended, |attempt| attempt.duration_ms),
        &column(ended, |attempt| attempt.url_host.clone()) as _,
        &column(ended, |attempt| attempt.url_path.clone()) as _,
        &column(ended, |attempt| attempt.kept_headers.clone()) as _,
        &column(ended, |attempt| attempt.response_status) as _,
        &column(ended, |attempt| attempt.response_excerpt.clone()) as _,
        &endpoints as _,
        &column(ended, |attempt| attempt.times.dns) as _,
        &column(ended, |attempt| attempt.times.connect) as _,
        &column(ended, |attempt| attempt.times.tls) as _,
        &column(ended, |attempt| attempt.times.first_byte) as _,
        &column(ended, |attempt| attempt.clock_ahead_seconds) as _,
        &column(ended, |attempt| attempt.response_headers.clone()) as _
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Splits a batch in two, each in the order of the ends: what [`record_succeeded`] may write, and what [`record`] must,
/// which is every attempt at an endpoint to which one failed.
pub fn parted(ended: Vec<EndedAttempt>) -> (Vec<EndedAttempt>, Vec<EndedAttempt>) {
    let failed = ended.iter().filter(|attempt| attempt.next != Next::Succeeded);
    let failing: HashSet<EndpointId> = failed.map(|attempt| attempt.endpoint_id).collect();
    ended.into_iter().partition(|attempt| !failing.contains(&attempt.endpoint_id))
}

fn column<T>(ended: &[EndedAttempt], part: impl Fn(&EndedAttempt) -> T) -> Vec<T> {
    ended.iter().map(part).collect()
}
