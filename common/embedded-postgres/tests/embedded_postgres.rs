//! The embedded server, run for real: started, adopted, stopped, killed and started again.
//!
//! The data folders are in `/tmp`: started by root, the server runs as another user, who must be able to reach them.

#![expect(clippy::unwrap_used, reason = "a test says what went wrong by panicking")]

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use embedded_postgres::{Durability, EmbeddedError, EmbeddedPostgres, Lifetime, Options};
use rustix::process::{Pid, Signal, kill_process};
use sqlx::{ConnectOptions, Connection, Executor, PgConnection, Row};

/// A data folder that every user can reach, removed at the end.
fn data_dir() -> tempfile::TempDir {
    let dir = tempfile::Builder::new().prefix("mws-embedded-").tempdir_in("/tmp").unwrap();
    fs::set_permissions(dir.path(), Permissions::from_mode(0o755)).unwrap();
    dir
}

fn quick(data_dir: &Path) -> Options {
    Options { durability: Durability::Tests, ..Options::new(data_dir) }
}

fn pid_file(data_dir: &Path) -> PathBuf {
    data_dir.join("postgres/data/postmaster.pid")
}

fn server_pid(data_dir: &Path) -> Pid {
    let text = fs::read_to_string(pid_file(data_dir)).unwrap();
    Pid::from_raw(text.lines().next().unwrap().parse().unwrap()).unwrap()
}

fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_mins(2);
    while !condition() {
        assert!(Instant::now() < deadline, "not in time: {what}");
        thread::yield_now();
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// Runs `work` on a connection to the database `mws`, which is made if missing.
fn with_connection<T>(server: &EmbeddedPostgres, work: impl AsyncFnOnce(&mut PgConnection) -> T) -> T {
    runtime().block_on(async {
        server.create_database_if_missing("mws").await.unwrap();
        let mut connection = server.connect_options("mws").connect().await.unwrap();
        let answer = work(&mut connection).await;
        connection.close().await.unwrap();
        answer
    })
}

fn setting(server: &EmbeddedPostgres, name: &str) -> String {
    let show = sqlx::AssertSqlSafe(format!("SHOW {name}"));
    with_connection(server, async |connection| connection.fetch_one(show).await.unwrap().get(0))
}

#[test]
fn a_server_starts_holds_what_it_is_given_and_stops() {
    let dir = data_dir();
    let server = EmbeddedPostgres::start(&quick(dir.path())).unwrap();
    assert!(server.is_owner());
    with_connection(&server, async |connection| {
        connection.execute("CREATE EXTENSION hstore; CREATE TABLE kept AS SELECT 42 AS answer").await.unwrap();
    });
    server.stop();
    assert!(!pid_file(dir.path()).exists(), "a clean stop removes the pid file");

    let server = EmbeddedPostgres::start(&quick(dir.path())).unwrap();
    let answer: i32 = with_connection(&server, async |connection| {
        sqlx::query_scalar("SELECT answer FROM kept").fetch_one(connection).await.unwrap()
    });
    assert_eq!(answer, 42);
    drop(server);
    assert!(!pid_file(dir.path()).exists(), "dropping the owner's value stops the server");
}

#[test]
fn users_get_fsync_and_a_socket_of_their_own() {
    let dir = data_dir();
    let mut options = Options::new(dir.path());
    options.settings.push(("work_mem".to_owned(), "7MB".to_owned()));
    let server = EmbeddedPostgres::start(&options).unwrap();
    for (name, value) in [("fsync", "on"), ("full_page_writes", "on"), ("synchronous_commit", "on")] {
        assert_eq!(setting(&server, name), value, "{name}");
    }
    assert_eq!(setting(&server, "work_mem"), "7MB");
    assert_eq!(setting(&server, "listen_addresses"), "");
    assert_eq!(setting(&server, "lc_collate"), "C");
    let mode = fs::metadata(server.socket_dir()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[test]
fn a_second_start_adopts_the_live_server_and_leaves_it_running() {
    let dir = data_dir();
    let owner = EmbeddedPostgres::start(&quick(dir.path())).unwrap();
    let adopter = EmbeddedPostgres::start(&quick(dir.path())).unwrap();
    assert!(!adopter.is_owner());
    assert_eq!(adopter.socket_dir(), owner.socket_dir());
    assert_eq!(setting(&adopter, "fsync"), "off");
    adopter.stop();
    assert_eq!(setting(&owner, "fsync"), "off", "the owner's server runs on");
}

#[test]
fn simultaneous_starts_make_one_server() {
    let dir = data_dir();
    let options = Options { lifetime: Lifetime::Detached, ..quick(dir.path()) };
    let servers: Vec<EmbeddedPostgres> = thread::scope(|scope| {
        let starts: Vec<_> = (0..4).map(|_| scope.spawn(|| EmbeddedPostgres::start(&options).unwrap())).collect();
        starts.into_iter().map(|start| start.join().unwrap()).collect()
    });
    assert_eq!(servers.iter().filter(|server| server.is_owner()).count(), 1);
    servers.into_iter().for_each(EmbeddedPostgres::stop);
    assert!(!pid_file(dir.path()).exists());
}

#[test]
fn a_killed_server_comes_back_with_what_was_committed() {
    let dir = data_dir();
    let server = EmbeddedPostgres::start(&Options::new(dir.path())).unwrap();
    // A busy session outlives its postmaster for a moment. Until it ends, the postmaster's lock file counts.
    let busy = server.connect_options("postgres");
    let session = thread::spawn(move || {
        runtime().block_on(async { busy.connect().await.unwrap().execute("SELECT pg_sleep(60)").await.is_err() })
    });
    with_connection(&server, async |connection| {
        connection.execute("CREATE TABLE kept AS SELECT generate_series(1, 1000) AS n").await.unwrap();
    });
    kill_process(server_pid(dir.path()), Signal::KILL).unwrap();
    drop(server);
    assert!(pid_file(dir.path()).exists(), "a killed server leaves its pid file");

    let server = EmbeddedPostgres::start(&Options::new(dir.path())).unwrap();
    assert!(server.is_owner());
    let kept: i64 = with_connection(&server, async |connection| {
        sqlx::query_scalar("SELECT count(*) FROM kept").fetch_one(connection).await.unwrap()
    });
    assert_eq!(kept, 1000);
    assert!(session.join().unwrap(), "the session died with its server");
}

#[cfg(target_os = "linux")]
#[test]
fn a_server_ends_with_the_thread_that_started_it() {
    let dir = data_dir();
    let path = dir.path().to_path_buf();
    // Forgetting the value imitates a kill -9 of this process: nothing is dropped.
    let pid = thread::spawn(move || {
        std::mem::forget(EmbeddedPostgres::start(&quick(&path)).unwrap());
        server_pid(&path)
    });
    pid.join().unwrap();
    wait_until("the server's end", || !pid_file(dir.path()).exists());
}

#[test]
fn a_detached_server_outlives_its_value() {
    let dir = data_dir();
    let options = Options { lifetime: Lifetime::Detached, ..quick(dir.path()) };
    drop(EmbeddedPostgres::start(&options).unwrap());
    let adopter = EmbeddedPostgres::start(&options).unwrap();
    assert!(!adopter.is_owner());
    kill_process(server_pid(dir.path()), Signal::INT).unwrap();
    wait_until("the server's end", || !pid_file(dir.path()).exists());
}

#[test]
fn a_long_data_folder_gets_a_short_socket() {
    let dir = data_dir();
    let deep = dir.path().join("a folder with spaces, and a comma/".repeat(5));
    let server = EmbeddedPostgres::start(&quick(&deep)).unwrap();
    assert!(server.socket_dir().as_os_str().len() < 60, "{}", server.socket_dir().display());
    assert_eq!(setting(&server, "fsync"), "off");
    let socket_dir = server.socket_dir().to_path_buf();
    server.stop();
    fs::remove_dir(socket_dir).unwrap();
}

#[test]
fn spaces_and_commas_in_the_folder_do_no_harm() {
    let dir = data_dir();
    let server = EmbeddedPostgres::start(&quick(&dir.path().join("a b, c"))).unwrap();
    assert!(server.socket_dir().starts_with(dir.path()));
    let options: sqlx::postgres::PgConnectOptions = server.url("postgres").parse().unwrap();
    assert_eq!(options.get_socket(), Some(&server.socket_dir().to_path_buf()));
    assert_eq!(setting(&server, "fsync"), "off");
}

#[test]
fn a_wrong_setting_is_told_in_the_servers_own_words() {
    let dir = data_dir();
    let mut options = quick(dir.path());
    options.settings.push(("shared_buffers".to_owned(), "a lot".to_owned()));
    let error = EmbeddedPostgres::start(&options).unwrap_err();
    assert!(matches!(&error, EmbeddedError::Ended { tail, .. } if tail.contains("shared_buffers")), "{error}");
}

#[test]
fn root_is_told_of_the_folder_that_the_server_cant_enter() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let dir = data_dir();
    fs::set_permissions(dir.path(), Permissions::from_mode(0o700)).unwrap();
    let error = EmbeddedPostgres::start(&quick(dir.path())).unwrap_err();
    let blames = |folder: &Path| folder == dir.path();
    assert!(matches!(&error, EmbeddedError::Unreachable { folder, .. } if blames(folder)), "{error}");
}

/// Returns the error code with which the server refuses this password; `None` if it lets us in.
fn refusal(server: &EmbeddedPostgres, password: Option<&str>) -> Option<String> {
    let bare = sqlx::postgres::PgConnectOptions::new_without_pgpass().socket(server.socket_dir()).username("mws");
    let options = bare.database("postgres").password(password.unwrap_or_default());
    let error = runtime().block_on(options.connect()).err()?;
    Some(error.as_database_error().map_or_else(|| error.to_string(), |error| error.code().unwrap().into_owned()))
}

#[test]
fn a_cluster_that_trusted_its_socket_asks_for_a_password_once_it_serves_users() {
    let dir = data_dir();
    let trusting = EmbeddedPostgres::start(&quick(dir.path())).unwrap();
    with_connection(&trusting, async |connection| {
        connection.execute("CREATE TABLE kept AS SELECT 42 AS answer").await.unwrap();
    });
    assert_eq!(refusal(&trusting, None), None, "servers of tests trust their socket");
    trusting.stop();

    let password = dir.path().join("postgres.password");
    assert!(!password.exists());
    for round in 0..2 {
        let server = EmbeddedPostgres::start(&Options::new(dir.path())).unwrap();
        assert_eq!(fs::metadata(&password).unwrap().permissions().mode() & 0o777, 0o600);
        let right = fs::read_to_string(&password).unwrap();
        for wrong in [None, Some("wrong")] {
            assert!(refusal(&server, wrong).is_some(), "{wrong:?} in round {round}");
        }
        assert_eq!(refusal(&server, Some(right.trim())), None);
        let answer: i32 = with_connection(&server, async |connection| {
            sqlx::query_scalar("SELECT answer FROM kept").fetch_one(connection).await.unwrap()
        });
        assert_eq!(answer, 42);
        let by_address: sqlx::postgres::PgConnectOptions = server.url("postgres").parse().unwrap();
        runtime().block_on(by_address.connect()).unwrap();
        server.stop();
        // A password that is lost is made anew.
        if round == 0 {
            fs::remove_file(&password).unwrap();
        }
    }
    let log = fs::read_to_string(dir.path().join("postgres/server.log")).unwrap();
    assert!(!log.contains(fs::read_to_string(&password).unwrap().trim()), "the password is in the server's log");
}
