//! The folders of one embedded server, and the creation of its cluster.
//!
//! Everything is in `<data dir>/postgres`: `data` (the cluster), `run` (the socket), `pg_hba.conf`, `server.log` and
//! `lock`. Only `postgres.password` is beside that folder, since the server's user must not read it. A cluster is
//! created as `data.tmp` and renamed when it is complete, so that a killed `initdb` leaves nothing that looks like one.
//! `process` starts and stops servers.

use std::fs::{self, File, OpenOptions, Permissions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::error::{During, EmbeddedError};
use super::identity::Identity;
use super::{Durability, PORT, ROLE};

/// Bytes that a socket's path may have, without its closing zero, which the kernel counts too.
const LONGEST_SOCKET_PATH: usize = 107;

/// A log of earlier runs that is larger than this is set aside at a start.
const LONGEST_LOG_BYTES: u64 = 16 << 20;

/// Bytes of the log's end that an error quotes at most.
const LOG_TAIL_BYTES: usize = 2_000;

/// Letters sort by code point everywhere and for good, so that an index never depends on the system's locale files.
const LOCALE: [&str; 3] = [
    "--encoding=UTF8",
    "--lc-collate=C",
    if cfg!(target_os = "macos") { "--lc-ctype=UTF-8" } else { "--lc-ctype=C.UTF-8" },
];

/// The folders and files of one embedded server. All paths are absolute.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    folder: PathBuf,
}

impl Layout {
    /// Creates `<data dir>/postgres` if it is missing.
    pub(super) fn prepare(data_dir: &Path) -> Result<Self, EmbeddedError> {
        let folder = data_dir.join("postgres");
        fs::create_dir_all(&folder).during("create", &folder)?;
        let folder = fs::canonicalize(&folder).during("find", &folder)?;
        Ok(Self { folder })
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    pub(super) fn log(&self) -> PathBuf {
        self.folder.join("server.log")
    }

    /// The path of the access rules: who may connect, and how.
    pub(super) fn rules(&self) -> PathBuf {
        self.folder.join("pg_hba.conf")
    }

    /// The path of the service's password.
    pub(super) fn password(&self) -> PathBuf {
        self.folder.with_file_name("postgres.password")
    }

    /// Gives the folder to the server's user, and to nobody else.
    pub(super) fn secure(&self, identity: &Identity) -> Result<(), EmbeddedError> {
        identity.take(&self.folder)?;
        fs::set_permissions(&self.folder, Permissions::from_mode(0o700)).during("close to others", &self.folder)?;
        identity.check_reachable(&self.folder)
    }

    /// Takes the lock, waiting for it if needed, under which one process at a time looks for, creates and starts the
    /// server. Dropping the file releases it.
    pub(super) fn lock(&self) -> Result<File, EmbeddedError> {
        let path = self.folder.join("lock");
        let file =
            OpenOptions::new().create(true).truncate(false).write(true).open(&path).during("open the lock", &path)?;
        file.lock().during("take the lock", &path)?;
        Ok(file)
    }

    /// Creates the cluster unless there is one. Returns whether it did.
    pub(super) fn init(&self, bin: &Path, who: &Identity, durability: Durability) -> Result<bool, EmbeddedError> {
        let data = self.data();
        if data.join("PG_VERSION").exists() {
            return Ok(false);
        }
        let unfinished = self.folder.join("data.tmp");
        if unfinished.exists() {
            fs::remove_dir_all(&unfinished).during("remove the unfinished", &unfinished)?;
        }
        tracing::info!("Making a PostgreSQL cluster in {}", data.display());
        let program = bin.join("initdb");
        let mut command = Command::new(&program);
        command.arg("-D").arg(&unfinished).args(["-U", ROLE, "--auth=reject", "--no-instructions"]).args(LOCALE);
        if durability == Durability::Tests {
            command.arg("--no-sync");
        }
        command.current_dir(&self.folder).env("LC_ALL", "C").stdin(Stdio::null());
        let output = who.apply(&mut command).output().during("run", &program)?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            return Err(EmbeddedError::Initdb { folder: data, said });
        }
        fs::rename(&unfinished, &data).during("name", &data)?;
        // The rename itself must outlive a power cut: initdb synced what is below it only.
        File::open(&self.folder).and_then(|folder| folder.sync_all()).during("sync", &self.folder)?;
        Ok(true)
    }

