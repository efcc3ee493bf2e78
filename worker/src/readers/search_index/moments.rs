//! The moments of a video: its shots. Pure. The speech in each is joined when they are read (`domain::footage`).

use crate::readers::stored::thousandths;
use serde::Serialize;

/// Cuts closer than this many seconds count as one: a flash, a torn frame.
const CLOSEST: f64 = 0.5;
/// A still is taken this long after the cut, in seconds, or in the middle of a shorter shot.
const STILL_AFTER: f64 = 1.0;

/// A shot of a video.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Moment {
    /// `m1`, `m2`, …
    pub(super) id: String,
    /// Its start, in seconds from the media's start.
    pub(super) start: f64,
    /// Its end, in seconds from the media's start.
    pub(super) end: f64,
    /// The key of its still in the media store.
    pub(super) thumbnail: Option<String>,
}

impl Moment {
    /// Returns the second that its still shows.
    pub(super) fn still_second(&self) -> f64 {
        self.start + STILL_AFTER.min((self.end - self.start) / 2.0)
    }
}

/// Returns the shots between these changes in a video of `seconds` seconds.
pub(super) fn moments(changes: &[f64], seconds: f64) -> Vec<Moment> {
    let mut starts = vec![0.0];
    for change in changes {
        let last = starts.last().copied().unwrap_or(0.0);
        if change - last >= CLOSEST && *change < seconds {
            starts.push(*change);
        }
    }
    let ends = starts.iter().skip(1).copied().chain([seconds]);
    let moment = |(number, (start, end)): (usize, (&f64, f64))| Moment {
        id: format!("m{}", number + 1),
        start: thousandths(*start),
        end: thousandths(end),
        thumbnail: None,
    };
    starts.iter().zip(ends).enumerate().map(moment).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_cuts_are_one_and_shots_fill_the_video() {
        let found = moments(&[0.2, 2.0, 2.3, 5.0, 9.0], 8.0);
        let spans: Vec<_> = found.iter().map(|moment| (moment.id.as_str(), moment.start, moment.end)).collect();
        assert_eq!(spans, [("m1", 0.0, 2.0), ("m2", 2.0, 5.0), ("m3", 5.0, 8.0)]);
        assert!((found[0].still_second() - 1.0).abs() < 1e-9);
        assert_eq!(moments(&[], 0.4).len(), 1);
    }
}
