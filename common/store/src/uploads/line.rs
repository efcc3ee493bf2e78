//! The line of an account's uploads at a stage. The tickets of all accounts wait in one queue, and each is dated back
//! according to how many its account has in line already, so that accounts take turns and not files.

use super::Stage;
use domain::ids::{AccountId, UploadId};
use domain::job::PLACES;
use sqlx::PgConnection;

/// Returns how many of an account's uploads are in line at this stage: held by a worker, or with a ticket. At most
/// [`PLACES`] are counted: behind so many a ticket is not dated back. One that is held keeps the id of its ticket until
/// its attempt ends.
pub async fn in_line(conn: &mut PgConnection, account: AccountId, stage: Stage) -> sqlx::Result<i64> {
    Ok(all_in_line(conn, &[(account, stage)]).await?.into_iter().sum())
}

/// Returns the same for each of these lines, in their order.
pub async fn all_in_line(conn: &mut PgConnection, lines: &[(AccountId, Stage)]) -> sqlx::Result<Vec<i64>> {
    let accounts: Vec<AccountId> = lines.iter().map(|(account, _)| *account).collect();
    let to_fetch: Vec<bool> = lines.iter().map(|(_, stage)| *stage == Stage::Fetch).collect();
    sqlx::query_scalar!(
        r#"SELECT (
               SELECT count(*) FROM (
                   SELECT FROM uploads
                   WHERE account_id = line.account_id AND status = 'processing' AND finished_at IS NULL
                       AND ticket_id IS NOT NULL
                       AND (object_key IS NULL AND source_url IS NOT NULL) = line.to_fetch
                   LIMIT $3
               ) AS live
           ) AS "live!"
           FROM unnest($1::uuid[], $2::bool[]) WITH ORDINALITY AS line (account_id, to_fetch, nth)
           ORDER BY nth"#,
        &accounts as &[AccountId],
        &to_fetch,
        PLACES,
    )
    .fetch_all(conn)
    .await
}

/// Makes the account's upload due that has waited longest at this stage, of those that have no ticket and are due
/// within two seconds, and returns it. The caller gives it a ticket in the same transaction.
pub async fn make_due_next(
    conn: &mut PgConnection,
    account: AccountId,
    stage: Stage,
) -> sqlx::Result<Option<UploadId>> {
    sqlx::query_scalar!(
        r#"UPDATE uploads SET due_at = least(due_at, mws_now())
           WHERE id = (
               SELECT id FROM uploads
               WHERE account_id = $1 AND status = 'processing' AND finished_at IS NULL
                   AND lease_until IS NULL AND ticket_id IS NULL
                   AND due_at <= mws_now() + interval '2 seconds'
                   AND (object_key IS NULL AND source_url IS NOT NULL) = $2
               ORDER BY id LIMIT 1
               FOR UPDATE SKIP LOCKED
           ) AND status = 'processing' AND lease_until IS NULL AND ticket_id IS NULL
           RETURNING id AS "id: UploadId""#,
        account as AccountId,
        stage == Stage::Fetch,
    )
    .fetch_optional(conn)
    .await
}
