//! Judges whether each balance matches the journal, as schedulers check, and whether accounts have no minutes left.

use super::thresholds::LEDGER_UNCHECKED_SECONDS;
use super::{Number, Snapshot, State, Trouble, count, counted, number, span};

pub(super) fn numbers(snapshot: &Snapshot) -> Vec<Number> {
    let books = &snapshot.books;
    let mut numbers = vec![
        count("drifting_balances", books.drifting),
        count("accounts_without_minutes", books.out_of_minutes.map_or(0, |out| out.many)),
    ];
    numbers.extend(books.checked_seconds.map(|age| number("checked", age, "s")));
    numbers
}

/// Returns the troubles, in the order in which operators should repair the causes.
pub(super) fn troubles(snapshot: &Snapshot) -> Vec<Trouble> {
    let books = &snapshot.books;
    let mut found = Vec::new();
    if books.drifting > 0 {
        let sentence = format!(
            "{} not what the journal adds up to: stop grants and find out why, and edit no balance.",
            if books.drifting == 1 { "One balance is".to_owned() } else { format!("{} balances are", books.drifting) }
        );
        found.push(Trouble::new(State::Failing, sentence, "mws doctor --only journal"));
    }
    let unchecked = match books.checked_seconds {
        None => Some("The books were never checked.".to_owned()),
        Some(age) => {
            (age > LEDGER_UNCHECKED_SECONDS).then(|| format!("The books were last checked {} ago.", span(age)))
        }
    };
    found.extend(unchecked.map(|sentence| Trouble::new(State::Unknown, sentence, "mws doctor --only journal")));
    if let Some(out) = books.out_of_minutes {
        let (have, account) = (counted(out.many, "account has", "accounts have"), out.account);
        let sentence = format!("Of those that worked in a day {have} no minutes left, the last {account}.");
        found.push(Trouble::new(State::Degraded, sentence, format!("mws admin accounts get {account}")));
    }
    found
}

/// Returns what is said where nothing is wrong.
pub(super) fn well() -> String {
    "Every balance is what its journal adds up to.".to_owned()
}
