//! The errors of the embedded server, worded for the person who started the service.
//!
//! Every message names the folder, the program or the user concerned, and what to do about it. The server's own
//! messages are in its log, and the end of that log is quoted when it explains the failure.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Why the embedded server is not running, or did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum EmbeddedError {
    /// `PG_BIN_DIR` names a folder without the server's programs.
    #[error("PG_BIN_DIR is {}, but there are no `postgres` and `initdb` in it", .0.display())]
    NotInBinDir(PathBuf),

    /// No folder that was searched holds the server's programs.
    #[error(
        "PostgreSQL's server programs were not found. Install them with `{install}`, or name their folder in \
         PG_BIN_DIR, or set DATABASE_URL to use a server of your own"
    )]
    ProgramsMissing {
        /// The command that installs them on this machine.
        install: &'static str,
    },

    /// This process is root, and neither `postgres` nor `nobody` exists to run the server as.
    #[error("PostgreSQL won't run as root, and there is no user `postgres` or `nobody` to run it as")]
    NoServerUser,

    /// The user that the server runs as can't enter a folder on the way.
    #[error(
        "PostgreSQL won't run as root, so it runs as the user `{user}`, who can't enter {} on the way to {}. \
         Choose a folder that every user can reach (MWS_DATA_DIR=/var/lib/mws for example), or don't run as root",
        .folder.display(), .wanted.display()
    )]
    Unreachable {
        /// The user that the server runs as.
        user: String,
        /// The folder that this user can't enter.
        folder: PathBuf,
        /// The folder that the server needs to reach.
        wanted: PathBuf,
    },

    /// The folder for the socket exists and belongs to somebody else.
    #[error("the socket folder {} belongs to another user: remove it, or choose a shorter data folder", .0.display())]
    ForeignSocketDir(PathBuf),

    /// `initdb` failed.
    #[error("initdb could not make a cluster in {}: {said}", .folder.display())]
    Initdb {
        /// The folder where the cluster should be.
        folder: PathBuf,
        /// What initdb wrote to its standard error.
        said: String,
    },

    /// The cluster's role could not be given its password.
    #[error("PostgreSQL's password could not be set in {}: {said}", .folder.display())]
    Password {
        /// The folder of the cluster.
        folder: PathBuf,
        /// What PostgreSQL wrote to its standard error.
        said: String,
    },

    /// The server ended before it was ready.
    #[error("PostgreSQL ended while it was starting; its log {} ends with:\n{tail}", .log.display())]
    Ended {
        /// The server's log.
        log: PathBuf,
        /// The end of that log.
        tail: String,
    },

    /// The server was not ready in time, or another process blocks it.
    #[error("PostgreSQL was not ready after {} s; see its log {}", .after.as_secs(), .log.display())]
    Timeout {
        /// How long the service waited.
        after: Duration,
        /// The server's log.
        log: PathBuf,
    },

    /// The system refused an action on a folder, a file or a program.
    #[error("could not {doing} {}: {source}", .path.display())]
    Io {
        /// The action, as in "could not `create` …".
        doing: &'static str,
        /// The folder, the file or the program.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },

    /// The running server refused a statement.
    #[error("PostgreSQL refused: {0}")]
    Sql(#[from] sqlx::Error),
}

/// Adds the action and its path to an IO error.
pub(super) trait During<T> {
    fn during(self, doing: &'static str, path: &Path) -> Result<T, EmbeddedError>;
}

impl<T> During<T> for io::Result<T> {
    fn during(self, doing: &'static str, path: &Path) -> Result<T, EmbeddedError> {
        self.map_err(|source| EmbeddedError::Io { doing, path: path.to_path_buf(), source })
    }
}
