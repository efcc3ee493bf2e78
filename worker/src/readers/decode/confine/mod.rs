//! Limits what a child process that touches customers' bytes can reach: its input, the system's libraries, and a folder
//! of its own.
//!
//! Which confinement this machine allows is found once, by starting a child in it, the strongest first; if it is weaker
//! than the settings ask for, nothing is decoded. `Level` names the confinements. `rules` (Landlock), `calls`
//! (seccomp), `root` (its file system) and `users` define what a child may do; `start` makes it, `steps` is what it
//! does before it becomes its program, `process` waits for it. Nothing here knows ffmpeg. Every measure fails closed: a
//! child that can't take a step never becomes its program.

mod calls;
mod prepared;
mod process;
mod root;
mod rules;
mod start;
mod steps;
mod users;

pub(super) use process::Process;
pub(super) use start::{StartError, Started};
pub(super) use users::Seat;

use runtime::config::Confinement as Level;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::{File, Permissions};
use std::io::{self, Read};
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Threads that a child may have.
const MOST_TASKS: u64 = 512;
/// By how much a child's priority is below this process's (`nice`), so that calls are answered while media is decoded.
/// What this process does itself for renders has the same.
pub(crate) const NICER: u8 = 5;
/// Tasks that this process's user may have where children can't be counted apart, beyond twice what it has now.
const MORE_TASKS: u64 = 1_024;

/// A child to start.
#[derive(Debug)]
pub(super) struct Start<'a> {
    /// Its absolute path.
    pub(super) program: &'a Path,
    pub(super) arguments: Vec<&'a OsStr>,
    /// The media that is its standard input; without one it is a pipe.
    pub(super) input: Option<&'a File>,
    /// The only folder that it may write to.
    pub(super) folder: Option<&'a Path>,
    pub(super) limits: Limits,
    /// The user that it runs as, where several children share one.
    pub(super) seat: Option<Arc<Seat>>,
}

/// The resource limits of a child.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// Address space in bytes.
    pub(super) memory_bytes: u64,
    /// Processor time in seconds.
    pub(super) cpu_seconds: u64,
    /// The largest file it may write, in bytes; pipes don't count.
    pub(super) file_bytes: u64,
}

/// How children are confined.
#[derive(Debug, Clone, Copy)]
struct Way {
    level: Level,
    /// The first of the users that they run as; none where they keep this process's.
    first_user: Option<u32>,
    namespaces: Option<Namespaces>,
    landlock: bool,
    filter: bool,
    /// Tasks (processes and threads) that a child's user may have.
    most_tasks: Option<u64>,
}

/// The privileges that make a child's namespaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Namespaces {
    /// The privileges of this process.
    Privileged,
    /// The privileges in a user namespace, in which the child is made.
    WithUsers,
}

impl Namespaces {
    fn flags(self) -> libc::c_int {
        let all = libc::CLONE_NEWPID | libc::CLONE_NEWNET | libc::CLONE_NEWNS | libc::CLONE_NEWIPC | libc::CLONE_NEWUTS;
        match self {
            Self::Privileged => all,
            Self::WithUsers => all | libc::CLONE_NEWUSER,
        }
    }
}

/// Starts confined children.
#[derive(Debug, Clone)]
pub(super) struct Confiner(Arc<Way>);

/// Why no confinement was found: what was tried, and how it failed.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{0}")]
pub struct Refused(String);

/// The results of trying, by program and the level that is asked for.
type KnownConfiners = HashMap<(PathBuf, Level), Result<Confiner, Refused>>;

impl Confiner {
    /// Finds the strongest confinement that this machine allows, by running `program -version` in it; an error when it
    /// is less than `least`. The result is kept.
    pub(super) fn found(least: Level, program: &Path) -> Result<Self, Refused> {
        static FOUND: Mutex<Option<KnownConfiners>> = Mutex::new(None);
        let mut found = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (program.to_owned(), least);
        found.get_or_insert_default().entry(key).or_insert_with(|| Self::tried(least, program)).clone()
    }

    fn tried(least: Level, program: &Path) -> Result<Self, Refused> {
        let mut failures = Vec::new();
        let ways = match ways() {
            Err(_) if least == Level::None => vec![unconfined()],
            ways => ways.map_err(Refused)?,
        };
        for way in ways {
            if way.level < least {
                break;
            }
            match works(&way, program) {
                Ok(()) => {
                    if !failures.is_empty() {
                        tracing::info!(why = failures.join("; "), "Decoders can't be confined more than they are.");
                    }
                    return Ok(Self(Arc::new(way)));
                }
                Err(error) => failures.push(format!("{}: {error}", way.level.name())),
            }
        }
        Err(Refused(failures.join("; ")))
    }

