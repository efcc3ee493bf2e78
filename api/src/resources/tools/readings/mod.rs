//! `transcribe_media`, `speakers` and `detect_beats`: one read of one item, as stored (contract §4.2.6, §4.4).
//!
//! Each returns its read at no charge if it is stored, and otherwise starts exactly that read: see `stored_read`. A
//! stored read is put into the answer as text; it is never parsed here.

mod answering;
mod reading;
mod shapes;

use super::stored_read::{self, NeedStatus};
use crate::app::App;
use crate::auth::Auth;
use crate::contract::envelope::ToolAnswer;
use crate::contract::groups::{Refusals, Tag};
use crate::contract::idempotency::IdempotencyKey;
use crate::http::error::Answer;
use crate::http::text::{MinuteCount, Text};
use crate::resources::library::ReadFormat;
use answering::AnswerForm;
use domain::read::Read;
use poem_openapi::payload::Json;
use poem_openapi::types::Example;
use poem_openapi::{Object, OpenApi};
use reading::Reading;
use shapes::{BeatsData, SpeakersData, SpeechData, StoredRead, TranscriptData};

/// The error codes of these operations, besides those that any operation may return.
pub const ERRORS: Refusals = &[
    ("POST /tools/transcribe_media", stored_read::REFUSALS),
    ("POST /tools/speakers", stored_read::REFUSALS),
    ("POST /tools/detect_beats", stored_read::REFUSALS),
];

/// The tools.
pub struct Readings(pub App);

/// The item to read.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields, example)]
pub struct ReadOneItem {
    /// An item ref, an item id, or the id of the job that made the item.
    #[oai(rename = "ref")]
    pub item_ref: Text,
    /// `true` returns what the call would start and hold, and starts nothing.
    pub dry_run: Option<bool>,
}

impl Example for ReadOneItem {
    fn example() -> Self {
        Self { item_ref: "interview".into(), dry_run: None }
    }
}

/// The item to transcribe, and the form of the text.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields, example)]
pub struct TranscribeMedia {
    /// An item ref, an item id, or the id of the job that made the item.
    #[oai(rename = "ref")]
    pub item_ref: Text,
    /// `txt`, `srt` and `vtt` return the transcript as `text` in that form; `json`, the default, returns it as
    /// `transcript`.
    pub format: Option<ReadFormat>,
    /// `true` returns what the call would start and hold, and starts nothing.
    pub dry_run: Option<bool>,
}

impl Example for TranscribeMedia {
    fn example() -> Self {
        Self { item_ref: "interview".into(), format: None, dry_run: None }
    }
}

/// An item's transcript, or the job that computes it.
#[derive(Debug, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct TranscriptAnswer {
    /// The ref or id that the request named.
    #[oai(rename = "ref")]
    pub item_ref: Text,
    /// The item.
    pub item_id: Text,
    /// Whether the read is stored.
    pub status: NeedStatus,
    /// The job that computes it; only when queued. Follow it with `get_jobs`, then call again.
    pub job_id: Option<Text>,
    /// Minutes held for that job, or that would be held; only when queued or startable.
    pub estimated_minutes: Option<MinuteCount>,
    /// The read; only when ready, and not requested in another form.
    pub transcript: Option<StoredRead<TranscriptData>>,
    /// The form of `text`; only when `text` is there.
    pub format: Option<ReadFormat>,
    /// The transcript in that form; only when ready.
    pub text: Option<Text>,
}

/// The turns of an item's speakers, or the job that computes them.
#[derive(Debug, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct SpeakersAnswer {
    /// The ref or id that the request named.
    #[oai(rename = "ref")]
    pub item_ref: Text,
    /// The item.
    pub item_id: Text,
    /// Whether the read is stored.
    pub status: NeedStatus,
    /// The job that computes it; only when queued. Follow it with `get_jobs`, then call again.
    pub job_id: Option<Text>,
    /// Minutes held for that job, or that would be held; only when queued or startable.
    pub estimated_minutes: Option<MinuteCount>,
    /// The read; only when ready.
    pub speakers: Option<StoredRead<SpeakersData>>,
    /// The speech read that it builds on; only when that is stored too.
    pub speech: Option<StoredRead<SpeechData>>,
}

