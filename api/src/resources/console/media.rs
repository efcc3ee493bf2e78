//! The media on an item's page: its player, and the files behind it. They are the console's own, since the links that
//! customers get lead to a port that operators' browsers need not reach. They take nothing of the account: operators
//! have places of their own among downloads and among large answers.

use super::{Visit, shell};
use crate::app::downloads::Downloader;
use crate::http::error::{Answer, ApiError, Code};
use crate::resources::library::{self, Reader};
use crate::resources::media::{Wanted, send};
use chrono::TimeDelta;
use domain::captions::TextFormat;
use domain::ids::{AccountId, ItemId};
use domain::item::ItemType;
use maud::{Markup, html};
use poem::http::{HeaderValue, header};
use poem::{IntoResponse, Response};
use store::footage;
use store::items::{self, ItemRow};
use store::workspaces;

/// The size limit of a still, in bytes.
const MOST_STILL_BYTES: u64 = 1 << 20;
/// How long a bucket's own link to the media works, in seconds.
const LINK_SECONDS: u32 = 3_600;

/// Finds the item in the path, and the account that it belongs to.
pub(super) async fn find(visit: &Visit) -> Answer<(ItemRow, AccountId)> {
    let id: ItemId = visit.own_id(Code::ItemNotFound)?;
    let missing = || ApiError::new(Code::ItemNotFound, format!("Nothing has the id `{id}`, or it was deleted."));
    let mut conn = visit.conn().await?;
    let item = items::find(&mut conn, id).await?.ok_or_else(missing)?;
    let workspace = workspaces::find(&mut conn, item.workspace_id).await?.ok_or_else(missing)?;
    Ok((item, workspace.account_id))
}

/// Returns the path of an item's media. A time in it is `#t=` and seconds behind that.
pub(super) fn path(item: ItemId) -> String {
    format!("/console/items/{item}/media")
}

/// Shows the player. `spoken` is the language of its captions, if it has any.
pub(super) fn player(item: &ItemRow, spoken: Option<&str>) -> Markup {
    let (own, media) = (format!("/console/items/{}", item.id), path(item.id));
    let poster = item.thumbnail_key.is_some().then(|| format!("{own}/still"));
    let track = html! {
        @if let Some(language) = spoken {
            track kind="captions" label="Captions" srclang=(language) src={ (own) "/captions.vtt" };
        }
    };
    // Nothing is loaded of media that nobody plays.
    let body = html! {
        @match item.item_type {
            Some(ItemType::Image) => {
                @if let Some(poster) = &poster { img.still src=(poster) alt="The picture, small"; }
                p { a href=(media) { "Open the picture" } }
            }
            Some(ItemType::Video) => {
                video #media src=(media) poster=[poster] controls playsinline preload="none" { (track) }
            }
            _ => { audio #media src=(media) controls preload="none" { (track) } }
        }
    };
    shell::still("player", "Media", &body)
}

/// Sends the media, or a range of it.
pub(super) async fn media(visit: Visit) -> Answer<Response> {
    visit.takes(&[])?;
    let (item, _) = find(&visit).await?;
    let linked = items::linked_media(&mut *visit.conn().await?, item.id, soon(&item)).await?;
    let none = || ApiError::new(Code::ItemNotFound, "Its media is not ready, or its account is suspended.");
    let wanted = Wanted { range: visit.range.as_deref(), by: Downloader::Operator, ..Wanted::default() };
    let sent = send(&visit.app, item.id, &linked.ok_or_else(none)?, LINK_SECONDS.into(), &wanted).await?;
    let mut response = sent.into_response();
    // Whoever asks is looked up again at each request.
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    // Links to media may be shown by other sites. This path is for the console alone.
    response.headers_mut().insert("cross-origin-resource-policy", HeaderValue::from_static("same-origin"));
    Ok(response)
}

/// Sends the transcript as the player's captions.
pub(super) async fn captions(visit: Visit) -> Answer<Response> {
    visit.takes(&[])?;
    let (item, _) = find(&visit).await?;
    let file = library::captions(&visit.app, visit.conn().await?, Reader::Operator, item.id, TextFormat::Vtt).await?;
    let none = || ApiError::new(Code::ReadNotFound, "The item has no transcript yet.");
    Ok(file.ok_or_else(none)?.into_response())
}

/// Sends the picture of a moment, or the one that stands for the item. As of the media, there is none of a suspended
/// account.
pub(super) async fn still(visit: Visit) -> Answer<Response> {
    visit.takes(&["moment"])?;
    let moment = visit.word("moment", |given| given.parse::<i32>().ok())?;
    let (item, _) = find(&visit).await?;
    let mut conn = visit.conn().await?;
    let found = match moment {
        None => footage::item_picture(&mut conn, item.id, soon(&item)).await?,
        Some(number) => footage::moment_picture(&mut conn, item.id, number, soon(&item)).await?,
    };
    drop(conn);
    let key = found.and_then(|found| found.thumbnail_key);
    let none = || ApiError::new(Code::ItemNotFound, "There is no such picture.");
    let bytes = visit.app.process.media.get(&key.ok_or_else(none)?, MOST_STILL_BYTES).await;
    let bytes = bytes.map_err(|error| if error.is_missing() { none() } else { error.into() })?;
    let mut response = Response::builder().content_type("image/jpeg").body(bytes);
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("private, max-age=60"));
    Ok(response)
}

/// Returns until when a link to the item's files would last, as a Unix time in seconds.
#[expect(clippy::cast_precision_loss, reason = "seconds of years are far below 2^52")]
fn soon(item: &ItemRow) -> f64 {
    (item.now + TimeDelta::seconds(LINK_SECONDS.into())).timestamp() as f64
}
