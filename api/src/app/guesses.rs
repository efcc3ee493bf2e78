//! Wrong credentials: how many an address may send, and a memory of those that were refused.
//!
//! Looking a credential up costs a connection to the database, and a stranger may try without end. So each address may
//! send a number of wrong ones a minute. Past that number, only credentials that were seen to be right before are
//! looked up, and refusals are delayed, so that a client that never stops asks seldom. A credential that was just
//! refused is refused again without a query. Unknown credentials are looked up in turns, one of an address at a time,
//! so that strangers leave the connections to customers and wait for one another. Credentials are hashes here, and the
//! memory is bounded. Limits of accounts are kept by the database (`http::rate`).

use crate::http::address::{NOWHERE, network};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::scope::Scope;
use domain::credential::CredentialHash;
use moka::future::Cache;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep};

/// Addresses, refused credentials and good ones that are remembered, each.
const MOST_REMEMBERED: u64 = 100_000;
/// How long a refused credential is refused without a query.
const REFUSED_FOR: Duration = Duration::from_secs(10);
/// How long after its last use a good credential is looked up even if its address has sent too many wrong ones.
const KNOWN_FOR: Duration = Duration::from_hours(1);
/// Unknown credentials that are looked up at once.
const LOOKED_UP_AT_ONCE: usize = 2;
/// The delay of a refusal to an address that has sent too many wrong credentials.
const LATE: Duration = Duration::from_millis(500);

/// The wrong credentials that a process has seen.
pub struct Guesses {
    /// The time between two at the steady rate, and how far ahead of now an address's arrival may be.
    interval: Duration,
    ahead: Duration,
    /// When all that an address has sent would have come at the steady rate.
    addresses: Cache<IpAddr, Arc<Address>>,
    refused: Cache<[u8; 32], Code>,
    known: Cache<[u8; 32], ()>,
    turns: Arc<Semaphore>,
}

/// What is known of an address.
struct Address {
    /// The theoretical arrival of its last wrong credential at the steady rate (GCRA).
    arrival: Mutex<Instant>,
    /// Its turn to look a credential up.
    turn: Arc<Semaphore>,
}

