//! The account of the caller: keys, workspaces, minutes, script sessions, and what was done to it.

pub mod audit;
pub mod balances;
pub mod keys;
pub mod members;
pub mod sessions;
pub mod workspaces;
