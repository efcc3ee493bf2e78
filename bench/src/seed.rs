//! Makes thousands of rows by the harness's own statements, as the service would leave them: holds are in the journal
//! and in the buckets, live reads in `job_reads`, and only jobs with a place have tickets.
//!
//! A statement here that no longer fits the schema fails its run. `store::jobs`, `store::minutes` and `store::events`
//! have what the service writes for a job.

use domain::credential::ApiKey;
use domain::event::{EventId, EventType};
use domain::ids::{AccountId, DeliveryId, EndpointId, ItemId, JobId, RequestId, WorkspaceId};
use domain::job::PLACES;
use domain::read::Read;
use domain::task::Task;
use runtime::ending::job_ticket;
use runtime::queue::{self, Ticket};
use sqlx::types::Uuid;
use sqlx::{PgConnection, PgPool};

/// The body of a typical event, the end of a read, without its last characters: some 700 bytes.
pub const BODY: &str = r#"{"id":"evt_M8DB96KKJJR5PX2C6SF2ECFZP1","type":"job.succeeded","created_at":"2026-11-20T09:30:00.000Z","workspace_id":"wsp_01JD0000000000000000000000","data":{"job":{"id":"job_01JD0000000000000000000000","workspace_id":"wsp_01JD0000000000000000000000","item_id":"itm_01JD0000000000000000000000","ref":"itm_01JD0000000000000000000000","kind":"read","read":"levels","status":"succeeded","progress":100,"attempt":1,"max_attempts":3,"cancel_requested":false,"estimated_minutes":0.1,"cloud_minutes":0.1,"result":{"stored_reads":["levels"]},"error":null,"context":null,"created_at":"2026-11-20T09:29:58.000Z","started_at":"2026-11-20T09:29:59.000Z","finished_at":"2026-11-20T09:30:00.000Z","request_id":"req_01JD0000000000000000000000"}},"n":"#;

/// An account with a key.
#[derive(Debug, Clone)]
pub struct Account {
    /// Its id.
    pub id: AccountId,
    /// Its workspace.
    pub workspace: WorkspaceId,
    /// Its key.
    pub key: ApiKey,
}

/// Items that one statement inserts.
const BATCH: usize = 10_000;

/// A job to be queued.
#[derive(Debug, Clone)]
pub struct Start {
    id: JobId,
    call: RequestId,
    account: AccountId,
    workspace: WorkspaceId,
    item: ItemId,
    read: Read,
    /// The ticket, for a job that has a place.
    ticket: Option<Ticket>,
}

impl Start {
    /// Returns the job's id.
    pub const fn job(&self) -> JobId {
        self.id
    }
}

/// Inserts items, each of one of these accounts.
pub async fn items(pool: &PgPool, owned: &[(ItemId, &Account)]) -> anyhow::Result<()> {
    for some in owned.chunks(BATCH) {
        sqlx::query(
            "INSERT INTO items (id, workspace_id, account_id, ref, name, type, status, duration_ms, has_audio, has_video,
                 object_key)
             SELECT id, workspace, account, id::text, 'bench', 'video', 'ready', 60000, true, true, 'none'
             FROM unnest($1::uuid[], $2::uuid[], $3::uuid[]) AS made (id, workspace, account)",
        )
        .bind(some.iter().map(|one| one.0).collect::<Vec<_>>())
        .bind(some.iter().map(|one| one.1.workspace).collect::<Vec<_>>())
        .bind(some.iter().map(|one| one.1.id).collect::<Vec<_>>())
        .execute(pool)
        .await?;
    }
    Ok(())
}

/// Opens the month of `days_ago` days ago for these accounts, with its grant, where it is not open.
pub async fn open_month(conn: &mut PgConnection, accounts: &[&Account], days_ago: i32) -> sqlx::Result<()> {
    sqlx::query(
        "WITH opened AS (
             INSERT INTO minute_buckets (account_id, month, allowance)
             SELECT id, date_trunc('month', (mws_now() - make_interval(days => $2)) AT TIME ZONE 'UTC')::date, 100000000
             FROM unnest($1::uuid[]) AS account (id)
             ON CONFLICT (account_id, month) DO NOTHING
             RETURNING account_id, month, allowance
         )
         INSERT INTO minute_journal (account_id, month, kind, month_amount)
         SELECT account_id, month, 'grant', allowance FROM opened",
    )
    .bind(accounts.iter().map(|account| account.id).collect::<Vec<_>>())
    .bind(days_ago)
    .execute(conn)
    .await
    .map(drop)
}

