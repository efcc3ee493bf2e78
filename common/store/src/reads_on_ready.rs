//! Reads that are requested with an upload or an import, and start once its item is ready (contract §4.6).
//!
//! A trigger of `items` makes a row due when its item is ready. Whoever starts its reads first moves its due time on by
//! half a minute, so that another follows one that is killed. Starting them twice does no harm, since a read of an item
//! has one live job. Storing the answer ends the row. Accounts take turns, and an account that has to wait waits with
//! all of its rows.

use crate::credentials::CallerIdentity;
use domain::ids::{AccountId, ItemId, KeyId, UserId, WorkspaceId};
use domain::read::Read;
use serde_json::Value;
use sqlx::PgConnection;
use std::time::Duration;
use uuid::Uuid;

/// Reads to start later, and the caller who asks for them.
#[derive(Debug)]
pub struct NewReads<'a> {
    /// The item.
    pub item: ItemId,
    /// The reads, each once.
    pub reads: &'a [Read],
    /// The caller who asks: their account pays.
    pub by: CallerIdentity,
    /// The tool that they called.
    pub tool: &'a str,
    /// The id of the request that asked.
    pub request_id: &'a str,
    /// The trace that it belongs to.
    pub traceparent: Option<&'a str>,
}

/// Stores which reads to start once the item is ready.
pub async fn add(conn: &mut PgConnection, new: &NewReads<'_>) -> sqlx::Result<()> {
    sqlx::query!(
        "INSERT INTO reads_on_ready (item_id, reads, payer_account_id, owner_account_id, workspace_id, key_id, user_id,
             tool, request_id, traceparent)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
        new.item as ItemId,
        &new.reads.iter().map(|read| read.name().to_owned()).collect::<Vec<_>>(),
        new.by.account_id as AccountId,
        new.by.workspace_account_id as AccountId,
        new.by.workspace_id as WorkspaceId,
        new.by.key_id as Option<KeyId>,
        new.by.user_id as Option<UserId>,
        new.tool,
        new.request_id,
        new.traceparent,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Reads to start now, since their item is ready.
#[derive(Debug)]
pub struct DueReads {
    /// The item.
    pub item: ItemId,
    /// The reads.
    pub reads: Vec<Read>,
    /// The caller who asked.
    pub by: CallerIdentity,
    /// The tool that they called.
    pub tool: String,
    /// The id of the request that asked.
    pub request_id: String,
    /// The trace that it belongs to.
    pub traceparent: Option<String>,
}

/// Takes the reads of one item for half a minute: of the next account after `after` that has due reads and is not in
/// `passed_over`, those due longest. Returns none when there are none.
///
/// Each account is found from the one before it by an index, however much is due of those that are passed over. An
/// account whose due rows are all locked by others keeps no account behind it waiting.
pub async fn take(conn: &mut PgConnection, after: Uuid, passed_over: &[AccountId]) -> sqlx::Result<Option<DueReads>> {
    let row = sqlx::query!(
        r#"WITH RECURSIVE payer AS (
               SELECT (
                   SELECT payer_account_id FROM reads_on_ready
                   WHERE payer_account_id > $1 AND due_at <= mws_now() ORDER BY payer_account_id LIMIT 1
               ) AS id
               UNION ALL
               SELECT (
                   SELECT payer_account_id FROM reads_on_ready
                   WHERE payer_account_id > payer.id AND due_at <= mws_now() ORDER BY payer_account_id LIMIT 1
               )
               FROM payer WHERE payer.id IS NOT NULL
           )
           UPDATE reads_on_ready SET due_at = mws_now() + interval '30 seconds'
           WHERE item_id = (
               SELECT longest.item_id FROM payer
               CROSS JOIN LATERAL (
                   SELECT due.item_id FROM reads_on_ready AS due
                   WHERE due.payer_account_id = payer.id AND due.due_at <= mws_now()
                   ORDER BY due.due_at LIMIT 1 FOR UPDATE SKIP LOCKED
               ) AS longest
               WHERE payer.id <> ALL ($2) LIMIT 1
           )
           RETURNING item_id AS "item: ItemId", reads, payer_account_id AS "payer: AccountId",
               owner_account_id AS "owner: AccountId", workspace_id AS "workspace: WorkspaceId",
               key_id AS "key: KeyId", user_id AS "user: UserId", tool, request_id, traceparent"#,
        after,
        passed_over as &[AccountId],
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|row| DueReads {
        item: row.item,
        reads: row.reads.iter().filter_map(|name| Read::from_name(name)).collect(),
        by: CallerIdentity {
            account_id: row.payer,
            workspace_id: row.workspace,
            workspace_account_id: row.owner,
            key_id: row.key,
            user_id: row.user,
        },
        tool: row.tool,
        request_id: row.request_id,
        traceparent: row.traceparent,
    }))
}

/// Defers these reads by `wait`, with all others of the account that would be due by then: this item first, then ten
/// items a second, and whatever is left after a minute all together.
pub async fn defer(conn: &mut PgConnection, item: ItemId, payer: AccountId, wait: Duration) -> sqlx::Result<()> {
    sqlx::query!(
        "WITH due AS (
             SELECT item_id, due_at FROM reads_on_ready
             WHERE payer_account_id = $2 AND answer IS NULL
                 AND (item_id = $1 OR due_at <= mws_now() + make_interval(secs => $3))
             FOR UPDATE SKIP LOCKED
         ), placed AS (
             SELECT item_id, row_number() OVER (ORDER BY item_id <> $1, due_at) - 1 AS place FROM due
         )
         UPDATE reads_on_ready AS later
         SET due_at = mws_now() + make_interval(secs => $3 + least(place * 0.1, 60)::double precision)
         FROM placed WHERE later.item_id = placed.item_id",
        item as ItemId,
        payer as AccountId,
        wait.as_secs_f64(),
    )
    .execute(conn)
    .await
    .map(drop)
}

/// Stores the answer to the call that started the reads, which ends them. A second answer is ignored.
pub async fn keep_answer(conn: &mut PgConnection, item: ItemId, answer: &Value) -> sqlx::Result<()> {
    sqlx::query!(
        "UPDATE reads_on_ready SET due_at = NULL, answer = $2 WHERE item_id = $1 AND answer IS NULL",
        item as ItemId,
        answer,
    )
    .execute(conn)
    .await
    .map(drop)
}
