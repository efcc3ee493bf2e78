//! Draws the reads of an item on one time axis: as SVG for a file or a page, as a few lines for a terminal.
//!
//! Pure: from stored reads to text. `facts` takes the parts to draw out of the stored documents, `axis` places them in
//! time, `svg` and `strip` draw them. The callers fetch the reads and show the result: `mws show`, and the page of a
//! public link. Speakers are not told apart by colour alone: each has a letter and a pattern too.

mod axis;
mod facts;
mod strip;
mod svg;
mod voices;

pub use axis::clock;
pub use facts::{Facts, Unread};
pub use strip::strip;
pub use svg::svg;

/// The reads that are drawn, in order from the top.
pub const DRAWN: [&str; 4] = ["levels", "speech", "speakers", "beats"];

#[cfg(test)]
mod tests;
