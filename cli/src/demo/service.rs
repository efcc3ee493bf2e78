//! Runs `mws up` as a child process, started and stopped as a person would.

use crate::client::{Access, Client};
use crate::data_dir::DataDir;
use crate::failure::Failure;
use crate::output::Out;
use anyhow::Context;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, ChildStdout, Command};

/// How long a first start may take, which creates the database cluster.
const START_LIMIT: Duration = Duration::from_mins(2);
/// How long a stop may take, which lets running jobs end.
const STOP_LIMIT: Duration = Duration::from_mins(1);
/// Lines of the log that are shown when the child ends.
const LOG_TAIL: usize = 5;

/// The running child.
#[derive(Debug)]
pub struct Service {
    child: Child,
    /// A client with the child's URL and key.
    pub client: Client,
    log: PathBuf,
    /// Kept open, so that the child never finds its output closed.
    _stdout: BufReader<ChildStdout>,
}

impl Service {
    /// Starts it on any free port, and waits until it is ready.
    pub async fn start(data_dir: &DataDir, out: &Out) -> Result<Self, Failure> {
        if let Some(occupant) = data_dir.occupant()? {
            let folder = data_dir.path().display();
            let why = format!(
                "{occupant} runs on {folder}\n  next: stop it, or run the demo elsewhere: mws demo --data-dir .mws-demo"
            );
            return Err(Failure::Usage(why));
        }
        let began = Instant::now();
        let log = data_dir.path().join("demo.log");
        let file = std::fs::File::create(&log).with_context(|| format!("{} can't be made", log.display()))?;
        let program = std::env::current_exe().context("this program's own file can't be found")?;
        let mut command = Command::new(program);
        command.args(["up", "--json", "--listen", "127.0.0.1:0", "--data-dir"]).arg(data_dir.path());
        // The receiver is on this machine, and webhooks are not sent to private addresses unless they are allowed.
        command.env("MWS_OUTBOUND_ALLOW", "127.0.0.0/8").env_remove("MWS_LISTEN").env_remove("MWS_PUBLIC_URL");
        // The demo's data belongs in its own folder, never in a database or a bucket that the shell's environment
        // names.
        for elsewhere in ["DATABASE_URL", "MWS_DATABASE_DIRECT_URL", "MWS_MEDIA_STORE"] {
            command.env_remove(elsewhere).env_remove(format!("{elsewhere}_FILE"));
        }
        // Ctrl-C in the terminal reaches only the demo, which then stops its child itself.
        command.process_group(0).kill_on_drop(true);
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(file)
            .spawn()
            .context("the service can't be started")?;
        let mut stdout = BufReader::new(child.stdout.take().context("the service has no output")?);
        let mut line = String::new();
        let ready = tokio::time::timeout(START_LIMIT, stdout.read_line(&mut line)).await;
        let ready: Value = match ready {
            Ok(Ok(_)) => serde_json::from_str(&line).unwrap_or_default(),
            Ok(Err(_)) | Err(_) => Value::Null,
        };
        if ready["type"] != "ready" {
            return Err(Failure::Work(format!("the service did not start:\n{}", tail(&log))));
        }
        let kept = data_dir.credentials()?.context("the service wrote no credentials")?;
        let source = data_dir.credentials_path().display().to_string();
        let access = Access { base_url: kept.base_url, key: kept.api_key.into(), source };
        out.say(&format!("✓ mws up at {} after {:.1} s", access.base_url, began.elapsed().as_secs_f64()));
        let client = Client::new(access, out.clone())?;
        Ok(Self { child, client, log, _stdout: stdout })
    }

    /// Waits for the child to end. Returns its last lines as a failure.
    pub async fn wait_for_end(&mut self) -> Failure {
        let status = self.child.wait().await.map_or_else(|error| error.to_string(), |status| status.to_string());
        Failure::Work(format!("the service ended unasked ({status}):\n{}", tail(&self.log)))
    }

    /// Stops it by SIGTERM; fails if it does not end well.
    pub async fn stop(mut self) -> Result<(), Failure> {
        let pid = self.child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        if let Some(pid) = pid {
            kill_process(pid, Signal::TERM).context("the service can't be told to stop")?;
        }
        let ended = tokio::time::timeout(STOP_LIMIT, self.child.wait()).await;
        match ended {
            Ok(Ok(status)) if status.success() => Ok(()),
            Ok(Ok(status)) => Err(Failure::Work(format!("the service stopped with {status}:\n{}", tail(&self.log)))),
            Ok(Err(error)) => Err(error.into()),
            Err(_) => Err(Failure::Work(format!("the service did not stop in {} s", STOP_LIMIT.as_secs()))),
        }
    }
}

/// The last lines of the log.
fn tail(log: &std::path::Path) -> String {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(LOG_TAIL)..].join("\n")
}
