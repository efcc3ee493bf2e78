//! `transcribe_media`, `speakers` and `detect_beats`: one read of one item, as stored (contract §4.2.6, §4.4).
//!
//! Each returns its read at no charge if it is stored, and otherwise starts exactly that read: see `stored_read`. A
//! stored read is put into the answer as text; it is never parsed here.

mod reading;
mod shapes;

use super::stored_read::{self, Need, NeedStatus, Needed, ReadyRead, need};
use crate::app::App;
use crate::auth::{Auth, Caller};
use crate::contract::envelope::ToolAnswer;
use crate::contract::groups::{Refusals, Tag};
use crate::contract::idempotency::IdempotencyKey;
use crate::http::answers::Room;
use crate::http::error::{Answer, ApiError, Code};
use crate::http::json::json_of;
use crate::http::text::{MinuteCount, Text};
use crate::resources::library::{self, Document, ReadFormat};
use crate::usecases::starting;
use domain::captions::TextFormat;
use domain::ids::ItemId;
use domain::read::Read;
use poem_openapi::payload::Json;
use poem_openapi::types::{Example, ToJSON};
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

/// The form in which a tool answers a read.
struct AnswerForm {
    read: Read,
    /// The answer's field for it.
    field: &'static str,
    /// Its text form, when it is not JSON.
    format: Option<TextFormat>,
}

impl Readings {
    /// Returns the read as the tool shows it, or the job that computes it.
    async fn answer<T: ToJSON>(
        &self,
        caller: &Caller,
        key: IdempotencyKey,
        arguments: &ReadOneItem,
        tool: &'static str,
        form: AnswerForm,
    ) -> Answer<Reading<T>> {
        let AnswerForm { read, field, format } = form;
        let mut request = serde_json::json!({ "ref": arguments.item_ref.0 });
        if let Some(format) = format {
            request["format"] = format.name().into();
        }
        let dry_run = arguments.dry_run.unwrap_or(false);
        let wanted = Need { tool, item_ref: &arguments.item_ref, read, request, dry_run };
        let ReadyRead { item, document } = match need(&self.0, caller, key, &wanted).await? {
            Needed::Answered(answer) => return Ok(Reading::Queued(answer.documented_as())),
            Needed::Ready(ready) => ready,
        };
        let head = format!(
            "{{\"ok\":true,\"data\":{{\"ref\":{},\"item_id\":\"{item}\",\"status\":\"ready\",",
            json(&arguments.item_ref.0)?
        );
        let head = Document::of_text(vec![head.into()], Room::default(), None);
        let mut answer = match format {
            None => head.then_text(format!("\"{field}\":")).then(document),
            Some(format) => {
                // `written` loads the whole read again: this copy is dropped so that memory is not used twice.
                drop(document);
                head.then(self.written(caller, item, format).await?)
            }
        };
        if read == Read::Speakers
            && let Some(speech) = library::stored_read(&self.0, caller.account_id, item, Read::Speech).await?
        {
            answer = answer.then_text(",\"speech\":".to_owned()).then(speech);
        }
        let idle = starting::idle(&self.0, caller).await?;
        let meta = json_of(&ToolAnswer::new(&caller.request_id, true).cloud(idle).meta);
        Ok(Reading::Ready(answer.then_text(format!("}},\"meta\":{meta}}}"))))
    }
}

impl Readings {
    /// Returns a transcript in another form, as the answer's fields for it.
    async fn written(&self, caller: &Caller, item: ItemId, format: TextFormat) -> Answer<Document> {
        let gone = || ApiError::new(Code::ItemNotFound, "The item was deleted a moment ago.");
        let file = library::captions(&self.0, caller.account_id, item, format).await?.ok_or_else(gone)?;
        let (text, large) = file.into_parts();
        let fields = format!("\"format\":\"{}\",\"text\":{}", format.name(), json(&text)?);
        let room = self.0.answers.hold(caller.account_id, fields.len() as u64)?;
        Ok(Document::of_text(vec![fields.into()], room, large))
    }
}

fn json(text: &str) -> Answer<String> {
    serde_json::to_string(text).map_err(ApiError::internal)
}
