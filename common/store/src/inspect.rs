//! What the database says of itself, for a start and for `mws doctor`: nothing here is a customer's.

use chrono::{DateTime, Utc};
use serde_json::Value;
use sqlx::PgConnection;

/// The server's version, as `15.8`.
pub async fn server_version(conn: &mut PgConnection) -> sqlx::Result<String> {
    let row = sqlx::query!(r#"SELECT current_setting('server_version') AS "version!""#).fetch_one(conn).await?;
    Ok(row.version.split(' ').next().unwrap_or_default().to_owned())
}

/// The number of the newest migration that was run.
pub async fn schema_version(conn: &mut PgConnection) -> sqlx::Result<i64> {
    // Not checked at compile time: the database of those checks is built without sqlx's own table.
    sqlx::query_scalar("SELECT coalesce(max(version), 0) FROM _sqlx_migrations WHERE success").fetch_one(conn).await
}

/// Those of these extensions that are not there.
pub async fn missing_extensions(conn: &mut PgConnection, needed: &[String]) -> sqlx::Result<Vec<String>> {
    sqlx::query_scalar!(
        r#"SELECT needed AS "needed!" FROM unnest($1::text[]) AS needed
           WHERE NOT EXISTS (SELECT FROM pg_extension WHERE extname = needed)"#,
        needed
    )
    .fetch_all(conn)
    .await
}

/// Whether tickets of webhooks are fetched by our function: an upgrade of the queue's own migrations would bring theirs
/// back.
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

/// The database's clock, in milliseconds since 1970.
pub async fn clock_ms(conn: &mut PgConnection) -> sqlx::Result<i64> {
    let row = sqlx::query!(r#"SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS "ms!""#)
        .fetch_one(conn)
        .await?;
    Ok(row.ms)
}

/// The time that everything here goes by.
pub async fn now(conn: &mut PgConnection) -> sqlx::Result<DateTime<Utc>> {
    sqlx::query_scalar!(r#"SELECT mws_now() AS "now!""#).fetch_one(conn).await
}

/// A process that has said that it lives.
#[derive(Debug)]
pub struct Living {
    /// Its name.
    pub name: String,
    /// What it is.
    pub service: String,
    /// The engine of each read and render that it subscribes to.
    pub engines: Value,
    /// Seconds since it last said so.
    pub silent_seconds: f64,
}

/// Every worker and scheduler that did not say that it has ended. An api writes its row when it is asked whether it is
/// ready.
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

/// Seconds that the oldest due job waits for a worker, and the oldest due delivery for being sent; 0 where none does.
pub async fn oldest_due_seconds(conn: &mut PgConnection) -> sqlx::Result<(f64, f64)> {
    let row = sqlx::query!(
        r#"SELECT coalesce(extract(epoch FROM clock_timestamp() - (
                      SELECT min(due_at) FROM jobs WHERE status = 'queued' AND admitted AND finished_at IS NULL
                  )), 0)::double precision AS "job!",
                  coalesce(extract(epoch FROM clock_timestamp() - (
                      SELECT min(due_at) FROM deliveries WHERE status = 'pending'
                  )), 0)::double precision AS "delivery!""#
    )
    .fetch_one(conn)
    .await?;
    Ok((row.job.max(0.0), row.delivery.max(0.0)))
}

/// Whether two connections are one, or one is two: a pooler before the server lends them for a transaction each, and
/// what a session is told does not stay with it.
pub async fn is_lent_by_transaction(pool: &sqlx::PgPool) -> sqlx::Result<bool> {
    let mut first = pool.acquire().await?;
    let of_first = backend(&mut first).await?;
    let mut second = pool.acquire().await?;
    let of_second = backend(&mut second).await?;
    Ok(of_first == of_second || backend(&mut first).await? != of_first)
}

/// The server's process behind a connection.
async fn backend(conn: &mut PgConnection) -> sqlx::Result<i32> {
    sqlx::query_scalar!(r#"SELECT pg_backend_pid() AS "pid!""#).fetch_one(conn).await
}

/// Whether a notification sent to this server comes back on a listening connection of it.
pub async fn hears_notifications(pool: &sqlx::PgPool, patience: std::time::Duration) -> sqlx::Result<bool> {
    let mut listener = sqlx::postgres::PgListener::connect_with(pool).await?;
    listener.listen("mws_doctor").await?;
    sqlx::query!("SELECT pg_notify('mws_doctor', '')").fetch_one(pool).await?;
    Ok(matches!(tokio::time::timeout(patience, listener.recv()).await, Ok(Ok(_))))
}
