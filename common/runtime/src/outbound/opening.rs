//! Measures the steps in which a connection is opened: the lookup of its name, TCP, TLS.
//!
//! The client opens connections by itself and tells nobody how long that took. The measurement is therefore stored with
//! the task that sends the request, as its account is (`shares`); the resolver and the connectors fill it in. A request
//! may be sent on a connection that was open already, also one that came free while its own was being opened: a
//! connection says which measurement is its own, and only the request that had it opened counts the steps.

use domain::attempt::AttemptTimes;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

tokio::task_local! {
    static MEASURED: Opening;
}

/// The steps of one connection, each from when it is over. Clones share them.
#[derive(Debug, Clone, Default)]
pub(super) struct Opening(Arc<Mutex<Steps>>);

#[derive(Debug, Clone, Copy, Default)]
struct Steps {
    lookup: Option<Duration>,
    connect: Option<Duration>,
    tls: Option<Duration>,
}

impl Opening {
    /// Runs `work`, whose connection is measured by this one if it opens any.
    pub(super) async fn measure<F: Future>(&self, work: F) -> F::Output {
        MEASURED.scope(self.clone(), work).await
    }

    /// Returns the measurement of this task; one that nobody reads if the task has none.
    pub(super) fn of_task() -> Self {
        MEASURED.try_with(Self::clone).unwrap_or_default()
    }

    /// Whether both are the same measurement.
    pub(super) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Records that the name, whose lookup began then, has its addresses.
    pub(super) fn looked_up(&self, began: Instant) {
        self.lock().lookup = Some(began.elapsed());
    }

    /// Records that TCP is connected. The lookup began then too.
    pub(super) fn connected(&self, began: Instant) {
        let mut steps = self.lock();
        steps.connect = Some(began.elapsed().saturating_sub(steps.lookup.unwrap_or_default()));
    }

    /// Records that TLS is set up. The lookup and TCP began then too.
    pub(super) fn secured(&self, began: Instant) {
        let mut steps = self.lock();
        let before = steps.lookup.unwrap_or_default() + steps.connect.unwrap_or_default();
        steps.tls = Some(began.elapsed().saturating_sub(before));
    }

    /// Returns what an attempt's log shows of it; `first_byte` is the time until the response's headers came.
    pub(super) fn times(&self, first_byte: Option<Duration>) -> AttemptTimes {
        let steps = *self.lock();
        let ms = |step: Option<Duration>| step.map(|step| i32::try_from(step.as_millis()).unwrap_or(i32::MAX));
        AttemptTimes {
            dns: ms(steps.lookup),
            connect: ms(steps.connect),
            tls: ms(steps.tls),
            first_byte: ms(first_byte),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Steps> {
        // A panic while it is held leaves nothing half done.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
