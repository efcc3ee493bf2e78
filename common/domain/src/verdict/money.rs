//! Judges whether each balance matches the journal, as schedulers check, and whether accounts have no minutes left.

use super::thresholds::LEDGER_UNCHECKED_SECONDS;
use super::{Judged, Number, Snapshot, State, count, counted, number, span};

pub(super) fn numbers(snapshot: &Snapshot) -> Vec<Number> {
    let books = &snapshot.books;
    let mut numbers = vec![
        count("drifting_balances", books.drifting),
        count("accounts_without_minutes", books.out_of_minutes.map_or(0, |out| out.many)),
    ];
    numbers.extend(books.checked_seconds.map(|age| number("checked", age, "s")));
    numbers
}

pub(super) fn judged(snapshot: &Snapshot) -> Judged {
    let books = &snapshot.books;
    if books.drifting > 0 {
        let sentence = format!(
            "{} not what the journal adds up to: stop grants and find out why, and edit no balance.",
            if books.drifting == 1 { "One balance is".to_owned() } else { format!("{} balances are", books.drifting) }
        );
        return Judged::new(State::Failing, sentence, "mws doctor --only journal");
    }
    match books.checked_seconds {
        None => return Judged::new(State::Unknown, "The books were never checked.", "mws doctor --only journal"),
        Some(age) if age > LEDGER_UNCHECKED_SECONDS => {
            let sentence = format!("The books were last checked {} ago.", span(age));
            return Judged::new(State::Unknown, sentence, "mws doctor --only journal");
        }
        Some(_) => {}
    }
    if let Some(out) = books.out_of_minutes {
        let (have, account) = (counted(out.many, "account has", "accounts have"), out.account);
        let sentence = format!("Of those that worked in a day {have} no minutes left, the last {account}.");
        return Judged::new(State::Degraded, sentence, format!("mws admin accounts get {account}"));
    }
    Judged::healthy("Every balance is what its journal adds up to.")
}
