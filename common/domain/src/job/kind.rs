//! The kinds of jobs, as clients see them.

use crate::read::Read;
use serde::Serialize;

/// The kind of a job. The `transcript` read has the kind `transcription`, the other reads have `read`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum JobKind {
    /// Makes media with a model or an engine.
    Generation,
    /// Makes a new item of others.
    Render,
    /// Speaks an item in another language.
    Dub,
    /// Computes the `transcript` read.
    Transcription,
    /// Computes another read.
    Read,
}

impl JobKind {
    /// All five.
    pub const ALL: [Self; 5] = [Self::Generation, Self::Render, Self::Dub, Self::Transcription, Self::Read];

    /// Returns the kind of the job that computes this read.
    pub const fn of(read: Read) -> Self {
        match read {
            Read::Transcript => Self::Transcription,
            _ => Self::Read,
        }
    }

    /// Returns its name in answers, filters and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Generation => "generation",
            Self::Render => "render",
            Self::Dub => "dub",
            Self::Transcription => "transcription",
            Self::Read => "read",
        }
    }

    /// Returns the kind of this name; `None` if there is none.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}
