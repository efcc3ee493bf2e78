//! Library items (contract §2): what kinds there are, how far one has come, and how a client may name one.
//!
//! A client names an item by its `ref`, by its id or by the id of the job that made it. Which of the three a text is
//! can be told from the text alone, because a `ref` that looks like an id is refused when the item is made.

use crate::ids::{ItemId, JobId};
use serde::{Deserialize, Serialize};

/// Characters (Unicode) of the longest `ref` or name a client may choose.
pub const NAME_CHARS: usize = 255;

/// What an item is. Unknown until its bytes were probed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum ItemType {
    /// Moving pictures, with or without sound.
    Video,
    /// Sound alone, cover art apart.
    Audio,
    /// One picture.
    Image,
}

impl ItemType {
    /// The word used in answers and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Video => "video",
            Self::Audio => "audio",
            Self::Image => "image",
        }
    }
}

/// How far an item has come (contract §4.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum ItemStatus {
    /// Its bytes are awaited, fetched or probed.
    Processing,
    /// It can be read.
    Ready,
    /// It never will be; the error says why.
    Failed,
}

impl ItemStatus {
    /// The word used in answers and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Processing => "processing",
            Self::Ready => "ready",
            Self::Failed => "failed",
        }
    }
}

/// What a list of items is sorted by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ItemSort {
    /// By when they were made, the newest first.
    #[default]
    Newest,
    /// By when they were made, the oldest first.
    Oldest,
    /// By their names, whatever their case, from A on.
    Name,
}

/// One stream of an item's file, as its container describes it. What does not apply to its kind is absent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Stream {
    /// Its number in the container, from 0.
    pub index: u32,
    /// `video`, `audio`, `subtitle`, `data` or `attachment`; a cover is `picture`.
    pub kind: String,
    /// Its codec, as ffmpeg calls it; none for one that is not on the service's list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub codec: Option<String>,
    /// Seconds that it declares.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_seconds: Option<f64>,
    /// Pixels across.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub width: Option<u32>,
    /// Pixels down.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub height: Option<u32>,
    /// Pictures a second, on average.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame_rate: Option<f64>,
    /// Samples a second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample_rate: Option<u32>,
    /// How many channels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channels: Option<u32>,
}

/// The three ways a text can name an item (contract §2, "Library item").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemName<'a> {
    /// The item's own id: looked up in every workspace.
    Id(ItemId),
    /// The job that made it: looked up in every workspace.
    MadeBy(JobId),
    /// A `ref` chosen by a client: means something in the caller's workspace only.
    Ref(&'a str),
}

impl<'a> ItemName<'a> {
    /// What this text names.
    pub fn of(text: &'a str) -> Self {
        if let Ok(item) = text.parse() {
            return Self::Id(item);
        }
        text.parse().map_or(Self::Ref(text), Self::MadeBy)
    }
}

/// Why a text can't be an item's `ref` or name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// Nothing, or white space alone.
    #[error("is empty")]
    Empty,
    /// More than [`NAME_CHARS`].
    #[error("has more than 255 characters")]
    TooLong,
    /// A control character, which no one could type or read back.
    #[error("has a control character")]
    Control,
    /// It starts as an id does, so it could not be told from one.
    #[error("starts with `itm_` or `job_`, which only ids do")]
    LooksLikeAnId,
}

/// Whether a client may call an item so.
pub fn check_name(name: &str) -> Result<(), NameError> {
    if name.trim().is_empty() {
        return Err(NameError::Empty);
    }
    if name.chars().count() > NAME_CHARS {
        return Err(NameError::TooLong);
    }
    if name.chars().any(char::is_control) {
        return Err(NameError::Control);
    }
    Ok(())
}

/// Whether a client may choose this `ref`.
pub fn check_ref(text: &str) -> Result<(), NameError> {
    check_name(text)?;
    let id_like = [ItemId::PREFIX, JobId::PREFIX]
        .iter()
        .any(|prefix| text.strip_prefix(prefix).is_some_and(|rest| rest.starts_with('_')));
    if id_like { Err(NameError::LooksLikeAnId) } else { Ok(()) }
}

/// Tags of an item, at most.
pub const MOST_TAGS: usize = 20;
/// Characters (Unicode) of the longest tag.
pub const TAG_CHARS: usize = 64;

/// Why tags can't be an item's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TagsError {
    /// More than [`MOST_TAGS`].
    #[error("an item has at most 20 tags")]
    TooMany,
    /// More than [`TAG_CHARS`].
    #[error("a tag has at most 64 characters")]
    TooLong,
    /// It can't be a name either.
    #[error("a tag {0}")]
    Name(NameError),
}

/// These tags without space around them, each once, whatever its case.
pub fn checked_tags(given: &[String]) -> Result<Vec<String>, TagsError> {
    if given.len() > MOST_TAGS {
        return Err(TagsError::TooMany);
    }
    let mut tags: Vec<String> = Vec::new();
    for tag in given.iter().map(|tag| tag.trim()) {
        if tag.chars().count() > TAG_CHARS {
            return Err(TagsError::TooLong);
        }
        check_name(tag).map_err(TagsError::Name)?;
        if !tags.iter().any(|other| other.to_lowercase() == tag.to_lowercase()) {
            tags.push(tag.to_owned());
        }
    }
    Ok(tags)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_trimmed_and_there_once() {
        let tags = |given: &[&str]| checked_tags(&given.iter().map(|&tag| tag.to_owned()).collect::<Vec<_>>());
        assert_eq!(tags(&[" Rohschnitt ", "rohschnitt", "B"]), Ok(vec!["Rohschnitt".to_owned(), "B".to_owned()]));
        assert_eq!(tags(&[]), Ok(Vec::new()));
        assert_eq!(tags(&["  "]), Err(TagsError::Name(NameError::Empty)));
        assert_eq!(tags(&[&"ß".repeat(65)]), Err(TagsError::TooLong));
        let many: Vec<String> = (0..21).map(|n| n.to_string()).collect();
        assert_eq!(checked_tags(&many), Err(TagsError::TooMany));
    }

    #[test]
    fn a_text_is_an_item_id_a_job_id_or_else_a_ref() {
        let (item, job) = (ItemId::mint(), JobId::mint());
        assert_eq!(ItemName::of(&item.to_string()), ItemName::Id(item));
        assert_eq!(ItemName::of(&job.to_string()), ItemName::MadeBy(job));
        assert_eq!(ItemName::of("interview"), ItemName::Ref("interview"));
        assert_eq!(ItemName::of("itm_short"), ItemName::Ref("itm_short"));
    }

    #[test]
    fn a_chosen_ref_can_not_be_taken_for_an_id() {
        assert_eq!(check_ref("interview 3"), Ok(()));
        assert_eq!(check_ref("itmised"), Ok(()));
        assert_eq!(check_ref(&ItemId::mint().to_string()), Err(NameError::LooksLikeAnId));
        assert_eq!(check_ref("job_x"), Err(NameError::LooksLikeAnId));
        assert_eq!(check_ref("  "), Err(NameError::Empty));
        assert_eq!(check_ref("a\nb"), Err(NameError::Control));
        assert_eq!(check_ref(&"ä".repeat(255)), Ok(()));
        assert_eq!(check_ref(&"ä".repeat(256)), Err(NameError::TooLong));
    }
}
