//! An item's own bytes: the route behind the links that `links` makes (contract §12).
//!
//! A link is the only proof that is needed. It shows nothing once its item is deleted or its account is suspended, and
//! counts as one of that account's downloads (`downloads`), whoever follows it; visitors of public links have half of
//! these. Bytes in a folder are streamed from there, piece by piece; a bucket sends its bytes itself, by its own link.
//! `answer` writes the answers.

mod answer;

use crate::app::App;
use crate::app::downloads::Downloader;
use crate::auth::in_time;
use crate::contract::groups::{Refusals, Tag};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::scope::Scope;
use crate::http::text::Text;
pub use answer::MediaAnswer;
use answer::{Sent, Served};
use domain::http_range::{Asked, asked, is_as_wanted, is_known};
use domain::ids::ItemId;
use domain::link::LinkTarget;
use poem::Request;
use poem::http::Method;
use poem_openapi::OpenApi;
use poem_openapi::param::{Header, Path, Query};
use runtime::media::{Handed, MediaError};
use store::items::{self, LinkedMedia};

/// The error codes of this operation, besides those that any operation may return.
pub const ERRORS: Refusals = &[(
    "GET /media/{item_id}",
    &[Code::LinkInvalid, Code::LinkExpired, Code::ItemNotFound, Code::PreconditionFailed, Code::RangeNotSatisfiable],
)];

/// The route.
pub struct Media(pub App);

/// The headers and parameters of a request for bytes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wanted<'a> {
    /// `Range`.
    pub range: Option<&'a str>,
    /// `If-Range`.
    pub if_range: Option<&'a str>,
    /// `If-Match`.
    pub if_match: Option<&'a str>,
    /// `If-None-Match`.
    pub if_none_match: Option<&'a str>,
    /// Whether only the headers are requested.
    pub is_head: bool,
    /// Whether browsers should save the bytes as a file.
    pub is_download: bool,
    /// Whose places among the downloads it takes.
    pub by: Downloader,
}

#[OpenApi(tag = "Tag::Library")]
impl Media {
    /// Get an item's media
    ///
    /// Returns the bytes of an item, or a range of them. The URL is a `media_url` that this service returned; it needs
    /// no other credential and expires. `ETag` is the SHA-256 of the whole. One range is answered with 206, several
    /// ranges with the whole. Where the service keeps media in a bucket, the answer is 302 to a link of the bucket,
    /// which takes ranges too.
    #[oai(path = "/media/:item_id", method = "get", operation_id = "get_media")]
    #[expect(clippy::too_many_arguments, reason = "an operation's parameters are its arguments")]
    async fn get(
        &self,
        request: &Request,
        /// The item.
        item_id: Path<Text>,
        /// The Unix time in seconds at which the link expires.
        expires: Query<i64>,
        /// The signature, which proves that this service made the link.
        signature: Query<Text>,
        /// `1` makes browsers save the file under the item's name instead of showing it.
        #[oai(validator(minimum(value = "0"), maximum(value = "1")))]
        download: Query<Option<u8>>,
        /// The range of bytes to return, such as `bytes=0-1023`.
        #[oai(name = "Range")]
        range: Header<Option<Text>>,
        /// An `ETag`: the range is used only if the bytes have it, otherwise the whole is returned.
        #[oai(name = "If-Range")]
        if_range: Header<Option<Text>>,
        /// `ETag`s, or `*`: if the bytes have none of them, the answer is 412.
        #[oai(name = "If-Match")]
        if_match: Header<Option<Text>>,
        /// `ETag`s of bytes that the client has: if one matches, the answer is 304.
        #[oai(name = "If-None-Match")]
        if_none_match: Header<Option<Text>>,
    ) -> Answer<MediaAnswer> {
        let named: Option<ItemId> = item_id.0.parse().ok();
        let verified = named.filter(|item| self.0.links.verifies(*item, LinkTarget::Media, expires.0, &signature.0));
        let invalid = || ApiError::new(Code::LinkInvalid, "The link was changed, or not made by this service.");
        let item = verified.ok_or_else(invalid)?;
        let linked = find(&self.0, item, expires.0).await?.ok_or_else(gone)?;
        let Some(left_seconds) = linked.left_seconds else {
            let refusal = ApiError::new(Code::LinkExpired, "The link has ended. Ask for the item again for a new one.");
            return Err(refusal);
        };
        let scope = Scope::of(request);
        let _ = scope.account.set(linked.account_id);
        let wanted = Wanted {
            range: range.0.as_deref(),
            if_range: if_range.0.as_deref(),
            if_match: if_match.0.as_deref(),
            if_none_match: if_none_match.0.as_deref(),
            is_head: scope.method == Method::HEAD,
            is_download: download.0 == Some(1),
            by: Downloader::Caller,
        };
        send(&self.0, item, &linked, left_seconds.unsigned_abs(), &wanted).await
    }
}

