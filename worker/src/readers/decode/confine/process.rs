//! A running child: waited for, killed, and never left behind.
//!
//! A descriptor of the process reports its end, so no process id is mistaken for another's, and with it the processor
//! time that it took, which tells a child that used up its time from one that was killed for memory.

use super::NICER;
use super::users::Seat;
use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::{Arc, Mutex, OnceLock, mpsc};
use std::time::Duration;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// The score of a child for the kernel's choice when memory runs out: a child is ended rather than the service.
const MORE_LIKELY_TO_GO: &str = "500";

/// How a child ended, and the processor time that it took.
#[derive(Debug, Clone, Copy)]
pub(in crate::readers::decode) struct Exit {
    pub(in crate::readers::decode) status: ExitStatus,
    pub(in crate::readers::decode) cpu: Duration,
}

/// A child. Dropping it kills it.
#[derive(Debug)]
pub(in crate::readers::decode) struct Process {
    pid: libc::c_int,
    pidfd: Option<Watch>,
    exit: Option<Exit>,
    /// Nobody else may be this user before the child is gone.
    seat: Option<Arc<Seat>>,
}

/// The descriptor, before and after a runtime watches it.
#[derive(Debug)]
enum Watch {
    Bare(OwnedFd),
    Watched(AsyncFd<OwnedFd>),
}

impl Process {
    pub(super) fn new(pid: libc::c_int, pidfd: OwnedFd, seat: Option<Arc<Seat>>) -> Self {
        Self { pid, pidfd: Some(Watch::Bare(pidfd)), exit: None, seat }
    }

    /// Has the kernel end the child before this process when memory runs out. It works once the child is its program:
    /// before that, its files in /proc are as closed as this process's.
    pub(super) fn go_first(&self) {
        if let Err(error) = fs::write(format!("/proc/{}/oom_score_adj", self.pid), MORE_LIKELY_TO_GO) {
            tracing::debug!(error = %error, "A decoder's memory score could not be set.");
        }
    }

    /// Lowers the priority of the child's session too, where the kernel shares the processors out by sessions
    /// (`sched_autogroup_enabled`): there a child's own priority is among its own threads alone.
    pub(super) fn give_way(&self) {
        match fs::write(format!("/proc/{}/autogroup", self.pid), NICER.to_string()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                tracing::debug!(error = %error, "The priority of a decoder's session could not be set.");
            }
            _ => {}
        }
    }

    /// Waits for the child's end.
    pub(in crate::readers::decode) async fn wait(&mut self) -> io::Result<Exit> {
        loop {
            if let Some(exit) = self.ended()? {
                return Ok(exit);
            }
            let watched = self.watched()?;
            watched.readable().await?.clear_ready();
        }
    }

    /// Waits for the child's end, and blocks the thread meanwhile.
    pub(super) fn wait_here(&mut self) -> io::Result<Exit> {
        loop {
            if let Some(exit) = self.look(0)? {
                return Ok(exit);
            }
        }
    }

    #[expect(unsafe_code, reason = "the kernel is asked to watch a descriptor that must stay the same")]
    fn watched(&mut self) -> io::Result<&AsyncFd<OwnedFd>> {
        let watch = match self.pidfd.take() {
            Some(Watch::Watched(watched)) => watched,
            Some(Watch::Bare(pidfd)) => {
                // SAFETY: an `OwnedFd` is the same open descriptor until it is dropped.
                unsafe { AsyncFd::register_with_interest(pidfd, Interest::READABLE) }.map_err(io::Error::from)?
            }
            None => return Err(io::Error::other("a child's descriptor is gone")),
        };
        match self.pidfd.insert(Watch::Watched(watch)) {
            Watch::Watched(watched) => Ok(watched),
            Watch::Bare(_) => Err(io::Error::other("a child's descriptor is not watched")),
        }
    }

    /// Returns the processor time that the child has taken, if the kernel reports it.
    #[expect(unsafe_code, reason = "the standard library does not ask for another process's time")]
    pub(in crate::readers::decode) fn processor_time(&self) -> Option<Duration> {
        if let Some(exit) = self.exit {
            return Some(exit.cpu);
        }
        let mut clock = 0;
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: the child was not reaped, so the number is still its own; both live until the calls return.
        let told = unsafe {
            libc::clock_getcpuclockid(self.pid, &raw mut clock) == 0 && libc::clock_gettime(clock, &raw mut time) == 0
        };
        let (seconds, nanos) = (u64::try_from(time.tv_sec).ok()?, u64::try_from(time.tv_nsec).ok()?);
        told.then(|| Duration::from_secs(seconds) + Duration::from_nanos(nanos))
    }

    /// Returns how the child ended, if it has.
    fn ended(&mut self) -> io::Result<Option<Exit>> {
        self.look(libc::WNOHANG)
    }

    fn look(&mut self, options: libc::c_int) -> io::Result<Option<Exit>> {
        if self.exit.is_none() {
            self.exit = reaped(self.pid, options)?;
        }
        Ok(self.exit)
    }

    /// Kills the child.
    #[expect(unsafe_code, reason = "the standard library kills only what it started")]
    pub(in crate::readers::decode) fn kill(&mut self) {
        if self.exit.is_none() {
            // SAFETY: plain numbers; the child was not reaped, so the number is still its own.
            let killed = unsafe { libc::kill(self.pid, libc::SIGKILL) };
            let error = io::Error::last_os_error();
            // A child that has ended needs no kill.
            if killed != 0 && error.raw_os_error() != Some(libc::ESRCH) {
                tracing::error!(error = %error, "A decoder can't be killed.");
            }
        }
    }
}

