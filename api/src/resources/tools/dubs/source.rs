//! What is dubbed: an item, or the film of a timeline.

use super::shapes::MakeDub;
use crate::app::App;
use crate::auth::Caller;
use crate::http::error::{Answer, ApiError, Code};
use crate::usecases::documents::Kept;
use crate::usecases::library::resolve;
use domain::dub::LONGEST;
use domain::ids::TimelineId;
use domain::item::ItemStatus;
use domain::media_use::MediaUse;
use domain::timeline::{Micros, Timeline};
use store::items::ItemForReads;

/// What a request names to dub.
pub(super) enum Named<'a> {
    /// An item.
    Item(&'a str),
    /// A timeline.
    Timeline(TimelineId),
}

/// The item to dub.
pub(super) struct Source {
    pub(super) item: Box<ItemForReads>,
    /// Its duration, in microseconds.
    pub(super) duration: Micros,
    /// The timeline that the item is the film of, if a timeline is dubbed.
    pub(super) timeline: Option<Box<Kept<Timeline>>>,
}

/// The timeline whose film is dubbed.
#[derive(Debug, Clone, Copy)]
pub(super) struct DubbedTimeline {
    pub(super) id: TimelineId,
    /// The revision that the call is for; `None` if the film was dubbed by an earlier call.
    pub(super) revision: Option<i32>,
}

impl Source {
    /// Returns the item to dub, which may be the film of a timeline.
    ///
    /// # Errors
    /// `item_not_found`, `workspace_forbidden`, `item_not_ready`; `read_not_applicable` when it has no sound, or is too
    /// long.
    pub(super) async fn find(
        app: &App,
        caller: &Caller,
        item_ref: &str,
        timeline: Option<Box<Kept<Timeline>>>,
    ) -> Answer<Self> {
        let item = resolve(&mut *app.conn().await?, caller.workspace, item_ref).await?;
        let refused = |message: &str| Err(ApiError::new(Code::ReadNotApplicable, message));
        match item.status {
            ItemStatus::Processing => {
                return Err(ApiError::new(Code::ItemNotReady, "The item is still being processed."));
            }
            ItemStatus::Failed => return refused("The item's media can't be read."),
            ItemStatus::Ready => {}
        }
        let is_heard = item.media().is_some_and(|media| media.suits(MediaUse::Sound).is_ok());
        match item.duration_ms.map(Micros::ms).filter(|_| is_heard) {
            None => refused("The item has no sound."),
            Some(long) if long > LONGEST => Err(too_long()),
            Some(duration) => Ok(Self { item, duration, timeline }),
        }
    }

    /// Returns the timeline that is dubbed, if one is.
    pub(super) fn dubbed(&self) -> Option<DubbedTimeline> {
        let kept = self.timeline.as_ref()?;
        Some(DubbedTimeline { id: TimelineId::from(kept.id), revision: Some(kept.revision) })
    }
}

/// Returns the item or the timeline that a request names.
///
/// # Errors
/// `invalid_request` unless exactly one is named; `timeline_not_found` for what is no timeline's id.
pub(super) fn named(asked: &MakeDub) -> Answer<Named<'_>> {
    let refused = |message: &str| Err(ApiError::new(Code::InvalidRequest, message));
    match (&asked.item_ref, &asked.timeline_id) {
        (Some(_), None) if asked.timeline_revision.is_some() => {
            refused("`timeline_revision` goes with `timeline_id` alone.")
        }
        (Some(item_ref), None) => Ok(Named::Item(item_ref)),
        (None, Some(timeline)) => Ok(Named::Timeline(timeline.id(Code::TimelineNotFound)?)),
        _ => refused("Say `ref` or `timeline_id`: exactly one."),
    }
}

/// Returns the refusal of media that is too long to be dubbed.
pub(super) fn too_long() -> ApiError {
    let message = format!("At most {} hours are dubbed.", LONGEST.0 / 3_600_000_000);
    ApiError::new(Code::ReadNotApplicable, message)
}
