//! What an edit of a dub takes: its operations, as the document describes them.
//!
//! What an operation makes of its fields, and which of them it refuses, is `domain::dub`'s.

use crate::http::text::Text;
use poem_openapi::types::Example;
use poem_openapi::{Enum, Object};

/// What to change of a dub.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields, skip_serializing_if_is_none, example)]
pub struct EditDub {
    /// The dub.
    pub dub_id: Text,
    /// The revision that the change is for; another one stands: 409 `revision_conflict`.
    pub if_revision: Option<i32>,
    /// Its new name, 1 to 200 characters.
    pub name: Option<Text>,
    /// What is done, one after the other, all or none; 1 to 500.
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

/// What an operation does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum DubOpKind {
    /// Another segment: `start`, `end`, `translation`, and `segment_id`, `speaker`, `voice` if they are said.
    AddSegment,
    /// Any of the same, by `segment_id`. What is absent stays.
    UpdateSegment,
    /// A segment less, by `segment_id`: it is not spoken any more.
    RemoveSegment,
    /// Another `voice` for all that `speaker` says.
    SetVoice,
    /// Whether the item's own sound is heard under the voices: `keep`.
    SetBackground,
}

/// One change of a dub. A field that the operation does not take is refused.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields, skip_serializing_if_is_none)]
pub struct DubOp {
    /// What is done.
    pub op: DubOpKind,
    /// The segment. Of a new one: 1 to 64 letters, digits, `-` and `_`; one is made when absent.
    pub segment_id: Option<Text>,
    /// The second at which it begins.
    pub start: Option<f64>,
    /// The second at which it ends.
    pub end: Option<f64>,
    /// What is spoken, at most 1,000 characters; nothing of an empty one.
    pub translation: Option<Text>,
    /// The voice, as its engine names it.
    pub voice: Option<Text>,
    /// Who speaks.
    pub speaker: Option<Text>,
    /// Whether the item's own sound is heard.
    pub keep: Option<bool>,
}
