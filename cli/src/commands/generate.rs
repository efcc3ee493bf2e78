//! `mws generate`: new media by a model, as a job that makes a new item (contract §4.12, §13).

use super::Context;
use super::edits::wait_for_success;
use super::rendered::warn;
use super::upload::COLUMNS as ITEM;
use super::without_nulls;
use crate::client::part;
use crate::failure::Failure;
use crate::output::{Column, document};
use clap::{Args, Subcommand};
use serde_json::{Value, json};

const STANDING: [Column; 5] = [
    Column::new("STATUS", "/status"),
    Column::new("JOB", "/job_id"),
    Column::new("MODEL", "/model"),
    Column::new("MINUTES", "/estimated_minutes"),
    Column::new("CREDITS", "/estimated_credits"),
];
/// Times that a tool is called: for the job, and for its result.
const MOST_CALLS: usize = 2;

/// Arguments of all these commands.
#[derive(Debug, Args)]
pub struct Shared {
    /// The model; `mws models list` lists them.
    #[arg(long)]
    model: Option<String>,
    /// Follow the job, and show the item that it makes.
    #[arg(long)]
    wait: bool,
    /// Show what it would cost, and start nothing.
    #[arg(long, conflicts_with = "wait")]
    dry_run: bool,
    /// A sentence to show beside the job.
    #[arg(long, value_name = "TEXT")]
    context: Option<String>,
    /// The workspace to act in.
    #[arg(long)]
    workspace: Option<String>,
}

/// A picture's size and seed.
#[derive(Debug, Args)]
pub struct Drawn {
    /// Width in pixels; with --height.
    #[arg(long, requires = "height")]
    width: Option<u32>,
    /// Height in pixels; with --width.
    #[arg(long, requires = "width")]
    height: Option<u32>,
    /// Seed: another number gives another result for the same prompt.
    #[arg(long)]
    seed: Option<i64>,
}

/// Generate media by a model.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// A picture from words.
    #[command(
        after_help = "Example:\n  mws generate image \"a red kite over a grey sea\" --width 1024 --height 768 --wait"
    )]
    Image {
        /// What the picture shows.
        prompt: String,
        #[command(flatten)]
        drawn: Drawn,
        #[command(flatten)]
        shared: Shared,
    },
    /// A film from words.
    Video {
        /// What the film shows.
        prompt: String,
        /// A picture (an item) that it begins with.
        #[arg(long, value_name = "REF")]
        from: Option<String>,
        /// Its length in seconds.
        #[arg(long)]
        seconds: Option<u32>,
        #[command(flatten)]
        drawn: Drawn,
        #[command(flatten)]
        shared: Shared,
    },
    /// Spoken text.
    #[command(after_help = "Example:\n  mws generate speech \"Welcome back to the show.\" --wait\n  \
                      mws generate speech \"Bienvenidos.\" --language es --wait")]
    Speech {
        /// The text to speak.
        text: String,
        /// The voice, as the model names it.
        #[arg(long)]
        voice: Option<String>,
        /// The text's language, such as es.
        #[arg(long)]
        language: Option<String>,
        /// Seed: another number gives another result for the same text.
        #[arg(long)]
        seed: Option<i64>,
        #[command(flatten)]
        shared: Shared,
    },
    /// Sound, such as music, from words.
    Audio {
        /// What the sound is.
        prompt: String,
        /// Its length in seconds.
        #[arg(long)]
        seconds: Option<u32>,
        /// Seed: another number gives another result for the same prompt.
        #[arg(long)]
        seed: Option<i64>,
        #[command(flatten)]
        shared: Shared,
    },
    /// A larger version of a picture or a film.
    Upscale {
        /// The item's ref or id.
        #[arg(value_name = "REF")]
        item: String,
        /// How many times as wide and as high: 2 or 4.
        #[arg(long, default_value_t = 2)]
        factor: u32,
        #[command(flatten)]
        shared: Shared,
    },
    /// A version of a picture or a film without its background.
    CutOut {
        /// The item's ref or id.
        #[arg(value_name = "REF")]
        item: String,
        /// The background's colour; #00ff00 when not given.
        #[arg(long)]
        color: Option<String>,
        /// How far from that colour still counts as background, from 1 to 100.
        #[arg(long)]
        similarity: Option<u32>,
        #[command(flatten)]
        shared: Shared,
    },
}

