//! Quotas of an account beside the limits of a single request or file, and refusals that say what to delete.
//!
//! A quota is checked under the account's storage lock, which the caller's transaction holds until its commit, so that
//! of two calls of which only one fits, only one succeeds. What is kept is counted as it changes (`store::usage`).

use crate::auth::Caller;
use crate::http::error::{Answer, ApiError, Code};
use domain::ids::AccountId;
use runtime::config::Settings;
use sqlx::PgConnection;
use store::items;
use store::usage::{self, Usage};

/// Bytes that an account's comments and calendar entries may have.
const MOST_TEXT_BYTES: u64 = 256 << 20;

/// Whose quota a refusal is about: only callers of the account itself are told what it keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asker {
    /// A caller of the account.
    Own,
    /// A caller of another account, who acts in its workspace.
    Guest,
}

impl Asker {
    /// Which of them this caller is.
    pub fn of(caller: &Caller, account: AccountId) -> Self {
        if account == caller.account_id { Self::Own } else { Self::Guest }
    }
}

/// Locks the account's storage, and returns what it keeps, which holds until the transaction ends.
pub async fn lock(conn: &mut PgConnection, account: AccountId) -> Answer<Usage> {
    items::lock_storage(conn, account).await.map_err(ApiError::of_own_lock)?;
    Ok(usage::of(conn, account).await?)
}

/// Refuses an item that would exceed the account's number of items.
pub fn one_more_item(settings: &Settings, kept: Usage, asker: Asker) -> Answer<()> {
    let most = settings.max_items;
    if kept.items.unsigned_abs() < most {
        return Ok(());
    }
    let days = settings.retention_days;
    let message = match asker {
        Asker::Own => format!(
            "The account may have {most} items and has {}, with those deleted in the last {days} days.",
            kept.items
        ),
        Asker::Guest => "The workspace's account has as many items as it may.".to_owned(),
    };
    Err(ApiError::new(Code::QuotaReached, message).suggest("Delete items that are no longer needed, and wait."))
}

/// Refuses a change that took the account's projects past their quotas; `kept` includes it.
pub fn projects(settings: &Settings, kept: Usage, asker: Asker) -> Answer<()> {
    let (most, most_bytes) = (settings.max_projects, settings.project_quota_bytes);
    let message = if kept.projects.unsigned_abs() > most {
        format!("The account may have {most} projects, and has them.")
    } else if kept.project_bytes.unsigned_abs() > most_bytes {
        let these = "The account's projects, the log of their webhooks and what their agent did";
        format!("{these} may have {most_bytes} bytes; this does not fit. Delete projects that are no longer needed.")
    } else {
        return Ok(());
    };
    let message = match asker {
        Asker::Own => message,
        Asker::Guest => "The workspace's account keeps as much in projects as it may.".to_owned(),
    };
    Err(ApiError::new(Code::QuotaReached, message))
}

/// Refuses a change that took the account's comments and calendar entries past their bytes; its transaction is then
/// rolled back. Writers don't wait for one another: simultaneous calls may exceed it by what they bring.
pub async fn texts(conn: &mut PgConnection, account: AccountId, asker: Asker) -> Answer<()> {
    if usage::of(conn, account).await?.text_bytes.unsigned_abs() <= MOST_TEXT_BYTES {
        return Ok(());
    }
    let message = match asker {
        Asker::Own => {
            format!("The account's comments and calendar entries may have {MOST_TEXT_BYTES} bytes; this does not fit.")
        }
        Asker::Guest => "The workspace's account keeps as much in comments and calendar entries as it may.".to_owned(),
    };
    Err(ApiError::new(Code::QuotaReached, message)
        .suggest("Delete comments and calendar entries that are no longer needed."))
}
