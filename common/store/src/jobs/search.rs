//! Searches jobs of all accounts, for operators (contract §11).
//!
//! Nothing is sorted or counted: each list of the scope is read in the order of its index, no further than a window. So
//! a page may have few matches, or none, and still not be the last.

use crate::{Seen, WINDOW};
use chrono::{DateTime, TimeDelta, Utc};
use domain::ids::{AccountId, ItemId, JobId, WorkspaceId};
use domain::job::{JobKind, JobStatus};
use domain::read::Read;
use sqlx::PgConnection;
use std::cmp::Reverse;
use std::ops::Range;
use uuid::Uuid;

/// Where to search. For each of these an index gives the order, newest first.
#[derive(Debug, Clone)]
pub enum SearchScope {
    /// All jobs; of those that failed the reads, and what else failed, have an index each.
    All,
    /// Jobs that act in these workspaces.
    Workspaces(Vec<WorkspaceId>),
    /// Jobs of this item.
    Item(ItemId),
}

/// Which jobs of the scope are shown; a field that is none or empty does not restrict them.
#[derive(Debug, Clone, Default)]
pub struct JobSearchFilter {
    /// Those with one of these statuses.
    pub statuses: Vec<JobStatus>,
    /// Those of one of these kinds.
    pub kinds: Vec<JobKind>,
    /// Those of one of these reads.
    pub reads: Vec<Read>,
    /// Those that ended with this error code.
    pub error_code: Option<String>,
    /// Those created at or after this.
    pub since: Option<DateTime<Utc>>,
    /// Those created before this.
    pub until: Option<DateTime<Utc>>,
}

impl JobSearchFilter {
    /// Whether everything in the scope's lists is shown. A workspace has one list for each kind and status, and jobs
    /// that failed have lists of their own among all.
    fn is_open(&self, place: &SearchScope) -> bool {
        let by_list = match place {
            SearchScope::Workspaces(_) => true,
            SearchScope::All if self.is_of_failed() => self.kinds.is_empty(),
            SearchScope::All | SearchScope::Item(_) => self.statuses.is_empty() && self.kinds.is_empty(),
        };
        by_list && self.reads.is_empty() && self.error_code.is_none() && self.since.is_none() && self.until.is_none()
    }

    /// The statuses that a match can have: a job with an error code has failed.
    fn statuses(&self) -> Vec<String> {
        let can_be = |status: &JobStatus| {
            is_among(status, &self.statuses) && (self.error_code.is_none() || *status == JobStatus::Failed)
        };
        JobStatus::ALL.into_iter().filter(can_be).map(|status| status.name().to_owned()).collect()
    }

    /// Whether only jobs that failed can match.
    fn is_of_failed(&self) -> bool {
        self.statuses() == [JobStatus::Failed.name()]
    }

    /// Whether jobs that compute a read can match.
    fn has_reads(&self) -> bool {
        self.kinds.is_empty() || self.kinds.iter().any(|kind| READS.contains(kind))
    }

    /// Whether jobs of other work than reads can match.
    fn has_others(&self) -> bool {
        self.reads.is_empty() && (self.kinds.is_empty() || self.kinds.iter().any(|kind| !READS.contains(kind)))
    }

    fn kinds(&self) -> Vec<String> {
        let kinds = JobKind::ALL.into_iter().filter(|kind| is_among(kind, &self.kinds));
        kinds.map(|kind| kind.name().to_owned()).collect()
    }
}

/// Whether `one` is among `asked`; everything is when `asked` is empty.
pub(super) fn is_among<T: PartialEq>(one: &T, asked: &[T]) -> bool {
    asked.is_empty() || asked.contains(one)
}

/// The kinds of jobs that compute a read; jobs of other kinds have none.
const READS: [JobKind; 2] = [JobKind::Transcription, JobKind::Read];

/// How far a host's clock may differ from the database's. `since` and `until` are compared with the latter's times.
const CLOCKS_DIFFER: TimeDelta = TimeDelta::minutes(10);

/// A job that was found; `by_ids` returns the rest of it.
#[derive(Debug, Clone, Copy)]
pub struct FoundJob {
    /// The job.
    pub job: JobId,
    /// The account that pays.
    pub payer: AccountId,
    /// The account that owns the workspace it acts in.
    pub owner: AccountId,
}

struct Row {
    job: Option<JobId>,
    payer: Option<AccountId>,
    owner: Option<AccountId>,
    last: Option<JobId>,
}

