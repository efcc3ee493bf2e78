//! Calls that make something, made once: for a day, the same Idempotency-Key gets the first call's answer again
//! (contract §4.1, §4.7), byte for byte but for links to a bucket, which are signed anew.
//!
//! As in a dispatch, the key's row is the transaction's first insert and its answer the last update: of two
//! simultaneous calls the second waits for the first, and a half-done one is never seen. Secrets in an answer are not
//! stored: they are derived from the call, the key and the service's own secret, so that the tables hold only hashes,
//! as without a key.

use crate::app::App;
use crate::auth::Caller;
use crate::contract::envelope::Stored as Answered;
use crate::contract::idempotency::IdempotencyKey;
use crate::http::error::{Answer, ApiError, Code};
use crate::http::rate::{self, kept_byte_us};
use crate::usecases::starting;
use domain::ids::{AccountId, RequestId};
use futures_util::future::BoxFuture;
use poem_openapi::types::ToJSON;
use runtime::own_connections::OwnTransaction;
use runtime::own_turns::Line;
use serde_json::json;
use sqlx::PgConnection;
use store::idempotency::{self, Key, KeyLife, Stored};
use store::paces::{self, Paced};

/// How often a call looks again because the one before it was just rolled back.
const MAX_ATTEMPTS: usize = 4;

/// A call, with its key if it has one.
#[derive(Debug)]
pub struct Once {
    account: AccountId,
    /// The account of the workspace that the call acts in.
    host: AccountId,
    key: Option<Key>,
}

/// What a call must do.
pub(super) enum Begun {
    /// Make it, in this transaction.
    Now(OwnTransaction, RequestId),
    /// Nothing: it was made before.
    Before(Before),
}

/// The answer to the first call.
#[derive(Debug)]
pub struct Before {
    /// The first call.
    pub call: RequestId,
    /// Its answer, without its secrets.
    pub body: String,
}

/// The outcome of a call.
#[derive(Debug)]
pub enum Made {
    /// It was made now: the answer, with its secrets.
    Now(String),
    /// Nothing: it was made before.
    Before(Before),
}

impl<T: ToJSON, const STATUS: u16> From<Made> for Answered<T, STATUS> {
    fn from(made: Made) -> Self {
        match made {
            Made::Now(body) => Self::composed(body),
            Made::Before(before) => Self::replayed(before.body),
        }
    }
}

impl Once {
    /// This call. `operation` is the operation that its key belongs to, `request` all that it asks for.
    pub fn of(app: &App, caller: &Caller, operation: &'static str, key: IdempotencyKey, request: &impl ToJSON) -> Self {
        let canonical = json!([operation, caller.workspace.id, request.to_json()]);
        let (account, host) = (caller.account_id, caller.workspace.account_id);
        Self { account, host, key: starting::keyed(app, caller, operation, key, &canonical) }
    }

    /// Returns the answer stored under the key, before anything is checked that may have changed since.
    pub fn before<'a>(&'a self, app: &'a App) -> BoxFuture<'a, Answer<Option<Before>>> {
        Box::pin(self.kept_before(app))
    }

    async fn kept_before(&self, app: &App) -> Answer<Option<Before>> {
        let Some(key) = &self.key else { return Ok(None) };
        let Some(Stored { fingerprint, answer, call }) = idempotency::find(&mut *app.conn().await?, key).await? else {
            return Ok(None);
        };
        if !key.is_of(&fingerprint) {
            return Err(starting::key_reused());
        }
        metrics::counter!("mws_idempotent_replays_total").increment(1);
        Ok(Some(Before { call, body: answer }))
    }

    /// Opens the use case's transaction in one of the account's turns, with the key reserved in it.
    ///
    /// # Errors
    /// `rate_limited` when no more answers can be stored for the account.
    pub(super) fn begin<'a>(&'a self, app: &'a App) -> BoxFuture<'a, Answer<Begun>> {
        Box::pin(self.reserve(app, None))
    }

    /// As [`Self::begin`], for a costly call at what the workspace's account has, which waits for one of these few
    /// turns as well.
    ///
    /// # Errors
    /// As [`Self::begin`].
    pub(super) fn begin_among<'a>(&'a self, app: &'a App, few: &'a Line) -> BoxFuture<'a, Answer<Begun>> {
        Box::pin(self.reserve(app, Some(few)))
    }

    async fn reserve(&self, app: &App, few: Option<&Line>) -> Answer<Begun> {
        let call = RequestId::mint();
        if let Some(key) = &self.key {
            let most = rate::most(&app.process.settings, &[Paced::KeptAnswers]);
            if let Some(wait) = paces::longest_wait(&mut *app.conn().await?, key.account, &most).await? {
                return Err(rate::too_soon(wait));
            }
        }
        for _ in 0..MAX_ATTEMPTS {
            let begun = match few {
                Some(few) => app.process.begin_at(self.account, self.host, few),
                None => app.process.begin_of(self.account),
            };
            let mut tx = begun.await?;
            let Some(key) = &self.key else { return Ok(Begun::Now(tx, call)) };
            let reserved = idempotency::reserve(&mut tx, key, call, KeyLife::ADay).await;
            if reserved.map_err(|error| starting::refused(Some(key), error))? {
                return Ok(Begun::Now(tx, call));
            }
            tx.rollback().await?;
            if let Some(before) = self.before(app).await? {
                return Ok(Begun::Before(before));
            }
        }
        Err(ApiError::new(Code::IdempotencyInProgress, "Calls with this Idempotency-Key come and go. Try again."))
    }

    /// Stores the answer, without its secrets, in the use case's transaction.
    pub(super) async fn keep(&self, app: &App, conn: &mut PgConnection, body: &str) -> Answer<()> {
        match &self.key {
            Some(key) => Ok(idempotency::answer(conn, key, body, kept_byte_us(&app.process.settings)).await?),
            None => Ok(()),
        }
    }

    /// 32 bytes that nobody can guess: the same ones for a repeat, or random without a key.
    pub(super) fn secret(&self, app: &App, call: RequestId) -> [u8; 32] {
        self.secrets(app, call).into_iter().next().unwrap_or_else(rand::random)
    }

    /// The bytes that the first call may have had: one for each secret key that the service has or had.
    pub(super) fn secrets(&self, app: &App, call: RequestId) -> Vec<[u8; 32]> {
        self.key.iter().flat_map(|key| app.links.repeatable(call, &key.key)).collect()
    }
}

/// The refusal when the first answer's secret can't be derived again, since the service's secret key has changed.
pub(super) fn forgotten() -> ApiError {
    ApiError::new(Code::IdempotencyKeyReused, "What this Idempotency-Key made can't be shown again.")
        .suggest("Send the request with a new key.")
}
