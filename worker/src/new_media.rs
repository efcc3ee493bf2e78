//! Media that was made on this machine, as it is handed from whoever made it to whoever keeps it.

use std::fs::File;
use store::uploads::Facts;

/// Media that was made.
#[derive(Debug)]
pub struct NewMedia {
    /// It; the folder that it was made in is gone.
    pub file: File,
    /// What it is, as probed.
    pub facts: Facts,
    /// A picture to show of it, if one can be had.
    pub picture: Option<Vec<u8>>,
}
