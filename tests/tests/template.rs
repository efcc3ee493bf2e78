//! The test databases themselves: each test has its own, whole and empty, and leaves nothing behind.

use std::time::Instant;

use mws_tests::template::{TestDatabase, TestServer};
use sqlx::{ConnectOptions, PgPool};

async fn migrate(pool: &PgPool) -> anyhow::Result<()> {
    Ok(store::migrate(pool).await?)
}

async fn exists(name: &str) -> anyhow::Result<bool> {
    let mut admin = TestServer::shared()?.connect_options("postgres").connect().await?;
    let query = sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM pg_database WHERE datname = $1)");
    Ok(query.bind(name).fetch_one(&mut admin).await?)
}

#[tokio::test]
async fn a_test_database_has_the_schema_and_is_nobody_elses() -> anyhow::Result<()> {
    let (one, other) = (TestDatabase::new(migrate).await?, TestDatabase::new(migrate).await?);
    sqlx::query("CREATE TABLE mine ()").execute(one.pool()).await?;
    let seen: bool = sqlx::query_scalar("SELECT to_regclass('mine') IS NOT NULL").fetch_one(other.pool()).await?;
    assert!(!seen);
    let ready: bool = sqlx::query_scalar(
        "SELECT to_regclass('apalis.jobs') IS NOT NULL AND to_regclass('public.accounts') IS NOT NULL",
    )
    .fetch_one(other.pool())
    .await?;
    assert!(ready, "the queue's tables and ours are there");
    one.close().await?;
    other.close().await
}

#[tokio::test]
async fn a_newer_schema_is_left_as_it_is_and_one_with_a_foreign_migration_is_refused() -> anyhow::Result<()> {
    let database = TestDatabase::new(migrate).await?;
    let applied = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
        VALUES ($1, 'of another release', true, '', 0)";
    sqlx::query(applied).bind(9_999_i64).execute(database.pool()).await?;
    store::migrate(database.pool()).await?;
    sqlx::query(applied).bind(0_i64).execute(database.pool()).await?;
    let refused = store::migrate(database.pool()).await;
    assert!(matches!(refused, Err(sqlx::migrate::MigrateError::VersionMissing(0))), "{refused:?}");
    database.close().await
}

#[tokio::test]
async fn a_database_is_dropped_even_while_it_is_in_use() -> anyhow::Result<()> {
    let database = TestDatabase::new(migrate).await?;
    let name = database.name().to_owned();
    let held = database.pool().acquire().await?;
    assert!(exists(&name).await?);
    drop(database);
    assert!(!exists(&name).await?);
    drop(held);
    Ok(())
}

#[tokio::test]
async fn its_url_leads_to_it() -> anyhow::Result<()> {
    let database = TestDatabase::new(migrate).await?;
    let pool = store::connect(&database.url(), store::PoolSize(1), "test").await?;
    let name: String = sqlx::query_scalar("SELECT current_database()").fetch_one(&pool).await?;
    assert_eq!(name, database.name());
    pool.close().await;
    database.close().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_databases_at_once_are_no_trouble() -> anyhow::Result<()> {
    TestDatabase::new(migrate).await?.close().await?;
    let began = Instant::now();
    let copies = futures_util::future::join_all((0..16).map(|_| TestDatabase::new(migrate))).await;
    for copy in copies {
        copy?.close().await?;
    }
    println!("16 databases made and dropped in {} ms", began.elapsed().as_millis());
    Ok(())
}
