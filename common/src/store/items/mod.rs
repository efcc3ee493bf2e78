//! Library items and the reads stored on them (spec §2).
//!
//! Listing and changing one item is here; telling what many refs name is in `resolve`, for the tools that take refs. How
//! an item's bytes arrive is `store::uploads`. A deleted item stays as a tombstone that no function here shows.

mod resolve;

pub use resolve::{ItemForReads, Resolved, resolve};
