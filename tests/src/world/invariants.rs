//! What must hold of the whole database, whatever was done to the service (ARCHITECTURE.md, "What the service
//! promises").
//!
//! Each rule is a query in `invariants.sql` that finds its violations. They hold at every moment between transactions,
//! so they may be asked while everything runs.

use anyhow::{Context, ensure};
use domain::job::JobKind;
use sqlx::PgPool;
use store::{ledger, minutes};

/// Fails with every violation there is, in a deployment that sends events of these kinds.
pub async fn hold(pool: &PgPool, event_kinds: &[JobKind]) -> anyhow::Result<()> {
    let mut conn = pool.acquire().await?;
    let drift = [minutes::drift(&mut conn, None).await?, ledger::drift(&mut conn).await?].concat();
    ensure!(drift.is_empty(), "balances that the journal does not explain: {drift:?}");
    let violations: Vec<(String, String)> = sqlx::query_as(include_str!("invariants.sql"))
        .bind(event_kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>())
        .fetch_all(&mut *conn)
        .await
        .context("the invariants could not be asked")?;
    let told: Vec<String> = violations.iter().map(|(rule, what)| format!("{rule}: {what}")).collect();
    ensure!(told.is_empty(), "{} violations, such as\n{}", told.len(), told[..told.len().min(20)].join("\n"));
    Ok(())
}
