//! Pausing and resuming reads. The audit log records changes, but no request for a state that a read already has.

use crate::app::App;
use crate::auth::operator::OperatorCaller;
use crate::http::error::{Answer, ApiError};
use crate::http::text::Time;
use domain::read::Read;
use runtime::wake::Wake;
use serde_json::json;
use sqlx::Acquire;
use store::audit;
use store::reads::{self, Begun, KindRow};

/// Pauses a read, or resumes it.
pub async fn pause_or_resume_read(app: &App, operator: &OperatorCaller, read: Read, begun: Begun) -> Answer<KindRow> {
    let action = match begun {
        Begun::Paused => "read.pause",
        Begun::Resumed => "read.resume",
    };
    let mut conn = app.conn().await?;
    let mut change_read = conn.begin().await?;
    let (was, is) = reads::set_begun(&mut change_read, read, begun).await?;
    if was != is {
        let audit_value = |at: Option<_>| Some(json!({ "paused_at": at.map(|at| Time(at).to_string()) }));
        audit::record(&mut change_read, &operator.changed(action, read, audit_value(was), audit_value(is))).await?;
    }
    let rows = reads::list(&mut change_read).await?;
    change_read.commit().await?;
    // Its jobs are given places.
    app.process.wakes.send([Wake::Duties]);
    let row = rows.into_iter().find(|row| row.read == read);
    row.ok_or_else(|| ApiError::internal(format!("the read {read} has no row")))
}
