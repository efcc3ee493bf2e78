//! Serves pictures of items and of moments by the links that `links` makes.
//!
//! A link is signed and expires (`domain::link`), because a page that shows a picture sends no credential. Whoever may
//! see an item finds the link in it; the link shows that one picture only, and nothing once the item is deleted.

use crate::app::App;
use crate::auth::in_time;
use crate::contract::groups::{Refusals, Tag};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::text::Text;
use bytes::Bytes;
use domain::ids::ItemId;
use domain::link::Picture;
use poem::http::{HeaderValue, header};
use poem::{IntoResponse, Response};
use poem_openapi::param::{Path, Query};
use poem_openapi::payload::{Binary, Payload};
use poem_openapi::registry::{MetaMediaType, MetaResponse, MetaResponses, Registry};
use poem_openapi::{ApiResponse, OpenApi};
use store::footage::{self, Linked};

/// The error codes of this operation, besides those that any operation may return.
pub const ERRORS: Refusals =
    &[("GET /thumbnails/{item_id}/{picture}", &[Code::Unauthenticated, Code::TokenExpired, Code::ItemNotFound])];

/// The size limit of a picture, in bytes.
const MOST_BYTES: u64 = 1 << 20;

/// The route.
pub struct Thumbnails(pub App);

#[OpenApi(tag = "Tag::Library")]
impl Thumbnails {
    /// Show a picture
    ///
    /// Returns a JPEG, at most 320 pixels wide, of an item or of one of its moments. The URL is a `thumbnail_url` that
    /// this service returned; it needs no other credential and expires after one to two hours.
    #[oai(path = "/thumbnails/:item_id/:picture", method = "get", operation_id = "get_thumbnail")]
    async fn get(
        &self,
        /// The item.
        item_id: Path<Text>,
        /// `item`, or a moment's id.
        picture: Path<Text>,
        /// The Unix time in seconds at which the link expires.
        expires: Query<i64>,
        /// The signature, which proves that this service made the link.
        signature: Query<Text>,
    ) -> Answer<Jpeg> {
        let named: Option<(ItemId, Picture)> = item_id.0.parse().ok().zip(picture.0.parse().ok());
        let verified = named.filter(|(item, picture)| self.0.links.verifies(*item, *picture, expires.0, &signature.0));
        let (item, picture) =
            verified.ok_or_else(|| ApiError::new(Code::Unauthenticated, "The link was not made by this service."))?;
        let linked = find(&self.0, item, picture, expires.0).await?;
        let linked = linked.ok_or_else(gone)?;
        if linked.expired {
            let refusal = ApiError::new(Code::TokenExpired, "The link has ended.");
            return Err(refusal.suggest("Ask for the item again: its `thumbnail_url` is good for another hour."));
        }
        let key = linked.thumbnail_key.ok_or_else(gone)?;
        match self.0.process.media.get(&key, MOST_BYTES).await {
            Ok(bytes) => Ok(Jpeg(bytes)),
            Err(error) if error.is_missing() => Err(gone()),
            Err(error) => Err(error.into()),
        }
    }
}

async fn find(app: &App, item: ItemId, picture: Picture, expires: i64) -> Answer<Option<Linked>> {
    #[expect(clippy::cast_precision_loss, reason = "only a second that this service has signed comes here")]
    let expires = expires as f64;
    let _turn = app.turns.media_links.turn_soon(item).await?;
    in_time(async {
        let mut conn = app.conn().await?;
        match picture {
            Picture::Item => footage::item_picture(&mut conn, item, expires).await,
            Picture::Moment(number) => footage::moment_picture(&mut conn, item, number, expires).await,
        }
    })
    .await
}

fn gone() -> ApiError {
    ApiError::new(Code::ItemNotFound, "There is no such picture any more.")
}

/// The bytes of a JPEG.
pub struct Jpeg(Bytes);

impl IntoResponse for Jpeg {
    fn into_response(self) -> Response {
        let mut response = Response::builder().content_type("image/jpeg").body(self.0);
        // A link's picture never changes. The client's own copy may outlive the link; a shared copy must not.
        let keep = HeaderValue::from_static("private, max-age=3600, immutable");
        response.headers_mut().insert(header::CACHE_CONTROL, keep);
        response
    }
}

impl ApiResponse for Jpeg {
    fn meta() -> MetaResponses {
        let content = MetaMediaType { content_type: "image/jpeg", schema: <Binary<Bytes> as Payload>::schema_ref() };
        let response = MetaResponse {
            description: "The picture.",
            status: Some(200),
            status_range: None,
            content: vec![content],
            headers: vec![],
        };
        MetaResponses { responses: vec![response] }
    }

    fn register(_registry: &mut Registry) {}
}
