//! Limits the memory that answers hold while they are sent, which takes as long as clients like.
//!
//! All large answers of a process share a room (`room`). While it is half empty, or nobody else uses it, anybody may
//! take more; otherwise nobody has more than a share. Who has no credential takes half at most. Visitors of public
//! links have a room of their own beside it, half as large, so that no account is refused for what they are slow to
//! take. All visitors of an account's links are one taker there, and leave some to those of the next account.
//! An account may be sent a few of the largest at once, and so may visitors of its links and operators, who take
//! nothing of the account whose reads they look at. An answer that is streamed from the media store takes little of the
//! room, one that is put together in memory takes its length.

use crate::http::address::{NOWHERE, network};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::holding::Holding;
use crate::http::refusal::Envelope;
use crate::http::room::{NoRoom, Room, RoomPermit, quarter_of};
use crate::http::scope::Scope;
use crate::http::shares::{Share, Shares};
use domain::ids::AccountId;
use http_body_util::combinators::BoxBody;
use hyper::body::Body as _;
use poem::{Body, Response};
use std::any::Any;
use std::net::IpAddr;
use std::sync::Arc;

/// Bytes of an answer that need no room.
const FREE_BYTES: u64 = 16 << 10;
/// KiB that all answers may hold together past those.
const MOST_KIB: usize = 256 << 10;
/// KiB that visitors of all accounts' links may hold together, beside those.
const MOST_KIB_OF_VISITORS: usize = MOST_KIB / 2;
/// Large answers that an account, all visitors of its links, or all operators together may be sent at once.
const MOST_OF_ACCOUNT: usize = 4;
/// `Retry-After` of a refused large answer, in seconds.
const TRY_AGAIN_S: u64 = 2;

/// The room, that of visitors, and who has large answers under way.
#[derive(Debug)]
pub struct Answers {
    room: Room<Taker>,
    visitors: Room<Taker>,
    large: Shares<Taker>,
}

/// Whose share of the room an answer takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Taker {
    /// An account.
    Account(AccountId),
    /// The visitors of an account's public links, all together.
    Visitors(AccountId),
    /// Operators who look at what accounts have, all together.
    Operators,
    /// The client's network, where its account is unknown.
    Network(IpAddr),
}

impl Taker {
    /// The account of the request, or its network while no account is known.
    pub fn of(scope: &Scope) -> Self {
        let unknown = || Self::Network(network(scope.address.unwrap_or(NOWHERE)));
        scope.account.get().map_or_else(unknown, |account| Self::Account(*account))
    }

    /// Who takes what a page of a public link answers: the visitors of its account's links, or the client's network
    /// where no link was found.
    pub fn visitor(scope: &Scope) -> Self {
        match Self::of(scope) {
            Self::Account(account) => Self::Visitors(account),
            other => other,
        }
    }
}

impl From<AccountId> for Taker {
    fn from(account: AccountId) -> Self {
        Self::Account(account)
    }
}

/// The room that one answer takes, until this is dropped.
#[derive(Debug, Default)]
pub struct AnswerPermit(Option<RoomPermit<Taker>>);

impl AnswerPermit {
    /// Gives back what is beyond so many bytes: what was made takes less room than making it.
    #[must_use]
    pub fn kept_for(mut self, bytes: u64) -> Self {
        if let Some(room) = &mut self.0 {
            room.keep(kib_of(bytes));
        }
        self
    }
}

/// One of a taker's large answers, until this is dropped.
pub type Large = Share<Taker>;

/// Marks a response whose bytes hold their room already or need none.
#[derive(Clone)]
pub struct AnswerReserved(Held);

/// Memory that is given back when its last holder is dropped.
pub type Held = Option<Arc<dyn Any + Send + Sync>>;

impl AnswerReserved {
    /// For bytes in memory that all answers share.
    pub const SHARED: Self = Self(None);

    /// The room that the response's bytes hold, for one who makes another response of them.
    pub fn held(&self) -> Held {
        self.0.clone()
    }
}

impl Answers {
    /// A room of which all is free.
    pub fn new() -> Self {
        // One answer may be as long as the room, where nobody else is sent any.
        Self {
            room: Room::new(MOST_KIB, MOST_KIB),
            visitors: Room::new(MOST_KIB_OF_VISITORS, MOST_KIB_OF_VISITORS),
            large: Shares::default(),
        }
    }

    /// Takes room for this many bytes of an answer.
    ///
    /// # Errors
    /// `rate_limited` while the taker holds a share of the room and others need the rest, `unavailable` while others
    /// hold it, `file_too_large` where it is more than visitors may ever hold.
    pub fn hold(&self, taker: impl Into<Taker>, bytes: u64) -> Answer<AnswerPermit> {
        let taker = taker.into();
        if matches!(taker, Taker::Visitors(_)) && kib_of(bytes) > quarter_of(MOST_KIB_OF_VISITORS) {
            return Err(never_sent());
        }
        permit(taker, bytes, |kib| match taker {
            Taker::Account(_) | Taker::Operators => self.room.take(taker, kib),
            Taker::Network(_) => self.room.take_half(taker, kib),
            Taker::Visitors(_) => self.visitors.take_quarter(taker, kib),
        })
    }

