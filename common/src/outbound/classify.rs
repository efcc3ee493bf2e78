//! From the client's errors to the words of the delivery log.
//!
//! It owns which step an error belongs to and never passes an error's own text on: that text can hold addresses and
//! ports, and would tell the owner of an endpoint what our network looks like.

use super::resolve::ResolveError;
use crate::domain::attempt::AttemptError;
use crate::own_fault;
use reqwest::StatusCode;
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
pub(super) fn failure(error: &reqwest::Error) -> Failure {
    let unresolved = causes(error).any(|cause| matches!(cause.downcast_ref(), Some(ResolveError::Ours)));
    // What is lacking once a connection is open says nothing of whether the request was seen.
    let lacking = error.is_connect() && own_fault::is_behind(error);
    Failure { error: step(error), is_ours: unresolved || lacking }
}

/// What led to an error, the nearest cause first.
fn causes(error: &reqwest::Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    std::iter::successors(error.source(), |&error| error.source())
}

fn step(error: &reqwest::Error) -> AttemptError {
    for cause in causes(error) {
        match cause.downcast_ref() {
            Some(ResolveError::Refused(_)) => return AttemptError::UrlNotPublic,
            Some(ResolveError::Failed | ResolveError::Ours) => return AttemptError::DnsFailed,
            None => {}
        }
        if cause.downcast_ref().is_some_and(is_tls) {
            return AttemptError::TlsFailed;
        }
        if cause.downcast_ref().is_some_and(|cause: &hyper::Error| cause.is_parse() || cause.is_parse_too_large()) {
            return AttemptError::InvalidResponse;
        }
    }
    if error.is_timeout() {
        AttemptError::Timeout
    } else if error.is_connect() {
        AttemptError::ConnectFailed
    } else {
        AttemptError::ConnectionLost
    }
}

/// What a status means: 2xx is success, a redirect is refused, anything else is a failure (spec §6.1.8).
pub(super) fn verdict(status: StatusCode) -> Result<(), AttemptError> {
    if status.is_success() {
        Ok(())
    } else if status.is_redirection() {
        Err(AttemptError::RedirectRefused)
    } else {
        Err(AttemptError::HttpStatus)
    }
}

/// Whether an IO error comes from TLS. The connector wraps the handshake's IO error in another one, also when the peer
/// just hung up, and puts nothing else into an IO error; a session's later errors hold rustls's own.
fn is_tls(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<io::Error>() || inner.is::<rustls::Error>())
}