/// A turn to look a credential up: the address's and one of the process.
pub struct GuessPermit(#[expect(dead_code, reason = "it ends when it is dropped")] [OwnedSemaphorePermit; 2]);

impl Guesses {
    /// An empty memory. An address may send `per_minute` wrong credentials a minute, and as many at once.
    pub fn new(per_minute: u32) -> Self {
        let interval = Duration::from_mins(1) / per_minute.max(1);
        let remembered = |lives| Cache::builder().max_capacity(MOST_REMEMBERED).time_to_live(lives).build();
        Self {
            interval,
            ahead: interval * per_minute.saturating_sub(1),
            // An address that sends no wrong one for two minutes has its whole number again: it can be forgotten.
            addresses: Cache::builder().max_capacity(MOST_REMEMBERED).time_to_idle(Duration::from_mins(2)).build(),
            refused: remembered(REFUSED_FOR),
            known: Cache::builder().max_capacity(MOST_REMEMBERED).time_to_idle(KNOWN_FOR).build(),
            turns: Arc::new(Semaphore::new(LOOKED_UP_AT_ONCE)),
        }
    }

    /// Refuses a credential without a lookup, with `rate_limited`, when its address has sent too many wrong ones and it
    /// was not seen to be right before.
    pub async fn refuse(&self, scope: &Scope, credential: &CredentialHash) -> Answer<()> {
        let Some(wait) = self.over(scope).await else { return Ok(()) };
        if self.known.get(credential.as_bytes()).await.is_some() {
            return Ok(());
        }
        metrics::counter!("mws_wrong_credentials_refused_total").increment(1);
        sleep(LATE).await;
        let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
        let refusal = ApiError::new(Code::RateLimited, "Your address has sent too many wrong credentials.");
        Err(refusal
            .suggest("Wait as many seconds as Retry-After says, and send a credential that works.")
            .retry_after(seconds))
    }

    /// Waits for a turn to look this credential up: one of its address's, then one of the process's. A credential that
    /// is known here needs none. Whoever has one waits for nothing but the database: there are two in all.
    pub async fn turn(&self, scope: &Scope, credential: &CredentialHash) -> Option<GuessPermit> {
        if self.known.get(credential.as_bytes()).await.is_some() {
            return None;
        }
        let turn = Arc::clone(&self.address(scope).await.turn);
        // Neither is ever closed.
        let own = turn.acquire_owned().await.ok()?;
        // Another request may have shown meanwhile that the credential is right.
        if self.known.get(credential.as_bytes()).await.is_some() {
            return None;
        }
        let of_all = Arc::clone(&self.turns).acquire_owned().await.ok()?;
        Some(GuessPermit([own, of_all]))
    }

    /// Returns the code that this credential was refused with a moment ago, if it was, and counts it as wrong again.
    pub async fn refused_before(&self, scope: &Scope, credential: &CredentialHash) -> Option<Code> {
        let code = self.refused.get(credential.as_bytes()).await?;
        self.count(scope).await;
        Some(code)
    }

    /// Counts a wrong credential against its address, and remembers the code that it is refused with.
    pub async fn remember_wrong(&self, scope: &Scope, credential: &CredentialHash, code: Code) {
        self.refused.insert(*credential.as_bytes(), code).await;
        self.count(scope).await;
    }

    /// Remembers for a moment that a credential which was good once no longer works. It counts against no address.
    pub async fn remember_ended(&self, credential: &CredentialHash, code: Code) {
        self.refused.insert(*credential.as_bytes(), code).await;
    }

    /// Whether the credential was found a moment ago not to work any more.
    pub async fn is_ended(&self, credential: &CredentialHash) -> bool {
        self.refused.get(credential.as_bytes()).await.is_some()
    }

    /// Counts a wrong credential against its address without remembering it, since it may be right another time.
    pub async fn count(&self, scope: &Scope) {
        metrics::counter!("mws_wrong_credentials_total").increment(1);
        let address = self.address(scope).await;
        let mut arrival = address.arrival.lock().unwrap_or_else(PoisonError::into_inner);
        *arrival = (*arrival).max(Instant::now()) + self.interval;
    }

    /// Remembers a credential that is right.
    pub async fn remember_right(&self, credential: &CredentialHash) {
        // The lookup is a use, and renews the time that it is remembered for.
        if self.known.get(credential.as_bytes()).await.is_none() {
            self.known.insert(*credential.as_bytes(), ()).await;
        }
    }

    async fn address(&self, scope: &Scope) -> Arc<Address> {
        let new = || Address { arrival: Mutex::new(Instant::now()), turn: Arc::new(Semaphore::new(1)) };
        self.addresses.get_with(scope.address.map_or(NOWHERE, network), async { Arc::new(new()) }).await
    }

    /// Returns how long the address must wait before it may send one more; none when it may now.
    async fn over(&self, scope: &Scope) -> Option<Duration> {
        let address = self.addresses.get(&scope.address.map_or(NOWHERE, network)).await?;
        let arrival = *address.arrival.lock().unwrap_or_else(PoisonError::into_inner);
        let wait = arrival.saturating_duration_since(Instant::now()).saturating_sub(self.ahead);
        (!wait.is_zero()).then_some(wait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::scope::ScopeState;
    use futures_util::FutureExt;
    use std::pin::pin;

    fn from(address: &str) -> Scope {
        Scope(Arc::new(ScopeState { address: address.parse().ok(), ..ScopeState::default() }))
    }

    fn credential(number: u8) -> CredentialHash {
        CredentialHash::of(&number.to_string())
    }

    #[tokio::test]
    async fn an_address_may_send_so_many_wrong_ones_and_a_good_one_and_another_address_are_let_through() {
        let guesses = Guesses::new(3);
        let (one, same_network, other) = (from("2001:db8::1"), from("2001:db8::2"), from("2001:db8:0:1::1"));
        guesses.remember_right(&credential(100)).await;
        for number in 0..3 {
            guesses.refuse(&one, &credential(number)).await.expect("within the number");
            guesses.remember_wrong(&one, &credential(number), Code::Unauthenticated).await;
        }
        let asked = Instant::now();
        let refusal = guesses.refuse(&same_network, &credential(9)).await.expect_err("the fourth");
        assert_eq!(refusal.code(), Code::RateLimited);
        // Twenty, less what a busy machine took so far.
        assert!(refusal.retry_after_seconds().is_some_and(|seconds| (1..=20).contains(&seconds)));
        assert!(asked.elapsed() >= LATE, "it comes late");
        assert!(guesses.refuse(&one, &credential(100)).await.is_ok(), "it was right before");
        assert!(guesses.refuse(&other, &credential(9)).await.is_ok());
    }

    #[tokio::test]
    async fn strangers_are_looked_up_by_turns_and_who_is_known_needs_none() {
        let guesses = Guesses::new(60);
        guesses.remember_right(&credential(100)).await;
        let [one, two, three] = ["192.0.2.1", "192.0.2.2", "192.0.2.3"].map(from);
        let another = credential(3);
        let first = guesses.turn(&one, &credential(1)).await;
        let mut of_the_same = pin!(guesses.turn(&one, &another));
        assert!(of_the_same.as_mut().now_or_never().is_none(), "one of an address at a time");
        let _second = guesses.turn(&two, &credential(2)).await;
        let mut third = pin!(guesses.turn(&three, &another));
        assert!(third.as_mut().now_or_never().is_none(), "two are being looked up");
        assert!(guesses.turn(&three, &credential(100)).now_or_never().is_some(), "it was right before");
        drop(first);
        assert!(third.as_mut().now_or_never().is_some(), "its address came before the first one's second");
        guesses.remember_right(&another).await;
        assert!(of_the_same.now_or_never().is_some(), "it was shown to be right meanwhile");
    }

    #[tokio::test]
    async fn what_was_refused_is_refused_again_without_a_look_and_counts() {
        let guesses = Guesses::new(2);
        let one = from("192.0.2.1");
        assert_eq!(guesses.refused_before(&one, &credential(1)).await, None);
        guesses.remember_wrong(&one, &credential(1), Code::CredentialRevoked).await;
        assert_eq!(guesses.refused_before(&one, &credential(1)).await, Some(Code::CredentialRevoked));
        assert!(guesses.refuse(&one, &credential(2)).await.is_err());
    }
}
