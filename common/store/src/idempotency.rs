//! Answers stored under an `Idempotency-Key` (contract §4.1, §4.7).
//!
//! The row is the dispatch transaction's first insert. A second call with the key waits on the primary key until the
//! first has committed its answer or rolled back, so a half-done row is never seen.

use super::paces::What;
use domain::ids::{AccountId, RequestId};
use sqlx::PgConnection;

/// What a key belongs to.
#[derive(Debug, Clone)]
pub struct Key {
    /// Who pays.
    pub account: AccountId,
    /// The tool.
    pub tool: &'static str,
    /// The client's key.
    pub key: String,
    /// A code over the canonical request and the workspace, which the service alone can make: what is secret of a
    /// request can't be found from it.
    pub fingerprint: Vec<u8>,
    /// What else may stand for the same request: its code under secrets that the service had, and what releases
    /// before this one kept.
    pub earlier: Vec<Vec<u8>>,
}

impl Key {
    /// Whether this fingerprint is of the same request.
    pub fn is_of(&self, fingerprint: &[u8]) -> bool {
        self.fingerprint == fingerprint || self.earlier.iter().any(|earlier| earlier == fingerprint)
    }
}

/// The answer stored under a key.
#[derive(Debug, Clone)]
pub struct Stored {
    /// Of the request it was given to.
    pub fingerprint: Vec<u8>,
    /// Its exact bytes.
    pub answer: String,
    /// The call that it was given to.
    pub call: RequestId,
}

/// The answer stored under this key, if there is one.
pub async fn find(conn: &mut PgConnection, key: &Key) -> sqlx::Result<Option<Stored>> {
    sqlx::query_as!(
        Stored,
        r#"SELECT fingerprint, answer AS "answer!", call_id AS "call: RequestId" FROM idempotency_keys
           WHERE account_id = $1 AND tool = $2 AND key = $3 AND answer IS NOT NULL"#,
        key.account.uuid(),
        key.tool,
        key.key
    )
    .fetch_optional(conn)
    .await
}

/// Reserves the key for this call, waiting for another that has just done so. False when that one committed an answer.
pub async fn reserve(conn: &mut PgConnection, key: &Key, call: RequestId) -> sqlx::Result<bool> {
    let done = sqlx::query!(
        "INSERT INTO idempotency_keys (account_id, tool, key, fingerprint, call_id) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (account_id, tool, key) DO NOTHING",
        key.account.uuid(),
        key.tool,
        key.key,
        key.fingerprint,
        call.uuid()
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// The same for a call that makes something other than jobs: its key lives for a day.
pub async fn reserve_for_a_day(conn: &mut PgConnection, key: &Key, call: RequestId) -> sqlx::Result<bool> {
    let done = sqlx::query!(
        "INSERT INTO idempotency_keys (account_id, tool, key, fingerprint, call_id, ends_at)
         VALUES ($1, $2, $3, $4, $5, mws_now() + interval '1 day')
         ON CONFLICT (account_id, tool, key) DO NOTHING",
        key.account.uuid(),
        key.tool,
        key.key,
        key.fingerprint,
        call.uuid()
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Deletes up to `limit` keys whose day is over. Returns how many.
pub async fn prune(conn: &mut PgConnection, limit: i64) -> sqlx::Result<u64> {
    let done = sqlx::query!(
        "DELETE FROM idempotency_keys WHERE ctid = ANY (ARRAY(
             SELECT ctid FROM idempotency_keys WHERE ends_at < mws_now()
             ORDER BY ends_at LIMIT $1 FOR UPDATE SKIP LOCKED))",
        limit
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}

/// Stores the answer under the key reserved in the same transaction, and counts its bytes at the account's pace for
/// [`What::KeptAnswers`]: so many microseconds a byte.
pub async fn answer(conn: &mut PgConnection, key: &Key, answer: &str, byte_us: f64) -> sqlx::Result<()> {
    sqlx::query!(
        "WITH kept AS (
             UPDATE idempotency_keys SET answer = $4
             WHERE account_id = $1 AND tool = $2 AND key = $3 AND answer IS NULL
             RETURNING account_id, octet_length($4) * $6::float8 * interval '1 microsecond' AS by
         )
         INSERT INTO account_paces AS pace (account_id, what, theoretical_arrival)
         SELECT account_id, $5, mws_now() + by FROM kept
         ON CONFLICT (account_id, what) DO UPDATE
         SET theoretical_arrival = greatest(pace.theoretical_arrival, mws_now())
             + (excluded.theoretical_arrival - mws_now())",
        key.account.uuid(),
        key.tool,
        key.key,
        answer,
        What::KeptAnswers.name(),
        byte_us
    )
    .execute(conn)
    .await?;
    Ok(())
}
