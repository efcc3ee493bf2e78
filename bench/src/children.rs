//! The processes that are measured: this program again, as another part. A child ends when its standard input does, so
//! none outlives the run, and reports on its standard output when it is ready.

use anyhow::{Context, ensure};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdout, Command};

/// The time limit for a child to be ready, or to end.
const TIMEOUT: Duration = Duration::from_mins(1);
/// The kernel counts CPU time in hundredths of a second, on every Linux.
const TICKS_A_SECOND: f64 = 100.0;

/// A running part.
pub struct Running {
    child: Child,
    lines: tokio::io::Lines<BufReader<ChildStdout>>,
    /// The line that it printed when it was ready: its address, if it has one.
    pub said: String,
}

impl Running {
    /// Starts a part and waits until it is ready.
    pub async fn start(arguments: &[String]) -> anyhow::Result<Self> {
        Self::begun(Command::new(this_program()?), arguments).await
    }

    /// Starts a part in a mount namespace of its own, where `/etc/resolv.conf` is another file. Only root may do that.
    pub async fn start_with_names(resolv_conf: &Path, arguments: &[String]) -> anyhow::Result<Self> {
        let mut command = Command::new("unshare");
        command.args(["--mount", "sh", "-c", r#"mount --bind "$0" /etc/resolv.conf && exec "$@""#]);
        command.arg(resolv_conf).arg(this_program()?);
        Self::begun(command, arguments).await
    }

    async fn begun(mut command: Command, arguments: &[String]) -> anyhow::Result<Self> {
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().context("a part could not be started")?;
        let mut lines = BufReader::new(child.stdout.take().context("it has an output")?).lines();
        let line = tokio::time::timeout(TIMEOUT, lines.next_line()).await.context("a part did not get ready")??;
        let said = line.with_context(|| format!("a part ended at its start: {}", arguments.join(" ")))?;
        Ok(Self { child, lines, said })
    }

    /// Returns its next line.
    pub async fn line(&mut self) -> anyhow::Result<String> {
        self.lines.next_line().await?.context("the part ended")
    }

    /// Returns its process id.
    pub fn pid(&self) -> anyhow::Result<u32> {
        self.child.id().context("the part runs")
    }

    /// Returns the CPU time that it has used, in seconds.
    pub fn cpu_seconds(&self) -> anyhow::Result<f64> {
        Ok(stat(self.pid()?)?.own_seconds)
    }

    /// Tells it to go on, by a line on its standard input.
    pub async fn tell(&mut self) -> anyhow::Result<()> {
        let input = self.child.stdin.as_mut().context("it has an input")?;
        input.write_all(b"\n").await?;
        Ok(input.flush().await?)
    }

    /// Ends it, and returns the line that it prints then.
    pub async fn last_words(mut self) -> anyhow::Result<String> {
        drop(self.child.stdin.take());
        let said = self.line().await?;
        self.stop().await?;
        Ok(said)
    }

    /// Ends it. It is an error when it fails or does not end in time.
    pub async fn stop(mut self) -> anyhow::Result<()> {
        drop(self.child.stdin.take());
        let ended = tokio::time::timeout(TIMEOUT, self.child.wait()).await.context("a part did not end")??;
        ensure!(ended.success(), "a part ended badly: {ended}");
        Ok(())
    }
}

fn this_program() -> anyhow::Result<PathBuf> {
    std::env::current_exe().context("this program's own file can't be found")
}

/// A process's `/proc/<pid>/stat`.
pub struct Stat {
    /// Its parent's id.
    pub parent: u32,
    /// Its own CPU time, in seconds.
    pub own_seconds: f64,
    /// Its own CPU time and that of its children that have ended, in seconds.
    pub with_children_seconds: f64,
}

/// Reads `/proc/<pid>/stat`.
pub fn stat(pid: u32) -> anyhow::Result<Stat> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat"))?;
    let (_, after) = text.rsplit_once(") ").context("a process has a name")?;
    let fields: Vec<f64> = after.split_whitespace().skip(1).map(|field| field.parse().unwrap_or_default()).collect();
    // Counted from the parent's id, which is the fourth field of the line.
    let seconds =
        |from: usize, to: usize| fields.get(from..to).map(|fields| fields.iter().sum::<f64>() / TICKS_A_SECOND);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a process id, read as a number")]
    let parent = fields.first().copied().unwrap_or_default() as u32;
    Ok(Stat {
        parent,
        own_seconds: seconds(10, 12).context("fields")?,
        with_children_seconds: seconds(10, 14).context("fields")?,
    })
}

/// Returns the ids of a process and of its children, its own first.
pub fn family(parent: u32) -> anyhow::Result<Vec<u32>> {
    let mut found = vec![parent];
    for entry in std::fs::read_dir("/proc")? {
        let pid = entry?.file_name().to_str().and_then(|name| name.parse::<u32>().ok());
        // A process that ends meanwhile is left out.
        found.extend(pid.filter(|pid| stat(*pid).is_ok_and(|stat| stat.parent == parent)));
    }
    Ok(found)
}

/// Reads `/proc/<pid>/cmdline`: a process of PostgreSQL says there what it is.
pub fn title(pid: u32) -> anyhow::Result<String> {
    Ok(std::fs::read_to_string(format!("/proc/{pid}/cmdline"))?)
}

/// The time that all cores together have not worked since the machine's start, in seconds.
#[derive(Debug, Clone, Copy)]
pub struct Unused {
    /// Idle, or waiting for a disk.
    pub idle: f64,
    /// Given to other machines of the same host.
    pub stolen: f64,
}

/// Reads the first line of `/proc/stat`.
pub fn unused() -> anyhow::Result<Unused> {
    let text = std::fs::read_to_string("/proc/stat")?;
    let fields: Vec<f64> =
        text.lines().next().unwrap_or_default().split_whitespace().filter_map(|field| field.parse().ok()).collect();
    let seconds = |at: usize| fields.get(at).map(|ticks| ticks / TICKS_A_SECOND).context("fields");
    Ok(Unused { idle: seconds(3)? + seconds(4)?, stolen: seconds(7)? })
}

/// The memory of a process, in bytes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Memory {
    /// All of its pages.
    pub resident: f64,
    /// Its proportional share: a page of several processes counts in equal parts for each.
    pub share: f64,
}

/// Reads `/proc/<pid>/smaps_rollup`.
pub fn memory(pid: u32) -> anyhow::Result<Memory> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/smaps_rollup"))?;
    let bytes = |name: &str| -> anyhow::Result<f64> {
        let line = text.lines().find_map(|line| line.strip_prefix(name)).with_context(|| name.to_owned())?;
        let kilobytes: f64 = line.trim().trim_end_matches(" kB").parse()?;
        Ok(kilobytes * 1_024.0)
    };
    Ok(Memory { resident: bytes("Rss:")?, share: bytes("Pss:")? })
}

/// Reports that this part is ready, with its address.
pub fn ready(said: &str) {
    println!("{said}");
}

/// Returns when the process that started this part is gone, or tells it to go on or to end.
pub async fn until_told_to_end() {
    // A blocking read on a thread of its own: standard input has no other way that ends with the process.
    let read = tokio::task::spawn_blocking(|| std::io::stdin().read(&mut [0; 1]));
    let _ended = read.await;
}
