//! The library: the items of all workspaces, or of one, newest first.

use super::filtered::or_refused;
use super::item::{status_word, type_word};
use super::shell::Fit;
use super::words::{link, or_dash, short, state, time};
use super::{Visit, listed, shell};
use crate::http::error::Answer;
use crate::http::json::json_of;
use crate::http::text::Time;
use chrono::{DateTime, Utc};
use domain::ids::{ItemId, WorkspaceId};
use maud::{Markup, html};
use poem::Response;
use serde_json::{Value, json};
use store::Seen;
use store::items::{self, ListedItem};

const COLUMNS: [(&str, Fit); 10] = [
    ("Item", Fit::Any),
    ("Name", Fit::Any),
    ("Type", Fit::Medium),
    ("State", Fit::Any),
    ("Lasts", Fit::Medium),
    ("Bytes", Fit::Wide),
    ("Reads", Fit::Medium),
    ("Account", Fit::Wide),
    ("Workspace", Fit::Wide),
    ("Added", Fit::Medium),
];

pub(super) async fn show(visit: Visit) -> Answer<Response> {
    visit.takes(&["workspace_id", "cursor", "format"])?;
    let shown = list(&visit).await;
    or_refused(visit, shown, "Library", "/items", fields)
}

async fn list(visit: &Visit) -> Answer<Response> {
    let page = visit.page("console items")?;
    let workspace = visit.id_in::<WorkspaceId>("workspace_id")?;
    let now = visit.now().await?;
    let before = page.after.map(ItemId::from);
    let rows = items::newest(&mut *visit.conn().await?, workspace, before, page.fetch()).await?;
    let (found, next) = page.cut(Seen { rows, last_seen: None }, |row| row.id.uuid());
    if visit.wants_json()? {
        return Ok(listed(found.iter().map(document).collect(), next.as_deref()));
    }
    let rows = html! { @for one in &found { (row(one, now)) } };
    let main = html! {
        h1 { "Library" }
        (shell::filters("/items", &fields(visit)))
        (shell::newest(visit, &html! {
            @if !found.is_empty() { (shell::fitted_table("Items", &COLUMNS, &rows)) }
            (shell::pages(visit, found.len(), next.as_deref(), "items"))
        }))
    };
    Ok(visit.whole("Library", &main))
}

fn fields(visit: &Visit) -> Markup {
    shell::text_field(visit, "workspace_id", "Workspace")
}

fn row(one: &ListedItem, now: DateTime<Utc>) -> Markup {
    #[expect(clippy::cast_precision_loss, reason = "media lasts days at most")]
    let lasts = one.duration_ms.map(|ms| domain::verdict::span(ms as f64 / 1_000.0));
    html! {
        tr {
            td { (link("items", one.id)) }
            td.long { (one.name) }
            td.medium { (or_dash(one.item_type.map(type_word))) }
            td { (state(status_word(one.status))) }
            td.number.medium { (or_dash(lasts)) }
            td.number.wide { (one.bytes) }
            td.medium { (one.reads.join(", ")) }
            td.wide { (link("accounts", one.account_id)) }
            td.wide { (workspace(one)) }
            td.medium { (time(one.created_at, now)) }
        }
    }
}

/// Returns an item as JSON.
fn document(one: &ListedItem) -> Value {
    json!({
        "id": one.id,
        "name": one.name,
        "type": one.item_type.map(type_word),
        "status": status_word(one.status),
        "duration_ms": one.duration_ms,
        "bytes": one.bytes,
        "reads": one.reads,
        "account_id": one.account_id,
        "workspace_id": one.workspace_id,
        "created_at": json_of(&Time(one.created_at)),
    })
}

/// Shows an item's workspace, as a link to what it holds.
fn workspace(one: &ListedItem) -> Markup {
    let id = one.workspace_id.to_string();
    html! { a.id href={ "/console/items?workspace_id=" (id) } title=(id) { (short(&id)) } }
}
