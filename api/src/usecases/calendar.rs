//! The calendar's entries. Their items are looked up in the transaction that writes them. Feeds of the calendar are in
//! `calendar_feeds`.

use crate::app::App;
use crate::auth::Caller;
use crate::http::error::{Answer, ApiError, Code};
use crate::usecases::library;
use crate::usecases::once::{Begun, Made, Once};
use crate::usecases::quotas::{self, Asker};
use chrono::{DateTime, Utc};
use domain::calendar::{MOST_ENTRIES, MOST_ITEMS, Plan, PlanError, Status};
use domain::ids::{CalendarEntryId, ItemId};
use sqlx::PgConnection;
use std::collections::HashMap;
use store::calendar::{self, EntryRow, EntryText, Window};
use store::items;

/// An entry, with the refs of those of its items that still exist.
#[derive(Debug)]
pub struct Entry {
    /// The entry.
    pub row: EntryRow,
    /// The refs of its items.
    pub refs: HashMap<ItemId, String>,
}

/// A change of an entry. Absent fields stay as they are.
#[derive(Debug, Default)]
pub struct EntryChange {
    /// Its title.
    pub title: Option<String>,
    /// When it starts.
    pub starts_at: Option<DateTime<Utc>>,
    /// When it ends, or none to leave that open.
    pub ends_at: Option<Option<DateTime<Utc>>>,
    /// Its items' ids or refs.
    pub refs: Option<Vec<String>>,
    /// Its channel, or none to remove it.
    pub channel: Option<Option<String>>,
    /// Its note, or none to remove it.
    pub note: Option<Option<String>>,
    /// Its status.
    pub status: Option<Status>,
}

/// Adds an entry; `refs` name its items. `show` writes the answer.
///
/// # Errors
/// `invalid_request` names the field; `quota_reached`; those of finding an item.
pub async fn add_entry(
    app: &App,
    caller: &Caller,
    once: &Once,
    plan: Plan,
    refs: &[String],
    show: impl FnOnce(Entry) -> String,
) -> Answer<Made> {
    let mut add_entry = match once.begin(app).await? {
        Begun::Now(add_entry, _) => add_entry,
        Begun::Before(before) => return Ok(Made::Before(before)),
    };
    let workspace = caller.workspace.id;
    let items = find_items(&mut add_entry, caller, refs).await?;
    let plan = Plan { items, ..plan }.checked().map_err(refused)?;
    calendar::lock(&mut add_entry, workspace).await.map_err(ApiError::of_own_lock)?;
    if calendar::count(&mut add_entry, workspace, MOST_ENTRIES).await? >= MOST_ENTRIES {
        let message = format!("The calendar has {MOST_ENTRIES} entries, which is the most.");
        return Err(ApiError::new(Code::QuotaReached, message).suggest("Delete entries that are long past."));
    }
    let row = calendar::add(&mut add_entry, CalendarEntryId::mint(), workspace, &text(&plan)).await?;
    let account = caller.workspace.account_id;
    quotas::texts(&mut add_entry, account, Asker::of(caller, account)).await?;
    let answer = show(with_refs(&mut add_entry, row).await?);
    once.keep(app, &mut add_entry, &answer).await?;
    add_entry.commit().await?;
    Ok(Made::Now(answer))
}

/// Returns entries of the workspace, the earliest first.
pub async fn list_entries(conn: &mut PgConnection, caller: &Caller, window: &Window, limit: i64) -> Answer<Vec<Entry>> {
    let rows = calendar::page(conn, caller.workspace.id, window, limit).await?;
    let named: Vec<ItemId> = rows.iter().flat_map(|row| row.items.iter().copied()).collect();
    let refs: HashMap<ItemId, String> =
        if named.is_empty() { HashMap::new() } else { items::refs(conn, &named).await?.into_iter().collect() };
    let own = |row: &EntryRow| row.items.iter().filter_map(|id| Some((*id, refs.get(id)?.clone()))).collect();
    Ok(rows.into_iter().map(|row| Entry { refs: own(&row), row }).collect())
}

