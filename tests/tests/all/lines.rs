//! Every line that calls and jobs wait in has its row in `docs/lines.md`, and none waits for one above it.

use crate::floors::{code, is_test, root, sources};
use anyhow::Context;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// What a call or a job may wait in or be refused by, of tokio's.
const WAITED_FOR: [&str; 5] = ["Semaphore", "Mutex", "RwLock", "OnceCell", "watch"];
/// The same of our own.
const OURS: [&str; 8] = [
    "FairTurns::new(",
    "Shares::default()",
    "Room::new(",
    "Line::of_few(",
    "OwnTurns::of(",
    "without_connections(",
    "OwnTurns::default()",
    "RoundRobin::of(",
];
/// Where these are looked for.
const FOLDERS: [&str; 4] = ["api/src", "common/runtime/src", "worker/src", "scheduler/src"];

/// A row of the page.
struct Row {
    line: String,
    places: String,
    waits_for: String,
}

/// The rows, by their place in the order.
fn rows() -> anyhow::Result<BTreeMap<u32, Row>> {
    let page = fs::read_to_string(root().join("docs/lines.md"))?;
    let mut rows = BTreeMap::new();
    for row in page.lines() {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let Some(Ok(place)) = cells.get(1).map(|cell| cell.parse::<u32>()) else { continue };
        let cell = |at: usize| cells.get(at).map(|cell| (*cell).to_owned()).context("a cell is missing");
        let before = rows.insert(place, Row { line: cell(2)?, places: cell(3)?, waits_for: cell(5)? });
        assert!(before.is_none(), "two rows are {place}");
    }
    Ok(rows)
}

/// The names that stand between backticks.
fn named(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// Whether a file has a line of its own.
fn has_line(code: &str) -> bool {
    let words = |line: &str| line.split(|c: char| !c.is_alphanumeric()).any(|word| WAITED_FOR.contains(&word));
    let of_tokio = code.lines().any(|line| line.contains("tokio::sync::") && words(line));
    of_tokio || OURS.iter().any(|ours| code.contains(ours))
}

#[test]
fn every_file_with_a_line_is_named() -> anyhow::Result<()> {
    let rows = rows()?;
    let named: BTreeSet<String> = rows.values().flat_map(|row| named(&row.places)).map(ToOwned::to_owned).collect();
    let mut found = 0;
    for folder in FOLDERS {
        for file in sources(&root().join(folder))?.into_iter().filter(|file| !is_test(file)) {
            let place = file.strip_prefix(root())?.with_extension("").to_string_lossy().into_owned();
            if has_line(&code(&file)?) {
                found += 1;
                assert!(named.contains(&place), "{place} has a line, and no row of docs/lines.md names it");
            }
        }
    }
    assert!(found > 20, "only {found} files with lines were found");
    for place in named {
        assert!(
            root().join(&place).with_extension("rs").is_file(),
            "docs/lines.md names `{place}`, which is not there"
        );
    }
    Ok(())
}

#[test]
fn every_kind_of_turn_and_of_permit_is_named() -> anyhow::Result<()> {
    let rows = rows()?;
    let named: BTreeSet<&str> = rows.values().flat_map(|row| named(&row.line)).collect();
    let turns = code(&root().join("api/src/app/turns.rs"))?;
    let turns = turns.lines().filter(|line| line.contains("Turns::new("));
    let turns = turns.filter_map(|line| Some(line.trim().split_once(": ")?.0));
    let permits = code(&root().join("api/src/app/permits.rs"))?;
    let permits = permits.lines().filter_map(|line| line.trim().strip_prefix("pub fn of_")?.split_once('('));
    let permits: Vec<String> = permits.map(|(name, _)| format!("of_{name}")).collect();
    let all: Vec<&str> = turns.chain(permits.iter().map(String::as_str)).collect();
    assert!(all.len() > 20, "only {} kinds were found", all.len());
    for kind in all {
        assert!(named.contains(kind), "no row of docs/lines.md names `{kind}`");
    }
    Ok(())
}

#[test]
fn whoever_holds_a_line_waits_only_for_those_below_it() -> anyhow::Result<()> {
    let rows = rows()?;
    assert!(rows.len() > 40, "only {} rows", rows.len());
    for (place, row) in &rows {
        for awaited in row.waits_for.split(", ").filter_map(|cell| cell.split(' ').next()?.parse::<u32>().ok()) {
            assert!(rows.contains_key(&awaited), "{place} waits for {awaited}, which is no row");
            assert!(awaited > *place, "{place} waits for {awaited}, which is above it");
        }
    }
    Ok(())
}
