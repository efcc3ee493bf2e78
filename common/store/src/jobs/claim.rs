//! Claims: taking a job, renewing its lease, and finding jobs whose worker is gone.
//!
//! `claim_no` is a claim's fence: each later write of the job names it, and changes nothing once another claim has a
//! higher one. Jobs that another transaction has locked are passed over, never waited for.

use crate::items::StoredMedia;
use domain::ids::{AccountId, ItemId, JobId, WorkspaceId};
use domain::job::{JobKind, LEASE};
use domain::read::Read;
use domain::render::RenderPlan;
use domain::task::Task;
use serde_json::Value;
use sqlx::PgConnection;
use sqlx::postgres::types::PgInterval;
use std::collections::BTreeSet;
use std::time::Duration;

/// A job as its worker needs it.
#[derive(Debug, Clone)]
pub struct Claimed {
    /// The job.
    pub job: JobId,
    /// The fencing token of this claim.
    pub claim_no: i32,
    /// How many attempts failed before.
    pub failures: i16,
    /// What to do; none for a kind that this release does not run.
    pub task: Option<Task>,
    /// Its item, and where the media is stored; none when the item was deleted or there is none.
    pub item: Option<ClaimedItem>,
    /// What to render, for a render.
    pub render: Option<ClaimedRender>,
    /// All minutes that are held for it, in hundredths.
    pub held: i64,
    /// Whether this job also stores the speech read.
    pub owns_speech: bool,
    /// The item's stored speech, for a read that uses it; none when it is not stored.
    pub speech: Option<StoredSpeech>,
    /// The workspace that it acts in.
    pub workspace: WorkspaceId,
    /// The account that pays.
    pub payer: AccountId,
    /// The account that owns the workspace; a new item uses its storage.
    pub owner: AccountId,
    /// Seconds from when it was due until this claim.
    pub waited_seconds: f64,
}

impl Claimed {
    /// Whether an item that it needs was deleted: then there is nothing to do, and nothing to charge.
    pub fn is_orphaned(&self) -> bool {
        let lacks_some = |render: &ClaimedRender| matches!(render.music, Some(Music::Gone)) || render.others.is_none();
        let needs_none = self.item.is_none() && self.render.as_ref().is_some_and(ClaimedRender::needs_no_item);
        (self.item.is_none() && !needs_none) || self.render.as_ref().is_some_and(lacks_some)
    }
}

/// The item of a claimed job.
#[derive(Debug, Clone)]
pub struct ClaimedItem {
    /// Its id.
    pub id: ItemId,
    /// Its media's key in the media store.
    pub object_key: String,
    /// Its probed duration in milliseconds; 0 when it has none.
    pub duration_ms: i64,
    /// Its size in bytes.
    pub bytes: i64,
}

impl ClaimedItem {
    /// Returns the location of its bytes.
    pub fn media(&self) -> StoredMedia {
        StoredMedia { object_key: self.object_key.clone(), bytes: self.bytes }
    }
}

/// Where the result of a stored speech read is.
#[derive(Debug, Clone)]
pub enum StoredSpeech {
    /// In its row, as JSON text.
    Inline(String),
    /// In the media store, under this key.
    Object(String),
}

/// What a claimed job is to render.
#[derive(Debug, Clone)]
pub struct ClaimedRender {
    /// The plan as it is stored (`domain::render`).
    pub plan: Value,
    /// Its hash.
    pub hash: Vec<u8>,
    /// The new item's id.
    pub output: ItemId,
    /// The new item's name.
    pub name: String,
    /// The music that it needs; none when it needs none.
    pub music: Option<Music>,
    /// The further items that it needs; none when one of them was deleted.
    pub others: Option<Vec<ClaimedItem>>,
}

impl ClaimedRender {
    /// Whether its plan needs no item: a picture of words and shapes.
    fn needs_no_item(&self) -> bool {
        serde_json::from_value::<RenderPlan>(self.plan.clone()).is_ok_and(|plan| plan.source().is_none())
    }
}

/// The item that a render takes its music from.
#[derive(Debug, Clone)]
pub enum Music {
    /// It is there.
    Here(ClaimedItem),
    /// It was deleted.
    Gone,
}

/// The result of claiming jobs.
#[derive(Debug)]
pub struct ClaimAnswer {
    /// The jobs that the worker holds now.
    pub claimed: Vec<Claimed>,
    /// The accounts whose jobs gave up their places: other jobs of theirs may get them.
    pub freed: BTreeSet<AccountId>,
}

