//! `remove_silence` and `duck_music`: compute from an item's speech what to cut or how far to turn music down, and with
//! `render: true` make the media too (contract §4.4).
//!
//! Both need the `speech` read, which `stored_read` returns or starts. `domain::silence` decides what is kept and
//! `domain::ducking` how far music goes down; the same values are answered and rendered. `call` does what both share,
//! and starts the job.

pub(super) mod call;
pub(super) mod rendered;
mod shapes;

use super::stored_read;
use crate::app::App;
use crate::app::beside::in_turn_if;
use crate::auth::Auth;
use crate::contract::envelope::{Stored, ToolAnswer};
use crate::contract::groups::{Refusals, Tag};
use crate::contract::idempotency::IdempotencyKey;
use crate::http::error::{Answer, ApiError, Code};
use crate::http::json::json_of;
use crate::http::text::Text;
use crate::usecases::settings::settings;
use call::{HeardSpeech, Makes, NeededSpeech, Priced, RenderCall};
use domain::ducking::envelope;
use domain::render::RenderPlan;
use domain::silence::keep;
use domain::timeline::{Sources, cut_down, under_voice};
use poem_openapi::OpenApi;
use poem_openapi::payload::Json;
use rendered::Rendered;
use shapes::{DuckAnswer, DuckMusic, GainAt, KeptSpan, RemoveSilence, SilenceAnswer, seconds};
use std::sync::Arc;
use store::items::ItemForReads;

/// Those of `stored_read::REFUSALS`, and of full storage or too many timelines in the workspace.
const REFUSALS: &[Code] = &[
    Code::InsufficientMinutes,
    Code::RoleForbidden,
    Code::WorkspaceForbidden,
    Code::ItemNotFound,
    Code::ItemNotReady,
    Code::ItemLeased,
    Code::IdempotencyInProgress,
    Code::IdempotencyKeyReused,
    Code::ReadNotApplicable,
    Code::EngineNotConfigured,
    Code::FileTooLarge,
    Code::QuotaReached,
];
const _: () = assert!(REFUSALS.len() == stored_read::REFUSALS.len() + 2, "a tool that needs a read refuses as they do");

/// Speech with more stretches than this is worked on beside the threads that answer. A day may have 200,000.
const FEW: usize = 1_000;

/// The error codes of these operations, besides those that any operation may return.
pub const ERRORS: Refusals = &[("POST /tools/remove_silence", REFUSALS), ("POST /tools/duck_music", REFUSALS)];

/// The tools.
pub struct Edits(pub App);

#[OpenApi(tag = "Tag::Library")]
impl Edits {
    /// Remove silence
    ///
    /// Computes which parts of an item to keep so that its long silences are removed, from its speech. A silence
    /// shorter than `min_silence_ms` stays, and so do `padding_ms` on each side of speech; values that the call does
    /// not give come from the workspace's settings. Cuts in a video are on its frames. If nobody speaks, nothing is
    /// kept. With `render: true` a job makes a new item of what is kept; while its item exists, the same render is not
    /// made again. A stored speech read is used at no charge; if there is none, its job is started or joined, and the
    /// answer is `queued` without `keep`: follow `job_id` with `get_jobs` and call again.
    #[oai(path = "/tools/remove_silence", method = "post", operation_id = "remove_silence")]
    async fn remove_silence(
        &self,
        auth: Auth,
        key: IdempotencyKey,
        arguments: Json<RemoveSilence>,
    ) -> Answer<Stored<ToolAnswer<SilenceAnswer>>> {
        let (Auth(caller), asked) = (auth, arguments.0);
        let call = RenderCall::new(&self.0, &caller, "remove_silence", json_of(&asked), key, asked.dry_run);
        let makes = Makes { render: asked.render(), timeline: asked.timeline() };
        // The room is held until the call has its answer.
        let (item, HeardSpeech { spans: speech, room: _room }) = match call.speech(&asked.item_ref, makes).await? {
            NeededSpeech::Answered(answer) => return Ok(answer.documented_as()),
            NeededSpeech::Speech(item, speech) => (item, speech),
        };
        let settings = settings(&self.0, caller.workspace.id).await?;
        let (duration_us, rule, rate) =
            (item.duration_ms.unwrap_or_default() * 1000, asked.rule(&settings), item.frame_rate);
        let kept = || keep(&speech, duration_us, rule, rate);
        let is_long = speech.len() > FEW;
        let kept = in_turn_if(&self.0, caller.account_id, is_long, kept).await;
        let (item_id, render, kept) = (item.id, asked.render(), Arc::new(kept));
        let makes_timeline = asked.timeline() && asked.dry_run != Some(true);
        let plan = Arc::clone(&kept);
        let answer = move |rendered: &Rendered| SilenceAnswer {
            item_ref: asked.item_ref.clone(),
            item_id: Text::of(item_id),
            status: rendered.status(),
            job_id: rendered.job_id(),
            estimated_minutes: rendered.estimated_minutes(),
            keep: Some(kept.keep.iter().copied().map(KeptSpan::from).collect()),
            removed_seconds: Some(seconds(kept.removed_us)),
            output_item_id: rendered.output_item_id(),
            timeline_id: None,
        };
        if (render || makes_timeline) && plan.keep.is_empty() {
            let message = "Nobody speaks in the item, so nothing of it would be left.";
            return Err(ApiError::new(Code::ReadNotApplicable, message));
        }
        if makes_timeline {
            let name = RenderPlan::RemoveSilence { item: item_id, keep: Vec::new() }.name(&item.name);
            let cut = move |picture, sources: &Sources| cut_down(item_id, &plan.keep, picture, sources);
            let answer = move |timeline| SilenceAnswer { timeline_id: Some(timeline), ..answer(&Rendered::NotAsked) };
            return call.timeline(&name, &[item_id], is_long, cut, answer).await;
        }
        if !render {
            return call.without_render(is_long, move || answer(&Rendered::NotAsked)).await;
        }
        call.render(RenderPlan::RemoveSilence { item: item_id, keep: plan.keep.clone() }, priced(&item), &answer).await
    }

