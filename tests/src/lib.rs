//! What the tests of the whole service share.
//!
//! `template` gives each test a database of its own on a server that all test processes share. Nothing here is a
//! test: those stand in `tests/`, one file a theme.

pub mod template;
