//! A decoder as a child process: started confined, read with a deadline, killed when it is no longer wanted.
//!
//! A child gets the opened media as its standard input, an empty environment and arguments that the uploader had no
//! part in; there is no shell. `confine` confines it. It is killed by `SIGKILL`, since ffmpeg ignores gentler signals
//! while it waits for input, and it dies with this process in any case.

use super::MediaTools;
use super::confine::{Limits, Process, Start, Started};
use crate::readers::{JobCtx, ProcessorTime, ReadError};
use std::ffi::OsStr;
use std::fs::File;
use std::path::Path;
use std::process::ExitStatus;
#[cfg(test)]
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::net::unix::pipe;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tracing::Span;

/// Bytes of a child's standard error that are kept.
const STDERR_BYTES: usize = 16 * 1024;
/// How long to wait for a killed child; after that it is reaped in the background.
const REAP: Duration = Duration::from_secs(1);
/// ffmpeg's complaint about a stream whose codec is not on the list of those decoded. It does not count as damage.
const NOT_LISTED: &str = "not on whitelist";
/// How far below its limit a child's counted time may be when the kernel has ended it for that limit: a second, or this
/// part of the limit. On a busy machine the kernel's own count was 2 s of 23 ahead.
const NEARLY: (Duration, u32) = (Duration::from_secs(1), 8);

/// A running decoder. Dropping it kills it.
#[derive(Debug)]
pub(super) struct Decoder {
    process: CountedProcess,
    cpu_limit: Duration,
    /// Whether that limit is what its job has left, and not the child's own.
    is_jobs: bool,
    stdin: Option<pipe::Sender>,
    stdout: pipe::Receiver,
    stderr: JoinHandle<String>,
    /// The span, which lasts as long as the child does.
    _span: Span,
}

/// A process whose processor time counts towards its job's.
#[derive(Debug)]
struct CountedProcess {
    process: Process,
    job: ProcessorTime,
    seen: Duration,
}

impl CountedProcess {
    fn of(process: Process, job: ProcessorTime) -> Self {
        Self { process, job, seen: Duration::ZERO }
    }

    /// Counts the time taken since the last look. Returns what its job has left, or an error when that is nothing.
    fn count(&mut self) -> Result<Duration, ReadError> {
        if let Some(taken) = self.process.processor_time() {
            self.job.take(taken.saturating_sub(self.seen));
            self.seen = self.seen.max(taken);
        }
        self.job.left()
    }
}

impl Drop for CountedProcess {
    fn drop(&mut self) {
        // Here it does not matter what is left.
        let _ = self.count();
    }
}

/// How a decoder ended that was not killed here.
#[derive(Debug)]
pub(crate) struct Ending {
    /// Its exit status.
    pub(crate) status: ExitStatus,
    /// The beginning of its standard error; never shown to a customer.
    pub(crate) stderr: String,
}

impl Ending {
    /// Whether it ended because its file grew too large. As PID 1 of a namespace it gets no signal for that.
    pub(super) fn out_of_room(&self) -> bool {
        use std::os::unix::process::ExitStatusExt;
        self.status.signal() == Some(libc::SIGXFSZ) || self.stderr.contains("File too large")
    }
}

impl Decoder {
    /// Starts `program` on `input` with these arguments; it can't write anywhere.
    pub(super) async fn start<'a>(
        program: &Path,
        arguments: impl IntoIterator<Item = &'a OsStr>,
        input: &File,
        tools: &MediaTools,
        ctx: &JobCtx,
    ) -> Result<Self, ReadError> {
        let (arguments, limits) = (arguments.into_iter().collect(), limits(tools, 0, ctx)?);
        let start = Start { program, arguments, input: Some(input), folder: None, limits, seat: None };
        Self::start_as(start, tools, ctx).await
    }

    /// Starts a child that may use a folder of the caller's, which must outlive it.
    pub(super) async fn start_as(child: Start<'_>, tools: &MediaTools, ctx: &JobCtx) -> Result<Self, ReadError> {
        let cpu_limit = Duration::from_secs(child.limits.cpu_seconds);
        let is_jobs = ctx.processor.left()?.as_secs() < child.limits.cpu_seconds;
        #[cfg(test)]
        tools.decodes.fetch_add(usize::from(child.program == tools.ffmpeg), Ordering::SeqCst);
        let span =
            runtime::span!("decode", process.executable.name = child.program.file_name().and_then(OsStr::to_str));
        let started = tools.confiner.start(child).await.map_err(std::io::Error::from)?;
        let Started { process, stdin, stdout, stderr } = started;
        let stderr = pipe::Receiver::from_owned_fd(stderr)?;
        Ok(Self {
            process: CountedProcess::of(process, ctx.processor.clone()),
            cpu_limit,
            is_jobs,
            stdin: stdin.map(pipe::Sender::from_owned_fd).transpose()?,
            stdout: pipe::Receiver::from_owned_fd(stdout)?,
            stderr: tokio::spawn(beginning_of(stderr)),
            _span: span,
        })
    }

    /// Takes the pipe to the child's standard input, if there is one; only the first call returns it.
    pub(super) fn take_stdin(&mut self) -> Option<pipe::Sender> {
        self.stdin.take()
    }

    /// Reads what the decoder wrote, 0 bytes at its end. Kills it at the deadline, on cancellation, and where its job's
    /// children have used up their processor time.
    pub(super) async fn read(&mut self, buffer: &mut [u8], ctx: &JobCtx) -> Result<usize, ReadError> {
        let read = ctx.bounded(self.stdout.read(buffer)).await;
        Ok(self.go_on(read).await??)
    }

    /// Passes `done` on. Kills the child on an error, which may be that its job's processor time is used up.
    pub(super) async fn go_on<T>(&mut self, done: Result<T, ReadError>) -> Result<T, ReadError> {
        let left = self.process.count();
        let done = done.and_then(|done| left.map(|_| done));
        if done.is_err() {
            self.kill().await;
        }
        done
    }

    /// Waits for the end of a decoder whose output has ended. `Timeout` when it used up its processor time,
    /// `Unsupported` when that was all that its job has, `Killed` when something else killed it.
    pub(super) async fn wait(mut self, ctx: &JobCtx) -> Result<Ending, ReadError> {
        let exit = match ctx.bounded(self.process.process.wait()).await {
            Ok(exit) => exit?,
            Err(error) => {
                self.kill().await;
                return Err(error);
            }
        };
        if let Some(error) = killed(exit.status, exit.cpu, self.cpu_limit) {
            // The kernel may end the child slightly before all that the job had is used.
            let is_jobs = self.is_jobs && matches!(error, ReadError::Timeout);
            return Err(if is_jobs { ProcessorTime::too_much() } else { error });
        }
        Ok(Ending { status: exit.status, stderr: self.stderr.await.unwrap_or_default() })
    }

    /// Kills the decoder and waits until it is gone, so that no child of a job outlives its answer.
    pub(super) async fn kill(&mut self) {
        self.process.process.kill();
        let _ = tokio::time::timeout(REAP, self.process.process.wait()).await;
    }
}

