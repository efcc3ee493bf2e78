//! Comments: their texts, and what they may be about: an item or a timeline, or a part of either.

use crate::captions::turns_direction;
use crate::ids::{ItemId, TimelineId};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// The most comments on an item or a timeline.
pub const MOST_COMMENTS: i64 = 10_000;
/// The most comments by one public link: guests leave room for those who work on the item.
pub const MOST_GUEST_COMMENTS: i64 = 1_000;
/// The most comments by one public link in a minute.
pub const GUEST_COMMENTS_A_MINUTE: i64 = 10;
/// The most characters of a comment.
pub const MOST_CHARACTERS: usize = 5_000;
/// The most characters of a guest's name.
pub const MOST_NAME_CHARACTERS: usize = 100;

/// The item or timeline that a comment is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// An item.
    Item(ItemId),
    /// A timeline.
    Timeline(TimelineId),
}

impl Subject {
    /// Returns the word for it in texts.
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Item(_) => "item",
            Self::Timeline(_) => "timeline",
        }
    }

    /// Returns the UUID of the item or timeline.
    pub fn uuid(self) -> Uuid {
        match self {
            Self::Item(item) => item.uuid(),
            Self::Timeline(timeline) => timeline.uuid(),
        }
    }

    /// Returns the item; `None` for a timeline.
    pub const fn item(self) -> Option<ItemId> {
        match self {
            Self::Item(item) => Some(item),
            Self::Timeline(_) => None,
        }
    }

    /// Returns the timeline; `None` for an item.
    pub const fn timeline(self) -> Option<TimelineId> {
        match self {
            Self::Timeline(timeline) => Some(timeline),
            Self::Item(_) => None,
        }
    }
}

/// A rectangle of the picture, in fractions of its width and height from its upper left corner.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Region {
    /// The left edge.
    pub x: f64,
    /// The upper edge.
    pub y: f64,
    /// Its width.
    pub width: f64,
    /// Its height.
    pub height: f64,
}

impl Region {
    /// Whether it lies within the picture and is not empty.
    fn is_within(self) -> bool {
        let fits = |from: f64, size: f64| from >= 0.0 && size > 0.0 && from + size <= 1.0 + 1e-9;
        fits(self.x, self.width) && fits(self.y, self.height)
    }
}

/// The part of its subject that a comment is about: all of it if no field is given.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Anchor {
    /// Its start in milliseconds of the media.
    pub at_ms: Option<i32>,
    /// Its end in milliseconds; `None` for a single moment.
    pub until_ms: Option<i32>,
    /// The part of the picture.
    pub region: Option<Region>,
}

/// Why a comment is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommentError {
    /// The text is empty or too long.
    #[error("`text`: expected 1 to {MOST_CHARACTERS} characters")]
    Text,
    /// A guest's name is empty, too long, not one line, or has hidden characters.
    #[error("`name`: expected 1 to {MOST_NAME_CHARACTERS} characters on one line, none of them hidden")]
    Name,
    /// There is a time, but the subject has no duration.
    #[error("`at`: what it is about has no duration; leave it out")]
    Timeless,
    /// A time is outside the subject; the field is its duration in seconds.
    #[error("`at` and `until`: expected seconds from 0 to {0}, `until` after `at`")]
    Outside(String),
    /// The region is outside the picture, or there is no picture.
    #[error("`region`: expected parts of a picture from 0 to 1, of what has one")]
    Region,
}

impl CommentError {
    /// Returns it in words for a person at a form.
    pub fn to_a_guest(&self) -> String {
        match self {
            Self::Text => format!("Write a comment of at most {MOST_CHARACTERS} characters."),
            Self::Name => {
                format!("Write your name on one line, in at most {MOST_NAME_CHARACTERS} characters that can be seen.")
            }
            Self::Outside(seconds) => {
                format!("The media lasts {seconds} seconds: write a moment within it, as minutes and seconds (1:15).")
            }
            Self::Timeless | Self::Region => "Leave the moment empty: there is none to point at.".to_owned(),
        }
    }
}

