//! A call of a tool that needs the `speech` read and may render: its items, its read, its render, and its
//! Idempotency-Key.
//!
//! One key is one call: the first job that the call dispatched, the read's or the render's, answers the key from then
//! on.

use super::rendered::Rendered;
use crate::app::App;
use crate::app::beside::{LONG_READ, apart_in_turn_if, in_turn_if, run_beside};
use crate::auth::{Caller, Role};
use crate::contract::envelope::{Stored, ToolAnswer};
use crate::contract::idempotency::IdempotencyKey;
use crate::http::answers::AnswerPermit;
use crate::http::error::{Answer, ApiError, Code};
use crate::http::json::json_of;
use crate::http::text::Text;
use crate::resources::tools::making::{self, Ordering, order};
use crate::resources::tools::stored_read::{Need, Needed, QueuedRead, need};
use crate::usecases::dispatch::{Making, Prepared, RenderRequest, Standing, Unmade};
use crate::usecases::documents::{self, DocumentToCreate, Kept};
use crate::usecases::library::{resolve, sources};
use crate::usecases::once::Once;
use crate::usecases::starting::{self, cloud_processing, needed};
use domain::document::MOST_NAME_CHARACTERS;
use domain::ids::{ItemId, TimelineId};
use domain::item::ItemStatus;
use domain::media_time::{FrameRate, Span, speech_of, true_duration_ms};
use domain::media_use::MediaUse;
use domain::pixels::PictureSize;
use domain::plan::Reason;
use domain::read::Read;
use domain::render::RenderPlan;
use domain::timeline::{Picture, Sources, Timeline};
use poem_openapi::types::{ParseFromJSON, ToJSON};
use serde_json::{Value, json};
use store::idempotency::Key;
use store::items::{self, ItemForReads};

/// A call of such a tool.
pub(in crate::resources::tools) struct RenderCall<'a> {
    app: &'a App,
    caller: &'a Caller,
    tool: &'static str,
    /// The whole request in canonical form.
    request: Value,
    key: IdempotencyKey,
    /// Whether to return what would be started instead of starting it.
    dry_run: bool,
}

/// The speech of an item, or the job that finds it.
pub(in crate::resources::tools) enum NeededSpeech {
    /// The item, with the duration that its speech read measured, and the spans in which somebody speaks.
    Speech(Box<ItemForReads>, HeardSpeech),
    /// A job computes the read: answer with these bytes.
    Answered(Stored<ToolAnswer<QueuedRead>>),
}

/// The spans in which somebody speaks, and the room for them and for what is made of them.
pub(in crate::resources::tools) struct HeardSpeech {
    /// The spans.
    pub(in crate::resources::tools) spans: Vec<Span>,
    /// To be held until the answer is written.
    pub(in crate::resources::tools) room: AnswerPermit,
}

/// What a call makes of the speech.
#[derive(Debug, Clone, Copy)]
pub(in crate::resources::tools) struct Makes {
    /// Whether a job makes a new item.
    pub(in crate::resources::tools) render: bool,
    /// Whether a timeline is made.
    pub(in crate::resources::tools) timeline: bool,
}

/// The source's name, which a render is named after, and its length, which sets the price.
#[derive(Debug, Clone, Copy)]
pub(in crate::resources::tools) struct Priced<'a> {
    /// The name of the source item.
    pub(in crate::resources::tools) source_name: &'a str,
    /// The source's length, in milliseconds.
    pub(in crate::resources::tools) duration_ms: i64,
}

impl<'a> RenderCall<'a> {
    /// Makes the call. A dry run drops the key: it leaves nothing to repeat.
    pub(in crate::resources::tools) fn new(
        app: &'a App,
        caller: &'a Caller,
        tool: &'static str,
        request: Value,
        key: IdempotencyKey,
        dry_run: Option<bool>,
    ) -> Self {
        let dry_run = dry_run.unwrap_or(false);
        Self { app, caller, tool, request, key: if dry_run { IdempotencyKey(None) } else { key }, dry_run }
    }

    /// Returns the answer of a call that renders nothing. A long one is written in the account's turn: of a day of
    /// speech it has up to 200,000 parts, each of them several values while it is written.
    pub(in crate::resources::tools) async fn without_render<T: ParseFromJSON + ToJSON + Send>(
        &self,
        is_long: bool,
        answer: impl FnOnce() -> T + Send,
    ) -> Answer<Stored<ToolAnswer<T>>> {
        let idle = starting::idle(self.app, self.caller).await?;
        let written = || Stored::fresh(&ToolAnswer::new(&self.caller.request_id, answer()).cloud(idle));
        Ok(in_turn_if(self.app, self.caller.account_id, is_long, written).await)
    }

