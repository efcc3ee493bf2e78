//! A stored transcript as text or captions: read whole, within the room for answers, and written anew for each reader
//! (`domain::captions`), so that who speaks is as it is known now.

use crate::app::App;
use crate::http::answers::{Large, Room, holding};
use crate::http::error::{Answer, ApiError};
use bytes::Bytes;
use domain::captions::{self, Stretches, TextFormat, Timed};
use domain::footage::Turn;
use domain::ids::{AccountId, ItemId};
use domain::read::Read;
use poem::http::{HeaderValue, header};
use poem::{IntoResponse, Response};
use poem_openapi::Enum;
use store::{footage, items};

/// Bytes of the largest transcript that is written as text: a day of words is a few tens of MiB.
const MOST_BYTES: u64 = 64 << 20;
/// What a transcript takes while it is taken apart and written, in its own size: itself, its words, and the text.
const COPIES: u64 = 3;

/// What a stored read is answered as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum ReadFormat {
    /// As it is stored.
    Json,
    /// A transcript's text: a line a segment, or where speakers are stored a line a turn.
    Txt,
    /// A transcript as `SubRip` captions.
    Srt,
    /// A transcript as `WebVTT` captions.
    Vtt,
}

impl ReadFormat {
    /// The form of a transcript that this is; none of JSON.
    pub const fn text(self) -> Option<TextFormat> {
        match self {
            Self::Json => None,
            Self::Txt => Some(TextFormat::Txt),
            Self::Srt => Some(TextFormat::Srt),
            Self::Vtt => Some(TextFormat::Vtt),
        }
    }
}

/// A transcript in another form, and the room that it holds.
#[derive(Debug)]
pub struct CaptionFile {
    format: TextFormat,
    text: String,
    held: (Room, Option<Large>),
}

impl CaptionFile {
    /// Its text, and its place among the account's large answers, for who makes another answer of it.
    pub fn into_parts(self) -> (String, Option<Large>) {
        (self.text, self.held.1)
    }
}

/// An item's stored transcript in this form; nothing when none is stored. Whether the caller may see the item is for
/// the caller to know.
///
/// # Errors
/// `rate_limited` while the account has as many large answers under way as it may, `unavailable` when there is no room.
pub async fn captions(app: &App, account: AccountId, item: ItemId, format: TextFormat) -> Answer<Option<CaptionFile>> {
    let write = move |document: &[u8], turns: &[Turn]| captions::written(document, turns, format);
    let Some((text, large)) = of_transcript(app, account, item, write).await? else { return Ok(None) };
    let room = app.answers.hold(account, text.len() as u64)?;
    Ok(Some(CaptionFile { format, text, held: (room, large) }))
}

/// The first stretches of an item's stored transcript, at most so many; nothing when none is stored.
///
/// # Errors
/// As [`captions`].
pub async fn first_stretches(app: &App, account: AccountId, item: ItemId, most: usize) -> Answer<Option<Stretches>> {
    let take = move |document: &[u8], turns: &[Turn]| captions::stretches(document, turns, most);
    Ok(of_transcript(app, account, item, take).await?.map(|(stretches, _)| stretches))
}

/// All that is said in an item's stored transcript; nothing when none is stored.
///
/// # Errors
/// As [`captions`].
pub async fn said(app: &App, account: AccountId, item: ItemId) -> Answer<Option<Vec<Timed>>> {
    let take = |document: &[u8], _: &[Turn]| captions::said(document);
    Ok(of_transcript(app, account, item, take).await?.map(|(said, _)| said))
}

/// What `take` makes of an item's stored transcript and of who speaks when, and the place of a large answer where the
/// transcript is one.
async fn of_transcript<T: Send + 'static>(
    app: &App,
    account: AccountId,
    item: ItemId,
    take: impl FnOnce(&[u8], &[Turn]) -> serde_json::Result<T> + Send + 'static,
) -> Answer<Option<(T, Option<Large>)>> {
    let mut conn = app.conn().await?;
    let Some(stored) = items::stored_read(&mut conn, item, Read::Transcript).await? else { return Ok(None) };
    let turns = footage::turns(&mut conn, item).await?;
    drop(conn);
    let (document, working, large) = match (stored.result, stored.object_key) {
        (Some(result), _) => {
            let room = app.answers.hold(account, result.len() as u64 * COPIES)?;
            (Bytes::from(result), room, None)
        }
        (None, Some(key)) => {
            let large = app.answers.large(account)?;
            let object = app.process.media.find(&key, MOST_BYTES).await?;
            let room = app.answers.hold(account, object.bytes * COPIES)?;
            (object.whole().await?, room, Some(large))
        }
        (None, None) => return Err(ApiError::internal("a stored read without a result")),
    };
    // A day of words takes a good part of a second.
    // What it holds is the work's, which goes on when the client hangs up.
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
