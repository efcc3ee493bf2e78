//! `prepare_media`: several reads on up to twenty items in one call (contract §4.2).
//!
//! It parses the request, hands it to `dispatch`, and returns the outcome in the shapes of the contract (§4.5).
//! `domain::plan` decides which reads start, and `dispatch` commits it; the only rules here are those for the request.

mod answer;

use crate::app::App;
use crate::auth::{Auth, Caller};
use crate::contract::envelope::{Stored, ToolAnswer};
use crate::contract::groups::{Refusals, Tag};
use crate::contract::idempotency::IdempotencyKey;
use crate::http::error::{Answer, Code};
use crate::http::rate;
use crate::http::text::Text;
use crate::http::words::same_words;
use crate::usecases::dispatch::{self, DispatchRequest, Dispatched, Prepared};
use crate::usecases::starting::{self, cloud_processing};
use answer::PreparedMedia;
pub use answer::PreparedRead;
use domain::plan::{Answer as ReadAnswer, Reason};
use domain::read::Read;
use poem_openapi::payload::Json;
use poem_openapi::{Enum, Object, OpenApi};
use std::collections::HashSet;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};

/// The error codes of this operation, besides those that any operation may return.
pub const ERRORS: Refusals = &[(
    "POST /tools/prepare_media",
    &[Code::InsufficientMinutes, Code::RoleForbidden, Code::IdempotencyInProgress, Code::IdempotencyKeyReused],
)];

const TOOL: &str = "prepare_media";

/// The tool.
pub struct PrepareMedia(pub App);

/// A read kind (contract §2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Enum)]
#[oai(rename_all = "snake_case")]
pub enum ReadKind {
    /// The text of the speech.
    Transcript,
    /// A video's moments, used by `search_footage`.
    SearchIndex,
    /// Where in the item somebody speaks.
    Speech,
    /// Who speaks when; needs the speech read too.
    Speakers,
    /// The positions of beats.
    Beats,
    /// The loudness.
    Levels,
}

same_words!(Read = ReadKind { Transcript, SearchIndex, Speech, Speakers, Beats, Levels });

/// Which reads to start on which items.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct PrepareMediaRequest {
    /// 1 to 20 items, each by its ref, its id, or the id of the job that made it.
    #[oai(validator(min_items = 1, max_items = 20))]
    pub refs: Vec<Text>,
    /// At least one read.
    #[oai(validator(min_items = 1))]
    pub reads: Vec<ReadKind>,
    /// One sentence shown to the user beside this action; at most 600 characters.
    #[oai(validator(max_length = 600))]
    pub context: Option<Text>,
    /// `true` returns what the call would start and hold, and starts nothing.
    pub dry_run: Option<bool>,
}

#[OpenApi(tag = "Tag::Library")]
impl PrepareMedia {
    /// Start reads on items
    ///
    /// Starts several reads on up to 20 library items in one call, each as its own job (contract §4.2). A stored read
    /// is `ready`, and one that a job computes already is `queued` with that job; the others start, or say why not. A
    /// repeated call starts nothing twice. Follow the jobs with `get_jobs`. Runs in the cloud: the estimate is held
    /// until each job ends, and a job is never charged more than was held for it. With `dry_run: true` nothing is
    /// started: reads that would start are `startable`, with their price.
    #[oai(path = "/tools/prepare_media", method = "post", operation_id = "prepare_media")]
    async fn prepare_media(
        &self,
        auth: Auth,
        key: IdempotencyKey,
        request: Json<PrepareMediaRequest>,
    ) -> Answer<Stored<ToolAnswer<PreparedMedia>>> {
        let Auth(caller) = auth;
        let dry_run = request.0.dry_run.unwrap_or(false);
        let request = dispatch_request(&self.0, &caller, key, request.0);
        if dry_run {
            let prepared = dispatch::estimate(&self.0.process, &request).await?;
            return Ok(Stored::fresh(&answered(&caller, &request, &prepared)));
        }
        let fresh = |prepared: &Prepared| Stored::fresh(&answered(&caller, &request, prepared));
        // What is stored under a key is what is sent, so that it is written once.
        let kept = Mutex::new(None);
        let compose = |prepared: &Prepared| {
            let body = fresh(prepared).body().to_owned();
            *kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(body.clone());
            body
        };
        let dispatched = dispatch::dispatch(&self.0.process, &request, &compose).await;
        match dispatched.map_err(|error| starting::refused(request.key.as_ref(), error))? {
            Dispatched::Answered(prepared) => {
                refuse_for_minutes_alone(&prepared)?;
                let kept = kept.into_inner().unwrap_or_else(PoisonError::into_inner);
                Ok(kept.map_or_else(|| fresh(&prepared), Stored::composed))
            }
            Dispatched::Replayed(body) => {
                metrics::counter!("mws_idempotent_replays_total").increment(1);
                Ok(Stored::replayed(body))
            }
            Dispatched::KeyReused => Err(starting::key_reused()),
            Dispatched::TooSoon(wait) => Err(rate::too_soon(wait)),
        }
    }
}

fn dispatch_request(app: &App, caller: &Caller, key: IdempotencyKey, request: PrepareMediaRequest) -> DispatchRequest {
    let refs = distinct(request.refs.into_iter().map(|text| text.0));
    let reads: Vec<Read> = distinct(request.reads.into_iter().map(Read::from));
    let context = request.context.map(|text| text.0);
    let canonical = serde_json::json!([TOOL, caller.workspace.id, refs, reads, context]);
    let key = starting::keyed(app, caller, TOOL, key, &canonical);
    DispatchRequest { owners: starting::owners(caller), call: starting::call(caller, TOOL, context), refs, reads, key }
}

/// Returns the values without repeats, each at its first position.
fn distinct<T: Hash + Eq + Clone>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut seen = HashSet::new();
    all.filter(|one| seen.insert(one.clone())).collect()
}

fn answered(caller: &Caller, request: &DispatchRequest, prepared: &Prepared) -> ToolAnswer<PreparedMedia> {
    let data = PreparedMedia::of(prepared, &request.reads);
    ToolAnswer::new(&caller.request_id, data).cloud(cloud_processing(prepared))
}

/// Refuses with 402 when nothing started, nothing is ready, and minutes are the only reason (contract §4.5).
fn refuse_for_minutes_alone(prepared: &Prepared) -> Answer<()> {
    let mut answers = prepared.items.iter().flat_map(|item| &item.answers);
    if !answers.all(|answer| matches!(answer, ReadAnswer::Not(Reason::InsufficientMinutes { .. }))) {
        return Ok(());
    }
    Err(starting::short_of_minutes(prepared))
}
