//! A stored transcript as text or captions: read whole, within the memory for answers, and written anew for each reader
//! (`domain::captions`), so that it names the speakers that are known now.

use crate::app::App;
use crate::http::answers::{AnswerPermit, Large, holding};
use crate::http::error::{Answer, ApiError};
use bytes::Bytes;
use domain::captions::{self, Stretches, TextFormat, Timed};
use domain::footage::SpeakerTurn;
use domain::ids::{AccountId, ItemId};
use domain::read::Read;
use poem::http::{HeaderValue, header};
use poem::{IntoResponse, Response};
use poem_openapi::Enum;
use sqlx::PgConnection;
use std::ops::DerefMut;
use store::items::StoredRead;
use store::{footage, items};

/// The size limit of a transcript that is written as text, in bytes: a day of words is a few tens of MiB.
const MOST_BYTES: u64 = 64 << 20;
/// The memory for parsing and writing a transcript, in multiples of its size: itself, its words, and the text.
const COPIES: u64 = 3;

/// The format of a stored read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum ReadFormat {
    /// JSON, as it is stored.
    Json,
    /// A transcript's text: one line for each segment, or for each turn if speakers are stored.
    Txt,
    /// A transcript as `SubRip` captions.
    Srt,
    /// A transcript as `WebVTT` captions.
    Vtt,
}

impl ReadFormat {
    /// Returns the text form of a transcript; none for JSON.
    pub const fn text(self) -> Option<TextFormat> {
        match self {
            Self::Json => None,
            Self::Txt => Some(TextFormat::Txt),
            Self::Srt => Some(TextFormat::Srt),
            Self::Vtt => Some(TextFormat::Vtt),
        }
    }
}

/// A transcript in a text form, and the memory that it holds.
#[derive(Debug)]
pub struct CaptionFile {
    format: TextFormat,
    text: String,
    held: (AnswerPermit, Option<Large>),
}

impl CaptionFile {
    /// Returns its text, and its place among the account's large answers, to make another answer of it.
    pub fn into_parts(self) -> (String, Option<Large>) {
        (self.text, self.held.1)
    }
}

/// Returns an item's stored transcript in this form; none when none is stored. The caller must have checked that the
/// item may be seen; `conn` is that of `stored_read`.
///
/// # Errors
/// `rate_limited` while the account is at its limit of large answers, `unavailable` when there is no memory left.
pub async fn captions(
    app: &App,
    conn: impl DerefMut<Target = PgConnection> + Send,
    account: AccountId,
    item: ItemId,
    format: TextFormat,
) -> Answer<Option<CaptionFile>> {
    let write = move |document: &[u8], turns: &[SpeakerTurn]| captions::written(document, turns, format);
    let Some((text, large)) = of_transcript(app, conn, account, item, write).await? else { return Ok(None) };
    let room = app.answers.hold(account, text.len() as u64)?;
    Ok(Some(CaptionFile { format, text, held: (room, large) }))
}

/// Returns the first stretches of an item's stored transcript, at most `most`; none when none is stored.
///
/// # Errors
/// As [`captions`].
pub async fn first_stretches(
    app: &App,
    conn: impl DerefMut<Target = PgConnection> + Send,
    account: AccountId,
    item: ItemId,
    most: usize,
) -> Answer<Option<Stretches>> {
    let take = move |document: &[u8], turns: &[SpeakerTurn]| captions::stretches(document, turns, most);
    Ok(of_transcript(app, conn, account, item, take).await?.map(|(stretches, _)| stretches))
}

/// Returns all that is said in an item's stored transcript; none when none is stored.
///
/// # Errors
/// As [`captions`].
pub async fn said(
    app: &App,
    conn: impl DerefMut<Target = PgConnection> + Send,
    account: AccountId,
    item: ItemId,
) -> Answer<Option<Vec<Timed>>> {
    let take = |document: &[u8], _: &[SpeakerTurn]| captions::said(document);
    Ok(of_transcript(app, conn, account, item, take).await?.map(|(said, _)| said))
}

/// A stored transcript that was read whole, the room to work on it, and its place where it is a large one.
struct Transcript {
    document: Bytes,
    working: AnswerPermit,
    large: Option<Large>,
}

/// Reads a stored transcript whole, within the room for answers.
async fn whole(app: &App, account: AccountId, stored: StoredRead) -> Answer<Transcript> {
    match (stored.result, stored.object_key) {
        (Some(result), _) => {
            let working = app.answers.hold(account, result.len() as u64 * COPIES)?;
            Ok(Transcript { document: Bytes::from(result), working, large: None })
        }
        (None, Some(key)) => {
            let large = app.answers.large(account)?;
            let object = app.process.media.find(&key, MOST_BYTES).await?;
            let working = app.answers.hold(account, object.bytes * COPIES)?;
            Ok(Transcript { document: object.whole().await?, working, large: Some(large) })
        }
        (None, None) => Err(ApiError::internal("a stored read without a result")),
    }
}

/// Returns what `take` makes of an item's stored transcript and its speakers' turns, and a place among the large
/// answers if the transcript is large.
async fn of_transcript<T: Send + 'static>(
    app: &App,
    mut conn: impl DerefMut<Target = PgConnection> + Send,
    account: AccountId,
    item: ItemId,
    take: impl FnOnce(&[u8], &[SpeakerTurn]) -> serde_json::Result<T> + Send + 'static,
) -> Answer<Option<(T, Option<Large>)>> {
    let Some(stored) = items::stored_read(&mut conn, item, Read::Transcript).await? else { return Ok(None) };
    let turns = footage::turns(&mut conn, item).await?;
    drop(conn);
    let Transcript { document, working, large } = whole(app, account, stored).await?;
    // Parsing a day of words takes a good part of a second. The task owns what it uses: it goes on when the client
    // hangs up.
    let taken = move || {
        let taken = take(&document, &turns);
        drop((document, working));
        (taken, large)
    };
    let (taken, large) = tokio::task::spawn_blocking(taken).await.map_err(ApiError::internal)?;
    Ok(Some((taken.map_err(ApiError::internal)?, large)))
}

impl IntoResponse for CaptionFile {
    fn into_response(self) -> Response {
        let length = self.text.len();
        let mut response =
            Response::builder().content_type(format!("{}; charset=utf-8", self.format.media_type())).body(self.text);
        response.headers_mut().insert(header::CONTENT_LENGTH, HeaderValue::from(length));
        holding(response, self.held)
    }
}
