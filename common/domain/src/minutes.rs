//! Cloud minutes as whole hundredths: one of the ledger's two units; the other is `credits`.
//!
//! `hundredths` has what both units share. This file has the rates of tasks, and the price of media by its duration.

use crate::hundredths::hundredths;
use crate::read::Read;
use crate::task::Task;
use serde::{Serialize, Serializer};

hundredths! {
    /// An amount of cloud minutes in hundredths of a minute. May be negative in a journal entry, never in a balance.
    Minutes, "minutes"
}

impl Minutes {
    /// Returns the price of `duration_ms` milliseconds of media at this rate (minutes charged per minute of media):
    /// rounded up to a hundredth, and at least a hundredth (contract §10).
    #[must_use]
    pub fn price(self, duration_ms: i64) -> Self {
        let duration_ms = i128::from(duration_ms.max(0));
        let exact = i128::from(self.0) * duration_ms;
        let hundredths = (exact + 59_999) / 60_000;
        Self(i64::try_from(hundredths).unwrap_or(i64::MAX).max(1))
    }

    /// Returns the most milliseconds of media that these minutes pay for at this rate; 0 if the rate is 0.
    pub fn pays_for_ms(self, minutes: Self) -> i64 {
        let exact = (i128::from(minutes.0.max(0)) * 60_000).checked_div(i128::from(self.0.max(0))).unwrap_or(0);
        i64::try_from(exact).unwrap_or(i64::MAX)
    }
}

/// Minutes charged per minute of media, for each read, for renders, for generations by built-in engines and for dubs
/// (contract §10).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rates {
    /// By read (`read as usize`).
    reads: [Minutes; Read::ALL.len()],
    render: Minutes,
    generation: Minutes,
    dub: Minutes,
}

/// Returns the default minutes charged per minute of media (contract §2).
const fn default_rate(task: Task) -> Minutes {
    Minutes(match task {
        Task::Read(Read::Transcript | Read::SearchIndex) | Task::Dub => 100,
        Task::Read(Read::Speakers) | Task::Render | Task::Generation => 50,
        Task::Read(Read::Speech | Read::Beats) => 25,
        Task::Read(Read::Levels) => 10,
    })
}

impl Default for Rates {
    fn default() -> Self {
        let zero = Minutes(0);
        let mut rates = Self { reads: [zero; Read::ALL.len()], render: zero, generation: zero, dub: zero };
        for task in Task::ALL {
            rates.set(task, default_rate(task));
        }
        rates
    }
}

impl Rates {
    /// Returns the rate of a read, of renders, of generations by built-in engines, or of dubs.
    pub fn of(&self, task: impl Into<Task>) -> Minutes {
        match task.into() {
            Task::Read(read) => self.reads[read as usize],
            Task::Render => self.render,
            Task::Generation => self.generation,
            Task::Dub => self.dub,
        }
    }

    const fn set(&mut self, task: Task, rate: Minutes) {
        match task {
            Task::Read(read) => self.reads[read as usize] = rate,
            Task::Render => self.render = rate,
            Task::Generation => self.generation = rate,
            Task::Dub => self.dub = rate,
        }
    }
}

impl std::str::FromStr for Rates {
    type Err = String;

    /// Parses a text such as `transcript=1,render=0.5`. A task that is not named keeps its default rate.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut rates = Self::default();
        for pair in text.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
            let (name, rate) = pair.split_once('=').ok_or_else(|| format!("`{pair}` is not read=rate"))?;
            let task = Task::from_name(name)
                .ok_or_else(|| format!("`{name}` is neither a read nor `render`, `generation` or `dub`"))?;
            rates.set(task, rate.parse()?);
        }
        Ok(rates)
    }
}

impl Serialize for Rates {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(Task::ALL.map(|task| (task.name(), self.of(task))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_is_rounded_up_to_a_hundredth_and_never_nothing() {
        let rate = Minutes::from_hundredths(25);
        assert_eq!(rate.price(60_000), Minutes::from_hundredths(25));
        assert_eq!(rate.price(60_001), Minutes::from_hundredths(26));
        assert_eq!(rate.price(0), Minutes::from_hundredths(1));
        assert_eq!(Minutes::from_whole(1).price(86_400_000), Minutes::from_whole(1440));
    }

    #[test]
    fn what_minutes_pay_for_is_no_less_than_what_they_are_the_price_of() {
        for (hundredths, ms) in [(50, 60_000), (25, 1), (100, 59_999), (7, 123_456)] {
            let rate = Minutes::from_hundredths(hundredths);
            let paid_ms = rate.pays_for_ms(rate.price(ms));
            assert!(paid_ms >= ms && rate.price(paid_ms) == rate.price(ms), "{hundredths}: {ms} and {paid_ms}");
        }
        assert_eq!(Minutes::ZERO.pays_for_ms(Minutes::from_whole(1)), 0, "what is free has no length");
    }

    #[test]
    fn json_shows_at_most_two_decimals() {
        let shown = |hundredths| serde_json::to_string(&Minutes::from_hundredths(hundredths)).unwrap_or_default();
        assert_eq!(shown(250), "2.5");
        assert_eq!(shown(9750), "97.5");
        assert_eq!(shown(1), "0.01");
        assert_eq!(shown(100), "1");
        assert_eq!(serde_json::from_str::<Minutes>("2.31").ok(), Some(Minutes::from_hundredths(231)));
        assert!(serde_json::from_str::<Minutes>("2.311").is_err());
    }

    #[test]
    fn an_amount_that_is_negative_or_too_large_or_no_number_is_refused() {
        for text in ["-0.5", "-1", "-0", "+1", "92233720368547758.08", "", ".5", "1.", "1.2.3", "1e3"] {
            let parsed = text.parse::<Minutes>();
            assert_eq!(parsed.is_ok(), text == "1.", "{text}: {parsed:?}");
        }
        assert!(serde_json::from_str::<Minutes>("-0.5").is_err());
    }

    #[test]
    fn a_rate_that_is_not_set_keeps_its_default() {
        let rates: Rates = "levels=0.2, render=2".parse().unwrap();
        let shown = concat!(
            r#"{"transcript":1,"search_index":1,"speech":0.25,"speakers":0.5,"beats":0.25,"levels":0.2,"#,
            r#""render":2,"generation":0.5,"dub":1}"#
        );
        assert_eq!(serde_json::to_string(&rates).unwrap(), shown);
        assert_eq!(rates.of(Task::Render), Minutes::from_whole(2));
        assert!("rendering=1".parse::<Rates>().is_err());
    }
}
