//! The scheduler: duties that repair what crashed, and do what is due or too old. Any number of schedulers may run.
//!
//! Each duty is a file with a `run_once` that tests call; the loop is here. A duty locks what it works on with `SKIP
//! LOCKED`, so two schedulers share the work rather than do it twice. Nothing is decided here that a worker or a call
//! could not have decided: without a scheduler things are late, and nothing is lost.

pub mod admit_jobs;
pub mod advance_bulk_operations;
pub mod check_invariants;
pub mod check_ledger;
mod complaint;
mod each;
pub mod end_deliveries;
pub mod expire_uploads;
pub mod fold_minutes;
pub mod fold_usage;
mod foresight;
pub mod measure_queues;
pub mod prune;
pub mod prune_deliveries;
pub mod prune_kept;
pub mod prune_paces;
pub mod prune_project_webhooks;
pub mod prune_renders;
pub mod purge_items;
pub mod reissue_deliveries;
pub mod reissue_jobs;
pub mod reissue_project_webhooks;
pub mod reissue_uploads;
pub mod rescue_deliveries;
pub mod rescue_jobs;
pub mod rescue_project_webhooks;
pub mod reseal;
pub mod sweep_media;
pub mod sweep_writes;
pub mod tell_operators;

use complaint::Complaint;
use domain::job::LEASE;
use foresight::Foresight;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use runtime::clock::host_unix_seconds;
use runtime::process::Process;
use std::time::Duration;
use store::fleet::{self, Capacity, Service};
use store::verdict::{self, DutyTold};
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until};

/// The time over which the runs of duties are spread that all begin at once: most are done each second or two.
const SPREAD: Duration = Duration::from_secs(1);
/// The longest rest of a duty that runs more often while its runs are cheap.
const LONGEST_REST: Duration = Duration::from_secs(5);

/// One run of a duty. Returns how many rows it put right.
type Run = for<'a> fn(&'a Process) -> BoxFuture<'a, sqlx::Result<u64>>;

/// Something that the scheduler does again and again.
struct Duty {
    name: &'static str,
    every: Duration,
    run: Run,
}

/// Makes the duty of a module.
macro_rules! duty {
    ($module:ident, $every_ms:literal) => {
        Duty {
            name: stringify!($module),
            every: Duration::from_millis($every_ms),
            run: |process| $module::run_once(process).boxed(),
        }
    };
}

/// Every duty and how often it runs, in milliseconds; while the service is quiet some rest longer (`foresight`).
const DUTIES: &[Duty] = &[
    duty!(admit_jobs, 1_000),
    duty!(advance_bulk_operations, 1_000),
    duty!(check_invariants, 60_000),
    duty!(check_ledger, 60_000),
    duty!(end_deliveries, 2_000),
    duty!(expire_uploads, 30_000),
    duty!(fold_minutes, 1_000),
    duty!(fold_usage, 5_000),
    duty!(measure_queues, 15_000),
    duty!(prune, 30_000),
    duty!(prune_deliveries, 30_000),
    duty!(prune_kept, 30_000),
    duty!(prune_paces, 300_000),
    duty!(prune_project_webhooks, 30_000),
    duty!(prune_renders, 60_000),
    duty!(purge_items, 5_000),
    duty!(reissue_deliveries, 1_000),
    duty!(reissue_jobs, 1_000),
    duty!(reissue_project_webhooks, 500),
    duty!(reissue_uploads, 1_000),
    duty!(reseal, 60_000),
    duty!(rescue_deliveries, 2_000),
    duty!(rescue_jobs, 2_000),
    duty!(rescue_project_webhooks, 2_000),
    duty!(sweep_media, 30_000),
    duty!(sweep_writes, 3_600_000),
    duty!(tell_operators, 15_000),
];

/// Runs the duties until the process is told to end.
pub async fn run(process: Process) -> anyhow::Result<()> {
    // What is told once must find a recorder, and `up` may begin to measure later. `Health` says why there is none.
    let _ = runtime::measure::recorder();
    let (mut duties, foresight) = (JoinSet::new(), Foresight::default());
    for (place, duty) in DUTIES.iter().enumerate() {
        duties.spawn(repeat(process.clone(), duty, apart(place), foresight.clone()));
    }
    duties.spawn(foresight.keep_looking(process.clone()));
    duties.spawn(beat(process.clone()));
    tracing::info!(duties = DUTIES.len(), "The scheduler is ready.");
    while let Some(ended) = duties.join_next().await {
        ended?;
    }
    process.leave_fleet().await?;
    Ok(())
}

/// Returns how much later than it otherwise would the duty at this place runs after a run that it may have begun with
/// all others: its first, and one that was counted from the end of a slow run. So each has a moment of its own. Those
/// of each second took what the database does for them all in one burst, which calls and claims of that moment waited
/// for.
fn apart(place: usize) -> Duration {
    let parts = u32::try_from(DUTIES.len()).unwrap_or(u32::MAX);
    DUTIES[place].every.min(SPREAD) / parts * u32::try_from(place).unwrap_or_default()
}

