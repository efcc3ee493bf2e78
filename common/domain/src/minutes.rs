//! Cloud minutes as whole hundredths: the ledger's only unit.
//!
//! Money-like amounts are never floats here or in SQL. Only JSON shows them as floats: numbers with at most two
//! decimals.

use crate::read::Read;
use crate::task::Task;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::iter::Sum;
use std::ops::{Add, AddAssign, Sub, SubAssign};

/// An amount of cloud minutes in hundredths of a minute. May be negative in a journal entry, never in a balance.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, sqlx::Type)]
#[sqlx(transparent)]
pub struct Minutes(i64);

impl Minutes {
    /// No minutes.
    pub const ZERO: Self = Self(0);

    /// From hundredths of a minute.
    pub const fn from_hundredths(hundredths: i64) -> Self {
        Self(hundredths)
    }

    /// From whole minutes.
    pub const fn from_whole(minutes: i64) -> Self {
        Self(minutes * 100)
    }

    /// The amount in hundredths of a minute.
    pub const fn hundredths(self) -> i64 {
        self.0
    }

    /// The price of `duration_ms` of media at this rate (minutes charged for a minute of media): rounded up to a
    /// hundredth, at least one hundredth (contract §10).
    #[must_use]
    pub fn price(self, duration_ms: i64) -> Self {
        let duration_ms = i128::from(duration_ms.max(0));
        let exact = i128::from(self.0) * duration_ms;
        let hundredths = (exact + 59_999) / 60_000;
        Self(i64::try_from(hundredths).unwrap_or(i64::MAX).max(1))
    }

    /// Returns what is left when `other` is taken off, or zero. Unlike that of `i64`, it never goes below zero.
    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        if other.0 >= self.0 { Self::ZERO } else { Self(self.0 - other.0) }
    }
}

/// Minutes charged for a minute of media, by read and for a render (contract §10).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rates {
    /// By the read (`read as usize`).
    reads: [Minutes; Read::ALL.len()],
    render: Minutes,
}

/// Minutes charged for a minute of media where no setting says otherwise (contract §2).
const fn default_rate(task: Task) -> Minutes {
    Minutes(match task {
        Task::Read(Read::Transcript | Read::SearchIndex) => 100,
        Task::Read(Read::Speakers) | Task::Render => 50,
        Task::Read(Read::Speech | Read::Beats) => 25,
        Task::Read(Read::Levels) => 10,
    })
}

impl Default for Rates {
    fn default() -> Self {
        let mut rates = Self { reads: [Minutes(0); Read::ALL.len()], render: Minutes(0) };
        for task in Task::ALL {
            rates.set(task, default_rate(task));
        }
        rates
    }
}

impl Rates {
    /// The rate of a read, or of a render.
    pub fn of(&self, task: impl Into<Task>) -> Minutes {
        match task.into() {
            Task::Read(read) => self.reads[read as usize],
            Task::Render => self.render,
        }
    }

    const fn set(&mut self, task: Task, rate: Minutes) {
        match task {
            Task::Read(read) => self.reads[read as usize] = rate,
            Task::Render => self.render = rate,
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
            let task = Task::from_name(name).ok_or_else(|| format!("`{name}` is neither a read nor `render`"))?;
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

impl Add for Minutes {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Minutes {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sub for Minutes {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl SubAssign for Minutes {
    fn sub_assign(&mut self, other: Self) {
        self.0 -= other.0;
    }
}

impl Sum for Minutes {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::ZERO, Add::add)
    }
}

impl std::fmt::Display for Minutes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        write!(f, "{sign}{}.{:02}", self.0.unsigned_abs() / 100, self.0.unsigned_abs() % 100)
    }
}

impl std::str::FromStr for Minutes {
    type Err = String;

    /// Parses a text such as `"2"`, `"2.5"` or `"2.50"`. A negative amount is refused.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || format!("`{text}` is not an amount of minutes: zero or more, with at most two decimals");
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let are_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if fraction.len() > 2 || !are_digits(whole) || !are_digits(fraction) {
            return Err(wrong());
        }
        let whole: i64 = whole.parse().map_err(|_| wrong())?;
        let hundredths: i64 = format!("{fraction:0<2}").parse().map_err(|_| wrong())?;
        whole.checked_mul(100).and_then(|whole| whole.checked_add(hundredths)).map(Self).ok_or_else(wrong)
    }
}

impl Serialize for Minutes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0 % 100 == 0 {
            serializer.serialize_i64(self.0 / 100)
        } else {
            // A double of this size is printed with exactly these two decimals.
            #[expect(clippy::cast_precision_loss, reason = "balances stay far below 2^53 hundredths")]
            serializer.serialize_f64(self.0 as f64 / 100.0)
        }
    }
}

impl<'de> Deserialize<'de> for Minutes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = serde_json::Number::deserialize(deserializer)?;
        number.to_string().parse().map_err(serde::de::Error::custom)
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
        let shown =
            r#"{"transcript":1,"search_index":1,"speech":0.25,"speakers":0.5,"beats":0.25,"levels":0.2,"render":2}"#;
        assert_eq!(serde_json::to_string(&rates).unwrap(), shown);
        assert_eq!(rates.of(Task::Render), Minutes::from_whole(2));
        assert!("rendering=1".parse::<Rates>().is_err());
    }
}
