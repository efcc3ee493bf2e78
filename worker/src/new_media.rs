//! Media that was made on this machine, on its way from its maker to the media store.

use std::fs::File;
use store::uploads::Facts;

/// Media that was made.
#[derive(Debug)]
pub struct NewMedia {
    /// The open file; the folder that it was made in is gone.
    pub file: File,
    /// Its facts, as probed.
    pub facts: Facts,
    /// A JPEG to show for it, if one could be made.
    pub picture: Option<Vec<u8>>,
}
