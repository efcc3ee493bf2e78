//! Giving AI credits to accounts, and taking back what nothing holds (contract §10).
//!
//! Credits stand in the same rows as minutes: the account's, the journal's, and those of ended jobs that `minutes`
//! folds. Holding and settling them is done there and in `jobs`, by the statements that hold and settle minutes.

use domain::credits::Credits;
use domain::ids::AccountId;
use sqlx::PgConnection;

/// How an account comes by credits, as the journal calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entry {
    /// It bought them.
    Purchase,
    /// It was granted them, or some are taken back.
    Adjust,
}

impl Entry {
    const fn kind(self) -> &'static str {
        match self {
            Self::Purchase => "purchase",
            Self::Adjust => "adjust",
        }
    }
}

/// What changes an account's credits.
#[derive(Debug, Clone, Copy)]
pub struct Change<'a> {
    /// Which entry says so.
    pub entry: Entry,
    /// How many; below zero where some are taken back.
    pub amount: Credits,
    /// Why.
    pub note: &'a str,
    /// The operator's own name for it: the same one counts once an account.
    pub reference: Option<&'a str>,
}

/// Changes what the account was given, and journals it. Call under the account's lock, after `minutes::fold`. False
/// where the reference has counted before, or where more would be taken back than is left unheld.
pub async fn give(conn: &mut PgConnection, account: AccountId, change: Change<'_>) -> sqlx::Result<bool> {
    let done = sqlx::query!(
        "WITH entry AS (
             INSERT INTO minute_journal (account_id, month, kind, credit_amount, note, reference)
             SELECT id, date_trunc('month', mws_now() AT TIME ZONE 'UTC')::date, $2, $3, $4, $5
             FROM accounts WHERE id = $1 AND credits_used + credits_held <= credits_given + $3
             ON CONFLICT (account_id, reference) WHERE reference IS NOT NULL DO NOTHING
             RETURNING account_id
         )
         UPDATE accounts SET credits_given = credits_given + $3 FROM entry WHERE id = entry.account_id",
        account.uuid(),
        change.entry.kind(),
        change.amount.hundredths(),
        change.note,
        change.reference
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// How many credits the account's journal says that a reference gave; none when it never counted.
pub async fn given(conn: &mut PgConnection, account: AccountId, reference: &str) -> sqlx::Result<Option<Credits>> {
    sqlx::query_scalar!(
        r#"SELECT credit_amount AS "credits: Credits" FROM minute_journal WHERE account_id = $1 AND reference = $2"#,
        account.uuid(),
        reference
    )
    .fetch_optional(conn)
    .await
}
