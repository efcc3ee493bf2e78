//! What of old rows is deleted next, and how large the tables are, for all that show it: the operators' route, and the
//! console's page of the fleet.

use crate::app::App;
use crate::http::error::Answer;
use chrono::{DateTime, TimeDelta, Utc};
use store::sizes::{self, OldestRows, TableSize};

/// How long rows are kept, and how large the tables are.
pub struct Retention {
    /// What is deleted once it is old enough.
    pub kept: Vec<Kept>,
    /// The tables, the largest first.
    pub tables: Vec<TableSize>,
}

/// Rows that are deleted once they are old enough.
pub struct Kept {
    /// The name of their table.
    pub what: &'static str,
    /// The setting that says how long they are kept.
    pub setting: &'static str,
    /// How many days that is.
    pub days: u32,
    /// The time of the oldest row that may be deleted; none if there is none.
    pub oldest_at: Option<DateTime<Utc>>,
}

impl Kept {
    /// Returns when the oldest row is old enough to be deleted.
    pub fn deleted_from(&self) -> Option<DateTime<Utc>> {
        self.oldest_at?.checked_add_signed(TimeDelta::days(self.days.into()))
    }
}

/// Looks at the oldest rows and at the sizes of all tables.
pub async fn retention(app: &App) -> Answer<Retention> {
    let settings = &app.process.settings;
    let mut conn = app.pages.acquire().await?;
    let kept = kept(&sizes::oldest(&mut conn).await?, settings.retention_days, settings.audit_days);
    Ok(Retention { kept, tables: sizes::tables(&mut conn).await? })
}

fn kept(oldest: &OldestRows, days: u32, audit_days: u32) -> Vec<Kept> {
    let row = |what, oldest_at| Kept { what, setting: "MWS_RETENTION_DAYS", days, oldest_at };
    vec![
        row("jobs", oldest.jobs),
        row("calls", oldest.calls),
        row("deliveries", oldest.deliveries),
        row("events", oldest.events),
        row("project_webhooks", oldest.project_webhooks),
        Kept { what: "account_audit", setting: "MWS_AUDIT_DAYS", days: audit_days, oldest_at: oldest.account_audit },
    ]
}
