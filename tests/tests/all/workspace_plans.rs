//! What is kept in a workspace beside its media is looked up by the indexes of its workspace in full tables.

use anyhow::Context;
use chrono::DateTime;
use domain::comment::Subject;
use domain::document::DocumentKind;
use domain::ids::{
    AccountId, CalendarEntryId, CalendarFeedId, CommentId, DubId, ItemId, ProjectId, ProjectRunId, WorkspaceId,
};
use mws_tests::plans;
use mws_tests::world::World;
use serde_json::Value;
use sqlx::types::Uuid;
use sqlx::{Connection, PgConnection, PgPool};
use store::calendar::{self, Window};
use store::calendar_feeds;
use store::project_runs::{self, NewStep, RunClaim, StepEnd};
use store::{comments, documents, dubs};

/// As a large deployment has them; no row needs others here.
const FULL: &str = "SET session_replication_role = replica;
    INSERT INTO calendar_entries (id, workspace_id, title, starts_at, items, status)
    SELECT md5('entry' || n)::uuid, md5((n % 40)::text)::uuid, 'a', mws_now() + n * interval '1 minute', '{}', 'planned'
    FROM generate_series(1, 30000) AS n;
    INSERT INTO calendar_feeds (id, workspace_id, token_hash)
    SELECT md5('feed' || n)::uuid, md5((n % 1500)::text)::uuid, sha256(n::text::bytea)
    FROM generate_series(1, 30000) AS n;
    INSERT INTO documents (id, workspace_id, account_id, kind, name, body, summary, kept_bytes)
    SELECT md5('document' || n)::uuid, md5((n % 40)::text)::uuid, md5((n % 40)::text)::uuid,
        CASE WHEN n % 2 = 0 THEN 'board' ELSE 'skill' END, n::text, '{}', '{}', 2
    FROM generate_series(1, 30000) AS n;
    INSERT INTO document_revisions (document_id, revision, name, body, summary, bytes)
    SELECT md5('document' || n)::uuid, 1, 'a', '{}', '{}', 2 FROM generate_series(1, 30000) AS n;
    INSERT INTO dub_outputs (document_id, plan_hash, revision, item_id, voice_item_id, timeline_id, pieces)
    SELECT md5('document' || n)::uuid, sha256(n::text::bytea), 1, md5('a')::uuid, md5('b' || n)::uuid,
        md5('c')::uuid, '[]'
    FROM generate_series(1, 30000) AS n;
    INSERT INTO comments (id, item_id, workspace_id, text, user_id)
    SELECT md5('comment' || n)::uuid, md5((n % 40)::text)::uuid, md5((n % 40)::text)::uuid, 'a', md5('user')::uuid
    FROM generate_series(1, 30000) AS n;
    INSERT INTO project_runs (id, project_id, payer_account_id, owner_account_id, workspace_id, request_id, memory,
        due_at)
    SELECT md5('run' || n)::uuid, md5((n / 10)::text)::uuid, md5((n % 40)::text)::uuid, md5((n % 40)::text)::uuid,
        md5((n % 40)::text)::uuid, 'a', '{}', CASE WHEN n % 10 = 0 THEN mws_now() END
    FROM generate_series(1, 30000) AS n;
    INSERT INTO project_steps (id, run_id, number, tool, arguments)
    SELECT md5('step' || n)::uuid, md5('run' || n % 3000)::uuid, n / 3000, 'a', '{}'
    FROM generate_series(1, 30000) AS n;
    RESET session_replication_role; ANALYZE";
const EMPTY: &str = "SET session_replication_role = replica;
    TRUNCATE calendar_entries, calendar_feeds, documents, document_revisions, dub_outputs, comments,
        project_runs, project_steps;
    RESET session_replication_role";

/// The statement that was prepared last goes by this index, and reads no table from end to end where they are full.
async fn goes_by(conn: &mut PgConnection, statement: &str, index: &str) -> anyhow::Result<()> {
    let plan = plans::of_last(conn).await?;
    assert!(plan.contains(index), "{statement} does not go by {index}:\n{plan}");
    for table in [
        "calendar_entries",
        "calendar_feeds",
        "documents",
        "document_revisions",
        "dub_outputs",
        "comments",
        "project_runs",
        "project_steps",
    ] {
        assert!(!plan.contains(&format!("Seq Scan on {table}")), "{statement} reads all of {table}:\n{plan}");
    }
    Ok(())
}

