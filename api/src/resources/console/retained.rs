//! What of old rows is deleted next, and how large the tables are: two sections of the fleet's page.

use super::shell;
use super::shell::Fit;
use super::words::{or_dash, time_or};
use crate::usecases::operator::retention::Retention;
use chrono::{DateTime, Utc};
use maud::{Markup, html};

const KEPT: [(&str, Fit); 5] = [
    ("Rows of", Fit::Any),
    ("Kept", Fit::Any),
    ("Oldest", Fit::Any),
    ("Deleted from", Fit::Medium),
    ("Setting", Fit::Wide),
];
const TABLES: [(&str, Fit); 6] = [
    ("Table", Fit::Any),
    ("Rows", Fit::Any),
    ("Size", Fit::Any),
    ("Of it indexes", Fit::Medium),
    ("Not vacuumed yet", Fit::Medium),
    ("As of", Fit::Wide),
];
/// The tables that are shown; all are in the operators' route.
const MOST: usize = 20;

/// Shows both; `found` is none where they could not be read.
pub(super) fn shown(found: Option<&Retention>, now: DateTime<Utc>) -> Markup {
    html! {
        (shell::section("kept", "What is deleted next", &found.map_or_else(unread, |found| kept(found, now))))
        (shell::section("tables", "The largest tables", &found.map_or_else(unread, |found| tables(found, now))))
    }
}

fn unread() -> Markup {
    html! { p { "It could not be read within two seconds." } }
}

fn kept(found: &Retention, now: DateTime<Utc>) -> Markup {
    let rows = html! {
        @for kept in &found.kept {
            tr {
                td { (kept.what) }
                td.number { (kept.days) " d" }
                td { (time_or(kept.oldest_at, now, "–")) }
                td.medium { (time_or(kept.deleted_from(), now, "–")) }
                td.wide { code { (kept.setting) } }
            }
        }
    };
    html! {
        (shell::fitted_table("Kept rows", &KEPT, &rows))
        p.soft { "Jobs count from their end, all else from when it was made. What has not ended stays, and so does what belongs to it." }
    }
}

fn tables(found: &Retention, now: DateTime<Utc>) -> Markup {
    let rows = html! {
        @for table in found.tables.iter().take(MOST) {
            tr {
                td { (table.name) }
                td.number { (or_dash(table.rows)) }
                td.number { (size(table.table_bytes + table.index_bytes)) }
                td.number.medium { (size(table.index_bytes)) }
                td.number.medium { (table.dead_rows) }
                td.wide { (time_or(table.gathered_at, now, "never")) }
            }
        }
    };
    let all: i64 = found.tables.iter().map(|table| table.table_bytes + table.index_bytes).sum();
    html! {
        (shell::fitted_table("Tables", &TABLES, &rows))
        p.soft { "All " (found.tables.len()) " tables have " (size(all)) ", by what the database noted at the last vacuum or analysis of each." }
    }
}

/// A number of bytes in the unit that leaves it few digits.
fn size(bytes: i64) -> String {
    let (kib, mib) = (bytes / 1_024, bytes / (1_024 * 1_024));
    if kib < 10_000 {
        format!("{kib} KiB")
    } else if mib < 10_000 {
        format!("{mib} MiB")
    } else {
        format!("{} GiB", mib / 1_024)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_told_in_the_unit_that_fits_it() {
        let told = [0, 8_192, 20 << 20, 30 << 30].map(size);
        assert_eq!(told, ["0 KiB", "8 KiB", "20 MiB", "30 GiB"].map(str::to_owned));
    }
}
