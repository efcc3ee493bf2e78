//! A migrated database for each test, copied from a template on a server that all test processes share.
//!
//! The migrations run once for each version of them, into a template; a test's database is a copy, which takes some
//! 20 to 50 ms. Test processes may run at once: the first starts the server, the others adopt it, and a lock in the
//! server lets one of them make the template. No test mocks PostgreSQL, and no two tests share a database.

mod own;
mod server;

use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use anyhow::Context;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{AssertSqlSafe, Connection, PgConnection, PgPool};
use tokio::sync::OnceCell;

pub use own::OwnServer;
pub use server::TestServer;

/// The advisory lock under which one process makes the template. The number means nothing.
const TEMPLATE_LOCK: i64 = 7_246_913_580;

/// How many connections a test's own pool opens, at most.
const POOL_CONNECTIONS: u32 = 20;

/// The template's name, once this process has made or found it.
static TEMPLATE: OnceCell<String> = OnceCell::const_new();

/// The number of the next database of this process.
static NEXT: AtomicU32 = AtomicU32::new(1);

/// Where a database is.
#[derive(Debug, Clone)]
enum Server {
    Shared(&'static TestServer),
    Own(Arc<OwnServer>),
}

impl Server {
    fn connect_options(&self, database: &str) -> PgConnectOptions {
        match self {
            Self::Shared(server) => server.connect_options(database),
            Self::Own(server) => server.connect_options(database),
        }
    }

    fn url(&self, database: &str) -> String {
        match self {
            Self::Shared(server) => server.url(database),
            Self::Own(server) => server.url(database),
        }
    }

