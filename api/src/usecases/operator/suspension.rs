//! Suspending and resuming accounts. The suspension, the stop of the account's webhooks and the rows of both logs are
//! one transaction. Its work under way ends after that, in several transactions: a call that was interrupted is
//! completed by repeating it.

use super::missing;
use crate::app::App;
use crate::auth::operator::OperatorCaller;
use crate::http::error::{Answer, ApiError, Code};
use domain::ids::AccountId;
use runtime::ending;
use runtime::wake::Wake;
use serde_json::{Value, json};
use sqlx::{Acquire, PgConnection};
use store::accounts::{self, AccountRow};
use store::suspension::{self, Suspension};
use store::{account_audit, audit, jobs, uploads};

/// The most jobs, or uploads, that one transaction ends.
const BATCH: i64 = 500;

/// Suspends an account for this reason, or changes the reason of a suspended one.
pub async fn suspend_account(app: &App, operator: &OperatorCaller, id: AccountId, reason: &str) -> Answer<AccountRow> {
    let mut conn = app.conn().await?;
    let mut suspend_account = conn.begin().await?;
    accounts::lock_patiently(&mut suspend_account, id).await?;
    let before = was(suspension::suspend(&mut suspend_account, id, reason).await?, id)?;
    suspension::silence(&mut suspend_account, id).await?;
    if before.as_deref() != Some(reason) {
        let (was, is) = (before.map(|before| json!({ "reason": before })), Some(json!({ "reason": reason })));
        log(&mut suspend_account, operator, "account.suspend", id, was, is).await?;
    }
    let account = find(&mut suspend_account, id).await?;
    suspend_account.commit().await?;
    app.process.wakes.send([Wake::Access(id)]);
    Ok(account)
}

/// Resumes an account. The scheduler admits its jobs that wait.
pub async fn resume_account(app: &App, operator: &OperatorCaller, id: AccountId) -> Answer<AccountRow> {
    let mut conn = app.conn().await?;
    let mut resume_account = conn.begin().await?;
    let before = was(suspension::resume(&mut resume_account, id).await?, id)?;
    if let Some(before) = before {
        suspension::unsilence(&mut resume_account, id).await?;
        let was = Some(json!({ "reason": before }));
        log(&mut resume_account, operator, "account.resume", id, was, None).await?;
    }
    let account = find(&mut resume_account, id).await?;
    resume_account.commit().await?;
    app.process.wakes.send([Wake::Duties]);
    Ok(account)
}

/// Cancels the jobs that the account pays for, up to `BATCH` in a transaction. Returns how many.
pub async fn end_jobs(app: &App, account: AccountId) -> Answer<u64> {
    let process = &app.process;
    let mut ended = 0;
    loop {
        let mut cancel = process.begin().await?;
        let stopped = jobs::cancel_for_payer(&mut cancel, account, BATCH).await?;
        let after_commit = ending::end_jobs(&mut cancel, &stopped, &[], &process.settings.event_kinds).await?;
        cancel.commit().await?;
        after_commit.run(&process.pool, &process.wakes).await;
        if stopped.is_empty() {
            return Ok(ended);
        }
        ended += stopped.len() as u64;
    }
}

/// Ends the account's uploads and imports, up to `BATCH` in a statement. Returns how many.
pub async fn end_uploads(app: &App, account: AccountId) -> Answer<u64> {
    let mut ended = 0;
    loop {
        let some = uploads::end_for_account(&mut *app.conn().await?, account, BATCH).await?;
        if some == 0 {
            return Ok(ended);
        }
        ended += some;
    }
}

/// Returns why the account was suspended before; none if it was not. Refuses an account that can't be changed.
fn was(became: Suspension, id: AccountId) -> Answer<Option<String>> {
    match became {
        Suspension::Done { before } => Ok(before),
        Suspension::Missing => Err(missing(Code::AccountNotFound, id)),
        Suspension::Erased => {
            Err(ApiError::new(Code::IllegalTransition, format!("{id} is erased, and stays as it is.")))
        }
    }
}

/// Writes into the operators' log and the account's own.
async fn log(
    conn: &mut PgConnection,
    operator: &OperatorCaller,
    action: &'static str,
    id: AccountId,
    was: Option<Value>,
    is: Option<Value>,
) -> Answer<()> {
    account_audit::record(conn, &operator.account_entry(id, action, id, is.clone())).await?;
    audit::record(conn, &operator.changed(action, id, was, is)).await?;
    Ok(())
}

async fn find(conn: &mut PgConnection, id: AccountId) -> Answer<AccountRow> {
    accounts::find(conn, id).await?.ok_or_else(|| missing(Code::AccountNotFound, id))
}
