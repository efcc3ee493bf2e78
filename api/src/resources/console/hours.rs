//! The last day by the hour: the overview's table of what ended, was sent and failed.

use super::shell::{Fit, fitted_table, instead};
use super::spark::{Colour, HOURS, bars};
use domain::verdict::LOOKED_AT;
use maud::{Markup, html};
use store::verdict::HourRow;

/// Returns a number of each hour.
pub(super) fn counts(hours: &[HourRow], of: fn(&HourRow) -> i64) -> [u32; HOURS] {
    std::array::from_fn(|hour| hours.get(hour).map_or(0, |row| u32::try_from(of(row)).unwrap_or(u32::MAX)))
}

/// Shows the jobs that ended and failed, and the deliveries that were attempted and failed, in each hour of a day.
pub(super) fn show(found: &[HourRow]) -> Markup {
    let counts = |of: fn(&HourRow) -> i64| counts(found, of);
    let jobs = Cut::of(found, |row| row.has_more_jobs);
    let deliveries = Cut::of(found, |row| row.has_more_deliveries);
    let rows = html! {
        (hourly("Jobs that ended", Colour::Plain, &counts(|row| row.ended), jobs))
        (hourly("Jobs that failed", Colour::Bad, &counts(|row| row.failed), jobs))
        (hourly("Deliveries that were attempted", Colour::Plain, &counts(|row| row.attempted), deliveries))
        (hourly("Deliveries whose last attempt failed", Colour::Bad, &counts(|row| row.troubled), deliveries))
    };
    let columns =
        [("What", Fit::Any), ("By hour", Fit::Any), ("In the last hour", Fit::Any), ("In the day", Fit::Medium)];
    html! {
        (fitted_table("Hours", &columns, &rows))
        @if jobs.in_day || deliveries.in_day {
            p.soft { "Of each hour the newest " (LOOKED_AT) " are counted, where there were more." }
        }
    }
}

/// Whether not all that happened was looked at, so that more may have happened than was counted.
#[derive(Debug, Clone, Copy)]
struct Cut {
    /// In the last hour.
    in_last_hour: bool,
    /// In at least one hour of the day.
    in_day: bool,
}

impl Cut {
    fn of(hours: &[HourRow], has_more: fn(&HourRow) -> bool) -> Self {
        Self { in_last_hour: hours.last().is_some_and(has_more), in_day: hours.iter().any(has_more) }
    }
}

/// Shows a row of the hours.
fn hourly(what: &str, colour: Colour, counts: &[u32; HOURS], cut: Cut) -> Markup {
    let sum: u64 = counts.iter().copied().map(u64::from).sum();
    let day = counted(sum, cut.in_day);
    html! {
        tr {
            td { (what) (instead(Fit::Medium, "In the day", &day)) }
            td { (bars(counts, colour, "of these", "of these")) }
            td { (counted(counts[HOURS - 1].into(), cut.in_last_hour)) }
            td.medium { (day) }
        }
    }
}

/// Shows a count. `is_cut`: not all was looked at.
fn counted(count: u64, is_cut: bool) -> Markup {
    let more = if count == 0 { " of those counted" } else { " or more" };
    html! { span.number { (count) } @if is_cut { (more) } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_of_an_hour_that_was_cut_is_told_as_so_many_or_more_in_any_window() {
        let counts: [u32; HOURS] = std::array::from_fn(|hour| if hour == HOURS - 1 { 7 } else { 0 });
        let shown = |in_last_hour, in_day| hourly("Jobs", Colour::Plain, &counts, Cut { in_last_hour, in_day }).0;
        let (more, exact) = ("<span class=\"number\">7</span> or more", "<span class=\"number\">7</span><");
        let (both, past, none) = ((true, true), (false, true), (false, false));
        for (cut, hour, day) in [(both, more, more), (past, exact, more), (none, exact, exact)] {
            let shown = shown(cut.0, cut.1);
            assert!(shown.contains(&format!("<td>{hour}")), "{cut:?}: {shown}");
            assert!(shown.contains(&format!("<td class=\"medium\">{day}")), "{cut:?}: {shown}");
            let narrow = format!("<div class=\"instead medium\"><span class=\"soft\">In the day: </span>{day}");
            assert!(shown.contains(&narrow), "{cut:?}: {shown}");
        }
        let none_failed = hourly("Jobs", Colour::Bad, &[0; HOURS], Cut { in_last_hour: true, in_day: true }).0;
        let told = "<span class=\"number\">0</span> of those counted<";
        assert!(none_failed.matches(told).count() == 3 && !none_failed.contains("or more"), "{none_failed}");
        let hour = |has_more_jobs| HourRow {
            ended: 1,
            failed: 0,
            has_more_jobs,
            attempted: 0,
            troubled: 0,
            has_more_deliveries: false,
        };
        let cut = |hours: &[HourRow]| {
            let cut = Cut::of(hours, |row| row.has_more_jobs);
            (cut.in_last_hour, cut.in_day)
        };
        assert_eq!(cut(&[hour(true), hour(false)]), (false, true), "the last hour stands last");
        assert_eq!(cut(&[hour(false), hour(true)]), (true, true));
        assert_eq!(cut(&[hour(false), hour(false)]), (false, false));
    }
}
