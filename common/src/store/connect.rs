//! Pools with the session limits every connection needs, and the migrations.

use sqlx::migrate::Migrator;
use sqlx::postgres::{PgConnectOptions, PgListener, PgPoolOptions};
use sqlx::{Connection, PgConnection, PgPool, Row};
use std::str::FromStr;
use std::time::Duration;

static OURS: Migrator = sqlx::migrate!("../migrations");

/// A connection that was used within this time is taken to be alive.
const REST: Duration = Duration::from_secs(1);
/// How long a connection that has rested may take to answer. Another can be made in its place within the time that a caller
/// waits for one.
const LONGEST_PROBE: Duration = Duration::from_secs(2);
/// How long one that comes back may take.
const LONGEST_RETURN: Duration = Duration::from_secs(5);

/// How many connections a pool may hold.
#[derive(Debug, Clone, Copy)]
pub struct PoolSize(pub u32);

/// A pool whose sessions give up rather than hang: on a lock after two seconds, on a statement after thirty, and an idle
/// transaction is ended after ten, because a held snapshot is what slows the whole queue.
pub async fn connect(url: &str, size: PoolSize, name: &str) -> sqlx::Result<PgPool> {
    let options = PgConnectOptions::from_str(url)?.application_name(name).options([
        ("lock_timeout", "2s"),
        ("statement_timeout", "30s"),
        ("idle_in_transaction_session_timeout", "10s"),
        ("timezone", "UTC"),
    ]);
    limited(size).connect_with(options).await
}

/// Connections to the same database whose commits are not waited for until they are on disk: for tickets and wake-ups,
/// which a crash may lose because our own rows make them good. A claim of ours never goes through it (sql.md, rule 5).
/// They are opened when they are needed.
///
/// Tickets are asked for by their ids or in the order of an index, so nothing else is ever planned: the table has no
/// statistics (sql.md, rule 2), and without them an acknowledgement of a hundred reads all tickets of a small table.
pub fn without_waiting(pool: &PgPool, size: PoolSize) -> PgPool {
    let off = ["synchronous_commit", "enable_seqscan", "enable_hashjoin", "enable_mergejoin"].map(|name| (name, "off"));
    let options = (*pool.connect_options()).clone().options(off);
    limited(size).connect_lazy_with(options)
}

/// Connections to the same database for statements that go by ids, or in the order of an index, each planned once a connection
/// for whatever it is asked: planned anew for every batch, they took an eighth of the database's time. What a plan depends on is
/// ruled out, so that one made for empty tables is right for full ones. No transaction is begun on them. They are opened when
/// they are needed.
pub fn planned_once(pool: &PgPool, size: PoolSize) -> PgPool {
    let off = ["enable_seqscan", "enable_hashjoin", "enable_mergejoin", "enable_sort"].map(|name| (name, "off"));
    let options = (*pool.connect_options()).clone().options(off).options([("plan_cache_mode", "force_generic_plan")]);
    limited(size).after_release(|_, _| Box::pin(async { Ok(true) })).connect_lazy_with(options)
}

/// A connection of its own to the same database, for who listens: where its server is gone, it keeps no place among the
/// others. It is opened when it is needed.
pub fn to_listen(pool: &PgPool) -> PgPool {
    limited(PoolSize(1)).connect_lazy_with((*pool.connect_options()).clone())
}

/// An error where the server of a connection that listens does not answer: one that sends nothing never learns otherwise
/// that it is gone.
pub async fn still_there(listener: &mut PgListener) -> sqlx::Result<()> {
    in_time(LONGEST_PROBE, async { sqlx::raw_sql("SELECT 1").execute(listener).await.map(|_| ()) }).await
}

/// Connections are asked for a sign of life where that costs next to nothing: after a rest, and when they come back.
fn limited(size: PoolSize) -> PgPoolOptions {
    PgPoolOptions::new()
        .max_connections(size.0)
        .acquire_timeout(Duration::from_secs(5))
        .test_before_acquire(false)
        .before_acquire(|conn, seen| Box::pin(answers(conn, seen.idle_for)))
        .after_release(|conn, _| Box::pin(in_time(LONGEST_RETURN, at_rest(conn))))
}

/// Whether the server still answers on a connection that has rested for a while: a host that went without a word leaves
/// connections that look alive until TCP gives up, a quarter of an hour later.
async fn answers(conn: &mut PgConnection, idle: Duration) -> sqlx::Result<bool> {
    if idle >= REST {
        in_time(LONGEST_PROBE, conn.ping()).await?;
    }
    Ok(true)
}

/// An error where no answer comes in time: what is dropped for it closes its connection at once, and frees its place.
async fn in_time<T>(patience: Duration, asked: impl Future<Output = sqlx::Result<T>>) -> sqlx::Result<T> {
    let late = |_| sqlx::Error::Io(std::io::ErrorKind::TimedOut.into());
    tokio::time::timeout(patience, asked).await.map_err(late)?
}

/// Whether a connection that comes back to the pool has no transaction open; one that has is closed.
///
/// A `begin` that is dropped before it is answered, as when a client hangs up, leaves its transaction open and the pool
/// unaware: the next to use the connection would write into it, be told that all is well, and lose it. Outside a transaction
/// a plain statement is a transaction of its own and starts when it does. As a simple query, since an extended one starts
/// its transaction a message earlier than its statement.
async fn at_rest(conn: &mut PgConnection) -> sqlx::Result<bool> {
    let row = sqlx::raw_sql("SELECT transaction_timestamp() = statement_timestamp()").fetch_one(conn).await?;
    row.try_get(0)
}

/// Brings the database up to date: the queue's own migrations, then ours. Safe to run from several processes at once.
pub async fn migrate(pool: &PgPool) -> Result<(), sqlx::migrate::MigrateError> {
    let mut conn = pool.acquire().await?;
    // A migration that waits for a lock or rewrites a table may take longer than a request may.
    sqlx::query("SET statement_timeout = 0").execute(&mut *conn).await?;
    sqlx::query("SET lock_timeout = 0").execute(&mut *conn).await?;
    let queue = apalis_postgres::PostgresStorage::<()>::migrations();
    queue.run(&mut *conn).await?;
    OURS.run(&mut *conn).await?;
    // These session settings must not reach the pool's next user.
    drop(conn.detach());
    Ok(())
}

/// How many of our migrations the database has not seen yet.
pub async fn pending_migrations(conn: &mut PgConnection) -> sqlx::Result<i64> {
    // Not checked at compile time: the database of those checks is built without sqlx's own table.
    let applied: i64 =
        sqlx::query_scalar("SELECT count(*) FROM _sqlx_migrations WHERE success").fetch_one(conn).await?;
    let known = i64::try_from(OURS.iter().count()).unwrap_or(i64::MAX);
    Ok((known - applied).max(0))
}