    /// Creates the folder for the socket: in the data folder, or under `/tmp` when that path would be too long. Returns
    /// its path.
    pub(super) fn socket_dir(&self, identity: &Identity) -> Result<PathBuf, EmbeddedError> {
        let near = self.folder.join("run");
        let dir =
            if socket_path(&near).as_os_str().len() <= LONGEST_SOCKET_PATH { near } else { self.short_socket_dir() };
        match fs::create_dir(&dir) {
            Ok(()) => identity.take(&dir)?,
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error).during("create", &dir),
        }
        // Anyone may have made something of this name under /tmp: a link, or another user's folder, is refused.
        let found = fs::symlink_metadata(&dir).during("look at", &dir)?;
        if !found.is_dir() || found.uid() != identity.uid() {
            return Err(EmbeddedError::ForeignSocketDir(dir));
        }
        fs::set_permissions(&dir, Permissions::from_mode(0o700)).during("close to others", &dir)?;
        Ok(dir)
    }

    fn short_socket_dir(&self) -> PathBuf {
        let mut hasher = DefaultHasher::new();
        self.folder.as_os_str().as_bytes().hash(&mut hasher);
        PathBuf::from(format!("/tmp/mws-{:016x}", hasher.finish()))
    }

    /// Opens the log for a new server. Returns it with its length in bytes before that server writes.
    pub(super) fn open_log(&self, identity: &Identity) -> Result<(File, u64), EmbeddedError> {
        let path = self.log();
        if fs::metadata(&path).is_ok_and(|found| found.len() > LONGEST_LOG_BYTES) {
            fs::rename(&path, path.with_extension("log.old")).during("set aside", &path)?;
        }
        let file = OpenOptions::new().create(true).append(true).open(&path).during("open", &path)?;
        identity.take(&path)?;
        let length = file.metadata().during("look at", &path)?.len();
        Ok((file, length))
    }

    /// Returns the log from byte `from` on, but no more than the last `LOG_TAIL_BYTES` of it.
    pub(super) fn log_since(&self, from: u64) -> String {
        let bytes = fs::read(self.log()).unwrap_or_default();
        let new = bytes.get(usize::try_from(from).unwrap_or(usize::MAX)..).unwrap_or_default();
        let end = &new[new.len().saturating_sub(LOG_TAIL_BYTES)..];
        String::from_utf8_lossy(end).trim().to_owned()
    }

    /// Returns the parsed `postmaster.pid` of the cluster; none when there is none, or it is not complete yet.
    pub(super) fn pid_file(&self) -> Option<PidFile> {
        PidFile::parse(&fs::read_to_string(self.data().join("postmaster.pid")).ok()?)
    }
}

/// Returns the path of the socket in `dir`.
pub(super) fn socket_path(dir: &Path) -> PathBuf {
    dir.join(format!(".s.PGSQL.{PORT}"))
}

/// The lines of `postmaster.pid` that are used here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PidFile {
    pub(super) pid: i32,
    pub(super) socket_dir: PathBuf,
    /// Whether the server has written that it accepts connections.
    pub(super) ready: bool,
}

impl PidFile {
    /// Returns none until the line of the socket is there: the server writes the lines one by one while it starts.
    fn parse(text: &str) -> Option<Self> {
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        let pid = lines.first()?.parse().ok().filter(|pid| *pid > 0)?;
        let socket_dir = PathBuf::from(lines.get(4).filter(|dir| !dir.is_empty())?);
        Some(Self { pid, socket_dir, ready: lines.get(7) == Some(&"ready") })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PID_FILE: &str = "4711\n/srv/data\n1763674500\n5432\n/srv/run\n\n  1234567   65536\nready   \n";

    #[test]
    fn a_pid_file_is_read_only_once_it_names_the_socket() {
        let whole = PidFile::parse(PID_FILE).unwrap();
        assert_eq!(whole, PidFile { pid: 4711, socket_dir: PathBuf::from("/srv/run"), ready: true });
        assert!(!PidFile::parse(&PID_FILE.replace("ready", "starting")).unwrap().ready);
        assert_eq!(PidFile::parse("4711\n/srv/data\n1763674500\n5432\n"), None);
        assert_eq!(PidFile::parse(""), None);
    }

    #[test]
    fn a_long_folder_gets_a_short_socket_path() {
        let layout = Layout { folder: PathBuf::from(format!("/srv/{}", "long/".repeat(30))) };
        assert!(socket_path(&layout.short_socket_dir()).as_os_str().len() <= LONGEST_SOCKET_PATH);
    }
}
