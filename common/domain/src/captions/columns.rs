//! The width of a caption's text in columns, as terminals count: a Latin or Arabic letter has one, a Chinese one or an
//! emoji two, and a mark that joins its letter none of its own.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// The most columns of a line.
pub const COLUMNS: usize = 42;

/// Returns the columns of a visible letter (a grapheme), at least one.
pub(super) fn columns_of(letter: &str) -> usize {
    letter.width().max(1)
}

/// Returns the columns of a text.
pub(super) fn width(text: &str) -> usize {
    text.graphemes(true).map(columns_of).sum()
}
