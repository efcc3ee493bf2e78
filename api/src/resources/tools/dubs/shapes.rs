//! The shapes of the dub tools' requests and answers.

use crate::http::paging::Limit;
use crate::http::text::{CreditCount, MinuteCount, Text, Time, True};
use crate::resources::tools::stored_read::NeedStatus;
use crate::usecases::dubs::KeptDub;
use domain::dub;
use domain::ids::DubId;
use poem_openapi::Object;
use poem_openapi::types::Example;
use std::collections::HashMap;
use store::documents::ListedRow;

/// Which item to dub, and how.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields, skip_serializing_if_is_none, example)]
pub struct MakeDub {
    /// The item: its ref, its id, or the id of the job that made it.
    #[oai(rename = "ref")]
    pub item_ref: Option<Text>,
    /// A timeline to dub, instead of `ref`: its film is rendered first, unless that is there.
    pub timeline_id: Option<Text>,
    /// The revision of the timeline to dub, its present one or one that `undo_timeline` could still return to; the
    /// present one when not given.
    pub timeline_revision: Option<i32>,
    /// The language to dub into, such as `es` or `spa`.
    pub target_language: Text,
    /// The language that is spoken in the item; the transcript's when not given.
    pub source_language: Option<Text>,
    /// The segments to speak, at most 2,000, which may not overlap. With it nothing is transcribed or translated.
    #[oai(validator(max_items = 2000))]
    pub script: Option<Vec<ScriptSegment>>,
    /// Voices for speakers; every other speaker gets one automatically.
    pub voices: Option<Vec<SpeakerVoice>>,
    /// Whether the item's own sound is heard under the voices, 15 dB down while they speak; false when not given.
    pub keep_background: Option<bool>,
    /// `true` returns what the call would hold, and starts nothing.
    pub dry_run: Option<bool>,
}

impl Example for MakeDub {
    fn example() -> Self {
        Self {
            item_ref: Some("talk".into()),
            timeline_id: None,
            timeline_revision: None,
            target_language: "es".into(),
            source_language: None,
            script: None,
            voices: None,
            keep_background: None,
            dry_run: None,
        }
    }
}

/// A segment of a script.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields, skip_serializing_if_is_none)]
pub struct ScriptSegment {
    /// When it begins, in seconds.
    pub start: f64,
    /// When it ends, in seconds.
    pub end: f64,
    /// The words to speak, 1 to 1,000 characters, not all of them blank: what is silent is no part of a script.
    pub text: Text,
    /// The speaker's name; `speaker_1` when not given.
    pub speaker: Option<Text>,
}

/// The voice of a speaker.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct SpeakerVoice {
    /// The speaker's name in the `speakers` read or in the script.
    pub speaker: Text,
    /// The voice, by its engine's name for it: for English one of `flite`'s, otherwise of `espeak-ng`'s, such as
    /// `es+f3`.
    pub voice: Text,
}

/// Which dub.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct OneDub {
    /// The dub.
    pub dub_id: Text,
}

/// Which dub to speak.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct RenderDub {
    /// The dub.
    pub dub_id: Text,
    /// `true` returns what the call would hold, and starts nothing.
    pub dry_run: Option<bool>,
}

/// Which dubs to list.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct ListDubs {
    /// Dubs to show, 1 to 100; 20 when not given.
    pub limit: Option<Limit>,
    /// The `next_cursor` of the page before.
    pub cursor: Option<Text>,
}

/// Which dub to restore.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct UndoDub {
    /// The dub.
    pub dub_id: Text,
    /// The revision to undo. If the dub has another one: 409 `revision_conflict`.
    pub if_revision: Option<i32>,
}

