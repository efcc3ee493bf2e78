//! Operators' bulk operations: what is done with all that match a filter, and how far it is (contract §11).

use super::series::words;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// How many bulk operations may run at the same time.
pub const MOST_RUNNING: i64 = 5;

/// The deliveries that a bulk operation with a pace may send each second.
pub const PACES: RangeInclusive<i16> = 1..=100;

/// The most characters of a bulk operation's name.
pub const MOST_NAME_CHARACTERS: usize = 200;

/// Why a read was skipped that is stored already.
pub const STORED: &str = "stored";
/// Why a read was skipped that has a job under way.
pub const UNDER_WAY: &str = "under_way";
/// Why reads were skipped that matched no longer: somebody ran them again, or deleted them.
pub const RERUN_MEANWHILE: &str = "matched_no_longer";

words! {
    /// What a bulk operation does.
    BulkKind {
        /// It sends again what did not arrive.
        ResendDeliveries = "resend_deliveries",
        /// It runs failed reads again.
        RerunReads = "rerun_reads",
    }
}

words! {
    /// How far a bulk operation is.
    BulkState {
        /// It goes on: a scheduler takes it forward, or an api where it runs reads again.
        Running = "running",
        /// An operator stopped it; what it had done stays done.
        Stopped = "stopped",
        /// It has come to its end.
        Finished = "finished",
    }
}

/// The characters of a name that are left for a number behind it.
const NUMBER_CHARACTERS: usize = 12;

/// Returns the start of a name that a number is put behind, to tell it from others: without the number that it has.
pub fn stem(name: &str) -> String {
    let numbered = name.strip_suffix(')').and_then(|rest| rest.rsplit_once(" ("));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let stem = numbered.filter(|(_, number)| is_number(number)).map_or(name, |(stem, _)| stem);
    stem.chars().take(MOST_NAME_CHARACTERS - NUMBER_CHARACTERS).collect()
}

/// Returns the name, or the first one with a number behind its stem that is not taken, such as `after Friday (2)`.
pub fn free_name(name: &str, taken: &[String]) -> String {
    if !taken.iter().any(|one| one == name) {
        return name.to_owned();
    }
    let stem = stem(name);
    let mut numbered = (2_u32..).map(|number| format!("{stem} ({number})"));
    numbered.find(|one| !taken.contains(one)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_taken_gets_the_first_number_that_is_free() {
        let free = |name: &str, taken: &[&str]| {
            let taken: Vec<String> = taken.iter().map(|one| (*one).to_owned()).collect();
            free_name(name, &taken)
        };
        assert_eq!(free("after Friday", &[]), "after Friday");
        assert_eq!(free("after Friday", &["after Friday"]), "after Friday (2)");
        assert_eq!(free("after Friday", &["after Friday", "after Friday (2)"]), "after Friday (3)");
        assert_eq!(free("after Friday (2)", &["after Friday (2)", "after Friday (3)"]), "after Friday (4)");
        assert_eq!(free("all (of it)", &["all (of it)"]), "all (of it) (2)");
        let longest = "ä".repeat(MOST_NAME_CHARACTERS);
        let free = free(&longest, &[longest.as_str()]);
        assert!(free.ends_with("ä (2)") && free.chars().count() <= MOST_NAME_CHARACTERS, "{free}");
    }
}
