//! Balances that their journal does not explain.

use domain::ids::AccountId;
use domain::minutes::Minutes;
use sqlx::PgConnection;

/// A balance that its journal does not explain.
#[derive(Debug, Clone)]
pub struct Drift {
    /// The account.
    pub account: AccountId,
    /// Which amount: `allowance`, `used`, `held`, `bought` or `bought_held` of minutes, `credits_given`, `credits_used`
    /// or `credits_held`, which are credits and shown as minutes are.
    pub what: String,
    /// The amount in the balance.
    pub balance: Minutes,
    /// The amount that the journal adds up to.
    pub journal: Minutes,
}

/// Returns every balance of these accounts, or of all, that its whole journal does not explain; an empty list when the
/// books are right.
pub async fn drift(conn: &mut PgConnection, accounts: Option<&[AccountId]>) -> sqlx::Result<Vec<Drift>> {
    let rows = sqlx::query_file!("src/minutes_drift.sql", accounts as _).fetch_all(conn).await?;
    Ok(rows
        .into_iter()
        .map(|row| Drift {
            account: row.account_id,
            what: row.what,
            balance: Minutes::from_hundredths(row.balance),
            journal: Minutes::from_hundredths(row.journal),
        })
        .collect())
}
