//! A decoder as a child process: started confined, read with a deadline, killed when it is no longer wanted.
//!
//! A child gets the opened media as its standard input, a folder of its own, an empty environment and arguments that
//! the uploader had no part in; there is no shell. It is killed by `SIGKILL`, since ffmpeg ignores gentler signals
//! while it waits for input, and it dies with this process in any case.

use super::MediaTools;
use super::confine::{Confinement, User, confine};
use crate::readers::{JobCtx, ReadError};
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::sync::mpsc;
use std::sync::{Mutex, OnceLock};
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::task::JoinHandle;
use tokio::time::Instant;

/// How much of a child's complaints is kept.
const STDERR_BYTES: usize = 16 * 1024;
/// How long a killed child is waited for before its reaping is left to the runtime.
const REAP: Duration = Duration::from_secs(1);

/// A running decoder. Dropping it kills it.
#[derive(Debug)]
pub(super) struct Decoder {
    child: Child,
    stdout: ChildStdout,
    stderr: JoinHandle<String>,
    _folder: Option<tempfile::TempDir>,
}

/// How a decoder ended by itself.
#[derive(Debug)]
pub(crate) struct Ending {
    /// Its exit status.
    pub(crate) status: ExitStatus,
    /// The beginning of what it complained of; never shown to a customer.
    pub(crate) stderr: String,
}

impl Ending {
    /// Whether the kernel ended it for writing a larger file than it may.
    pub(super) fn out_of_room(&self) -> bool {
        use std::os::unix::process::ExitStatusExt;
        self.status.signal() == Some(libc::SIGXFSZ)
    }

    /// Whether the kernel ended it for using more processor time than it may.
    pub(super) fn out_of_cpu(&self) -> bool {
        use std::os::unix::process::ExitStatusExt;
        matches!(self.status.signal(), Some(libc::SIGXCPU | libc::SIGKILL))
    }
}

impl Decoder {
    /// Starts `program` on `input` with these arguments.
    pub(super) async fn start<'a>(
        program: &Path,
        arguments: impl IntoIterator<Item = &'a OsStr>,
        input: &File,
        tools: &MediaTools,
        ctx: &JobCtx,
    ) -> Result<Self, ReadError> {
        let folder = tempfile::Builder::new().prefix("mws-read-").tempdir_in(&tools.scratch_dir)?;
        let confinement = confinement(tools, User::for_input(&input.metadata()?), 0, ctx);
        let stdin = Stdio::from(input.try_clone()?);
        let started = Self::start_in(folder.path(), program, arguments, stdin, confinement).await?;
        Ok(Self { _folder: Some(folder), ..started })
    }

    /// Starts `program` in a folder of the caller's, which must outlive it.
    pub(super) async fn start_in<'a>(
        folder: &Path,
        program: &Path,
        arguments: impl IntoIterator<Item = &'a OsStr>,
        stdin: Stdio,
        confinement: Confinement,
    ) -> Result<Self, ReadError> {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .env_clear()
            .env("LC_ALL", "C")
            .env("HOME", folder)
            .env("TMPDIR", folder)
            .current_dir(folder)
            .stdin(stdin)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        confine(&mut command, confinement);
        let mut child = spawn_from_a_lasting_thread(command).await?;
        let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) else {
            return Err(ReadError::Internal("a child was started without its pipes".to_owned()));
        };
        Ok(Self { child, stdout, stderr: tokio::spawn(beginning_of(stderr)), _folder: None })
    }

    /// The pipe to the child's standard input, if it was given one; once.
    pub(super) fn take_stdin(&mut self) -> Option<ChildStdin> {
        self.child.stdin.take()
    }

    /// Reads what the decoder wrote, 0 bytes at its end. Kills it at the deadline and on cancellation.
    pub(super) async fn read(&mut self, buffer: &mut [u8], ctx: &JobCtx) -> Result<usize, ReadError> {
        match ctx.bounded(self.stdout.read(buffer)).await {
            Ok(read) => Ok(read?),
            Err(error) => {
                self.kill().await;
                Err(error)
            }
        }
    }

    /// Waits for the end of a decoder whose output has ended.
    pub(super) async fn ended(mut self, ctx: &JobCtx) -> Result<Ending, ReadError> {
        match ctx.bounded(self.child.wait()).await {
            Ok(status) => Ok(Ending { status: status?, stderr: self.stderr.await.unwrap_or_default() }),
            Err(error) => {
                self.kill().await;
                Err(error)
            }
        }
    }

    /// Kills the decoder and waits until it is gone, so that nothing of a job outlives its answer.
    pub(super) async fn kill(&mut self) {
        // It fails only when the child has ended already.
        let _ = self.child.start_kill();
        let _ = tokio::time::timeout(REAP, self.child.wait()).await;
    }
}

/// What a child may use that runs as this user and writes files of at most so many bytes.
pub(super) fn confinement(tools: &MediaTools, user: User, file_bytes: u64, ctx: &JobCtx) -> Confinement {
    let left = ctx.deadline.saturating_duration_since(Instant::now());
    Confinement {
        memory_bytes: tools.limits.child_memory_bytes,
        // A child may use several cores; this only ends one whose parent failed to.
        cpu_seconds: left.as_secs().saturating_mul(4).saturating_add(10),
        file_bytes,
        user,
    }
}

