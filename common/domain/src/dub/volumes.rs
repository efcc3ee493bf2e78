//! How loud the sounds of a dub are. The dub is mixed with these numbers, and its timeline has them: so the timeline,
//! rendered, sounds as the dub does.

use crate::timeline::{LOUDEST, Ratio};
use serde::{Deserialize, Serialize};

/// The largest gain of a sound, in decibels: the largest volume of a timeline.
pub const MOST_GAIN_DB: f64 = 12.041;

/// The volumes of a dub's sounds, which are measured when it is mixed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Volumes {
    /// The volume of the voices.
    pub voices: Ratio,
    /// The volume of the item's own sound where nobody speaks; `None` if it is not kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub background: Option<Ratio>,
}

impl Volumes {
    /// Returns the volume for a gain in decibels, at most [`LOUDEST`].
    #[expect(clippy::cast_possible_truncation, reason = "the range is made sure of first")]
    pub fn of_gain(db: f64) -> Ratio {
        let millionths = (10_f64.powf(db / 20.0) * f64::from(Ratio::ONE.0)).round();
        Ratio(millionths.clamp(0.0, f64::from(LOUDEST.0)) as i32)
    }
}
