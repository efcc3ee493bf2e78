//! Connection pools with the session settings that every connection needs.
//!
//! A connection is kept only while it leads to a server that answers and takes writes. One that leads to a standby, as
//! after a failover behind an unchanged address, is closed when it is next checked. No connection lives longer than
//! some minutes.

use sqlx::postgres::{PgConnectOptions, PgListener, PgPoolOptions};
use sqlx::{PgConnection, PgPool, Row};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A connection that was used within this time is not checked before it is used again.
const REST: Duration = Duration::from_secs(1);
/// How long an idle connection may take to answer a check. It is short, so that a caller who waits for a connection can
/// still get a new one instead.
const LONGEST_PROBE: Duration = Duration::from_secs(2);
/// How long a connection that returns to the pool may take to answer a check.
const LONGEST_RETURN: Duration = Duration::from_secs(5);

/// The number of connections that a pool holds at most.
#[derive(Debug, Clone, Copy)]
pub struct PoolSize(pub u32);

/// An older connection is closed when it returns or is idle, so that none outlasts a change of the server for long.
const LONGEST_LIFE: Duration = Duration::from_mins(5);

/// How long a connection keeps a generic plan, and therefore how long it lives, in a pool for transactions.
const LONGEST_PLAN: Duration = Duration::from_secs(30);

/// The settings of every session. They are sent as a statement after the start, since a pooler such as `PgBouncer`
/// refuses them as start parameters. `jit` is off because nothing here runs long enough to be worth compiling; yet a
/// plan with a forbidden sort costs enough on paper to be compiled, which took a second per claim on a server with
/// PostgreSQL's defaults.
macro_rules! limits {
    ($($more:literal)?) => {
        concat!(
            "SET lock_timeout = '2s'; SET statement_timeout = '30s'; \
             SET idle_in_transaction_session_timeout = '10s'; SET timezone = 'UTC'; SET jit = off"
            $(, "; ", $more)?
        )
    };
}

/// Opens a pool whose sessions fail rather than hang: after two seconds on a lock, after thirty in a statement. A
/// transaction that is idle for ten seconds is ended, because its snapshot slows the whole queue.
pub async fn connect(url: &str, size: PoolSize, name: &str) -> sqlx::Result<PgPool> {
    let options = PgConnectOptions::from_str(url)?.application_name(name).extra_float_digits(None);
    limited(size, limits!()).connect_with(options).await
}

/// Like [`connect`], with connections that are opened when they are needed.
pub fn connect_lazily(url: &str, size: PoolSize, name: &str) -> sqlx::Result<PgPool> {
    let options = PgConnectOptions::from_str(url)?.application_name(name).extra_float_digits(None);
    Ok(limited(size, limits!()).connect_lazy_with(options))
}

/// Returns a pool to the same database for one part of a process; `name` is what the server calls its sessions.
/// Connections are opened when they are needed.
pub fn apart(pool: &PgPool, size: PoolSize, name: &str) -> PgPool {
    limited(size, limits!()).connect_lazy_with((*pool.connect_options()).clone().application_name(name))
}

/// Returns a pool like this one whose connections are always open. Opening one takes hundreds of small steps, since the
/// password is checked, and each step waits for whatever else its thread does: beside calls that take long, callers
/// that had to open a connection gave up. If they can't be opened now, they are opened when they are needed.
pub async fn kept_open(pool: &PgPool) -> PgPool {
    let options = pool.options().clone();
    let most = options.get_max_connections();
    match options.min_connections(most).connect_with((*pool.connect_options()).clone()).await {
        Ok(kept) => kept,
        Err(error) => {
            tracing::warn!(error = %error, "Connections to the database are opened when they are needed.");
            pool.clone()
        }
    }
}

/// Like [`apart`], for pages that people look at: a statement has two seconds, so that a look at large tables does not
/// slow other work.
pub fn apart_for_pages(pool: &PgPool, size: PoolSize, name: &str) -> PgPool {
    limited(size, limits!("SET statement_timeout = '2s'"))
        .connect_lazy_with((*pool.connect_options()).clone().application_name(name))
}

/// Returns a pool to the same database whose commits don't wait for the disk, for tickets: a crash may lose those,
/// because our own rows make up for them. It never runs a claim of ours. Connections are opened when they are needed.
///
/// Tickets are looked up by their ids or in the order of an index, so no other plan is allowed: the table has no
/// statistics, and without them the acknowledgement of a hundred tickets reads all of a small table.
pub fn async_commit_pool(pool: &PgPool, size: PoolSize) -> PgPool {
    let settings = limits!(
        "SET synchronous_commit = off; SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off"
    );
    limited(size, settings).connect_lazy_with((*pool.connect_options()).clone())
}

