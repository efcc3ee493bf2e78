//! Notifications between processes. The runtime knows what their words mean.

use sqlx::PgPool;

/// Sends these payloads to all who listen on the channel.
pub async fn notify(pool: &PgPool, channel: &str, payloads: &[String]) -> sqlx::Result<()> {
    sqlx::query!("SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload", channel, payloads)
        .fetch_all(pool)
        .await
        .map(drop)
}