/// Answers with an item's bytes, or with a bucket's link to them for at most `left_seconds`. The caller may see the
/// item.
pub async fn send(
    app: &App,
    item: ItemId,
    linked: &LinkedMedia,
    left_seconds: u64,
    wanted: &Wanted<'_>,
) -> Answer<MediaAnswer> {
    let served = Served::of(item, linked, wanted.is_download);
    let handed = Handed { seconds: left_seconds, content_type: served.content_type, disposition: &served.disposition };
    // A bucket's link allows only GET.
    if !wanted.is_head
        && let Some(link) = app.process.media.link(&linked.object_key, handed).await.map_err(failed)?
    {
        return Ok(MediaAnswer::Elsewhere(link));
    }
    stream(app, linked, served, wanted).await
}

/// Answers with the bytes from this service.
async fn stream(app: &App, linked: &LinkedMedia, served: Served, wanted: &Wanted<'_>) -> Answer<MediaAnswer> {
    let (store, key) = (&app.process.media, &linked.object_key);
    // The order is RFC 9110's (13.2.2). `If-Unmodified-Since` is ignored, since no time is told (13.1.4).
    if !is_as_wanted(wanted.if_match, &served.tag) {
        let message = "The item's bytes have none of the tags that If-Match names.";
        return Err(ApiError::new(Code::PreconditionFailed, message));
    }
    if is_known(wanted.if_none_match, &served.tag) {
        return Ok(MediaAnswer::Known(served));
    }
    if wanted.is_head {
        // A HEAD has no range: its headers describe the whole.
        let stored = store.size(key).await.map_err(failed)?;
        whole(&served, stored)?;
        return Ok(MediaAnswer::Sent(served, Sent::nothing()));
    }
    let range = match asked(wanted.range, wanted.if_range, &served.tag, served.bytes) {
        Asked::Nothing => return Ok(MediaAnswer::Nothing(served.bytes)),
        Asked::Whole => None,
        Asked::Part(part) => Some(part),
    };
    let download = app.downloads.begin(linked.account_id, wanted.by)?;
    let object = store.part(key, range.clone()).await.map_err(failed)?;
    whole(&served, object.bytes)?;
    Ok(MediaAnswer::Sent(served, Sent { range, object: Some(Box::new((object, download))) }))
}

async fn find(app: &App, item: ItemId, expires: i64) -> Answer<Option<LinkedMedia>> {
    #[expect(clippy::cast_precision_loss, reason = "only a second that this service has signed comes here")]
    let expires = expires as f64;
    let _turn = app.turns.media_links.turn_soon(item).await?;
    in_time(async { items::linked_media(&mut *app.conn().await?, item, expires).await }).await
}

fn gone() -> ApiError {
    ApiError::new(Code::ItemNotFound, "There is no such item any more.")
}

/// Checks that the stored object has the item's size: a part must never be sent as the whole.
fn whole(served: &Served, stored: u64) -> Answer<()> {
    if stored == served.bytes {
        return Ok(());
    }
    Err(ApiError::internal(format!("an object has {stored} bytes where its item has {}", served.bytes)))
}

/// Returns the refusal when the store lacks an object that an item names, or does not answer.
fn failed(error: MediaError) -> ApiError {
    if error.is_missing() {
        tracing::error!(error = %error, "The bytes of an item are not in the media store.");
        return ApiError::new(
            Code::ItemNotFound,
            "The item's bytes are no longer in the media store. Tell the operator.",
        );
    }
    error.into()
}
