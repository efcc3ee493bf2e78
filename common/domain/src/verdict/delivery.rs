//! Judges whether events arrive: whether they are sent in time, and whether failures lie with one receiver or with us.

use super::thresholds::{
    DELIVERY_STALLED_SECONDS, DELIVERY_WAITS_SECONDS, ENOUGH_DELIVERIES, MANY_ENDPOINTS, MOST_TROUBLED_PERCENT,
};
use super::{Deliveries, Disabled, Number, Snapshot, State, Trouble, Troubled, count, counted, number, percent, span};

pub(super) fn numbers(snapshot: &Snapshot) -> Vec<Number> {
    let deliveries = &snapshot.deliveries;
    vec![
        number("troubled", percent(deliveries.troubled, deliveries.attempted), "%"),
        count("troubled_endpoints", deliveries.troubled_endpoints),
        number("oldest_due", deliveries.oldest_due_seconds, "s"),
    ]
}

/// Returns the troubles, in the order in which operators should repair the causes.
pub(super) fn troubles(snapshot: &Snapshot) -> Vec<Trouble> {
    let all = &snapshot.deliveries;
    let found = [waits(all), all.disabled.map(disabled), all.warned.map(warned), fails(all)];
    found.into_iter().flatten().collect()
}

/// Returns what is said where nothing is wrong.
pub(super) fn well(snapshot: &Snapshot) -> String {
    let all = &snapshot.deliveries;
    if all.attempted == 0 {
        return "No delivery began in an hour.".to_owned();
    }
    let arrived = 100.0 - percent(all.troubled, all.attempted);
    format!("{arrived:.0} % of the deliveries of an hour arrived at their last attempt.")
}

fn waits(all: &Deliveries) -> Option<Trouble> {
    let seconds = all.oldest_due_seconds;
    (seconds > DELIVERY_WAITS_SECONDS).then(|| {
        let sentence = format!("The oldest delivery that could be sent has been due for {}.", span(seconds));
        let state = if seconds > DELIVERY_STALLED_SECONDS { State::Failing } else { State::Degraded };
        Trouble::new(state, sentence, "mws doctor --only backlog")
    })
}

fn disabled(disabled: Disabled) -> Trouble {
    let (last, account) = (disabled.last, disabled.account);
    let were = counted(disabled.many, "endpoint was", "endpoints were");
    let which = if disabled.many == 1 { ":" } else { ", the last" };
    let sentence = format!("In a day {were} disabled for failing twenty times in a row{which} {last} of {account}.");
    Trouble::new(State::Degraded, sentence, format!("mws admin deliveries list --endpoint {last}"))
}

fn warned(warned: Troubled) -> Trouble {
    let (endpoint, failures) = (warned.endpoint, warned.failures);
    let sentence = format!("Endpoint {endpoint} has failed {failures} times in a row; at twenty it is disabled.");
    Trouble::new(State::Degraded, sentence, format!("mws admin deliveries list --endpoint {endpoint}"))
}

/// Judges the share of deliveries that fail. At many endpoints at once the fault is probably here.
fn fails(all: &Deliveries) -> Option<Trouble> {
    let (share, many) = (percent(all.troubled, all.attempted), all.troubled_endpoints);
    if all.attempted < ENOUGH_DELIVERIES || share <= MOST_TROUBLED_PERCENT {
        return None;
    }
    if many >= MANY_ENDPOINTS {
        let sentence = format!(
            "{share:.0} % of the deliveries of an hour fail, at {many} endpoints: look at names, routes and \
             certificates here."
        );
        let next = "mws admin deliveries list --status failed --since 1h";
        return Some(Trouble::new(State::Failing, sentence, next));
    }
    let at = counted(many, "endpoint", "endpoints");
    let sentence = format!("{share:.0} % of the deliveries of an hour fail, at {at}.");
    Some(Trouble::new(State::Degraded, sentence, "mws admin deliveries list --since 1h"))
}
