//! Jobs of the last hour by their task, in slots of five minutes, for the drawings beside what waits.

use sqlx::PgConnection;

/// How many slots there are, back from now.
pub const SLOTS: i32 = 12;
/// The minutes of a slot.
const SLOT_MINUTES: i32 = 5;
/// How many of the newest jobs, and of the newest ends, are looked at in each slot.
pub const LOOKED_AT_A_SLOT: i64 = 500;

/// The jobs of a task within a slot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskSlot {
    /// The task's name.
    pub task: String,
    /// How many slots ago it was: 0 is the one that ends now.
    pub ago: i32,
    /// The jobs that were started.
    pub started: i64,
    /// The jobs whose end is an event, and that ended.
    pub ended: i64,
}

/// Returns the last [`SLOTS`] slots of each task that has jobs in them, by task. Of each slot the newest
/// [`LOOKED_AT_A_SLOT`] jobs and ends are looked at, by an index.
pub async fn by_slot(conn: &mut PgConnection) -> sqlx::Result<Vec<TaskSlot>> {
    sqlx::query_as!(
        TaskSlot,
        r#"WITH slots AS (
               SELECT ago, mws_now() - make_interval(mins => (ago + 1) * $2::int) AS begins,
                   mws_now() - make_interval(mins => ago * $2) AS ends
               FROM generate_series(0, $1::int - 1) AS ago
           ), counted AS (
               SELECT slots.ago, coalesce(made.read, made.kind) AS task, true AS is_start
               FROM slots CROSS JOIN LATERAL (
                   SELECT read, kind FROM jobs
                   WHERE id >= mws_first_id(slots.begins) AND id < mws_first_id(slots.ends) ORDER BY id DESC LIMIT $3
               ) AS made
               UNION ALL
               SELECT slots.ago, coalesce(j.read, j.kind) AS task, false AS is_start
               FROM slots CROSS JOIN LATERAL (
                   SELECT job_id FROM events
                   WHERE created_at >= slots.begins AND created_at < slots.ends AND job_id IS NOT NULL
                   ORDER BY created_at DESC LIMIT $3
               ) AS newest
               JOIN jobs AS j ON j.id = newest.job_id
           )
           SELECT task AS "task!", ago AS "ago!", count(*) FILTER (WHERE is_start) AS "started!",
               count(*) FILTER (WHERE NOT is_start) AS "ended!"
           FROM counted GROUP BY task, ago ORDER BY task, ago DESC"#,
        SLOTS,
        SLOT_MINUTES,
        LOOKED_AT_A_SLOT
    )
    .fetch_all(conn)
    .await
}
