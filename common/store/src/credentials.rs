//! Looks up the caller behind a credential and counts the request against the account's rate: one statement per
//! request.
//!
//! The statement also moves the account's rate row and, at most once a minute, the key's `last_used_at`. It refuses
//! nothing: it returns what it found. The generic cell rate algorithm (GCRA) keeps one instant per account, the time at
//! which all requests so far would have arrived at the steady rate (contract §8.1).

use chrono::{DateTime, Utc};
use domain::ids::{AccountId, KeyId, UserId, WorkspaceId};
use sqlx::PgConnection;

/// The rate that a statement applies, in microseconds.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    /// The time between two requests at the steady rate.
    pub interval_us: i64,
    /// How far ahead of now the instant may be for one more request to pass: `interval_us` × (burst − 1).
    pub ahead_us: i64,
}

impl Pace {
    /// A pace of `per_minute` requests at a steady rate, with `burst` at once. Either counts as at least one.
    pub fn new(per_minute: u32, burst: u32) -> Self {
        let interval_us = 60_000_000 / i64::from(per_minute.max(1));
        Self { interval_us, ahead_us: interval_us * (i64::from(burst.max(1)) - 1) }
    }

    /// Returns when things that come one after another at this rate are due, in milliseconds from now: 0 for those
    /// within the burst. `ahead_us` is how far the instant was ahead of now before them.
    pub fn waits_ms(self, ahead_us: i64) -> impl Iterator<Item = i64> {
        (0..).map(move |place: i64| {
            let due_us = ahead_us.saturating_add(place.saturating_mul(self.interval_us)) - self.ahead_us;
            (due_us / 1_000).max(0)
        })
    }
}

/// What was found by a credential's hash.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is a reason to refuse, and several may hold")]
pub struct FoundCredential {
    /// The account that pays.
    pub account_id: AccountId,
    /// The workspace that the credential is bound to.
    pub workspace_id: WorkspaceId,
    /// The account that owns that workspace.
    pub workspace_account_id: AccountId,
    /// The role there: owner, editor or viewer; none when the user is no longer a member.
    pub role: Option<String>,
    /// The key, or the key behind the session.
    pub key_id: Option<KeyId>,
    /// The user behind the session.
    pub user_id: Option<UserId>,
    /// Whether the key is revoked.
    pub revoked: bool,
    /// Whether the token has expired.
    pub expired: bool,
    /// Whether the user is disabled.
    pub disabled: bool,
    /// Why the account that pays, or the one whose workspace it is, is suspended; none when neither is.
    pub suspended: Option<String>,
    /// Whether the request is within the rate. It is not counted when the key is revoked or the token has expired.
    pub passed: bool,
    /// The account's theoretical arrival after this request.
    pub arrival: Option<DateTime<Utc>>,
    /// The database's time.
    pub now: DateTime<Utc>,
}

/// Counts `requests` more for an account whose last request was larger than usual. It refuses nothing: later requests
/// have to wait.
pub async fn charge(conn: &mut PgConnection, account: AccountId, requests: i64, pace: Pace) -> sqlx::Result<()> {
    sqlx::query!(
        "UPDATE rate_limits
         SET theoretical_arrival = greatest(theoretical_arrival, mws_now()) + $2::bigint * interval '1 microsecond'
         WHERE account_id = $1",
        account as AccountId,
        requests.saturating_mul(pace.interval_us)
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Returns the caller behind an API key; none when no key has this hash. Don't call it in a transaction with other
/// writes: where it notes that the key was used, the commit does not wait for the disk.
pub async fn key_caller(conn: &mut PgConnection, key_hash: &[u8], pace: Pace) -> sqlx::Result<Option<FoundCredential>> {
    sqlx::query_file_as!(FoundCredential, "src/key_caller.sql", key_hash, pace.interval_us, pace.ahead_us)
        .fetch_optional(conn)
        .await
}

/// Returns the caller behind a session token; none when no session has this hash.
pub async fn session_caller(
    conn: &mut PgConnection,
    token_hash: &[u8],
    pace: Pace,
) -> sqlx::Result<Option<FoundCredential>> {
    sqlx::query_file_as!(FoundCredential, "src/session_caller.sql", token_hash, pace.interval_us, pace.ahead_us)
        .fetch_optional(conn)
        .await
}

/// Returns the caller behind a session of the portal; none when no such session has this hash.
pub async fn portal_caller(
    conn: &mut PgConnection,
    session_hash: &[u8],
    pace: Pace,
) -> sqlx::Result<Option<FoundCredential>> {
    sqlx::query_file_as!(FoundCredential, "src/portal_caller.sql", session_hash, pace.interval_us, pace.ahead_us)
        .fetch_optional(conn)
        .await
}

/// Somebody whose access was checked once and who stays connected, such as the reader of an event stream.
#[derive(Debug, Clone, Copy)]
pub struct CallerIdentity {
    /// The account that pays.
    pub account_id: AccountId,
    /// The workspace that they read.
    pub workspace_id: WorkspaceId,
    /// The account that owns that workspace.
    pub workspace_account_id: AccountId,
    /// The key, or the key behind the session.
    pub key_id: Option<KeyId>,
    /// The user, or the user behind the session.
    pub user_id: Option<UserId>,
}

/// Returns whether they still have access: no account is suspended, the key is not revoked, the user is a member and
/// not disabled.
pub async fn still_has_access(conn: &mut PgConnection, who: &CallerIdentity) -> sqlx::Result<bool> {
    sqlx::query_scalar!(
        r#"SELECT NOT EXISTS (SELECT FROM accounts WHERE id IN ($1, $3) AND suspended_at IS NOT NULL)
               AND NOT EXISTS (SELECT FROM api_keys WHERE id = $4 AND revoked_at IS NOT NULL)
               AND ($5::uuid IS NULL OR EXISTS (
                   SELECT FROM members m JOIN users u ON u.id = m.user_id AND u.disabled_at IS NULL
                   WHERE m.user_id = $5 AND m.workspace_id = $2)) AS "still!""#,
        who.account_id as _,
        who.workspace_id as _,
        who.workspace_account_id as _,
        who.key_id as _,
        who.user_id as _
    )
    .fetch_one(conn)
    .await
}