    /// Returns the level that was reached.
    pub(super) fn level(&self) -> Level {
        self.0.level
    }

    /// Returns a user for several children that share a folder; none where they keep this process's.
    pub(super) fn seat(&self) -> io::Result<Option<Arc<Seat>>> {
        self.0.first_user.map(|first| Seat::taken(first).map(Arc::new)).transpose()
    }

    /// Returns the file in a form that a child can open: a nameless copy if its user may not read the original. Files
    /// are never made readable to others for this.
    pub(super) fn readable(&self, mut file: File, scratch_dir: &Path) -> io::Result<File> {
        if self.0.first_user.is_none() || file.metadata()?.permissions().mode() & 0o004 != 0 {
            return Ok(file);
        }
        let mut copy = tempfile::tempfile_in(scratch_dir)?;
        io::copy(&mut file, &mut copy)?;
        copy.set_permissions(Permissions::from_mode(0o444))?;
        // Opened again for reading alone: several children may have it.
        File::open(format!("/proc/self/fd/{}", copy.as_raw_fd()))
    }

    /// Starts a child, and returns when it has become its program.
    pub(super) async fn start(&self, child: Start<'_>) -> Result<Started, StartError> {
        start::start(child, &self.0).await
    }
}

/// Returns the ways to confine a child, the strongest first; an error where its children would be root too.
fn ways() -> Result<Vec<Way>, String> {
    let first_user = users::first();
    let is_root = rustix::process::geteuid().is_root();
    if first_user.is_none() && is_root {
        return Err("this process is root and may not change its children's user (it needs CAP_SETUID, CAP_SETGID, \
                    CAP_KILL and CAP_CHOWN, and user numbers to change to): run it as an ordinary user"
            .to_owned());
    }
    let namespaces = if first_user.is_some() { Namespaces::Privileged } else { Namespaces::WithUsers };
    let tasks = if first_user.is_some() { MOST_TASKS } else { tasks_of_this_user() };
    let full = Way {
        level: Level::Full,
        first_user,
        namespaces: Some(namespaces),
        landlock: true,
        filter: true,
        most_tasks: Some(MOST_TASKS),
    };
    let filtered = Way { level: Level::Filtered, namespaces: None, most_tasks: Some(tasks), ..full };
    Ok(vec![full, filtered, Way { first_user, ..unconfined() }])
}

/// Returns the way that sets limits alone.
fn unconfined() -> Way {
    Way { level: Level::None, first_user: None, namespaces: None, landlock: false, filter: false, most_tasks: None }
}

/// Returns how many tasks this process's user may have, its children's threads among them.
fn tasks_of_this_user() -> u64 {
    use std::os::unix::fs::MetadataExt;
    let user = rustix::process::geteuid().as_raw();
    let processes = std::fs::read_dir("/proc").into_iter().flatten().filter_map(Result::ok);
    let own = processes.filter(|process| process.metadata().is_ok_and(|found| found.uid() == user));
    let tasks = own.filter_map(|process| std::fs::read_dir(process.path().join("task")).ok());
    tasks.map(|tasks| tasks.count() as u64).sum::<u64>() * 2 + MORE_TASKS
}

/// Checks that a child which is confined in this way runs `program -version`.
fn works(way: &Way, program: &Path) -> io::Result<()> {
    let input = tempfile::tempfile()?;
    input.set_permissions(Permissions::from_mode(0o444))?;
    let limits = Limits { memory_bytes: 2 << 30, cpu_seconds: 60, file_bytes: 0 };
    let arguments = vec![OsStr::new("-version")];
    let child = Start { program, arguments, input: Some(&input), folder: None, limits, seat: None };
    let Started { mut process, stdin: _, stdout, stderr } = start::start_and_wait(&child, way)?;
    let (mut said, mut complaint) = (Vec::new(), String::new());
    File::from(stdout).take(1 << 20).read_to_end(&mut said)?;
    File::from(stderr).take(1 << 10).read_to_string(&mut complaint)?;
    let exit = process.wait_here()?;
    if exit.status.success() {
        return Ok(());
    }
    let complaint = complaint.lines().find(|line| !line.is_empty()).unwrap_or_default();
    Err(io::Error::other(format!("{} ended with {}: {complaint}", program.display(), exit.status)))
}
