//! Projects: what an agent works on, and every change of its status (contract §2, "Project"; §3).
//!
//! A change is one conditional update that names the statuses it may leave and raises `revision`. The caller writes the
//! change's webhook (`project_webhooks`) in the same transaction.

mod change;
mod removal;

pub use change::{AgentWork, ProjectChange, change};
pub use removal::{lock_in, prune, remove};

use chrono::{DateTime, Utc};
use domain::credits::Credits;
use domain::ids::{AccountId, ItemId, KeyId, ProjectId, TimelineId, UserId, WorkspaceId};
use domain::minutes::Minutes;
use domain::project::{OutputType, ProjectMode, ProjectStatus};
use serde_json::Value;
use sqlx::PgConnection;

/// A project (contract §2, "Project").
#[derive(Debug, Clone)]
pub struct ProjectRow {
    /// Its id.
    pub id: ProjectId,
    /// The workspace that it is in.
    pub workspace_id: WorkspaceId,
    /// The account that owns the workspace; its secret signs the webhooks.
    pub account_id: AccountId,
    /// Its status.
    pub status: ProjectStatus,
    /// How often its status changed, with its creation as the first.
    pub revision: i64,
    /// How it is worked on.
    pub mode: String,
    /// The type of output that is wanted.
    pub output_type: String,
    /// The brief, in its author's words.
    pub brief: String,
    /// The agent's last message.
    pub agent_message: Option<String>,
    /// The URL of the result.
    pub assembled_url: Option<String>,
    /// When that URL expires.
    pub assembled_url_expires_at: Option<DateTime<Utc>>,
    /// The assets made for it, a JSON list.
    pub assets: Value,
    /// How the assets are assembled, a JSON object.
    pub timeline: Option<Value>,
    /// The URL that its webhooks go to; none when there are none, or whoever set it has no access any more.
    pub webhook_url: Option<String>,
    /// The agent's budget, a `domain::agent::Budget`.
    pub budget: Option<Value>,
    /// The name of the planner that works on it.
    pub planner: Option<String>,
    /// The timeline that the agent made; none when it is deleted or not made yet.
    pub timeline_id: Option<TimelineId>,
    /// The item that the agent made as its result; none when it is deleted or not made yet.
    pub output_item_id: Option<ItemId>,
    /// The minutes that the agent used, charged or held.
    pub spent_minutes: Minutes,
    /// The AI credits that the agent used, charged or held.
    pub spent_credits: Credits,
    /// How many steps the agent took.
    pub spent_steps: i32,
    /// The database's time, for links.
    pub now: DateTime<Utc>,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When it was last changed.
    pub updated_at: DateTime<Utc>,
}

/// A project to create.
#[derive(Debug, Clone)]
pub struct NewProject {
    /// Its id.
    pub id: ProjectId,
    /// The workspace that it is in.
    pub workspace_id: WorkspaceId,
    /// The account that owns the workspace.
    pub account_id: AccountId,
    /// How it is worked on.
    pub mode: ProjectMode,
    /// The type of output that is wanted.
    pub output_type: OutputType,
    /// The brief.
    pub brief: String,
    /// The URL that its webhooks go to, which the caller has checked.
    pub webhook_url: Option<String>,
    /// The user who creates it, and so sets that URL; none for a key.
    pub user_id: Option<UserId>,
    /// The key that creates it, or the key behind the session.
    pub key_id: Option<KeyId>,
    /// The agent's budget.
    pub budget: Option<Value>,
    /// The name of the planner that works on it.
    pub planner: Option<String>,
}

/// Creates a project in the first status of its mode, at revision 1. Returns its row.
pub async fn insert(conn: &mut PgConnection, new: &NewProject) -> sqlx::Result<ProjectRow> {
    sqlx::query_as!(
        ProjectRow,
        r#"INSERT INTO projects (id, workspace_id, account_id, status, mode, output_type, brief, webhook_url,
               budget, planner, webhook_user_id, webhook_key_id)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
           RETURNING id AS "id: ProjectId", workspace_id AS "workspace_id: WorkspaceId",
               account_id AS "account_id: AccountId", status AS "status: ProjectStatus", revision, mode, output_type,
               brief, agent_message, assembled_url, assembled_url_expires_at, assets, timeline, webhook_url, budget,
               planner, timeline_id AS "timeline_id: TimelineId", output_item_id AS "output_item_id: ItemId",
               spent_minutes AS "spent_minutes: Minutes", spent_credits AS "spent_credits: Credits", spent_steps,
               mws_now() AS "now!", created_at, updated_at"#,
        new.id as _,
        new.workspace_id as _,
        new.account_id as _,
        ProjectStatus::first(new.mode).name(),
        new.mode.name(),
        new.output_type.name(),
        new.brief,
        new.webhook_url,
        new.budget,
        new.planner,
        new.user_id as _,
        new.key_id as _
    )
    .fetch_one(conn)
    .await
}

