//! Full tables: equal numbers of jobs queued, jobs finished and deliveries logged, as in a deployment of some size.
//!
//! Queued jobs are of reads that nobody computes here, 500 of each account, twenty of them with a ticket. Half of the
//! finished jobs and logged deliveries are one large account's, the rest the others'. They are old enough to be pruned
//! by the default retention. Accounts keep within their limits.

use crate::database::{Database, Server};
use crate::load;
use crate::seed;
use crate::seed::{Account, Ended};
use anyhow::Context;
use domain::ids::{EndpointId, ItemId};
use domain::read::Read;
use sqlx::{Connection, PgConnection, PgPool};
use std::time::{Duration, Instant};

/// Jobs that an account has queued, and their reads.
const QUEUED_EACH: usize = 500;
const QUEUED_READS: [Read; 2] = [Read::Transcript, Read::SearchIndex];
/// Reads that are stored for an item of the large account, and for those of the others.
const LARGE_READS: [Read; 4] = [Read::Speech, Read::Speakers, Read::Beats, Read::Levels];
const OTHER_READS: [Read; 1] = [Read::Levels];
/// Accounts, and items of the large account, in one transaction.
const ACCOUNTS: usize = 20;
const ITEMS: usize = 2_500;
/// Age of finished jobs and of deliveries, in days.
const DAYS: i32 = 40;

/// The database with full tables.
pub struct Grown {
    database: Database,
    server: ServerUrl,
    rows: usize,
    large: Large,
}

/// The large account.
pub struct Large {
    /// The account.
    pub account: Account,
    /// Its endpoint.
    pub endpoint: EndpointId,
    /// One of its items.
    pub item: ItemId,
}

/// The URL for connections without timeouts to this database.
struct ServerUrl(String);

impl ServerUrl {
    async fn connect(&self) -> sqlx::Result<PgConnection> {
        PgConnection::connect(&self.0).await
    }
}

impl Grown {
    /// Makes the database, which takes minutes.
    pub async fn make(server: &Server, rows: usize) -> anyhow::Result<Self> {
        let began = Instant::now();
        let database = server.fresh().await?;
        let pool = &database.pool;
        let account = load::accounts(pool, 1).await?.pop().context("one was made")?;
        let endpoint = load::endpoint(pool, &account, "http://127.0.0.1:9/").await?;
        let large = Large { account, endpoint, item: ItemId::mint() };
        seed::items(pool, &[(large.item, &large.account)]).await?;
        let direct = ServerUrl(database.url.clone());
        let mut conn = direct.connect().await?;
        let others = rows.div_ceil(QUEUED_EACH);
        for done in (0..others).step_by(ACCOUNTS) {
            small(pool, &mut conn, ACCOUNTS.min(others - done)).await?;
        }
        finished(pool, &mut conn, &large, rows / 2).await?;
        let grown = Self { database, server: direct, rows, large };
        grown.settle(&mut conn).await?;
        conn.close().await?;
        eprintln!("  they were made in {} s", began.elapsed().as_secs());
        Ok(grown)
    }

    /// Returns the database's name.
    pub fn name(&self) -> &str {
        &self.database.name
    }

    /// Returns the large account.
    pub const fn large(&self) -> &Large {
        &self.large
    }

    /// Returns the database, to be dropped.
    pub fn into_database(self) -> Database {
        self.database
    }

    /// Returns the database's size in gigabytes.
    pub async fn gigabytes(&self) -> anyhow::Result<f64> {
        let bytes = "SELECT pg_database_size(current_database())::float8";
        let bytes: f64 = sqlx::query_scalar(bytes).fetch_one(&self.database.pool).await?;
        Ok(bytes / 1e9)
    }

    /// Leaves the tables as vacuum and the check of the ledger leave tables that have grown gradually.
    async fn settle(&self, conn: &mut PgConnection) -> sqlx::Result<()> {
        sqlx::raw_sql(
            "INSERT INTO ledger_tallies AS t (account_id, month, allowance, used, held)
             SELECT j.account_id, j.month, coalesce(sum(j.month_amount) FILTER (WHERE j.kind = 'grant'), 0),
                 coalesce(sum(j.month_amount) FILTER (WHERE j.kind = 'settle'), 0),
                 coalesce(sum(j.month_amount) FILTER (WHERE j.kind = 'hold' AND e.job_id IS NULL), 0)
             FROM minute_journal AS j
             LEFT JOIN minute_journal AS e
                 ON j.kind = 'hold' AND e.kind IN ('settle', 'release') AND e.job_id = j.job_id
             GROUP BY j.account_id, j.month
             ON CONFLICT (account_id, month) DO UPDATE
                 SET allowance = excluded.allowance, used = excluded.used, held = excluded.held;
             UPDATE ledger_check SET through = top.id, next_through = top.id
             FROM (SELECT coalesce(max(id), 0) AS id FROM minute_journal) AS top",
        )
        .execute(&mut *conn)
        .await?;
        sqlx::raw_sql("VACUUM (ANALYZE)").execute(&mut *conn).await?;
        sqlx::raw_sql("CHECKPOINT").execute(conn).await.map(drop)
    }

