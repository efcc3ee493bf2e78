//! The time axis: which seconds get a label, and how a time is written.

/// The intervals between two labels to choose from, in seconds.
const STEPS: [f64; 19] = [
    0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 900.0, 1_800.0, 3_600.0, 7_200.0,
    14_400.0, 28_800.0,
];

/// Returns the seconds that get a label: at regular intervals from 0 on, at most `most` + 1 of them.
pub fn labels(seconds: f64, most: usize) -> Vec<f64> {
    #[expect(clippy::cast_precision_loss, reason = "there are few labels")]
    let least = seconds / most.max(1) as f64;
    let step = STEPS.into_iter().find(|step| *step >= least).unwrap_or_else(|| (least / 86_400.0).ceil() * 86_400.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "as few as `most`")]
    let steps = (seconds / step).max(0.0) as u32;
    (0..=steps).map(|number| f64::from(number) * step).collect()
}

/// Returns a time as people write it: `0:07`, `2:05`, `1:00:00`; below ten seconds with a tenth, unless that is 0.
pub fn clock(seconds: f64) -> String {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "media times are small and positive")]
    let tenths = (seconds.max(0.0) * 10.0).round() as u64;
    let (whole, tenth) = (tenths / 10, tenths % 10);
    let (hours, minutes, left) = (whole / 3_600, whole / 60 % 60, whole % 60);
    if hours > 0 {
        return format!("{hours}:{minutes:02}:{left:02}");
    }
    let tenth = if whole < 10 && tenth > 0 { format!(".{tenth}") } else { String::new() };
    format!("{minutes}:{left:02}{tenth}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_few_round_and_within_the_media() {
        assert_eq!(labels(34.0, 10), [0.0, 5.0, 10.0, 15.0, 20.0, 25.0, 30.0]);
        assert_eq!(labels(0.25, 10), [0.0, 0.1, 0.2]);
        assert_eq!(labels(86_400.0, 8).len(), 7);
        assert_eq!(labels(1e7, 8).len(), 8);
    }

    #[test]
    fn times_are_written_as_people_do() {
        assert_eq!([0.0, 7.26, 125.0, 3_600.0, 59.96].map(clock), ["0:00", "0:07.3", "2:05", "1:00:00", "1:00"]);
    }
}
