//! What a job's minutes come of: the length of its media times the rate. Pure.
//!
//! Neither is kept with a job. Where its item's length times a rate of now is the amount, that is shown; elsewhere the
//! length that the amount pays for at the rate of now.

use super::words::word;
use domain::job::{Job, JobStatus};
use domain::minutes::{Minutes, Rates};
use domain::read::Read;
use domain::task::Task;
use maud::{Markup, html};

/// Shows what a job's hold and its charge come of. `media_ms` is the length of the item that a read is computed of, in
/// milliseconds; none where it is not known.
pub(super) fn priced(job: &Job, media_ms: Option<i64>, rates: &Rates) -> Markup {
    let Some(task) = Task::of(job.kind, job.read) else { return html! {} };
    if job.estimated_minutes == Minutes::ZERO {
        // It is paid in credits.
        return html! {};
    }
    let comes_of = |amount| comes_of(amount, media_ms, &rates_of(task, rates));
    html! {
        p.soft { "Held: " (comes_of(job.estimated_minutes)) }
        @if let Some(charged) = job.cloud_minutes {
            p.soft {
                "Charged: "
                @if charged == Minutes::ZERO && job.status != JobStatus::Succeeded { "nothing, since it did not succeed." }
                @else { (comes_of(charged)) }
            }
        }
    }
}

/// Returns the rates that a job of this task can have: its own first, and for speakers that with the speech which the
/// job may compute too.
fn rates_of(task: Task, rates: &Rates) -> Vec<Minutes> {
    let own = rates.of(task);
    let with_speech = (task == Task::Read(Read::Speakers)).then(|| own + rates.of(Read::Speech));
    [Some(own), with_speech].into_iter().flatten().collect()
}

fn comes_of(amount: Minutes, media_ms: Option<i64>, rates: &[Minutes]) -> String {
    let is_so = |ms: i64, rate: Minutes| rate.price(ms) == amount;
    let found = media_ms.and_then(|ms| Some((ms, *rates.iter().find(|rate| is_so(ms, **rate))?)));
    let unit = word(amount.hundredths() == 100, "minute", "minutes");
    if let Some((ms, rate)) = found {
        let is_exact = i128::from(rate.hundredths()) * i128::from(ms) == i128::from(amount.hundredths()) * 60_000;
        let rounded = if is_exact { "" } else { ", rounded up to a hundredth" };
        return format!("{} × {rate} = {amount} {unit}{rounded}.", length(ms));
    }
    match rates.first() {
        Some(rate) if *rate > Minutes::ZERO => {
            let paid = length(rate.pays_for_ms(amount));
            format!("{amount} {unit}; at the rate of now, {rate} for a minute of media, that is {paid} at most.")
        }
        _ => format!("{amount} {unit}; the rate of now is 0."),
    }
}

/// Returns a length to the millisecond.
fn length(ms: i64) -> String {
    let (minutes, seconds, ms) = (ms / 60_000, ms / 1_000 % 60, ms % 1_000);
    if minutes == 0 { format!("{seconds}.{ms:03} s") } else { format!("{minutes} min {seconds}.{ms:03} s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hundredths(many: i64) -> Minutes {
        Minutes::from_hundredths(many)
    }

    #[test]
    fn an_amount_is_the_length_times_the_rate_where_that_is_so() {
        let half = [hundredths(50)];
        assert_eq!(comes_of(hundredths(50), Some(60_000), &half), "1 min 0.000 s × 0.50 = 0.50 minutes.");
        assert_eq!(comes_of(hundredths(100), Some(120_000), &half), "2 min 0.000 s × 0.50 = 1.00 minute.");
        let rounded = comes_of(hundredths(231), Some(276_001), &half);
        assert_eq!(rounded, "4 min 36.001 s × 0.50 = 2.31 minutes, rounded up to a hundredth.");
        // Speakers whose job computes the speech too.
        let speakers = rates_of(Task::Read(Read::Speakers), &Rates::default());
        assert_eq!(comes_of(hundredths(75), Some(60_000), &speakers), "1 min 0.000 s × 0.75 = 0.75 minutes.");
        assert_eq!(comes_of(hundredths(50), Some(60_000), &speakers), "1 min 0.000 s × 0.50 = 0.50 minutes.");
    }

    #[test]
    fn where_it_is_not_so_what_the_amount_pays_for_now_is_told_as_such() {
        let told = "0.10 minutes; at the rate of now, 0.50 for a minute of media, that is 12.000 s at most.";
        for media_ms in [Some(60_000), None] {
            assert_eq!(comes_of(hundredths(10), media_ms, &[hundredths(50)]), told, "{media_ms:?}");
        }
        let free = comes_of(hundredths(10), Some(60_000), &[Minutes::ZERO]);
        assert_eq!(free, "0.10 minutes; the rate of now is 0.");
    }
}
