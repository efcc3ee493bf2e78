//! What was read of an item, on one time axis: as SVG for a file or a page, as a few lines for a terminal.
//!
//! Pure: from stored reads to text. `facts` takes what is drawn out of the stored documents, `axis` places it in time,
//! `svg` and `strip` draw it. Whoever calls it fetches the reads and puts the text where it belongs: `mws show`, and
//! the page behind a public link. Nobody is told apart by colour alone: a speaker has a letter and a pattern too.

mod axis;
mod facts;
mod strip;
mod svg;
mod voices;

pub use axis::clock;
pub use facts::{Facts, Unread};
pub use strip::strip;
pub use svg::svg;

/// The reads that are drawn, from top to bottom.
pub const DRAWN: [&str; 4] = ["levels", "speech", "speakers", "beats"];

#[cfg(test)]
mod tests;