    /// Makes a timeline of these items, in the account's turn if that is long; the first one decides its picture.
    /// `answer` turns the timeline's id into the tool's answer.
    ///
    /// # Errors
    /// `invalid_request` when the timeline can't be made, `quota_reached`, and those of an Idempotency-Key.
    pub(in crate::resources::tools) async fn timeline<T: ParseFromJSON + ToJSON>(
        &self,
        name: &str,
        named: &[ItemId],
        is_long: bool,
        make: impl FnOnce(Picture, &Sources) -> Result<Timeline, String>,
        answer: impl FnOnce(Text) -> T,
    ) -> Answer<Stored<ToolAnswer<T>>> {
        let mut conn = self.app.conn().await?;
        let sources = sources(&mut conn, self.caller, named).await?;
        let first = match named.first() {
            Some(item) => items::find(&mut conn, *item).await?,
            None => None,
        };
        drop(conn);
        let size = first.as_ref().and_then(|item| {
            Some(PictureSize { width: item.width?.unsigned_abs(), height: item.height?.unsigned_abs() })
        });
        let rate = self.rate(named).await?;
        // Thousands of scenes are added one by one.
        let work = || run_beside(|| make(Picture { size, rate }, &sources));
        let body = in_turn_if(self.app, self.caller.account_id, is_long, work)
            .await
            .map_err(|why| ApiError::new(Code::InvalidRequest, format!("There is no such timeline: {why}.")))?;
        let idle = starting::idle(self.app, self.caller).await?;
        let once = Once::of(self.app, self.caller, self.tool, self.key.clone(), &self.request);
        let name: String = name.chars().filter(|letter| !letter.is_control()).take(MOST_NAME_CHARACTERS).collect();
        let show = move |kept: Kept<Timeline>| {
            let data = answer(Text::of(TimelineId::from(kept.id)));
            ToolAnswer::new(&self.caller.request_id, data).cloud(idle).to_json_string()
        };
        let new = DocumentToCreate { id: TimelineId::mint().uuid(), name: &name, body: &body };
        Ok(documents::create(self.app, self.caller, &once, new, show).await?.into())
    }

    /// Returns the frame rate of the first of these items.
    async fn rate(&self, named: &[ItemId]) -> Answer<Option<FrameRate>> {
        match named.first() {
            Some(item) => Ok(self.reach(&item.to_string()).await?.frame_rate),
            None => Ok(None),
        }
    }

    /// Returns the answer that this call's key already has, if any.
    pub(in crate::resources::tools) async fn replayed<T: ToJSON>(&self) -> Answer<Option<Stored<T>>> {
        making::replayed(self.app, self.key()).await
    }

    /// Returns the spans in which somebody speaks in this item. Starts the read if it is missing.
    ///
    /// # Errors
    /// The errors of `stored_read::need`; `role_forbidden` for a render or a timeline that the caller may not make,
    /// `invalid_request` for both at once.
    pub(in crate::resources::tools) async fn speech(&self, item_ref: &str, makes: Makes) -> Answer<NeededSpeech> {
        let Makes { render, timeline } = makes;
        if render && timeline {
            let message = "`render`, `timeline`: one of them; a timeline is rendered with `render_timeline`.";
            return Err(ApiError::new(Code::InvalidRequest, message));
        }
        if render || timeline {
            self.caller.require(Role::Editor)?;
        }
        let (tool, request, dry_run) = (self.tool, self.request.clone(), self.dry_run);
        let wanted = Need { tool, item_ref, read: Read::Speech, request, dry_run };
        let ready = match need(self.app, self.caller, self.key.clone(), &wanted).await? {
            Needed::Answered(answer) => return Ok(NeededSpeech::Answered(answer)),
            Needed::Ready(ready) => ready,
        };
        let mut item = self.reach(&ready.item.to_string()).await?;
        let account = self.caller.account_id;
        let (document, room, large) = ready.document.whole(&self.app.answers, account).await?;
        let (declared_ms, has_video) = (item.duration_ms, item.has_video);
        let is_long = document.len() > LONG_READ;
        // Parsing a day of speech takes a good part of a second.
        let parse = move || {
            // Held until the document is parsed and dropped.
            let _large = large;
            let parsed = serde_json::from_slice::<Value>(&document);
            drop(document);
            parsed.map(|read| (speech_of(&read), true_duration_ms(declared_ms, has_video, &read), room))
        };
        let parsed = apart_in_turn_if(self.app, account, is_long, parse).await?;
        let (spans, duration_ms, room) = parsed.map_err(ApiError::internal)?;
        let spans = spans.ok_or_else(|| ApiError::internal("a stored speech read without segments"))?;
        item.duration_ms = duration_ms;
        Ok(NeededSpeech::Speech(item, HeardSpeech { spans, room }))
    }

