//! What `mws up` tells the person who started it: a line a step on standard error, and what is ready on standard
//! output.

use crate::data_dir::Credentials;
use domain::task::Task;
use runtime::config::Confinement;
use serde_json::json;
use std::io::Write;
use std::time::Duration;
use store::fleet::EngineOffer;
use worker::readers::{MediaTools, NoDecoder};

/// Where words go, and whether there are any.
pub(super) struct Say {
    json: bool,
}

impl Say {
    pub(super) fn new(json: bool) -> Self {
        Self { json }
    }

    /// A step that is done, with the time it took where that is worth a word.
    pub(super) fn done(&self, what: &str, took: Duration) {
        if self.json {
            return;
        }
        let took = if took.is_zero() { String::new() } else { format!("{:.1} s", took.as_secs_f64()) };
        eprintln!("{}", format!("✓ {what:<44} {took}").trim_end());
    }

    /// What the worker of this process can read, with the engines that it found.
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

    /// All three are ready. This line is the one that scripts wait for.
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
        // Whoever started it may not be reading; that is no reason to stop.
        let mut out = std::io::stdout();
        let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    }

    /// Everything has ended.
    pub(super) fn stopped(&self) {
        if !self.json {
            eprintln!("Stopped. Nothing is lost: `mws up` goes on from here.");
        }
    }
}