async fn calendars(conn: &mut PgConnection) -> anyhow::Result<()> {
    let (workspace, entry, feed) = (WorkspaceId::mint(), CalendarEntryId::mint(), CalendarFeedId::mint());
    calendar::count(conn, workspace, 10).await?;
    goes_by(conn, "entries are counted", "calendar_entries_start").await?;
    for window in [
        Window::default(),
        Window { from: Some(DateTime::UNIX_EPOCH), after: Some((DateTime::UNIX_EPOCH, [0; 8])), ..Window::default() },
    ] {
        calendar::page(conn, workspace, &window, 21).await?;
        goes_by(conn, "a page of the calendar", "calendar_entries_start").await?;
    }
    calendar::find_to_change(conn, entry).await?;
    goes_by(conn, "an entry", "calendar_entries_pkey").await?;
    calendar::delete(conn, entry, workspace).await?;
    goes_by(conn, "an entry's end", "calendar_entries_").await?;
    calendar_feeds::of_workspace(conn, workspace, 20).await?;
    goes_by(conn, "feeds", "calendar_feeds_workspace").await?;
    calendar_feeds::workspace_of(conn, feed).await?;
    goes_by(conn, "a feed", "calendar_feeds_pkey").await?;
    calendar_feeds::has_token(conn, workspace, b"token").await?;
    goes_by(conn, "a token", "calendar_feeds_token_hash_key").await?;
    calendar_feeds::end(conn, feed, workspace).await?;
    goes_by(conn, "a feed's end", "calendar_feeds_").await
}

async fn kept_documents(conn: &mut PgConnection) -> anyhow::Result<()> {
    let (workspace, id) = (WorkspaceId::mint(), Uuid::nil());
    documents::count(conn, workspace, DocumentKind::Board, 10).await?;
    goes_by(conn, "boards are counted", "documents_listed").await?;
    documents::page(conn, workspace, DocumentKind::Board, None, 21).await?;
    goes_by(conn, "a page of boards", "documents_listed").await?;
    documents::kept_bytes(conn, AccountId::mint()).await?;
    goes_by(conn, "an account's bytes", "documents_account").await?;
    documents::find(conn, DocumentKind::Board, id).await?;
    goes_by(conn, "a board", "documents_pkey").await?;
    documents::find_to_change(conn, DocumentKind::Board, id).await?;
    goes_by(conn, "a board to change", "documents_pkey").await?;
    documents::summary(conn, DocumentKind::Board, id).await?;
    goes_by(conn, "a board's summary", "documents_pkey").await?;
    documents::summary_to_comment_on(conn, DocumentKind::Board, id).await?;
    goes_by(conn, "a board's summary to comment on", "documents_pkey").await?;
    documents::find_named(conn, workspace, DocumentKind::Skill, "a").await?;
    goes_by(conn, "a skill by its name", "documents_").await?;
    documents::delete(conn, DocumentKind::Board, id, workspace).await?;
    goes_by(conn, "a board's end", "documents_").await
}

async fn what_was_dubbed(conn: &mut PgConnection) -> anyhow::Result<()> {
    dubs::made(conn, &[0; 32]).await?;
    goes_by(conn, "the dub of a plan", "dub_outputs_plan").await?;
    dubs::output(conn, DubId::mint()).await?;
    goes_by(conn, "what was spoken of a dub", "dub_outputs_pkey").await?;
    dubs::spoken_in(conn, ItemId::mint()).await?;
    goes_by(conn, "what is heard in voices", "dub_outputs_voice").await
}

async fn what_is_said(conn: &mut PgConnection) -> anyhow::Result<()> {
    let item = ItemId::mint();
    comments::count(conn, Subject::Item(item), 10).await?;
    goes_by(conn, "comments are counted", "comments_subject").await?;
    comments::page(conn, Subject::Item(item), None, None, 20).await?;
    goes_by(conn, "comments are listed", "comments_subject").await?;
    goes_by(conn, "resolved comments are listed", "comments_resolved").await?;
    comments::newest(conn, item, 500, 200_000).await?;
    goes_by(conn, "the newest comments", "comments_item").await?;
    comments::find(conn, CommentId::mint()).await?;
    goes_by(conn, "a comment", "comments_pkey").await
}

async fn runs(conn: &mut PgConnection) -> anyhow::Result<()> {
    let (project, account, run) = (ProjectId::mint(), AccountId::mint(), ProjectRunId::mint());
    let claim = RunClaim { run, project, number: 1 };
    let first = project_runs::take(conn, Uuid::nil(), &[]).await?.context("none is due")?.by.account_id;
    let next = project_runs::take(conn, Uuid::nil(), &[first]).await?.context("none is due of another")?;
    assert_ne!(next.by.account_id, first, "it is passed over");
    project_runs::take(conn, Uuid::nil(), &[AccountId::mint()]).await?;
    goes_by(conn, "a run to take up", "project_runs_turns").await?;
    accounts_with_many_runs_are_stepped_over(conn).await?;
    project_runs::live(conn, account, 100).await?;
    goes_by(conn, "runs of an account", "project_runs_turns").await?;
    project_runs::latest(conn, project).await?;
    goes_by(conn, "a project's latest run", "project_runs_project").await?;
    let step = NewStep { number: 1, tool: "a", arguments: &Value::Null };
    project_runs::begin_step(conn, claim, step).await?;
    goes_by(conn, "a step", "project_runs_pkey").await?;
    project_runs::end_step(conn, run, 1, StepEnd::Done(None)).await?;
    goes_by(conn, "a step's end", "project_steps_run_id_number_key").await?;
    project_runs::stop(conn, project).await?;
    goes_by(conn, "a run's end", "project_runs_").await?;
    project_runs::steps(conn, project, None, 21).await?;
    goes_by(conn, "the log", "project_runs_project").await
}

