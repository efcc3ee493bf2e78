//! How many SQL statements something took, told by sqlx's own events while the work is polled.
//!
//! One subscriber listens for the whole process, because tests that came and went with subscribers of their own would
//! change under each other what is emitted at all. Whose statement it is, the task tells.

use std::cell::RefCell;
use std::future::Future;
use tokio::task_local;
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::{Interest, set_global_default};
use tracing::{Event, Metadata, Subscriber};

task_local! {
    static SEEN: RefCell<Vec<String>>;
}

/// Runs `work` and answers what it came to and the statements that it sent, in their order. Statements of tasks that it
/// spawned are not its own.
pub async fn counted<F: Future>(work: F) -> (F::Output, Vec<String>) {
    // A second one is refused, and is not needed.
    let _ = set_global_default(Listener);
    SEEN.scope(RefCell::default(), async {
        let output = work.await;
        (output, SEEN.with(RefCell::take))
    })
    .await
}

struct Listener;

impl Subscriber for Listener {
    fn register_callsite(&self, metadata: &'static Metadata<'static>) -> Interest {
        if metadata.target() == "sqlx::query" { Interest::sometimes() } else { Interest::never() }
    }

    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "sqlx::query" && SEEN.try_with(|_| ()).is_ok()
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(LevelFilter::DEBUG)
    }

    fn event(&self, event: &Event<'_>) {
        let mut summary = Summary::default();
        event.record(&mut summary);
        // Emitted by no one that counts: nothing to note.
        let _ = SEEN.try_with(|seen| seen.borrow_mut().push(summary.0));
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[derive(Default)]
struct Summary(String);

impl Visit for Summary {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        if field.name() == "summary" {
            self.0 = format!("{value:?}");
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "summary" {
            value.clone_into(&mut self.0);
        }
    }
}
