//! Measures under each state of the tables: empty, full, full with a transaction held open, or full and being pruned.
//!
//! Full tables are one database that all these measurements share (`grown`), since making it takes minutes. Each works
//! with accounts of its own, and clears what it leaves.

use crate::condition::Condition;
use crate::grown::Grown;
use crate::parts::What;
use crate::table::{Bar, Table};
use crate::{Bench, jobs};
use std::time::Duration;

/// How long a transaction is open, while the tables are written to, before anything is measured.
const HELD_FOR: Duration = Duration::from_mins(3);

/// Measures these parts again on full tables, in each state.
pub async fn measure(bench: &mut Bench, what: &[What], table: &mut Table) -> anyhow::Result<()> {
    eprintln!("{} jobs queued, jobs finished and deliveries logged:", bench.rows);
    bench.grown = Some(Grown::make(&bench.server, bench.rows).await?);
    enter(bench, Condition::Full, table);
    if let Some(grown) = &bench.grown {
        table.add_as_is("rows of each kind", size(bench.rows), "", None, Bar::None);
        table.add_as_is("the database", grown.gigabytes().await?, "GB", None, Bar::None);
    }
    for part in what {
        part.measure(bench, table).await;
    }
    held(bench, what, table).await?;
    pruned(bench, what, table).await?;
    if let Some(grown) = bench.grown.take() {
        enter(bench, Condition::Empty, table);
        bench.server.drop(grown.into_database()).await?;
    }
    Ok(())
}

fn enter(bench: &mut Bench, condition: Condition, table: &mut Table) {
    bench.condition = condition;
    table.under(condition);
}

async fn held(bench: &mut Bench, what: &[What], table: &mut Table) -> anyhow::Result<()> {
    enter(bench, Condition::Held, table);
    let Some(grown) = &bench.grown else { return Ok(()) };
    let transaction = grown.hold().await?;
    // A held transaction costs by the dead rows that are written meanwhile.
    let open_for = HELD_FOR.mul_f64(size(bench.share(100)) / 100.0);
    while transaction.age() < open_for {
        jobs::churn(bench).await?;
    }
    let began = transaction.age();
    for part in what.iter().filter(|part| part.under_load()) {
        part.measure(bench, table).await;
    }
    let ended = transaction.end().await?;
    table.add_as_is("how long it was open, before the first row", began.as_secs_f64(), "s", None, Bar::None);
    table.add_as_is("how long it was open, after the last row", ended.as_secs_f64(), "s", None, Bar::None);
    Ok(())
}

async fn pruned(bench: &mut Bench, what: &[What], table: &mut Table) -> anyhow::Result<()> {
    enter(bench, Condition::Pruned, table);
    for part in what.iter().filter(|part| part.under_load()) {
        let Some(grown) = &mut bench.grown else { return Ok(()) };
        grown.fill_up().await?;
        let before = grown.old_rows().await?;
        part.measure(bench, table).await;
        let Some(grown) = &bench.grown else { return Ok(()) };
        let pruned = before - grown.old_rows().await?;
        let what = format!("rows that were pruned beside {}", part.name());
        table.add_as_is(what, pruned, "", None, Bar::None);
    }
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "a count of rows")]
fn size(rows: usize) -> f64 {
    rows as f64
}