    async fn admin(&self) -> sqlx::Result<PgConnection> {
        match self {
            Self::Shared(server) => server.admin().await,
            Self::Own(server) => server.admin().await,
        }
    }
}

/// A database for one test, with the schema in place and no rows but those of the migrations.
///
/// It is dropped, with every connection to it cut, by [`TestDatabase::close`] or when the value is dropped.
#[derive(Debug)]
pub struct TestDatabase {
    name: String,
    pool: PgPool,
    server: Server,
    dropped: bool,
}

impl TestDatabase {
    /// A new database. `migrate` is called when no process has made the template for the present migrations yet:
    /// it gets an empty database and must leave the schema in it, and no connection.
    pub async fn new<M>(migrate: M) -> anyhow::Result<Self>
    where
        M: AsyncFnOnce(&PgPool) -> anyhow::Result<()>,
    {
        let server = TestServer::shared()?;
        let template = TEMPLATE.get_or_try_init(|| prepare_template(server, migrate)).await?;
        let name = format!("t_{}_{}", process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let mut admin = server.admin().await?;
        copy(&mut admin, template, &name).await.with_context(|| format!("could not copy {template} to {name}"))?;
        admin.close().await?;
        Ok(Self::at(Server::Shared(server), name))
    }

    /// A new database on a server of the test's own, migrated there.
    pub async fn on<M>(server: Arc<OwnServer>, migrate: M) -> anyhow::Result<Self>
    where
        M: AsyncFnOnce(&PgPool) -> anyhow::Result<()>,
    {
        let name = format!("t_{}_{}", process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let mut admin = server.admin().await?;
        run(&mut admin, format!("CREATE DATABASE {name}")).await?;
        admin.close().await?;
        let database = Self::at(Server::Own(server), name);
        migrate(&database.pool).await?;
        Ok(database)
    }

    fn at(server: Server, name: String) -> Self {
        let pool = PgPoolOptions::new()
            .max_connections(POOL_CONNECTIONS)
            .test_before_acquire(false)
            .connect_lazy_with(server.connect_options(&name));
        Self { name, pool, server, dropped: false }
    }

    /// The test's pool. Its connections have none of the service's session limits.
    pub fn pool(&self) -> &PgPool {
        &self.pool
    }

    /// The database's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How to connect to it without the pool.
    pub fn connect_options(&self) -> PgConnectOptions {
        self.server.connect_options(&self.name)
    }

    /// The same as a URL, for a process's `DATABASE_URL`.
    pub fn url(&self) -> String {
        self.server.url(&self.name)
    }

    /// Drops the database and waits for it.
    pub async fn close(mut self) -> anyhow::Result<()> {
        self.dropped = true;
        self.pool.close().await;
        let mut admin = self.server.admin().await?;
        drop_database(&mut admin, &self.name).await?;
        admin.close().await?;
        Ok(())
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        if self.dropped {
            return;
        }
        // The test's runtime may be about to end, so the work is done on another, and waited for.
        let (server, name) = (self.server.clone(), self.name.clone());
        let work = thread::spawn(move || -> anyhow::Result<()> {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(async {
                let mut admin = server.admin().await?;
                drop_database(&mut admin, &name).await?;
                Ok(admin.close().await?)
            })
        });
        // A database that is left over is dropped at the next template's making; it is no reason to fail a test.
        if !matches!(work.join(), Ok(Ok(()))) {
            tracing::warn!("The test database {} could not be dropped", self.name);
        }
    }
}

/// Makes the template of the present migrations, unless some process has done so, and gives its name.
async fn prepare_template<M>(server: &TestServer, migrate: M) -> anyhow::Result<String>
where
    M: AsyncFnOnce(&PgPool) -> anyhow::Result<()>,
{
    let template = format!("template_{}", server::migrations_fingerprint()?);
    let mut admin = server.admin().await?;
    // Held until the connection closes, and so given back even by a process that is killed.
    sqlx::query("SELECT pg_advisory_lock($1)").bind(TEMPLATE_LOCK).execute(&mut admin).await?;
    let exists: bool = sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM pg_database WHERE datname = $1)")
        .bind(&template)
        .fetch_one(&mut admin)
        .await?;
    if !exists {
        drop_leftovers(&mut admin).await?;
        build_template(server, &mut admin, &template, migrate).await.context("could not make the template database")?;
    }
    admin.close().await?;
    Ok(template)
}

/// The template gets its name last: under it there is never a half-migrated database.
async fn build_template<M>(
    server: &TestServer,
    admin: &mut PgConnection,
    template: &str,
    migrate: M,
) -> anyhow::Result<()>
where
    M: AsyncFnOnce(&PgPool) -> anyhow::Result<()>,
{
    let building = "template_building";
    drop_database(admin, building).await?;
    run(admin, format!("CREATE DATABASE {building}")).await?;
    let pool = PgPoolOptions::new().max_connections(2).connect_with(server.connect_options(building)).await?;
    let migrated = migrate(&pool).await;
    pool.close().await;
    migrated?;
    // A migration may leave a detached connection that is still closing: the rename would be refused.
    run(admin, format!("ALTER DATABASE {building} WITH ALLOW_CONNECTIONS false")).await?;
    sqlx::query("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = $1")
        .bind(building)
        .execute(&mut *admin)
        .await?;
    run(admin, format!("ALTER DATABASE {building} RENAME TO {template}")).await?;
    Ok(())
}

/// Drops the templates of other migrations, and the databases of test processes that were killed.
async fn drop_leftovers(admin: &mut PgConnection) -> anyhow::Result<()> {
    let names: Vec<String> = sqlx::query_scalar(r"SELECT datname FROM pg_database WHERE datname ~ '^(t|template)_'")
        .fetch_all(&mut *admin)
        .await?;
    for name in names.iter().filter(|name| !server::owner_lives(name)) {
        // Another process may use a template of other migrations, or drop the same database: let it.
        let _in_use = run(admin, format!("DROP DATABASE IF EXISTS {name}")).await;
    }
    Ok(())
}

async fn copy(admin: &mut PgConnection, template: &str, name: &str) -> sqlx::Result<()> {
    // Copying the files beats writing every page to the log, and costs no sync with fsync off. PostgreSQL 15 brought
    // the choice; before, it was the only way.
    let strategy =
        if admin.server_version_num().is_some_and(|version| version >= 150_000) { " STRATEGY file_copy" } else { "" };
    run(admin, format!("CREATE DATABASE {name} TEMPLATE {template}{strategy}")).await
}

async fn drop_database(admin: &mut PgConnection, name: &str) -> sqlx::Result<()> {
    run(admin, format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await
}

/// Runs a statement on databases, whose names can't be parameters. All names are made in this module.
async fn run(admin: &mut PgConnection, statement: String) -> sqlx::Result<()> {
    sqlx::query(AssertSqlSafe(statement)).execute(admin).await.map(drop)
}
