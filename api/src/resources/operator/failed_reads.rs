//! Failed reads that could be run again, counted by the account that paid: the answer of `/operator/failed-reads`
//! (contract §11).

use crate::http::text::{MinuteCount, Text, Time};
use chrono::{DateTime, Utc};
use domain::minutes::Minutes;
use poem_openapi::Object;
use store::jobs::RerunOf;

/// The failed reads that one account paid for.
#[derive(Debug, Object)]
pub struct FailedReadsOfAccount {
    /// The account, which pays for running them again.
    pub account_id: Text,
    /// How many there are.
    pub count: i64,
    /// The cloud minutes that were held for them.
    pub estimated_minutes: MinuteCount,
}

/// Failed reads that could be run again.
#[derive(Debug, Object)]
pub struct FailedReads {
    /// Reads whose job was created at or after this time.
    pub since: Time,
    /// Reads whose job was created before this time.
    pub until: Time,
    /// How many there are.
    pub count: i64,
    /// The cloud minutes that were held for them when they were started. As many are held again, unless the rates have
    /// changed; a read that can't be held is skipped, and one that succeeds is charged no more than was held for it.
    pub estimated_minutes: MinuteCount,
    /// By the account that paid, which pays again; the one with the most first.
    pub accounts: Vec<FailedReadsOfAccount>,
}

impl FailedReads {
    /// Returns what was found between `since` and `until`, account by account.
    pub fn of(since: DateTime<Utc>, until: DateTime<Utc>, found: &[RerunOf]) -> Self {
        let minutes = |held: i64| MinuteCount(Minutes::from_hundredths(held));
        let account = |one: &RerunOf| FailedReadsOfAccount {
            account_id: Text::of(one.account_id),
            count: one.count,
            estimated_minutes: minutes(one.minutes),
        };
        Self {
            since: Time(since),
            until: Time(until),
            count: found.iter().map(|one| one.count).sum(),
            estimated_minutes: minutes(found.iter().map(|one| one.minutes).sum()),
            accounts: found.iter().map(account).collect(),
        }
    }
}
