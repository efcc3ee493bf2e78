//! Facts about the database itself, for the start of a process and for `mws doctor`. No customer's data is read here.

use chrono::{DateTime, Utc};
use serde_json::Value;
use sqlx::PgConnection;

/// Returns the server's version, such as `15.8`.
pub async fn server_version(conn: &mut PgConnection) -> sqlx::Result<String> {
    let row = sqlx::query!(r#"SELECT current_setting('server_version') AS "version!""#).fetch_one(conn).await?;
    Ok(row.version.split(' ').next().unwrap_or_default().to_owned())
}

/// Returns the number of the newest migration that was applied; 0 when none was.
pub async fn schema_version(conn: &mut PgConnection) -> sqlx::Result<i64> {
    // Not checked at compile time: the database of those checks is built without sqlx's own table.
    sqlx::query_scalar("SELECT coalesce(max(version), 0) FROM _sqlx_migrations WHERE success").fetch_one(conn).await
}

/// Returns which of these extensions are missing.
pub async fn missing_extensions(conn: &mut PgConnection, needed: &[String]) -> sqlx::Result<Vec<String>> {
    sqlx::query_scalar!(
        r#"SELECT needed AS "needed!" FROM unnest($1::text[]) AS needed
           WHERE NOT EXISTS (SELECT FROM pg_extension WHERE extname = needed)"#,
        needed
    )
    .fetch_all(conn)
    .await
}

/// Returns whether tickets of webhooks are fetched by our function `apalis.get_jobs`, and not by the queue's own. An
/// upgrade of the queue's migrations would put that back.
pub async fn has_our_queue_function(conn: &mut PgConnection) -> sqlx::Result<bool> {
    let row = sqlx::query!(
        r#"SELECT EXISTS (
               SELECT FROM pg_proc JOIN pg_namespace ON pg_namespace.oid = pronamespace
               JOIN pg_language ON pg_language.oid = prolang
               WHERE nspname = 'apalis' AND proname = 'get_jobs' AND lanname = 'plpgsql'
                   AND prosrc LIKE '%string_to_array(v_job_type%'
           ) AS "ours!""#
    )
    .fetch_one(conn)
    .await?;
    Ok(row.ours)
}

/// Returns the database's clock, in milliseconds since 1970.
pub async fn clock_ms(conn: &mut PgConnection) -> sqlx::Result<i64> {
    let row = sqlx::query!(r#"SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS "ms!""#)
        .fetch_one(conn)
        .await?;
    Ok(row.ms)
}

/// Returns the service's time, `mws_now()`.
pub async fn now(conn: &mut PgConnection) -> sqlx::Result<DateTime<Utc>> {
    sqlx::query_scalar!(r#"SELECT mws_now() AS "now!""#).fetch_one(conn).await
}

/// A process whose row says that it is alive.
#[derive(Debug)]
pub struct Living {
    /// Its name.
    pub name: String,
    /// The service that it runs.
    pub service: String,
    /// The engine of each read and render that it subscribes to.
    pub engines: Value,
    /// Seconds since it last wrote its row.
    pub silent_seconds: f64,
}

/// Returns every worker and scheduler that has not stopped normally. Apis are left out: they write their rows only when
/// they are asked whether they are ready.
pub async fn living(conn: &mut PgConnection) -> sqlx::Result<Vec<Living>> {
    sqlx::query_as!(
        Living,
        r#"SELECT name, service, engines,
                  extract(epoch FROM clock_timestamp() - beat_at)::double precision AS "silent_seconds!"
           FROM workers WHERE service <> 'api' ORDER BY name"#
    )
    .fetch_all(conn)
    .await
}

/// Returns how many seconds the oldest due job has waited for a worker, and how many the oldest due delivery has waited
/// to be sent; one that is being sent waits no longer. Each is 0 if none waits.
pub async fn oldest_due_seconds(conn: &mut PgConnection) -> sqlx::Result<(f64, f64)> {
    let row = sqlx::query!(
        r#"SELECT coalesce(extract(epoch FROM clock_timestamp() - (
                      SELECT min(due_at) FROM jobs WHERE status = 'queued' AND admitted AND finished_at IS NULL
                  )), 0)::double precision AS "job!",
                  coalesce(extract(epoch FROM clock_timestamp() - (
                      SELECT min(due_at) FROM deliveries
                      WHERE status = 'pending' AND finished_at IS NULL AND lease_until IS NULL
                  )), 0)::double precision AS "delivery!""#
    )
    .fetch_one(conn)
    .await?;
    Ok((row.job.max(0.0), row.delivery.max(0.0)))
}

/// Returns whether a pooler lends the server's connections for a single transaction at a time, so that a session loses
/// its settings. It is so if two connections share a server process, or one connection changes its process.
pub async fn is_lent_by_transaction(pool: &sqlx::PgPool) -> sqlx::Result<bool> {
    let mut first = pool.acquire().await?;
    let of_first = backend(&mut first).await?;
    let mut second = pool.acquire().await?;
    let of_second = backend(&mut second).await?;
    Ok(of_first == of_second || backend(&mut first).await? != of_first)
}

/// Returns the id of the server process behind a connection.
async fn backend(conn: &mut PgConnection) -> sqlx::Result<i32> {
    sqlx::query_scalar!(r#"SELECT pg_backend_pid() AS "pid!""#).fetch_one(conn).await
}

/// Returns whether a notification that is sent to this server reaches a listening connection of it within `patience`.
pub async fn hears_notifications(pool: &sqlx::PgPool, patience: std::time::Duration) -> sqlx::Result<bool> {
    let mut listener = sqlx::postgres::PgListener::connect_with(pool).await?;
    listener.listen("mws_doctor").await?;
    sqlx::query!("SELECT pg_notify('mws_doctor', '')").fetch_one(pool).await?;
    Ok(matches!(tokio::time::timeout(patience, listener.recv()).await, Ok(Ok(_))))
}
