//! Dubs: the speech of an item, translated, spoken and mixed in another language (`domain::dub`, docs/dubs.md).
//!
//! `translate` translates the segments that need it, unless a provider's model has done so (`jobs::translation`);
//! `voices` speaks them into one track, and `renders` mixes that with the item and writes it. Nothing here knows a
//! database or a job row: a plan and media in, opened files or a `ReadError` out.

#[cfg(test)]
mod tests;
mod translate;
mod voices;
mod wave;

pub(crate) use translate::Translator;
pub(crate) use voices::{RATE, VoiceTrack};

use crate::generations::TRANSLATOR;
use crate::generations::speech::Speakers;
use crate::ingest::facts;
use crate::new_media::NewMedia;
use crate::open_media::OpenMedia;
use crate::readers::decode::{Encoder, Feed, MediaTools, Workshop, input_path};
use crate::readers::{JobCtx, MediaSource, Progress, ReadError};
use crate::renders::{DubMix, Rendered, Renderer};
use domain::document::MOST_BYTES;
use domain::dub::{Dub, DubPlan, Language, Piece, Volumes, engine_of, offered_pair, usual_voice};
use domain::model::BuiltIn;
use domain::pixels::PictureSize;
use domain::task::Task;
use domain::timeline::Picture;
use std::ffi::OsStr;
use std::sync::Arc;
use store::generations::MakerOffer;
use store::items::StoredMedia;

/// The name of the file with the voices alone.
const VOICE_FILE: &str = "voices";
/// The progress in percent at which the translation and the speaking end.
pub(crate) const TRANSLATED: u8 = 10;
const SPOKEN: u8 = 60;

/// A dub to make.
#[derive(Debug, Clone)]
pub struct DubRequest {
    /// What to make.
    pub plan: DubPlan,
    /// The item's media.
    pub source: StoredMedia,
    /// The item's length in milliseconds, as its row has it.
    pub duration_ms: i64,
    /// The voices that were spoken before, where they still exist.
    pub before: Option<StoredMedia>,
    /// The largest that a file may be, in bytes.
    pub most_bytes: u64,
}

/// A dub that was made.
#[derive(Debug)]
pub struct Dubbed {
    /// The item in the other language.
    pub mix: Rendered,
    /// The voices alone.
    pub voice: NewMedia,
    /// The dub, translated.
    pub body: Dub,
    /// How loud its sounds are in the mix.
    pub volumes: Volumes,
    /// The place of each segment in the voices.
    pub pieces: Vec<Piece>,
    /// Segments that were spoken now.
    pub spoken: usize,
    /// Segments that were taken from what was spoken before.
    pub reused: usize,
    /// Segments whose text their voice can't speak.
    pub unspoken: usize,
    /// The item's picture.
    pub picture: Picture,
}

/// Makes dubs on this machine.
pub(crate) struct Dubber {
    tools: Arc<MediaTools>,
    open: Arc<OpenMedia>,
    renderer: Renderer,
    speakers: Speakers,
    translator: Translator,
}

impl Dubber {
    /// Finds the engines that are installed on this machine. Returns none when none of them can speak.
    pub(crate) fn found(tools: Arc<MediaTools>, open: Arc<OpenMedia>, renderer: Renderer) -> Option<Self> {
        let (speakers, translator) = (Speakers::found(), Translator::found());
        let speaks = !speakers.versions().is_empty();
        speaks.then_some(Self { tools, open, renderer, speakers, translator })
    }

    /// Returns the language pairs that it translates and speaks, to be offered to the fleet. The voices are offered by
    /// `generations`.
    pub(crate) fn offers(&self) -> Vec<MakerOffer> {
        let engines: Vec<BuiltIn> = self.speakers.versions().into_iter().map(|one| one.engine).collect();
        spoken_pairs(self.translator.offers(), &engines)
    }

    /// Makes what the plan says.
    pub(crate) async fn dub(&self, asked: &DubRequest, ctx: &JobCtx) -> Result<Dubbed, ReadError> {
        let media: Vec<_> = [&asked.source].into_iter().chain(&asked.before).collect();
        let held = self.open.get(&media, &self.tools, ctx).await?;
        let [source, before @ ..] = held.as_slice() else { return Err(ReadError::Missing) };
        let source = &source.source;
        let plan = &asked.plan;
        let mut body = plan.body.clone();
        if plan.translates && plan.translator.is_none() {
            self.translate(&mut body, &ctx.step(0, TRANSLATED)).await?;
        }
        let before = before.first().zip(plan.before.as_ref());
        let before = before.map(|(held, before)| voices::SpokenBefore { pieces: &before.pieces, media: &held.source });
        let workshop = Workshop::new(&self.tools)?;
        let booth = voices::Booth { speakers: &self.speakers, tools: &self.tools, workshop: &workshop };
        // The account has already paid for what was spoken before.
        let speaking = JobCtx { paid_ms: None, ..ctx.step(TRANSLATED, SPOKEN) };
        let track = booth.record(&body, before, plan.longest_ms(asked.duration_ms), &speaking).await?;
        let voice = self.voice(&track, &workshop, asked.most_bytes, &speaking).await?;
        let mixing = DubMix {
            source,
            track: &track,
            background: body.keep_background,
            duration_us: asked.duration_ms * 1_000,
            most_bytes: asked.most_bytes,
        };
        let (mix, volumes) = self.renderer.dub(&mixing, &ctx.step(SPOKEN, 100)).await?;
        let probe = source.probe();
        let facts = facts(probe, None);
        let number = |pixels: Option<i32>| pixels.and_then(|pixels| u32::try_from(pixels).ok());
        let size = number(facts.width).zip(number(facts.height)).map(|(width, height)| PictureSize { width, height });
        let picture = Picture { size, rate: probe.frame_rate };
        let VoiceTrack { pieces, spoken, reused, unspoken, .. } = track;
        Ok(Dubbed { mix, voice, body, volumes, pieces, spoken, reused, unspoken, picture })
    }

