//! Starting and stopping operators' bulk operations. A scheduler takes them forward (`advance_bulk_operations`).

use super::deliveries::{UnsentSelection, audit_value};
use super::missing;
use crate::app::App;
use crate::auth::operator::OperatorCaller;
use crate::http::error::{Answer, ApiError, Code};
use crate::http::text::Time;
use chrono::{DateTime, SubsecRound, Utc};
use domain::bulk::{self, BulkKind, BulkState, MOST_NAME_CHARACTERS, MOST_RUNNING, PACES};
use domain::ids::BulkOperationId;
use runtime::wake::Wake;
use serde_json::json;
use sqlx::PgConnection;
use store::bulk_operations::{self, BulkFilter, BulkOperation};
use store::deliveries::{self, UnsentFilter, UnsentOf};
use store::{audit, inspect};

/// What is to be sent again, and what that is called.
#[derive(Debug, Clone)]
pub struct BulkAsked {
    /// The name: 1 to [`MOST_NAME_CHARACTERS`] characters without control characters.
    pub name: String,
    /// What is sent; without an `until`, what was created until now.
    pub selection: UnsentSelection,
    /// How many are sent each second, within [`PACES`]; as many as a turn takes, if none.
    pub pace: Option<i16>,
}

/// Starts an operation. One with this name that was asked for in the same way is returned as it is.
///
/// # Errors
/// `invalid_request` for a name or a pace that is none, or an `until` that lies ahead; `name_taken` if the operation
/// with this name is another one; `quota_reached` while [`MOST_RUNNING`] run.
pub async fn start(app: &App, operator: &OperatorCaller, asked: &BulkAsked) -> Answer<BulkOperation> {
    let name = asked.name.trim();
    refuse_name(name)?;
    refuse_pace(asked.pace)?;
    let mut start = app.process.begin().await?;
    bulk_operations::lock_start(&mut start).await?;
    let named = BulkFilter { name: Some(name), ..BulkFilter::default() };
    if let Some(kept) = bulk_operations::list(&mut start, named, None, 1).await?.pop() {
        return if is_same(&kept, asked) { Ok(kept) } else { Err(name_taken(&mut start, &kept).await?) };
    }
    if bulk_operations::count_running(&mut start).await? >= MOST_RUNNING {
        let message = format!("{MOST_RUNNING} bulk operations run, which are the most that may.");
        return Err(ApiError::new(Code::QuotaReached, message).suggest("Wait until one of them ends, or stop one."));
    }
    let now = inspect::now(&mut start).await?;
    let UnsentSelection { account, endpoint, filter } = asked.selection.clone();
    let until = filter.until.unwrap_or(now);
    if until > now {
        let message = "`until` lies ahead: what is sent again would match once more. Without it, now is meant.";
        return Err(ApiError::new(Code::InvalidRequest, message));
    }
    let filter = UnsentFilter { until: Some(until), ..filter };
    let found = deliveries::unsent_of(&mut start, account, endpoint, &filter).await?;
    let open: Vec<UnsentOf> = found.into_iter().filter(|one| one.enabled).collect();
    let id = BulkOperationId::mint();
    let total: i64 = open.iter().map(|one| one.count).sum();
    let after = json!({
        "name": name, "kind": BulkKind::ResendDeliveries, "filter": audit_value(&filter), "account_id": account,
        "endpoint_id": endpoint, "total": total, "pace": asked.pace,
    });
    let entry = operator.changed("bulk.start", id, None, Some(after));
    let new = BulkOperation {
        id,
        name: name.to_owned(),
        kind: BulkKind::ResendDeliveries,
        state: BulkState::Running,
        since: filter.since,
        until,
        account_id: account,
        endpoint_id: endpoint,
        status: filter.status,
        event_type: filter.event_type,
        http_status: filter.http_status,
        error: filter.error,
        pace: asked.pace,
        operator: entry.operator.clone(),
        address: entry.address.clone(),
        request_id: entry.request_id.clone(),
        total,
        done: 0,
        skipped: 0,
        stopped_by: None,
        created_at: now,
        ended_at: None,
    };
    bulk_operations::insert(&mut start, &new, &open).await?;
    audit::record(&mut start, &entry).await?;
    start.commit().await?;
    app.process.wakes.send([Wake::Duties]);
    Ok(new)
}

/// Stops an operation: what it has done stays done. One that has ended stays as it is. Returns it as it is then.
///
/// # Errors
/// `bulk_operation_not_found`.
pub async fn stop(app: &App, operator: &OperatorCaller, id: BulkOperationId) -> Answer<BulkOperation> {
    let mut stop = app.process.begin().await?;
    let has_stopped = bulk_operations::stop(&mut stop, id, operator.name()).await?;
    let found = bulk_operations::by_id(&mut stop, id).await?;
    let now = found.ok_or_else(|| missing(Code::BulkOperationNotFound, id))?;
    if has_stopped {
        let after = json!({ "total": now.total, "done": now.done, "skipped": now.skipped });
        audit::record(&mut stop, &operator.changed("bulk.stop", id, None, Some(after))).await?;
    }
    stop.commit().await?;
    Ok(now)
}

fn refuse_name(name: &str) -> Answer<()> {
    let is_name = (1..=MOST_NAME_CHARACTERS).contains(&name.chars().count()) && !name.chars().any(char::is_control);
    if is_name {
        return Ok(());
    }
    let message = format!("`name` must have 1 to {MOST_NAME_CHARACTERS} characters, and no control characters.");
    Err(ApiError::new(Code::InvalidRequest, message))
}

fn refuse_pace(pace: Option<i16>) -> Answer<()> {
    if pace.is_none_or(|pace| PACES.contains(&pace)) {
        return Ok(());
    }
    let message = format!("`pace` must be from {} to {} deliveries a second.", PACES.start(), PACES.end());
    Err(ApiError::new(Code::InvalidRequest, message))
}

/// Whether an operation was asked for in this way. A request without `until` asks for any. Times are compared in whole
/// milliseconds, as answers show them.
fn is_same(kept: &BulkOperation, asked: &BulkAsked) -> bool {
    let UnsentSelection { account, endpoint, filter } = &asked.selection;
    let shown = |at: DateTime<Utc>| at.trunc_subsecs(3);
    kept.account_id == *account
        && kept.endpoint_id == *endpoint
        && shown(kept.since) == shown(filter.since)
        && filter.until.is_none_or(|until| shown(kept.until) == shown(until))
        && kept.status == filter.status
        && kept.event_type == filter.event_type
        && kept.http_status == filter.http_status
        && kept.error == filter.error
        && kept.pace == asked.pace
}

/// Returns this name, or one like it if an operation has it.
pub async fn free_name(conn: &mut PgConnection, name: &str) -> Answer<String> {
    let taken = bulk_operations::names_from(conn, &bulk::stem(name)).await?;
    Ok(bulk::free_name(name, &taken))
}

async fn name_taken(conn: &mut PgConnection, kept: &BulkOperation) -> Answer<ApiError> {
    let free = free_name(conn, &kept.name).await?;
    let message = format!(
        "`{}` is the name of {}, which was started at {} and does something else; `{free}` is free.",
        kept.name,
        kept.id,
        Time(kept.created_at)
    );
    Ok(ApiError::new(Code::NameTaken, message).suggest(format!("Choose another name, such as `{free}`.")))
}
