//! Stored reads as they are answered: the JSON that a worker stored, from the row or from the media store, with what other
//! reads of the item have to say in it.
//!
//! What is stored is sent as it is, but for the moments of a search index and the speakers of a transcript, which `joined`
//! puts in. A long transcript is not read to be written again.

use super::joined::Others;
use crate::app::App;
use crate::error::{Answer, ApiError};
use bytes::Bytes;
use common::domain::read::Read;
use common::ids::ItemId;
use common::store::items;
use poem::{IntoResponse, Response};
use poem_openapi::ApiResponse;
use poem_openapi::payload::{Json, Payload};
use poem_openapi::registry::{MetaMediaType, MetaResponse, MetaResponses, Registry};
use poem_openapi::types::{Any, Type};

/// Bytes of the largest stored read that is answered: a day of words is a few tens of MiB.
const MOST_BYTES: u64 = 256 << 20;

/// The JSON text of an item's stored read; nothing when it is not stored. Whether the caller may see the item is for the
/// caller to know.
pub async fn stored_read(app: &App, item: ItemId, read: Read) -> Answer<Option<Bytes>> {
    let mut conn = app.conn().await?;
    let Some(stored) = items::stored_read(&mut conn, item, read).await? else { return Ok(None) };
    let others = Others::found(&mut conn, item, read).await?;
    // No connection is held while the media store is read.
    drop(conn);
    let document: Bytes = match (stored.result, stored.object_key) {
        (Some(result), _) => result.into(),
        (None, Some(key)) => app.process.media.get(&key, MOST_BYTES).await.map_err(ApiError::internal)?,
        (None, None) => return Err(ApiError::internal("a stored read without a result")),
    };
    others.put_into(document, item, &app.links).map(Some).map_err(ApiError::internal)
}

/// A stored read, whose JSON goes out as it was stored.
#[derive(Debug)]
pub struct StoredResult(pub Bytes);

impl IntoResponse for StoredResult {
    fn into_response(self) -> Response {
        Response::builder().content_type("application/json; charset=utf-8").body(self.0)
    }
}

type Shape = Any<serde_json::Map<String, serde_json::Value>>;

impl ApiResponse for StoredResult {
    fn meta() -> MetaResponses {
        let content = MetaMediaType {
            content_type: <Json<Shape> as Payload>::CONTENT_TYPE,
            schema: <Shape as Type>::schema_ref(),
        };
        let response = MetaResponse {
            description: "The result: `schema`, `kind`, `engine`, `duration_seconds`, `quality`, `warnings` and `data`.",
            status: Some(200),
            status_range: None,
            content: vec![content],
            headers: vec![],
        };
        MetaResponses { responses: vec![response] }
    }

    fn register(registry: &mut Registry) {
        <Shape as Type>::register(registry);
    }
}
