//! Numbers of pixels and degrees of a canvas, stored as whole thousandths so that one canvas has exactly one plan. A
//! number beyond all that a canvas can have is read as the furthest one, which every field refuses by its name.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The thousandths in one.
const THOUSAND: f64 = 1e3;
/// The largest number that is kept, with either sign.
const MOST: f64 = 1e6;

/// A number of pixels or of degrees, in thousandths.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Milli(pub i32);

impl Milli {
    /// Zero.
    pub const ZERO: Self = Self(0);

    /// Returns this whole number.
    pub fn whole(number: u32) -> Self {
        Self(i32::try_from(number).unwrap_or(i32::MAX / 1_000).saturating_mul(1_000))
    }

    /// Returns the number as JSON has it.
    pub fn number(self) -> f64 {
        f64::from(self.0) / THOUSAND
    }
}

impl Serialize for Milli {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.number())
    }
}

impl<'de> Deserialize<'de> for Milli {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = f64::deserialize(deserializer)?;
        #[expect(clippy::cast_possible_truncation, reason = "it is clamped first")]
        Ok(Self((number.clamp(-MOST, MOST) * THOUSAND).round() as i32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_from_their_json_to_the_thousandth() {
        for thousandths in [0, 1, -1, 33_333, 8_192_000, -16_384_000] {
            let json = serde_json::to_string(&Milli(thousandths)).unwrap();
            assert_eq!(serde_json::from_str::<Milli>(&json).unwrap(), Milli(thousandths), "{json}");
        }
        for wrong in ["\"1\"", "null"] {
            assert!(serde_json::from_str::<Milli>(wrong).is_err(), "{wrong}");
        }
        assert_eq!(serde_json::from_str::<Milli>("1e308").unwrap(), Milli(1_000_000_000), "the furthest one");
        assert_eq!(serde_json::from_str::<Milli>("-1e308").unwrap(), Milli(-1_000_000_000), "the furthest one");
    }
}
