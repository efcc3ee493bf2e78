//! Works on requests with long bodies beside the threads that answer calls.
//!
//! A body of a megabyte of tiny values takes a third of a second to parse, to check against its schema and to walk, in
//! a debug build, and its thread would do nothing else in that time. So a request with a long body is polled in
//! `block_in_place`, and its body is judged only when its turn has come: one at a time for each account, and as many
//! for all accounts as half the cores. Waiting for a turn holds no connection, and a turn ends as soon as the request
//! waits for something else. Strangers' bodies and the longest have turns of their own, so that nobody with a few
//! kilobytes waits for them. Documents that are long have such turns too, where they are read and where answers show
//! them ([`in_turn_if`], [`apart_in_turn`]).

mod cores;

use crate::app::App;
use crate::app::turns::{Turns, WorkPermit};
use crate::http::answers::Taker;
use crate::http::error::{Answer, ApiError};
use crate::http::request::SentBody;
use cores::CORES;
use domain::ids::AccountId;
use poem::{Endpoint, Request};
use std::hash::Hash;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::task::spawn_blocking;

/// A body of more bytes than this is long. The costliest body of 16 KiB took 38 ms of a thread in a debug build, and
/// six of them at once from one account made another's calls take 267 ms at p95 instead of 15.
pub const LONG: usize = 4 << 10;
/// A stored read of more bytes than this is long, as documents are.
pub const LONG_READ: usize = domain::document::LONG_BYTES;

/// The turn of a request with a long body. It is attached to such requests.
#[derive(Clone, Default)]
pub struct BodyTurn(Arc<Mutex<Option<WorkPermit>>>);

impl BodyTurn {
    /// Waits for the turn of this taker, if the request's body is long. It lasts until the request waits again.
    pub async fn wait(request: &Request, taker: Taker) {
        let (Some(own), Some(app)) = (request.data::<Self>(), request.data::<App>()) else { return };
        own.end();
        let bytes = request.data::<SentBody>().map_or(0, |SentBody(bytes)| bytes.len());
        let turn = app.turns.bodies(taker, bytes).turn(taker).await;
        *own.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(turn);
    }

    fn end(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

/// Calls the endpoint, and returns its answer. A request with a long body is polled beside the threads that answer.
pub async fn call_beside<E: Endpoint>(endpoint: &E, mut request: Request) -> poem::Result<E::Output> {
    if !is_long(request.data()) {
        return endpoint.call(request).await;
    }
    let turn = BodyTurn::default();
    request.set_data(turn.clone());
    Beside { answer: Box::pin(endpoint.call(request)), turn }.await
}

/// Whether a request has a long body.
pub fn is_long(body: Option<&SentBody>) -> bool {
    body.is_some_and(|SentBody(bytes)| bytes.len() > LONG)
}

/// Does work that takes long, on half of the cores (`cores`). Meanwhile another thread takes over this one's other
/// tasks.
pub fn run_beside<T>(work: impl FnOnce() -> T) -> T {
    // In a runtime with one thread, as most tests have, no other thread could take over.
    let has_others = Handle::try_current().is_ok_and(|handle| handle.runtime_flavor() == RuntimeFlavor::MultiThread);
    if has_others { tokio::task::block_in_place(|| CORES.work(work)) } else { work() }
}

/// Does work, with [`run_beside`] if it takes long. It is for callers that hold a connection, and so may wait for no
/// turn but for a core.
pub fn run_beside_if<T>(is_long: bool, work: impl FnOnce() -> T) -> T {
    if is_long { run_beside(work) } else { work() }
}

/// Waits for the key's turn, then does work that takes long, while others take over what its thread has to do. The turn
/// ends with the work. Nobody waits here with a connection in hand.
pub async fn in_turn<K, T>(turns: &Turns<K>, key: K, work: impl FnOnce() -> T) -> T
where
    K: Hash + Eq + Send + Sync + 'static,
{
    let _turn = turns.turn(key).await;
    run_beside(work)
}

/// Takes work to its end beside the threads that answer calls, whenever it does not wait. It may hold connections, so
/// it waits for no turn here but for a core: what takes long in it has one of its own ([`in_turn`]).
pub async fn polled_beside<F: Future>(work: F) -> F::Output {
    Beside { answer: Box::pin(work), turn: BodyTurn::default() }.await
}

/// Does work for an account: if it takes long, in the account's turn, beside the threads that answer calls.
pub async fn in_turn_if<T>(app: &App, account: AccountId, is_long: bool, work: impl FnOnce() -> T) -> T {
    if is_long { in_turn(&app.turns.documents, account.into(), work).await } else { work() }
}

/// Waits for the taker's turn, then does long work on a thread apart. The turn lasts until the work ends, also where
/// the caller hangs up, and the processor time is the account's. While it waits here, a caller must hold nothing that
/// other accounts need: no connection, and no permit or turn that all accounts share.
///
/// # Errors
/// `internal` when the work panics.
pub async fn apart_in_turn<T: Send + 'static>(
    app: &App,
    taker: impl Into<Taker>,
    work: impl FnOnce() -> T + Send + 'static,
) -> Answer<T> {
    let taker = taker.into();
    let turn = app.turns.documents.turn(taker).await;
    apart(app, taker, move || {
        let _turn = turn;
        work()
    })
    .await
}

/// Does work: long work as [`apart_in_turn`], and other work at once, in no turn.
///
/// # Errors
/// `internal` when long work panics.
pub async fn apart_in_turn_if<T: Send + 'static>(
    app: &App,
    taker: impl Into<Taker>,
    is_long: bool,
    work: impl FnOnce() -> T + Send + 'static,
) -> Answer<T> {
    if is_long { apart_in_turn(app, taker, work).await } else { Ok(work()) }
}

/// Does work on a thread apart, whose processor time is the account's. It waits for no turn: its callers hold what
/// bounds the work, a permit or a turn of another kind.
///
/// # Errors
/// `internal` when the work panics.
pub async fn apart<T: Send + 'static>(
    app: &App,
    taker: impl Into<Taker>,
    work: impl FnOnce() -> T + Send + 'static,
) -> Answer<T> {
    let done = match taker.into() {
        Taker::Account(account) => {
            let time = app.thread_time.elsewhere(account).await;
            spawn_blocking(move || time.run(work)).await
        }
        // Strangers and operators wait for no processor time, so that of their work is not counted.
        Taker::Network(_) | Taker::Visitors(_) | Taker::Operators => spawn_blocking(work).await,
    };
    done.map_err(ApiError::internal)
}

/// An answer, or other work, that is polled beside the threads that answer, and whose turn ends whenever it waits.
struct Beside<F> {
    answer: Pin<Box<F>>,
    turn: BodyTurn,
}

impl<F: Future> Future for Beside<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let polled = run_beside(|| self.answer.as_mut().poll(context));
        self.turn.end();
        polled
    }
}

#[cfg(test)]
mod tests;
