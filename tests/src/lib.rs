//! What the tests of the whole service share.
//!
//! `template` gives each test a database of its own on a server that all test processes share; `world` puts a whole
//! service on such a database, and knows what must hold of it whatever was done; `clients` are programs in other
//! languages; `plans` has PostgreSQL explain itself. Nothing here is a test: those stand in `tests/`, one file a theme.

pub mod clients;
pub mod document;
pub mod plans;
pub mod template;
pub mod world;
