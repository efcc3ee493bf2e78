//! Checks of the keys of sealed secrets, the journal, the other invariants of the rows, and the operators' log.

use crate::doctor::finding::Finding;
use crate::output::counted;
use domain::verdict::thresholds::LEDGER_UNCHECKED_SECONDS;
use domain::verdict::{Invariant, Outcome};
use runtime::config::Settings;
use runtime::seal::Sealer;
use sqlx::{Connection, PgConnection};
use store::{audit, invariants, ledger, webhook_secrets};

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
    Ok(sealed(current, old, unknown))
}

/// A number of rows with its noun, such as `1 signing secret`.
fn many(count: i64, noun: &str) -> String {
    counted(usize::try_from(count).unwrap_or_default(), noun)
}

/// Judges how many secrets are sealed under the current key, under old ones and under ones that are not known.
fn sealed(current: i64, old: i64, unknown: i64) -> Finding {
    let are = |count: i64| format!("{} {}", many(count, "signing secret"), if count == 1 { "is" } else { "are" });
    if unknown > 0 {
        let value = format!("{} sealed under a key that is not configured here", are(unknown));
        Finding::problem(
            "seals",
            value,
            "add that key to MWS_SECRET_KEY_OLD; docs/operations.md says how keys are changed",
        )
    } else if old > 0 {
        let value =
            format!("{} still sealed under keys of MWS_SECRET_KEY_OLD, {current} under the current one", are(old));
        Finding::warning("seals", value, "keep the old keys: a scheduler seals anew within a minute or two")
    } else {
        let value = format!("{}, none under an old key: old keys can go", many(current, "signing secret"));
        Finding::fine("seals", value)
    }
}

pub(super) async fn journal(conn: &mut PgConnection) -> sqlx::Result<Finding> {
    let (drift, last) = (ledger::drift(conn).await?, ledger::last_check(conn).await?);
    let checked = last.age_seconds.map_or("never".to_owned(), |age| format!("{age:.0} s ago"));
    Ok(match drift.first() {
        None if last.age_seconds.is_some_and(|age| age > LEDGER_UNCHECKED_SECONDS) => {
            let value = format!("every balance is what its journal adds up to; the scheduler last checked {checked}");
            Finding::warning("journal", value, "see in the schedulers' log why `check_ledger` fails")
        }
        None => {
            let value = format!("every balance is what its journal adds up to; last checked by a scheduler {checked}");
            Finding::fine("journal", value)
        }
        Some(first) => {
            let differ = match drift.len() {
                1 => "one balance differs".to_owned(),
                many => format!("{many} balances differ"),
            };
            let first =
                format!("{} of {}: balance {}, journal {}", first.what, first.account, first.balance, first.journal);
            let value = format!("{differ}; {first}");
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

pub(super) async fn audit_log(conn: &mut PgConnection) -> sqlx::Result<Finding> {
    let chain = audit::verify(conn).await?;
    let value = match (chain.broken_at, chain.last_hash) {
        (Some(number), _) => {
            let value = format!("the operators' log was changed: row {number} does not fit the one before it");
            let cure = "compare it with a backup and with the hashes that you wrote down: somebody who owns the tables changed it";
            return Ok(Finding::problem("audit", value, cure));
        }
        (None, Some(hash)) => {
            let (rows, erased) = (chain.rows, chain.erased);
            let rows = many(rows, "row");
            format!("{rows} of the operators' log in a whole chain, {erased} erased, the last one {hash}")
        }
        (None, None) => "the operators' log is empty".to_owned(),
    };
    Ok(Finding::fine("audit", value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_told_as_one_or_several() {
        let value = |current, old, unknown| sealed(current, old, unknown).value;
        assert_eq!(value(1, 0, 0), "1 signing secret, none under an old key: old keys can go");
        assert!(value(0, 0, 0).starts_with("0 signing secrets, "));
        assert!(
            value(2, 1, 0).starts_with("1 signing secret is still sealed under keys of MWS_SECRET_KEY_OLD, 2 under")
        );
        assert!(value(2, 0, 1).starts_with("1 signing secret is sealed under a key that is not configured"));
        assert!(value(0, 0, 3).starts_with("3 signing secrets are sealed"));
    }
}
