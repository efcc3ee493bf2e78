//! The rate limit as callers see it, and a memory of who is over it (contract §8.1).
//!
//! The database decides, in the authentication statement, which returns one instant of the account. Here that instant
//! becomes the three headers. A refused credential is remembered until it may call again, a second at most, and is
//! refused without a query; then the database is asked again, so that its clock is the one that counts.

use crate::http::error::{ApiError, Code};
use chrono::{DateTime, Utc};
use domain::ids::AccountId;
use moka::future::Cache;
use runtime::config::Settings;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use store::credentials::Pace;
use store::paces::{A_DAY_US, ASKED_IN_VAIN, MOST_PINGS_A_DAY, MOST_RESENT_A_DAY, MOST_UNPAID_A_DAY, PaceWait, Paced};
use tokio::time::Instant;

const REMEMBERED: Duration = Duration::from_secs(1);
const MOST_REMEMBERED: u64 = 100_000;

/// The rate of an account by the settings.
pub fn pace(settings: &Settings) -> Pace {
    Pace::new(settings.rate_per_minute, settings.rate_burst)
}

/// How far ahead of now resends may take an account, in microseconds: its receivers then have an hour of them to come.
const AN_HOUR_US: i64 = 3_600_000_000;

/// Microseconds that a byte of a kept answer counts for: a day holds `kept_answers_bytes` of them.
pub fn kept_byte_us(settings: &Settings) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a pace, not an amount")]
    let most = settings.kept_answers_bytes.max(1) as f64;
    Duration::from_hours(24).as_secs_f64() * 1e6 / most
}

/// Returns these paces, each with the microseconds that an account may be ahead of now in it, for
/// `paces::longest_wait`.
pub fn most(settings: &Settings, paced: &[Paced]) -> Vec<(Paced, i64)> {
    paced.iter().map(|&what| (what, most_us(settings, what))).collect()
}

/// Microseconds that an account may be ahead of now in this pace.
pub fn most_us(settings: &Settings, what: Paced) -> i64 {
    match what {
        Paced::StoppedJobs => pace(settings).ahead_us,
        Paced::Resends => AN_HOUR_US,
        Paced::UnpaidJobsADay
        | Paced::ResendsADay
        | Paced::PingsADay
        | Paced::KeptAnswers
        | Paced::UnpaidProcessorTime
        | Paced::AgentAsks => A_DAY_US,
    }
}

/// The refusal of an account that is too far ahead.
pub fn too_soon(PaceWait { what, seconds }: PaceWait) -> ApiError {
    let message = match what {
        Paced::StoppedJobs => {
            format!(
                "The account has stopped many jobs. What they led to is sent at its rate; jobs start again in {seconds} s."
            )
        }
        Paced::UnpaidJobsADay => format!(
            "{MOST_UNPAID_A_DAY} of the account's jobs were stopped, or failed for what was asked or for its media, within \
             a day, which is the most (one for which a provider was asked may count as {ASKED_IN_VAIN}): the errors of \
             those that failed say why. Jobs start again in {seconds} s."
        ),
        Paced::UnpaidProcessorTime => format!(
            "The account's media and jobs have used up a day's processor time that nobody paid for: jobs that failed, were \
             stopped or took far more work than usual. Jobs and uploads start again in {seconds} s."
        ),
        Paced::Resends => {
            format!(
                "What the account has sent again takes more than an hour at its rate. More can be sent again in {seconds} s."
            )
        }
        Paced::ResendsADay => format!(
            "The account has sent {MOST_RESENT_A_DAY} deliveries again within a day, which is the most. More can be sent again \
             in {seconds} s."
        ),
        Paced::PingsADay => format!(
            "The account has sent {MOST_PINGS_A_DAY} pings within a day, which is the most. Another can be sent in {seconds} s."
        ),
        Paced::AgentAsks => {
            format!(
                "The model was asked for the account as often as it may be within a day. It is again in {seconds} s."
            )
        }
        Paced::KeptAnswers => format!(
            "The answers kept for the account's idempotency keys are as many bytes as may be kept in a day. Another can be kept \
             in {seconds} s."
        ),
    };
    ApiError::new(Code::RateLimited, message).retry_after(seconds)
}

/// The rate as `RateLimit-Policy` has it (the IETF's draft): `q` requests within `w` seconds. Used ones come back
/// evenly over that time.
pub fn policy(settings: &Settings) -> String {
    let seconds = (u64::from(settings.rate_burst) * 60).div_ceil(u64::from(settings.rate_per_minute.max(1)));
    format!("\"account\";q={};w={}", settings.rate_burst, seconds.max(1))
}

/// The values of the rate headers for a caller (contract §5.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// Requests that may be sent at once after a pause: the greatest value of `remaining`.
    pub limit: u32,
    /// Requests that may be sent at once now.
    pub remaining: u32,
    /// When `remaining` is whole again, in unix seconds.
    pub reset: i64,
    /// How long to wait until one more request passes; none when one does now.
    pub wait: Option<Duration>,
}

impl Standing {
    /// Computes it from the account's instant, as the database left it after this request.
    pub fn at(limit: u32, pace: Pace, arrival: Option<DateTime<Utc>>, now: DateTime<Utc>, passed: bool) -> Self {
        let arrival = arrival.unwrap_or(now).max(now);
        let ahead_us = (arrival - now).num_microseconds().unwrap_or(i64::MAX);
        let free_us = pace.ahead_us + pace.interval_us - ahead_us;
        let remaining = if passed { u32::try_from(free_us / pace.interval_us).unwrap_or(0) } else { 0 };
        let wait_us = u64::try_from(ahead_us - pace.ahead_us).unwrap_or(0).max(1);
        let wait = (!passed).then(|| Duration::from_micros(wait_us));
        let part_of_a_second = i64::from(arrival.timestamp_subsec_nanos() > 0);
        Self { limit, remaining, reset: arrival.timestamp() + part_of_a_second, wait }
    }

