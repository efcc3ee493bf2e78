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

/// The step at which a request failed.
pub(super) fn failure(error: &reqwest::Error) -> AttemptError {
    let mut cause = error.source();
    while let Some(error) = cause {
        match error.downcast_ref() {
            Some(ResolveError::Refused(_)) => return AttemptError::UrlNotPublic,
            Some(ResolveError::Failed(_)) => return AttemptError::DnsFailed,
            None => {}
        }
        if error.downcast_ref().is_some_and(is_tls) {
            return AttemptError::TlsFailed;
        }
        if error.downcast_ref().is_some_and(|error: &hyper::Error| error.is_parse() || error.is_parse_too_large()) {
            return AttemptError::InvalidResponse;
        }
        cause = error.source();
    }
    if error.is_timeout() {
        AttemptError::Timeout
    } else if error.is_connect() {
        AttemptError::ConnectFailed
    } else {
        AttemptError::ConnectionLost
    }
}

/// Whether a request never left, for want of something that is ours: no connection could be opened, and not because of who
/// was to be reached.
pub(super) fn is_ours(error: &reqwest::Error) -> bool {
    if !error.is_connect() {
        return false;
    }
    let resolved_not = || failure(error) == AttemptError::DnsFailed && own_fault::has_no_descriptor();
    own_fault::is_behind(error) || resolved_not()
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
