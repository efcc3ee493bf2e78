//! What operators do: `/operator/…`, with a token of theirs (contract §11).
//!
//! One file a noun. Every change and the row of the audit log that tells of it are one transaction, which the use case
//! named for it opens (`usecases::operator`). Nothing here acts for a customer: no route takes one's credential, and
//! none of theirs takes an operator's.

pub mod accounts;
pub mod audit;
pub mod console;
pub mod credits;
pub mod deliveries;
pub mod erasure;
pub mod jobs;
pub mod keys;
pub mod members;
pub mod minutes;
pub mod reads;
pub mod report;
pub mod suspension;
pub mod users;
pub mod workspaces;

use crate::auth::operator::{OperatorAuth, OperatorCaller};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::text::{MinuteCount, Text};
use crate::usecases::operator::missing;
use domain::minutes::Minutes;

/// More than anybody is given by one request, in minutes: a slip of the keyboard is refused.
const MOST_MINUTES: i64 = 10_000_000;

/// A purchase that names no invoice would count again with each repeat.
const NO_REFERENCE: &str =
    "A purchase needs a `reference`, such as an invoice's number: it counts once, however often it is sent.";

/// An amount that an operator gives.
fn amount(minutes: MinuteCount, least: Minutes) -> Answer<Minutes> {
    if (least..=Minutes::from_whole(MOST_MINUTES)).contains(&minutes.0) {
        return Ok(minutes.0);
    }
    Err(ApiError::new(Code::InvalidRequest, format!("The minutes must be from {least} to {MOST_MINUTES}.")))
}

/// A name, without the space around it, that is one.
fn named(text: &Text) -> Answer<&str> {
    let name = text.0.trim();
    if name.is_empty() || name.chars().any(char::is_control) {
        return Err(ApiError::new(Code::InvalidRequest, "`name` must hold something, and no control characters."));
    }
    Ok(name)
}
