//! What `mws up` prints for the person who started it: a line for each step on standard error, and the ready message on
//! standard output.

use crate::data_dir::Credentials;
use crate::doctor::finding::Finding;
use domain::task::Task;
use runtime::config::Confinement;
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::time::Duration;
use store::fleet::EngineOffer;
use worker::readers::{MediaTools, NoDecoder};

/// Prints the steps, or with `--json` none of them.
pub(super) struct Say {
    json: bool,
}

impl Say {
    pub(super) fn new(json: bool) -> Self {
        Self { json }
    }

    /// Prints a step that is done, with its time where that is long.
    pub(super) fn done(&self, what: &str, took: Duration) {
        if self.json {
            return;
        }
        let took = if took.is_zero() { String::new() } else { format!("{:.1} s", took.as_secs_f64()) };
        eprintln!("{}", format!("✓ {what:<44} {took}").trim_end());
    }

    /// Prints which reads this process's worker can compute, with its engines, and how decoders are confined.
    pub(super) fn reads(&self, engines: &[EngineOffer], slots: usize, decoders: &Result<MediaTools, NoDecoder>) {
        if self.json {
            return;
        }
        match decoders {
            Ok(tools) if tools.confinement() == Confinement::None => {
                eprintln!("! decoders are not confined, as MWS_DECODER_CONFINEMENT=none allows");
            }
            Ok(tools) => eprintln!("✓ decoders are confined: {}", tools.confinement().name()),
            Err(why) => {
                eprintln!("! no reads and no uploads: {why}. `mws doctor` says more");
                return;
            }
        }
        let names: Vec<String> = engines.iter().map(|offer| format!("{} ({})", offer.task, offer.engine)).collect();
        eprintln!("✓ {slots} at once: {}", names.join(", "));
        let found = |task: Task| engines.iter().any(|offer| offer.task == task);
        let missing: Vec<&str> = Task::ALL.into_iter().filter(|task| !found(*task)).map(Task::name).collect();
        if !missing.is_empty() {
            eprintln!("! no engine for {}: `make setup` installs the built-in ones", missing.join(", "));
        }
    }

    /// What the media store answered. In JSON it stands in the log alone, where the api tells it.
    pub(super) fn media(&self, found: &Finding) {
        if self.json {
            return;
        }
        match &found.cure {
            None => eprintln!("✓ media: {}", found.value),
            Some(cure) => eprintln!("✗ media: {}\n    fix: {cure}", found.value),
        }
    }

    /// Prints that all three are ready. Scripts wait for this line.
    pub(super) fn ready(&self, credentials: &Credentials, path: &str, console: &str) {
        let text = if self.json {
            let ready = json!({
                "type": "ready", "base_url": credentials.base_url, "credentials": path,
                "account_id": credentials.account_id, "workspace_id": credentials.workspace_id, "console": console,
            });
            format!("{ready}\n")
        } else {
            in_words(&credentials.base_url, path, console, "Ctrl-C stops")
        };
        print(&text);
    }

    /// Prints that the service is ready in the background, by the line with which it said so itself.
    pub(super) fn detached(&self, mut ready: Value, log: &str, data_dir: &Path) {
        ready["log"] = log.into();
        if self.json {
            return print(&format!("{ready}\n"));
        }
        let text = |name: &str| ready[name].as_str().unwrap_or_default();
        let stop = if data_dir == Path::new(".mws") {
            format!("`mws down` stops it; its log is {log}")
        } else {
            format!("`mws down --data-dir {}` stops it; its log is {log}", data_dir.display())
        };
        print(&in_words(text("base_url"), text("credentials"), text("console"), &stop));
    }

    /// Prints that everything has ended.
    pub(super) fn stopped(&self) {
        if !self.json {
            eprintln!("Stopped. Nothing is lost: `mws up` goes on from here.");
        }
    }
}

/// What whoever started the service needs first. Scripts wait for the last line.
fn in_words(base_url: &str, credentials: &str, console: &str, stop: &str) -> String {
    format!(
        "\nAPI      {base_url}\nKey      in {credentials}, where the other commands find it\n\
         Console  {console}\n         (once, within ten minutes; `mws console` makes another)\n\
         Next     mws upload talk.mp4 --wait      ({stop})\nready\n"
    )
}

/// Prints to standard output. Whoever started the service may not read that, which is no reason to stop.
fn print(text: &str) {
    let mut out = std::io::stdout();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}
