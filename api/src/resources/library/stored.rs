//! Stored reads as they are answered: the JSON that a worker stored, from the row or from the media store, with data of
//! the item's other reads put in.
//!
//! A stored read is sent unchanged, streamed from the media store as the client takes it. Only the moments of a search
//! index and the speakers of a transcript are put in by `joined`, which needs the whole document; none of it is copied.

use super::captions::CaptionFile;
use super::document::Document;
use super::joined::Others;
use crate::app::App;
use crate::app::beside::{LONG_READ, apart_in_turn_if};
use crate::http::answers::Taker;
use crate::http::error::{Answer, ApiError};
use bytes::Bytes;
use domain::captions::TextFormat;
use domain::ids::ItemId;
use domain::read::Read;
use poem::{IntoResponse, Response};
use poem_openapi::ApiResponse;
use poem_openapi::payload::{Json, Payload};
use poem_openapi::registry::{MetaMediaType, MetaResponse, MetaResponses, Registry};
use poem_openapi::types::{Any, Type};
use sqlx::PgConnection;
use std::ops::DerefMut;
use store::items;

/// The size limit of a stored read in bytes: a day of words is a few tens of MiB.
const MOST_BYTES: u64 = 256 << 20;
/// An answer that is put together here counts as a large one of its account above this many bytes, or above this many
/// rows that it is put together from.
const LARGE_BYTES: usize = 1 << 20;
const LARGE_ROWS: usize = 2_000;

/// Returns the JSON text of an item's stored read; none when it is not stored. The caller must have checked that the
/// item may be seen. The rows that a read is put together from may have megabytes: `conn` is held in one of the
/// account's turns, unless what asks has turns of its own. `taker`: whose memory for answers it takes.
///
/// # Errors
/// `rate_limited` while the taker is at its limit of large answers, `unavailable` when there is no memory left.
pub async fn stored_read(
    app: &App,
    mut conn: impl DerefMut<Target = PgConnection> + Send,
    taker: impl Into<Taker>,
    item: ItemId,
    read: Read,
) -> Answer<Option<Document>> {
    let taker = taker.into();
    let Some(stored) = items::stored_read(&mut conn, item, read).await? else { return Ok(None) };
    let others = Others::find(&mut conn, item, read).await?;
    // No connection is held while the media store is read, or while an answer is sent.
    drop(conn);
    // Taken before the answer is put together, which is most of its cost.
    let mut large = if others.rows() > LARGE_ROWS { Some(app.answers.large(taker)?) } else { None };
    let (document, room) = match (stored.result, stored.object_key) {
        (Some(result), _) => {
            let room = app.answers.hold(taker, result.len() as u64)?;
            (Bytes::from(result), room)
        }
        (None, Some(key)) => {
            let one = large.take().map_or_else(|| app.answers.large(taker), Ok)?;
            let object = app.process.media.find(&key, MOST_BYTES).await?;
            if others.is_none() {
                return Document::streamed(object, &app.answers, taker, one).map(Some);
            }
            large = Some(one);
            let room = app.answers.hold(taker, object.bytes)?;
            (object.whole().await?, room)
        }
        (None, None) => return Err(ApiError::internal("a stored read without a result")),
    };
    let before = document.len();
    let own = app.clone();
    // Where nothing is put together it waits for no turn of the account. Pages show only such reads.
    let is_long = !others.is_none() && (large.is_some() || before > LONG_READ);
    // The work owns what it uses: it goes on when the client hangs up.
    let put_together = move || (others.put_into(document, item, &own.links), room, large);
    let (pieces, room, mut large) = apart_in_turn_if(app, taker, is_long, put_together).await?;
    let pieces = pieces.map_err(ApiError::internal)?;
    let after: usize = pieces.iter().map(Bytes::len).sum();
    if large.is_none() && after > LARGE_BYTES {
        large = Some(app.answers.large(taker)?);
    }
    let more = app.answers.hold(taker, after.saturating_sub(before) as u64)?;
    let document = Document::of_text(pieces, room, large);
    Ok(Some(document.then(Document::of_text(Vec::new(), more, None))))
}

/// A stored read.
#[derive(Debug)]
pub enum StoredResult {
    /// The read as it was stored.
    Json(Document),
    /// A transcript, written as text or captions.
    Text(CaptionFile),
}

impl IntoResponse for StoredResult {
    fn into_response(self) -> Response {
        match self {
            Self::Json(document) => document.into_response(),
            Self::Text(file) => file.into_response(),
        }
    }
}

type Shape = Any<serde_json::Map<String, serde_json::Value>>;

impl ApiResponse for StoredResult {
    fn meta() -> MetaResponses {
        let content = MetaMediaType {
            content_type: <Json<Shape> as Payload>::CONTENT_TYPE,
            schema: <Shape as Type>::schema_ref(),
        };
        let text = [TextFormat::Txt, TextFormat::Srt, TextFormat::Vtt]
            .map(|format| MetaMediaType { content_type: format.media_type(), schema: <String as Type>::schema_ref() });
        let response = MetaResponse {
            description: "The result: `schema`, `kind`, `engine`, `duration_seconds`, `quality`, `warnings` and `data`; a transcript \
                          in the form that `format` names.",
            status: Some(200),
            status_range: None,
            content: std::iter::once(content).chain(text).collect(),
            headers: vec![],
        };
        MetaResponses { responses: vec![response] }
    }

    fn register(registry: &mut Registry) {
        <Shape as Type>::register(registry);
    }
}
