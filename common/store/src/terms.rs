//! What a call that may start jobs has to know beside what it is about: what the fleet can run, whether its account has
//! to wait, and what is stored under its key. It is one statement for all of them, since every such call asks them.

use crate::idempotency::{Key, Stored};
use crate::paces::{PaceWait, Paced};
use crate::reads::{Kinds, known};
use domain::ids::{AccountId, RequestId};
use sqlx::PgConnection;

/// The terms of a call, as they were when it asked.
#[derive(Debug, Clone)]
pub struct Terms {
    /// The reads that the fleet can run, and those that are paused.
    pub kinds: Kinds,
    /// The longest wait of the account; none when it has to wait for nothing.
    pub wait: Option<PaceWait>,
    /// The answer stored under the call's key; none when there is none, or no key.
    pub stored: Option<Stored>,
}

/// Returns the terms of a call that `payer` pays for. `most` has the paces that it is held to, each with the
/// microseconds that the account may be ahead of now in it.
pub async fn terms(
    conn: &mut PgConnection,
    payer: AccountId,
    most: &[(Paced, i64)],
    key: Option<&Key>,
) -> sqlx::Result<Terms> {
    let row = sqlx::query_file!(
        "src/terms.sql",
        payer as AccountId,
        &most.iter().map(|(what, _)| what.name()).collect::<Vec<_>>() as &[&str],
        &most.iter().map(|(_, ahead_us)| *ahead_us).collect::<Vec<_>>(),
        &known() as &[&str],
        key.map(|key| key.tool),
        key.map(|key| key.key.as_str())
    )
    .fetch_one(conn)
    .await?;
    let wait = row.wait_for.zip(row.wait_seconds).and_then(|(what, seconds)| PaceWait::of(&what, seconds));
    let stored = row.fingerprint.zip(row.answer).zip(row.call);
    let stored = stored.map(|((fingerprint, answer), call)| Stored { fingerprint, answer, call });
    Ok(Terms { kinds: Kinds::of(&row.configured, &row.paused), wait, stored })
}
