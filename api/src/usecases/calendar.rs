//! The calendar: entries, whose items are looked up in the transaction that writes them, and feeds, of which the
//! account's audit log is told.

use crate::app::App;
use crate::auth::{Caller, in_time};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::scope::Scope;
use crate::usecases::account_audit::{note, note_made};
use crate::usecases::library;
use crate::usecases::once::{Before, Begun, Made, Once, forgotten};
use crate::usecases::quotas::{self, Asker};
use chrono::{DateTime, TimeDelta, Utc};
use domain::calendar::{
    MOST_ENTRIES, MOST_FEEDS, MOST_ITEMS, MOST_READS_A_MINUTE, MOST_TOLD, Plan, PlanError, Status, TOLD_DAYS_BACK,
};
use domain::credential::CredentialHash;
use domain::ics::{self, Event};
use domain::ids::{CalendarEntryId, CalendarFeedId, ItemId};
use domain::public_link::LinkToken;
use sqlx::PgConnection;
use std::collections::HashMap;
use store::calendar::{self, EntryRow, EntryText, FeedRow, Window};
use store::items;

/// An entry with what its items are called, as far as they are still there.
#[derive(Debug)]
pub struct Entry {
    /// The entry.
    pub row: EntryRow,
    /// The refs of its items.
    pub refs: HashMap<ItemId, String>,
}

/// What to change of an entry. What is absent stays.
#[derive(Debug, Default)]
pub struct EntryChange {
    /// What is planned.
    pub title: Option<String>,
    /// From when.
    pub starts_at: Option<DateTime<Utc>>,
    /// Until when, or open.
    pub ends_at: Option<Option<DateTime<Utc>>>,
    /// What names its items.
    pub refs: Option<Vec<String>>,
    /// Where it is to be seen, or nothing of it.
    pub channel: Option<Option<String>>,
    /// What is to be known beside, or nothing.
    pub note: Option<Option<String>>,
    /// How far it is.
    pub status: Option<Status>,
}

