//! What operators change, of any account. Every change and the row of the audit log that tells of it are one
//! transaction, so that a change which can't be logged is not made.

pub mod accounts;
pub mod console;
pub mod credits;
pub mod deliveries;
pub mod erasure;
pub mod keys;
pub mod members;
pub mod minutes;
pub mod reads;
pub mod report;
pub mod suspension;
pub mod users;
pub mod workspaces;

use crate::http::error::{ApiError, Code};
use std::fmt::Display;

/// The refusal that nothing has this id.
pub fn missing(code: Code, id: impl Display) -> ApiError {
    ApiError::new(code, format!("Nothing has the id `{id}`."))
}