impl Shared {
    /// Adds these arguments to those of a tool.
    fn added_to(&self, mut body: Value) -> Value {
        body["model"] = json!(self.model);
        body["context"] = json!(self.context);
        body["dry_run"] = json!(self.dry_run.then_some(true));
        without_nulls(body)
    }
}

pub(super) async fn run(command: Command, context: &Context) -> Result<(), Failure> {
    let (tool, body, shared) = asked(command);
    let body = shared.added_to(body);
    let headers: Vec<(&str, &str)> =
        shared.workspace.as_deref().map(|workspace| ("x-workspace-id", workspace)).into_iter().collect();
    let mut data = Value::Null;
    for _ in 0..MOST_CALLS {
        data = context.client.tool_with(tool, &body, &headers).await?;
        let Some(job) = data["job_id"].as_str().filter(|_| shared.wait) else { break };
        context.out.say(&format!("{job} makes it"));
        wait_for_success(job, context).await?;
    }
    show(&data, context).await
}

/// The tool of a command, with its arguments.
fn asked(command: Command) -> (&'static str, Value, Shared) {
    match command {
        Command::Image { prompt, drawn: Drawn { width, height, seed }, shared } => {
            let body = json!({ "prompt": prompt, "width": width, "height": height, "seed": seed });
            ("generate_image", body, shared)
        }
        Command::Video { prompt, from, seconds, drawn: Drawn { width, height, seed }, shared } => {
            let body = json!({
                "prompt": prompt, "ref": from, "seconds": seconds, "width": width, "height": height, "seed": seed,
            });
            ("generate_video", body, shared)
        }
        Command::Speech { text, voice, language, seed, shared } => {
            let body = json!({ "text": text, "voice": voice, "language": language, "seed": seed });
            ("generate_audio", body, shared)
        }
        Command::Audio { prompt, seconds, seed, shared } => {
            ("generate_audio", json!({ "prompt": prompt, "seconds": seconds, "seed": seed }), shared)
        }
        Command::Upscale { item, factor, shared } => {
            ("upscale_media", json!({ "ref": item, "factor": factor }), shared)
        }
        Command::CutOut { item, color, similarity, shared } => {
            ("cut_out", json!({ "ref": item, "color": color, "similarity": similarity }), shared)
        }
    }
}

async fn show(data: &Value, context: &Context) -> Result<(), Failure> {
    let out = &context.out;
    warn(context, data);
    if out.json {
        return document(data);
    }
    if let Some(item) = data["output_item_id"].as_str() {
        let item = context.client.get(&format!("/library/items/{}", part(item))).await?;
        return out.rows(&[item], "id", &ITEM);
    }
    out.rows(std::slice::from_ref(data), "job_id", &STANDING)?;
    if let Some(job) = data["job_id"].as_str() {
        out.say(&format!("Next: mws jobs watch {job} (--wait does it, and shows the item)"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::for_tests::{keys, parameters};
    use clap::Parser;
    use std::collections::{BTreeMap, BTreeSet};

    #[derive(Debug, Parser)]
    struct Generate {
        #[command(subcommand)]
        command: Command,
    }

    #[test]
    fn each_parameter_of_each_tool_has_a_flag() {
        let drawn = "--width 64 --height 64 --seed 1";
        let mut sent: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        for line in [
            format!("image kite {drawn}"),
            format!("video kite --from kite --seconds 4 {drawn}"),
            "speech Hola. --voice es --language es --seed 1".to_owned(),
            "audio waves --seconds 4 --seed 1".to_owned(),
            "upscale kite --factor 4".to_owned(),
            "cut-out kite --color #00ff00 --similarity 20".to_owned(),
        ] {
            let line = format!("generate {line} --model m --context why --dry-run");
            let (tool, body, shared) = asked(Generate::try_parse_from(line.split(' ')).unwrap().command);
            sent.entry(tool).or_default().extend(keys(&shared.added_to(body)));
        }
        for (tool, sent) in sent {
            assert_eq!(sent, parameters(tool), "{tool}");
        }
    }
}
