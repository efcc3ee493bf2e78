//! How jobs and deliveries failed of late, as the operators' route and the console's page show it: those that failed
//! alike are one kind.

use crate::app::App;
use crate::http::error::Answer;
use chrono::{DateTime, TimeDelta, Utc};
use domain::verdict::thresholds::NEW_KIND_HOURS;
use sqlx::PgConnection;
use std::cmp::Reverse;
use store::deliveries::{self, DeliveryFailureGroup};
use store::inspect;
use store::jobs::{self, FailureGroup};
use store::verdict::{self, ProcessRow};

/// From how many hours back failures are shown.
pub const HOURS: usize = 24;
/// The release of this process.
pub const RELEASE: &str = env!("CARGO_PKG_VERSION");
/// The newest jobs that failed, and deliveries, that are looked through.
const WINDOW: i64 = 20_000;
/// The most kinds of each that are shown.
const MOST: usize = 100;

/// The kinds of failures of a day.
pub struct Failures {
    /// The kinds: new ones first, then those that came with the release, then those with the most jobs of late.
    pub kinds: Vec<FailureKind>,
    /// Whether there are more. Those that failed last are shown.
    pub more: bool,
    /// Since when jobs that failed were looked through, by when they were made; none if no job failed.
    pub looked_from: Option<DateTime<Utc>>,
    /// Since when workers of this release have run, if that tells something of these kinds.
    pub upgraded: Option<DateTime<Utc>>,
    /// How deliveries failed.
    pub deliveries: FailedDeliveries,
    /// When both were looked through.
    pub now: DateTime<Utc>,
}

/// The kinds of failed deliveries of a day: those whose last attempt failed, for good or so far.
pub struct FailedDeliveries {
    /// The kinds: those with something that is unsent or tried again first, and of these those with the most
    /// deliveries.
    pub kinds: Vec<DeliveryFailureGroup>,
    /// Whether there are more, which are not shown.
    pub more: bool,
    /// When the oldest delivery that was looked through was made; none if none failed.
    pub looked_from: Option<DateTime<Utc>>,
}

/// Jobs that failed alike.
pub struct FailureKind {
    /// What they have in common.
    pub group: FailureGroup,
    /// Whether it was first seen within the last hour.
    pub is_new: bool,
    /// Whether it was not seen before workers of this release ran.
    pub came_with_release: bool,
    /// How many failed in each hour, the last hour at the end.
    pub by_hour: [u32; HOURS],
}

/// Looks through the newest failed jobs for those of a day, and through the newest deliveries.
pub async fn failures(app: &App) -> Answer<Failures> {
    let mut conn = app.pages.acquire().await?;
    let groups = grouped(&mut conn).await?;
    judged(&mut conn, groups).await
}

/// The same for a page, which may be open in many tabs: both are looked through once for all who look within seconds.
pub async fn shown_failures(app: &App) -> Answer<Failures> {
    let now = inspect::now(&mut *app.pages.acquire().await?).await?;
    let look = async { grouped(&mut *app.pages.acquire().await?).await };
    let found = app.failures.at(now, look).await?;
    judged(&mut *app.pages.acquire().await?, (*found).clone()).await
}

/// The jobs that failed, and the deliveries, those that failed alike as one.
type Groups = (Vec<FailureGroup>, Vec<DeliveryFailureGroup>);

async fn grouped(conn: &mut PgConnection) -> sqlx::Result<Groups> {
    let hours = i32::try_from(HOURS).unwrap_or(i32::MAX);
    let limit = i64::try_from(MOST + 1).unwrap_or(i64::MAX);
    let failed = jobs::failures(&mut *conn, hours, WINDOW, limit).await?;
    Ok((failed, deliveries::failures(conn, hours, WINDOW, limit).await?))
}

async fn judged(conn: &mut PgConnection, (failed, sent): Groups) -> Answer<Failures> {
    let now = inspect::now(&mut *conn).await?;
    let processes = verdict::processes(conn).await?;
    Ok(Failures::of(failed, FailedDeliveries::of(sent), &processes, now))
}

impl FailedDeliveries {
    fn of(mut kinds: Vec<DeliveryFailureGroup>) -> Self {
        let more = kinds.len() > MOST;
        kinds.truncate(MOST);
        let looked_from = kinds.first().map(|kind| kind.looked_from);
        Self { kinds, more, looked_from }
    }
}

impl Failures {
    /// Judges groups, of which those with the latest failure come first.
    fn of(
        mut groups: Vec<FailureGroup>,
        deliveries: FailedDeliveries,
        processes: &[ProcessRow],
        now: DateTime<Utc>,
    ) -> Self {
        let more = groups.len() > MOST;
        groups.truncate(MOST);
        let looked_from = groups.first().map(|group| group.looked_from);
        let upgraded = looked_from.and_then(|looked_from| upgraded_at(processes, looked_from, now));
        let mut kinds: Vec<_> = groups.into_iter().map(|group| FailureKind::of(group, now, upgraded)).collect();
        kinds.sort_by_key(|kind| {
            let marks = (kind.is_new, kind.came_with_release);
            (Reverse(marks), Reverse(kind.by_hour[HOURS - 1]), Reverse(kind.group.jobs))
        });
        Self { kinds, more, looked_from, upgraded, deliveries, now }
    }
}

impl FailureKind {
    fn of(group: FailureGroup, now: DateTime<Utc>, upgraded: Option<DateTime<Utc>>) -> Self {
        Self {
            is_new: now - group.first_at < TimeDelta::hours(NEW_KIND_HOURS.into()),
            came_with_release: upgraded.is_some_and(|upgraded| group.first_at >= upgraded),
            by_hour: by_hour(&group),
            group,
        }
    }
}

