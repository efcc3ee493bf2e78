//! Turns the client's errors into the reasons in the delivery log.
//!
//! It decides at which step an error happened, and never passes on an error's own text: that can contain addresses and
//! ports, and would show the owner of an endpoint what our network looks like.

use super::metered::SentTooMuch;
use super::pool::Unsent;
use super::resolve::ResolveError;
use crate::own_fault;
use domain::attempt::AttemptError;
use http::StatusCode;
use std::error::Error;
use std::io;

/// A request that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Failure {
    /// The step at which it failed.
    pub error: AttemptError,
    /// Whether this machine is to blame. It can be only before anything was sent.
    pub is_ours: bool,
}

impl From<AttemptError> for Failure {
    fn from(error: AttemptError) -> Self {
        Self { error, is_ours: false }
    }
}

/// Returns at which step a request failed, and whether this machine is to blame.
pub(super) fn unsent(error: &Unsent) -> Failure {
    let connecting = matches!(error, Unsent::Url(_)) || matches!(error, Unsent::Failed(error) if error.is_connect());
    let unresolved = causes(error).any(|cause| matches!(cause.downcast_ref(), Some(ResolveError::Ours)));
    // A lack of resources once a connection is open does not show whether the receiver saw the request.
    let lacking = connecting && own_fault::is_behind(error);
    Failure { error: step(error, connecting), is_ours: unresolved || lacking }
}

/// Returns why the body of a response broke off. The receiver saw the request, so this machine is never to blame.
pub(super) fn broken_off(error: &hyper::Error) -> AttemptError {
    step(error, false)
}

/// An error and what led to it, the nearest cause first.
fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| error.source())
}

fn step(error: &(dyn Error + 'static), connecting: bool) -> AttemptError {
    let mut timed_out = false;
    for cause in causes(error) {
        match cause.downcast_ref() {
            Some(ResolveError::Refused(_)) => return AttemptError::UrlNotPublic,
            Some(ResolveError::Failed | ResolveError::Ours) => return AttemptError::DnsFailed,
            None => {}
        }
        if let Some(io) = cause.downcast_ref::<io::Error>() {
            if is_too_much(io) {
                return AttemptError::InvalidResponse;
            }
            if is_tls(io) {
                return AttemptError::TlsFailed;
            }
            timed_out |= io.kind() == io::ErrorKind::TimedOut;
        }
        if let Some(http) = cause.downcast_ref::<hyper::Error>() {
            if http.is_parse() || http.is_parse_too_large() {
                return AttemptError::InvalidResponse;
            }
            timed_out |= http.is_timeout();
        }
    }
    if timed_out {
        AttemptError::Timeout
    } else if connecting {
        AttemptError::ConnectFailed
    } else {
        AttemptError::ConnectionLost
    }
}

/// Judges a status: 2xx is success, a redirect is refused, any other is a failure (contract §6.1.8).
pub(super) fn verdict(status: StatusCode) -> Result<(), AttemptError> {
    if status.is_success() {
        Ok(())
    } else if status.is_redirection() {
        Err(AttemptError::RedirectRefused)
    } else {
        Err(AttemptError::HttpStatus)
    }
}

/// Whether an IO error is the end of a connection on which the server sent too much.
fn is_too_much(error: &io::Error) -> bool {
    error.get_ref().is_some_and(<dyn Error + Send + Sync>::is::<SentTooMuch>)
}

/// Whether an IO error comes from TLS. The connector wraps the handshake's IO error in another one, also when the peer
/// just hung up, and puts nothing else into an IO error; a session's later errors hold rustls's own.
fn is_tls(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<io::Error>() || inner.is::<rustls::Error>())
}
