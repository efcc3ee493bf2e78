//! What `mws up` prints for the person who started it: a line for each step on standard error, and the ready message on
//! standard output.

use crate::data_dir::Credentials;
use crate::doctor::finding::Finding;
use domain::task::Task;
use runtime::config::Confinement;
use serde_json::json;
use std::io::Write;
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
            format!(
                "\nAPI      {}\nKey      in {path}, where the other commands find it\n\
                 Console  {console}\n         (once, within ten minutes; `mws console` makes another)\n\
                 Next     mws upload talk.mp4 --wait      (Ctrl-C stops)\nready\n",
                credentials.base_url
            )
        };
        // Whoever started it may not read its output, which is no reason to stop.
        let mut out = std::io::stdout();
        let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    }

    /// Prints that everything has ended.
    pub(super) fn stopped(&self) {
        if !self.json {
            eprintln!("Stopped. Nothing is lost: `mws up` goes on from here.");
        }
    }
}