    /// Returns the item of this name, if its sound can be mixed.
    ///
    /// # Errors
    /// `item_not_found`, `workspace_forbidden`, `item_not_ready`; `read_not_applicable` when it has no sound.
    pub(in crate::resources::tools) async fn music(&self, item_ref: &str) -> Answer<ItemId> {
        let item = self.reach(item_ref).await?;
        let refusal = |code, message: &str| Err(ApiError::new(code, format!("`music_ref`: {message}")));
        match item.status {
            ItemStatus::Processing => refusal(Code::ItemNotReady, "the item is still being processed."),
            ItemStatus::Failed => refusal(Code::ReadNotApplicable, "the item's media can't be read."),
            ItemStatus::Ready => match item.media().map(|media| media.suits(MediaUse::Sound)) {
                Some(Err(unfit)) => refusal(Code::ReadNotApplicable, &format!("{unfit}.")),
                _ => Ok(item.id),
            },
        }
    }

    async fn reach(&self, name: &str) -> Answer<Box<ItemForReads>> {
        let mut conn = self.app.conn().await?;
        resolve(&mut conn, self.caller.workspace, name).await
    }

    /// Renders this plan, or reports the state of the same render. `answer` turns that into the tool's answer.
    ///
    /// # Errors
    /// `insufficient_minutes`, `engine_not_configured`, `file_too_large` when the account's storage is full,
    /// `rate_limited` when the account is at its limit of live jobs, and those of an Idempotency-Key.
    pub(in crate::resources::tools) async fn render<T>(
        &self,
        plan: RenderPlan,
        priced: Priced<'_>,
        answer: &(dyn Fn(&Rendered) -> T + Sync),
    ) -> Answer<Stored<ToolAnswer<T>>>
    where
        T: ParseFromJSON + ToJSON,
    {
        let request = RenderRequest {
            order: order(self.caller, self.tool, None, self.key()),
            plan,
            source_name: priced.source_name.to_owned(),
            duration_ms: priced.duration_ms,
        };
        let ordering = Ordering { app: self.app, dry_run: self.dry_run };
        let refused = |why: &Unmade, standing: &Standing<ItemId>| refused(&ordering, why, standing);
        let told = |standing: &Standing<ItemId>| {
            let cloud = cloud_processing(&Prepared::from(standing));
            ToolAnswer::new(&self.caller.request_id, answer(&rendered(&standing.state))).cloud(cloud)
        };
        ordering.make(&request, |item| *item, refused, told).await
    }

    /// Returns the key of this call, if one was sent: the same as `need` makes.
    fn key(&self) -> Option<Key> {
        let canonical = json!([self.tool, self.caller.workspace.id, self.request]);
        starting::keyed(self.app, self.caller, self.tool, self.key.clone(), &canonical)
    }
}

/// Returns the refusal of a render that did not start.
pub(in crate::resources::tools) fn refused(
    ordering: &Ordering<'_>,
    why: &Unmade,
    standing: &Standing<ItemId>,
) -> ApiError {
    match why {
        Unmade::Reason(Reason::InsufficientMinutes { needs }) => {
            let left = standing.balance.left() + standing.balance.bought;
            let message = format!("The render can't start: {left} cloud minutes are left, and it needs {needs}.");
            let minutes = json_of(&needed(&Prepared::from(standing)));
            ApiError::new(Code::InsufficientMinutes, message)
                .suggest("Ask the operator for minutes, or wait for the month's (GET /balances says when).")
                .cloud_processing(minutes)
        }
        Unmade::Reason(Reason::EngineNotConfigured) => {
            ApiError::new(Code::EngineNotConfigured, "No worker of this deployment can render.")
        }
        why => ordering.refusal(why, standing),
    }
}

/// Returns the state of a render that did start, or would.
fn rendered(state: &Making<ItemId>) -> Rendered {
    match state {
        Making::Made(item) => Rendered::Made(*item),
        Making::Queued { job, held, .. } => Rendered::Queued(*job, held.minutes),
        Making::Startable(held) => Rendered::Startable(held.minutes),
        Making::Not(_) => unreachable!("what did not start is refused"),
    }
}
