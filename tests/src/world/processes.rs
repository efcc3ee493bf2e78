//! A worker as an operating system's process, with the engines of this machine, so that it can be killed with -9.
//!
//! Its program is `lone_worker` of this package, which cargo builds with the tests: always the code under test.

use super::{Tenant, World, settings};
use anyhow::{Context, ensure};
use domain::ids::ItemId;
use runtime::process::Process;
use rustix::process::{Pid, Signal, kill_process};
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use store::PoolSize;

const DATABASE: &str = "MWS_TEST_DATABASE";
const FOLDER: &str = "MWS_TEST_FOLDER";
/// Samples a second of the media made here.
const RATE: u32 = 8_000;

/// A worker's process; killed with -9 when this is dropped.
pub struct WorkerProcess(Child);

impl WorkerProcess {
    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.0.id()
    }

    /// Kills it with -9, and waits until it is gone.
    pub fn kill(mut self) -> anyhow::Result<()> {
        self.0.kill()?;
        ensure!(!self.0.wait()?.success(), "the worker ended by itself");
        Ok(())
    }

    /// Tells it to stop, as an operator does, by SIGTERM.
    pub fn terminate(&self) -> anyhow::Result<()> {
        let pid = i32::try_from(self.pid()).ok().and_then(Pid::from_raw).context("it has an id")?;
        Ok(kill_process(pid, Signal::TERM)?)
    }

    /// How it ended, once it has.
    pub fn ended(&mut self) -> anyhow::Result<Option<ExitStatus>> {
        Ok(self.0.try_wait()?)
    }

    /// The decoders that it runs now: the ids of its children of that name.
    pub fn decoders(&self) -> anyhow::Result<Vec<u32>> {
        let mut found = Vec::new();
        for entry in fs::read_dir("/proc")? {
            let Some(pid) = entry?.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
            if parent(pid, "ffmpeg") == Some(self.pid()) {
                found.push(pid);
            }
        }
        Ok(found)
    }

    /// The `nice` values of its threads of this name.
    pub fn nice_of(&self, thread: &str) -> anyhow::Result<Vec<i64>> {
        let mut found = Vec::new();
        for entry in fs::read_dir(format!("/proc/{}/task", self.pid()))? {
            // A thread may have ended meanwhile.
            let Ok(stat) = fs::read_to_string(entry?.path().join("stat")) else { continue };
            let (name, values) = stat.rsplit_once(") ").context("it has a name")?;
            if name.ends_with(&format!("({thread}")) {
                // The state, the third value, is the first of these.
                found.push(values.split(' ').nth(19 - 3).context("it has a priority")?.parse()?);
            }
        }
        Ok(found)
    }
}

impl Drop for WorkerProcess {
    fn drop(&mut self) {
        // Killed and waited for before: there is nothing to kill.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The parent of a process with this name; none when there is no such process, or it has ended.
pub fn parent(pid: u32, name: &str) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (before, after) = stat.rsplit_once(") ")?;
    let mut fields = after.split(' ');
    let (state, parent) = (fields.next()?, fields.next()?);
    (before.ends_with(name) && state != "Z").then(|| parent.parse().ok()).flatten()
}

/// Is a worker until it is told to stop, over the database and the folder that its environment names.
pub async fn be_a_worker() -> anyhow::Result<()> {
    let (url, folder) = (std::env::var(DATABASE)?, std::env::var(FOLDER)?);
    runtime::process::install_crypto();
    let settings = settings::fixed(&url, Path::new(&folder))?;
    let process = Process::start(settings, PoolSize(6), "worker").await?;
    process.end_on_signals()?;
    worker::run(process).await
}

impl World {
    /// Starts a worker's process; `program` is the path of `lone_worker`, which only a test of this package knows.
    pub fn worker_process(&self, program: &str) -> anyhow::Result<WorkerProcess> {
        let mut command = Command::new(program);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.env(DATABASE, self.database.url()).env(FOLDER, &self.settings.data_dir);
        Ok(WorkerProcess(command.spawn().context("the worker's program could not be run")?))
    }

    /// An item that is really there: so many seconds of silence.
    pub async fn recording(&self, tenant: &Tenant, seconds: u32) -> anyhow::Result<ItemId> {
        let item = self.item(tenant, super::Media::audio(seconds.into())).await?;
        let key: String =
            sqlx::query_scalar("SELECT object_key FROM items WHERE id = $1").bind(item).fetch_one(self.pool()).await?;
        let path = self.settings.data_dir.join("media").join(key);
        fs::create_dir_all(path.parent().context("a key has a folder")?)?;
        write_silence(&path, seconds)?;
        Ok(item)
    }
}

/// A WAV file of so many seconds of silence.
pub fn silence(seconds: u32) -> anyhow::Result<Vec<u8>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("a.wav");
    write_silence(&path, seconds)?;
    Ok(fs::read(path)?)
}

/// Writes a WAV file of so many seconds of silence.
pub fn write_silence(path: &Path, seconds: u32) -> anyhow::Result<()> {
    let bytes = seconds * RATE * 2;
    let mut file = File::create(path)?;
    let (format, rate): (&[u8], _) = (&[1, 0, 1, 0], RATE.to_le_bytes());
    for part in [b"RIFF", &(bytes + 36).to_le_bytes()[..], b"WAVEfmt ", &16u32.to_le_bytes(), format, &rate] {
        file.write_all(part)?;
    }
    for part in [&(RATE * 2).to_le_bytes()[..], &[2, 0, 16, 0], b"data", &bytes.to_le_bytes()] {
        file.write_all(part)?;
    }
    // What was never written reads as silence and takes no room.
    file.set_len(u64::from(bytes) + 44)?;
    Ok(())
}
