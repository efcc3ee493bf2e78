//! Spawns the server's process, waits until it is ready, and ends it.
//!
//! The code between `fork` and `exec` is `unsafe`; besides this, only the worker's decoder children have such code. The
//! server ends with the thread that spawned it, unless it is to outlive it. It has a process group of its own;
//! otherwise a Ctrl-C in the terminal would reach it before the service has finished with it.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};

use super::cluster::{Layout, socket_path};
use super::error::{During, EmbeddedError};
use super::identity::Identity;
use super::{Lifetime, Options, settings};

/// How long a start may take. Recovery after a crash may have to replay up to `max_wal_size`.
pub(super) const START_LIMIT: Duration = Duration::from_mins(2);

/// How long a fast shutdown, which ends with a checkpoint, may take before the server is told to stop at once.
const STOP_LIMIT: Duration = Duration::from_mins(1);

const POLL: Duration = Duration::from_millis(5);
const RETRY: Duration = Duration::from_millis(100);

/// The only failure that passes by itself: after a kill -9, the former server's processes live on for a moment.
pub(super) const STILL_LOCKED: &str = "lock file \"postmaster.pid\" already exists";

/// The protocol's question whether the server supports TLS: eight bytes, answered with one, before authentication.
const SSL_REQUEST: [u8; 8] = [0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f];

/// The result of looking for a running server.
pub(super) enum FoundServer {
    /// It runs and answers.
    Running,
    /// No server runs, though files of a dead one may exist.
    Nothing,
}

/// Looks for a live server of this cluster, and waits for one that is coming up or going down.
pub(super) fn find_running(layout: &Layout) -> Result<FoundServer, EmbeddedError> {
    let deadline = Instant::now() + START_LIMIT;
    loop {
        let Some(file) = layout.pid_file().filter(|file| is_alive(file.pid)) else {
            return Ok(FoundServer::Nothing);
        };
        if file.ready {
            // After a crash another program may have got this process id: only an answer proves that it is the server.
            return Ok(if answers(&file.socket_dir) { FoundServer::Running } else { FoundServer::Nothing });
        }
        if Instant::now() > deadline {
            return Err(EmbeddedError::Timeout { after: START_LIMIT, log: layout.log() });
        }
        sleep(RETRY);
    }
}

/// Starts the server and returns when it accepts connections.
pub(super) fn spawn(
    bin: &Path,
    layout: &Layout,
    identity: &Identity,
    options: &Options,
    socket_dir: &Path,
) -> Result<Child, EmbeddedError> {
    let deadline = Instant::now() + START_LIMIT;
    loop {
        let (log, log_start) = layout.open_log(identity)?;
        let program = bin.join("postgres");
        let mut command = Command::new(&program);
        command.arg("-D").arg(layout.data());
        for (name, value) in settings::all(options, socket_dir, &layout.rules()) {
            command.arg("-c").arg(format!("{name}={value}"));
        }
        let errors = log.try_clone().during("open", &layout.log())?;
        command.stdin(Stdio::null()).stdout(log).stderr(errors);
        // The retry below reads the log, so the server must write it in English.
        command.current_dir(layout.folder()).env("LC_ALL", "C").env_remove("PGPORT").process_group(0);
        identity.apply(&mut command);
        if options.lifetime == Lifetime::WithCaller {
            end_with_this_thread(&mut command);
        }
        let mut child = command.spawn().during("run", &program)?;
        if wait_until_ready(&mut child, layout, deadline)? {
            return Ok(child);
        }
        let said = layout.log_since(log_start);
        if !said.contains(STILL_LOCKED) {
            return Err(EmbeddedError::Ended { log: layout.log(), tail: said });
        }
        if Instant::now() > deadline {
            return Err(EmbeddedError::Timeout { after: START_LIMIT, log: layout.log() });
        }
        sleep(RETRY);
    }
}

/// Returns true when the child is ready, false when it has ended. If neither happens in time, it is stopped and an
/// error is returned.
fn wait_until_ready(child: &mut Child, layout: &Layout, deadline: Instant) -> Result<bool, EmbeddedError> {
    let pid = child.id().cast_signed();
    loop {
        if layout.pid_file().is_some_and(|file| file.pid == pid && file.ready && answers(&file.socket_dir)) {
            return Ok(true);
        }
        if child.try_wait().during("wait for", &layout.data())?.is_some() {
            return Ok(false);
        }
        if Instant::now() > deadline {
            stop(child);
            return Err(EmbeddedError::Timeout { after: START_LIMIT, log: layout.log() });
        }
        sleep(POLL);
    }
}

/// Asks the kernel to shut the server down cleanly when the thread that spawns it is gone, however it goes.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "pre_exec is unsafe, and only the child can ask for its parent's death signal")]
fn end_with_this_thread(command: &mut Command) {
    let parent = rustix::process::getpid();
    let ask = move || {
        rustix::process::set_parent_process_death_signal(Some(Signal::INT))?;
        // The parent may have died before the request: the child has another parent then, and must not go on.
        if rustix::process::getppid() == Some(parent) { Ok(()) } else { Err(std::io::ErrorKind::Other.into()) }
    };
    // SAFETY: the closure only makes two system calls and allocates nothing, which is what is allowed after `fork`.
    // It runs after the change of uid and gid, which clears the request: std calls these closures last.
    unsafe {
        command.pre_exec(ask);
    }
}

/// Other systems have no such request: there a server outlives a kill -9, and the next start adopts it.
#[cfg(not(target_os = "linux"))]
fn end_with_this_thread(_command: &mut Command) {}

/// Stops the server: first fast, then at once, then by force. Returns when it has ended.
pub(super) fn stop(child: &mut Child) {
    for (signal, patience) in [(Signal::INT, STOP_LIMIT), (Signal::QUIT, Duration::from_secs(5))] {
        // A child that was not waited for keeps its number, so the signal can't reach anyone else.
        if let Some(pid) = Pid::from_raw(child.id().cast_signed()) {
            let _gone_already = kill_process(pid, signal);
        }
        let deadline = Instant::now() + patience;
        while Instant::now() < deadline {
            if !matches!(child.try_wait(), Ok(None)) {
                return;
            }
            sleep(POLL);
        }
        tracing::warn!(signal = ?signal, "PostgreSQL has not ended after {} s", patience.as_secs());
    }
    let _gone_already = child.kill();
    let _gone_already = child.wait();
}

fn is_alive(pid: i32) -> bool {
    // A process of another user answers "not permitted": it isn't a server that this user could have started.
    Pid::from_raw(pid).is_some_and(|pid| test_kill_process(pid).is_ok())
}

/// Returns whether a PostgreSQL server answers on the socket in `dir`.
fn answers(dir: &Path) -> bool {
    let ask = || -> std::io::Result<u8> {
        let mut stream = UnixStream::connect(socket_path(dir))?;
        stream.set_read_timeout(Some(Duration::from_secs(2)))?;
        stream.write_all(&SSL_REQUEST)?;
        let mut answer = [0];
        stream.read_exact(&mut answer)?;
        Ok(answer[0])
    };
    ask().is_ok_and(|answer| matches!(answer, b'N' | b'S'))
}