/// A child that was killed, and its user, which is free when the child is gone.
type Killed = (libc::c_int, Option<Arc<Seat>>);

/// The thread that waits for killed children.
static REAPER: OnceLock<Mutex<mpsc::Sender<Killed>>> = OnceLock::new();

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
        if !matches!(self.ended(), Ok(None)) {
            return;
        }
        // It may take the kernel a moment, which nobody should wait for here.
        let reaper = REAPER.get_or_init(|| {
            let (children, queue) = mpsc::channel::<Killed>();
            let _ = std::thread::Builder::new().name("decoder-reaper".to_owned()).spawn(move || {
                for (pid, seat) in queue {
                    let _gone = reaped(pid, 0);
                    drop(seat);
                }
            });
            Mutex::new(children)
        });
        if let Ok(reaper) = reaper.lock() {
            let _ = reaper.send((self.pid, self.seat.take()));
        }
    }
}

/// Waits for a child, or checks whether it has ended.
#[expect(unsafe_code, reason = "the standard library does not tell what a child used")]
fn reaped(pid: libc::c_int, options: libc::c_int) -> io::Result<Option<Exit>> {
    let mut status = 0;
    // SAFETY: plain numbers, for which all zeros are values.
    let mut used = unsafe { std::mem::zeroed::<libc::rusage>() };
    // SAFETY: both live until the call returns.
    match unsafe { libc::wait4(pid, &raw mut status, options, &raw mut used) } {
        -1 => match io::Error::last_os_error() {
            error if error.kind() == io::ErrorKind::Interrupted => Ok(None),
            error => Err(error),
        },
        0 => Ok(None),
        _ => Ok(Some(Exit { status: ExitStatus::from_raw(status), cpu: time(used.ru_utime) + time(used.ru_stime) })),
    }
}

fn time(of: libc::timeval) -> Duration {
    let (seconds, micros) = (u64::try_from(of.tv_sec).unwrap_or(0), u64::try_from(of.tv_usec).unwrap_or(0));
    Duration::from_secs(seconds) + Duration::from_micros(micros)
}

#[cfg(test)]
mod tests {
    use super::super::{Limits, Namespaces, Start};
    use super::*;
    use crate::readers::tests::Studio;
    use std::ffi::OsStr;

    /// Returns a process's `nice` value.
    fn nice(pid: &str) -> i64 {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
        // The name of its program, in brackets, may hold anything; the state is the third value.
        let (_, values) = stat.rsplit_once(')').unwrap();
        values.split_whitespace().nth(19 - 3).unwrap().parse().unwrap()
    }

    #[tokio::test]
    async fn a_child_gives_way_to_the_service() {
        let studio = Studio::new();
        let tools = studio.tools();
        // It waits for samples that never come.
        let arguments = ["-v", "quiet", "-f", "s16le", "-i", "pipe:0", "-f", "null", "-"].map(OsStr::new).to_vec();
        let limits = Limits { memory_bytes: 2 << 30, cpu_seconds: 60, file_bytes: 0 };
        let start = Start { program: &tools.ffmpeg, arguments, input: None, folder: None, limits, seat: None };
        let child = tools.confiner.start(start).await.unwrap();
        let pid = child.process.pid.to_string();
        assert_eq!(nice(&pid), (nice("self") + i64::from(NICER)).min(19));
        // Whoever may not make namespaces may set this only ten times a second, for all children together.
        let may_always = tools.confiner.0.namespaces == Some(Namespaces::Privileged);
        if let (true, Ok(session)) = (may_always, fs::read_to_string(format!("/proc/{pid}/autogroup"))) {
            assert!(session.trim_end().ends_with(&format!(" nice {NICER}")), "{session}");
        }
    }
}
