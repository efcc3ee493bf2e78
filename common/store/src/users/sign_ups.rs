//! The sign-up of somebody whom nobody has added, and how many there may be within a day.
//!
//! Each network has a part of the day's (the generic cell rate algorithm): its row in `rate_limits` is under an id of
//! its own, which the api makes. Simultaneous sign-ups may go beyond either bound by as many as there are at once.

use super::Identity;
use crate::credentials::Pace;
use domain::ids::{AccountId, UserId, WorkspaceId};
use sqlx::PgConnection;
use uuid::Uuid;

/// How many people may sign up within a day.
#[derive(Debug, Clone, Copy)]
pub struct SignUpBounds {
    /// How many users may be added within a day, those that operators add counted in.
    pub a_day: u32,
    /// The id that sign-ups from this network are counted under.
    pub network: Uuid,
    /// Their pace.
    pub pace: Pace,
}

/// Why somebody can't sign up now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignUpWait {
    /// As many users were added within a day as may be.
    Day,
    /// As many have signed up from the network as may; the next can in so many seconds, at least 1.
    Network(u64),
}

/// Returns why an identity that nobody has must wait to sign up; none when it need not, or is known.
pub async fn sign_up_wait(
    conn: &mut PgConnection,
    identity: Identity<'_>,
    bounds: SignUpBounds,
) -> sqlx::Result<Option<SignUpWait>> {
    let row = sqlx::query!(
        r#"SELECT
               (SELECT count(*) FROM (
                   SELECT FROM users WHERE id > (
                       lpad(to_hex((extract(epoch FROM mws_now() - interval '1 day') * 1000)::bigint), 12, '0') || repeat('0', 20)
                   )::uuid LIMIT $1
               ) AS lately) >= $1 AS "is_day_full!",
               (SELECT ceil(extract(epoch FROM theoretical_arrival - mws_now()) - $5::bigint / 1000000.0)::bigint
                FROM rate_limits
                WHERE account_id = $4 AND theoretical_arrival > mws_now() + $5::bigint * interval '1 microsecond'
               ) AS network_seconds
           WHERE NOT EXISTS (SELECT FROM users WHERE oauth_issuer = $2 AND oauth_subject = $3)"#,
        i64::from(bounds.a_day),
        identity.issuer,
        identity.subject,
        bounds.network,
        bounds.pace.ahead_us,
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.and_then(|row| match row.network_seconds {
        Some(seconds) => Some(SignUpWait::Network(seconds.unsigned_abs().max(1))),
        None => row.is_day_full.then_some(SignUpWait::Day),
    }))
}

/// Signs up a stranger: creates an account and a workspace that they own, and counts them against their network.
/// Returns false when they are known already.
pub async fn sign_up(
    conn: &mut PgConnection,
    identity: Identity<'_>,
    name: &str,
    bounds: SignUpBounds,
) -> sqlx::Result<bool> {
    let done = sqlx::query_file!(
        "src/signup.sql",
        identity.issuer,
        identity.subject,
        name,
        AccountId::mint() as _,
        UserId::mint() as _,
        WorkspaceId::mint() as _,
        bounds.network,
        bounds.pace.interval_us,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() > 0)
}
