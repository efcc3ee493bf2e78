//! The verdict on the service, as everybody who asks for it gets it: the report, the console's first page.

use crate::app::App;
use crate::http::error::Answer;
use domain::verdict::{self, Report, Snapshot};
use runtime::clock::host_unix_millis;
use store::inspect;

/// What was found, and what it comes to.
pub struct Verdict {
    /// The numbers of this moment.
    pub snapshot: Snapshot,
    /// What they come to.
    pub report: Report,
}

/// Looks at the service.
pub async fn verdict(app: &App) -> Answer<Verdict> {
    let mut conn = app.pages.acquire().await?;
    let before = host_unix_millis();
    let theirs = inspect::clock_ms(&mut conn).await?;
    let after = host_unix_millis();
    // The database looked at its clock somewhere in between.
    let skew_ms = if theirs < before { before - theirs } else { (after - theirs).min(0) };
    let snapshot = store::verdict::snapshot(&mut conn, skew_ms).await?;
    let report = verdict::report(&snapshot);
    Ok(Verdict { snapshot, report })
}
