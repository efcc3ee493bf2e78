//! The caller's account: keys, workspaces, minutes and their statement, script sessions, links to the portal, and its
//! audit log.

pub mod audit;
pub mod balances;
pub mod keys;
pub mod members;
pub mod portal;
pub mod sessions;
pub mod statement;
pub mod workspaces;
