//! The account of the caller: keys, workspaces, minutes, script sessions, links to the portal, and what was done to it.

pub mod audit;
pub mod balances;
pub mod keys;
pub mod members;
pub mod portal;
pub mod sessions;
pub mod workspaces;