/// Adds an entry; `refs` name its items. `show` writes the answer.
///
/// # Errors
/// `invalid_request` by field, `quota_reached`, those of naming an item.
pub async fn add_entry(
    app: &App,
    caller: &Caller,
    once: &Once,
    (plan, refs): (Plan, &[String]),
    show: impl FnOnce(Entry) -> String,
) -> Answer<Made> {
    let mut add_entry = match once.begin(app).await? {
        Begun::Now(add_entry, _) => add_entry,
        Begun::Before(before) => return Ok(Made::Before(before)),
    };
    let workspace = caller.workspace.id;
    let items = found(&mut add_entry, caller, refs).await?;
    let plan = Plan { items, ..plan }.checked().map_err(refused)?;
    calendar::lock(&mut add_entry, workspace).await?;
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

/// Entries of the workspace, the earliest first.
pub async fn list_entries(conn: &mut PgConnection, caller: &Caller, window: &Window, limit: i64) -> Answer<Vec<Entry>> {
    let rows = calendar::page(conn, caller.workspace.id, window, limit).await?;
    let named: Vec<ItemId> = rows.iter().flat_map(|row| row.items.iter().copied()).collect();
    let refs: HashMap<ItemId, String> =
        if named.is_empty() { HashMap::new() } else { items::refs(conn, &named).await?.into_iter().collect() };
    let own = |row: &EntryRow| row.items.iter().filter_map(|id| Some((*id, refs.get(id)?.clone()))).collect();
    Ok(rows.into_iter().map(|row| Entry { refs: own(&row), row }).collect())
}

/// Changes an entry, all that is asked or nothing.
///
/// # Errors
/// `calendar_entry_not_found`, `workspace_forbidden`, `invalid_request` by field, `quota_reached` where the account
/// has as many bytes of entries as it may, those of naming an item.
pub async fn change_entry(app: &App, caller: &Caller, id: CalendarEntryId, change: EntryChange) -> Answer<Entry> {
    let mut change_entry = app.process.pool.begin().await?;
    let row = calendar::find_to_change(&mut change_entry, id).await?.ok_or_else(|| unknown(id))?;
    if row.workspace_id != caller.workspace.id {
        return Err(elsewhere("entry"));
    }
    let items = match &change.refs {
        Some(refs) => found(&mut change_entry, caller, refs).await?,
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
    Err(calendar::find_to_change(&mut conn, id).await?.map_or_else(|| unknown(id), |_| elsewhere("entry")))
}

/// Makes a feed. `show` writes the answer, of which all but the token is kept.
///
/// # Errors
/// `quota_reached`, `rate_limited` after many changes in a day.
pub async fn create_feed(
    app: &App,
    caller: &Caller,
    once: &Once,
    show: impl FnOnce(FeedRow, &LinkToken) -> String,
) -> Answer<Made> {
    let (mut create_feed, call) = match once.begin(app).await? {
        Begun::Now(create_feed, call) => (create_feed, call),
        Begun::Before(before) => return Ok(Made::Before(before)),
    };
    let workspace = caller.workspace.id;
    calendar::lock(&mut create_feed, workspace).await?;
    let most = usize::try_from(MOST_FEEDS).unwrap_or_default();
    if calendar::feeds(&mut create_feed, workspace, MOST_FEEDS).await?.len() >= most {
        let refusal = ApiError::new(Code::QuotaReached, format!("The calendar has {most} feeds, which is the most."));
        return Err(refusal.suggest("Revoke one of them with `revoke_calendar_feed`."));
    }
    let (id, token) = (CalendarFeedId::mint(), LinkToken::from_random(once.secret(app, call)));
    let row =
        calendar::add_feed(&mut create_feed, id, workspace, &token.hash(), (caller.user_id, caller.key_id)).await?;
    note_made(&mut create_feed, caller, "calendar_feed.create", id, None).await?;
    let body = show(row, &token);
    // Only its hash is kept, here too.
    once.keep(app, &mut create_feed, &body.replace(&token.expose(), "")).await?;
    create_feed.commit().await?;
    Ok(Made::Now(body))
}

/// The token of the feed that this call made before, made once more.
pub async fn feed_token_made_before(app: &App, caller: &Caller, once: &Once, before: &Before) -> Answer<LinkToken> {
    let mut conn = app.conn().await?;
    for secret in once.secrets(app, before.call) {
        let token = LinkToken::from_random(secret);
        if calendar::has_token(&mut conn, caller.workspace.id, &token.hash()).await? {
            return Ok(token);
        }
    }
    Err(forgotten())
}

/// Ends a feed of the workspace for good.
///
/// # Errors
/// `calendar_feed_not_found`, `workspace_forbidden`.
pub async fn revoke_feed(app: &App, caller: &Caller, id: CalendarFeedId) -> Answer<()> {
    let mut revoke_feed = app.process.pool.begin().await?;
    if !calendar::end_feed(&mut revoke_feed, id, caller.workspace.id).await? {
        let missing = || ApiError::new(Code::CalendarFeedNotFound, format!("There is no calendar feed {id}."));
        let found = calendar::workspace_of_feed(&mut revoke_feed, id).await?;
        return Err(found.map_or_else(missing, |_| elsewhere("feed")));
    }
    note(&mut revoke_feed, caller, "calendar_feed.revoke", id, None).await?;
    revoke_feed.commit().await?;
    Ok(())
}

/// The calendar of the feed with this token as calendar programs read it; none where there is no such feed. Looked up
/// by turns; who tries tokens is treated as who tries keys.
///
/// # Errors
/// `rate_limited` where it is read more often than a feed is, and after many wrong tokens from the same address.
pub async fn read_feed(app: &App, scope: &Scope, token: &LinkToken) -> Answer<Option<String>> {
    let (hash, presented) = (token.hash(), CredentialHash::of(&format!("calendar feed {}", token.expose())));
    app.guesses.refuse(scope, &presented).await?;
    // Strangers wait for each other first, or they would have the turns of programs whose feeds are known to work.
    let _strangers_turn = in_time(async { Ok(app.guesses.turn(scope, &presented).await) }).await?;
    let _turn = app.feed_turns.turn_soon(hash).await?;
    let counted = async { calendar::count_read(&mut *app.conn().await?, &hash, MOST_READS_A_MINUTE).await };
    let Some(read) = in_time(counted).await? else {
        app.guesses.count(scope).await;
        return Ok(None);
    };
    app.guesses.right(&presented).await;
    if !read.within {
        let message = format!("A feed is read {MOST_READS_A_MINUTE} times a minute at most. It changes slowly.");
        return Err(ApiError::new(Code::RateLimited, message).retry_after(60));
    }
    let window = Window { from: Some(read.now - TimeDelta::days(TOLD_DAYS_BACK)), ..Window::default() };
    let page = async { calendar::page(&mut *app.conn().await?, read.workspace_id, &window, MOST_TOLD).await };
    let rows = in_time(page).await?;
    // Thousands of entries take a while to write.
    let written = tokio::task::spawn_blocking(move || ics::calendar(&read.name, rows.iter().map(told)));
    written.await.map(Some).map_err(ApiError::internal)
}

fn told(row: &EntryRow) -> Event<'_> {
    Event {
        uid: row.id.to_string(),
        title: &row.title,
        starts_at: row.starts_at,
        ends_at: row.ends_at,
        channel: row.channel.as_deref(),
        note: row.note.as_deref(),
        status: row.status,
        sequence: row.sequence,
        created_at: row.created_at,
        updated_at: row.updated_at,
    }
}

/// The items that these texts name, each once.
async fn found(conn: &mut PgConnection, caller: &Caller, refs: &[String]) -> Answer<Vec<ItemId>> {
    if refs.len() > MOST_ITEMS {
        return Err(refused(PlanError::Items));
    }
    let mut items = Vec::new();
    for (at, name) in refs.iter().enumerate() {
        let item = library::resolve(conn, caller.workspace, name).await;
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

fn elsewhere(noun: &str) -> ApiError {
    let refusal = ApiError::new(Code::WorkspaceForbidden, format!("The {noun} is in another workspace."));
    refusal.suggest("Name its workspace in x-workspace-id, if you can reach it.")
}
