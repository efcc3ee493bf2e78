//! Which timelines are variants of which: none comes from itself, however far back.
//!
//! A change of a document is made under its account's lock (`documents`), so that no other change closes a circle
//! meanwhile. What is a variant of what is read at once for the whole workspace, which has 500 timelines at most: one
//! statement, however long a row of variants is.

use crate::http::error::{Answer, ApiError, Code};
use domain::ids::TimelineId;
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use uuid::Uuid;

/// Returns the timeline of which this one, by its summary, is a variant.
pub(super) fn original_of(timeline: &Value) -> Option<TimelineId> {
    timeline["variant_of"].as_str()?.parse().ok()
}

/// Refuses to make the timeline `own` a variant of one that comes from it. `originals` has of which timelines those of
/// the workspace are variants, and `place` names the field. `seen` has those that earlier calls found not to come from
/// it, so that an edit looks at each once; circles that an earlier release let be made are gone round once by that too.
///
/// # Errors
/// `invalid_request`.
pub(super) fn refuse_circle(
    originals: &HashMap<Uuid, Uuid>,
    own: Uuid,
    of: TimelineId,
    place: &str,
    seen: &mut HashSet<Uuid>,
) -> Answer<()> {
    let mut next = Some(of.uuid());
    while let Some(timeline) = next.filter(|timeline| seen.insert(*timeline)) {
        if timeline == own {
            let message = format!("{place}: {of} is itself a variant of this timeline, or of one of its variants.");
            let refusal = ApiError::new(Code::InvalidRequest, message);
            return Err(refusal.suggest("Name another timeline, or undo first what made that one a variant."));
        }
        next = originals.get(&timeline).copied();
    }
    Ok(())
}
