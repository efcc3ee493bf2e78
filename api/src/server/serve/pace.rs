//! How slowly a client may take an answer: the time that is waited for it is bounded, and what it takes earns more of
//! it.
//!
//! Only waiting counts: a client that takes what there is at once may be answered for as long as that lasts, as a
//! stream of events is. `wire` tells what is taken and when the socket takes nothing.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::time::{Instant, Sleep, sleep};

/// Bytes a second that a client has to take of an answer in the long run.
const LEAST_RATE: u32 = 8 << 10;

/// The time that a client has left to take something.
pub struct Pace {
    most: Duration,
    left: Duration,
    waiting: Option<(Instant, Pin<Box<Sleep>>)>,
}

impl Pace {
    /// With all the time that there is.
    pub fn new(most: Duration) -> Self {
        Self { most, left: most, waiting: None }
    }

    /// The client has taken this many bytes.
    pub fn taken(&mut self, bytes: usize) {
        let waited = self.waiting.take().map_or(Duration::ZERO, |(since, _)| since.elapsed());
        self.account(waited, bytes);
    }

    /// The wait is spent, and the bytes earn their time.
    fn account(&mut self, waited: Duration, bytes: usize) {
        let earned = u32::try_from(bytes).map_or(self.most, |bytes| Duration::from_secs(bytes.into()) / LEAST_RATE);
        self.left = (self.left.saturating_sub(waited) + earned).min(self.most);
    }

    /// The socket takes nothing. Ends with an error once the client's time is over.
    pub fn waited_for(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
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

    /// For how many seconds a client is waited for that takes so many bytes each second, up to an hour.
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