    /// Returns the number of jobs and deliveries that may be pruned.
    pub async fn old_rows(&self) -> anyhow::Result<f64> {
        let mut conn = self.server.connect().await?;
        let old: f64 = sqlx::query_scalar(
            "SELECT ((SELECT count(*) FROM jobs WHERE id < mws_first_id(mws_now() - interval '30 days'))
                 + (SELECT count(*) FROM deliveries WHERE id < mws_first_id(mws_now() - interval '30 days')))::float8",
        )
        .fetch_one(&mut conn)
        .await?;
        conn.close().await?;
        Ok(old)
    }

    /// Adds rows to the large account to replace those that were pruned.
    pub async fn fill_up(&mut self) -> anyhow::Result<()> {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count of rows")]
        let there = self.old_rows().await? as usize / 2;
        let missing = self.rows.saturating_sub(there);
        if missing * 20 < self.rows {
            return Ok(());
        }
        let mut conn = self.server.connect().await?;
        finished(&self.database.pool, &mut conn, &self.large, missing).await?;
        self.settle(&mut conn).await?;
        Ok(conn.close().await?)
    }

    /// Opens a transaction that has a snapshot and an id, and leaves it open.
    pub async fn hold(&self) -> anyhow::Result<Held> {
        let mut conn = self.server.connect().await?;
        let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT pg_current_xact_id(), count(*) FROM read_kinds";
        sqlx::raw_sql(begin).execute(&mut conn).await?;
        Ok(Held { conn, began: Instant::now() })
    }
}

/// An open transaction.
pub struct Held {
    conn: PgConnection,
    began: Instant,
}

impl Held {
    /// Returns how long it has been open.
    pub fn age(&self) -> Duration {
        self.began.elapsed()
    }

    /// Rolls it back. Returns how long it was open.
    pub async fn end(mut self) -> anyhow::Result<Duration> {
        let age = self.age();
        sqlx::raw_sql("ROLLBACK").execute(&mut self.conn).await?;
        self.conn.close().await?;
        Ok(age)
    }
}

/// Makes accounts, each with an endpoint, queued jobs, and half as many finished ones.
async fn small(pool: &PgPool, conn: &mut PgConnection, many: usize) -> anyhow::Result<()> {
    let accounts = load::accounts(pool, many).await?;
    let items = QUEUED_EACH / QUEUED_READS.len();
    let own: Vec<Vec<ItemId>> = accounts.iter().map(|_| (0..items).map(|_| ItemId::mint()).collect()).collect();
    let owned = accounts.iter().zip(&own);
    let owned: Vec<(ItemId, &Account)> =
        owned.flat_map(|(account, items)| items.iter().map(move |item| (*item, account))).collect();
    seed::items(pool, &owned).await?;
    let mut endpoints = Vec::new();
    for account in &accounts {
        endpoints.push(load::endpoint(pool, account, "http://127.0.0.1:9/").await?);
    }
    let all: Vec<&Account> = accounts.iter().collect();
    let queued: Vec<(&Account, &[ItemId])> =
        accounts.iter().zip(&own).map(|(account, items)| (account, items.as_slice())).collect();
    let old = queued.iter().zip(&endpoints);
    let old: Vec<Ended<'_>> =
        old.map(|((account, items), endpoint)| Ended { account, endpoint: *endpoint, items }).collect();
    let mut tx = conn.begin().await?;
    for days in [0, DAYS] {
        seed::open_month(&mut tx, &all, days).await?;
    }
    seed::queue(&mut tx, &seed::starts(&queued, &QUEUED_READS)).await?;
    seed::ended(&mut tx, &old, &OTHER_READS, DAYS).await?;
    Ok(tx.commit().await?)
}

/// Makes `jobs` finished jobs of the large account, on new items.
async fn finished(pool: &PgPool, conn: &mut PgConnection, large: &Large, jobs: usize) -> anyhow::Result<()> {
    let items: Vec<ItemId> = (0..jobs.div_ceil(LARGE_READS.len())).map(|_| ItemId::mint()).collect();
    for some in items.chunks(ITEMS) {
        let owned: Vec<(ItemId, &Account)> = some.iter().map(|item| (*item, &large.account)).collect();
        seed::items(pool, &owned).await?;
        let mut tx = conn.begin().await?;
        seed::open_month(&mut tx, &[&large.account], DAYS).await?;
        seed::ended(
            &mut tx,
            &[Ended { account: &large.account, endpoint: large.endpoint, items: some }],
            &LARGE_READS,
            DAYS,
        )
        .await?;
        tx.commit().await?;
    }
    Ok(())
}
