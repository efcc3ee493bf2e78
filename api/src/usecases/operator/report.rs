//! The verdict on the service, for all that show it: the report, and the console's first page.

use crate::app::App;
use crate::http::error::Answer;
use domain::verdict::{self, Report, Snapshot};
use store::fleet::Service;

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
    let own = app.process.own_clock(&mut conn, Service::Api).await?;
    let snapshot = store::verdict::snapshot(&mut conn, Some(own), app.process.media.free_ratio()).await?;
    let report = verdict::report(&snapshot);
    Ok(Verdict { snapshot, report })
}
