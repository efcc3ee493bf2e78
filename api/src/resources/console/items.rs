//! The library: the items of all workspaces, or of one, newest first.

use super::item::{status_word, type_word};
use super::words::{link, or_dash, state, time};
use super::{Visit, shell};
use crate::http::error::Answer;
use chrono::{DateTime, Utc};
use domain::ids::{ItemId, WorkspaceId};
use maud::{Markup, html};
use poem::Response;
use store::Seen;
use store::items::{self, ListedItem};

pub(super) async fn show(visit: Visit) -> Answer<Response> {
    visit.takes(&["workspace_id", "cursor"])?;
    let page = visit.page("console items")?;
    let workspace = visit.id_in::<WorkspaceId>("workspace_id")?;
    let now = visit.now().await?;
    let before = page.after.map(ItemId::from);
    let rows = items::newest(&mut *visit.conn().await?, workspace, before, page.fetch()).await?;
    let (found, next) = page.cut(Seen { rows, last_seen: None }, |row| row.id.uuid());
    let rows = html! { @for one in &found { (row(one, now)) } };
    let columns = ["Item", "Name", "Type", "State", "Lasts", "Bytes", "Reads", "Account", "Workspace", "Added"];
    let main = html! {
        h1 { "Library" }
        (shell::filters("/items", &shell::text_field(&visit, "workspace_id", "Workspace")))
        (shell::section("rows", "Newest first", &html! {
            @if !found.is_empty() { (shell::table("Items", &columns, &rows)) }
            (shell::pages(&visit, found.len(), next.as_deref(), "items"))
        }))
    };
    Ok(visit.whole("Library", &main))
}

fn row(one: &ListedItem, now: DateTime<Utc>) -> Markup {
    #[expect(clippy::cast_precision_loss, reason = "media lasts days at most")]
    let lasts = one.duration_ms.map(|ms| domain::verdict::span(ms as f64 / 1_000.0));
    html! {
        tr {
            td { (link("items", one.id)) }
            td { (one.name) }
            td { (or_dash(one.item_type.map(type_word))) }
            td { (state(status_word(one.status))) }
            td.number { (or_dash(lasts)) }
            td.number { (one.bytes) }
            td { (one.reads.join(", ")) }
            td { (link("accounts", one.account_id)) }
            td { a.id href={ "/console/items?workspace_id=" (one.workspace_id) } { (one.workspace_id) } }
            td { (time(one.created_at, now)) }
        }
    }
}
