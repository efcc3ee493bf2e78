//! Claims: taking a job, keeping it, and finding those whose holder is gone.

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
    /// Attempts that failed before.
    pub failures: i16,
    /// What to do; nothing for a kind that is not run here.
    pub task: Option<Task>,
    /// The item, and where its media stands; nothing when it was deleted.
    pub item: Option<ClaimedItem>,
    /// What to render of it, for a render.
    pub render: Option<ClaimedRender>,
    /// All that is held for it, in hundredths of a minute.
    pub held: i64,
    /// Whether the speech read is this job's to store too.
    pub owns_speech: bool,
    /// The item's speech, for a read that listens to it, where it is stored already.
    pub speech: Option<StoredSpeech>,
    /// The workspace it acts in.
    pub workspace: WorkspaceId,
    /// Who pays.
    pub payer: AccountId,
    /// Whose workspace it is, and whose storage a new item takes.
    pub owner: AccountId,
    /// Seconds from when it was due until this claim.
    pub waited_seconds: f64,
}

impl Claimed {
    /// Whether an item that it is about was deleted: nothing to do, and nothing to charge.
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
    /// Its media's key in the store.
    pub object_key: String,
    /// Its duration as probed.
    pub duration_ms: i64,
    /// How many bytes it has.
    pub bytes: i64,
}

impl ClaimedItem {
    /// Where its bytes are.
    pub fn media(&self) -> StoredMedia {
        StoredMedia { object_key: self.object_key.clone(), bytes: self.bytes }
    }
}

/// Where the result of a stored speech read stands.
#[derive(Debug, Clone)]
pub enum StoredSpeech {
    /// Here, as JSON text.
    Inline(String),
    /// In the media store, under this key.
    Object(String),
}

/// What a claimed render is to make.
#[derive(Debug, Clone)]
pub struct ClaimedRender {
    /// The plan as it is kept (`domain::render`).
    pub plan: Value,
    /// Its hash.
    pub hash: Vec<u8>,
    /// The new item's id.
    pub output: ItemId,
    /// What the new item is called.
    pub name: String,
    /// What it needs beside the job's item; nothing when it needs nothing.
    pub music: Option<Music>,
    /// What else it needs; nothing when one of those was deleted.
    pub others: Option<Vec<ClaimedItem>>,
}

impl ClaimedRender {
    /// Whether its plan is of no item: a picture of words and shapes.
    fn needs_no_item(&self) -> bool {
        serde_json::from_value::<RenderPlan>(self.plan.clone()).is_ok_and(|plan| plan.source().is_none())
    }
}

/// The second item of a render.
#[derive(Debug, Clone)]
pub enum Music {
    /// It is there.
    Here(ClaimedItem),
    /// It was deleted.
    Gone,
}

/// What a claim has come to.
#[derive(Debug)]
pub struct ClaimAnswer {
    /// The jobs that are the worker's now.
    pub claimed: Vec<Claimed>,
    /// Whose jobs gave up their places: others of theirs may have them.
    pub freed: BTreeSet<AccountId>,
}

/// Claims those of these jobs that are queued, admitted and due: each gets a higher `claim_no`, a lease, and a row of
/// its own in `job_claims`. A job that is not in the answer was taken, ended or put off, or another is just writing it.
/// One whose read an operator has paused, or whose payer is suspended, gives up its place instead, and is admitted
/// again once that is resumed. `tickets`, which the caller's transaction has picked, are spent, but for those of jobs
/// that another is just writing: they are due again in a second.
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
    /// The further items of a render; nothing when one was deleted.
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

/// A job that waits, and who pays for it.
#[derive(Debug, Clone, Copy)]
pub struct Waiting {
    /// The job.
    pub job: JobId,
    /// Who pays.
    pub payer: AccountId,
}

/// Jobs that have waited for a slot for two seconds although they have a place: of these tasks, of accounts other than
/// these, and one an account. Those that came due first come first, of the first 2,000.
pub async fn waiting_for_slots(
    conn: &mut PgConnection,
    tasks: &[Task],
    but: &[AccountId],
    most: i64,
) -> sqlx::Result<Vec<Waiting>> {
    sqlx::query_as!(
        Waiting,
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

/// A claim that a worker has, and how far its work is.
#[derive(Debug, Clone, Copy)]
pub struct HeldClaim {
    /// The job.
    pub job: JobId,
    /// The claim's number.
    pub claim_no: i32,
    /// In hundredths.
    pub progress: i16,
}

/// A running job whose lease has ended.
#[derive(Debug, Clone, Copy)]
pub struct LostClaim {
    /// The job.
    pub job: JobId,
    /// The claim's number.
    pub claim_no: i32,
    /// Its item.
    pub item: Option<ItemId>,
    /// How often it was lost before.
    pub losses: i16,
}

/// A claim that is still this worker's.
#[derive(Debug, Clone, Copy)]
pub struct Renewed {
    /// The job.
    pub job: JobId,
    /// Whether it was asked to stop.
    pub cancel_requested: bool,
}

/// Renews the leases of these claims, and notes their progress. A claim that is not in the answer is lost: its worker
/// must stop at once and write nothing.
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

/// Running jobs whose lease ended, or one of them, in the order of their ids and locked for the caller's transaction.
/// They are found by their open claims.
pub async fn expired(conn: &mut PgConnection, only: Option<JobId>, limit: i64) -> sqlx::Result<Vec<LostClaim>> {
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

/// A duration as Postgres takes it.
pub(super) fn interval(duration: Duration) -> PgInterval {
    let microseconds = i64::try_from(duration.as_micros()).unwrap_or(i64::MAX);
    PgInterval { months: 0, days: 0, microseconds }
}
