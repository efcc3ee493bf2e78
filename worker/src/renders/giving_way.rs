//! Threads on which this process itself works for renders, with the priority that children have (`readers::decode`), so
//! that calls and what else it does come first.
//!
//! A render of sound or moving pictures runs on one such thread as a whole, and each layer of a picture is drawn on one
//! of its own. Nothing else runs there: a thread can't raise its priority again.

#[cfg(target_os = "linux")]
use crate::readers::decode::NICER;
use crate::readers::{ProcessorTime, ReadError};
use std::thread;
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

/// Does work on a thread of its own that gives way. Nothing stops it, also where nobody waits for it any more.
pub(super) async fn giving_way<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, ReadError> {
    let (done, end) = oneshot::channel();
    let run = move || {
        give_way();
        // Nobody may wait any more.
        let _ = done.send(work());
    };
    thread::Builder::new().name("render".to_owned()).spawn(run)?;
    end.await.map_err(|_| ReadError::Crashed)
}

/// Drives work of a job on a thread that gives way. It uses the timers and pipes of this runtime, and is dropped when
/// this is, after what it does at that moment; until then it is this process's own work for the job.
pub(crate) async fn driven<T: Send + 'static>(
    processor: &ProcessorTime,
    work: impl Future<Output = T> + Send + 'static,
) -> Result<T, ReadError> {
    let working = processor.own_work().await;
    let (dropped, runtime) = (CancellationToken::new(), Handle::current());
    let _guard = dropped.clone().drop_guard();
    let work = work.in_current_span();
    let wanted = async move {
        tokio::select! {
            biased;
            () = dropped.cancelled() => None,
            done = work => Some(done),
        }
    };
    let run = move || {
        let done = runtime.block_on(wanted);
        drop(working);
        done
    };
    giving_way(run).await?.ok_or(ReadError::Cancelled)
}

/// Lowers this thread's priority below this process's, which may have a low one already.
#[cfg(target_os = "linux")]
fn give_way() {
    use rustix::process::{getpid, getpriority_process, setpriority_process};
    let lower = || {
        let process = getpriority_process(Some(getpid()))?;
        // For the kernel no process is this thread.
        setpriority_process(None, (process + i32::from(NICER)).min(19))
    };
    if let Err(error) = lower() {
        tracing::debug!(error = %error, "The priority of a thread that renders could not be lowered.");
    }
}

/// Does nothing: elsewhere a priority is the whole process's.
#[cfg(not(target_os = "linux"))]
fn give_way() {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::pending;
    use std::time::Duration;
    use tokio::time::{sleep, timeout};

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn what_renders_has_the_priority_of_children_and_so_has_what_it_starts() {
        let nice = || rustix::process::getpriority_process(None).unwrap();
        let (own, lower) = (nice(), (nice() + i32::from(NICER)).min(19));
        let processor = ProcessorTime::unbounded();
        let film = driven(&processor, async move { (nice(), giving_way(nice).await.unwrap()) }).await;
        assert_eq!((film.unwrap(), nice()), ((lower, lower), own));
    }

    #[tokio::test]
    async fn it_uses_the_timers_of_the_runtime_and_ends_with_its_job() {
        let processor = ProcessorTime::unbounded();
        let waited = driven(&processor, async {
            sleep(Duration::from_millis(1)).await;
            7
        });
        assert_eq!(waited.await.unwrap(), 7);
        let (begins, begun) = oneshot::channel();
        let mut stopped = Box::pin(driven(&processor, async {
            begins.send(()).unwrap();
            pending::<()>().await;
        }));
        tokio::select! {
            ended = &mut stopped => panic!("{ended:?}"),
            begun = begun => begun.unwrap(),
        }
        drop(stopped);
        timeout(Duration::from_secs(30), processor.wait_for_own_work()).await.expect("nobody wants it any more");
    }

    #[tokio::test]
    async fn a_programmers_error_is_the_jobs_alone() {
        let processor = ProcessorTime::unbounded();
        let crashed: Result<(), ReadError> = driven(&processor, async { panic!("of this test") }).await;
        assert!(matches!(crashed, Err(ReadError::Crashed)));
        timeout(Duration::from_secs(30), processor.wait_for_own_work()).await.expect("its thread has ended");
    }
}