/// Claims those of these jobs that are queued, admitted and due: each gets a higher `claim_no`, a lease, and a row in
/// `job_claims`. A job that is not returned was taken, ended or deferred, or another transaction has locked it. A job
/// whose read an operator has paused, or whose payer is suspended, gives up its place instead, and is admitted again
/// once that is lifted. The caller's transaction has fetched `tickets`; they are deleted, except those of locked jobs,
/// which are due again in a second.
pub async fn claim(
    conn: &mut PgConnection,
    jobs: &[JobId],
    worker: &str,
    tickets: &[String],
) -> sqlx::Result<ClaimAnswer> {
    let rows =
        sqlx::query_file_as!(ClaimedRow, "src/jobs/claim.sql", jobs as &[JobId], worker, interval(LEASE), tickets)
            .fetch_all(conn)
            .await?;
    let (shelved, claimed): (Vec<ClaimedRow>, Vec<ClaimedRow>) = rows.into_iter().partition(|row| row.shelved);
    Ok(ClaimAnswer {
        claimed: claimed.into_iter().map(Claimed::from).collect(),
        freed: shelved.into_iter().map(|row| row.payer).collect(),
    })
}

struct ClaimedRow {
    shelved: bool,
    id: JobId,
    claim_no: i32,
    failures: i16,
    kind: JobKind,
    read: Option<Read>,
    held: i64,
    workspace_id: WorkspaceId,
    payer: AccountId,
    owner: AccountId,
    waited_seconds: f64,
    item_id: Option<ItemId>,
    object_key: Option<String>,
    duration_ms: Option<i64>,
    owns_speech: bool,
    speech_result: Option<String>,
    speech_object_key: Option<String>,
    plan: Option<Value>,
    hash: Option<Vec<u8>>,
    output_item_id: Option<ItemId>,
    output_name: Option<String>,
    music_item_id: Option<ItemId>,
    music_object_key: Option<String>,
    music_duration_ms: Option<i64>,
    bytes: Option<i64>,
    music_bytes: Option<i64>,
    source_item_ids: Option<Vec<ItemId>>,
    other_ids: Option<Vec<ItemId>>,
    other_keys: Option<Vec<String>>,
    other_durations_ms: Option<Vec<i64>>,
    other_bytes: Option<Vec<i64>>,
}

impl ClaimedRow {
    fn render(&mut self) -> Option<ClaimedRender> {
        let music = self.music_item_id.map(|id| match self.music_object_key.take() {
            Some(object_key) => {
                let duration_ms = self.music_duration_ms.unwrap_or_default();
                Music::Here(ClaimedItem { id, object_key, duration_ms, bytes: self.music_bytes.unwrap_or_default() })
            }
            None => Music::Gone,
        });
        let others = self.others();
        Some(ClaimedRender {
            others,
            plan: self.plan.take()?,
            hash: self.hash.take()?,
            output: self.output_item_id?,
            name: self.output_name.take()?,
            music,
        })
    }
}

impl ClaimedRow {
    /// Returns the further items of a render; none when one of them was deleted.
    fn others(&mut self) -> Option<Vec<ClaimedItem>> {
        let facts = self.other_durations_ms.take().unwrap_or_default().into_iter();
        let facts = facts.zip(self.other_bytes.take().unwrap_or_default());
        let keys = self.other_keys.take().unwrap_or_default().into_iter().zip(facts);
        let here = self.other_ids.take().unwrap_or_default().into_iter().zip(keys);
        let here: Vec<ClaimedItem> = here
            .map(|(id, (object_key, (duration_ms, bytes)))| ClaimedItem { id, object_key, duration_ms, bytes })
            .collect();
        (here.len() == self.source_item_ids.as_ref().map_or(0, Vec::len)).then_some(here)
    }
}

impl From<ClaimedRow> for Claimed {
    fn from(mut row: ClaimedRow) -> Self {
        Self {
            render: row.render(),
            job: row.id,
            claim_no: row.claim_no,
            failures: row.failures,
            task: Task::of(row.kind, row.read),
            item: row.item_id.zip(row.object_key).map(|(id, object_key)| ClaimedItem {
                id,
                object_key,
                duration_ms: row.duration_ms.unwrap_or_default(),
                bytes: row.bytes.unwrap_or_default(),
            }),
            held: row.held,
            owns_speech: row.owns_speech,
            speech: row.speech_result.map(StoredSpeech::Inline).or(row.speech_object_key.map(StoredSpeech::Object)),
            workspace: row.workspace_id,
            payer: row.payer,
            owner: row.owner,
            waited_seconds: row.waited_seconds,
        }
    }
}

/// A waiting job, and the account that pays for it.
#[derive(Debug, Clone, Copy)]
pub struct WaitingJob {
    /// The job.
    pub job: JobId,
    /// The account that pays.
    pub payer: AccountId,
}

