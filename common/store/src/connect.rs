//! Pools with the session limits every connection needs, and the migrations.
//!
//! A connection is kept only while it leads to a server that answers and writes. One that leads to a standby, as after
//! a failover behind an unchanged address, is closed when it is next looked at, and none lives longer than some
//! minutes.

use sqlx::migrate::Migrator;
use sqlx::postgres::{PgConnectOptions, PgListener, PgPoolOptions};
use sqlx::{PgConnection, PgPool, Row};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

static OURS: Migrator = sqlx::migrate!("../../migrations");

/// A connection that was used within this time is taken to be alive.
const REST: Duration = Duration::from_secs(1);
/// How long a connection that has rested may take to answer. Another can be made in its place within the time that a
/// caller waits for one.
const LONGEST_PROBE: Duration = Duration::from_secs(2);
/// How long one that comes back may take.
const LONGEST_RETURN: Duration = Duration::from_secs(5);

/// How many connections a pool may hold.
#[derive(Debug, Clone, Copy)]
pub struct PoolSize(pub u32);

/// A connection that is older is closed when it comes back or rests: after a change of the server nothing of the old
/// one lasts.
const LONGEST_LIFE: Duration = Duration::from_mins(5);

/// How long a plan is kept that was made for whatever a statement may be asked.
const LONGEST_PLAN: Duration = Duration::from_secs(30);

/// What every session is told first: a statement after it, since a pooler such as `PgBouncer` refuses them as
/// parameters of the start. Nothing here runs long enough for its plan to be compiled, and a plan with a sort that is
/// ruled out counts as dear enough: a second a claim on a server with PostgreSQL's defaults.
macro_rules! limits {
    ($($more:literal)?) => {
        concat!(
            "SET lock_timeout = '2s'; SET statement_timeout = '30s'; \
             SET idle_in_transaction_session_timeout = '10s'; SET timezone = 'UTC'; SET jit = off"
            $(, "; ", $more)?
        )
    };
}

/// A pool whose sessions give up rather than hang: on a lock after two seconds, on a statement after thirty, and an
/// idle transaction is ended after ten, because a held snapshot is what slows the whole queue.
pub async fn connect(url: &str, size: PoolSize, name: &str) -> sqlx::Result<PgPool> {
    let options = PgConnectOptions::from_str(url)?.application_name(name).extra_float_digits(None);
    limited(size, limits!()).connect_with(options).await
}

/// The same, opened when they are needed.
pub fn connect_lazily(url: &str, size: PoolSize, name: &str) -> sqlx::Result<PgPool> {
    let options = PgConnectOptions::from_str(url)?.application_name(name).extra_float_digits(None);
    Ok(limited(size, limits!()).connect_lazy_with(options))
}

/// Connections to the same database for one part of a process, known to the server by a name of their own. They are
/// opened when they are needed.
pub fn apart(pool: &PgPool, size: PoolSize, name: &str) -> PgPool {
    limited(size, limits!()).connect_lazy_with((*pool.connect_options()).clone().application_name(name))
}

/// The same for pages that people look at: a statement of theirs has two seconds, so that no look at large tables is
/// felt by the others.
pub fn apart_for_pages(pool: &PgPool, size: PoolSize, name: &str) -> PgPool {
    limited(size, limits!("SET statement_timeout = '2s'"))
        .connect_lazy_with((*pool.connect_options()).clone().application_name(name))
}

/// Connections to the same database whose commits are not waited for until they are on disk: for tickets and wake-ups,
/// which a crash may lose because our own rows make them good. A claim of ours never goes through it.
/// They are opened when they are needed.
///
/// Tickets are asked for by their ids or in the order of an index, so nothing else is ever planned: the table has no
/// statistics, and without them an acknowledgement of a hundred reads all tickets of a small table.
pub fn async_commit_pool(pool: &PgPool, size: PoolSize) -> PgPool {
    let settings = limits!(
        "SET synchronous_commit = off; SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off"
    );
    limited(size, settings).connect_lazy_with((*pool.connect_options()).clone())
}

/// What statements that go by ids are planned with, once a connection for whatever they are asked: planned anew for
/// every batch, they took an eighth of the database's time. What a plan depends on is ruled out, so that one made for
/// empty tables is right for full ones.
const GENERIC_PLANS: &str = limits!(
    "SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_sort = off; \
     SET plan_cache_mode = force_generic_plan"
);

/// Connections to the same database for statements that go by ids, or in the order of an index, each planned once a
/// connection. No transaction is begun on them, so that they are looked at once a second and not each time they come
/// back. They are opened when they are needed.
pub fn generic_plan_pool(pool: &PgPool, size: PoolSize) -> PgPool {
    let looks = Arc::new(Looks { begun: Instant::now(), next_ms: AtomicU64::new(0) });
    limited(size, GENERIC_PLANS)
        .after_release(move |conn, _| Box::pin(looked_at_times(Arc::clone(&looks), conn)))
        .connect_lazy_with((*pool.connect_options()).clone())
}

