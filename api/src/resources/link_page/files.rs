//! The files of the page: the media, the picture of its lanes, its captions and its poster.

use super::{ROOM_BYTES, Visit, ended};
use crate::app::App;
use crate::app::downloads::Downloader;
use crate::app::link_pages::{Drawing, Drawn};
use crate::auth::in_time;
use crate::http::answers::{Taker, holding};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::scope::Scope;
use crate::resources::library::{self, Reader};
use crate::resources::media::{Wanted, send};
use bytes::Bytes;
use domain::captions::TextFormat;
use domain::ids::AccountId;
use picture::Unread;
use poem::http::{HeaderValue, Method, header};
use poem::{IntoResponse, Request, Response};
use store::footage;
use store::items::{self, ItemRow};

/// The size limit of a poster, in bytes.
const MOST_POSTER_BYTES: u64 = 1 << 20;
/// How long a visitor's browser may keep drawn files: short, so that a read that is stored meanwhile appears soon.
const KEEP: &str = "private, max-age=60";

/// Sends the media, or a range of it. With `download=1` it is saved as a file, if the link allows that.
pub(super) async fn media(app: App, request: Request) -> Answer<Response> {
    let visit = Visit::admit(&app, &request).await?;
    let is_download = request.uri().query().is_some_and(|query| query.split('&').any(|pair| pair == "download=1"));
    if is_download && !visit.link.may_download {
        return Err(ApiError::new(Code::RoleForbidden, "This link shows the media, and does not let you save it."));
    }
    let link = &visit.link;
    #[expect(clippy::cast_precision_loss, reason = "a link ends within 90 days")]
    let expires = link.expires_at.timestamp() as f64;
    let linked = in_time(async { items::linked_media(&mut *app.conn().await?, link.item_id, expires).await });
    let linked = linked.await?.ok_or_else(not_ready)?;
    let left_seconds = linked.left_seconds.ok_or_else(ended)?.unsigned_abs();
    let wanted = Wanted {
        range: request.header(header::RANGE),
        if_range: request.header(header::IF_RANGE),
        if_match: request.header(header::IF_MATCH),
        if_none_match: request.header(header::IF_NONE_MATCH),
        is_head: Scope::of(&request).method == Method::HEAD,
        is_download,
        by: Downloader::Visitor,
    };
    let mut response = send(&app, link.item_id, &linked, left_seconds, &wanted).await?.into_response();
    // The link is checked again at each request.
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    Ok(response)
}

/// Sends the picture of the waveform, of who speaks when, and of the beats, as far as those reads are stored.
pub(super) async fn lanes(app: App, request: Request) -> Answer<Response> {
    let visit = Visit::admit(&app, &request).await?;
    let drawing = draw_in_turn(&visit, Drawn::Lanes).await?;
    sending(&visit, &drawing, library::as_picture(drawing.bytes()))
}

/// Sends the transcript as the player's captions.
pub(super) async fn captions(app: App, request: Request) -> Answer<Response> {
    let visit = Visit::admit(&app, &request).await?;
    let drawing = draw_in_turn(&visit, Drawn::Captions).await?;
    let response = Response::builder().content_type("text/vtt; charset=utf-8").body(drawing.bytes());
    sending(&visit, &drawing, response)
}

/// Returns the response with a drawing, which holds the drawing's room until it has been sent.
fn sending(visit: &Visit, drawing: &Drawing, mut response: Response) -> Answer<Response> {
    let room = drawing.room(|bytes| visit.room(bytes))?;
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static(KEEP));
    Ok(holding(response, room))
}

/// Returns a file drawn from the item's reads: a recent one, or one that is drawn now, in its turn.
async fn draw_in_turn(visit: &Visit, what: Drawn) -> Answer<Drawing> {
    let (pages, account, read_bytes) = (&visit.app.link_pages, visit.link.account_id, visit.link.read_bytes);
    let item = visit.item().await?;
    if let Some(drawn) = pages.drawn(what, &item, read_bytes).await {
        return Ok(drawn);
    }
    let turn = visit.app.turns.pages(read_bytes).turn_soon(account).await?;
    // The request that had the turn before may have drawn it.
    if let Some(drawn) = pages.drawn(what, &item, read_bytes).await {
        return Ok(drawn);
    }
    let room = visit.room(ROOM_BYTES)?;
    // The task goes on when the visitor hangs up, and keeps its turn until it has ended.
    let app = visit.app.clone();
    let work = tokio::spawn(async move {
        let bytes = match what {
            Drawn::Lanes => draw(&app, account, &item).await?,
            Drawn::Captions => write(&app, account, &item).await?,
        };
        let drawing = Drawing::of(bytes);
        app.link_pages.keep(what, &item, read_bytes, &drawing).await;
        drop((turn, room));
        Ok(drawing)
    });
    work.await.map_err(ApiError::internal)?
}

async fn draw(app: &App, account: AccountId, item: &ItemRow) -> Answer<Bytes> {
    let drawn = library::lanes(app, Taker::Visitors(account), item, Unread::LeftOut).await?;
    let none = || ApiError::new(Code::ReadNotFound, "Nothing is drawn of this item yet.");
    Ok(drawn.ok_or_else(none)?.into())
}

async fn write(app: &App, account: AccountId, item: &ItemRow) -> Answer<Bytes> {
    let reader = Reader::Visitor(account);
    let file = library::captions(app, app.conn().await?, reader, item.id, TextFormat::Vtt).await?;
    let none = || ApiError::new(Code::ReadNotFound, "The item has no transcript yet.");
    let (text, ..) = file.ok_or_else(none)?.into_parts();
    Ok(text.into())
}

/// Sends the picture that stands for the item until it plays.
pub(super) async fn poster(app: App, request: Request) -> Answer<Response> {
    let visit = Visit::admit(&app, &request).await?;
    #[expect(clippy::cast_precision_loss, reason = "a link ends within 90 days")]
    let expires = visit.link.expires_at.timestamp() as f64;
    let found = footage::item_picture(&mut *app.conn().await?, visit.link.item_id, expires).await?;
    let none = || ApiError::new(Code::ItemNotFound, "The item has no picture.");
    let key = found.and_then(|found| found.thumbnail_key).ok_or_else(none)?;
    let bytes = app.process.media.get(&key, MOST_POSTER_BYTES).await;
    let bytes = bytes.map_err(|error| if error.is_missing() { none() } else { error.into() })?;
    let mut response = Response::builder().content_type("image/jpeg").body(bytes);
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static(KEEP));
    Ok(response)
}

fn not_ready() -> ApiError {
    ApiError::new(Code::ItemNotReady, "The media is not ready yet. Load the page again in a minute.")
}