/// Returns the text as it is stored, trimmed.
pub fn checked_text(text: &str) -> Result<&str, CommentError> {
    let text = text.trim();
    let is_fit = !text.is_empty() && text.chars().count() <= MOST_CHARACTERS && !text.contains('\0');
    is_fit.then_some(text).ok_or(CommentError::Text)
}

/// Returns a guest's name as it is stored, trimmed. It is shown beside what others wrote, so it must be visible and may
/// not turn the direction of the text after it.
pub fn checked_name(name: &str) -> Result<&str, CommentError> {
    let name = name.trim();
    let hides = |letter: char| letter.is_control() || turns_direction(letter) || is_unseen(letter);
    let is_fit = name.chars().count() <= MOST_NAME_CHARACTERS
        && !name.chars().any(|letter| hides(letter) && !joins(letter))
        && name.chars().any(|letter| letter.is_alphanumeric() || is_drawn(letter));
    is_fit.then_some(name).ok_or(CommentError::Name)
}

/// Whether nothing of a text can be seen.
pub fn is_blank(text: &str) -> bool {
    text.chars().all(|letter| letter.is_whitespace() || letter.is_control() || is_unseen(letter))
}

/// Whether a character is invisible by itself: zero-width spaces, fillers, direction marks, tags.
const fn is_unseen(letter: char) -> bool {
    matches!(
        letter,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' | '\u{180B}'..='\u{180F}'
            | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202F}' | '\u{2060}'..='\u{206F}' | '\u{2800}' | '\u{3164}'
            | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}' | '\u{1BCA0}'..='\u{1BCA3}'
            | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}'
    )
}

/// Whether an invisible character is needed inside names of some scripts, or inside emoji.
const fn joins(letter: char) -> bool {
    matches!(letter, '\u{200C}' | '\u{200D}' | '\u{FE0E}' | '\u{FE0F}')
}

/// Whether a character is visible though neither letter nor number: punctuation, a symbol or an emoji.
const fn is_drawn(letter: char) -> bool {
    matches!(letter, '!'..='~' | '\u{2190}'..='\u{27FF}' | '\u{2900}'..='\u{2BFF}' | '\u{1F000}'..='\u{1FAFF}')
}

/// The part of its subject that a call asks for, in seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct AskedAnchor {
    /// Its start in seconds.
    pub at: Option<f64>,
    /// Its end in seconds.
    pub until: Option<f64>,
    /// The part of the picture.
    pub region: Option<Region>,
}

/// The extent of a comment's subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// The duration in milliseconds, if it has one.
    pub duration_ms: Option<i64>,
    /// Whether it has a picture.
    pub has_picture: bool,
}

/// Checks the part that is asked for against the subject, and converts it to milliseconds.
pub fn checked_anchor(asked: AskedAnchor, subject: Extent) -> Result<Anchor, CommentError> {
    let (AskedAnchor { at, until, region }, Extent { duration_ms, has_picture }) = (asked, subject);
    if region.is_some_and(|region| !has_picture || !region.is_within()) {
        return Err(CommentError::Region);
    }
    if at.is_none() && until.is_none() {
        return Ok(Anchor { region, ..Anchor::default() });
    }
    let duration_ms = duration_ms.ok_or(CommentError::Timeless)?;
    #[expect(clippy::cast_precision_loss, reason = "media lasts days at most")]
    let seconds = duration_ms as f64 / 1_000.0;
    let outside = || CommentError::Outside(seconds.to_string());
    let milliseconds = |time: f64| {
        let within = (0.0..=seconds).contains(&time);
        #[expect(clippy::cast_possible_truncation, reason = "media lasts days at most")]
        within.then_some((time * 1_000.0).round() as i32).ok_or_else(outside)
    };
    let (at_ms, until_ms) = (at.map(milliseconds).transpose()?, until.map(milliseconds).transpose()?);
    if until_ms.is_some_and(|until_ms| at_ms.is_none_or(|at_ms| until_ms <= at_ms)) {
        return Err(outside());
    }
    Ok(Anchor { at_ms, until_ms, region })
}

#[cfg(test)]
mod tests;