/// The state of a dub.
#[derive(Debug, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct DubStanding {
    /// The ref or id that the request named; only when a read of the item is missing.
    #[oai(rename = "ref")]
    pub item_ref: Option<Text>,
    /// The item that is dubbed; absent while a timeline's film is missing.
    pub item_id: Option<Text>,
    /// The timeline that is dubbed, if one is.
    pub source_timeline_id: Option<Text>,
    /// The revision of that timeline which this call is for; absent in answers of `render_dub`. Name it in the next
    /// call.
    pub timeline_revision: Option<i32>,
    /// `ready`, `queued`, or `startable` in a dry run.
    pub status: NeedStatus,
    /// The job that dubs, that computes a missing read, or that renders a missing film; only when queued. Follow it
    /// with `get_jobs`. When it does not dub, call again once it has ended.
    pub job_id: Option<Text>,
    /// Minutes held for that job, or that would be held; only when queued or startable.
    pub estimated_minutes: Option<MinuteCount>,
    /// AI credits held for that job, or that would be held; only when a provider's model translates.
    pub estimated_credits: Option<CreditCount>,
    /// The provider's model that translates it; absent when the built-in engine does, and when nothing is translated.
    pub translator: Option<Text>,
    /// The dub; once it exists.
    pub dub_id: Option<Text>,
    /// The dub's own timeline; only when ready, and unless it was deleted.
    pub timeline_id: Option<Text>,
    /// The dubbed item; only when ready.
    pub output_item_id: Option<Text>,
    /// The number of segments to speak; only when it is known.
    pub segments: Option<u32>,
    /// `draft`: simple engines speak it, and translate it unless `translator` does.
    pub quality: Option<Text>,
    /// What is not spoken of the segments, in whole sentences; absent when nothing is known to be left out. Of what is
    /// translated the dub tells it (`get_dub`).
    pub warnings: Option<Vec<Text>>,
}

/// A dub. Times are seconds.
#[derive(Debug, Object)]
pub struct DubDocument {
    /// Its id.
    pub id: Text,
    /// Its name.
    pub name: Text,
    /// Its revision: 1 when created, then one higher with every change.
    pub revision: i32,
    /// The revision that was last spoken; null when none was.
    pub output_revision: Option<i32>,
    /// Whether the dub changed since then: `render_dub` speaks the changes.
    pub stale: bool,
    /// The ref of the item that is dubbed, or its id when it has none; null when it is deleted.
    #[oai(rename = "ref")]
    pub item_ref: Option<Text>,
    /// The item that is dubbed.
    pub item_id: Text,
    /// The timeline that the item is the film of; null when an item was dubbed, and when the timeline is deleted.
    pub source_timeline_id: Option<Text>,
    /// The language that is spoken in the item; null when a script was given without it.
    pub source_language: Option<Text>,
    /// The language that it is dubbed into.
    pub target_language: Text,
    /// Whether the item's own sound is heard under the voices.
    pub keep_background: bool,
    /// The item that was last made of it; null when there is none, or when it is deleted.
    pub output_item_id: Option<Text>,
    /// The item with the voices of that alone; null when there is none, or when it is deleted.
    pub voice_item_id: Option<Text>,
    /// Its timeline; null when there is none, or when it is deleted.
    pub timeline_id: Option<Text>,
    /// Its segments, in the order of their starts.
    pub segments: Vec<DubSegment>,
    /// What is not spoken of them, in whole sentences.
    pub warnings: Vec<Text>,
    /// When it was created.
    pub created_at: Time,
    /// When it was last changed.
    pub updated_at: Time,
}

/// A segment of a dub: the words of one speaker.
#[derive(Debug, Object)]
pub struct DubSegment {
    /// Its id, unique in its dub.
    pub id: Text,
    /// When it begins, in seconds.
    pub start: f64,
    /// When it ends, in seconds.
    pub end: f64,
    /// The speaker's name.
    pub speaker: Text,
    /// The words in the item's own language; null when they are not known.
    pub source: Option<Text>,
    /// The words to speak instead.
    pub translation: Text,
    /// The voice that speaks it.
    pub voice: Text,
    /// Seconds that its speech goes on after its end, although it is spoken as fast as allowed; 0 when it fits, null
    /// when the current segment has not been spoken.
    pub overflow: Option<f64>,
}