/// Returns one call of each account, for these reads of all its items: the accounts in turn, so that none is first.
pub fn starts(accounts: &[(&Account, &[ItemId])], reads: &[Read]) -> Vec<Start> {
    let calls: Vec<RequestId> = accounts.iter().map(|_| RequestId::mint()).collect();
    let most = accounts.iter().map(|(_, items)| items.len() * reads.len()).max().unwrap_or_default();
    let mut starts = Vec::new();
    for place in 0..most {
        for ((account, items), call) in accounts.iter().zip(&calls) {
            let Some(item) = items.get(place / reads.len()) else { continue };
            let (id, read) = (JobId::mint(), reads[place % reads.len()]);
            let others = i64::try_from(place).unwrap_or(i64::MAX);
            let ticket = (others < PLACES).then(|| job_ticket(id, Task::Read(read), others));
            let (account, workspace) = (account.id, account.workspace);
            starts.push(Start { id, call: *call, account, workspace, item: *item, read, ticket });
        }
    }
    starts
}

/// Queues these jobs with their holds and tickets. The accounts' month must be open, and nobody else may write their
/// buckets meanwhile.
pub async fn queue(conn: &mut PgConnection, starts: &[Start]) -> sqlx::Result<()> {
    sqlx::query(
        "WITH started AS (
             SELECT *, date_trunc('month', mws_now() AT TIME ZONE 'UTC')::date AS month
             FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[], $6::text[], $7::text[])
                 WITH ORDINALITY AS s (id, call_id, account_id, workspace_id, item_id, read, ticket_id, place)
         ), called AS (
             INSERT INTO calls (id, account_id, workspace_id, tool, request_id)
             SELECT DISTINCT ON (call_id) call_id, account_id, workspace_id, 'prepare_media', 'req_bench' FROM started
         ), taken AS (
             INSERT INTO job_reads (item_id, read, job_id) SELECT item_id, read, id FROM started ORDER BY item_id, read
         ), held AS (
             UPDATE minute_buckets AS b SET held = b.held + s.amount
             FROM (SELECT account_id, month, count(*) * 100 AS amount FROM started GROUP BY account_id, month) AS s
             WHERE b.account_id = s.account_id AND b.month = s.month
         ), inserted AS (
             INSERT INTO jobs (id, call_id, payer_account_id, owner_account_id, workspace_id, item_id, kind, read, admitted,
                 hold_month, held_month, held_bought, ticket_id)
             SELECT id, call_id, account_id, account_id, workspace_id, item_id,
                 CASE read WHEN 'transcript' THEN 'transcription' ELSE 'read' END, read, ticket_id IS NOT NULL,
                 month, 100, 0, ticket_id
             FROM started ORDER BY place
         )
         INSERT INTO minute_journal (account_id, month, kind, job_id, month_amount)
         SELECT account_id, month, 'hold', id, 100 FROM started ORDER BY place",
    )
    .bind(starts.iter().map(|one| one.id).collect::<Vec<_>>())
    .bind(starts.iter().map(|one| one.call.uuid()).collect::<Vec<_>>())
    .bind(starts.iter().map(|one| one.account).collect::<Vec<_>>())
    .bind(starts.iter().map(|one| one.workspace).collect::<Vec<_>>())
    .bind(starts.iter().map(|one| one.item).collect::<Vec<_>>())
    .bind(starts.iter().map(|one| one.read.name()).collect::<Vec<_>>())
    .bind(starts.iter().map(|one| one.ticket.as_ref().map(|ticket| ticket.id.clone())).collect::<Vec<_>>())
    .execute(&mut *conn)
    .await?;
    let tickets: Vec<Ticket> = starts.iter().filter_map(|one| one.ticket.clone()).collect();
    queue::push(conn, &tickets).await
}

/// An account whose jobs have ended.
pub struct Ended<'a> {
    /// The account.
    pub account: &'a Account,
    /// The endpoint that their ends were delivered to.
    pub endpoint: EndpointId,
    /// The items that they read.
    pub items: &'a [ItemId],
}

