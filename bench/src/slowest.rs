//! The slowest samples of a round, each with the steps that it consists of: they say where it waited.

use crate::table::percentile;

/// How many are printed.
const PRINTED: usize = 10;

/// A sample that consists of `N` steps.
#[derive(Debug, Clone, Copy)]
pub struct Sample<const N: usize> {
    /// How long each step took, in milliseconds.
    pub steps: [f64; N],
    /// When the last one ended, in microseconds since 1970.
    pub ended_us: i64,
}

impl<const N: usize> Sample<N> {
    fn ms(&self) -> f64 {
        self.steps.iter().sum()
    }
}

/// Prints the p50 and the p99 of each step of all samples, and then the slowest samples, each with the moment (UTC)
/// when it ended.
pub fn print<const N: usize>(what: &str, steps: [&str; N], mut samples: Vec<Sample<N>>) {
    eprintln!("    {what}, {} samples, in ms:", samples.len());
    for (at, step) in steps.iter().enumerate() {
        let times: Vec<f64> = samples.iter().map(|sample| sample.steps[at]).collect();
        eprintln!("      {step}: p50 {:.2}, p99 {:.2}", percentile(&times, 50), percentile(&times, 99));
    }
    samples.sort_by(|one, other| other.ms().total_cmp(&one.ms()));
    for sample in samples.iter().take(PRINTED) {
        let each: Vec<String> = steps.iter().zip(sample.steps).map(|(step, ms)| format!("{step} {ms:.2}")).collect();
        eprintln!("      {}: {:.2}: {}", time_of_day(sample.ended_us), sample.ms(), each.join(", "));
    }
}

/// Returns the time of the day as hours, minutes, seconds and milliseconds.
fn time_of_day(us: i64) -> String {
    let ms = (us / 1_000).rem_euclid(24 * 60 * 60 * 1_000);
    let (seconds, ms) = (ms / 1_000, ms % 1_000);
    format!("{:02}:{:02}:{:02}.{ms:03}", seconds / 3_600, seconds / 60 % 60, seconds % 60)
}
