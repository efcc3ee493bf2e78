//! The span of an attempt at a job, as traces export it: it goes on from the call that started the job.

use super::Worker;
use crate::jobs::attempted::Attempted;
use domain::job::JobError;
use runtime::telemetry::traces;
use std::time::Duration;
use store::jobs::{self, Claimed, Outcome};
use tokio::time::timeout;
use tracing::Span;
use tracing::field::Empty;

/// How long an attempt waits for its job's trace parent.
const SOON: Duration = Duration::from_millis(500);

impl Worker {
    /// Returns the span of an attempt that begins. It is empty, and nothing is asked, where no traces go.
    pub(super) async fn traced(&self, claimed: &Claimed) -> Span {
        if !traces::are_sent() {
            return Span::none();
        }
        let task = claimed.task.map_or("unknown", |task| task.name());
        let span = runtime::span!(
            "job",
            otel.kind = "consumer",
            otel.name = format!("process {task}"),
            otel.status_code = Empty,
            messaging.system = "mws",
            messaging.destination.name = task,
            job.id = %claimed.job,
            account.id = %claimed.payer,
            item.id = claimed.item.as_ref().map(|item| item.id.to_string()),
            mws.claim_no = claimed.claim_no,
            mws.queue.wait_ms = (claimed.waited_seconds * 1000.0).round(),
            mws.outcome = Empty,
            mws.minutes.charged = Empty,
            error.code = Empty,
            error.type = Empty,
        );
        let asked = async { jobs::traceparent(&mut *self.process.pool.acquire().await?, claimed.job).await };
        // The work does not wait for the trace parent any longer.
        if let Ok(Ok(call)) = timeout(SOON, asked).await {
            traces::go_on(&span, call.as_deref());
        } else {
            tracing::debug!("The trace of a job could not be asked for.");
        }
        span
    }
}

/// Records how an attempt ended in its span.
pub(super) fn note(span: &Span, attempted: &Attempted) {
    let outcome = match &attempted.outcome {
        Outcome::Succeeded { charge, .. } => {
            span.record("mws.minutes.charged", charge.as_f64());
            "succeeded"
        }
        Outcome::Failed => "failed",
        Outcome::Retry(_) => "retried",
        Outcome::Lost | Outcome::Abandoned => "lost",
        Outcome::HandedBack => "handed_back",
        // The word that traces have had for it from the start.
        Outcome::HandedBackFor(_) => "put_back",
        Outcome::Cancelled => "cancelled",
    };
    span.record("mws.outcome", outcome);
    if let Some(JobError { code, .. }) = &attempted.error {
        span.record("error.code", code.as_str());
        span.record("error.type", code.as_str());
        span.record("otel.status_code", "ERROR");
    }
}
