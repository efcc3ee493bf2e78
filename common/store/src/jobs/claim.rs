//! Claims: a worker takes jobs, gets what `claimed` tells of each, and holds them by their `leases`.
//!
//! `claim_no` is a claim's fence: each later write of the job names it, and changes nothing once another claim has a
//! higher one. Jobs that another transaction has locked are passed over, never waited for.

use super::claimed::{Claimed, ClaimedItem, ClaimedRender, Music, StoredSpeech};
use super::leases::interval;
use domain::ids::{AccountId, ItemId, JobId, WorkspaceId};
use domain::job::{JobKind, LEASE};
use domain::read::Read;
use domain::task::Task;
use serde_json::Value;
use sqlx::PgConnection;
use std::collections::BTreeSet;

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
    sha256: Option<Vec<u8>>,
    music_sha256: Option<Vec<u8>>,
    source_item_ids: Option<Vec<ItemId>>,
    other_ids: Option<Vec<ItemId>>,
    other_keys: Option<Vec<String>>,
    other_durations_ms: Option<Vec<i64>>,
    other_bytes: Option<Vec<i64>>,
    other_sha256s: Option<Vec<Option<Vec<u8>>>>,
}

impl ClaimedRow {
    fn render(&mut self) -> Option<ClaimedRender> {
        let music = self.music_item_id.map(|id| match self.music_object_key.take() {
            Some(object_key) => {
                let duration_ms = self.music_duration_ms.unwrap_or_default();
                let (bytes, sha256) = (self.music_bytes.unwrap_or_default(), self.music_sha256.take());
                Music::Here(ClaimedItem { id, object_key, duration_ms, bytes, sha256 })
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

    /// Returns the further items of a render; none when one of them was deleted.
    fn others(&mut self) -> Option<Vec<ClaimedItem>> {
        let facts = self.other_durations_ms.take().unwrap_or_default().into_iter();
        let bytes = self.other_bytes.take().unwrap_or_default().into_iter();
        let facts = facts.zip(bytes.zip(self.other_sha256s.take().unwrap_or_default()));
        let keys = self.other_keys.take().unwrap_or_default().into_iter().zip(facts);
        let here = self.other_ids.take().unwrap_or_default().into_iter().zip(keys);
        let here: Vec<ClaimedItem> = here
            .map(|(id, (object_key, (duration_ms, (bytes, sha256))))| ClaimedItem {
                id,
                object_key,
                duration_ms,
                bytes,
                sha256,
            })
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
                sha256: row.sha256,
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
