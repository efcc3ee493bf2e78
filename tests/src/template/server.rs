//! The server that all test processes of a checkout share, with fsync off.
//!
//! It stands under `/tmp`, where any user can reach it, in a folder named for the user and the checkout. Each process
//! holds a shared lock on `users` for as long as it lives, however it ends; a small watchdog stops the server when it
//! gets that lock for itself. The data stay, so the next run finds its template.

use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use anyhow::{Context, ensure};
use embedded_postgres::{Durability, EmbeddedPostgres, Lifetime, Options};
use rustix::process::{Pid, geteuid, test_kill_process};
use sha2::{Digest, Sha256};
use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions, PgConnection};

/// Stops the server `$1` when nobody has held the lock `$2` for some seconds. `$3` is the watchdogs' own lock: one is
/// enough. The server is looked up only once no new user can come, because it may have been another one before.
const WATCHDOG: &str = r#"
exec 8>"$3"
flock --nonblock 8 || exit 0
while sleep 3; do
    exec 9>>"$2"
    if flock --nonblock --exclusive 9; then
        pid=$(head -n 1 "$1" 2>/dev/null) || exit 0
        kill -s INT "$pid" || exit 0
        while [ -e "$1" ] && kill -s 0 "$pid" 2>/dev/null; do sleep 0.05; done
        exit 0
    fi
    exec 9>&-
done
"#;

/// The server of this checkout's tests.
#[derive(Debug)]
pub struct TestServer {
    postgres: EmbeddedPostgres,
    /// The shared lock that keeps the server alive.
    _users: File,
}

impl TestServer {
    /// The server, started or adopted by the first call in this process.
    pub fn shared() -> anyhow::Result<&'static Self> {
        static SHARED: OnceLock<Result<TestServer, String>> = OnceLock::new();
        let started = SHARED.get_or_init(|| Self::start().map_err(|error| format!("{error:#}")));
        started.as_ref().map_err(|error| anyhow::anyhow!("no test server: {error}"))
    }

    fn start() -> anyhow::Result<Self> {
        let home = home()?;
        let users_path = home.join("users");
        let users =
            OpenOptions::new().create(true).append(true).open(&users_path).context("could not open the lock")?;
        // A watchdog that is stopping the server holds it for itself: the server is gone when it can be shared.
        users.lock_shared().context("could not share the lock")?;
        let options =
            Options { durability: Durability::Tests, lifetime: Lifetime::Detached, ..Options::new(home.clone()) };
        let postgres = EmbeddedPostgres::start(&options)?;
        watch(&home, &users_path).context("could not start the server's watchdog")?;
        Ok(Self { postgres, _users: users })
    }

    /// How to connect to `database`.
    pub fn connect_options(&self, database: &str) -> PgConnectOptions {
        self.postgres.connect_options(database)
    }

    /// The same as a URL.
    pub fn url(&self, database: &str) -> String {
        self.postgres.url(database)
    }

    /// A connection for statements about databases. Each is opened anew: tests have a runtime each, and a connection
    /// can't outlive the runtime it was opened in.
    pub(super) async fn admin(&self) -> sqlx::Result<PgConnection> {
        self.connect_options("postgres").connect().await
    }
}

fn watch(home: &Path, users: &Path) -> std::io::Result<()> {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", WATCHDOG, "mws-test-watchdog"]);
    command.arg(home.join("postgres/data/postmaster.pid")).arg(users).arg(home.join("watchdog"));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0).current_dir("/");
    command.spawn().map(drop)
}

/// The folder of the server, made if missing.
fn home() -> anyhow::Result<PathBuf> {
    let uid = geteuid().as_raw();
    let mut key = hex::encode(Sha256::digest(root().as_os_str().as_encoded_bytes()));
    key.truncate(8);
    let home = PathBuf::from(format!("/tmp/mws-test-{uid}-{key}"));
    fs::create_dir_all(&home).with_context(|| format!("could not create {}", home.display()))?;
    let found = fs::symlink_metadata(&home)?;
    ensure!(found.is_dir() && found.uid() == uid, "{} belongs to somebody else", home.display());
    // PostgreSQL's own user must get through this folder. PostgreSQL closes what is inside to others by itself.
    fs::set_permissions(&home, Permissions::from_mode(0o711))?;
    Ok(home)
}

/// The checkout's folder.
fn root() -> &'static Path {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests.parent().unwrap_or(tests)
}

/// A name for the present schema: it differs as soon as a migration, the code that applies them, or the version of
/// the queue, which brings its own, differs.
pub(super) fn migrations_fingerprint() -> anyhow::Result<String> {
    let migrations = root().join("migrations");
    let mut files: Vec<PathBuf> = fs::read_dir(&migrations)
        .with_context(|| format!("could not list {}", migrations.display()))?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "sql"));
    files.sort();
    files.push(root().join("common/store/src/migrations.rs"));
    let mut hash = Sha256::new();
    for file in files {
        hash.update(fs::read(&file).with_context(|| format!("could not read {}", file.display()))?);
    }
    let lock = fs::read_to_string(root().join("Cargo.lock")).context("could not read Cargo.lock")?;
    let queue = lock.split("[[package]]").find(|package| package.contains("name = \"apalis-postgres\""));
    hash.update(queue.context("Cargo.lock does not name apalis-postgres")?);
    Ok(hash.finalize().iter().take(8).fold(String::new(), |mut text, byte| {
        let _infallible = write!(text, "{byte:02x}");
        text
    }))
}

/// Whether the process that made the database `t_<pid>_<number>` still lives. A template has no owner.
pub(super) fn owner_lives(database: &str) -> bool {
    let pid = database.strip_prefix("t_").and_then(|rest| rest.split_once('_')).and_then(|(pid, _)| pid.parse().ok());
    pid.and_then(Pid::from_raw).is_some_and(|pid| test_kill_process(pid).is_ok())
}