/// An item's beats, or the job that computes them.
#[derive(Debug, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct BeatsAnswer {
    /// The ref or id that the request named.
    #[oai(rename = "ref")]
    pub item_ref: Text,
    /// The item.
    pub item_id: Text,
    /// Whether the read is stored.
    pub status: NeedStatus,
    /// The job that computes it; only when queued. Follow it with `get_jobs`, then call again.
    pub job_id: Option<Text>,
    /// Minutes held for that job, or that would be held; only when queued or startable.
    pub estimated_minutes: Option<MinuteCount>,
    /// The read; only when ready.
    pub beats: Option<StoredRead<BeatsData>>,
}

#[OpenApi(tag = "Tag::Library")]
impl Readings {
    /// Transcribe an item
    ///
    /// Returns the text that is spoken in an item, in segments and words with their times. A stored transcript is
    /// returned at no charge. If there is none, its job is started, or joined if it is live already: the answer is
    /// `queued` with its `job_id`; follow that with `get_jobs` and call again. Needs audio. A `quality` of `draft`
    /// means that a person should check it. With `format` it is returned as plain text, or as captions: cues of at most
    /// two lines of 42 characters and 7 s.
    #[oai(path = "/tools/transcribe_media", method = "post", operation_id = "transcribe_media")]
    async fn transcribe_media(
        &self,
        auth: Auth,
        key: IdempotencyKey,
        arguments: Json<TranscribeMedia>,
    ) -> Answer<Reading<ToolAnswer<TranscriptAnswer>>> {
        let Auth(caller) = auth;
        let TranscribeMedia { item_ref, format, dry_run } = arguments.0;
        let (wanted, format) = (ReadOneItem { item_ref, dry_run }, format.and_then(ReadFormat::text));
        self.answer(
            &caller,
            key,
            &wanted,
            "transcribe_media",
            AnswerForm { read: Read::Transcript, field: "transcript", format },
        )
        .await
    }

    /// Tell speakers apart
    ///
    /// Returns who speaks when in an item, and the speech read that this builds on. A stored read is returned at no
    /// charge. If there is none, its job is started, or joined if it is live already: the answer is `queued` with its
    /// `job_id`; follow that with `get_jobs` and call again. Needs audio. Speakers are named `A`, `B`, … within one
    /// item.
    #[oai(path = "/tools/speakers", method = "post", operation_id = "speakers")]
    async fn speakers(
        &self,
        auth: Auth,
        key: IdempotencyKey,
        arguments: Json<ReadOneItem>,
    ) -> Answer<Reading<ToolAnswer<SpeakersAnswer>>> {
        let Auth(caller) = auth;
        self.answer(
            &caller,
            key,
            &arguments.0,
            "speakers",
            AnswerForm { read: Read::Speakers, field: "speakers", format: None },
        )
        .await
    }

    /// Detect beats
    ///
    /// Returns the beats of an item, those that begin a bar, and its tempo. A stored read is returned at no charge. If
    /// there is none, its job is started, or joined if it is live already: the answer is `queued` with its `job_id`;
    /// follow that with `get_jobs` and call again. Needs at least two seconds of audio.
    #[oai(path = "/tools/detect_beats", method = "post", operation_id = "detect_beats")]
    async fn detect_beats(
        &self,
        auth: Auth,
        key: IdempotencyKey,
        arguments: Json<ReadOneItem>,
    ) -> Answer<Reading<ToolAnswer<BeatsAnswer>>> {
        let Auth(caller) = auth;
        self.answer(
            &caller,
            key,
            &arguments.0,
            "detect_beats",
            AnswerForm { read: Read::Beats, field: "beats", format: None },
        )
        .await
    }
}
