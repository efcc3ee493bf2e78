//! What the database says of itself, for `mws up` and `mws doctor`: nothing here is a customer's.

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
