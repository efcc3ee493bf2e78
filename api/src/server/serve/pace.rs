//! Limits how slowly a client may read an answer: the time spent waiting for it is bounded, and each byte that it reads
//! adds to that time.
//!
//! Only waiting counts: a client that reads at once may be answered without end, as with a stream of events. `wire`
//! tells which bytes are taken and when the socket takes none.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::time::{Instant, Sleep, sleep};

/// Bytes a second that a client must read in the long run.
const LEAST_RATE: u32 = 8 << 10;

/// How much longer a client may be waited for.
pub struct Pace {
    most: Duration,
    left: Duration,
    waiting: Option<(Instant, Pin<Box<Sleep>>)>,
}

impl Pace {
    /// A client that may be waited for `most`.
    pub fn new(most: Duration) -> Self {
        Self { most, left: most, waiting: None }
    }

    /// Notes that the client has read this many bytes.
    pub fn record_read(&mut self, bytes: usize) {
        let waited = self.waiting.take().map_or(Duration::ZERO, |(since, _)| since.elapsed());
        self.account(waited, bytes);
    }

    /// Takes the time waited off the time left, and adds what the bytes earn.
    fn account(&mut self, waited: Duration, bytes: usize) {
        let earned = u32::try_from(bytes).map_or(self.most, |bytes| Duration::from_secs(bytes.into()) / LEAST_RATE);
        self.left = (self.left.saturating_sub(waited) + earned).min(self.most);
    }

    /// Notes that the socket takes nothing. Ends with an error once the client's time has run out.
    pub fn poll_wait(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let left = self.left;
        let (_, over) = self.waiting.get_or_insert_with(|| (Instant::now(), Box::pin(sleep(left))));
        ready!(over.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// Returns the seconds until a client that reads this many bytes a second is cut off, 3,600 at most.
    fn lasts(bytes_a_second: usize) -> u32 {
        let mut pace = Pace::new(Duration::from_mins(1));
        let cut_off = (1..3_600).find(|_| {
            let is_over = pace.left <= SECOND;
            pace.account(SECOND, bytes_a_second);
            is_over
        });
        cut_off.unwrap_or(3_600)
    }

    #[test]
    fn who_drips_is_cut_off_about_a_minute_on_and_who_keeps_the_rate_never_is() {
        assert_eq!(lasts(LEAST_RATE as usize), 3_600);
        assert!((60..=61).contains(&lasts(1)), "{}", lasts(1));
        assert!((115..=122).contains(&lasts(LEAST_RATE as usize / 2)), "{}", lasts(LEAST_RATE as usize / 2));
    }

    #[test]
    fn time_that_was_earned_is_kept_up_to_a_minute() {
        let mut pace = Pace::new(Duration::from_mins(1));
        pace.account(Duration::ZERO, 100 << 20);
        assert_eq!(pace.left, Duration::from_mins(1));
        pace.account(Duration::from_secs(40), 0);
        assert_eq!(pace.left, Duration::from_secs(20));
    }
}
