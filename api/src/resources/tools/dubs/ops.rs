//! The request of `edit_dub`: its operations, as the OpenAPI document describes them.
//!
//! `domain::dub` decides what an operation does with its fields, and which of them it refuses.

use crate::http::text::Text;
use poem_openapi::types::Example;
use poem_openapi::{Enum, Object};

/// What to change in a dub.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields, skip_serializing_if_is_none, example)]
pub struct EditDub {
    /// The dub.
    pub dub_id: Text,
    /// The revision that the change is for. If the dub has another one: 409 `revision_conflict`.
    pub if_revision: Option<i32>,
    /// Its new name, 1 to 200 characters.
    pub name: Option<Text>,
    /// The operations, 1 to 500, applied in order, all of them or none.
    pub ops: Option<Vec<DubOp>>,
}

impl Example for EditDub {
    fn example() -> Self {
        let op = DubOp {
            op: DubOpKind::UpdateSegment,
            segment_id: Some("segment-2".into()),
            start: None,
            end: None,
            translation: Some("Hoy hablamos del tiempo.".into()),
            voice: None,
            speaker: None,
            keep: None,
        };
        Self { dub_id: "dub_01JD3M5N7P9Q1R3S5T7V9W1X3Y".into(), if_revision: Some(1), name: None, ops: Some(vec![op]) }
    }
}

/// The kinds of operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum DubOpKind {
    /// Adds a segment: `start`, `end`, `translation`, and optionally `segment_id`, `speaker`, `voice`.
    AddSegment,
    /// Changes fields of the segment `segment_id`. Absent fields keep their values.
    UpdateSegment,
    /// Removes the segment `segment_id`: it is not spoken any more.
    RemoveSegment,
    /// Gives `speaker` another `voice` in all segments.
    SetVoice,
    /// Sets whether the item's own sound is heard under the voices: `keep`.
    SetBackground,
}

/// One change to a dub. A field that the operation does not take is refused.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields, skip_serializing_if_is_none)]
pub struct DubOp {
    /// The operation.
    pub op: DubOpKind,
    /// The segment's id. For a new one: 1 to 64 letters, digits, `-` and `_`; one is generated when absent.
    pub segment_id: Option<Text>,
    /// When the segment begins, in seconds.
    pub start: Option<f64>,
    /// When the segment ends, in seconds.
    pub end: Option<f64>,
    /// The words to speak, at most 1,000 characters; when it is empty or blank, the segment is silent.
    pub translation: Option<Text>,
    /// The voice, by its engine's name for it.
    pub voice: Option<Text>,
    /// The speaker's name.
    pub speaker: Option<Text>,
    /// Whether the item's own sound is heard under the voices.
    pub keep: Option<bool>,
}
