//! The verdict on the service, for all that show it: the report, and the console's first page.

use crate::app::App;
use crate::http::error::Answer;
use domain::verdict::{self, Report, Snapshot};
use std::sync::Arc;
use store::fleet::Service;
use store::inspect;
use store::verdict::HourRow;

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

/// Returns what happened in each hour of a day, the oldest first. It is counted once for all who look within seconds.
pub async fn hours(app: &App) -> Answer<Arc<Vec<HourRow>>> {
    let now = inspect::now(&mut *app.pages.acquire().await?).await?;
    let count = async {
        let mut count_hours = app.pages.begin().await?;
        let hours = store::verdict::by_hour(&mut count_hours).await?;
        count_hours.commit().await?;
        Ok::<_, sqlx::Error>(hours)
    };
    app.hours.at(now, count).await
}