/// Keeps the beginning of what a child complains of and reads the rest away, so that it never blocks on a full pipe.
async fn beginning_of(mut stderr: ChildStderr) -> String {
    let mut kept = Vec::new();
    let mut buffer = vec![0; 4096];
    while let Ok(read @ 1..) = stderr.read(&mut buffer).await {
        let room = STDERR_BYTES.saturating_sub(kept.len());
        kept.extend(buffer.iter().take(read.min(room)));
    }
    String::from_utf8_lossy(&kept).into_owned()
}

type Errand = Box<dyn FnOnce() + Send>;

/// Starts `command` on a thread that lasts as long as this process. The signal that ties a child to its parent is sent
/// when the *thread* that started it ends, and a runtime may end its threads at any time.
async fn spawn_from_a_lasting_thread(mut command: Command) -> io::Result<Child> {
    static SPAWNER: OnceLock<Mutex<mpsc::Sender<Errand>>> = OnceLock::new();
    let runtime = tokio::runtime::Handle::current();
    let (answer, answered) = tokio::sync::oneshot::channel();
    let errand: Errand = Box::new(move || {
        let _inside = runtime.enter();
        // Nobody waits any more when the job was dropped; the child is then dropped here, which kills it.
        let _ = answer.send(command.spawn());
    });
    let gone = || io::Error::other("the thread that starts decoders has ended");
    {
        let spawner = SPAWNER.get_or_init(|| {
            let (errands, queue) = mpsc::channel::<Errand>();
            // A failure shows at the first errand, which then finds nobody at the other end.
            let _ = std::thread::Builder::new()
                .name("decoder-spawner".to_owned())
                .spawn(move || queue.into_iter().for_each(|errand| errand()));
            Mutex::new(errands)
        });
        spawner.lock().map_err(|_| gone())?.send(errand).map_err(|_| gone())?;
    }
    answered.await.map_err(|_| gone())?
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::readers::ReaderSettings;
    use tokio_util::sync::CancellationToken;

    /// What a shell that is started as a decoder says to this script.
    async fn said_by_a_child(script: &str) -> String {
        let tools = MediaTools::found(&ReaderSettings::default()).unwrap();
        let mut input = tempfile::NamedTempFile::new().unwrap();
        io::Write::write_all(&mut input, b"the media").unwrap();
        let everyone = std::os::unix::fs::PermissionsExt::from_mode(0o644);
        input.as_file().set_permissions(everyone).unwrap();
        let ctx = JobCtx::new(Instant::now() + Duration::from_mins(1), CancellationToken::new());
        let arguments = ["-c", script].map(OsStr::new);
        let mut child = Decoder::start(Path::new("/bin/sh"), arguments, input.as_file(), &tools, &ctx).await.unwrap();
        let (mut said, mut buffer) = (String::new(), vec![0; 4096]);
        while let read @ 1.. = child.read(&mut buffer, &ctx).await.unwrap() {
            said.push_str(std::str::from_utf8(&buffer[..read]).unwrap());
        }
        let ending = child.ended(&ctx).await.unwrap();
        said + &ending.stderr
    }

    #[tokio::test]
    async fn a_child_inherits_nothing_but_its_input() {
        let said = said_by_a_child("env; ls /proc/self/fd; cat /proc/self/fd/0").await;
        for (name, _) in
            std::env::vars().filter(|(name, _)| !["HOME", "LC_ALL", "TMPDIR", "PWD", "_"].contains(&&**name))
        {
            assert!(!said.lines().any(|line| line.starts_with(&format!("{name}="))), "{name} in {said}");
        }
        let mut handles: Vec<_> = said.lines().filter_map(|line| line.parse::<u32>().ok()).collect();
        handles.sort_unstable();
        // The fourth is the folder that `ls` lists.
        assert_eq!(handles, [0, 1, 2, 3]);
        assert!(said.ends_with("the media"));
    }

    #[tokio::test]
    async fn a_child_can_write_no_file_and_gain_nothing() {
        let said = said_by_a_child("ulimit -v; ulimit -f; ulimit -c; grep NoNewPrivs /proc/self/status").await;
        assert_eq!(said.split_whitespace().collect::<Vec<_>>(), ["2097152", "0", "0", "NoNewPrivs:", "1"]);
        let said = said_by_a_child("(echo x > \"$TMPDIR/file\" && echo written)").await;
        assert!(!said.contains("written"), "{said}");
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn a_child_has_no_network_where_the_system_allows() {
        let works = |flags: &str| {
            std::process::Command::new("unshare").args([flags, "true"]).output().is_ok_and(|done| done.status.success())
        };
        if works("-n") || works("-Un") {
            let said = said_by_a_child("cat /proc/net/dev").await;
            let interfaces: Vec<_> = said.lines().skip(2).filter_map(|line| line.split_once(':')).collect();
            assert!(interfaces.iter().all(|(name, _)| name.trim() == "lo"), "{said}");
        }
    }

    #[tokio::test]
    async fn a_child_of_root_is_nobody() {
        let said = said_by_a_child("id -u").await;
        let own = std::os::unix::fs::MetadataExt::uid(&std::fs::metadata("/proc/self").unwrap());
        let expected = if own == 0 { 65_534 } else { own };
        assert_eq!(said.trim(), expected.to_string());
    }
}