/// The statement for one scope. `$from` has the lists that the scope consists of, each in the order `$order` of an
/// index by the condition `$where`; `$11` and later are the scope's own parameters. Each list is searched no further
/// than a window, and only until the page is full. The page ends with the first window to end: older jobs of the other
/// lists are on the next page. A single list's edge is looked up only when the page is not full.
macro_rules! look {
    (
        $from:tt, $where:tt, $order:tt, $edge_if:tt,
        $conn:expr, $filter:expr, $ids:expr, $limit:expr, $window:expr $(, $own:expr)*
    ) => {
        sqlx::query_as!(
            Row,
            "WITH found AS MATERIALIZED (
                 SELECT own.* FROM " + $from + " CROSS JOIN LATERAL (
                     SELECT id, payer_account_id, owner_account_id FROM (
                         SELECT id, status, kind, read, error_code, created_at, payer_account_id, owner_account_id
                         FROM jobs WHERE " + $where + " ORDER BY " + $order + " LIMIT $3
                     ) AS seen
                     WHERE (cardinality($4::text[]) = 0 OR status = ANY ($4))
                         AND (cardinality($5::text[]) = 0 OR kind = ANY ($5))
                         AND (cardinality($6::text[]) = 0 OR read = ANY ($6))
                         AND ($7::text IS NULL OR error_code = $7)
                         AND ($8::timestamptz IS NULL OR created_at >= $8)
                         AND ($9::timestamptz IS NULL OR created_at < $9)
                     ORDER BY " + $order + " LIMIT $10
                 ) AS own
                 ORDER BY own.id DESC LIMIT $10
             ), edge AS (
                 SELECT last.id FROM " + $from + " CROSS JOIN LATERAL (
                     SELECT id FROM jobs WHERE " + $where + " ORDER BY " + $order + " OFFSET $3 - 1 LIMIT 1
                 ) AS last
                 WHERE " + $edge_if + r#" ORDER BY last.id DESC LIMIT 1
             )
             SELECT found.id AS "job?: JobId", found.payer_account_id AS "payer?: AccountId",
                 found.owner_account_id AS "owner?: AccountId", edge.id AS "last?: JobId"
             FROM (VALUES (1)) AS one (row)
             LEFT JOIN found ON true
             LEFT JOIN edge ON true
             ORDER BY found.id DESC"#,
            $ids.start,
            $ids.end,
            $window,
            &$filter.statuses.iter().map(|status| status.name().to_owned()).collect::<Vec<_>>(),
            &$filter.kinds.iter().map(|kind| kind.name().to_owned()).collect::<Vec<_>>(),
            &$filter.reads.iter().map(|read| read.name().to_owned()).collect::<Vec<_>>(),
            $filter.error_code,
            $filter.since,
            $filter.until,
            $limit
            $(, $own)*
        )
        .fetch_all($conn)
        .await?
    };
}

/// Returns up to `limit` jobs of the scope that match the filter, newest first and older than `before`.
pub async fn search(
    conn: &mut PgConnection,
    place: &SearchScope,
    filter: &JobSearchFilter,
    before: Option<JobId>,
    limit: i64,
) -> sqlx::Result<Seen<FoundJob>> {
    let ids = ids(before, filter);
    let window = if filter.is_open(place) { limit } else { WINDOW };
    let mut lists = Vec::new();
    match place {
        SearchScope::All if filter.is_of_failed() => lists = failed(&mut *conn, filter, &ids, limit, window).await?,
        SearchScope::All => lists.push(look!(
            "(VALUES (1)) AS place (number)",
            "id >= $1 AND id < $2",
            "id DESC",
            "(SELECT count(*) FROM found) < $10",
            &mut *conn,
            filter,
            ids,
            limit,
            window
        )),
        SearchScope::Workspaces(workspaces) => {
            // One by one, since the best plan depends on how many jobs a workspace has.
            for workspace in workspaces {
                lists.push(look!(
                    "unnest($12::text[]) AS kinds (kind) CROSS JOIN unnest($13::text[]) AS statuses (status)",
                    "workspace_id = $11 AND kind = kinds.kind AND status = statuses.status
                         AND listed_as = CASE WHEN statuses.status IN ('queued', 'running') THEN 'live' ELSE statuses.status END
                         AND uuid_send(id) >= uuid_send($1) AND uuid_send(id) < uuid_send($2)",
                    "uuid_send(id) DESC",
                    "true",
                    &mut *conn,
                    filter,
                    ids,
                    limit,
                    window,
                    workspace as _,
                    &filter.kinds(),
                    &filter.statuses()
                ));
            }
        }
        SearchScope::Item(item) => lists.push(look!(
            "(VALUES (1)) AS place (number)",
            "item_id = $11 AND id >= $1 AND id < $2",
            "id DESC",
            "(SELECT count(*) FROM found) < $10",
            &mut *conn,
            filter,
            ids,
            limit,
            window,
            item as _
        )),
    }
    let last_seen = lists.iter().filter_map(|rows: &Vec<Row>| rows.first()?.last).max();
    let found = |row: &Row| Some(FoundJob { job: row.job?, payer: row.payer?, owner: row.owner? });
    let mut rows: Vec<FoundJob> = lists.iter().flatten().filter_map(found).collect();
    rows.retain(|row| last_seen.is_none_or(|last| row.job >= last));
    rows.sort_unstable_by_key(|row| Reverse(row.job));
    rows.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    Ok(Seen { rows, last_seen: last_seen.map(JobId::uuid) })
}