/// The settings for statements that go by ids. They are planned once per connection, for any parameters: planning them
/// anew for every batch took an eighth of the database's time. Whatever would depend on a table's size is ruled out, so
/// that a plan made for empty tables is right for full ones.
const GENERIC_PLANS: &str = limits!(
    "SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_sort = off; \
     SET plan_cache_mode = force_generic_plan"
);

/// Returns a pool to the same database for statements that go by ids, or in the order of an index, each planned once
/// per connection. No transaction may begin on it: one returning connection a second is checked, not each. Connections
/// are opened when they are needed.
pub fn generic_plan_pool(pool: &PgPool, size: PoolSize) -> PgPool {
    checked_at_times(limited(size, GENERIC_PLANS)).connect_lazy_with((*pool.connect_options()).clone())
}

/// Like [`generic_plan_pool`], for transactions: each returning connection is checked. Many processes write to its
/// tables at once, and a table may grow from next to nothing while a plan lasts; so connections, and their plans with
/// them, live for a short time only.
pub fn generic_plan_pool_for_transactions(pool: &PgPool, size: PoolSize) -> PgPool {
    limited(size, GENERIC_PLANS).max_lifetime(LONGEST_PLAN).connect_lazy_with((*pool.connect_options()).clone())
}

/// Returns a pool of one connection to the same database, for notifications: its commits don't wait for the disk, since
/// whoever waits also polls. No transaction may begin on it: it is checked once a second, not each time it returns. It
/// is opened when it is needed.
pub fn notify_pool(pool: &PgPool) -> PgPool {
    checked_at_times(limited(PoolSize(1), limits!("SET synchronous_commit = off")))
        .connect_lazy_with((*pool.connect_options()).clone())
}

/// The same options for a pool on which no transaction begins: one returning connection a second is checked.
fn checked_at_times(options: PgPoolOptions) -> PgPoolOptions {
    let looks = Arc::new(Looks { begun: Instant::now(), next_ms: AtomicU64::new(0) });
    options.after_release(move |conn, _| Box::pin(looked_at_times(Arc::clone(&looks), conn)))
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

/// When the connections of a pool are checked: one each second, and every one while the server can't be used.
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

/// Returns a pool of one connection to the same database, for a listener. It is apart so that it takes no place among
/// the others while its server is gone. It is opened when it is needed.
pub fn listen_pool(pool: &PgPool) -> PgPool {
    limited(PoolSize(1), limits!()).connect_lazy_with((*pool.connect_options()).clone())
}

/// Fails when a listener's server does not answer. A connection that sends nothing never learns otherwise that the
/// server is gone.
pub async fn ping(listener: &mut PgListener) -> sqlx::Result<()> {
    in_time(LONGEST_PROBE, async { sqlx::raw_sql("SELECT 1").execute(listener).await.map(|_| ()) }).await
}

/// The options of every pool: a connection is checked when that costs next to nothing, after a rest and when it
/// returns.
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

/// Returns whether the server still answers, and takes writes, on a connection that was idle: a host that vanished
/// leaves connections that look alive until TCP gives up, a quarter of an hour later.
async fn answers(conn: &mut PgConnection, idle: Duration) -> sqlx::Result<bool> {
    if idle < REST { Ok(true) } else { in_time(LONGEST_PROBE, at_rest(conn)).await }
}

/// Fails when no answer comes in time. Dropping the future closes its connection at once, and frees its place.
async fn in_time<T>(patience: Duration, asked: impl Future<Output = sqlx::Result<T>>) -> sqlx::Result<T> {
    let late = |_| sqlx::Error::Io(std::io::ErrorKind::TimedOut.into());
    tokio::time::timeout(patience, asked).await.map_err(late)?
}

/// Returns whether a returning connection has no open transaction, and leads to a server that takes writes. Otherwise
/// the pool closes it.
///
/// When a `begin` is dropped before its answer, as when a client hangs up, the transaction stays open and the pool does
/// not know: the next user of the connection would write into it, be told that all is well, and lose the writes.
/// Outside a transaction a plain statement is its own transaction, and both start at the same time. It is a simple
/// query, since an extended one starts its transaction one message before its statement.
async fn at_rest(conn: &mut PgConnection) -> sqlx::Result<bool> {
    let asked = "SELECT transaction_timestamp() = statement_timestamp() AND NOT pg_is_in_recovery()
                 AND NOT current_setting('transaction_read_only')::bool";
    sqlx::raw_sql(asked).fetch_one(conn).await?.try_get(0)
}
