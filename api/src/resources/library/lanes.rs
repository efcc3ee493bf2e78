//! Draws an item's waveform, speech, speakers and beats on one time axis, for pages that show the item.

use super::stored::stored_read;
use crate::app::App;
use crate::http::answers::Taker;
use crate::http::error::{Answer, ApiError};
use domain::read::Read;
use picture::{DRAWN, Facts, Unread, svg};
use poem::http::{HeaderValue, header};
use poem::{Body, Response};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use store::items::ItemRow;

/// Returns the drawing of an item's reads as SVG; none when no read that can be drawn is stored. The memory for it
/// counts among the answers of `taker`. It waits for no turn of the account, since visitors of links and operators
/// see it.
pub async fn lanes(app: &App, taker: impl Into<Taker>, item: &ItemRow, unread: Unread) -> Answer<Option<String>> {
    let taker = taker.into();
    // What is parsed stays in memory until all is drawn, and so does its room.
    let (mut stored, mut held) = (BTreeMap::new(), Vec::new());
    for read in DRAWN.into_iter().filter_map(Read::from_name) {
        if let Some(document) = stored_read(app, app.conn().await?, taker, item.id, read).await? {
            let (bytes, room, _large) = document.whole(&app.answers, taker).await?;
            held.push(room);
            let parsed = tokio::task::spawn_blocking(move || serde_json::from_slice::<Value>(&bytes));
            let parsed = parsed.await.map_err(ApiError::internal)?.map_err(ApiError::internal)?;
            stored.insert(read.name().to_owned(), parsed);
        }
    }
    if stored.is_empty() {
        return Ok(None);
    }
    #[expect(clippy::cast_precision_loss, reason = "media lasts days at most")]
    let seconds = item.duration_ms.map(|ms| ms as f64 / 1_000.0);
    let shown = json!({ "name": item.name, "duration_seconds": seconds });
    let drawn = tokio::task::spawn_blocking(move || {
        let drawn = svg(&Facts::of(&shown, &stored, unread));
        drop((stored, held));
        drawn
    });
    drawn.await.map(Some).map_err(ApiError::internal)
}

/// Returns a drawing as a response. Nothing in it can run.
pub fn as_picture(drawn: impl Into<Body>) -> Response {
    let mut response = Response::builder().content_type("image/svg+xml").body(drawn);
    let policy = HeaderValue::from_static("default-src 'none'; style-src 'unsafe-inline'; sandbox");
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    response
}
