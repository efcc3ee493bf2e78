//! The state of a call's render, as its answer shows it.

use crate::http::text::{MinuteCount, Text};
use crate::resources::tools::stored_read::NeedStatus;
use domain::ids::{ItemId, JobId};
use domain::minutes::Minutes;

/// The state of a call's render.
#[derive(Debug, Clone, Copy)]
pub(in crate::resources::tools) enum Rendered {
    /// No render was asked for.
    NotAsked,
    /// This job makes it, and these minutes are held for it.
    Queued(JobId, Minutes),
    /// A job would make it, and these minutes would be held for it.
    Startable(Minutes),
    /// It is this item.
    Made(ItemId),
}

impl Rendered {
    pub(in crate::resources::tools) const fn status(self) -> NeedStatus {
        match self {
            Self::NotAsked | Self::Made(_) => NeedStatus::Ready,
            Self::Queued(..) => NeedStatus::Queued,
            Self::Startable(_) => NeedStatus::Startable,
        }
    }

    pub(in crate::resources::tools) fn job_id(self) -> Option<Text> {
        if let Self::Queued(job, _) = self { Some(Text::of(job)) } else { None }
    }

    pub(in crate::resources::tools) fn estimated_minutes(self) -> Option<MinuteCount> {
        match self {
            Self::Queued(_, estimate) | Self::Startable(estimate) => Some(estimate.into()),
            Self::NotAsked | Self::Made(_) => None,
        }
    }

    pub(in crate::resources::tools) fn output_item_id(self) -> Option<Text> {
        if let Self::Made(item) = self { Some(Text::of(item)) } else { None }
    }
}
