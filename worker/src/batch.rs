//! Batching: waiting calls are flushed the moment the previous flush ends or, where flushes are paced, a little after
//! it began.
//!
//! Under light load a call is flushed alone and at once; under heavy load the flushes grow by themselves. One flush
//! runs at a time and calls are flushed in the order of arrival, so that when a call is answered every earlier one has
//! been too. The caller defines a flush; nothing here knows SQL. The task ends when its last handle is dropped.

use std::future::Future;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until};

/// Why a call got no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BatchError {
    /// The flush of the call panicked, or returned too few answers.
    #[error("the flush ended without an answer to this call")]
    NoAnswer,
    /// The task that flushes has ended.
    #[error("nothing flushes any more")]
    Closed,
}

struct Submission<In, Out> {
    input: In,
    answer: oneshot::Sender<Out>,
}

/// Gathers calls and hands them to one asynchronous function, many at a time. Cheap to clone.
#[derive(Debug)]
pub struct Batcher<In, Out> {
    calls: mpsc::UnboundedSender<Submission<In, Out>>,
}

impl<In, Out> Clone for Batcher<In, Out> {
    fn clone(&self) -> Self {
        Self { calls: self.calls.clone() }
    }
}

/// A call on its way: await its answer, or drop it if the answer does not matter. The flush happens regardless.
#[derive(Debug)]
pub struct Submitted<Out>(Option<oneshot::Receiver<Out>>);

impl<Out> Submitted<Out> {
    /// Returns the answer, once the flush of the call has ended.
    pub async fn answer(self) -> Result<Out, BatchError> {
        self.0.ok_or(BatchError::Closed)?.await.map_err(|_| BatchError::NoAnswer)
    }
}

impl<In: Send + 'static, Out: Send + 'static> Batcher<In, Out> {
    /// Starts the task that flushes at most `most` calls at a time through `flush`, which returns one `Out` for each
    /// `In`, in order. A flush that panics loses only its own calls.
    pub fn new<F, Flushing>(most: usize, flush: F) -> Self
    where
        F: Fn(Vec<In>) -> Flushing + Send + 'static,
        Flushing: Future<Output = Vec<Out>> + Send + 'static,
    {
        Self::paced(most, Duration::ZERO, flush)
    }

    /// Starts the task as [`Self::new`] does. After a flush of several calls began, the next one begins no sooner than
    /// `apart` later.
    pub fn paced<F, Flushing>(most: usize, apart: Duration, flush: F) -> Self
    where
        F: Fn(Vec<In>) -> Flushing + Send + 'static,
        Flushing: Future<Output = Vec<Out>> + Send + 'static,
    {
        let (calls, waiting) = mpsc::unbounded_channel();
        tokio::spawn(run(waiting, most.max(1), apart, flush));
        Self { calls }
    }

    /// Waits for the answer to this input.
    pub async fn call(&self, input: In) -> Result<Out, BatchError> {
        self.submit(input).answer().await
    }

    /// Hands the input over without waiting.
    pub fn submit(&self, input: In) -> Submitted<Out> {
        let (answer, answered) = oneshot::channel();
        let sent = self.calls.send(Submission { input, answer });
        Submitted(sent.is_ok().then_some(answered))
    }
}

async fn run<In, Out, F, Flushing>(
    mut waiting: mpsc::UnboundedReceiver<Submission<In, Out>>,
    most: usize,
    apart: Duration,
    flush: F,
) where
    F: Fn(Vec<In>) -> Flushing,
    Flushing: Future<Output = Vec<Out>> + Send + 'static,
    Out: Send + 'static,
{
    let mut calls = Vec::new();
    while waiting.recv_many(&mut calls, most).await > 0 {
        let began = Instant::now();
        let (inputs, answers): (Vec<_>, Vec<_>) = calls.drain(..).map(|call| (call.input, call.answer)).unzip();
        let are_several = inputs.len() > 1;
        // A task of its own, so that a panic ends only this flush, not the batcher.
        let outputs = match tokio::spawn(flush(inputs)).await {
            Ok(outputs) => outputs,
            Err(error) => {
                tracing::error!(error = %error, calls = answers.len(), "A flush ended without answers.");
                continue;
            }
        };
        for (answer, output) in answers.into_iter().zip(outputs) {
            // Nobody waits for an answer whose receiver was dropped.
            let _ = answer.send(output);
        }
        if are_several {
            sleep_until(began + apart).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};
    use tokio::sync::Semaphore;

    #[tokio::test]
    async fn calls_that_come_during_a_flush_are_flushed_together_when_it_ends() {
        let gate = Arc::new(Semaphore::new(0));
        let flushes = Arc::new(Mutex::new(Vec::new()));
        let (opened, seen) = (Arc::clone(&gate), Arc::clone(&flushes));
        let batcher = Batcher::new(3, move |inputs: Vec<u32>| {
            seen.lock().expect("no panic before").push(inputs.clone());
            let opened = Arc::clone(&opened);
            async move {
                opened.acquire().await.expect("open").forget();
                inputs.iter().map(|input| input * 10).collect()
            }
        });
        let first = batcher.submit(1);
        while flushes.lock().expect("no panic").is_empty() {
            tokio::task::yield_now().await;
        }
        let later: Vec<_> = (2..7).map(|input| batcher.submit(input)).collect();
        gate.add_permits(3);
        assert_eq!(first.answer().await, Ok(10));
        let mut answers = Vec::new();
        for call in later {
            answers.push(call.answer().await);
        }
        assert_eq!(answers, [20, 30, 40, 50, 60].map(Ok));
        assert_eq!(*flushes.lock().expect("no panic"), [vec![1], vec![2, 3, 4], vec![5, 6]]);
    }

    #[tokio::test]
    async fn where_it_is_paced_a_flush_of_several_calls_keeps_the_next_waiting() {
        const APART: Duration = Duration::from_millis(50);
        let begun = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&begun);
        let batcher = Batcher::paced(8, APART, move |inputs: Vec<u32>| {
            seen.lock().expect("no panic before").push(Instant::now());
            async move { inputs }
        });
        // The task that flushes has not run yet: both calls of the second flush are there when it begins.
        assert_eq!(batcher.call(1).await, Ok(1));
        let two = [batcher.submit(2), batcher.submit(3)];
        for call in two {
            call.answer().await.expect("an answer");
        }
        assert_eq!(batcher.call(4).await, Ok(4));
        let begun = begun.lock().expect("no panic");
        assert_eq!(begun.len(), 3);
        assert!(begun[2] - begun[1] >= APART, "{begun:?}");
    }

    #[tokio::test]
    async fn a_flush_that_panics_loses_its_own_calls_alone() {
        let batcher = Batcher::new(1, |inputs: Vec<u32>| async move {
            assert_ne!(inputs, [13], "unlucky");
            inputs
        });
        assert_eq!(batcher.call(13).await, Err(BatchError::NoAnswer));
        assert_eq!(batcher.call(14).await, Ok(14));
    }

    #[tokio::test]
    async fn a_flush_that_answers_too_little_leaves_the_rest_without_an_answer() {
        let batcher = Batcher::new(8, |_: Vec<u32>| async move { Vec::<u32>::new() });
        assert_eq!(batcher.call(1).await, Err(BatchError::NoAnswer));
    }
}
