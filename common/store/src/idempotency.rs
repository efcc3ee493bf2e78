//! Answers stored under an `Idempotency-Key` (contract §4.1, §4.7).
//!
//! The row is the dispatch transaction's first insert. A second call with the key waits on the primary key until the
//! first has committed its answer or rolled back, so a half-done row is never seen.

use super::paces::Paced;
use domain::ids::{AccountId, RequestId};
use sqlx::PgConnection;

/// A key, and the request that it stands for.
#[derive(Debug, Clone)]
pub struct Key {
    /// The account that pays.
    pub account: AccountId,
    /// The tool.
    pub tool: &'static str,
    /// The client's key.
    pub key: String,
    /// A code over the canonical request and the workspace. Only the service can compute it, so that nobody can guess a
    /// request's secrets from it.
    pub fingerprint: Vec<u8>,
    /// Other codes that mean the same request: those under the service's earlier secrets, and those that earlier
    /// releases stored.
    pub earlier: Vec<Vec<u8>>,
}

impl Key {
    /// Whether this fingerprint is of the same request.
    pub fn is_of(&self, fingerprint: &[u8]) -> bool {
        self.fingerprint == fingerprint || self.earlier.iter().any(|earlier| earlier == fingerprint)
    }
}

/// How long a key is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyLife {
    /// As long as the jobs that its call starts.
    OfItsJobs,
    /// A day: its call makes something other than jobs.
    ADay,
}

/// The answer stored under a key.
#[derive(Debug, Clone)]
pub struct Stored {
    /// The fingerprint of the request that it answers.
    pub fingerprint: Vec<u8>,
    /// Its exact bytes.
    pub answer: String,
    /// The call that was answered.
    pub call: RequestId,
}

/// Returns the answer stored under this key; none when there is none.
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

/// Reserves the key for this call, and waits for another call that has just reserved it. Returns false when that one
/// committed an answer.
pub async fn reserve(conn: &mut PgConnection, key: &Key, call: RequestId, life: KeyLife) -> sqlx::Result<bool> {
    let done = sqlx::query!(
        "INSERT INTO idempotency_keys (account_id, tool, key, fingerprint, call_id, ends_at)
         VALUES ($1, $2, $3, $4, $5, CASE WHEN $6::boolean THEN mws_now() + interval '1 day' END)
         ON CONFLICT (account_id, tool, key) DO NOTHING",
        key.account.uuid(),
        key.tool,
        key.key,
        key.fingerprint,
        call.uuid(),
        life == KeyLife::ADay
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Deletes up to `limit` keys that have expired. Returns how many.
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
/// [`Paced::KeptAnswers`]: `byte_us` microseconds per byte.
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
        Paced::KeptAnswers.name(),
        byte_us
    )
    .execute(conn)
    .await?;
    Ok(())
}