/// Inserts jobs of these accounts that succeeded `days_ago` days ago, each with its claim, its stored read, its entries
/// of the journal, its event, and a delivery that arrived at the endpoint at the first attempt. The accounts' month of
/// that day must be open.
pub async fn ended(
    conn: &mut PgConnection,
    accounts: &[Ended<'_>],
    reads: &[Read],
    days_ago: i32,
) -> anyhow::Result<()> {
    let (mut jobs, mut endpoints, mut events) = (Vec::new(), Vec::new(), Vec::new());
    for Ended { account, endpoint, items } in accounts {
        for start in starts(&[(*account, *items)], reads) {
            let start = Start { id: JobId::from(dated_back(start.id.uuid(), days_ago)), ..start };
            events.push(EventId::of_job(start.id, EventType::JobSucceeded).to_string());
            endpoints.push(*endpoint);
            jobs.push(start);
        }
    }
    let deliveries: Vec<Uuid> = jobs.iter().map(|_| dated_back(DeliveryId::mint().uuid(), days_ago)).collect();
    sqlx::query(include_str!("seed_ended.sql"))
        .bind(jobs.iter().map(|one| one.id).collect::<Vec<_>>())
        .bind(jobs.iter().map(|one| dated_back(one.call.uuid(), days_ago)).collect::<Vec<_>>())
        .bind(jobs.iter().map(|one| one.account).collect::<Vec<_>>())
        .bind(jobs.iter().map(|one| one.workspace).collect::<Vec<_>>())
        .bind(jobs.iter().map(|one| one.item).collect::<Vec<_>>())
        .bind(jobs.iter().map(|one| one.read.name()).collect::<Vec<_>>())
        .bind(&events)
        .bind(&deliveries)
        .bind(&endpoints)
        .bind(days_ago)
        .bind(BODY)
        .execute(conn)
        .await?;
    Ok(())
}

/// Returns the same id, as if it had been minted `days_ago` days ago: the first 48 bits are milliseconds.
fn dated_back(id: Uuid, days_ago: i32) -> Uuid {
    let ms = u128::from(days_ago.unsigned_abs()) * 24 * 60 * 60 * 1_000;
    Uuid::from_u128(id.as_u128().saturating_sub(ms << 80))
}

/// Ends the queued jobs of these accounts, with their releases, as the service would: as failed with this error, or
/// else as cancelled. The service must not run on the database meanwhile.
pub async fn end(conn: &mut PgConnection, accounts: &[AccountId], error: Option<&str>) -> sqlx::Result<()> {
    sqlx::query(
        "WITH gone AS (
             UPDATE jobs SET status = CASE WHEN $2::text IS NULL THEN 'cancelled' ELSE 'failed' END, error_code = $2,
                 error_message = 'It failed: ' || $2, error_retryable = CASE WHEN $2::text IS NOT NULL THEN false END,
                 admitted = true, charged = 0, lease_until = NULL, finished_at = mws_now()
             WHERE payer_account_id = ANY ($1) AND finished_at IS NULL
             RETURNING id, payer_account_id, hold_month, held_month, held_bought, ticket_id
         ), freed AS (
             DELETE FROM job_reads WHERE job_id = ANY (ARRAY(SELECT id FROM gone))
         ), spent AS (
             DELETE FROM apalis.jobs WHERE id = ANY (ARRAY(SELECT ticket_id FROM gone))
         ), released AS (
             INSERT INTO minute_journal (account_id, month, kind, job_id, month_amount, bought_amount)
             SELECT payer_account_id, hold_month, 'release', id, held_month, held_bought FROM gone
         )
         INSERT INTO minute_unfolded (job_id, account_id, month, month_used, month_freed, bought_used, bought_freed)
         SELECT id, payer_account_id, hold_month, 0, held_month, 0, held_bought FROM gone",
    )
    .bind(accounts)
    .bind(error)
    .execute(conn)
    .await
    .map(drop)
}

/// Cancels the queued jobs of these accounts, and ends their pending deliveries. The service must not run on the
/// database meanwhile.
pub async fn clear(conn: &mut PgConnection, accounts: &[AccountId]) -> sqlx::Result<()> {
    end(conn, accounts, None).await?;
    sqlx::query(
        "UPDATE deliveries SET status = 'cancelled', lease_until = NULL, ticket_id = NULL, finished_at = mws_now()
         WHERE status = 'pending' AND finished_at IS NULL AND endpoint_id = ANY (ARRAY(
             SELECT id FROM webhook_endpoints WHERE account_id = ANY ($1)))",
    )
    .bind(accounts)
    .execute(&mut *conn)
    .await?;
    sqlx::query("DELETE FROM apalis.jobs WHERE job_type IN ('webhook:first', 'webhook:slow')")
        .execute(conn)
        .await
        .map(drop)
}