/// The same for transactions: they are looked at each time they come back. What they write is written by many at once,
/// so that a table may grow from next to nothing while a plan lasts: a connection, and its plans with it, does not last
/// long.
pub fn generic_plan_pool_for_transactions(pool: &PgPool, size: PoolSize) -> PgPool {
    limited(size, GENERIC_PLANS).max_lifetime(LONGEST_PLAN).connect_lazy_with((*pool.connect_options()).clone())
}

async fn looked_at_times(looks: Arc<Looks>, conn: &mut PgConnection) -> sqlx::Result<bool> {
    if !looks.is_due() {
        return Ok(true);
    }
    let stays = in_time(LONGEST_RETURN, at_rest(conn)).await;
    if !matches!(stays, Ok(true)) {
        looks.next_at_once();
    }
    stays
}

/// When the connections of a pool are looked at: one a second, and each while they lead to a server that can't be used.
struct Looks {
    begun: Instant,
    next_ms: AtomicU64,
}

impl Looks {
    fn is_due(&self) -> bool {
        let now = u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        let next = self.next_ms.load(Ordering::Relaxed);
        let rest = u64::try_from(REST.as_millis()).unwrap_or(u64::MAX);
        let taken = || self.next_ms.compare_exchange(next, now + rest, Ordering::Relaxed, Ordering::Relaxed);
        now >= next && taken().is_ok()
    }

    fn next_at_once(&self) {
        self.next_ms.store(0, Ordering::Relaxed);
    }
}

/// A connection of its own to the same database, for who listens: where its server is gone, it keeps no place among the
/// others. It is opened when it is needed.
pub fn listen_pool(pool: &PgPool) -> PgPool {
    limited(PoolSize(1), limits!()).connect_lazy_with((*pool.connect_options()).clone())
}

/// An error where the server of a connection that listens does not answer: one that sends nothing never learns
/// otherwise that it is gone.
pub async fn ping(listener: &mut PgListener) -> sqlx::Result<()> {
    in_time(LONGEST_PROBE, async { sqlx::raw_sql("SELECT 1").execute(listener).await.map(|_| ()) }).await
}

/// Connections are asked for a sign of life where that costs next to nothing: after a rest, and when they come back.
fn limited(size: PoolSize, settings: &'static str) -> PgPoolOptions {
    PgPoolOptions::new()
        .max_connections(size.0)
        .acquire_timeout(Duration::from_secs(5))
        .max_lifetime(LONGEST_LIFE)
        .test_before_acquire(false)
        .after_connect(move |conn, _| Box::pin(async move { sqlx::raw_sql(settings).execute(conn).await.map(drop) }))
        .before_acquire(|conn, seen| Box::pin(answers(conn, seen.idle_for)))
        .after_release(|conn, _| Box::pin(in_time(LONGEST_RETURN, at_rest(conn))))
}

/// Whether the server still answers, and writes, on a connection that has rested for a while: a host that went without
/// a word leaves connections that look alive until TCP gives up, a quarter of an hour later.
async fn answers(conn: &mut PgConnection, idle: Duration) -> sqlx::Result<bool> {
    if idle < REST { Ok(true) } else { in_time(LONGEST_PROBE, at_rest(conn)).await }
}

/// An error where no answer comes in time: what is dropped for it closes its connection at once, and frees its place.
async fn in_time<T>(patience: Duration, asked: impl Future<Output = sqlx::Result<T>>) -> sqlx::Result<T> {
    let late = |_| sqlx::Error::Io(std::io::ErrorKind::TimedOut.into());
    tokio::time::timeout(patience, asked).await.map_err(late)?
}

/// Whether a connection that comes back to the pool has no transaction open, and leads to a server that writes; else it
/// is closed.
///
/// A `begin` that is dropped before it is answered, as when a client hangs up, leaves its transaction open and the pool
/// unaware: the next to use the connection would write into it, be told that all is well, and lose it. Outside a
/// transaction a plain statement is a transaction of its own and starts when it does. As a simple query, since an
/// extended one starts its transaction a message earlier than its statement.
async fn at_rest(conn: &mut PgConnection) -> sqlx::Result<bool> {
    let asked = "SELECT transaction_timestamp() = statement_timestamp() AND NOT pg_is_in_recovery()
                 AND NOT current_setting('transaction_read_only')::bool";
    sqlx::raw_sql(asked).fetch_one(conn).await?.try_get(0)
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
