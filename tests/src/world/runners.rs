//! What computes reads in tests: nothing at all, at once or when the test lets it, or with the failure that it asks for.

use common::domain::read::Read;
use futures_util::FutureExt;
use std::future::Future;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Semaphore;
use worker::readers::{Engine, JobCtx, Quality, ReadError, ReadOutcome, StoredRead};
use worker::{Reading, Runner};

/// A runner of every read out of a function.
pub fn runner<F, Running>(run: F) -> Runner
where
    F: Fn(Reading, JobCtx) -> Running + Send + Sync + 'static,
    Running: Future<Output = Result<ReadOutcome, ReadError>> + Send + 'static,
{
    let engines = Read::ALL.map(|read| (read, "test".to_owned(), "1".to_owned())).to_vec();
    Runner { engines, run: Arc::new(move |reading, ctx| run(reading, ctx).boxed()) }
}

/// Computes nothing and succeeds at once, for the item's whole duration.
pub fn instant() -> Runner {
    runner(|reading, _| async move { Ok(outcome(&reading)) })
}

/// Fails with whatever `fail` makes.
pub fn failing(fail: fn() -> ReadError) -> Runner {
    runner(move |_, _| async move { Err(fail()) })
}

/// A result of nothing, for the duration that the item was made with.
pub fn outcome(reading: &Reading) -> ReadOutcome {
    let duration_ms = reading.object_key.rsplit('/').next().and_then(|text| text.parse().ok()).unwrap_or_default();
    outcome_of(reading, duration_ms)
}

/// A result that says it decoded this much.
pub fn outcome_of(reading: &Reading, duration_ms: i64) -> ReadOutcome {
    let stored = StoredRead {
        schema: 1,
        kind: reading.read,
        engine: Engine { name: "test".to_owned(), version: "1".to_owned(), model: None },
        duration_seconds: 0.0,
        quality: Quality::Standard,
        warnings: Vec::new(),
        data: serde_json::json!({}),
    };
    ReadOutcome { stored, duration_ms, also: Vec::new(), files: Vec::new() }
}

/// Holds reads back until the test lets them go, and counts them. Clones share one gate.
#[derive(Debug, Clone)]
pub struct Gate(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    passes: Semaphore,
    inside: AtomicUsize,
    entered: Mutex<Vec<(Read, String)>>,
}

/// One read inside; leaving is counted however it ends.
struct Inside(Arc<Parts>);

impl Drop for Inside {
    fn drop(&mut self) {
        self.0.inside.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Gate {
    /// A gate that is closed.
    pub fn closed() -> Self {
        Self(Arc::new(Parts { passes: Semaphore::new(0), inside: AtomicUsize::new(0), entered: Mutex::default() }))
    }

    /// Lets this many reads through.
    pub fn let_through(&self, reads: usize) {
        self.0.passes.add_permits(reads);
    }

    /// Lets all reads through from now on.
    pub fn open(&self) {
        self.0.passes.add_permits(1_000_000);
    }

    /// How many reads are being computed, held back or not.
    pub fn inside(&self) -> usize {
        self.0.inside.load(Ordering::SeqCst)
    }

    /// Every read that was begun: which, and of which object. One that is begun twice is there twice.
    pub fn entered(&self) -> Vec<(Read, String)> {
        self.0.entered.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A runner whose reads wait at the gate and succeed.
    pub fn runner(&self) -> Runner {
        let gate = self.clone();
        runner(move |reading, _| {
            let gate = gate.clone();
            async move {
                gate.pass(&reading).await;
                Ok(outcome(&reading))
            }
        })
    }

    /// Waits to be let through.
    pub async fn pass(&self, reading: &Reading) {
        self.0.entered.lock().unwrap_or_else(PoisonError::into_inner).push((reading.read, reading.object_key.clone()));
        self.0.inside.fetch_add(1, Ordering::SeqCst);
        let _inside = Inside(Arc::clone(&self.0));
        if let Ok(pass) = self.0.passes.acquire().await {
            pass.forget();
        }
    }
}