/// Returns when the first of the running workers of this release began. None if that is a day ago or more, or if no job
/// from before was looked through: then nothing tells what failed before.
fn upgraded_at(processes: &[ProcessRow], looked_from: DateTime<Utc>, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let own = processes.iter().filter(|one| one.service == "worker" && one.version == RELEASE);
    let began = own.map(|one| one.started_at).min()?;
    (now - began < TimeDelta::hours(24) && looked_from < began).then_some(began)
}

fn by_hour(group: &FailureGroup) -> [u32; HOURS] {
    let mut hours = [0; HOURS];
    for ago in &group.hours_ago {
        let ago = usize::try_from(*ago).unwrap_or(0).min(HOURS - 1);
        hours[HOURS - 1 - ago] += 1;
    }
    hours
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ids::{DeliveryId, EndpointId, JobId};
    use domain::job::JobKind;
    use domain::read::Read;

    fn now() -> DateTime<Utc> {
        DateTime::from_timestamp(1_800_000_000, 0).expect("a time")
    }

    fn group(first_hours_ago: i64, hours_ago: &[i32]) -> FailureGroup {
        FailureGroup {
            kind: JobKind::Read,
            read: Some(Read::Levels),
            code: "internal".to_owned(),
            words: String::new(),
            jobs: 1,
            payers: 1,
            first_at: now() - TimeDelta::hours(first_hours_ago),
            last_at: now(),
            sample: JobId::mint(),
            hours_ago: hours_ago.to_vec(),
            looked_from: now() - TimeDelta::hours(30),
        }
    }

    fn refused() -> DeliveryFailureGroup {
        DeliveryFailureGroup {
            host: "example.com".to_owned(),
            error: "http_status".to_owned(),
            response_status: Some(503),
            deliveries: 1,
            pending: 1,
            sent_again: 0,
            arrived: 0,
            unsent: 0,
            endpoints: 1,
            accounts: 1,
            first_at: now(),
            last_at: now(),
            sample: DeliveryId::mint(),
            endpoint: EndpointId::mint(),
            looked_from: now(),
        }
    }

    fn process(service: &str, version: &str, hours_ago: i64) -> ProcessRow {
        ProcessRow {
            name: service.to_owned(),
            service: service.to_owned(),
            host: "h".to_owned(),
            version: version.to_owned(),
            tasks: Vec::new(),
            slots: 1,
            busy: 0,
            started_at: now() - TimeDelta::hours(hours_ago),
            beat_at: now(),
            lives_seconds: 1.0,
            silent_seconds: 1.0,
            successor_left: false,
            clock_ahead_ms: None,
        }
    }

    #[test]
    fn failures_stand_in_their_hours_and_a_kind_that_was_not_seen_before_is_new() {
        let kind = |upgraded| FailureKind::of(group(3, &[0, 0, 3, 23, 24]), now(), upgraded);
        let hours = kind(None).by_hour;
        assert_eq!((hours[HOURS - 1], hours[HOURS - 4], hours[0], hours.iter().sum::<u32>()), (2, 1, 2, 5));
        assert!(FailureKind::of(group(0, &[0]), now(), None).is_new && !kind(None).is_new);
        let came = |hours_ago: i64| kind(Some(now() - TimeDelta::hours(hours_ago))).came_with_release;
        assert!(came(4) && !came(2) && !kind(None).came_with_release);
    }

    #[test]
    fn a_release_counts_from_the_first_of_its_workers_where_older_jobs_were_looked_through() {
        let ago = |hours: i64| now() - TimeDelta::hours(hours);
        let own = [process("worker", RELEASE, 2), process("worker", RELEASE, 5), process("scheduler", RELEASE, 9)];
        assert_eq!(upgraded_at(&own, ago(6), now()), Some(ago(5)));
        assert_eq!(upgraded_at(&own, ago(5), now()), None, "nothing from before it was looked through");
        assert_eq!(upgraded_at(&[process("worker", RELEASE, 24)], ago(40), now()), None, "a day ago");
        assert_eq!(upgraded_at(&[process("worker", "0.0.0-other", 2)], ago(6), now()), None, "another release");
    }

    #[test]
    fn new_kinds_come_first_then_those_of_the_release_and_a_hundred_are_all() {
        let groups = vec![group(9, &[0, 0]), group(3, &[1]), group(0, &[0]), group(9, &[0, 0, 0])];
        let sent = |kinds: usize| FailedDeliveries::of((0..kinds).map(|_| refused()).collect());
        let (cut, whole) = (sent(MOST + 1), sent(MOST));
        assert_eq!([cut.kinds.len(), whole.kinds.len()], [MOST, MOST]);
        assert!(cut.more && !whole.more && whole.looked_from == Some(now()));
        let none = || FailedDeliveries::of(Vec::new());
        let found = Failures::of(groups, none(), &[process("worker", RELEASE, 5)], now());
        let order: Vec<TimeDelta> = found.kinds.iter().map(|kind| now() - kind.group.first_at).collect();
        assert_eq!(order, [0, 3, 9, 9].map(TimeDelta::hours));
        assert_eq!(found.kinds[2].by_hour[HOURS - 1], 3, "of two that are alike the one with more of late");
        assert!(!found.more && found.upgraded.is_some() && found.looked_from.is_some());
        let many = Failures::of((0..=MOST).map(|_| group(3, &[1])).collect(), none(), &[], now());
        assert!(many.more && many.kinds.len() == MOST);
        assert!(Failures::of(Vec::new(), none(), &[], now()).looked_from.is_none());
    }
}
