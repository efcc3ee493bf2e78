//! Checks of the database: reachable, migrated, notifications, clocks, queues, and the balances.

mod books;
mod notices;

use super::finding::Finding;
use crate::output::counted;
use books::{audit_log, journal, rows_hold, seals};
use domain::ids::MediaFolderId;
use domain::task::Task;
use domain::verdict::thresholds::{JOB_WAITS_SECONDS, SILENT_SECONDS};
use domain::verdict::{Clock, Process, Replica, State, clocks_off, fallen, past, some_of, span};
use notices::notices;
use runtime::clock::Clocks;
use runtime::config::Settings;
use sqlx::{PgConnection, PgPool};
use std::time::{Duration, Instant};
use store::PoolSize;
use store::generations::FailingMaker;
use store::inspect::{self, Living};
use store::verdict::{self, ProcessRow};

/// Extensions that the migrations need.
const EXTENSIONS: [&str; 4] = ["hstore", "pgcrypto", "pg_trgm", "btree_gin"];
/// The oldest server that the service is tested on.
const OLDEST_MAJOR: u32 = 14;
/// Seconds within which an api was asked whether it is ready, for it to be known to run.
const API_HEARD_SECONDS: f64 = 60.0;
const LISTEN_TIMEOUT: Duration = Duration::from_secs(2);

/// What a look at the database found.
pub(super) struct Found {
    /// What each check found.
    pub findings: Vec<Finding>,
    /// The models whose providers answer nothing, in the order of their names; none where the schema is older.
    pub failing: Vec<FailingMaker>,
    /// The id of the folder that its media is in; none where it knows none, or the schema is older.
    pub media: Option<MediaFolderId>,
}

impl From<Finding> for Found {
    fn from(one: Finding) -> Self {
        Self { findings: vec![one], failing: Vec::new(), media: None }
    }
}

/// Runs every check of the database; only the first when it can't be reached.
pub(super) async fn look(settings: &Settings) -> Found {
    let url = settings.database_url.as_deref().unwrap_or_default();
    let pool = match store::connect(url, PoolSize(3), "mws-doctor").await {
        Ok(pool) => pool,
        Err(error) => {
            let cure = "see that PostgreSQL runs and that DATABASE_URL is right";
            return Finding::problem("database", format!("can't be reached: {error}"), cure).into();
        }
    };
    let lent = || -> Found {
        let cure = "set the pooler to session mode, or name the database itself in DATABASE_URL";
        Finding::problem("database", "is behind a pooler that lends a connection for one transaction", cure).into()
    };
    if let Ok(true) = inspect::is_lent_by_transaction(&pool).await {
        pool.close().await;
        return lent();
    }
    let found = all(&pool, settings).await.unwrap_or_else(|error| {
        if store::is_lent_by_transaction(&error) {
            return lent();
        }
        let cure = "a database that `mws up` or a service has not prepared can't be looked at: start one of them once";
        Finding::problem("schema", format!("can't be read: {error}"), cure).into()
    });
    pool.close().await;
    found
}

async fn all(pool: &PgPool, settings: &Settings) -> sqlx::Result<Found> {
    let mut conn = pool.acquire().await?;
    let heard = |one: &ProcessRow| one.service == "api" && one.silent_seconds < API_HEARD_SECONDS;
    let processes = verdict::processes(&mut conn).await?;
    let apis = processes.iter().filter(|one| heard(one)).count();
    let findings = vec![
        server(&mut conn).await?,
        schema(&mut conn).await?,
        replicas(&mut conn).await?,
        extensions(&mut conn).await?,
        queue(&mut conn).await?,
        listen(pool, settings).await,
        clocks(&mut conn, &processes).await?,
        workers(&verdict::fleet(&mut conn).await?, apis),
        engines(&inspect::living(&mut conn).await?),
        backlog(&mut conn).await?,
        journal(&mut conn).await?,
        rows_hold(&mut conn).await?,
        seals(&mut conn, settings).await?,
        audit_log(&mut conn).await?,
        notices(&mut conn, settings).await?,
    ];
    if store::pending_migrations(&mut conn).await? > 0 {
        return Ok(Found { findings, failing: Vec::new(), media: None });
    }
    let (failing, media) = (failing(&mut conn).await?, store::media_folder::id(&mut conn).await?);
    Ok(Found { findings, failing, media })
}

/// The models whose providers answer nothing, in the order of their names.
async fn failing(conn: &mut PgConnection) -> sqlx::Result<Vec<FailingMaker>> {
    let mut failing = store::generations::failing(conn).await?;
    failing.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(failing)
}