    /// The value of `Retry-After`, when no request passes now.
    pub fn retry_after(&self) -> Option<u64> {
        self.wait.map(|wait| wait.as_secs() + u64::from(wait.subsec_nanos() > 0))
    }
}

/// Credentials that this process refused for their rate, each with its account, if it has one, and until an instant.
pub struct Blocked(Cache<[u8; 32], (Option<AccountId>, Standing, Instant)>);

impl Blocked {
    /// An empty memory.
    pub fn new() -> Self {
        Self(Cache::builder().max_capacity(MOST_REMEMBERED).time_to_live(REMEMBERED).build())
    }

    /// Returns the account and the standing of a credential that is still refused.
    pub async fn standing(&self, credential: &[u8; 32]) -> Option<(Option<AccountId>, Standing)> {
        let (account, standing, until) = self.0.get(credential).await?;
        let wait = until.checked_duration_since(Instant::now()).filter(|wait| !wait.is_zero())?;
        Some((account, Standing { wait: Some(wait), ..standing }))
    }

    /// Remembers a refusal.
    pub async fn remember(&self, credential: [u8; 32], account: Option<AccountId>, standing: Standing) {
        if let Some(wait) = standing.wait {
            self.0.insert(credential, (account, standing, Instant::now() + wait)).await;
        }
    }
}

impl Default for Blocked {
    fn default() -> Self {
        Self::new()
    }
}

/// Requests that take access away from somebody, which go first: five at once for each credential and network, and one
/// more a second after that.
pub struct First(Cache<([u8; 32], IpAddr), Arc<Mutex<Instant>>>);

impl First {
    /// The time between two that come one after another without end.
    const INTERVAL: Duration = Duration::from_secs(1);
    /// How far ahead of now the last one may be at that rate.
    const AHEAD: Duration = Duration::from_secs(4);

    /// Nothing has been sent yet.
    pub fn new() -> Self {
        Self(Cache::builder().max_capacity(MOST_REMEMBERED).time_to_idle(Duration::from_mins(1)).build())
    }

    /// Counts such a request of this credential from this network. Returns whether it goes first.
    pub async fn lets_in(&self, credential: [u8; 32], network: IpAddr) -> bool {
        let arrival = self.0.get_with((credential, network), async { Arc::new(Mutex::new(Instant::now())) }).await;
        let mut arrival = arrival.lock().unwrap_or_else(PoisonError::into_inner);
        let next = Self::after(*arrival, Instant::now());
        *arrival = next.unwrap_or(*arrival);
        next.is_some()
    }

    /// The theoretical arrival after one that comes now; none when it does not go first.
    fn after(arrival: Instant, now: Instant) -> Option<Instant> {
        let next = arrival.max(now);
        (next.saturating_duration_since(now) <= Self::AHEAD).then(|| next + Self::INTERVAL)
    }
}

impl Default for First {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACE: Pace = Pace { interval_us: 100_000, ahead_us: 5_900_000 };

    fn at(arrival_us: i64, passed: bool) -> Standing {
        let now = DateTime::from_timestamp_micros(1_000_000_000_000_000).expect("a time");
        Standing::at(60, PACE, Some(now + chrono::TimeDelta::microseconds(arrival_us)), now, passed)
    }

    #[test]
    fn the_first_request_of_a_burst_of_sixty_leaves_fifty_nine() {
        assert_eq!(at(100_000, true), Standing { limit: 60, remaining: 59, reset: 1_000_000_001, wait: None });
        assert_eq!(at(6_000_000, true).remaining, 0);
    }

    #[test]
    fn a_refused_request_waits_for_the_next_place_in_whole_seconds_rounded_up() {
        let refused = at(6_000_000, false);
        assert_eq!(refused.wait, Some(Duration::from_millis(100)));
        assert_eq!(refused.retry_after(), Some(1));
        assert_eq!(refused.remaining, 0);
    }

    #[tokio::test]
    async fn a_refused_credential_is_remembered_until_its_time_has_come() {
        let (blocked, account) = (Blocked::new(), Some(AccountId::mint()));
        blocked.remember([1; 32], account, at(66_500_000, false)).await;
        assert!(blocked.standing(&[1; 32]).await.is_some_and(|(whose, _)| whose == account));
        assert!(blocked.standing(&[2; 32]).await.is_none());
    }

    #[tokio::test]
    async fn five_of_a_credential_go_first_whatever_others_send_from_elsewhere() {
        let (first, here, there) = (First::new(), IpAddr::from([192, 0, 2, 1]), IpAddr::from([192, 0, 2, 2]));
        for _ in 0..5 {
            assert!(first.lets_in([1; 32], here).await);
        }
        let mut refused = 0;
        for _ in 0..100 {
            refused += usize::from(!first.lets_in([1; 32], here).await);
        }
        assert!(refused > 0, "more than five, and one a second, are let in");
        assert!(first.lets_in([1; 32], there).await, "its owner is elsewhere");
        assert!(first.lets_in([2; 32], here).await, "another credential");
    }

    #[test]
    fn of_those_that_come_without_end_one_a_second_goes_first() {
        let begin = Instant::now();
        let mut arrival = begin;
        let passed = (0..1_000_u32).filter(|hundredth| {
            let next = First::after(arrival, begin + Duration::from_millis(10) * *hundredth);
            arrival = next.unwrap_or(arrival);
            next.is_some()
        });
        assert_eq!(passed.count(), 14, "five at once, and nine in the ten seconds");
    }
}
