//! Starting and stopping operators' bulk operations. A scheduler takes those of deliveries forward
//! (`advance_bulk_operations`), and the api those of failed reads (`bulk_reruns`).

use super::deliveries::{UnsentSelection, audit_value};
use super::missing;
use crate::app::App;
use crate::auth::operator::OperatorCaller;
use crate::http::error::{Answer, ApiError, Code};
use crate::http::text::Time;
use chrono::{DateTime, SubsecRound, Utc};
use domain::bulk::{self, BulkKind, BulkState, MOST_NAME_CHARACTERS, MOST_RUNNING, PACES};
use domain::ids::BulkOperationId;
use domain::minutes::Minutes;
use runtime::wake::Wake;
use serde_json::{Value, json};
use sqlx::PgConnection;
use store::bulk_operations::{self, BulkFilter, BulkOperation};
use store::deliveries::{self, UnsentFilter, UnsentOf};
use store::jobs::{self, RerunFilter, RerunOf};
use store::{audit, inspect};

/// What is to be sent again, and what that is called.
#[derive(Debug, Clone)]
pub struct BulkAsked {
    /// The name: 1 to [`MOST_NAME_CHARACTERS`] characters without control characters.
    pub name: String,
    /// What is taken; without an `until`, what was created until now.
    pub selection: BulkSelection,
    /// How many deliveries are sent each second, within [`PACES`]; as many as a turn takes, if none.
    pub pace: Option<i16>,
}

/// What an operation takes.
#[derive(Debug, Clone)]
pub enum BulkSelection {
    /// Deliveries that did not arrive, to be sent again.
    Unsent(UnsentSelection),
    /// Reads that failed, to be run again at the expense of whoever paid for them.
    Failed(RerunFilter),
}

impl BulkSelection {
    fn until(&self) -> Option<DateTime<Utc>> {
        match self {
            Self::Unsent(unsent) => unsent.filter.until,
            Self::Failed(failed) => failed.until,
        }
    }
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
    let until = asked.selection.until().unwrap_or(now);
    if until > now {
        let message = "`until` lies ahead: what is done again would match once more. Without it, now is meant.";
        return Err(ApiError::new(Code::InvalidRequest, message));
    }
    let id = BulkOperationId::mint();
    let mut entry = operator.changed("bulk.start", id, None, None);
    let (new, open, filter) = counted(&mut start, asked, until, blank(id, name, &entry, now)).await?;
    entry.after = Some(json!({
        "name": name, "kind": new.kind, "filter": filter, "account_id": new.account_id,
        "endpoint_id": new.endpoint_id, "total": new.total, "pace": new.pace,
        "minutes": new.minutes.map(Minutes::from_hundredths),
    }));
    bulk_operations::insert(&mut start, &new, &open).await?;
    audit::record(&mut start, &entry).await?;
    start.commit().await?;
    app.process.wakes.send([Wake::Duties]);
    Ok(new)
}

/// Returns an operation of this name that takes nothing yet.
fn blank(id: BulkOperationId, name: &str, entry: &audit::Entry, now: DateTime<Utc>) -> BulkOperation {
    BulkOperation {
        id,
        name: name.to_owned(),
        kind: BulkKind::ResendDeliveries,
        state: BulkState::Running,
        since: now,
        until: now,
        account_id: None,
        endpoint_id: None,
        status: None,
        event_type: None,
        http_status: None,
        error: None,
        pace: None,
        read: None,
        error_code: None,
        minutes: None,
        after_job: None,
        skips: json!({}),
        operator: entry.operator.clone(),
        address: entry.address.clone(),
        request_id: entry.request_id.clone(),
        total: 0,
        done: 0,
        skipped: 0,
        stopped_by: None,
        created_at: now,
        ended_at: None,
    }
}

/// Counts what an operation takes. Returns the operation with it, its endpoints, and its filter as the audit log shows
/// it.
async fn counted(
    conn: &mut PgConnection,
    asked: &BulkAsked,
    until: DateTime<Utc>,
    blank: BulkOperation,
) -> Answer<(BulkOperation, Vec<UnsentOf>, Value)> {
    match asked.selection.clone() {
        BulkSelection::Unsent(UnsentSelection { account, endpoint, filter }) => {
            let filter = UnsentFilter { until: Some(until), ..filter };
            let found = deliveries::unsent_of(conn, account, endpoint, &filter).await?;
            let open: Vec<UnsentOf> = found.into_iter().filter(|one| one.enabled).collect();
            let shown = audit_value(&filter);
            let new = BulkOperation {
                since: filter.since,
                until,
                account_id: account,
                endpoint_id: endpoint,
                status: filter.status,
                event_type: filter.event_type,
                http_status: filter.http_status,
                error: filter.error,
                pace: asked.pace,
                total: open.iter().map(|one| one.count).sum(),
                ..blank
            };
            Ok((new, open, shown))
        }
        BulkSelection::Failed(filter) => {
            let filter = RerunFilter { until: Some(until), ..filter };
            let found: Vec<RerunOf> = jobs::reruns_of(conn, &filter).await?;
            let shown = json!({
                "since": Time(filter.since).to_string(), "until": Time(until).to_string(), "read": filter.read,
                "error_code": filter.error_code,
            });
            let new = BulkOperation {
                kind: BulkKind::RerunReads,
                since: filter.since,
                until,
                account_id: filter.account,
                read: filter.read,
                error_code: filter.error_code,
                minutes: Some(found.iter().map(|one| one.minutes).sum()),
                total: found.iter().map(|one| one.count).sum(),
                ..blank
            };
            Ok((new, Vec::new(), shown))
        }
    }
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
    let shown = |at: DateTime<Utc>| at.trunc_subsecs(3);
    if asked.selection.until().is_some_and(|until| shown(kept.until) != shown(until)) {
        return false;
    }
    match &asked.selection {
        BulkSelection::Unsent(UnsentSelection { account, endpoint, filter }) => {
            kept.kind == BulkKind::ResendDeliveries
                && kept.account_id == *account
                && kept.endpoint_id == *endpoint
                && shown(kept.since) == shown(filter.since)
                && kept.status == filter.status
                && kept.event_type == filter.event_type
                && kept.http_status == filter.http_status
                && kept.error == filter.error
                && kept.pace == asked.pace
        }
        BulkSelection::Failed(filter) => {
            kept.kind == BulkKind::RerunReads
                && kept.account_id == filter.account
                && shown(kept.since) == shown(filter.since)
                && kept.read == filter.read
                && kept.error_code == filter.error_code
        }
    }
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
