//! The threads on which customers' servers are talked to.
//!
//! A server that sends heads without end (`100 Continue` over and over) keeps the thread that reads them for seconds:
//! the HTTP library reads a hundred times, as much as there is, before it gives the thread back. On threads of their
//! own such connections take time from each other, and the system shares the processor between them and the threads
//! that answer and that keep leases.

use super::OutboundError;
use std::io;
use std::panic::resume_unwind;
use std::sync::LazyLock;
use tokio::runtime::{Builder, Runtime};
use tokio_util::task::AbortOnDropHandle;

/// How many there are. All but a few sleep: they are for connections that don't give theirs back.
const THREADS: usize = 32;

/// Of the whole process, for as long as it runs.
static RUNTIME: LazyLock<io::Result<Runtime>> =
    LazyLock::new(|| Builder::new_multi_thread().worker_threads(THREADS).thread_name("outbound").enable_all().build());

/// Starts them, unless they run.
///
/// # Errors
/// [`OutboundError::Setup`] when the system has no descriptors for them.
pub(super) fn started() -> Result<&'static Runtime, OutboundError> {
    RUNTIME.as_ref().map_err(|error| OutboundError::Setup(format!("no threads: {error}")))
}

/// Runs this there; dropped, it ends there too.
pub(super) async fn on_own_threads<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> T {
    let Ok(runtime) = started() else {
        // There is no client without them.
        return work.await;
    };
    match AbortOnDropHandle::new(runtime.spawn(work)).await {
        Ok(done) => done,
        Err(ended) => match ended.try_into_panic() {
            Ok(panic) => resume_unwind(panic),
            // The runtime lasts as long as the process, and nobody else can abort the task.
            Err(_) => std::future::pending().await,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::client;
    use super::super::{Lookup, WebhookRequest};
    use crate::domain::attempt::AttemptError;
    use crate::ids::AccountId;
    use bytes::Bytes;
    use reqwest::header::HeaderMap;
    use std::io::Write;
    use std::net::TcpListener;
    use std::time::{Duration, Instant};
    use tokio::time::interval;

    /// Answers each connection with `100 Continue` over and over, as fast as they are taken.
    fn endless_heads() -> String {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        std::thread::spawn(move || {
            for connection in listener.incoming() {
                let mut connection = connection.expect("a connection");
                let heads = "HTTP/1.1 100 Continue\r\n\r\n".repeat(40_000);
                std::thread::spawn(move || while connection.write_all(heads.as_bytes()).is_ok() {});
            }
        });
        format!("http://{address}/hook")
    }

    /// On one thread, as here, a single one of them would leave no time for anything else.
    #[tokio::test]
    async fn heads_without_end_keep_nothing_else_waiting() {
        let outbound = client("127.0.0.0/8", &[], Lookup::default());
        let url = endless_heads();
        let attempts = (0..2).map(|_| {
            let (url, outbound) = (url.clone(), outbound.clone());
            let (headers, body) = (HeaderMap::new(), Bytes::from_static(b"{}"));
            let timeout = Duration::from_secs(2);
            let request = WebhookRequest { account: AccountId::mint(), url, headers, body, timeout };
            tokio::spawn(async move { outbound.post_webhook(request).await })
        });
        let attempts = tokio::spawn(futures_util::future::join_all(attempts));
        let (mut ticks, mut last, mut longest) = (interval(Duration::from_millis(10)), Instant::now(), Duration::ZERO);
        while !attempts.is_finished() {
            ticks.tick().await;
            longest = longest.max(last.elapsed());
            last = Instant::now();
        }
        for outcome in attempts.await.expect("all of them") {
            assert_eq!(outcome.expect("an outcome").error, Some(AttemptError::Timeout));
        }
        assert!(longest < Duration::from_secs(1), "nothing else was done for {longest:?}");
    }
}