/// Returns why the kernel killed it, if it did. A child near its limit was killed for its processor time; otherwise it
/// was somebody's `kill` or, far more often, this machine ran out of memory.
fn killed(status: ExitStatus, used: Duration, limit: Duration) -> Option<ReadError> {
    use std::os::unix::process::ExitStatusExt;
    match status.signal() {
        Some(libc::SIGXCPU) => Some(ReadError::Timeout),
        Some(libc::SIGKILL) if used + NEARLY.0.max(limit / NEARLY.1) >= limit => Some(ReadError::Timeout),
        Some(libc::SIGKILL) => Some(ReadError::Killed),
        _ => None,
    }
}

/// Returns the limits of a child that may write files of up to `file_bytes` bytes; `Unsupported` where its job's
/// children have used up their processor time.
pub(super) fn limits(tools: &MediaTools, file_bytes: u64, ctx: &JobCtx) -> Result<Limits, ReadError> {
    let left = ctx.deadline.saturating_duration_since(Instant::now());
    // A child may use several cores; this only ends one whose parent failed to.
    let most = left.as_secs().saturating_mul(4).saturating_add(10);
    // The kernel counts whole seconds; less than one is seen where the child is read.
    let cpu_seconds = most.min(ctx.processor.left()?.as_secs().saturating_add(1));
    Ok(Limits { memory_bytes: tools.limits.child_memory_bytes, cpu_seconds, file_bytes })
}

/// Keeps the beginning of a child's standard error and discards the rest, so that it never blocks on a full pipe.
async fn beginning_of(mut stderr: impl AsyncRead + Unpin) -> String {
    let mut kept = Vec::new();
    let mut buffer = vec![0; 4096];
    while let Ok(read @ 1..) = stderr.read(&mut buffer).await {
        let room = STDERR_BYTES.saturating_sub(kept.len());
        kept.extend(buffer.iter().take(read.min(room)));
    }
    let kept = String::from_utf8_lossy(&kept);
    kept.lines().filter(|line| !line.contains(NOT_LISTED)).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;

    #[test]
    fn only_what_has_used_its_time_was_killed_for_it() {
        let by = |signal| ExitStatus::from_raw(signal);
        let (limit, few) = (Duration::from_secs(10), Duration::from_secs(3));
        assert!(matches!(killed(by(libc::SIGKILL), limit, limit), Some(ReadError::Timeout)));
        let seconds = Duration::from_secs;
        assert!(matches!(killed(by(libc::SIGKILL), seconds(21), seconds(23)), Some(ReadError::Timeout)));
        assert!(matches!(killed(by(libc::SIGKILL), seconds(20), seconds(23)), Some(ReadError::Killed)));
        assert!(matches!(killed(by(libc::SIGXCPU), few, limit), Some(ReadError::Timeout)));
        assert!(matches!(killed(by(libc::SIGKILL), few, limit), Some(ReadError::Killed)));
        assert!(killed(by(libc::SIGSEGV), few, limit).is_none());
        assert_eq!((ReadError::Killed.job_error_code(), ReadError::Killed.retryable()), ("reader_crashed", true));
        assert_eq!(ReadError::Killed.to_string(), "the reader was killed (memory?)");
    }
}
