//! The tools: `POST /tools/<name>` with a JSON body, answered in the tool envelope (spec §4). One file a family.

pub mod library;
pub mod session;
