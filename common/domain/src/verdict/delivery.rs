//! Judges whether events arrive: whether they are sent in time, and whether failures lie with one receiver or with us.

use super::thresholds::{
    DELIVERY_STALLED_SECONDS, DELIVERY_WAITS_SECONDS, ENOUGH_DELIVERIES, MANY_ENDPOINTS, MOST_TROUBLED_PERCENT,
};
use super::{Judged, Number, Snapshot, State, count, counted, number, percent, span};

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
    if all.oldest_due_seconds > DELIVERY_WAITS_SECONDS {
        let stalled = all.oldest_due_seconds > DELIVERY_STALLED_SECONDS;
        let sentence =
            format!("The oldest delivery that could be sent has been due for {}.", span(all.oldest_due_seconds));
        let state = if stalled { State::Failing } else { State::Degraded };
        return Judged::new(state, sentence, "mws doctor --only backlog");
    }
    let share = percent(all.troubled, all.attempted);
    if all.attempted >= ENOUGH_DELIVERIES && share > MOST_TROUBLED_PERCENT && all.troubled_endpoints >= MANY_ENDPOINTS {
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
    if all.attempted >= ENOUGH_DELIVERIES && share > MOST_TROUBLED_PERCENT {
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
