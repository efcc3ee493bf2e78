//! The width of a caption's text. A column is what a terminal and a caption's box count: a letter of Latin or Arabic
//! has one, one of Chinese or an emoji two, and nothing that is seen as a letter has none.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Columns of a line.
pub const COLUMNS: usize = 42;

/// How wide a letter is, as it is seen.
pub(super) fn columns_of(letter: &str) -> usize {
    letter.width().max(1)
}

/// How wide a text is.
pub(super) fn width(text: &str) -> usize {
    text.graphemes(true).map(columns_of).sum()
}
