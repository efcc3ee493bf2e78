//! What sort of work a job is, as clients are shown it.

use crate::read::Read;
use serde::Serialize;

/// What sort of work a job is. The `transcript` read is `transcription`, the other five are `read`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum JobKind {
    /// Making media with a model.
    Generation,
    /// Making a new item from others.
    Render,
    /// Putting speech into another language.
    Dub,
    /// The `transcript` read.
    Transcription,
    /// Any other read.
    Read,
}

impl JobKind {
    /// All five.
    pub const ALL: [Self; 5] = [Self::Generation, Self::Render, Self::Dub, Self::Transcription, Self::Read];

    /// The kind of the job that computes this read.
    pub const fn of(read: Read) -> Self {
        match read {
            Read::Transcript => Self::Transcription,
            _ => Self::Read,
        }
    }

    /// The word used in answers, filters and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Generation => "generation",
            Self::Render => "render",
            Self::Dub => "dub",
            Self::Transcription => "transcription",
            Self::Read => "read",
        }
    }

    /// The kind of this name, if there is one.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}
