//! `confine` for systems that are not Linux: it sets limits and nothing else, so decoders start only with
//! `MWS_DECODER_CONFINEMENT=none`. It is for developers' machines; no customer should send bytes here.

use runtime::config::Confinement as Level;
use std::convert::Infallible;
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tokio::process::{Child, Command};

/// A child to start.
#[derive(Debug)]
pub(super) struct Start<'a> {
    /// Its absolute path.
    pub(super) program: &'a Path,
    pub(super) arguments: Vec<&'a OsStr>,
    /// The media that is its standard input; without one it is a pipe.
    pub(super) input: Option<&'a File>,
    /// The folder that it may write to.
    pub(super) folder: Option<&'a Path>,
    pub(super) limits: Limits,
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

/// A child's own user, which there is none of here.
#[derive(Debug)]
pub(super) struct Seat(Infallible);

impl Seat {
    /// Returns its number.
    pub(super) fn uid(&self) -> u32 {
        match self.0 {}
    }
}

/// Starts children.
#[derive(Debug, Clone)]
pub(super) struct Confiner;

/// Why there is no confinement.
#[derive(Debug, Clone, thiserror::Error)]
#[error("this system has neither Landlock nor seccomp")]
pub struct Refused;

impl Confiner {
    /// Allows limits alone, where that is enough.
    pub(super) fn found(least: Level, _program: &Path) -> Result<Self, Refused> {
        if least == Level::None { Ok(Self) } else { Err(Refused) }
    }

    /// Returns the level that was reached.
    pub(super) fn level(&self) -> Level {
        Level::None
    }

    /// Returns none: children keep this process's user.
    pub(super) fn seat(&self) -> io::Result<Option<Arc<Seat>>> {
        Ok(None)
    }

    /// Returns the same file.
    pub(super) fn readable(&self, file: File, _scratch_dir: &Path) -> io::Result<File> {
        Ok(file)
    }

    /// Starts a child.
    pub(super) async fn start(&self, child: Start<'_>) -> io::Result<Started> {
        let folder = child.folder.unwrap_or(Path::new("/"));
        let mut command = Command::new(child.program);
        command
            .args(&child.arguments)
            .env_clear()
            .env("LC_ALL", "C")
            .env("OMP_THREAD_LIMIT", "1")
            .env("HOME", folder)
            .env("TMPDIR", folder);
        command.current_dir(folder).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0).kill_on_drop(true);
        command.stdin(match child.input {
            Some(input) => Stdio::from(input.try_clone()?),
            None => Stdio::piped(),
        });
        limit(&mut command, child.limits);
        // There is no seat here.
        drop(child.seat);
        let mut child = command.spawn()?;
        let missing = || io::Error::other("a child was started without its pipes");
        Ok(Started {
            stdin: child.stdin.take().map(|pipe| pipe.into_owned_fd()).transpose()?,
            stdout: child.stdout.take().ok_or_else(missing)?.into_owned_fd()?,
            stderr: child.stderr.take().ok_or_else(missing)?.into_owned_fd()?,
            process: Process(child),
        })
    }
}

/// Has the child set its limits, hard and soft, before it becomes its program.
#[expect(unsafe_code, reason = "limits can only be set by the child itself")]
fn limit(command: &mut Command, limits: Limits) {
    let set = move || {
        for (resource, most) in [
            (libc::RLIMIT_AS, limits.memory_bytes),
            (libc::RLIMIT_CPU, limits.cpu_seconds),
            (libc::RLIMIT_FSIZE, limits.file_bytes),
            (libc::RLIMIT_CORE, 0),
            (libc::RLIMIT_NOFILE, 64),
        ] {
            let limit = libc::rlimit { rlim_cur: most, rlim_max: most };
            // SAFETY: `limit` lives until the call returns, and the kernel only reads it.
            if unsafe { libc::setrlimit(resource, &raw const limit) } != 0 {
                return Err(io::Error::last_os_error());
            }
        }
        Ok(())
    };
    // SAFETY: the closure owns plain numbers and makes one system call, which is async-signal-safe.
    unsafe {
        command.pre_exec(set);
    }
}

/// A child that has started, with this process's ends of its streams.
#[derive(Debug)]
pub(super) struct Started {
    pub(super) process: Process,
    pub(super) stdin: Option<OwnedFd>,
    pub(super) stdout: OwnedFd,
    pub(super) stderr: OwnedFd,
}

/// How a child ended. Its processor time is not known here.
#[derive(Debug, Clone, Copy)]
pub(super) struct Exit {
    pub(super) status: ExitStatus,
    pub(super) cpu: Duration,
}

/// A child. Dropping it kills it.
#[derive(Debug)]
pub(super) struct Process(Child);

impl Process {
    /// Waits for its end.
    pub(super) async fn wait(&mut self) -> io::Result<Exit> {
        Ok(Exit { status: self.0.wait().await?, cpu: Duration::ZERO })
    }

    /// Returns none: it is not known here.
    pub(super) fn processor_time(&self) -> Option<Duration> {
        None
    }

    /// Kills it.
    pub(super) fn kill(&mut self) {
        // It fails only when the child has ended already.
        let _ = self.0.start_kill();
    }
}
