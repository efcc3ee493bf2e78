//! The numbers of a timeline: times in whole microseconds, and fractions in whole millionths.
//!
//! In documents and operations, a time is a JSON number of seconds, and a fraction a plain one. Values that a timeline
//! can't have are refused when they are read.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Microseconds in a second, and millionths in one.
const MILLION: f64 = 1e6;
/// The largest number that is read, with either sign: more seconds than a timeline lasts, and more than any volume.
const MOST: f64 = 1e6;

/// A time or a duration in microseconds; in JSON, seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Micros(pub i64);

/// A number such as a volume or a place in the picture, in millionths.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ratio(pub i32);

impl Micros {
    /// Zero.
    pub const ZERO: Self = Self(0);

    /// Makes a time from milliseconds.
    pub const fn ms(ms: i64) -> Self {
        Self(ms * 1000)
    }

    /// Returns the time in seconds.
    #[expect(clippy::cast_precision_loss, reason = "media times stay far below 2^53 µs")]
    pub fn seconds(self) -> f64 {
        self.0 as f64 / MILLION
    }

    /// Whether it is zero, and is left out of documents.
    pub const fn is_zero(&self) -> bool {
        self.0 == 0
    }
}

impl Ratio {
    /// One.
    pub const ONE: Self = Self(1_000_000);

    /// Returns the number as JSON has it.
    pub fn number(self) -> f64 {
        f64::from(self.0) / MILLION
    }

    /// Whether it is one, and is left out of documents.
    pub fn is_one(&self) -> bool {
        *self == Self::ONE
    }

    /// One, as the default of fields.
    pub const fn one() -> Self {
        Self::ONE
    }
}

/// Returns the number in millionths; `None` if no timeline can have it.
#[expect(clippy::cast_possible_truncation, reason = "the range is checked first")]
fn millionths(number: f64) -> Option<i64> {
    (number.is_finite() && number.abs() <= MOST).then(|| (number * MILLION).round() as i64)
}

impl Serialize for Micros {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.seconds())
    }
}

impl<'de> Deserialize<'de> for Micros {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let seconds = f64::deserialize(deserializer)?;
        let us = millionths(seconds).ok_or_else(|| serde::de::Error::custom("no time that media can have"))?;
        Ok(Self(us))
    }
}

impl Serialize for Ratio {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.number())
    }
}

impl<'de> Deserialize<'de> for Ratio {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = f64::deserialize(deserializer)?;
        let parts = millionths(number).and_then(|parts| i32::try_from(parts).ok());
        parts.map(Self).ok_or_else(|| serde::de::Error::custom("no number that can stand here"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_come_back_from_their_json_to_the_microsecond() {
        for us in [0, 1, 33_367, 1_000_001, 86_399_999_999] {
            let json = serde_json::to_string(&Micros(us)).unwrap();
            assert_eq!(serde_json::from_str::<Micros>(&json).unwrap(), Micros(us), "{json}");
        }
        for wrong in ["\"1\"", "1e9", "-1e300", "null"] {
            assert!(serde_json::from_str::<Micros>(wrong).is_err(), "{wrong}");
        }
        assert!(serde_json::from_str::<Ratio>("3000").is_err());
    }
}