/// Returns a project of any workspace; none when there is no such project. The caller checks who may see it.
pub async fn find(conn: &mut PgConnection, id: ProjectId) -> sqlx::Result<Option<ProjectRow>> {
    sqlx::query_as!(
        ProjectRow,
        r#"SELECT id AS "id: ProjectId", workspace_id AS "workspace_id: WorkspaceId",
               account_id AS "account_id: AccountId", status AS "status: ProjectStatus", revision, mode, output_type,
               brief, agent_message, assembled_url, assembled_url_expires_at, assets, timeline,
               CASE WHEN mws_link_maker_holds(webhook_user_id, webhook_key_id, workspace_id) THEN webhook_url END
                   AS webhook_url,
               budget, planner,
               (SELECT d.id FROM documents d WHERE d.id = timeline_id AND d.kind = 'timeline')
                   AS "timeline_id: TimelineId",
               (SELECT i.id FROM items i WHERE i.id = output_item_id AND i.deleted_at IS NULL)
                   AS "output_item_id: ItemId",
               spent_minutes AS "spent_minutes: Minutes", spent_credits AS "spent_credits: Credits", spent_steps,
               mws_now() AS "now!", created_at, updated_at
           FROM projects WHERE id = $1"#,
        id as _
    )
    .fetch_optional(conn)
    .await
}

/// A project as lists show it.
#[derive(Debug, Clone)]
pub struct ListedRow {
    /// Its id.
    pub id: ProjectId,
    /// Its status.
    pub status: ProjectStatus,
    /// How often its status changed, with its creation as the first.
    pub revision: i64,
    /// The start of the brief, at most 200 characters.
    pub brief: String,
    /// The start of the agent's last message, at most 200 characters.
    pub agent_message: Option<String>,
    /// The URL of the result.
    pub assembled_url: Option<String>,
    /// When that URL expires.
    pub assembled_url_expires_at: Option<DateTime<Utc>>,
    /// The item that the agent made as its result; none when it is deleted or not made yet.
    pub output_item_id: Option<ItemId>,
    /// The database's time, for links.
    pub now: DateTime<Utc>,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When it was last changed.
    pub updated_at: DateTime<Utc>,
}

/// Returns up to `limit` projects of the workspace, newest first, that are older than `after`. Long texts are cut,
/// since a list needs no more.
pub async fn list(
    conn: &mut PgConnection,
    workspace: WorkspaceId,
    after: Option<ProjectId>,
    limit: i64,
) -> sqlx::Result<Vec<ListedRow>> {
    sqlx::query_as!(
        ListedRow,
        r#"SELECT id AS "id: ProjectId", status AS "status: ProjectStatus", revision, left(brief, 200) AS "brief!",
               left(agent_message, 200) AS agent_message, assembled_url, assembled_url_expires_at,
               (SELECT i.id FROM items i WHERE i.id = output_item_id AND i.deleted_at IS NULL)
                   AS "output_item_id: ItemId",
               mws_now() AS "now!", created_at, updated_at
           FROM projects
           WHERE workspace_id = $1 AND ($2::uuid IS NULL OR id < $2)
           ORDER BY id DESC
           LIMIT $3"#,
        workspace as _,
        after as _,
        limit
    )
    .fetch_all(conn)
    .await
}

/// Sets the URL that a project's webhooks go to, and the user or the key that set it; none means no webhooks. It is no
/// change of status: no webhook is sent, and the revision stays.
pub async fn set_webhook_url(
    conn: &mut PgConnection,
    id: ProjectId,
    url: Option<&str>,
    user: Option<UserId>,
    key: Option<KeyId>,
) -> sqlx::Result<()> {
    sqlx::query!(
        "UPDATE projects SET webhook_url = $2, webhook_user_id = $3, webhook_key_id = $4, updated_at = mws_now()
         WHERE id = $1",
        id as _,
        url,
        user as _,
        key as _
    )
    .execute(conn)
    .await
    .map(drop)
}

/// Locks a project, so that its run and its status change together. Returns false when there is no such project.
pub async fn lock(conn: &mut PgConnection, id: ProjectId) -> sqlx::Result<bool> {
    let found = sqlx::query_scalar!(r#"SELECT 1 AS "one!" FROM projects WHERE id = $1 FOR NO KEY UPDATE"#, id as _);
    Ok(found.fetch_optional(conn).await?.is_some())
}

/// Sets the budget of a project's agent.
pub async fn set_budget(conn: &mut PgConnection, id: ProjectId, budget: &Value) -> sqlx::Result<()> {
    sqlx::query!("UPDATE projects SET budget = $2 WHERE id = $1", id as _, budget).execute(conn).await.map(drop)
}

/// Sets which planner works on a project from now on.
pub async fn set_planner(conn: &mut PgConnection, id: ProjectId, planner: &str) -> sqlx::Result<()> {
    sqlx::query!("UPDATE projects SET planner = $2 WHERE id = $1", id as _, planner).execute(conn).await.map(drop)
}

/// Returns the time of the transaction, which everything it writes has.
pub async fn now(conn: &mut PgConnection) -> sqlx::Result<DateTime<Utc>> {
    sqlx::query_scalar!(r#"SELECT mws_now() AS "now!""#).fetch_one(conn).await
}
