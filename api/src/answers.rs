//! What answers hold in memory while they are sent, which takes as long as their clients like.
//!
//! All large answers of a process share a room, as large bodies on their way in do (`intake`), and an account has a few of
//! the largest at once. An answer that is streamed from the media store takes little of the room; one that had to be put
//! together takes what it is. What is in an answer is its handler's.

use crate::error::{Answer, ApiError, Code};
use crate::guard::Envelope;
use crate::holding::Holding;
use crate::shares::{Share, Shares};
use common::ids::AccountId;
use http_body_util::combinators::BoxBody;
use hyper::body::Body as _;
use poem::{Body, Response};
use std::any::Any;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Bytes of an answer that are held for anybody.
const FREE_BYTES: u64 = 16 << 10;
/// KiB that all answers may hold together past those.
const MOST_KIB: usize = 256 << 10;
/// Large answers that an account may be sent at once.
const MOST_OF_ACCOUNT: usize = 4;
/// When to ask for a large answer again, in seconds.
const TRY_AGAIN_S: u64 = 2;

/// The room, and who has large answers under way.
#[derive(Debug)]
pub struct Answers {
    room: Arc<Semaphore>,
    large: Shares<AccountId>,
}

/// What one answer takes of the room, until this is dropped.
#[derive(Debug, Default)]
pub struct Room(Option<OwnedSemaphorePermit>);

/// One of an account's large answers, until this is dropped.
pub type Large = Share<AccountId>;

/// On a response whose bytes hold their room already, or need none: what they hold.
#[derive(Clone)]
pub struct Roomed(Held);

/// What is let go when nobody has it any longer.
pub type Held = Option<Arc<dyn Any + Send + Sync>>;

impl Roomed {
    /// Of bytes that are there once for all answers.
    pub const SHARED: Self = Self(None);

    /// What the response's bytes hold, for who makes another answer of them.
    pub fn held(&self) -> Held {
        self.0.clone()
    }
}

impl Answers {
    /// All of it free.
    pub fn new() -> Self {
        Self { room: Arc::new(Semaphore::new(MOST_KIB)), large: Shares::default() }
    }

    /// Room for an answer that holds so many bytes.
    ///
    /// # Errors
    /// `unavailable` while others hold it.
    pub fn hold(&self, bytes: u64) -> Answer<Room> {
        let kib = u32::try_from(bytes.saturating_sub(FREE_BYTES).div_ceil(1 << 10)).unwrap_or(u32::MAX);
        if kib == 0 {
            return Ok(Room::default());
        }
        let room = Arc::clone(&self.room).try_acquire_many_owned(kib).map_err(|_| {
            let message = "This process is sending as many large answers as it can hold. Try again.";
            ApiError::new(Code::Unavailable, message).retry_after(TRY_AGAIN_S)
        })?;
        Ok(Room(Some(room)))
    }

    /// One more large answer of an account.
    ///
    /// # Errors
    /// `rate_limited` while it has as many as it may.
    pub fn large(&self, account: AccountId) -> Answer<Large> {
        self.large.take(account, MOST_OF_ACCOUNT).ok_or_else(|| {
            let message =
                format!("The account is being sent {MOST_OF_ACCOUNT} large answers, which is the most at once.");
            let refusal = ApiError::new(Code::RateLimited, message).retry_after(TRY_AGAIN_S);
            refusal.suggest("Take the answers that are under way, then ask again.")
        })
    }

    /// The response, which holds its room until it has been sent; or that there is none.
    pub fn housed(&self, envelope: Envelope, mut response: Response) -> Response {
        if response.data::<Roomed>().is_some() {
            return response;
        }
        let body = BoxBody::from(response.take_body());
        // A stream without a length is held by its handler, a piece at a time.
        let room = self.hold(body.size_hint().exact().unwrap_or(0));
        response.set_body(Body::from(body));
        match room {
            Ok(Room(None)) => response,
            Ok(room) => holding(response, room),
            Err(refusal) => envelope.refuse(&refusal),
        }
    }
}

/// The response, whose bytes hold this until they have been sent.
pub fn holding<T: Send + Sync + 'static>(mut response: Response, held: T) -> Response {
    let held = Arc::new(held);
    let body = BoxBody::from(response.take_body());
    response.set_body(Body::from(BoxBody::new(Holding::new(body, Arc::clone(&held)))));
    response.set_data(Roomed(Some(held)));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_answers_share_what_room_there_is_and_small_ones_need_none() {
        let answers = Answers::new();
        let whole = answers.hold((MOST_KIB as u64) << 10).expect("nearly all of it");
        let refused = answers.hold(1 << 20).expect_err("there is too little left");
        assert_eq!((refused.code(), refused.retry_after_seconds()), (Code::Unavailable, Some(TRY_AGAIN_S)));
        answers.hold(FREE_BYTES).expect("none");
        drop(whole);
        answers.hold(1 << 20).expect("it is free again");
    }

    #[test]
    fn a_response_takes_its_room_until_its_body_is_gone() {
        let answers = Answers::new();
        let large = || Response::builder().body(vec![0; 200 << 20]);
        let first = answers.housed(Envelope::Route, large());
        assert_eq!(answers.housed(Envelope::Route, large()).status(), 503);
        assert_eq!(answers.housed(Envelope::Route, Response::builder().body("ok")).status(), 200);
        drop(first);
        assert_eq!(answers.housed(Envelope::Route, large()).status(), 200);
    }
}
