//! Why a read is not started: the status, the code and the message of each reason (contract §4.2, §4.5).

use crate::credits::Credits;
use crate::minutes::Minutes;

/// Why a read was not started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The media has no sound.
    NoAudio,
    /// The media has no moving pictures.
    NotVideo,
    /// The media is too short for this read.
    TooShort,
    /// A computer is reading the item itself.
    ReadingOnComputer,
    /// An operator paused this read.
    ReadsPaused,
    /// There is no such item.
    ItemNotFound,
    /// The item is in a workspace that the caller can't act in.
    WorkspaceForbidden,
    /// The item's bytes are still awaited or probed.
    ItemNotReady,
    /// The item's bytes can't be read.
    ItemFailed,
    /// The media is longer than the deployment reads.
    TooLong,
    /// No worker configuration can run this read.
    EngineNotConfigured,
    /// The account has too few minutes left.
    InsufficientMinutes {
        /// The minutes that would be held for it.
        needs: Minutes,
    },
    /// The account has too few AI credits left.
    InsufficientCredits {
        /// The credits that would be held for it.
        needs: Credits,
    },
    /// The account has as many live jobs as allowed.
    QueueFull,
}

impl Reason {
    /// Returns its status, code and message in the answer.
    pub const fn shown(self) -> ShownReason {
        let (status, code, message) = match self {
            Self::NoAudio => ("skipped", "no_audio", "The item has no audio, which this read needs."),
            Self::NotVideo => ("skipped", "not_video", "The item is not a video, which this read needs."),
            Self::TooShort => ("skipped", "too_short", "The item is too short for this read."),
            Self::ReadingOnComputer => (
                "held",
                "reading_on_computer",
                "A computer is reading this item itself. Ask again when its lease has ended.",
            ),
            Self::ReadsPaused => {
                ("held", "reads_paused", "The operator has paused this read. Ask again when it is resumed.")
            }
            Self::ItemNotFound => {
                ("refused", "item_not_found", "There is no such item. Check the ref with list_items.")
            }
            Self::WorkspaceForbidden => (
                "refused",
                "workspace_forbidden",
                "The item is in another workspace. Name that workspace in x-workspace-id.",
            ),
            Self::ItemNotReady => {
                ("refused", "item_not_ready", "The item is still being processed. Ask again when get_item says ready.")
            }
            Self::ItemFailed => ("refused", "item_failed", "The item's media can't be read. Upload it again."),
            Self::TooLong => ("refused", "too_long", "The item is longer than this deployment reads. Split it."),
            Self::EngineNotConfigured => {
                ("refused", "engine_not_configured", "No worker of this deployment can run this read.")
            }
            Self::InsufficientMinutes { .. } => (
                "refused",
                "insufficient_minutes",
                "The cloud minutes left do not reach for this read. Ask for fewer reads, or ask the operator for minutes.",
            ),
            Self::InsufficientCredits { .. } => (
                "refused",
                "insufficient_credits",
                "The AI credits left do not reach for this. Choose a cheaper model, or ask the operator for credits.",
            ),
            Self::QueueFull => {
                ("refused", "queue_full", "The account has 500 live jobs. Ask again when some have ended.")
            }
        };
        ShownReason { status, code, message }
    }
}

/// A reason as the answer shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShownReason {
    /// `skipped`, `held` or `refused`.
    pub status: &'static str,
    /// The machine-readable code.
    pub code: &'static str,
    /// What happened, and what to do next.
    pub message: &'static str,
}
