//! The servers that follow the database, as the verdict sees them: one that lags, and one that left.

use anyhow::{Context, bail};
use mws_tests::template::OwnServer;
use mws_tests::world::{World, until};
use sqlx::PgConnection;
use std::sync::Arc;
use store::fleet::{self, Member, Service};
use store::verdict;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;

/// Bytes of log that a test writes, or fewer than it does.
const WRITTEN: i64 = 500_000;

/// Follows a server as a standby does, by PostgreSQL's protocol of replication, and says how far it is. It keeps
/// nothing.
struct Follower {
    stream: UnixStream,
}

impl Follower {
    /// Connects under this name, and asks for the log from this place on.
    async fn start(server: &OwnServer, database: &str, name: &str, from: u64) -> anyhow::Result<Self> {
        let options = server.connect_options(database);
        let folder = options.get_socket().context("the server has no socket")?;
        let stream = UnixStream::connect(folder.join(format!(".s.PGSQL.{}", options.get_port()))).await?;
        let mut follower = Self { stream };
        let mut startup = 196_608_i32.to_be_bytes().to_vec();
        for (parameter, value) in [
            ("user", options.get_username()),
            ("database", database),
            ("replication", "database"),
            ("application_name", name),
        ] {
            startup.extend(format!("{parameter}\0{value}\0").bytes());
        }
        startup.push(0);
        follower.send(None, &startup).await?;
        follower.wait_for(b'Z').await?;
        let begin = format!("START_REPLICATION PHYSICAL {:X}/{:X}\0", from >> 32, from & 0xffff_ffff);
        follower.send(Some(b'Q'), begin.as_bytes()).await?;
        follower.wait_for(b'W').await?;
        Ok(follower)
    }

    /// Says that everything before this place is written, flushed and applied.
    async fn confirm(&mut self, at: u64) -> anyhow::Result<()> {
        let mut reply = vec![b'r'];
        reply.extend([at; 3].iter().flat_map(|place| place.to_be_bytes()));
        // By no clock, and without a wish for an answer.
        reply.extend([0; 9]);
        self.send(Some(b'd'), &reply).await
    }

    /// Sends a message. The first one of a connection has no kind.
    async fn send(&mut self, kind: Option<u8>, body: &[u8]) -> anyhow::Result<()> {
        let length = i32::try_from(body.len() + 4)?.to_be_bytes();
        let message: Vec<u8> = kind.into_iter().chain(length).chain(body.iter().copied()).collect();
        Ok(self.stream.write_all(&message).await?)
    }

    /// Reads messages until one of this kind has come.
    async fn wait_for(&mut self, wanted: u8) -> anyhow::Result<()> {
        loop {
            let (kind, length) = (self.stream.read_u8().await?, self.stream.read_i32().await?);
            let mut body = vec![0; usize::try_from(length - 4)?];
            self.stream.read_exact(&mut body).await?;
            match kind {
                b'E' => bail!("the server refuses: {}", String::from_utf8_lossy(&body)),
                kind if kind == wanted => return Ok(()),
                _ => {}
            }
        }
    }
}

/// The end of the log that is on disk.
async fn flushed(conn: &mut PgConnection) -> anyhow::Result<u64> {
    let asked = sqlx::query_scalar("SELECT (pg_current_wal_flush_lsn() - '0/0'::pg_lsn)::bigint");
    let place: i64 = asked.fetch_one(conn).await?;
    Ok(u64::try_from(place)?)
}

/// Waits until the follower is seen to be so many bytes behind.
async fn lags(world: &World, wanted: fn(i64) -> bool) -> anyhow::Result<()> {
    until("the replica is as far as it is to be", async || {
        let found = verdict::replicas(&mut *world.pool().acquire().await?).await?;
        let seen = found.iter().find(|one| one.name == "standby_a" && one.is_connected);
        Ok(seen.is_some_and(|one| wanted(one.lag_bytes)).then_some(()))
    })
    .await
}

#[tokio::test]
async fn a_replica_that_lags_is_seen_by_what_it_has_applied() -> anyhow::Result<()> {
    let server = Arc::new(OwnServer::start().await?);
    let world = World::on(&server).await?;
    let mut conn = world.pool().acquire().await?;
    let database: String = sqlx::query_scalar("SELECT current_database()::text").fetch_one(&mut *conn).await?;
    let from = flushed(&mut conn).await?;
    let mut follower = Follower::start(&server, &database, "standby_a", from).await?;
    follower.confirm(from).await?;
    lags(&world, |bytes| bytes < WRITTEN).await?;
    let write = "CREATE TABLE written AS SELECT repeat('x', 1000) AS x FROM generate_series(1, 1000)";
    sqlx::query(write).execute(&mut *conn).await?;
    lags(&world, |bytes| bytes >= WRITTEN).await?;
    follower.confirm(flushed(&mut conn).await?).await?;
    lags(&world, |bytes| bytes < WRITTEN).await?;
    drop(follower);
    drop(conn);
    world.end().await
}

#[tokio::test]
async fn a_replica_that_left_is_named_by_the_slot_that_is_kept_for_it() -> anyhow::Result<()> {
    let server = Arc::new(OwnServer::start().await?);
    let world = World::on(&server).await?;
    let mut conn = world.pool().acquire().await?;
    for (name, service) in [("one", Service::Worker), ("another", Service::Scheduler)] {
        fleet::beat(&mut conn, Member { name, host: "here", service, clock_ahead_ms: None }).await?;
    }
    assert_eq!(verdict::replicas(&mut conn).await?, []);
    let slot = "SELECT pg_create_physical_replication_slot('standby_b', true)";
    sqlx::query(slot).execute(&mut *conn).await?;
    let found = verdict::replicas(&mut conn).await?;
    let seen: Vec<(&str, bool)> = found.iter().map(|one| (one.name.as_str(), one.is_connected)).collect();
    assert_eq!(seen, [("standby_b", false)]);
    let report = domain::verdict::report(&verdict::snapshot(&mut conn, None, None).await?);
    let told = report.axes.iter().find(|axis| axis.sentence.contains("`standby_b` is not connected"));
    assert_eq!(told.and_then(|axis| axis.next.as_deref()), Some("mws doctor --only replicas"), "{report:?}");
    sqlx::query("SELECT pg_drop_replication_slot('standby_b')").execute(&mut *conn).await?;
    assert_eq!(verdict::replicas(&mut conn).await?, []);
    drop(conn);
    world.end().await
}