async fn repeat(process: Process, duty: &'static Duty, apart: Duration, foresight: Foresight) {
    metrics::gauge!("mws_duty_every_seconds", "duty" => duty.name).set(duty.every.as_secs_f64());
    let mut ticks = interval(duty.every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    // After an outage the workers' renewals must get through before their leases are called lost.
    let mut patient_until = Instant::now();
    let mut complaint = Complaint::default();
    let mut found_nothing_at = None;
    let mut with_others = true;
    loop {
        tokio::select! {
            _ = ticks.tick() => {}
            () = process.shutdown.cancelled() => return,
        }
        if std::mem::take(&mut with_others) {
            ticks.reset_after(duty.every + apart);
        }
        // Half a turn less, since a turn is never exactly as long as it should be.
        let rest = foresight::quiet_rest(duty.name, duty.every).saturating_sub(duty.every / 2);
        if foresight.lets_rest(process.wakes.is_quiet(), rest, found_nothing_at, Instant::now()) {
            continue;
        }
        if duty.name.starts_with("rescue_") && Instant::now() < patient_until {
            tokio::select! {
                () = sleep_until(patient_until) => {}
                () = process.shutdown.cancelled() => return,
            }
        }
        let began = Instant::now();
        let ran = (duty.run)(&process).await;
        found_nothing_at = matches!(ran, Ok(0)).then_some(began);
        let took = began.elapsed();
        let rest = after_nothing(duty.every, took);
        let rests = matches!(ran, Ok(0)) && rest > duty.every;
        if rests {
            ticks.reset_after(rest);
        }
        // The next run is counted from this one's end: what was slow for all may have ended for all at once.
        with_others = rests || took > duty.every;
        match ran {
            Ok(done) => {
                let now = Instant::now();
                process.signs.duty_ran(duty.name, duty.every, true, now);
                tell_success(duty.name);
                complaint.record_success(duty.name, now);
                if done > 0 {
                    // Another duty may have to go on with it.
                    process.wakes.stir();
                    tracing::debug!(duty = duty.name, done, "A duty put rows right.");
                }
            }
            Err(error) => {
                let now = Instant::now();
                process.signs.duty_ran(duty.name, duty.every, false, now);
                complaint.record_failure(duty.name, &error, now);
                patient_until = now + LEASE;
            }
        }
    }
}

/// Returns how long a duty rests after a run that found nothing to do and took `took`. While a transaction is open for
/// long, each run reads past all rows that were deleted since it began: a duty then takes a thirtieth of the time, and
/// runs at least every five seconds.
fn after_nothing(every: Duration, took: Duration) -> Duration {
    took.saturating_mul(30).clamp(every, every.max(LONGEST_REST))
}

/// Records when a duty last succeeded, for an alert on its age.
fn tell_success(duty: &'static str) {
    let seconds = u32::try_from(host_unix_seconds()).unwrap_or(u32::MAX);
    metrics::gauge!("mws_duty_last_success_seconds", "duty" => duty).set(f64::from(seconds));
}

async fn beat(process: Process) {
    let mut ticks = interval(Duration::from_secs(10));
    loop {
        tokio::select! {
            _ = ticks.tick() => {}
            () = process.shutdown.cancelled() => return,
        }
        if let Ok(mut conn) = process.pool.acquire().await {
            // The next beat tries again; meanwhile the operator sees that the row is missing.
            let _ = fleet::join(&mut conn, process.member(Service::Scheduler), &[], Capacity::default()).await;
            let _ = verdict::tell(&mut conn, &duty_reports(&process, Instant::now())).await;
        }
    }
}

/// Returns how the duties are doing, for the verdict on the service.
fn duty_reports(process: &Process, now: Instant) -> Vec<DutyTold> {
    let duties = process.signs.every_duty(now).into_iter();
    let told = duties.map(|(name, every, done)| DutyTold {
        duty: name.to_owned(),
        every_seconds: every.as_secs_f64(),
        done_seconds: done.map(|done| done.as_secs_f64()),
    });
    told.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_duties_of_a_second_run_in_the_same_moment_after_their_first_run() {
        let each_second = (0..DUTIES.len()).filter(|place| DUTIES[*place].every == SPREAD);
        let moments: Vec<Duration> = each_second.map(apart).collect();
        assert!(moments.len() > 5 && moments.iter().all(|moment| *moment < SPREAD), "{moments:?}");
        assert!(moments.windows(2).all(|two| two[0] + SPREAD / 40 < two[1]), "{moments:?}");
        assert!((0..DUTIES.len()).all(|place| apart(place) < DUTIES[place].every), "no turn is left out");
    }

    #[test]
    fn a_dear_look_that_found_nothing_is_made_less_often_and_a_seldom_one_as_often_as_ever() {
        let (second, minute) = (Duration::from_secs(1), Duration::from_mins(1));
        assert_eq!(after_nothing(second, Duration::from_millis(5)), second);
        assert_eq!(after_nothing(second, Duration::from_millis(100)), second * 3);
        assert_eq!(after_nothing(second, second), LONGEST_REST);
        assert_eq!(after_nothing(minute, minute), minute);
    }
}
