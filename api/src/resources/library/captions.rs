//! A stored transcript as text or captions: read whole, within the memory for answers, and written anew for each reader
//! (`domain::captions`), so that it names the speakers that are known now.

use crate::app::App;
use crate::app::beside::{LONG_READ, apart_in_turn_if};
use crate::http::answers::{AnswerPermit, Large, Taker, holding};
use crate::http::error::{Answer, ApiError};
use bytes::Bytes;
use domain::captions::{self, MostOfPart, Part, Stretches, TextFormat, Timed};
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
use tokio::task::spawn_blocking;

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

/// The bytes that a word takes beside its letters: its times, and what the allocator needs for a text.
const BYTES_OF_WORD: usize = size_of::<Timed>() + 32;

/// Whom a stored transcript is worked on for.
#[derive(Debug, Clone, Copy)]
pub enum Reader {
    /// A caller of this account: what takes long waits for the account's turn, and its processor time is the account's.
    Caller(AccountId),
    /// Whoever sees a page of this account. Pages have turns of their own, and take nothing of the account, which has
    /// not asked.
    Visitor(AccountId),
    /// An operator in the console, who takes nothing of the account.
    Operator,
}

impl Reader {
    /// Whose memory it takes.
    const fn taker(self) -> Taker {
        match self {
            Self::Caller(account) => Taker::Account(account),
            Self::Visitor(account) => Taker::Visitors(account),
            Self::Operator => Taker::Operators,
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
    /// Returns its text, its room, and its place among the account's large answers, to make another answer of it.
    pub fn into_parts(self) -> (String, AnswerPermit, Option<Large>) {
        (self.text, self.held.0, self.held.1)
    }
}

/// Returns an item's stored transcript in this form; none when none is stored. The caller must have checked that the
/// item may be seen; for `conn` see `stored_read`.
///
/// # Errors
/// `rate_limited` while whoever takes it is at the limit of large answers, `unavailable` when there is no memory left.
pub async fn captions(
    app: &App,
    conn: impl DerefMut<Target = PgConnection> + Send,
    reader: Reader,
    item: ItemId,
    format: TextFormat,
) -> Answer<Option<CaptionFile>> {
    let write = move |document: &[u8], turns: &[SpeakerTurn]| captions::written(document, turns, format);
    let Some(made) = of_transcript(app, conn, reader, item, write).await? else { return Ok(None) };
    let Made { it: text, room, large } = made;
    let room = room.kept_for(text.len() as u64);
    Ok(Some(CaptionFile { format, text, held: (room, large) }))
}

/// Returns the first stretches of an item's stored transcript, at most `most`, for a page; none when none is stored.
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
    Ok(of_transcript(app, conn, Reader::Visitor(account), item, take).await?.map(|made| made.it))
}

/// Returns a part of an item's stored transcript with its words, behind the first `before` segments, for a page of
/// operators; none when none is stored.
///
/// # Errors
/// As [`captions`].
pub async fn transcript_part(
    app: &App,
    conn: impl DerefMut<Target = PgConnection> + Send,
    item: ItemId,
    (before, most): (usize, MostOfPart),
) -> Answer<Option<Part>> {
    let take = move |document: &[u8], turns: &[SpeakerTurn]| captions::part(document, turns, before, most);
    Ok(of_transcript(app, conn, Reader::Operator, item, take).await?.map(|made| made.it))
}

/// Returns all that is said in an item's stored transcript, for a caller of the account, and the room that the words
/// take, which is to be held as long as they are; none when none is stored.
///
/// # Errors
/// As [`captions`].
pub async fn said(
    app: &App,
    conn: impl DerefMut<Target = PgConnection> + Send,
    account: AccountId,
    item: ItemId,
) -> Answer<Option<(Vec<Timed>, AnswerPermit)>> {
    let take = |document: &[u8], _: &[SpeakerTurn]| {
        captions::said(document).map(|mut words| {
            words.shrink_to_fit();
            let bytes: usize = words.iter().map(|word| word.text.len() + BYTES_OF_WORD).sum();
            (words, bytes)
        })
    };
    let Some(made) = of_transcript(app, conn, Reader::Caller(account), item, take).await? else { return Ok(None) };
    let (words, bytes) = made.it;
    Ok(Some((words, made.room.kept_for(bytes as u64))))
}

/// Returns what `take` makes of an item's stored transcript, as JSON text, for a caller of the account; none when none
/// is stored. What it makes is small: no room is held for it.
///
/// # Errors
/// As [`captions`].
pub async fn taken_of_transcript<T: Send + 'static>(
    app: &App,
    conn: impl DerefMut<Target = PgConnection> + Send,
    account: AccountId,
    item: ItemId,
    take: impl FnOnce(&[u8]) -> serde_json::Result<T> + Send + 'static,
) -> Answer<Option<T>> {
    let take = move |document: &[u8], _: &[SpeakerTurn]| take(document);
    Ok(of_transcript(app, conn, Reader::Caller(account), item, take).await?.map(|made| made.it))
}

/// A stored transcript that was read whole, or what was made of it; the room to work on it; and its place where it is a
/// large one.
struct Made<T> {
    it: T,
    room: AnswerPermit,
    large: Option<Large>,
}

/// Reads a stored transcript whole, within the room for answers.
async fn whole(app: &App, taker: Taker, stored: StoredRead) -> Answer<Made<Bytes>> {
    match (stored.result, stored.object_key) {
        (Some(result), _) => {
            let room = app.answers.hold_to_work(taker, result.len() as u64 * COPIES)?;
            Ok(Made { it: Bytes::from(result), room, large: None })
        }
        (None, Some(key)) => {
            let large = app.answers.large(taker)?;
            let object = app.process.media.find(&key, MOST_BYTES).await?;
            let room = app.answers.hold_to_work(taker, object.bytes * COPIES)?;
            Ok(Made { it: object.whole().await?, room, large: Some(large) })
        }
        (None, None) => Err(ApiError::internal("a stored read without a result")),
    }
}

/// Returns what `take` makes of an item's stored transcript and its speakers' turns, with the room that was taken to
/// work on it, and a place among the large answers if the transcript is large.
async fn of_transcript<T: Send + 'static>(
    app: &App,
    mut conn: impl DerefMut<Target = PgConnection> + Send,
    reader: Reader,
    item: ItemId,
    take: impl FnOnce(&[u8], &[SpeakerTurn]) -> serde_json::Result<T> + Send + 'static,
) -> Answer<Option<Made<T>>> {
    let Some(stored) = items::stored_read(&mut conn, item, Read::Transcript).await? else { return Ok(None) };
    let turns = footage::turns(&mut conn, item).await?;
    drop(conn);
    let Made { it: document, room, large } = whole(app, reader.taker(), stored).await?;
    let is_long = document.len() > LONG_READ;
    // Parsing a day of words takes a good part of a second. The work owns what it uses: it goes on when the client
    // hangs up.
    let work = move || {
        let made = take(&document, &turns);
        drop(document);
        made.map(|it| Made { it, room, large })
    };
    let made = match reader {
        Reader::Caller(account) => apart_in_turn_if(app, account, is_long, work).await?,
        Reader::Visitor(_) | Reader::Operator => spawn_blocking(work).await.map_err(ApiError::internal)?,
    };
    made.map(Some).map_err(ApiError::internal)
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