/// The same for the lists of jobs that failed: of reads, and of other work. Each has a partial index, whose predicate
/// stands in the list's condition as it does there. One that can have no match is left out: its window would end the
/// page.
async fn failed(
    conn: &mut PgConnection,
    filter: &JobSearchFilter,
    ids: &Range<Uuid>,
    limit: i64,
    window: i64,
) -> sqlx::Result<Vec<Vec<Row>>> {
    let mut lists = Vec::new();
    if filter.has_reads() {
        lists.push(look!(
            "(VALUES (1)) AS place (number)",
            "listed_as = 'failed' AND read IS NOT NULL AND id >= $1 AND id < $2",
            "id DESC",
            "(SELECT count(*) FROM found) < $10",
            &mut *conn,
            filter,
            ids,
            limit,
            window
        ));
    }
    if filter.has_others() {
        lists.push(look!(
            "(VALUES (1)) AS place (number)",
            "listed_as = 'failed' AND read IS NULL AND id >= $1 AND id < $2",
            "id DESC",
            "(SELECT count(*) FROM found) < $10",
            &mut *conn,
            filter,
            ids,
            limit,
            window
        ));
    }
    Ok(lists)
}

/// Returns the range of ids that a page can have. Ids carry the time they were minted at, so that no job made before
/// `until` is above the range, and none made after `since` below it.
pub(super) fn ids(before: Option<JobId>, filter: &JobSearchFilter) -> Range<Uuid> {
    // The first 48 bits of an id are its milliseconds.
    let first = |at: DateTime<Utc>| u128::try_from(at.timestamp_millis()).ok().map(|ms| Uuid::from_u128(ms << 80));
    let since = filter.since.and_then(|since| since.checked_sub_signed(CLOCKS_DIFFER)).and_then(first);
    let until = filter.until.and_then(|until| until.checked_add_signed(CLOCKS_DIFFER)).and_then(first);
    let below = before.map(JobId::uuid).into_iter().chain(until).min();
    since.unwrap_or_default()..below.unwrap_or(Uuid::max())
}

/// What is needed to start the work of an ended job again.
#[derive(Debug, Clone)]
pub struct Origin {
    /// Its status.
    pub status: JobStatus,
    /// Its read; none for other work.
    pub read: Option<Read>,
    /// Its item; none when it has none.
    pub item: Option<ItemId>,
    /// The account that paid.
    pub payer: AccountId,
    /// The account that owns the workspace it acted in.
    pub owner: AccountId,
    /// The workspace it acted in.
    pub workspace: WorkspaceId,
    /// The sentence that its call gave as context; none without one.
    pub context: Option<String>,
}

/// Returns the origin of a job; none when there is no such job.
pub async fn origin(conn: &mut PgConnection, job: JobId) -> sqlx::Result<Option<Origin>> {
    sqlx::query_as!(
        Origin,
        r#"SELECT j.status AS "status: JobStatus", j.read AS "read: Read", j.item_id AS "item: ItemId",
               j.payer_account_id AS "payer: AccountId", j.owner_account_id AS "owner: AccountId",
               j.workspace_id AS "workspace: WorkspaceId", c.context AS "context?"
           FROM jobs j LEFT JOIN calls c ON c.id = j.call_id
           WHERE j.id = $1"#,
        job as _
    )
    .fetch_optional(conn)
    .await
}
