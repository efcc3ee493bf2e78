//! What refusals say to customers, who see forms: in the words of the forms, and not in those of the interface.

use crate::http::error::{ApiError, Code};

/// What the forms call the fields of the interface.
const LABELS: [(&str, &str); 9] = [
    ("url", "The address"),
    ("description", "The description"),
    ("event_types", "The events"),
    ("kinds", "The kinds of jobs"),
    ("kind", "The kind"),
    ("since", "The time"),
    ("status", "The status"),
    ("http_status", "The HTTP status"),
    ("month", "The month"),
];

/// The field that a form or a filter was refused for.
#[derive(Debug)]
pub(super) struct Wrong {
    /// Its name in the interface, and in the form.
    pub field: String,
    /// Why, in words for customers.
    pub words: String,
}

impl Wrong {
    /// Returns the field that a refusal is about; none if it is about none, or about more than one.
    pub(super) fn of(refusal: &ApiError) -> Option<Self> {
        let field = match refusal.code() {
            Code::UrlNotHttps | Code::UrlNotPublic => "url",
            Code::InvalidRequest => refusal.message().strip_prefix('`')?.split(['`', '[', '.']).next()?,
            _ => return None,
        };
        Some(Self { field: field.to_owned(), words: words(refusal) })
    }
}

/// Returns what a refusal says to a customer: sentences without names of the interface.
pub(super) fn words(refusal: &ApiError) -> String {
    let known = match refusal.code() {
        Code::UrlNotHttps => "The address must begin with https://.",
        Code::UrlNotPublic => {
            "Nothing can be sent to this address: it must be that of a server that can be reached from the internet."
        }
        Code::InvalidRequest if refusal.message().starts_with("`url`: ") => {
            "The address is not a whole one: write it like https://example.com/hooks, without spaces and user names."
        }
        Code::InvalidCursor => "This part of the list is shown no more. Begin at its newest rows.",
        Code::WebhookNotFound => "There is no such endpoint, or it was deleted.",
        Code::DeliveryNotFound => "There is no such delivery, or it is older than is kept.",
        Code::KeyNotFound => "There is no such key, or it was revoked already.",
        Code::JobNotFound => "There is no such job, or it is older than is kept.",
        Code::WorkspaceForbidden => "It belongs to somebody else.",
        Code::EndpointDisabled => "The endpoint is disabled, and nothing is sent to it. Enable it first.",
        _ => return plain(refusal.message()),
    };
    known.to_owned()
}

/// Returns a message with the labels of the forms in place of fields, and with quotation marks around what else stands
/// in backticks.
fn plain(message: &str) -> String {
    let parts = message.split('`').enumerate();
    let said = parts.map(|(place, part)| match LABELS.iter().find(|(name, _)| *name == part) {
        _ if place % 2 == 0 => part.to_owned(),
        Some((_, label)) if place == 1 && message.starts_with('`') => (*label).to_owned(),
        Some((_, label)) => label.replacen("The ", "the ", 1),
        None => format!("“{part}”"),
    });
    said.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_has_the_words_of_the_form() {
        let said = |code, message: &str| words(&ApiError::new(code, message));
        for (message, is) in [
            ("`month`: expected a month such as 2026-11.", "The month: expected a month such as 2026-11."),
            ("Give either `url` or `since`.", "Give either the address or the time."),
            ("Use `odd`.", "Use “odd”."),
            ("An endpoint takes 10 pings a minute.", "An endpoint takes 10 pings a minute."),
        ] {
            assert_eq!(said(Code::InvalidRequest, message), is);
        }
        let field = |code, message: &str| Wrong::of(&ApiError::new(code, message)).map(|wrong| wrong.field);
        for (code, message, is) in [
            (Code::InvalidRequest, "`month`: expected a month such as 2026-11.", Some("month")),
            (Code::InvalidRequest, "`event_types[0]`: expected a word.", Some("event_types")),
            (Code::UrlNotPublic, "It leads to 10.0.0.1.", Some("url")),
            (Code::InvalidRequest, "Give either `url` or `since`.", None),
            (Code::RateLimited, "`url`: too often.", None),
        ] {
            assert_eq!(field(code, message).as_deref(), is, "{message}");
        }
        assert_eq!(said(Code::UrlNotHttps, "`url`: x."), "The address must begin with https://.");
        assert!(
            said(Code::InvalidRequest, "`url`: the URL is malformed.").starts_with("The address is not a whole one")
        );
    }
}
