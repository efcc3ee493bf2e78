//! The verdict on the service, for all that show it: the report, and the console's first page.

use crate::app::App;
use crate::http::error::Answer;
use domain::verdict::{self, Report, Snapshot};
use runtime::clock::Clocks;

/// The state of the service, and the verdict on it.
pub struct Verdict {
    /// The numbers at this moment.
    pub snapshot: Snapshot,
    /// The verdict on them.
    pub report: Report,
}

/// Inspects the service.
pub async fn verdict(app: &App) -> Answer<Verdict> {
    let mut conn = app.pages.acquire().await?;
    let skew_ms = Clocks::read(&mut conn).await?.skew_ms();
    let snapshot = store::verdict::snapshot(&mut conn, skew_ms, app.process.media.free_ratio()).await?;
    let report = verdict::report(&snapshot);
    Ok(Verdict { snapshot, report })
}
