//! The migrations: which are applied, in which order, and what is noted of one that failed.

use sqlx::migrate::{MigrateError, Migrator};
use sqlx::{PgConnection, PgPool};
use std::sync::LazyLock;

static OURS: LazyLock<Migrator> = LazyLock::new(|| {
    let mut ours = sqlx::migrate!("../../migrations");
    // What it does not know is judged by `refuse_gap`.
    ours.set_ignore_missing(true);
    ours
});

/// Characters that are noted of why a migration failed.
const LONGEST_FAILURE: usize = 200;

/// Runs the queue's own migrations, then ours. Several processes may do so at once. A schema that a newer release has
/// brought further is left as it is: while processes are replaced, one of the release before may have to start anew.
///
/// # Errors
/// Also `VersionMissing` where the database has a migration between ours that this release does not know.
pub async fn migrate(pool: &PgPool) -> Result<(), MigrateError> {
    let mut conn = pool.acquire().await?;
    // A migration that waits for a lock or rewrites a table may take longer than a request.
    sqlx::query("SET statement_timeout = 0").execute(&mut *conn).await?;
    sqlx::query("SET lock_timeout = 0").execute(&mut *conn).await?;
    let queue = apalis_postgres::PostgresStorage::<()>::migrations();
    queue.run(&mut *conn).await?;
    refuse_gap(&mut conn).await?;
    let ran = OURS.run(&mut *conn).await;
    if let Err(MigrateError::ExecuteMigration(error, version)) = &ran {
        // A note that can't be written is no news beside the failure itself, which is returned.
        let _ = note_failure(&mut conn, *version, error).await;
    }
    // These session settings must not reach the pool's next user.
    drop(conn.detach());
    ran
}

/// Notes that a migration failed, for the processes of the release before, which still run.
async fn note_failure(conn: &mut PgConnection, version: i64, error: &sqlx::Error) -> sqlx::Result<()> {
    let said = error.as_database_error().map_or_else(|| error.to_string(), |refused| refused.message().to_owned());
    let message: String = said.lines().next().unwrap_or_default().chars().take(LONGEST_FAILURE).collect();
    let noted = sqlx::query!(
        "INSERT INTO migration_failures (version, message) VALUES ($1, $2)
         ON CONFLICT (version) DO UPDATE SET message = excluded.message, failed_at = mws_now()",
        version,
        message
    );
    noted.execute(conn).await?;
    Ok(())
}

/// Refuses a database that has an unknown migration before the last one that is known: its schema is another's.
async fn refuse_gap(conn: &mut PgConnection) -> Result<(), MigrateError> {
    // Not checked at compile time: the database of those checks is built without sqlx's own table.
    let is_new: bool =
        sqlx::query_scalar("SELECT to_regclass('_sqlx_migrations') IS NULL").fetch_one(&mut *conn).await?;
    if is_new {
        return Ok(());
    }
    let known: Vec<i64> = OURS.iter().map(|migration| migration.version).collect();
    let unknown: Option<i64> = sqlx::query_scalar(
        "SELECT min(version) FROM _sqlx_migrations
         WHERE version <> ALL ($1) AND version < (SELECT max(known) FROM unnest($1) AS known)",
    )
    .bind(&known)
    .fetch_one(conn)
    .await?;
    unknown.map_or(Ok(()), |version| Err(MigrateError::VersionMissing(version)))
}

/// Returns how many of our migrations were not applied to the database yet.
pub async fn pending_migrations(conn: &mut PgConnection) -> sqlx::Result<i64> {
    // Not checked at compile time: the database of those checks is built without sqlx's own table.
    let applied: i64 =
        sqlx::query_scalar("SELECT count(*) FROM _sqlx_migrations WHERE success").fetch_one(conn).await?;
    let known = i64::try_from(OURS.iter().count()).unwrap_or(i64::MAX);
    Ok((known - applied).max(0))
}
