//! The releases whose processes run, beside the schema that they find: an upgrade under way, or one that was not
//! finished, is seen. Pure.

use super::shell::{self, Fit};
use super::words::{state, word};
use domain::verdict::{Schema, span};
use maud::{Markup, html};
use std::collections::BTreeMap;
use store::verdict::ProcessRow;

/// Seconds within which a process has written its row for its release to count. An api writes it when its readiness is
/// asked for.
const HEARD_SECONDS: f64 = 60.0;

const SERVICES: [&str; 3] = ["api", "worker", "scheduler"];
const COLUMNS: [(&str, Fit); 4] =
    [("Release", Fit::Any), ("Apis", Fit::Any), ("Workers", Fit::Any), ("Schedulers", Fit::Any)];

/// Shows the releases that run. `own`: the release of this process, and `name` its name; `applied`: the newest
/// migration that was applied.
pub(super) fn releases(own: &str, name: &str, processes: &[ProcessRow], applied: i64, schema: &Schema) -> Markup {
    let mut counts: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
    // This process lives, whether it has been asked for its readiness or not.
    counts.entry(own).or_default().insert("api", 1);
    for one in processes.iter().filter(|one| one.silent_seconds < HEARD_SECONDS && one.name != name) {
        *counts.entry(&one.version).or_default().entry(&one.service).or_default() += 1;
    }
    let rows = html! {
        @for (release, services) in &counts {
            tr {
                td { (release) @if *release == own { " " span.soft { "this process" } } }
                @for service in SERVICES { td.number { (services.get(service).copied().unwrap_or(0)) } }
            }
        }
    };
    html! {
        (of_schema(own, applied, schema))
        @if counts.len() > 1 {
            p { (state("degraded")) " Processes of " (counts.len()) " releases run: an upgrade is under way, or was not finished." }
        }
        (shell::fitted_table("Releases", &COLUMNS, &rows))
    }
}

fn of_schema(own: &str, applied: i64, schema: &Schema) -> Markup {
    let pending = schema.pending;
    html! {
        @if pending > 0 {
            p.fault {
                "The schema is at migration " (applied) ": " (pending) " " (word(pending == 1, "migration", "migrations"))
                " of the release " (own) " " (word(pending == 1, "is", "are")) " not applied. " code data-copy="" { "mws migrate" }
            }
        } @else {
            p { "The schema is at migration " (applied) ", and has all that the release " (own) " needs." }
        }
        @if let Some(failed) = &schema.failed {
            p.fault { "Migration " (failed.version) " failed " (span(failed.seconds)) " ago: " (failed.message) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::DateTime;
    use domain::verdict::FailedMigration;

    fn process(service: &str, version: &str, silent_seconds: f64) -> ProcessRow {
        ProcessRow {
            name: format!("{service}-1"),
            service: service.to_owned(),
            host: "h".to_owned(),
            version: version.to_owned(),
            tasks: Vec::new(),
            slots: 1,
            busy: 0,
            started_at: DateTime::UNIX_EPOCH,
            beat_at: DateTime::UNIX_EPOCH,
            lives_seconds: 60.0,
            silent_seconds,
            successor_left: false,
            clock_ahead_ms: None,
        }
    }

    #[test]
    fn an_upgrade_that_is_not_finished_is_seen_and_who_fell_silent_does_not_count() {
        let all =
            [process("worker", "1.1.0", 2.0), process("worker", "1.0.0", 3.0), process("scheduler", "0.9.0", 61.0)];
        let shown = releases("1.1.0", "api-1", &all, 124, &Schema::default()).0;
        for words in ["Processes of 2 releases run", "1.0.0", "at migration 124, and has all", "this process"] {
            assert!(shown.contains(words), "{words}: {shown}");
        }
        assert!(!shown.contains("0.9.0"), "{shown}");
        let one = releases("1.1.0", "api-1", &all[..1], 124, &Schema::default()).0;
        assert!(!one.contains("releases run"), "{one}");
    }

    #[test]
    fn the_process_that_draws_the_page_counts_whether_it_was_asked_for_its_readiness_or_not() {
        let apis = |name: &str, all: &[ProcessRow]| {
            let shown = releases("1.1.0", name, all, 124, &Schema::default()).0;
            let row = shown.split_once("this process</span></td>").map(|(_, row)| row.to_owned()).unwrap_or_default();
            row.split("</td>").next().unwrap_or_default().chars().filter(char::is_ascii_digit).collect::<String>()
        };
        assert_eq!(apis("api-1", &[]), "1", "it was never asked");
        assert_eq!(apis("api-1", &[process("api", "1.1.0", 500.0)]), "1", "it was asked long ago");
        assert_eq!(apis("api-1", &[process("api", "1.1.0", 2.0)]), "1", "it counts once");
        assert_eq!(apis("api-2", &[process("api", "1.1.0", 2.0)]), "2", "another counts too");
    }

    #[test]
    fn a_schema_that_is_older_than_the_release_says_what_helps() {
        let message = "no <room> left".to_owned();
        let failed = Some(FailedMigration { version: 125, message, seconds: 90.0 });
        let shown = releases("1.1.0", "api-1", &[], 124, &Schema { pending: 1, failed }).0;
        for words in
            ["1 migration of the release 1.1.0 is not applied", "mws migrate", "Migration 125 failed", "&lt;room&gt;"]
        {
            assert!(shown.contains(words), "{words}: {shown}");
        }
    }
}