    /// Takes room to work on a document, for this many bytes or a share of the room, whichever is less: a document
    /// that needs more is not shut out while others hold half. What the work takes beyond that is bounded by the turns
    /// in which it is done.
    ///
    /// # Errors
    /// As [`Self::hold`].
    pub fn hold_to_work(&self, taker: impl Into<Taker>, bytes: u64) -> Answer<AnswerPermit> {
        let taker = taker.into();
        permit(taker, bytes, |kib| self.room.take_to_work(taker, kib))
    }

    /// Takes a place for one more large answer of an account, of visitors of its links, or of operators.
    ///
    /// # Errors
    /// `rate_limited` while the taker has as many as it may.
    pub fn large(&self, taker: impl Into<Taker>) -> Answer<Large> {
        let taker = taker.into();
        self.large.take(taker, MOST_OF_ACCOUNT).ok_or_else(|| {
            let whose = match taker {
                Taker::Visitors(_) => "Visitors of the account's links are",
                Taker::Operators => "Operators are",
                Taker::Account(_) | Taker::Network(_) => "The account is",
            };
            let message = format!("{whose} being sent {MOST_OF_ACCOUNT} large answers, which is the most at once.");
            let refusal = ApiError::new(Code::RateLimited, message).retry_after(TRY_AGAIN_S);
            refusal.suggest("Take the answers that are under way, then ask again.")
        })
    }

    /// Returns the response, whose body holds its room until it has been sent; or a refusal when there is no room.
    pub fn housed(&self, envelope: Envelope, taker: Taker, mut response: Response) -> Response {
        if response.data::<AnswerReserved>().is_some() {
            return response;
        }
        let body = BoxBody::from(response.take_body());
        // A stream without a length takes no room: its handler holds a piece at a time.
        let room = self.hold(taker, body.size_hint().exact().unwrap_or(0));
        response.set_body(Body::from(body));
        match room {
            Ok(AnswerPermit(None)) => response,
            Ok(room) => holding(response, room),
            Err(refusal) => envelope.refuse(&refusal),
        }
    }
}

/// Takes the room for this many bytes with `take`, which is told how many KiB that is. Few bytes need none.
fn permit(
    taker: Taker,
    bytes: u64,
    take: impl FnOnce(usize) -> Result<RoomPermit<Taker>, NoRoom>,
) -> Answer<AnswerPermit> {
    let kib = kib_of(bytes);
    if kib == 0 {
        return Ok(AnswerPermit::default());
    }
    let held = take(kib).map_err(|none| refusal(none, taker))?;
    Ok(AnswerPermit(Some(held)))
}

/// Says why the taker gets no room.
fn refusal(none: NoRoom, taker: Taker) -> ApiError {
    let refusal = match (none, taker) {
        (NoRoom::HasItsShare, Taker::Visitors(_)) => {
            let message = "What is being sent to visitors of this account's links takes as much memory as it may.";
            ApiError::new(Code::RateLimited, message).suggest("Try again in a moment.")
        }
        (NoRoom::HasItsShare, _) => {
            let message = "Your answers that are under way take as much memory as one may while others need theirs.";
            let refusal = ApiError::new(Code::RateLimited, message);
            refusal.suggest("Take the answers that are under way, then ask again, for less at once where you can.")
        }
        (NoRoom::IsTaken, _) => {
            let message = "Others are sent as many large answers as this process can hold. Try again.";
            ApiError::new(Code::Unavailable, message)
        }
    };
    refusal.retry_after(TRY_AGAIN_S)
}

/// Says that something can't be sent to visitors, however often they ask.
fn never_sent() -> ApiError {
    let most = quarter_of(MOST_KIB_OF_VISITORS) >> 10;
    let message = format!("This has more than the {most} MiB that can be shown behind a link.");
    let refusal = ApiError::new(Code::FileTooLarge, message);
    refusal.suggest("Ask whoever gave you the link for the file itself.")
}

/// Returns the KiB of the room that so many bytes take.
fn kib_of(bytes: u64) -> usize {
    usize::try_from(bytes.saturating_sub(FREE_BYTES).div_ceil(1 << 10)).unwrap_or(usize::MAX)
}

impl Default for Answers {
    fn default() -> Self {
        Self::new()
    }
}

