//! The operators' operations: `/operator/…`, with an operator's token (contract §11).
//!
//! Each noun has a file. Every change and its row of the audit log are one transaction, in the use case of that name
//! (`usecases::operator`). Nothing here acts for a customer: no route takes a customer's credential, and no route of
//! customers takes an operator's.

pub mod accounts;
pub mod audit;
pub mod bulk_operations;
pub mod console;
pub mod credits;
pub mod deliveries;
pub mod erasure;
pub mod errors;
pub mod failed_reads;
pub mod jobs;
pub mod keys;
pub mod members;
pub mod minutes;
pub mod portal;
pub mod reads;
pub mod report;
pub mod retention;
pub mod statement;
pub mod suspension;
pub mod unsent;
pub mod users;
pub mod webhooks;
pub mod workspaces;

use crate::auth::operator::{OperatorAuth, OperatorCaller};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::text::{MinuteCount, Text};
use crate::usecases::operator::missing;
use domain::minutes::Minutes;

/// The most minutes that one request may give, so that a typing error is refused.
const MOST_MINUTES: i64 = 10_000_000;

/// The refusal of a purchase without a reference: every repeat would count again.
const NO_REFERENCE: &str =
    "A purchase needs a `reference`, such as an invoice's number: it counts once, however often it is sent.";

/// Checks the number of minutes that an operator gives.
fn amount(minutes: MinuteCount, least: Minutes) -> Answer<Minutes> {
    if (least..=Minutes::from_whole(MOST_MINUTES)).contains(&minutes.0) {
        return Ok(minutes.0);
    }
    Err(ApiError::new(Code::InvalidRequest, format!("The minutes must be from {least} to {MOST_MINUTES}.")))
}

/// Checks a name, and returns it trimmed.
fn named(text: &Text) -> Answer<&str> {
    let name = text.0.trim();
    if name.is_empty() || name.chars().any(char::is_control) {
        return Err(ApiError::new(Code::InvalidRequest, "`name` must hold something, and no control characters."));
    }
    Ok(name)
}
