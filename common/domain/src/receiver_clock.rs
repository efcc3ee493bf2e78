//! How far a receiver's clock is from ours, by the `Date` of its answer (RFC 9110, section 6.6.1).
//!
//! A receiver refuses a signature whose time is too far from its own clock. In its answer that looks like a wrong
//! secret, so the log says how far the clock was off.

use crate::attempt::AttemptTimes;
use crate::signature::DEFAULT_TOLERANCE_S;
use chrono::{DateTime, NaiveDateTime, Utc};

/// The forms of a date in HTTP: the one that servers send, and two older ones that are to be understood too.
const FORMS: [&str; 3] = ["%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y"];

/// Returns the time in a `Date` header, in unix seconds; `None` if it is not a date of HTTP.
pub fn date(header: &str) -> Option<i64> {
    let read = FORMS.iter().find_map(|form| NaiveDateTime::parse_from_str(header, form).ok())?;
    Some(read.and_utc().timestamp())
}

/// Returns by how many whole seconds a receiver's clock was ahead of ours; negative if it was behind. `date` is that of
/// its answer, in unix seconds; `at` is when the attempt began, by our clock, and `times` says when its request could
/// leave and when the answer came. The receiver is taken to have read its clock midway between the two, so that the
/// result may be off by half of that time, and by a second, since both are compared in whole seconds.
pub fn ahead_seconds(date: i64, at: DateTime<Utc>, times: AttemptTimes) -> i32 {
    let ms = |step: Option<i32>| i64::from(step.unwrap_or_default());
    let left = ms(times.dns) + ms(times.connect) + ms(times.tls);
    let midway = at.timestamp_millis() + i64::midpoint(left, ms(times.first_byte));
    // A date has whole seconds, and is compared with our time in whole seconds.
    let ahead = date.saturating_sub(midway.div_euclid(1_000));
    i32::try_from(ahead).unwrap_or(if ahead > 0 { i32::MAX } else { i32::MIN })
}

/// Whether a receiver whose clock is so many seconds ahead, or behind if negative, refuses signatures that are made
/// now, with the tolerance that our libraries and examples have.
pub fn refuses(ahead_seconds: i32) -> bool {
    i64::from(ahead_seconds).abs() > DEFAULT_TOLERANCE_S
}

#[cfg(test)]
mod tests {
    use super::*;

    /// That of the example in RFC 9110.
    const SECOND: i64 = 784_111_777;

    fn at(ms: i64) -> DateTime<Utc> {
        DateTime::from_timestamp_millis(ms).expect("a time")
    }

    #[test]
    fn a_date_is_read_in_each_form_of_http() {
        for header in ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"] {
            assert_eq!(date(header), Some(SECOND), "{header}");
        }
        for header in [
            "",
            "now",
            "784111777",
            "1994-11-06T08:49:37Z",
            "Sun, 06 Nov 1994 08:49:37",
            "Sun, 06 Nov 1994 08:49:37 +0100",
            "Mon, 06 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 25:49:37 GMT",
            "Wed, 31 Feb 2026 08:49:37 GMT",
            "Sun, 06 Nov +99999999999999999999 08:49:37 GMT",
        ] {
            assert_eq!(date(header), None, "{header}");
        }
    }

    #[test]
    fn a_clock_is_off_by_as_much_ahead_as_behind() {
        for began in [0, 1, 499, 500, 999] {
            for off in [0, 1, 7, 420] {
                let ahead =
                    |off: i32| ahead_seconds(SECOND + i64::from(off), at(SECOND * 1_000 + began), AttemptTimes::NONE);
                assert_eq!((ahead(off), ahead(-off)), (off, -off), "{began} ms");
            }
        }
    }

    #[test]
    fn the_receiver_wrote_its_date_midway_between_the_request_and_the_answer() {
        let times = AttemptTimes { dns: Some(4_000), connect: Some(1_000), tls: Some(1_000), first_byte: Some(10_000) };
        // Its request left after six seconds, and the answer came after ten: eight have passed.
        assert_eq!(ahead_seconds(SECOND + 8, at(SECOND * 1_000), times), 0);
        assert_eq!(ahead_seconds(SECOND + 68, at(SECOND * 1_000), times), 60);
        // On a connection that was open it left at once.
        let reused = AttemptTimes { first_byte: Some(8_000), ..AttemptTimes::NONE };
        assert_eq!(ahead_seconds(SECOND + 4, at(SECOND * 1_000), reused), 0);
        assert_eq!(ahead_seconds(SECOND - 416, at(SECOND * 1_000), reused), -420);
    }

    #[test]
    fn a_clock_that_is_off_by_ages_is_so_in_whole_seconds_too() {
        let now = at(SECOND * 1_000);
        assert_eq!(ahead_seconds(0, now, AttemptTimes::NONE), -i32::try_from(SECOND).expect("small"));
        assert_eq!(ahead_seconds(i64::MAX, now, AttemptTimes::NONE), i32::MAX);
        assert_eq!(ahead_seconds(i64::MIN, now, AttemptTimes::NONE), i32::MIN);
    }

    #[test]
    fn signatures_are_refused_beyond_five_minutes_either_way() {
        for (ahead, refused) in [(0, false), (300, false), (-300, false), (301, true), (-301, true), (i32::MIN, true)] {
            assert_eq!(refuses(ahead), refused, "{ahead}");
        }
    }
}
