//! Judges whether events arrive: whether they are sent in time, and whether failures lie with one receiver or with us.

use super::{Judged, Number, Snapshot, State, count, counted, number, percent, span};

/// The service is degraded if a delivery has been due for longer than this, in seconds.
const WAITS_SECONDS: f64 = 60.0;
/// The service is failing if a delivery has been due for longer than this, in seconds.
const STALLED_SECONDS: f64 = 300.0;
/// The largest share of deliveries, in percent, whose last attempt may have failed.
const MOST_TROUBLED: f64 = 20.0;
/// The fewest attempted deliveries that make a share meaningful.
const ENOUGH: i64 = 20;
/// The fewest endpoints whose failure at once is no coincidence: the fault is then probably here.
const MANY_ENDPOINTS: i64 = 5;

pub(super) fn numbers(snapshot: &Snapshot) -> Vec<Number> {
    let deliveries = &snapshot.deliveries;
    vec![
        number("troubled", percent(deliveries.troubled, deliveries.attempted), "%"),
        count("troubled_endpoints", deliveries.troubled_endpoints),
        number("oldest_due", deliveries.oldest_due_seconds, "s"),
    ]
}

pub(super) fn judged(snapshot: &Snapshot) -> Judged {
    let all = &snapshot.deliveries;
    if all.oldest_due_seconds > WAITS_SECONDS {
        let stalled = all.oldest_due_seconds > STALLED_SECONDS;
        let sentence =
            format!("The oldest delivery that could be sent has been due for {}.", span(all.oldest_due_seconds));
        let state = if stalled { State::Failing } else { State::Degraded };
        return Judged::new(state, sentence, "mws doctor --only backlog");
    }
    let share = percent(all.troubled, all.attempted);
    if all.attempted >= ENOUGH && share > MOST_TROUBLED && all.troubled_endpoints >= MANY_ENDPOINTS {
        let sentence = format!(
            "{share:.0} % of the deliveries of an hour fail, at {} endpoints: look at names, routes and certificates here.",
            all.troubled_endpoints
        );
        return Judged::new(State::Failing, sentence, "mws admin deliveries list --status failed --since 1h");
    }
    if let Some(disabled) = all.disabled {
        let (last, account) = (disabled.last, disabled.account);
        let were = counted(disabled.many, "endpoint was", "endpoints were");
        let which = if disabled.many == 1 { ":" } else { ", the last" };
        let sentence =
            format!("In a day {were} disabled for failing twenty times in a row{which} {last} of {account}.");
        return Judged::new(State::Degraded, sentence, format!("mws admin deliveries list --endpoint {last}"));
    }
    if let Some(warned) = all.warned {
        let (endpoint, failures) = (warned.endpoint, warned.failures);
        let sentence = format!("Endpoint {endpoint} has failed {failures} times in a row; at twenty it is disabled.");
        return Judged::new(State::Degraded, sentence, format!("mws admin deliveries list --endpoint {endpoint}"));
    }
    if all.attempted >= ENOUGH && share > MOST_TROUBLED {
        let at = counted(all.troubled_endpoints, "endpoint", "endpoints");
        let sentence = format!("{share:.0} % of the deliveries of an hour fail, at {at}.");
        return Judged::new(State::Degraded, sentence, "mws admin deliveries list --since 1h");
    }
    Judged::healthy(if all.attempted == 0 {
        "No delivery began in an hour.".to_owned()
    } else {
        format!("{:.0} % of the deliveries of an hour arrived at their last attempt.", 100.0 - share)
    })
}
