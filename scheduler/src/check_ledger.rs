//! Compares every balance with the journal. A difference is an alert, never a silent repair.
//!
//! The journal is added up once, some entries at a time (`store::ledger`), and a check adds the entries since. One
//! scheduler at a time does it; the others read when it was last done, and alert when that is too long ago. Since a
//! check reads every balance, what the service holds in all is counted with it, and who is short of minutes is noted.

use domain::ids::AccountId;
use domain::verdict::Invariant;
use domain::verdict::thresholds::LEDGER_UNCHECKED_SECONDS;
use runtime::clock::host_unix_seconds;
use runtime::process::Process;
use serde_json::{Value, json};
use sqlx::PgConnection;
use store::invariants;
use store::ledger::{self, Checked};
use store::minutes::{self, Drift};
use store::notices;
use store::totals::{self, Totals};

/// Entries that are added up in one transaction: some tenths of a second.
const BATCH: i64 = 20_000;
/// Differences that are logged in one run, at most; there may be one for each account.
const TOLD: usize = 10;

/// Checks once. Returns how many balances differ from the journal.
pub async fn run_once(process: &Process) -> sqlx::Result<u64> {
    let found = check(process).await?;
    let mut conn = process.pool.acquire().await?;
    tell_last(process, ledger::last_check(&mut conn).await?);
    tell_totals(totals::last(&mut conn).await?);
    drop(conn);
    let Some(drift) = found else { return Ok(0) };
    for one in drift.iter().take(TOLD) {
        tracing::error!(
            account.id = %one.account,
            balance = %one.balance,
            journal = %one.journal,
            "The `{}` balance of an account is not what its journal adds up to. Stop grants and find out why; never edit \
             balances.",
            one.what
        );
    }
    if drift.len() > TOLD {
        tracing::error!(
            balances = drift.len(),
            "Many balances are not what the journal adds up to; some were told above."
        );
    }
    Ok(drift.len() as u64)
}

/// Adds up new entries, and compares. Returns none where another scheduler does that.
async fn check(process: &Process) -> sqlx::Result<Option<Vec<Drift>>> {
    if !fold_all(process).await? {
        return Ok(None);
    }
    let mut tx = process.pool.begin().await?;
    if !ledger::take(&mut tx).await? {
        return Ok(None);
    }
    let drift = recount(&mut tx).await?;
    ledger::record_check(&mut tx, drift.len()).await?;
    let broken: Vec<String> = drift.iter().map(|one| format!("{} of {}", one.what, one.account)).collect();
    invariants::record(&mut tx, Invariant::Balances, &broken).await?;
    totals::count(&mut tx).await?;
    tx.commit().await?;
    note_short(process).await;
    let now = u32::try_from(host_unix_seconds()).unwrap_or(u32::MAX);
    metrics::gauge!("mws_ledger_checked_seconds").set(f64::from(now));
    metrics::gauge!("mws_ledger_drifting").set(f64::from(u32::try_from(drift.len()).unwrap_or(u32::MAX)));
    Ok(Some(drift))
}

/// Notes who is short of minutes. The check stands without it: the next one notes it.
async fn note_short(process: &Process) {
    let noted = async { notices::note_short(&mut *process.pool.acquire().await?).await };
    if let Err(error) = noted.await {
        tracing::warn!(error = %error, "It was not noted which accounts are short of minutes.");
    }
}

/// Adds up all new entries, in steps. Returns false where another scheduler does that, or the process ends.
async fn fold_all(process: &Process) -> sqlx::Result<bool> {
    loop {
        let mut tx = process.pool.begin().await?;
        if !ledger::take(&mut tx).await? {
            return Ok(false);
        }
        let more = ledger::fold(&mut tx, BATCH).await?;
        tx.commit().await?;
        if !more || process.shutdown.is_cancelled() {
            return Ok(!more);
        }
    }
}

/// Returns the differences that the tallies show and that remain when these accounts' whole journal is read.
async fn recount(conn: &mut PgConnection) -> sqlx::Result<Vec<Drift>> {
    let suspected = ledger::drift(&mut *conn).await?;
    let mut accounts: Vec<AccountId> = suspected.iter().map(|one| one.account).collect();
    accounts.dedup();
    if accounts.is_empty() {
        return Ok(suspected);
    }
    let drift = minutes::drift(conn, Some(&accounts)).await?;
    for one in suspected.iter().filter(|one| !drift.iter().any(|other| other.account == one.account)).take(TOLD) {
        tracing::error!(
            account.id = %one.account,
            "The tallies of an account's journal are not what it adds up to, and its balances are right. Have them made anew: \
             docs/operations.md says how."
        );
    }
    Ok(drift)
}

/// Reports the last check's result, and alerts when it is too old.
fn tell_last(process: &Process, last: Checked) {
    let age = last.age_seconds.unwrap_or(f64::INFINITY);
    if age > LEDGER_UNCHECKED_SECONDS {
        tracing::error!(seconds = age, "The ledger was last checked long ago: see why the check fails.");
    }
    let bad = last.drifting > 0 || age > LEDGER_UNCHECKED_SECONDS;
    let note = json!({ "drifting": last.drifting, "seconds_since_check": last.age_seconds.map(f64::round) });
    process.signs.note("ledger", if bad { note } else { Value::Null });
}

/// Reports what the service held when it was last counted, by whichever scheduler.
fn tell_totals(counted: Option<Totals>) {
    if let Some(Totals { held_hundredths, media_bytes }) = counted {
        metrics::gauge!("mws_held_hundredths").set(held_hundredths);
        metrics::gauge!("mws_media_stored_bytes").set(media_bytes);
    }
}
