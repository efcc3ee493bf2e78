//! The parts of a link's page, the transcript and the comments, which are put together once for all who visit it within
//! two seconds.
//!
//! They are bounded in bytes and in cost: one request at a time puts them together for an account, and one more where
//! reads are long. It holds room of visitors for the page, and memory for the transcript while it is read. That goes on
//! when its visitor hangs up.

use super::view::Talk;
use super::{ROOM_BYTES, Visit, view};
use crate::app::App;
use crate::app::link_pages::{Brand, PageParts};
use crate::http::error::{Answer, ApiError};
use crate::resources::library;
use crate::usecases::brand_kit::brand_kit;
use crate::usecases::settings::settings;
use domain::captions::Stretches;
use domain::comment::{MOST_COMMENTS, Subject};
use domain::ids::WorkspaceId;
use domain::item::ItemStatus;
use std::sync::Arc;
use store::comments;
use tracing::Instrument;

/// The most stretches of a transcript that are shown, and their size limit in bytes.
const MOST_STRETCHES: usize = 5_000;
const MOST_BYTES_SAID: usize = 400_000;
/// The most comments that are shown, and their size limit in bytes.
const MOST_SHOWN: i64 = 500;
const MOST_BYTES_COMMENTED: usize = 200_000;

/// Returns the parts of the page of the visited link.
pub(super) async fn of(visit: &Visit) -> Answer<Arc<PageParts>> {
    let (app, link) = (&visit.app, &visit.link);
    if let Some(parts) = app.link_pages.parts_of(link.id).await {
        return Ok(parts);
    }
    let turn = app.turns.pages(link.read_bytes).turn_soon(link.account_id).await?;
    // The request that had the turn before may have put them together.
    if let Some(parts) = app.link_pages.parts_of(link.id).await {
        return Ok(parts);
    }
    // A visitor who goes leaves statements behind that hold their connections. So the work goes on, and keeps its turn.
    let own = visit.clone();
    let work = async move {
        let parts = put_together(&own).await;
        drop(turn);
        parts
    };
    tokio::spawn(work.in_current_span()).await.map_err(ApiError::internal)?
}

/// Puts the parts together, and keeps them for those who come next.
async fn put_together(visit: &Visit) -> Answer<Arc<PageParts>> {
    let (app, link) = (&visit.app, &visit.link);
    let _room = visit.room(ROOM_BYTES)?;
    let item = visit.item().await?;
    let is_read = item.status == ItemStatus::Ready;
    let transcript = if is_read {
        library::first_stretches(app, app.conn().await?, link.account_id, item.id, MOST_STRETCHES).await?
    } else {
        None
    };
    let talk = if link.may_comment { Some(talk(visit).await?) } else { None };
    let kept = settings(app, link.workspace_id).await?;
    let brand = Brand { name: kept.name, color: brand_color(app, link.workspace_id).await? };
    let base = view::base(&visit.token);
    let language = transcript.as_ref().and_then(|said| said.language.clone()).or(kept.default_language);
    let written = tokio::task::spawn_blocking(move || {
        let said = transcript.map(|said| view::said(&bounded(said), &base).0);
        let talk = talk.map(|talk| view::talk(&talk, &base).0);
        Arc::new(PageParts { item, brand, said, language, talk })
    });
    let parts = written.await.map_err(ApiError::internal)?;
    app.link_pages.keep_parts(link.id, &parts).await;
    Ok(parts)
}

async fn brand_color(app: &App, workspace: WorkspaceId) -> Answer<Option<String>> {
    let kit = brand_kit(app, workspace).await?.map(|kept| kept.body).unwrap_or_default();
    Ok(kit.colors.into_iter().next().map(|color| color.hex))
}

async fn talk(visit: &Visit) -> Answer<Talk> {
    let mut conn = visit.app.conn().await?;
    let item = Subject::Item(visit.link.item_id);
    let most_bytes = i64::try_from(MOST_BYTES_COMMENTED).unwrap_or(i64::MAX);
    let mut newest = comments::newest(&mut conn, visit.link.item_id, MOST_SHOWN, most_bytes).await?;
    let in_all = comments::count(&mut conn, item, MOST_COMMENTS).await?;
    newest.truncate(fitting(newest.iter().map(|comment| comment.text.as_str()), MOST_BYTES_COMMENTED));
    let others = usize::try_from(in_all).unwrap_or(0).saturating_sub(newest.len());
    Ok(Talk { newest, others })
}

/// Returns as many stretches as the page has room for.
fn bounded(mut said: Stretches) -> Stretches {
    let fitting = fitting(said.first.iter().map(|stretch| stretch.text.as_str()), MOST_BYTES_SAID);
    said.has_more |= fitting < said.first.len();
    said.first.truncate(fitting);
    said
}

/// Returns how many of these texts fit into `most` bytes of HTML.
fn fitting<'a>(texts: impl Iterator<Item = &'a str>, most: usize) -> usize {
    let sums = texts.scan(0, |sum: &mut usize, text| {
        *sum = sum.saturating_add(escaped_bytes(text));
        Some(*sum)
    });
    sums.take_while(|sum| *sum <= most).count()
}

/// Returns the length of a text in HTML, in bytes.
fn escaped_bytes(text: &str) -> usize {
    let one = |byte| match byte {
        b'"' => 6,
        b'&' => 5,
        b'<' | b'>' => 4,
        _ => 1,
    };
    text.bytes().map(one).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_much_is_shown_as_fits_once_it_is_escaped() {
        assert_eq!(fitting(["ab", "<", "c"].into_iter(), 6), 2);
        assert_eq!(fitting(["ab", "<", "c"].into_iter(), 5), 1);
        assert_eq!(escaped_bytes("<a & \"b\">"), maud::html! { ("<a & \"b\">") }.0.len());
    }
}
