//! A page of a workspace's items, as routes and tools list them.

use super::{Asked, Item, Sort, WithMedia};
use crate::app::links::Links;
use crate::auth::Caller;
use crate::http::error::Answer;
use crate::http::paging::{Limit, List, Page, Position};
use crate::http::text::Text;
use domain::ids::ItemId;
use domain::item::ItemSort;
use sqlx::PgConnection;
use store::items;

/// The page of a list that is requested.
#[derive(Debug, Clone, Copy)]
pub struct PageAsked<'a> {
    /// The order of the items.
    pub sort: Option<Sort>,
    /// The number of items on the page.
    pub limit: Option<Limit>,
    /// The `next_cursor` of the page before.
    pub cursor: Option<&'a Text>,
}

/// Returns a page of the workspace's items that match.
pub async fn page(
    conn: &mut PgConnection,
    links: &Links,
    caller: &Caller,
    asked: Asked,
    page: PageAsked<'_>,
    with_media: WithMedia,
) -> Answer<List<Item>> {
    let (sort, workspace) = (page.sort.map(ItemSort::from).unwrap_or_default(), caller.workspace.id);
    let (page, position) = Page::sorted(list_name(sort), page.limit, page.cursor)?;
    let filter = asked.into_filter(conn, caller).await?;
    let show = |row| Item::listed(row, links, with_media);
    if filter.is_open() && sort == ItemSort::Newest {
        let rows = items::page(conn, workspace, page.after.map(ItemId::from), page.fetch()).await?;
        return Ok(page.list(rows, |row| row.id.uuid(), show));
    }
    let after = position.map(|position| items::ItemPosition { id: position.id.into(), name: position.text });
    let seen = items::search(conn, workspace, &filter, sort, after, page.fetch()).await?;
    let last = seen.last_seen.map(|position| Position { id: position.id.uuid(), text: position.name });
    Ok(page.ending_at(seen.rows, last.as_ref(), show))
}

/// Returns the name of the list in this order, which its cursors carry.
const fn list_name(sort: ItemSort) -> &'static str {
    match sort {
        ItemSort::Newest => "items",
        ItemSort::Oldest => "items, oldest first",
        ItemSort::Name => "items by name",
    }
}
