//! Alerts and pages have the numbers of the verdict.

use super::{Axis, Duty, State, one, span};
use crate::verdict::thresholds::{
    DELIVERY_STALLED_SECONDS, DUTY_FAILING_SECONDS, DUTY_FAILING_TURNS, ENOUGH_JOBS, FATAL_SKEW_MS, JOB_WAITS_SECONDS,
    LEDGER_UNCHECKED_SECONDS, LITTLE_FREE_PERCENT, MANY_ENDPOINTS, MOST_FAILED_PERCENT, MOST_LAG_BYTES,
    MOST_LAG_SECONDS, MOST_SKEW_MS, MOST_TROUBLED_PERCENT, NEARLY_NONE_FREE_PERCENT, NEW_KIND_HOURS, NEW_KIND_JOBS,
    NEW_KIND_PAYERS, SILENT_SECONDS,
};

const RULES: &str = include_str!("../../../../../deploy/prometheus/rules.yml");
const RUNBOOK: &str = include_str!("../../../../../docs/operations.md");
const OPERATORS: &str = include_str!("../../../../../docs/operators.md");

/// The alerts that watch what an axis judges by the same numbers. These come first in their expressions.
fn shared() -> [(&'static str, Axis, Vec<String>); 7] {
    let text = |number: f64| number.to_string();
    let failing_duty = vec![text(DUTY_FAILING_SECONDS), text(DUTY_FAILING_TURNS)];
    [
        ("MwsQueueStalled", Axis::Flow, vec![text(JOB_WAITS_SECONDS)]),
        ("MwsJobsFailing", Axis::Execution, vec![text(MOST_FAILED_PERCENT / 100.0), ENOUGH_JOBS.to_string()]),
        ("MwsDeliveriesFailing", Axis::Delivery, vec![text(MOST_TROUBLED_PERCENT / 100.0)]),
        ("MwsLedgerUnchecked", Axis::Money, vec![text(LEDGER_UNCHECKED_SECONDS)]),
        ("MwsSchedulerLate", Axis::Liveness, failing_duty),
        ("MwsDiskFilling", Axis::Liveness, vec![text(f64::from(LITTLE_FREE_PERCENT) / 100.0)]),
        ("MwsClockSkew", Axis::Liveness, vec![(MOST_SKEW_MS / 1_000).to_string()]),
    ]
}

/// An alert, as the file of rules has it.
struct Alert {
    name: &'static str,
    severity: &'static str,
    /// The numbers of its expression, in their order. Ranges such as `[5m]` are none.
    numbers: Vec<&'static str>,
    /// For how long the expression has to be true.
    lasts: &'static str,
}

/// The text between two others.
fn between(text: &'static str, from: &str, to: &str) -> Option<&'static str> {
    text.split_once(from)?.1.split_once(to).map(|(found, _)| found)
}

fn alerts() -> Vec<Alert> {
    let alert = |rule: &'static str| {
        let expression = between(rule, "expr:", "labels:").expect("an expression");
        Alert {
            name: rule.lines().next().expect("a name").trim(),
            severity: between(rule, "severity: ", " }").expect("a severity"),
            numbers: expression.split_whitespace().filter(|word| word.parse::<f64>().is_ok()).collect(),
            lasts: between(rule, "        for: ", "\n").unwrap_or("–"),
        }
    };
    RULES.split("- alert: ").skip(1).map(alert).collect()
}

#[test]
fn an_alert_that_watches_what_an_axis_judges_fires_at_its_numbers() {
    let alerts = alerts();
    assert!(alerts.len() > 20, "only {} alerts were found", alerts.len());
    for (name, _, numbers) in shared() {
        let alert = alerts.iter().find(|alert| alert.name == name).expect(name);
        let first: Vec<&str> = alert.numbers.iter().copied().take(numbers.len()).collect();
        assert_eq!(first, numbers, "{name}: the rule, and the verdict");
    }
}

#[test]
fn the_runbook_has_a_row_with_the_numbers_of_each_alert() {
    for alert in alerts() {
        let shared = shared().into_iter().find(|(name, _, _)| *name == alert.name);
        let axis = shared.map_or("–", |(_, axis, _)| axis.name());
        let Alert { name, severity, numbers, lasts } = alert;
        let (anchor, numbers) = (name.to_lowercase(), numbers.join(", "));
        let row = format!("\n| [{name}](#{anchor}) | {severity} | {numbers} | {lasts} | {axis} |\n");
        assert!(RUNBOOK.contains(&row), "docs/operations.md has no row{row}");
    }
}

#[test]
fn the_pages_tell_the_numbers_that_are_gone_by() {
    let (failing, turns) = (span(DUTY_FAILING_SECONDS), DUTY_FAILING_TURNS);
    let told = [
        (OPERATORS, format!("nothing has been claimed for {}", span(JOB_WAITS_SECONDS))),
        (OPERATORS, format!("of {ENOUGH_JOBS} jobs or more, {MOST_FAILED_PERCENT} % failed by our fault")),
        (OPERATORS, format!("could be sent wait for {}", span(DELIVERY_STALLED_SECONDS))),
        (OPERATORS, format!("{MOST_TROUBLED_PERCENT} % of them fail at {MANY_ENDPOINTS} endpoints or more")),
        (OPERATORS, format!("has not run for {turns} of its turns and {failing}")),
        (OPERATORS, format!("the clock is {} min off", FATAL_SKEW_MS / 60_000)),
        (OPERATORS, format!("less than {NEARLY_NONE_FREE_PERCENT} % of the disk is free")),
        (OPERATORS, format!("{} behind, or {} MiB of log behind", span(MOST_LAG_SECONDS), MOST_LAG_BYTES >> 20)),
        (OPERATORS, format!("counts as alive for {}", span(SILENT_SECONDS))),
        (
            OPERATORS,
            format!(
                "for {NEW_KIND_HOURS} h after the first of a day if {NEW_KIND_JOBS} jobs or more of {NEW_KIND_PAYERS} accounts"
            ),
        ),
        (RUNBOOK, format!("for {turns} of its turns and {failing}")),
        (RUNBOOK, format!("against the journal for {}", span(LEDGER_UNCHECKED_SECONDS))),
        (RUNBOOK, format!("More than {MOST_FAILED_PERCENT} % of a read's jobs fail")),
        (RUNBOOK, format!("Less than {LITTLE_FREE_PERCENT} % of the disk")),
        (RUNBOOK, format!("A host's clock is more than {} s off", MOST_SKEW_MS / 1_000)),
    ];
    for (page, words) in told {
        assert!(page.contains(&words), "no page says: {words}");
    }
}

#[test]
fn a_duty_is_failing_when_its_alert_wakes_somebody_and_not_before() {
    let told = |every_seconds: f64, done_seconds: f64| {
        let name = "sweep_writes".to_owned();
        one(Axis::Liveness, |all| all.duties.push(Duty { name, every_seconds, done_seconds })).0
    };
    assert_eq!(told(3_600.0, 11_400.0), State::Healthy, "five turns of an hour have not gone by");
    assert_eq!(told(3_600.0, 11_401.0), State::Failing);
    assert_eq!((told(30.0, 690.0), told(30.0, 691.0)), (State::Degraded, State::Failing));
}

#[test]
fn of_duties_that_are_late_one_that_is_failing_is_named() {
    let duty = |name: &str, every_seconds, done_seconds| Duty { name: name.to_owned(), every_seconds, done_seconds };
    let told = one(Axis::Liveness, |all| {
        all.duties = vec![duty("sweep_writes", 3_600.0, 12_000.0), duty("fold_minutes", 1.0, 300.0)];
    });
    assert!(told.0 == State::Failing && told.1.contains("`sweep_writes`"), "{told:?}");
}