async fn server(conn: &mut PgConnection) -> sqlx::Result<Finding> {
    let began = Instant::now();
    let version = inspect::server_version(conn).await?;
    let away_ms = began.elapsed().as_secs_f64() * 1000.0;
    let value = format!("PostgreSQL {version}, {away_ms:.1} ms away");
    let major: u32 = version.split('.').next().and_then(|major| major.parse().ok()).unwrap_or_default();
    Ok(if major >= OLDEST_MAJOR {
        Finding::fine("database", value)
    } else {
        Finding::problem("database", value, format!("PostgreSQL {OLDEST_MAJOR} or later is needed"))
    })
}

async fn schema(conn: &mut PgConnection) -> sqlx::Result<Finding> {
    let version = inspect::schema_version(&mut *conn).await?;
    let found = verdict::schema(conn).await?;
    let is_new = found.pending == 0;
    let behind = counted(usize::try_from(found.pending).unwrap_or_default(), "migration");
    let stands = if is_new { "up to date".to_owned() } else { format!("{behind} behind this build") };
    let value = format!("version {version}, {stands}");
    let Some(failed) = found.failed else {
        let cure = "start any of the services: each brings the schema up to date";
        return Ok(if is_new { Finding::fine("schema", value) } else { Finding::problem("schema", value, cure) });
    };
    let value =
        format!("{value}; migration {} failed {} ago: {}", failed.version, span(failed.seconds), failed.message);
    let cure =
        "no service of its release starts before it is applied: put right what the database says, then `mws migrate`";
    // What runs goes on where only a release to come is kept from starting.
    Ok(if is_new { Finding::warning("schema", value, cure) } else { Finding::problem("schema", value, cure) })
}

async fn replicas(conn: &mut PgConnection) -> sqlx::Result<Finding> {
    let replicas = verdict::replicas(conn).await?;
    if replicas.is_empty() {
        return Ok(Finding::fine("replicas", "none follows that this role can see"));
    }
    let words = |one: &Replica| match (one.is_connected, one.lag_bytes.max(0) >> 20) {
        (true, mib) => format!("{} {} and {mib} MiB behind", one.name, span(one.lag_seconds)),
        (false, mib) => format!("{} not connected, {mib} MiB kept for it", one.name),
    };
    let value = replicas.iter().map(words).collect::<Vec<_>>().join(", ");
    Ok(if replicas.iter().all(|one| one.is_connected && !one.is_behind()) {
        Finding::fine("replicas", value)
    } else {
        let cure = "see its log, its disk and the network to it; if it is gone for good, SELECT \
                    pg_drop_replication_slot('NAME'), or what is kept for it fills the disk";
        Finding::warning("replicas", value, cure)
    })
}

async fn extensions(conn: &mut PgConnection) -> sqlx::Result<Finding> {
    let missing = inspect::missing_extensions(conn, &EXTENSIONS.map(str::to_owned)).await?;
    Ok(if missing.is_empty() {
        Finding::fine("extensions", EXTENSIONS.join(", "))
    } else {
        let create: Vec<String> = missing.iter().map(|name| format!("CREATE EXTENSION {name};")).collect();
        Finding::problem("extensions", format!("missing: {}", missing.join(", ")), create.join(" "))
    })
}

async fn queue(conn: &mut PgConnection) -> sqlx::Result<Finding> {
    Ok(if inspect::has_our_queue_function(conn).await? {
        Finding::fine("queue", "tickets of webhooks are fetched by our function")
    } else {
        let cure = "run the statement of migrations/0018_tickets_planned_once.sql that makes apalis.get_jobs";
        Finding::problem(
            "queue",
            "apalis.get_jobs is not the one of this service: tickets of webhooks are fetched slowly, and workers of the release before get none",
            cure,
        )
    })
}

async fn listen(pool: &PgPool, settings: &Settings) -> Finding {
    if !settings.database_notify {
        return Finding::fine(
            "listen",
            "off (MWS_DATABASE_NOTIFY): processes look for work each second, and for what others tell each two to ten"
                .to_owned(),
        );
    }
    // One connection listens, the other notifies.
    let direct =
        settings.database_direct_url.as_deref().map(|url| store::connect_lazily(url, PoolSize(2), "mws-doctor"));
    let direct = match direct.transpose() {
        Ok(direct) => direct,
        Err(error) => {
            let cure = "set MWS_DATABASE_DIRECT_URL to postgres://user@host/database";
            return Finding::problem("listen", format!("MWS_DATABASE_DIRECT_URL can't be read: {error}"), cure);
        }
    };
    let began = Instant::now();
    if let Ok(true) = inspect::hears_notifications(direct.as_ref().unwrap_or(pool), LISTEN_TIMEOUT).await {
        return Finding::fine("listen", format!("heard after {:.1} ms", began.elapsed().as_secs_f64() * 1000.0));
    }
    let cure = "MWS_DATABASE_DIRECT_URL, or else DATABASE_URL, must lead to PostgreSQL itself; where it can't notify, set \
                MWS_DATABASE_NOTIFY=false";
    Finding::problem("listen", "notifications are not heard: work waits for the next poll", cure)
}

