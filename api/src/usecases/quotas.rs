//! What an account may keep: the quotas beside that of a single request or file, and the refusals that say what to
//! delete.
//!
//! A quota is looked at under the account's storage lock, which the caller's transaction holds until its commit, so
//! that of two calls which fit one by one only one gets in. What is kept is counted as it changes (`store::usage`).

use crate::auth::Caller;
use crate::http::error::{Answer, ApiError, Code};
use domain::ids::AccountId;
use runtime::config::Settings;
use sqlx::PgConnection;
use store::items;
use store::usage::{self, Usage};

/// Bytes that an account's comments and calendar entries may have.
const MOST_TEXT_BYTES: u64 = 256 << 20;

/// Whose quota a refusal is about: only the account's own callers are told what it keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asker {
    /// Somebody of the account.
    Own,
    /// Somebody who acts in its workspace for another account.
    Guest,
}

impl Asker {
    /// Whether this caller is of the account.
    pub fn of(caller: &Caller, account: AccountId) -> Self {
        if account == caller.account_id { Self::Own } else { Self::Guest }
    }
}

/// What the account keeps, true until the transaction ends.
pub async fn locked(conn: &mut PgConnection, account: AccountId) -> Answer<Usage> {
    items::lock_storage(conn, account).await?;
    Ok(usage::of(conn, account).await?)
}

/// Refuses one more item past the number that an account may have.
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

/// Refuses what took the account's projects past their quotas: `kept` is with it.
pub fn projects(settings: &Settings, kept: Usage, asker: Asker) -> Answer<()> {
    let (most, most_bytes) = (settings.max_projects, settings.project_quota_bytes);
    let message = if kept.projects.unsigned_abs() > most {
        format!("The account may have {most} projects, and has them.")
    } else if kept.project_bytes.unsigned_abs() > most_bytes {
        format!("The account's projects and the log of their webhooks may have {most_bytes} bytes; this does not fit.")
    } else {
        return Ok(());
    };
    let message = match asker {
        Asker::Own => message,
        Asker::Guest => "The workspace's account keeps as much in projects as it may.".to_owned(),
    };
    Err(ApiError::new(Code::QuotaReached, message))
}

/// Refuses what took the account's comments and calendar entries past their bytes; its transaction is rolled back with
/// it. Writers don't wait for each other: calls at once may pass the bound by what they bring.
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
