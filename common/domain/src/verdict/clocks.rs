//! Judges clocks beside the database's: each process reads its own, and writes how far it is off when it says that it
//! lives.

use super::thresholds::{FATAL_SKEW_MS, MOST_SKEW_MS};
use super::{Clock, State, some_of, span};
use std::cmp::Reverse;

/// Returns by how much a clock is off, such as `10 min ahead`; `None` if that is little enough. `ahead_ms`: as
/// [`Clock`] has it.
#[expect(clippy::cast_precision_loss, reason = "it is shown to the second")]
pub fn clock_off_by(ahead_ms: i64) -> Option<String> {
    let off_ms = ahead_ms.saturating_abs();
    let side = if ahead_ms > 0 { "ahead" } else { "behind" };
    (off_ms > MOST_SKEW_MS).then(|| format!("{} {side}", span(off_ms as f64 / 1_000.0)))
}

/// Returns a sentence on the clocks that are off, the worst first, with the state that they mean; `None` if none is.
pub fn clocks_off(clocks: &[Clock]) -> Option<(State, String)> {
    let off = clocks.iter().filter_map(|clock| Some((clock, clock_off_by(clock.ahead_ms)?)));
    let mut off: Vec<(&Clock, String)> = off.collect();
    off.sort_by_key(|(clock, _)| Reverse(clock.ahead_ms.saturating_abs()));
    let (worst, by) = off.first()?;
    let state = if worst.ahead_ms.saturating_abs() > FATAL_SKEW_MS { State::Failing } else { State::Degraded };
    if off.len() == 1 {
        let of = if worst.ahead_ms > 0 { " of" } else { "" };
        return Some((state, format!("The clock of {} is {by}{of} the database's.", worst.whose)));
    }
    let named: Vec<String> = off.iter().map(|(clock, by)| format!("{} is {by}", clock.whose)).collect();
    Some((state, format!("{} clocks differ from the database's: {}.", off.len(), some_of(&named))))
}