/// This host's clock and those of the processes that live, by the rule of the verdict of `mws health`.
async fn clocks(conn: &mut PgConnection, processes: &[ProcessRow]) -> sqlx::Result<Finding> {
    let here = Clock { whose: "this host".to_owned(), ahead_ms: Clocks::read(conn).await?.skew_ms() };
    let clocks = verdict::clocks(processes, Some(here));
    let Some((state, sentence)) = clocks_off(&clocks) else {
        let most = clocks.iter().map(|one| one.ahead_ms.saturating_abs()).max().unwrap_or_default();
        return Ok(Finding::fine("clock", format!("within {most} ms of the database's")));
    };
    let cure = "synchronise these hosts and the database's (NTP): times in logs, requests to a bucket and certificates go by \
                a host's clock; leases, due times and webhooks' signatures by the database's";
    let value = sentence.trim_end_matches('.');
    Ok(if state == State::Failing {
        Finding::problem("clock", value, cure)
    } else {
        Finding::warning("clock", value, cure)
    })
}

/// The processes that live, and those that ended without a word, by the rule of the verdict of `mws health`. `apis`:
/// how many of those were heard of.
fn workers(fleet: &[Process], apis: usize) -> Finding {
    let lives = |one: &&Process| one.silent_seconds < SILENT_SECONDS;
    let of = |service: &str| fleet.iter().filter(lives).filter(|process| process.service == service).count();
    let (workers, schedulers) = (of("worker"), of("scheduler"));
    let value = format!("{}, {}", counted(workers, "worker"), counted(schedulers, "scheduler"));
    match (workers, schedulers) {
        (0, 0) => {
            let cure =
                "start the service: `mws up`, or where its parts are apart `mws-api`, `mws-worker` and `mws-scheduler`";
            let so = if apis == 0 { "nothing is running" } else { "an api runs, and nothing that works" };
            return Finding::problem("workers", format!("{value}: {so}"), cure);
        }
        (0, _) => {
            let cure = "start a worker (`mws-worker`): until then jobs, uploads and webhooks wait";
            return Finding::problem("workers", value, cure);
        }
        (_, 0) => {
            let cure = "start a scheduler (`mws-scheduler`): until then what crashes is not taken up";
            return Finding::problem("workers", value, cure);
        }
        _ => {}
    }
    let dead = fallen(fleet);
    let open = dead.iter().filter(|one| !one.is_past()).map(|one| {
        let process = one.process;
        let so = if one.has_successor() { "its jobs are not all taken over" } else { "none was started in its place" };
        format!("{} {} silent for {}, {so}", process.service, process.name, span(process.silent_seconds))
    });
    let open: Vec<String> = open.collect();
    if open.is_empty() {
        // What is past is a sentence of its own.
        return Finding::fine("workers", format!("{value}.{}", past(&dead)).trim_end_matches('.').to_owned());
    }
    let cure = "see in its log and its host's why it ended; start one in its place, or go on with fewer: an hour later \
                it is told no more";
    Finding::warning("workers", format!("{value}; {}", some_of(&open)), cure)
}

/// The tasks that live workers can run, with their engines, as their rows say.
fn engines(fleet: &[Living]) -> Finding {
    let live = fleet.iter().filter(|process| process.silent_seconds < SILENT_SECONDS);
    let workers: Vec<&Living> = live.filter(|process| process.service == "worker").collect();
    if workers.is_empty() {
        return Finding::warning("engines", "no worker lives", "`mws up`, or a worker: its row says what it can run");
    }
    let (mut known, mut missing) = (Vec::new(), Vec::new());
    for task in Task::ALL {
        let mut engines: Vec<&str> =
            workers.iter().filter_map(|worker| worker.engines.get(task.name())?.as_str()).collect();
        engines.sort_unstable();
        engines.dedup();
        if engines.is_empty() {
            missing.push(task.name());
        } else {
            known.push(format!("{} ({})", task.name(), engines.join(" or ")));
        }
    }
    let value = known.join(", ");
    if missing.is_empty() {
        return Finding::fine("engines", value);
    }
    let cure = "see what MWS_READS leaves out, and `mws doctor --only machine` where those workers run";
    Finding::warning("engines", format!("{value}; no worker runs {}", missing.join(", ")), cure)
}

async fn backlog(conn: &mut PgConnection) -> sqlx::Result<Finding> {
    let (job, delivery) = inspect::oldest_due_seconds(conn).await?;
    let value = format!("oldest due job {job:.0} s, oldest due delivery {delivery:.0} s");
    Ok(if job.max(delivery) < JOB_WAITS_SECONDS {
        Finding::fine("backlog", value)
    } else {
        Finding::warning("backlog", value, "add workers, or see why those there are take nothing")
    })
}
