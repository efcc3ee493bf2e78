//! What an operator gives an account: bought minutes, minutes for the open month, and its allowance.

use domain::ids::AccountId;
use domain::minutes::Minutes;
use sqlx::PgConnection;

/// Adds bought minutes to an account and journals the purchase. Call it under the account's lock. Returns false, and
/// adds nothing, when the account's journal already has this `reference`.
pub async fn purchase(
    conn: &mut PgConnection,
    account: AccountId,
    amount: Minutes,
    note: &str,
    reference: Option<&str>,
) -> sqlx::Result<bool> {
    let done = sqlx::query!(
        "WITH entry AS (
             INSERT INTO minute_journal (account_id, month, kind, bought_amount, note, reference)
             SELECT id, date_trunc('month', mws_now() AT TIME ZONE 'UTC')::date, 'purchase', $2, $3, $4
             FROM accounts WHERE id = $1
             ON CONFLICT (account_id, reference) WHERE reference IS NOT NULL DO NOTHING
             RETURNING account_id
         )
         UPDATE accounts SET bought = bought + $2 FROM entry WHERE id = entry.account_id",
        account.uuid(),
        amount.hundredths(),
        note,
        reference
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Adds minutes to the account's open month alone, and journals them. Call it under the account's lock, after `fold`.
/// Returns false, and adds nothing, when the account's journal already has this `reference`.
pub async fn grant(
    conn: &mut PgConnection,
    account: AccountId,
    amount: Minutes,
    note: &str,
    reference: Option<&str>,
) -> sqlx::Result<bool> {
    let done = sqlx::query!(
        "WITH entry AS (
             INSERT INTO minute_journal (account_id, month, kind, month_amount, note, reference)
             SELECT account_id, month, 'adjust', $2, $3, $4 FROM minute_buckets
             WHERE account_id = $1 AND month = date_trunc('month', mws_now() AT TIME ZONE 'UTC')::date
             ON CONFLICT (account_id, reference) WHERE reference IS NOT NULL DO NOTHING
             RETURNING account_id, month
         )
         UPDATE minute_buckets b SET allowance = allowance + $2 FROM entry
         WHERE b.account_id = entry.account_id AND b.month = entry.month",
        account.uuid(),
        amount.hundredths(),
        note,
        reference
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Returns the minutes that the journal entry with this reference gave the account; none when there is no such entry.
pub async fn find_given(conn: &mut PgConnection, account: AccountId, reference: &str) -> sqlx::Result<Option<Minutes>> {
    sqlx::query_scalar!(
        r#"SELECT month_amount + bought_amount AS "given!: Minutes" FROM minute_journal
           WHERE account_id = $1 AND reference = $2"#,
        account.uuid(),
        reference
    )
    .fetch_optional(conn)
    .await
}

/// Sets the allowance of the account from now on, and that of its open bucket, and journals the difference. Call it
/// under the account's lock, after `fold`. If it is less than what is used and held, nothing is left, but nothing is
/// taken back.
pub async fn allow(conn: &mut PgConnection, account: AccountId, allowance: Minutes, note: &str) -> sqlx::Result<()> {
    sqlx::query!(
        "WITH own AS (UPDATE accounts SET monthly_allowance = $2 WHERE id = $1),
         before AS (
             SELECT account_id, month, allowance FROM minute_buckets
             WHERE account_id = $1 AND month = date_trunc('month', mws_now() AT TIME ZONE 'UTC')::date
         ), changed AS (
             UPDATE minute_buckets b SET allowance = $2 FROM before
             WHERE b.account_id = before.account_id AND b.month = before.month AND b.allowance <> $2
             RETURNING b.account_id, b.month, $2 - before.allowance AS difference
         )
         INSERT INTO minute_journal (account_id, month, kind, month_amount, note)
         SELECT account_id, month, 'adjust', difference, $3 FROM changed",
        account.uuid(),
        allowance.hundredths(),
        note
    )
    .execute(conn)
    .await?;
    Ok(())
}
