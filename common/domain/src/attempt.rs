//! The errors of one attempt to send a webhook (contract §6.3), and how long its steps took.
//!
//! This file defines the words that the log, the API and the table share. They say at which step an attempt failed and
//! no more: not which addresses a name resolved to, nor what a closed network answered, since the owner of an endpoint
//! is not the owner of our network.

use serde::{Deserialize, Serialize};

/// Why an attempt failed. `outbound` returns the first nine; the others arise before or after its request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum AttemptError {
    /// The response, or its body, did not arrive in time.
    Timeout,
    /// The name has no address.
    DnsFailed,
    /// No connection was made.
    ConnectFailed,
    /// No TLS session was made: the certificate is not trusted, or the server does not speak TLS.
    TlsFailed,
    /// The URL leads to an address that is not public. No connection was opened.
    UrlNotPublic,
    /// The answer was a redirect; those are not followed (contract §6.1.8).
    RedirectRefused,
    /// The answer's status was not 2xx.
    HttpStatus,
    /// A connection that was made broke before an answer came.
    ConnectionLost,
    /// The response was malformed: not HTTP, or with headers that are too large.
    InvalidResponse,
    /// Nothing was sent: the account's signing secret can't be opened. Its owner can make a new one.
    SecretUnavailable,
    /// The process ended between the request and its record.
    Interrupted,
    /// The endpoint was disabled before this attempt.
    EndpointDisabled,
}

impl AttemptError {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::Timeout,
        Self::DnsFailed,
        Self::ConnectFailed,
        Self::TlsFailed,
        Self::UrlNotPublic,
        Self::RedirectRefused,
        Self::HttpStatus,
        Self::ConnectionLost,
        Self::InvalidResponse,
        Self::SecretUnavailable,
        Self::Interrupted,
        Self::EndpointDisabled,
    ];

    /// Returns its name in the delivery log and in the tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Timeout => "timeout",
            Self::DnsFailed => "dns_failed",
            Self::ConnectFailed => "connect_failed",
            Self::TlsFailed => "tls_failed",
            Self::UrlNotPublic => "url_not_public",
            Self::RedirectRefused => "redirect_refused",
            Self::HttpStatus => "http_status",
            Self::ConnectionLost => "connection_lost",
            Self::InvalidResponse => "invalid_response",
            Self::SecretUnavailable => "secret_unavailable",
            Self::Interrupted => "interrupted",
            Self::EndpointDisabled => "endpoint_disabled",
        }
    }

    /// Returns the error with this name; `None` if there is none.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|error| error.name() == name)
    }
}

/// How long the steps of an attempt took, in milliseconds. A step that did not end, or that there was none of, is none:
/// a URL with an address has no lookup, plain HTTP no TLS, and an attempt on a connection that was open already has
/// only its first byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttemptTimes {
    /// Looking the name up.
    pub dns: Option<i32>,
    /// Connecting by TCP.
    pub connect: Option<i32>,
    /// Setting up TLS.
    pub tls: Option<i32>,
    /// From the start of the attempt until the headers of the response came.
    pub first_byte: Option<i32>,
}

impl AttemptTimes {
    /// Those of an attempt of which nothing is known.
    pub const NONE: Self = Self { dns: None, connect: None, tls: None, first_byte: None };
}

impl std::fmt::Display for AttemptError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_has_one_word_in_every_form() {
        for error in AttemptError::ALL {
            assert_eq!(AttemptError::from_name(error.name()), Some(error));
            assert_eq!(serde_json::to_value(error).ok(), Some(error.name().into()));
        }
    }
}
