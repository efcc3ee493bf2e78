//! The feeds by which calendar programs read a workspace's calendar: making, reading and revoking them.

use crate::app::App;
use crate::auth::{Caller, in_time, turn_to_look_up};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::scope::Scope;
use crate::usecases::account_audit::{Change, note_here, note_made_here};
use crate::usecases::once::{Before, Begun, Made, Once, forgotten};
use chrono::TimeDelta;
use domain::calendar::{MOST_FEEDS, MOST_READS_A_MINUTE, MOST_TOLD, TOLD_DAYS_BACK};
use domain::credential::CredentialHash;
use domain::ics::{self, Event};
use domain::ids::CalendarFeedId;
use domain::public_link::LinkToken;
use store::calendar::{self, EntryRow, Window};
use store::calendar_feeds::{self, CountedRead, FeedRow};
use tracing::Instrument;

/// Makes a feed. `show` writes the answer, which is stored without the token.
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
    calendar::lock(&mut create_feed, workspace).await.map_err(ApiError::of_own_lock)?;
    let most = usize::try_from(MOST_FEEDS).unwrap_or_default();
    if calendar_feeds::of_workspace(&mut create_feed, workspace, MOST_FEEDS).await?.len() >= most {
        let refusal = ApiError::new(Code::QuotaReached, format!("The calendar has {most} feeds, which is the most."));
        return Err(refusal.suggest("Revoke one of them with `revoke_calendar_feed`."));
    }
    let (id, token) = (CalendarFeedId::mint(), LinkToken::from_random(once.secret(app, call)));
    let row =
        calendar_feeds::add(&mut create_feed, id, workspace, &token.hash(), caller.user_id, caller.key_id).await?;
    note_made_here(&mut create_feed, caller, Change::of("calendar_feed.create", id)).await?;
    let body = show(row, &token);
    // Only the token's hash is stored, here too.
    once.keep(app, &mut create_feed, &body.replace(&token.expose(), "")).await?;
    create_feed.commit().await?;
    Ok(Made::Now(body))
}

/// Returns the token of the feed that this call made before, derived again.
pub async fn feed_token_made_before(app: &App, caller: &Caller, once: &Once, before: &Before) -> Answer<LinkToken> {
    let mut conn = app.conn().await?;
    for secret in once.secrets(app, before.call) {
        let token = LinkToken::from_random(secret);
        if calendar_feeds::has_token(&mut conn, caller.workspace.id, &token.hash()).await? {
            return Ok(token);
        }
    }
    Err(forgotten())
}

/// Revokes a feed of the workspace for good.
///
/// # Errors
/// `calendar_feed_not_found`, `workspace_forbidden`.
pub async fn revoke_feed(app: &App, caller: &Caller, id: CalendarFeedId) -> Answer<()> {
    let mut revoke_feed = app.process.begin().await?;
    if !calendar_feeds::end(&mut revoke_feed, id, caller.workspace.id).await? {
        let missing = || ApiError::new(Code::CalendarFeedNotFound, format!("There is no calendar feed {id}."));
        let found = calendar_feeds::workspace_of(&mut revoke_feed, id).await?;
        return Err(found.map_or_else(missing, |_| ApiError::elsewhere("feed")));
    }
    note_here(&mut revoke_feed, caller, Change::of("calendar_feed.revoke", id)).await?;
    revoke_feed.commit().await?;
    Ok(())
}

/// Returns the calendar of the feed with this token, in iCalendar format; none where there is no such feed. Lookups
/// take turns, and wrong tokens count like wrong keys.
///
/// # Errors
/// `rate_limited` where it is read more often than feeds may be, and after many wrong tokens from the same address.
pub async fn read_feed(app: &App, scope: &Scope, token: &LinkToken) -> Answer<Option<String>> {
    let (hash, presented) = (token.hash(), CredentialHash::of(&format!("calendar feed {}", token.expose())));
    app.guesses.refuse(scope, &presented).await?;
    let turn = turn_to_look_up(app, scope, &presented, &app.turns.calendar_feeds, hash).await?;
    let counted = async { calendar_feeds::count_read(&mut *app.conn().await?, &hash, MOST_READS_A_MINUTE).await };
    let Some(read) = in_time(counted).await? else {
        app.guesses.count(scope).await;
        return Ok(None);
    };
    app.guesses.remember_right(&presented).await;
    drop(turn);
    if !read.within {
        let message = format!("A feed is read {MOST_READS_A_MINUTE} times a minute at most. It changes slowly.");
        return Err(ApiError::new(Code::RateLimited, message).retry_after(60));
    }
    // An account may have thousands of feeds: they wait for one another, and not the feeds of others for them.
    let turn = app.turns.calendars.turn_soon(read.account_id).await?;
    // Reading and writing thousands of entries takes a while. It goes on when the program hangs up, and the turn lasts
    // until it has ended.
    let app = app.clone();
    let work = async move {
        let written = write_calendar(&app, read).await;
        drop(turn);
        written
    };
    tokio::spawn(work.in_current_span()).await.map_err(ApiError::internal)?.map(Some)
}

/// Writes the calendar of a feed.
async fn write_calendar(app: &App, read: CountedRead) -> Answer<String> {
    let window = Window { from: Some(read.now - TimeDelta::days(TOLD_DAYS_BACK)), ..Window::default() };
    let page = async { calendar::page(&mut *app.conn().await?, read.workspace_id, &window, MOST_TOLD).await };
    let rows = in_time(page).await?;
    let written = tokio::task::spawn_blocking(move || ics::calendar(&read.name, rows.iter().map(event_of)));
    written.await.map_err(ApiError::internal)
}

fn event_of(row: &EntryRow) -> Event<'_> {
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
