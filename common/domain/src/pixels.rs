//! How large pictures are, in pixels, and how large those may be that are read and made.

/// Pixels of a picture that is read, at most.
pub const MOST_READ_PIXELS: u32 = 64_000_000;
/// Pixels of a film's picture that is made, at most: those of 4096 × 2160.
pub const MOST_FILM_PIXELS: u32 = 4_096 * 2_160;

/// The size of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PictureSize {
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
}
