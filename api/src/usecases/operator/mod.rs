//! What operators change of any account, and what both the console and the operators' routes show. A change and its row
//! of the audit log are one transaction, so that a change which can't be logged is not made.

pub mod accounts;
pub mod bulk_operations;
pub mod bulk_reruns;
pub mod console;
pub mod credits;
pub mod deliveries;
pub mod erasure;
pub mod errors;
pub mod jobs;
pub mod keys;
pub mod members;
pub mod minutes;
pub mod portal;
pub mod reads;
pub mod report;
pub mod retention;
pub mod suspension;
pub mod users;
pub mod webhooks;
pub mod workspaces;

use crate::http::error::{ApiError, Code};
use std::fmt::Display;

/// The refusal that nothing has this id.
pub fn missing(code: Code, id: impl Display) -> ApiError {
    ApiError::new(code, format!("Nothing has the id `{id}`."))
}