/// A dub as lists show it.
#[derive(Debug, Object)]
pub struct ListedDub {
    /// Its id.
    pub id: Text,
    /// Its name.
    pub name: Text,
    /// The item that is dubbed.
    pub item_id: Text,
    /// The language that it is dubbed into.
    pub target_language: Text,
    /// The number of its segments.
    pub segments: u64,
    /// Its revision: 1 when created, then one higher with every change.
    pub revision: i32,
    /// When it was created.
    pub created_at: Time,
    /// When it was last changed.
    pub updated_at: Time,
}

/// A dub.
#[derive(Debug, Object)]
pub struct DubAnswer {
    /// The dub.
    pub dub: DubDocument,
}

/// A page of the workspace's dubs.
#[derive(Debug, Object)]
pub struct DubPage {
    /// The dubs, newest first.
    pub dubs: Vec<ListedDub>,
    /// Whether there are dubs after these.
    pub has_more: bool,
    /// Pass it as `cursor` for the dubs after these; null on the last page.
    pub next_cursor: Option<Text>,
}

/// The dub that was deleted.
#[derive(Debug, Object)]
pub struct DeletedDub {
    /// Its id.
    pub dub_id: Text,
    /// Always true.
    pub deleted: True,
}

impl DubDocument {
    /// Returns the dub as tools show it.
    pub(super) fn of(dub: KeptDub) -> Self {
        let KeptDub { kept, output, original } = dub;
        let body = kept.body;
        let pieces = output.iter().flat_map(|output| &output.pieces);
        let overflows: HashMap<&str, i64> = pieces.map(|piece| (piece.key.as_str(), piece.overflow_ms)).collect();
        let shown = |segment: &dub::Segment| DubSegment {
            id: Text::of(&segment.id),
            start: segment.start.seconds(),
            end: segment.end.seconds(),
            speaker: Text::of(&segment.speaker),
            source: segment.source.as_ref().map(Text::of),
            translation: Text::of(&segment.translation),
            voice: Text::of(&segment.voice),
            overflow: overflows.get(segment.key(&body.target_language).as_str()).map(|ms| seconds(*ms)),
        };
        Self {
            id: Text::of(DubId::from(kept.id)),
            name: Text(kept.name),
            revision: kept.revision,
            output_revision: output.as_ref().map(|output| output.revision),
            stale: output.as_ref().is_none_or(|output| output.revision != kept.revision),
            item_ref: kept.refs.get(&body.source).map(Text::of),
            item_id: Text::of(body.source),
            source_timeline_id: original.map(Text::of),
            source_language: body.source_language.as_ref().map(Text::of),
            target_language: Text::of(&body.target_language),
            keep_background: body.keep_background,
            output_item_id: output.as_ref().filter(|output| output.is_there).map(|output| Text::of(output.item)),
            voice_item_id: output.as_ref().filter(|output| output.has_voice).map(|output| Text::of(output.voice)),
            timeline_id: output.as_ref().filter(|output| output.has_timeline).map(|output| Text::of(output.timeline)),
            segments: body.segments.iter().map(shown).collect(),
            warnings: body.warnings().into_iter().map(Text).collect(),
            created_at: Time(kept.created_at),
            updated_at: Time(kept.updated_at),
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "milliseconds of speech")]
fn seconds(ms: i64) -> f64 {
    ms as f64 / 1e3
}

impl From<ListedRow> for ListedDub {
    fn from(row: ListedRow) -> Self {
        let text = |field: &str| Text::of(row.summary[field].as_str().unwrap_or_default());
        Self {
            id: Text::of(DubId::from(row.id)),
            item_id: text("source"),
            target_language: text("target_language"),
            segments: row.summary["segments"].as_u64().unwrap_or_default(),
            name: Text(row.name.clone()),
            revision: row.revision,
            created_at: Time(row.created_at),
            updated_at: Time(row.updated_at),
        }
    }
}
