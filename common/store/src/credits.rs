//! Gives AI credits to accounts, and takes back those that are neither used nor held (contract §10).
//!
//! Credits are stored in the same rows as minutes: the account's, the journal's, and those of ended jobs that `minutes`
//! folds. They are held and settled there and in `jobs`, by the statements that hold and settle minutes.

use domain::credits::Credits;
use domain::ids::AccountId;
use sqlx::PgConnection;

/// How an account gets credits, as the journal calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CreditEntry {
    /// It bought them.
    Purchase,
    /// An operator granted them, or took some back.
    Adjust,
}

impl CreditEntry {
    const fn kind(self) -> &'static str {
        match self {
            Self::Purchase => "purchase",
            Self::Adjust => "adjust",
        }
    }
}

/// A change of an account's credits.
#[derive(Debug, Clone, Copy)]
pub struct CreditChange<'a> {
    /// The kind of its journal entry.
    pub entry: CreditEntry,
    /// How many; negative where some are taken back.
    pub amount: Credits,
    /// Why.
    pub note: &'a str,
    /// The operator's own name for it: one that was used before for the account does not count again.
    pub reference: Option<&'a str>,
}

/// Changes the account's credits, and journals it. Call it under the account's lock, after `minutes::fold`. Returns
/// false when the reference was used before, or when fewer than are taken back are left unused and not held.
pub async fn give(conn: &mut PgConnection, account: AccountId, change: CreditChange<'_>) -> sqlx::Result<bool> {
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

/// Returns the credits that the entry with this reference gave the account; none when there is no such entry.
pub async fn find_given(conn: &mut PgConnection, account: AccountId, reference: &str) -> sqlx::Result<Option<Credits>> {
    sqlx::query_scalar!(
        r#"SELECT credit_amount AS "credits: Credits" FROM minute_journal WHERE account_id = $1 AND reference = $2"#,
        account.uuid(),
        reference
    )
    .fetch_optional(conn)
    .await
}
