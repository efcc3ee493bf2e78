//! Checks of the keys of sealed secrets, the journal, the other invariants of the rows, and the operators' log.

use crate::doctor::finding::Finding;
use domain::verdict::{Invariant, Outcome};
use runtime::config::Settings;
use runtime::seal::Sealer;
use sqlx::{Connection, PgConnection};
use store::{audit, invariants, ledger, webhook_secrets};

/// Seconds since the last check of the ledger above which it is late: schedulers check it each minute.
const CHECK_LATE_SECONDS: f64 = 900.0;

/// Checks which keys the accounts' signing secrets are sealed under.
pub(super) async fn seals(conn: &mut PgConnection, settings: &Settings) -> sqlx::Result<Finding> {
    let known = Sealer::of(settings).ok().flatten().map(|sealer| sealer.headers()).unwrap_or_default();
    let (mut current, mut old, mut unknown) = (0, 0, 0);
    for seals in webhook_secrets::by_key(conn).await? {
        match known.iter().position(|header| *header == seals.header) {
            Some(0) => current += seals.count,
            Some(_) => old += seals.count,
            None => unknown += seals.count,
        }
    }
    Ok(if unknown > 0 {
        let value = format!("{unknown} signing secrets are sealed under a key that is not configured here");
        Finding::problem(
            "seals",
            value,
            "add that key to MWS_SECRET_KEY_OLD; docs/operations.md says how keys are changed",
        )
    } else if old > 0 {
        let value = format!(
            "{old} signing secrets are still sealed under keys of MWS_SECRET_KEY_OLD, {current} under the current one"
        );
        Finding::warning("seals", value, "keep the old keys: a scheduler seals anew within a minute or two")
    } else {
        Finding::fine("seals", format!("{current} signing secrets, all under the current key; old keys can go"))
    })
}

pub(super) async fn journal(conn: &mut PgConnection) -> sqlx::Result<Finding> {
    let (drift, last) = (ledger::drift(conn).await?, ledger::last_check(conn).await?);
    let checked = last.age_seconds.map_or("never".to_owned(), |age| format!("{age:.0} s ago"));
    Ok(match drift.first() {
        None if last.age_seconds.is_some_and(|age| age > CHECK_LATE_SECONDS) => {
            let value = format!("every balance is what its journal adds up to; the scheduler last checked {checked}");
            Finding::warning("journal", value, "see in the schedulers' log why `check_ledger` fails")
        }
        None => {
            let value = format!("every balance is what its journal adds up to; last checked by a scheduler {checked}");
            Finding::fine("journal", value)
        }
        Some(first) => {
            let value = format!(
                "{} balances differ; {} of {}: balance {}, journal {}",
                drift.len(),
                first.what,
                first.account,
                first.balance,
                first.journal
            );
            Finding::problem("journal", value, "grant nothing, keep a backup, and find the cause; never edit a balance")
        }
    })
}

/// Checks each invariant but that of the balances, which `journal` does, as the schedulers check them.
pub(super) async fn rows_hold(conn: &mut PgConnection) -> sqlx::Result<Finding> {
    if store::pending_migrations(conn).await? > 0 {
        let value = "not checked: the schema is older than this build";
        return Ok(Finding::warning("invariants", value, "see `schema`"));
    }
    let (mut broken, mut slow) = (Vec::new(), Vec::new());
    for invariant in Invariant::ALL.into_iter().filter(|one| *one != Invariant::Balances) {
        let mut tx = conn.begin().await?;
        invariants::bound(&mut tx).await?;
        let found = invariants::broken(&mut tx, invariant).await;
        tx.rollback().await?;
        match found {
            Ok(rows) if rows.is_empty() => {}
            Ok(rows) => {
                let few: Vec<&str> = rows.iter().take(3).map(String::as_str).collect();
                let many = if rows.len() == 1 { "one row".to_owned() } else { format!("{} rows", rows.len()) };
                broken.push(format!("`{}` of {many}, such as {}", invariant.name(), few.join(", ")));
            }
            Err(error) if invariants::took_too_long(&error) => slow.push(invariant.name()),
            Err(error) => return Err(error),
        }
    }
    if !broken.is_empty() {
        let value = format!("rules of the rows do not hold: {}", broken.join("; "));
        let cure = "keep a backup and find what changed these rows by hand or by a fault; docs/operations.md, MwsInvariantBroken";
        return Ok(Finding::problem("invariants", value, cure));
    }
    if !slow.is_empty() {
        let value = format!("takes longer than five seconds to check: {}", slow.join(", "));
        return Ok(Finding::warning("invariants", value, "see what else keeps the database busy, and check again"));
    }
    let mut last = invariants::last(conn).await?.into_iter();
    let failed = last.find(|one| one.invariant != Invariant::Balances && one.outcome == Some(Outcome::Failed));
    if let Some(held) = failed {
        let name = held.invariant.name();
        let value = format!("all that are checked here hold now; a scheduler last found `{name}` broken");
        let cure = "wait five minutes for the next check of a scheduler, and look again";
        return Ok(Finding::warning("invariants", value, cure));
    }
    let rules = Invariant::ALL.len() - 1;
    let value = format!("{rules} rules of the newest and live rows hold; `journal` checks `balances`");
    Ok(Finding::fine("invariants", value))
}

pub(super) async fn audited(conn: &mut PgConnection) -> sqlx::Result<Finding> {
    let chain = audit::verify(conn).await?;
    let value = match (chain.broken_at, chain.last_hash) {
        (Some(number), _) => {
            let value = format!("the operators' log was changed: row {number} does not fit the one before it");
            let cure = "compare it with a backup and with the hashes that you wrote down: somebody who owns the tables changed it";
            return Ok(Finding::problem("audit", value, cure));
        }
        (None, Some(hash)) => {
            let (rows, erased) = (chain.rows, chain.erased);
            format!("{rows} rows of the operators' log in a whole chain, {erased} of them erased, the last one {hash}")
        }
        (None, None) => "the operators' log is empty".to_owned(),
    };
    Ok(Finding::fine("audit", value))
}
