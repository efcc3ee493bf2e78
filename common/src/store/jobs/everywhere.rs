//! Jobs of all accounts, as operators look through them (interface.md, "Operators").

use crate::domain::job::{JobKind, JobStatus};
use crate::domain::read::Read;
use crate::ids::{AccountId, ItemId, JobId, WorkspaceId};
use crate::store::{Seen, WINDOW};
use chrono::{DateTime, Utc};
use sqlx::PgConnection;
use uuid::Uuid;

/// Where to look. Each is an order of newest first that an index gives.
#[derive(Debug, Clone)]
pub enum Place {
    /// Everywhere.
    All,
    /// In these workspaces.
    Workspaces(Vec<WorkspaceId>),
    /// At this item.
    Item(ItemId),
}

/// Which of the jobs there are shown. What is none or empty passes everything.
#[derive(Debug, Clone, Default)]
pub struct Everywhere {
    /// In these statuses.
    pub statuses: Vec<JobStatus>,
    /// Of these kinds.
    pub kinds: Vec<JobKind>,
    /// Of these reads.
    pub reads: Vec<Read>,
    /// That ended with this error code.
    pub error_code: Option<String>,
    /// Created at or after.
    pub since: Option<DateTime<Utc>>,
    /// Created before.
    pub until: Option<DateTime<Utc>>,
}

impl Everywhere {
    fn is_open(&self) -> bool {
        self.statuses.is_empty()
            && self.kinds.is_empty()
            && self.reads.is_empty()
            && self.error_code.is_none()
            && self.since.is_none()
            && self.until.is_none()
    }
}

/// A job that was found: what else is shown of it is `by_ids`'s.
#[derive(Debug, Clone, Copy)]
pub struct Found {
    /// The job.
    pub job: JobId,
    /// Who pays.
    pub payer: AccountId,
    /// Whose workspace it acts in.
    pub owner: AccountId,
}

struct Row {
    job: Option<JobId>,
    payer: Option<AccountId>,
    owner: Option<AccountId>,
    looked_at: i64,
    last: Option<Uuid>,
    last_created: Option<DateTime<Utc>>,
}

/// The statement for one way of scanning; `$10` is that way's own.
macro_rules! look {
    ($scan:tt, $conn:expr, $filter:expr, $before:expr, $limit:expr, $window:expr $(, $own:expr)?) => {
        sqlx::query_as!(
            Row,
            "WITH seen AS (" + $scan + r#"), found AS (
                 SELECT id, payer_account_id, owner_account_id FROM seen
                 WHERE (cardinality($3::text[]) = 0 OR status = ANY ($3))
                     AND (cardinality($4::text[]) = 0 OR kind = ANY ($4))
                     AND (cardinality($5::text[]) = 0 OR read = ANY ($5))
                     AND ($6::text IS NULL OR error_code = $6)
                     AND ($7::timestamptz IS NULL OR created_at >= $7)
                     AND ($8::timestamptz IS NULL OR created_at < $8)
                 ORDER BY id DESC LIMIT $9
             )
             SELECT found.id AS "job?: JobId", found.payer_account_id AS "payer?: AccountId",
                 found.owner_account_id AS "owner?: AccountId", (SELECT count(*) FROM seen) AS "looked_at!",
                 edge.id AS "last?", edge.created_at AS "last_created?"
             FROM (VALUES (1)) AS one (row)
             LEFT JOIN found ON true
             LEFT JOIN (SELECT id, created_at FROM seen ORDER BY id LIMIT 1) AS edge ON true
             ORDER BY found.id DESC"#,
            $before as _,
            $window,
            &$filter.statuses.iter().map(|status| status.name().to_owned()).collect::<Vec<_>>(),
            &$filter.kinds.iter().map(|kind| kind.name().to_owned()).collect::<Vec<_>>(),
            &$filter.reads.iter().map(|read| read.name().to_owned()).collect::<Vec<_>>(),
            $filter.error_code,
            $filter.since,
            $filter.until,
            $limit
            $(, $own)?
        )
        .fetch_all($conn)
        .await?
    };
}

/// Up to `limit` jobs, newest first, older than `before`.
pub async fn everywhere(
    conn: &mut PgConnection,
    place: &Place,
    filter: &Everywhere,
    before: Option<JobId>,
    limit: i64,
) -> sqlx::Result<Seen<Found>> {
    let window = if filter.is_open() { limit } else { WINDOW };
    let rows = match place {
        Place::All => look!(
            "SELECT id, status, kind, read, error_code, created_at, payer_account_id, owner_account_id FROM jobs WHERE ($1::uuid IS NULL OR id < $1) ORDER BY id DESC LIMIT $2",
            conn,
            filter,
            before,
            limit,
            window
        ),
        Place::Workspaces(workspaces) => look!(
            "SELECT own.* FROM unnest($10::uuid[]) AS place (id) CROSS JOIN LATERAL (
                 SELECT id, status, kind, read, error_code, created_at, payer_account_id, owner_account_id FROM jobs
                 WHERE workspace_id = place.id AND ($1::uuid IS NULL OR id < $1)
                 ORDER BY id DESC LIMIT $2
             ) AS own ORDER BY own.id DESC LIMIT $2",
            conn,
            filter,
            before,
            limit,
            window,
            workspaces as &[WorkspaceId]
        ),
        Place::Item(item) => look!(
            "SELECT id, status, kind, read, error_code, created_at, payer_account_id, owner_account_id FROM jobs WHERE item_id = $10 AND ($1::uuid IS NULL OR id < $1) ORDER BY id DESC LIMIT $2",
            conn,
            filter,
            before,
            limit,
            window,
            item as _
        ),
    };
    let edge = rows.first().filter(|row| row.looked_at >= window);
    // Rows are minted in the order of time, so past one that is too old there is nothing.
    let beyond = edge.filter(|row| filter.since.is_none_or(|since| row.last_created.is_none_or(|last| last >= since)));
    let last_seen = beyond.and_then(|row| row.last);
    let found = |row: &Row| Some(Found { job: row.job?, payer: row.payer?, owner: row.owner? });
    Ok(Seen { rows: rows.iter().filter_map(found).collect(), last_seen })
}

/// What an ended job was to do, for whoever wants it done again.
#[derive(Debug, Clone)]
pub struct Origin {
    /// Where it stands.
    pub status: JobStatus,
    /// Its read; none for other work.
    pub read: Option<Read>,
    /// Its item.
    pub item: Option<ItemId>,
    /// Who paid.
    pub payer: AccountId,
    /// Whose workspace it acted in.
    pub owner: AccountId,
    /// That workspace.
    pub workspace: WorkspaceId,
    /// The sentence that was given with it.
    pub context: Option<String>,
}

/// The origin of a job.
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