    /// Duck music
    ///
    /// Computes how far to turn music down while a voice speaks over it: an envelope of gains, linear in decibels
    /// between its points. Under speech the music is down by `duck_db`; the fall ends when speech starts, the rise
    /// starts when it ends, and elsewhere the gain is 0. With `render: true` a job mixes both into a new item: as long
    /// as the voice, with its picture if it has one, and limited so that it never clips. A stored speech read of the
    /// voice is used at no charge; if there is none, its job is started or joined, and the answer is `queued` without
    /// `envelope`: follow `job_id` with `get_jobs` and call again.
    #[oai(path = "/tools/duck_music", method = "post", operation_id = "duck_music")]
    async fn duck_music(
        &self,
        auth: Auth,
        key: IdempotencyKey,
        arguments: Json<DuckMusic>,
    ) -> Answer<Stored<ToolAnswer<DuckAnswer>>> {
        let (Auth(caller), asked) = (auth, arguments.0);
        let call = RenderCall::new(&self.0, &caller, "duck_music", json_of(&asked), key, asked.dry_run);
        if let Some(answer) = call.replayed().await? {
            return Ok(answer);
        }
        // Checked first: without music, starting the speech read would be of no use.
        let music = call.music(&asked.music_ref).await?;
        let makes = Makes { render: asked.render(), timeline: asked.timeline() };
        // The room is held until the call has its answer.
        let (voice, HeardSpeech { spans: speech, room: _room }) = match call.speech(&asked.voice_ref, makes).await? {
            NeededSpeech::Answered(answer) => return Ok(answer.documented_as()),
            NeededSpeech::Speech(item, speech) => (item, speech),
        };
        let settings = settings(&self.0, caller.workspace.id).await?;
        let (duration_us, rule) = (voice.duration_ms.unwrap_or_default() * 1000, asked.rule(&settings));
        let points = || envelope(&speech, duration_us, rule);
        let is_long = speech.len() > FEW;
        let points = Arc::new(in_turn_if(&self.0, caller.account_id, is_long, points).await);
        let (voice_id, render, plan) = (voice.id, asked.render(), Arc::clone(&points));
        let makes_timeline = asked.timeline() && asked.dry_run != Some(true);
        let ducked = asked.ducked(&settings);
        let answer = move |rendered: &Rendered| DuckAnswer {
            item_ref: asked.voice_ref.clone(),
            item_id: Text::of(voice_id),
            music_item_id: Some(Text::of(music)),
            status: rendered.status(),
            job_id: rendered.job_id(),
            estimated_minutes: rendered.estimated_minutes(),
            envelope: Some(points.iter().copied().map(GainAt::from).collect()),
            output_item_id: rendered.output_item_id(),
            timeline_id: None,
        };
        if makes_timeline {
            let name = RenderPlan::DuckMusic { voice: voice_id, music, envelope: Vec::new() }.name(&voice.name);
            let mix = move |picture, sources: &Sources| under_voice(voice_id, music, ducked, picture, sources);
            let answer = move |timeline| DuckAnswer { timeline_id: Some(timeline), ..answer(&Rendered::NotAsked) };
            return call.timeline(&name, &[voice_id, music], is_long, mix, answer).await;
        }
        if !render {
            return call.without_render(is_long, move || answer(&Rendered::NotAsked)).await;
        }
        let plan = RenderPlan::DuckMusic { voice: voice_id, music, envelope: plan.to_vec() };
        call.render(plan, priced(&voice), &answer).await
    }
}

/// Returns the name and the length that a render of this item is named after and priced by.
fn priced(item: &ItemForReads) -> Priced<'_> {
    Priced { source_name: &item.name, duration_ms: item.pictures.worth_ms(item.duration_ms.unwrap_or_default()) }
}
