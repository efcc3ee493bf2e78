//! From the client's errors to the words of the delivery log.
//!
//! It owns which step an error belongs to and never passes an error's own text on: that text can hold addresses and
//! ports, and would tell the owner of an endpoint what our network looks like.

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
    /// At which step.
    pub error: AttemptError,
    /// Whether for a reason of ours, before anything was sent.
    pub is_ours: bool,
}

impl From<AttemptError> for Failure {
    fn from(error: AttemptError) -> Self {
        Self { error, is_ours: false }
    }
}

/// The step at which a request failed, and whether that was our own doing.
pub(super) fn unsent(error: &Unsent) -> Failure {
    let connecting = matches!(error, Unsent::Url(_)) || matches!(error, Unsent::Failed(error) if error.is_connect());
    let unresolved = causes(error).any(|cause| matches!(cause.downcast_ref(), Some(ResolveError::Ours)));
    // What is lacking once a connection is open says nothing of whether the request was seen.
    let lacking = connecting && own_fault::is_behind(error);
    Failure { error: step(error, connecting), is_ours: unresolved || lacking }
}

/// The step at which the body of an answer broke off. The request was seen, so that it is never our own doing.
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

/// What a status means: 2xx is success, a redirect is refused, anything else is a failure (contract §6.1.8).
pub(super) fn verdict(status: StatusCode) -> Result<(), AttemptError> {
    if status.is_success() {
        Ok(())
    } else if status.is_redirection() {
        Err(AttemptError::RedirectRefused)
    } else {
        Err(AttemptError::HttpStatus)
    }
}

/// Whether an IO error is the end of a connection by which too much was sent.
fn is_too_much(error: &io::Error) -> bool {
    error.get_ref().is_some_and(<dyn Error + Send + Sync>::is::<SentTooMuch>)
}

/// Whether an IO error comes from TLS. The connector wraps the handshake's IO error in another one, also when the peer
/// just hung up, and puts nothing else into an IO error; a session's later errors hold rustls's own.
fn is_tls(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<io::Error>() || inner.is::<rustls::Error>())
}
