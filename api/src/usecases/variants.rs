//! Which timelines are variants of which: none comes from itself, however far back.
//!
//! A change of a document is made under its account's lock (`documents`), so that no other change closes a circle
//! meanwhile.

use crate::http::error::{Answer, ApiError, Code};
use domain::document::DocumentKind;
use domain::ids::TimelineId;
use serde_json::Value;
use sqlx::PgConnection;
use std::collections::HashSet;
use store::documents;
use uuid::Uuid;

/// Returns the timeline of which this one, by its body or its summary, is a variant.
pub(super) fn original_of(timeline: &Value) -> Option<TimelineId> {
    timeline["variant_of"].as_str()?.parse().ok()
}

/// Refuses to make the timeline `own` a variant of one that comes from it. `place` names the field. `seen` has those
/// that earlier calls found not to come from it, so that an edit looks at each once; circles that an earlier release
/// let be made are gone round once by that too.
///
/// # Errors
/// `invalid_request`; the database's.
pub(super) async fn refuse_circle(
    conn: &mut PgConnection,
    own: Uuid,
    of: TimelineId,
    place: &str,
    seen: &mut HashSet<TimelineId>,
) -> Answer<()> {
    let mut next = Some(of);
    while let Some(timeline) = next.filter(|timeline| seen.insert(*timeline)) {
        if timeline.uuid() == own {
            let message = format!("{place}: {of} is itself a variant of this timeline, or of one of its variants.");
            let refusal = ApiError::new(Code::InvalidRequest, message);
            return Err(refusal.suggest("Name another timeline, or undo first what made that one a variant."));
        }
        let row = documents::summary(conn, DocumentKind::Timeline, timeline.uuid()).await?;
        next = row.and_then(|row| original_of(&row.summary));
    }
    Ok(())
}
