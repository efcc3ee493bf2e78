//! Opening and renaming accounts, and forgiving what their work took unpaid. An account is opened with its workspace,
//! its allowance and its key, or not at all.

use super::missing;
use crate::app::App;
use crate::auth::operator::OperatorCaller;
use crate::http::error::{Answer, ApiError, Code};
use crate::http::rate;
use domain::credential::ApiKey;
use domain::ids::{AccountId, WorkspaceId};
use domain::minutes::Minutes;
use runtime::config::Settings;
use runtime::wake::Wake;
use serde_json::json;
use sqlx::{Acquire, PgConnection};
use store::accounts::{self, AccountRow};
use store::keys::{self, MadeBy, NewKey};
use store::paces::{self, A_DAY_US, Paced, UNPAID_JOB_US};
use store::{account_audit, audit, minutes};

/// An account to open.
pub struct NewAccount<'a> {
    /// Its name.
    pub name: &'a str,
    /// The name of its default workspace.
    pub workspace_name: &'a str,
    /// Its own monthly minutes; none for those of the deployment.
    pub allowance: Option<Minutes>,
    /// A key to its workspace, if it gets one at once.
    pub key: Option<&'a ApiKey>,
}

/// An account that was just opened.
#[derive(Debug)]
pub struct OpenedAccount {
    /// The account.
    pub account: AccountRow,
    /// Its default workspace.
    pub workspace_id: WorkspaceId,
}

/// Opens an account: it, its workspace, its allowance and a key, or none of them.
pub async fn open_account(app: &App, operator: &OperatorCaller, new: &NewAccount<'_>) -> Answer<OpenedAccount> {
    let NewAccount { name, workspace_name, allowance, key } = *new;
    let mut conn = app.conn().await?;
    let mut open_account = conn.begin().await?;
    let id = accounts::create(&mut open_account, name).await?;
    let workspace_id = accounts::create_workspace(&mut open_account, id, workspace_name).await?;
    if let Some(allowance) = allowance {
        minutes::allow(&mut open_account, id, allowance, "when the account was opened").await?;
    }
    if let Some(key) = key {
        let name = Some("made by the operator");
        let new = NewKey { account_id: id, workspace_id, name, key, made_by: MadeBy::default() };
        let made = keys::insert(&mut open_account, &new).await?;
        let told = operator.account_entry(id, "key.create", made.id, Some(json!({ "prefix": made.prefix })));
        account_audit::record(&mut open_account, &told).await?;
    }
    let after = json!({
        "name": name, "workspace_id": workspace_id, "monthly_allowance_minutes": allowance, "key": key.is_some(),
    });
    audit::record(&mut open_account, &operator.changed("account.create", id, None, Some(after))).await?;
    let row = accounts::find(&mut open_account, id).await?;
    open_account.commit().await?;
    let account = row.ok_or_else(|| ApiError::internal("an account that was just opened is not there"))?;
    Ok(OpenedAccount { account, workspace_id })
}

/// Gives an account another name.
pub async fn rename_account(app: &App, operator: &OperatorCaller, id: AccountId, name: &str) -> Answer<AccountRow> {
    let mut conn = app.conn().await?;
    let mut rename_account = conn.begin().await?;
    let before = accounts::rename(&mut rename_account, id, name).await?;
    let before = before.ok_or_else(|| missing(Code::AccountNotFound, id))?;
    let names = (Some(json!({ "name": before })), Some(json!({ "name": name })));
    audit::record(&mut rename_account, &operator.changed("account.update", id, names.0, names.1)).await?;
    let row = accounts::find(&mut rename_account, id).await?;
    rename_account.commit().await?;
    row.ok_or_else(|| missing(Code::AccountNotFound, id))
}

/// Forgets the processor time that the account's work took unpaid, and the jobs that count against it since they were
/// stopped or failed. Work that was put off for the time is due now.
pub async fn forgive_unpaid(app: &App, operator: &OperatorCaller, id: AccountId) -> Answer<()> {
    let settings = &app.process.settings;
    let mut conn = app.conn().await?;
    let mut forgive = conn.begin().await?;
    lock(&mut forgive, id).await?;
    let ahead_us = paces::forgive(&mut forgive, id, Paced::UnpaidProcessorTime).await?;
    // Also where nothing counts any more: a worker may have put work off just as the account was forgiven before.
    paces::make_due(&mut forgive, id).await?;
    let jobs = paces::forgive(&mut forgive, id, Paced::UnpaidJobsADay).await? / UNPAID_JOB_US;
    let was = json!({ "seconds": seconds(settings, ahead_us), "jobs": jobs });
    let is = json!({ "seconds": 0, "jobs": 0 });
    audit::record(&mut forgive, &operator.changed("account.forgive", id, Some(was), Some(is))).await?;
    forgive.commit().await?;
    app.process.wakes.send([Wake::Duties]);
    Ok(())
}

/// Processor time that an account's work took and nobody paid for.
#[derive(Debug, Clone, Copy)]
pub struct UnpaidTime {
    /// Seconds that count against the account now.
    pub seconds: u64,
    /// For how many seconds its work must wait because of them.
    pub wait_seconds: u64,
}

/// Returns the processor time that counts against an account now.
pub async fn unpaid_time(settings: &Settings, conn: &mut PgConnection, id: AccountId) -> Answer<UnpaidTime> {
    let what = Paced::UnpaidProcessorTime;
    let ahead_us = paces::ahead(conn, id, what).await?;
    let wait = paces::longest_wait(conn, id, &rate::most(settings, &[what])).await?;
    Ok(UnpaidTime { seconds: seconds(settings, ahead_us), wait_seconds: wait.map_or(0, |wait| wait.seconds) })
}

/// The processor seconds that moved an account's instant this far ahead.
fn seconds(settings: &Settings, ahead_us: i64) -> u64 {
    let share = i128::from(settings.unpaid_processor_seconds.max(1));
    u64::try_from(i128::from(ahead_us) * share / i128::from(A_DAY_US)).unwrap_or(0)
}

/// Refuses an account that is suspended, as one that is erased is too, and an id that none has: nothing is made that
/// would let nobody in.
pub(super) async fn require_active(conn: &mut PgConnection, id: AccountId) -> Answer<()> {
    let found = accounts::find(conn, id).await?.ok_or_else(|| missing(Code::AccountNotFound, id))?;
    if found.suspended_at.is_none() {
        return Ok(());
    }
    let refusal = ApiError::new(Code::AccountSuspended, format!("The account {id} is suspended, and lets nobody in."));
    Err(refusal.suggest("POST /operator/accounts/{id}/resume lets everything of it go on."))
}

/// Locks an account until the transaction ends; refuses an id that none has.
pub(super) async fn lock(conn: &mut PgConnection, id: AccountId) -> Answer<()> {
    if accounts::lock(conn, id).await? { Ok(()) } else { Err(missing(Code::AccountNotFound, id)) }
}