    /// Translates the segments that have no translation.
    async fn translate(&self, body: &mut Dub, ctx: &JobCtx) -> Result<(), ReadError> {
        let source = body.source_language.clone().ok_or(ReadError::EngineNotConfigured(Task::Dub))?;
        let pair = source.pair(&body.target_language);
        let mut open: Vec<_> = body.segments.iter_mut().filter(|segment| segment.translation.is_empty()).collect();
        let texts: Vec<String> = open.iter().map(|segment| segment.source.clone().unwrap_or_default()).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let translated = self.translator.translate(&pair, &texts, &self.tools, ctx).await?;
        for (segment, text) in open.iter_mut().zip(translated) {
            segment.translation = text.chars().take(domain::dub::MOST_TEXT_CHARACTERS).collect();
        }
        refuse_oversized(body)
    }

    /// Returns the voices as media of their own, lossless, so that unchanged segments can be taken from it.
    async fn voice(
        &self,
        track: &VoiceTrack,
        workshop: &Workshop,
        most_bytes: u64,
        ctx: &JobCtx,
    ) -> Result<NewMedia, ReadError> {
        let (rate, input, output) = (RATE.to_string(), format!("file:{}", input_path()), format!("file:{VOICE_FILE}"));
        let before = ["-nostdin", "-hide_banner", "-v", "error", "-protocol_whitelist", "file", "-f", "s16le"];
        let shape = ["-ar", &rate, "-ac", "1", "-i", &input, "-map_metadata", "-1", "-fflags", "+bitexact"];
        let written = ["-flags:a", "+bitexact", "-threads", "1", "-c:a", "flac", "-f", "flac", &output];
        let arguments = before.into_iter().chain(shape).chain(written).map(OsStr::new);
        let feed = Feed::Media(&track.file);
        let encoder = Encoder::start(&self.tools, workshop, arguments, feed, most_bytes, ctx).await?;
        let ending = encoder.finish(ctx).await?;
        if !ending.status.success() {
            tracing::warn!(ffmpeg.stderr = ending.stderr, "ffmpeg did not write the voices.");
            return Err(ReadError::Crashed);
        }
        let aside = JobCtx { progress: Progress::new(), ..ctx.clone() };
        let media = MediaSource::open(&workshop.path(VOICE_FILE), &self.tools, &aside).await?;
        let mut facts = facts(media.probe(), Some("audio/flac"));
        facts.duration_ms = Some(track.samples * 1_000 / i64::from(RATE)).filter(|ms| *ms > 0);
        Ok(NewMedia { file: media.file().try_clone()?, facts, picture: None })
    }
}

/// Refuses a translated dub that is larger than a document may be.
pub(crate) fn refuse_oversized(body: &Dub) -> Result<(), ReadError> {
    let bytes = serde_json::to_vec(body).map_or(usize::MAX, |body| body.len());
    if bytes > MOST_BYTES {
        return Err(ReadError::Unsupported("more is said than a dub can hold: dub parts of the item"));
    }
    Ok(())
}

/// Returns these offers without pairs into a language that none of these engines speaks by itself. Where one worker
/// translates and another one speaks, neither could make the dub, and each would leave it to the other.
fn spoken_pairs(offers: Vec<MakerOffer>, engines: &[BuiltIn]) -> Vec<MakerOffer> {
    let prefix = offered_pair("");
    let is_spoken = |offer: &MakerOffer| {
        let Some((_, target)) = offer.name.strip_prefix(&prefix).and_then(|pair| pair.split_once('-')) else {
            return true;
        };
        let target = target.parse::<Language>();
        target.is_ok_and(|target| engines.contains(&engine_of(&usual_voice(&target, 0), &target)))
    };
    offers.into_iter().filter(is_spoken).collect()
}

/// Whether this offer of a worker's is one that translates dubs, not one that makes generations.
pub(crate) fn is_translator(offer: &MakerOffer) -> bool {
    offer.name.starts_with(BuiltIn::Apertium.name()) || offer.version == TRANSLATOR
}