/// Changes an entry, all fields or none. Returns the changed entry.
///
/// # Errors
/// `calendar_entry_not_found`, `workspace_forbidden`, `invalid_request` names the field, `quota_reached` where the
/// account has as many bytes of entries as it may; those of finding an item.
pub async fn change_entry(app: &App, caller: &Caller, id: CalendarEntryId, change: EntryChange) -> Answer<Entry> {
    let mut change_entry = app.process.begin_of(caller.account_id).await?;
    let row = calendar::find_to_change(&mut change_entry, id)
        .await
        .map_err(ApiError::of_own_lock)?
        .ok_or_else(|| unknown(id))?;
    if row.workspace_id != caller.workspace.id {
        return Err(ApiError::elsewhere("entry"));
    }
    let items = match &change.refs {
        Some(refs) => find_items(&mut change_entry, caller, refs).await?,
        None => row.items,
    };
    let plan = Plan {
        title: change.title.unwrap_or(row.title),
        starts_at: change.starts_at.unwrap_or(row.starts_at),
        ends_at: change.ends_at.unwrap_or(row.ends_at),
        items,
        channel: change.channel.unwrap_or(row.channel),
        note: change.note.unwrap_or(row.note),
        status: change.status.unwrap_or(row.status),
    };
    let row = calendar::change(&mut change_entry, id, &text(&plan.checked().map_err(refused)?)).await?;
    let account = caller.workspace.account_id;
    quotas::texts(&mut change_entry, account, Asker::of(caller, account)).await?;
    let entry = with_refs(&mut change_entry, row).await?;
    change_entry.commit().await?;
    Ok(entry)
}

/// Deletes an entry.
///
/// # Errors
/// `calendar_entry_not_found`, `workspace_forbidden`.
pub async fn delete_entry(app: &App, caller: &Caller, id: CalendarEntryId) -> Answer<()> {
    let mut conn = app.conn().await?;
    if calendar::delete(&mut conn, id, caller.workspace.id).await? {
        return Ok(());
    }
    Err(calendar::find_to_change(&mut conn, id).await?.map_or_else(|| unknown(id), |_| ApiError::elsewhere("entry")))
}

/// Returns the ids of the items that these texts name, each once.
async fn find_items(conn: &mut PgConnection, caller: &Caller, refs: &[String]) -> Answer<Vec<ItemId>> {
    if refs.len() > MOST_ITEMS {
        return Err(refused(PlanError::Items));
    }
    if refs.is_empty() {
        return Ok(Vec::new());
    }
    let mut items = Vec::new();
    for (at, item) in library::resolve_each(conn, caller.workspace.id, refs).await?.into_iter().enumerate() {
        let item = item.map_err(|error| ApiError::new(error.code(), format!("`refs[{at}]`: {}", error.message())))?;
        if !items.contains(&item.id) {
            items.push(item.id);
        }
    }
    Ok(items)
}

async fn with_refs(conn: &mut PgConnection, row: EntryRow) -> Answer<Entry> {
    let refs = items::refs(conn, &row.items).await?.into_iter().collect();
    Ok(Entry { row, refs })
}

fn text(plan: &Plan) -> EntryText<'_> {
    EntryText {
        title: &plan.title,
        starts_at: plan.starts_at,
        ends_at: plan.ends_at,
        items: &plan.items,
        channel: plan.channel.as_deref(),
        note: plan.note.as_deref(),
        status: plan.status,
    }
}

fn refused(error: PlanError) -> ApiError {
    ApiError::new(Code::InvalidRequest, format!("{error}."))
}

fn unknown(id: CalendarEntryId) -> ApiError {
    ApiError::new(Code::CalendarEntryNotFound, format!("There is no calendar entry {id}."))
}
