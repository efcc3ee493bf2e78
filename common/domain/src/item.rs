//! Library items (contract §2): their types, statuses and streams, and the names that clients may use for them.
//!
//! A client names an item by its `ref`, by its id or by the id of the job that made it. The text alone tells which: a
//! `ref` that looks like an id is refused when the item is made.

use crate::ids::{ItemId, JobId};
use serde::{Deserialize, Serialize};

/// The most Unicode characters of a `ref` or a name.
pub const NAME_CHARS: usize = 255;

/// The type of an item, which is unknown until its bytes are probed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum ItemType {
    /// Moving pictures, with or without sound.
    Video,
    /// Only sound, perhaps with cover art.
    Audio,
    /// One picture.
    Image,
}

impl ItemType {
    /// Returns its name in answers and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Video => "video",
            Self::Audio => "audio",
            Self::Image => "image",
        }
    }
}

/// The status of an item (contract §4.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum ItemStatus {
    /// Its bytes are awaited, fetched or probed.
    Processing,
    /// It can be used.
    Ready,
    /// It can never be used; its error says why.
    Failed,
}

impl ItemStatus {
    /// Returns its name in answers and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Processing => "processing",
            Self::Ready => "ready",
            Self::Failed => "failed",
        }
    }
}

/// The order of a list of items.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ItemSort {
    /// Newest first.
    #[default]
    Newest,
    /// Oldest first.
    Oldest,
    /// By name, in any case, from A on.
    Name,
}

/// One stream of an item's file, as its container describes it. Fields that its kind does not have are absent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Stream {
    /// Its index in the container, from 0.
    pub index: u32,
    /// `video`, `audio`, `subtitle`, `data` or `attachment`; a cover is `picture`.
    pub kind: String,
    /// The codec's name in ffmpeg; `None` if it is not on the service's list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub codec: Option<String>,
    /// The seconds that it declares.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_seconds: Option<f64>,
    /// The width in pixels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub width: Option<u32>,
    /// The height in pixels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub height: Option<u32>,
    /// The average frames per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame_rate: Option<f64>,
    /// The samples per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample_rate: Option<u32>,
    /// The number of channels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channels: Option<u32>,
}

/// The three ways a text can name an item (contract §2, "Library item").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemName<'a> {
    /// The item's own id, which is looked up in every workspace.
    Id(ItemId),
    /// The job that made it, which is looked up in every workspace.
    MadeBy(JobId),
    /// A `ref` that a client chose, which is looked up in the caller's workspace only.
    Ref(&'a str),
}

impl<'a> ItemName<'a> {
    /// Which of the three this text is.
    pub fn of(text: &'a str) -> Self {
        if let Ok(item) = text.parse() {
            return Self::Id(item);
        }
        text.parse().map_or(Self::Ref(text), Self::MadeBy)
    }
}

/// Why a text is refused as an item's `ref` or name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// It is empty or only white space.
    #[error("is empty")]
    Empty,
    /// It has more than [`NAME_CHARS`].
    #[error("has more than 255 characters")]
    TooLong,
    /// It has a control character, which nobody could type or read back.
    #[error("has a control character")]
    Control,
    /// It starts like an id and could be taken for one.
    #[error("starts with `itm_` or `job_`, which only ids do")]
    LooksLikeAnId,
}

/// Whether an item may have this name.
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

/// Whether an item may have this `ref`.
pub fn check_ref(text: &str) -> Result<(), NameError> {
    check_name(text)?;
    let id_like = [ItemId::PREFIX, JobId::PREFIX]
        .iter()
        .any(|prefix| text.strip_prefix(prefix).is_some_and(|rest| rest.starts_with('_')));
    if id_like { Err(NameError::LooksLikeAnId) } else { Ok(()) }
}

/// The most tags of an item.
pub const MOST_TAGS: usize = 20;
/// The most Unicode characters of a tag.
pub const TAG_CHARS: usize = 64;

/// Why tags are refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TagsError {
    /// There are more than [`MOST_TAGS`].
    #[error("an item has at most 20 tags")]
    TooMany,
    /// One has more than [`TAG_CHARS`].
    #[error("a tag has at most 64 characters")]
    TooLong,
    /// One is refused as a name would be.
    #[error("a tag {0}")]
    Name(NameError),
}

/// Returns the tags trimmed, each once in any case.
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