/// Whoever is passed over has hundreds of runs that are due.
async fn accounts_with_many_runs_are_stepped_over(conn: &mut PgConnection) -> anyhow::Result<()> {
    let mut look = conn.begin().await?;
    let payers = "SELECT DISTINCT payer_account_id FROM project_runs WHERE due_at IS NOT NULL ORDER BY 1";
    let mut passed_over: Vec<AccountId> = sqlx::query_scalar(payers).fetch_all(&mut *look).await?;
    let last = passed_over.pop();
    let before = plans::rows_read(&mut look, "project_runs").await?;
    let taken = project_runs::take(&mut look, Uuid::nil(), &passed_over).await?;
    let read = plans::rows_read(&mut look, "project_runs").await? - before;
    assert_eq!((passed_over.len(), taken.map(|taken| taken.by.account_id)), (3, last));
    assert!(read <= 40, "{read} runs were read");
    look.rollback().await?;
    Ok(())
}

/// Another process has locked all runs of the account whose turn it is.
async fn an_account_whose_runs_are_locked_holds_up_no_other(pool: &PgPool) -> anyhow::Result<()> {
    let (mut other, mut conn) = (pool.begin().await?, pool.acquire().await?);
    let first = project_runs::take(&mut other, Uuid::nil(), &[]).await?.context("none is due")?.by.account_id;
    let all = "SELECT id FROM project_runs WHERE payer_account_id = $1 AND due_at IS NOT NULL FOR UPDATE";
    sqlx::query(all).bind(first).execute(&mut *other).await?;
    let next = project_runs::take(&mut conn, Uuid::nil(), &[]).await?.context("it waits behind what is locked")?;
    assert_ne!(next.by.account_id, first);
    other.rollback().await?;
    Ok(())
}

async fn fill(pool: &PgPool, rows: &'static str) -> anyhow::Result<()> {
    sqlx::raw_sql(rows).execute(&mut *pool.acquire().await?).await?;
    Ok(())
}

#[tokio::test]
async fn what_is_kept_in_a_workspace_goes_by_its_indexes_in_full_tables() -> anyhow::Result<()> {
    let world = World::new().await?;
    fill(world.pool(), FULL).await?;
    let mut conn = world.pool().acquire().await?;
    calendars(&mut conn).await?;
    kept_documents(&mut conn).await?;
    what_was_dubbed(&mut conn).await?;
    what_is_said(&mut conn).await?;
    runs(&mut conn).await?;
    drop(conn);
    an_account_whose_runs_are_locked_holds_up_no_other(world.pool()).await?;
    // They were no one's, as the invariants would say.
    fill(world.pool(), EMPTY).await?;
    world.end().await
}

/// Rows of comments that this transaction has fetched, by whichever way.
async fn fetched(conn: &mut PgConnection) -> anyhow::Result<i64> {
    let rows = "SELECT coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) FROM pg_stat_xact_user_tables
        WHERE relid = 'public.comments'::regclass";
    Ok(sqlx::query_scalar(rows).fetch_one(conn).await?)
}

#[tokio::test]
async fn a_page_of_ten_thousand_comments_reads_what_it_shows_before_they_are_analysed() -> anyhow::Result<()> {
    let world = World::new().await?;
    // Nobody has counted them yet, so that the planner guesses that an item has a few.
    let many = "SET session_replication_role = replica;
        INSERT INTO comments (id, item_id, workspace_id, text, user_id, resolved_at)
        SELECT md5('comment' || n)::uuid, md5('item')::uuid, md5('a')::uuid, 'a', md5('user')::uuid,
            CASE WHEN n <= 3 THEN mws_now() END
        FROM generate_series(1, 10000) AS n;
        RESET session_replication_role";
    fill(world.pool(), many).await?;
    let item: ItemId = sqlx::query_scalar("SELECT md5('item')::uuid").fetch_one(world.pool()).await?;
    let mut look = world.pool().begin().await?;
    for (resolved, shown) in [(None, 21), (Some(true), 3), (Some(false), 21)] {
        let before = fetched(&mut look).await?;
        let page = comments::page(&mut look, Subject::Item(item), resolved, None, 21).await?;
        assert_eq!(page.len(), shown, "{resolved:?}");
        assert!(page.is_sorted_by(|one, next| one.id > next.id), "newest first");
        assert!(page.iter().all(|row| resolved.is_none_or(|resolved| row.resolved_at.is_some() == resolved)));
        let read = fetched(&mut look).await? - before;
        assert!(read <= 50, "{resolved:?}: {read} rows were read for {shown}");
    }
    look.rollback().await?;
    fill(world.pool(), EMPTY).await?;
    world.end().await
}