/// Returns admitted jobs that have waited for a slot for two seconds, the longest due first: of these tasks, at most
/// one per account, and none of the accounts in `but`. Only the 2,000 longest due jobs are looked at.
pub async fn waiting_for_slots(
    conn: &mut PgConnection,
    tasks: &[Task],
    but: &[AccountId],
    most: i64,
) -> sqlx::Result<Vec<WaitingJob>> {
    sqlx::query_as!(
        WaitingJob,
        r#"SELECT id AS "job!: JobId", payer_account_id AS "payer!: AccountId" FROM (
               SELECT DISTINCT ON (payer_account_id) id, due_at, payer_account_id
               FROM (SELECT id, due_at, payer_account_id, kind, read FROM jobs
                     WHERE status = 'queued' AND admitted AND finished_at IS NULL
                         AND due_at <= mws_now() - interval '2 seconds'
                     ORDER BY due_at LIMIT 2000) AS due
               WHERE payer_account_id <> ALL ($1) AND coalesce(read, kind) = ANY ($2)
                   AND NOT EXISTS (SELECT FROM read_kinds k WHERE k.read = due.read AND k.paused_at IS NOT NULL)
               ORDER BY payer_account_id, due_at
           ) AS first
           ORDER BY due_at LIMIT $3"#,
        but as &[AccountId],
        &tasks.iter().map(|task| task.name().to_owned()).collect::<Vec<_>>(),
        most
    )
    .fetch_all(conn)
    .await
}

/// A claim that a worker holds, and its progress.
#[derive(Debug, Clone, Copy)]
pub struct HeldClaim {
    /// The job.
    pub job: JobId,
    /// The claim's number.
    pub claim_no: i32,
    /// The progress in percent.
    pub progress: i16,
}

/// A running job whose lease has ended.
#[derive(Debug, Clone, Copy)]
pub struct LostClaim {
    /// The job.
    pub job: JobId,
    /// The claim's number.
    pub claim_no: i32,
    /// Its item; none when it has none.
    pub item: Option<ItemId>,
    /// How often its lease was lost before.
    pub losses: i16,
}

/// A claim that its worker still holds.
#[derive(Debug, Clone, Copy)]
pub struct Renewed {
    /// The job.
    pub job: JobId,
    /// Whether the job was asked to stop.
    pub cancel_requested: bool,
}

/// Renews the leases of these claims, and stores their progress. A claim that is not returned is lost: its worker must
/// stop at once and write nothing.
pub async fn renew(conn: &mut PgConnection, claims: &[HeldClaim]) -> sqlx::Result<Vec<Renewed>> {
    let rows = sqlx::query!(
        r#"WITH held AS (
               SELECT j.id, c.progress FROM unnest($1::uuid[], $2::int[], $3::smallint[]) AS c (id, claim_no, progress)
               JOIN jobs j ON j.id = c.id AND j.claim_no = c.claim_no AND j.status = 'running'
               ORDER BY j.id FOR UPDATE OF j
           )
           UPDATE jobs j SET lease_until = mws_now() + $4, progress = greatest(j.progress, held.progress)
           FROM held WHERE j.id = held.id
           RETURNING j.id AS "id: JobId", j.cancel_requested"#,
        &claims.iter().map(|claim| claim.job.uuid()).collect::<Vec<_>>(),
        &claims.iter().map(|claim| claim.claim_no).collect::<Vec<_>>(),
        &claims.iter().map(|claim| claim.progress).collect::<Vec<_>>(),
        interval(LEASE)
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|row| Renewed { job: row.id, cancel_requested: row.cancel_requested }).collect())
}

/// Returns running jobs whose lease has ended, or only `only`, in the order of their ids, and locks them for the
/// caller's transaction. They are found by their open claims.
pub async fn lock_expired(conn: &mut PgConnection, only: Option<JobId>, limit: i64) -> sqlx::Result<Vec<LostClaim>> {
    sqlx::query_as!(
        LostClaim,
        r#"SELECT j.id AS "job!: JobId", j.claim_no AS "claim_no!", j.item_id AS "item: ItemId", j.losses AS "losses!"
           FROM (SELECT job_id, claim_no FROM job_claims
                 WHERE ended_at IS NULL AND ($2::uuid IS NULL OR job_id = $2) ORDER BY job_id) AS open
           CROSS JOIN LATERAL (
               SELECT id, claim_no, item_id, losses FROM jobs
               WHERE id = open.job_id AND claim_no = open.claim_no AND status = 'running' AND lease_until <= mws_now()
               LIMIT 1 FOR UPDATE SKIP LOCKED
           ) AS j
           LIMIT $1"#,
        limit,
        only.map(JobId::uuid)
    )
    .fetch_all(conn)
    .await
}

/// Returns a duration as PostgreSQL's interval.
pub(super) fn interval(duration: Duration) -> PgInterval {
    let microseconds = i64::try_from(duration.as_micros()).unwrap_or(i64::MAX);
    PgInterval { months: 0, days: 0, microseconds }
}