/// Returns the response, whose bytes hold `held` until they have been sent.
pub fn holding<T: Send + Sync + 'static>(mut response: Response, held: T) -> Response {
    let held = Arc::new(held);
    let body = BoxBody::from(response.take_body());
    response.set_body(Body::from(BoxBody::new(Holding::new(body, Arc::clone(&held)))));
    response.set_data(AnswerReserved(Some(held)));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taker(last: u8) -> Taker {
        Taker::Network(IpAddr::from([192, 0, 2, last]))
    }

    #[test]
    fn who_holds_a_share_gets_no_more_once_half_the_room_is_taken() {
        let answers = Answers::new();
        let mib = |taker: Taker, many: u64| answers.hold(taker, many << 20);
        drop(answers.hold(AccountId::mint(), 200 << 20).expect("nobody else has any"));
        assert!(mib(taker(1), 129).is_err(), "without a credential one has half at most");
        let half = mib(taker(1), 128).expect("half of it");
        let other = mib(taker(2), 1).expect("a little");
        let refused = mib(taker(1), 1).expect_err("the rest is for others");
        assert_eq!((refused.code(), refused.retry_after_seconds()), (Code::RateLimited, Some(TRY_AGAIN_S)));
        answers.hold(taker(1), FREE_BYTES).expect("what is small needs none");
        drop(other);
        let others: Vec<_> = (2..6).map(|other| mib(taker(other), 32).expect("a share")).collect();
        let refused = mib(taker(6), 1).expect_err("there is none left");
        assert_eq!((refused.code(), refused.retry_after_seconds()), (Code::Unavailable, Some(TRY_AGAIN_S)));
        drop((half, others));
        mib(taker(6), 100).expect("it is free again");
    }

    #[test]
    fn who_works_on_a_document_of_more_than_a_share_is_let_in_beside_one_who_holds_half() {
        let answers = Answers::new();
        let work = |taker: Taker| answers.hold_to_work(taker, 34 << 20);
        let busy: Vec<_> = (0..4).filter_map(|_| work(taker(1)).ok()).collect();
        assert_eq!(busy.len(), 4);
        assert_eq!(work(taker(1)).expect_err("half is for others").code(), Code::RateLimited);
        let other = work(taker(2)).expect("a share");
        let refused = answers.hold(taker(3), 34 << 20).expect_err("an answer is held in full, and others hold that");
        assert_eq!(refused.code(), Code::Unavailable);
        drop(other.kept_for(1 << 20));
        let words = work(taker(2)).expect("it was given back").kept_for(16 << 20);
        assert!(answers.hold(taker(2), 17 << 20).is_err() && answers.hold(taker(2), 15 << 20).is_ok());
        drop((busy, words));
    }

    #[test]
    fn visitors_of_however_many_accounts_take_no_room_of_accounts_and_leave_some_for_the_next() {
        let answers = Answers::new();
        let visitors: Vec<_> = (0..6).map(|_| Taker::Visitors(AccountId::mint())).collect();
        let mib = |taker: Taker| answers.hold(taker, (1 << 20) + FREE_BYTES);
        let code = |taker: Taker| mib(taker).err().map(|refusal| refusal.code());
        let mut held = Vec::new();
        for taker in &visitors[..5] {
            held.extend(std::iter::from_fn(|| mib(*taker).ok()));
        }
        assert!(held.len() < 100, "{} MiB of 128", held.len());
        assert_eq!(code(visitors[0]), Some(Code::RateLimited), "they have a quarter");
        assert_eq!(code(visitors[4]), Some(Code::Unavailable), "others have what they lack");
        let most = (32 << 20) + FREE_BYTES;
        assert_eq!(answers.hold(visitors[0], most).err().map(|refusal| refusal.code()), Some(Code::RateLimited));
        let never = answers.hold(visitors[0], most + 1).expect_err("more than they may ever have");
        assert_eq!((never.code(), never.retry_after_seconds()), (Code::FileTooLarge, None));
        held.push(mib(visitors[5]).expect("some is left for those of the sixth account"));
        let _own = answers.hold(AccountId::mint(), 256 << 20).expect("accounts have all of theirs");
    }

    #[test]
    fn operators_are_sent_as_many_large_answers_as_an_account_and_take_none_of_its() {
        let (answers, account) = (Answers::new(), AccountId::mint());
        let code = |taker: Taker| answers.large(taker).err().map(|refusal| refusal.code());
        let own: Vec<_> = (0..MOST_OF_ACCOUNT).map(|_| answers.large(account).expect("a place")).collect();
        let looks: Vec<_> = (0..MOST_OF_ACCOUNT).map(|_| answers.large(Taker::Operators).expect("theirs")).collect();
        assert_eq!(code(account.into()), Some(Code::RateLimited));
        assert_eq!(code(Taker::Operators), Some(Code::RateLimited));
        drop(own);
        assert_eq!(code(account.into()), None);
        drop(looks);
        assert_eq!(code(Taker::Operators), None);
    }

    #[test]
    fn a_response_takes_its_room_until_its_body_is_gone() {
        let answers = Answers::new();
        let large = || Response::builder().body(vec![0; 60 << 20]);
        let _other = answers.hold(taker(2), 60 << 20).expect("a part of it");
        let first = answers.housed(Envelope::Route, taker(1), large());
        assert_eq!(answers.housed(Envelope::Route, taker(1), large()).status(), 429);
        assert_eq!(answers.housed(Envelope::Route, taker(1), Response::builder().body("ok")).status(), 200);
        drop(first);
        assert_eq!(answers.housed(Envelope::Route, taker(1), large()).status(), 200);
    }
}
