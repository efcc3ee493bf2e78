//! The numbers of a timeline: times in whole microseconds, and fractions in whole millionths.
//!
//! In documents and operations, a time is a JSON number of seconds, and a fraction a plain one. A number beyond all
//! that a timeline can have is read as the furthest one, which every field refuses by its name and with its bounds.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Microseconds in a second, and millionths in one.
const MILLION: f64 = 1e6;
/// The largest number that is kept, with either sign: more seconds than a timeline lasts, and more than any volume.
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

    /// Makes a time from seconds; from more of them than any medium has, the furthest time.
    pub fn from_seconds(seconds: f64) -> Self {
        Self(millionths(seconds))
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

/// Returns the number in millionths, or the furthest one of its sign.
#[expect(clippy::cast_possible_truncation, reason = "it is clamped first")]
fn millionths(number: f64) -> i64 {
    (number.clamp(-MOST, MOST) * MILLION).round() as i64
}

impl Serialize for Micros {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.seconds())
    }
}

impl<'de> Deserialize<'de> for Micros {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        f64::deserialize(deserializer).map(Self::from_seconds)
    }
}

impl Serialize for Ratio {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.number())
    }
}

impl<'de> Deserialize<'de> for Ratio {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let parts = f64::deserialize(deserializer).map(millionths)?;
        let furthest = if parts < 0 { i32::MIN } else { i32::MAX };
        Ok(Self(i32::try_from(parts).unwrap_or(furthest)))
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
        for wrong in ["\"1\"", "null"] {
            assert!(serde_json::from_str::<Micros>(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_number_beyond_all_fields_is_the_furthest_one() {
        for (far, us, ratio) in [("1e308", 1_000_000_000_000, i32::MAX), ("-1e300", -1_000_000_000_000, i32::MIN)] {
            assert_eq!(serde_json::from_str::<Micros>(far).unwrap(), Micros(us));
            assert_eq!(serde_json::from_str::<Ratio>(far).unwrap(), Ratio(ratio));
        }
    }
}
