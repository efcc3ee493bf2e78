//! `mws remove-silence` and `mws duck`: what to cut or turn down, or with `--render` the new item (contract §4.4).
//!
//! With `--wait`, a job that the tool's answer names is followed and the tool called again, until all is there.

use super::Context;
use super::upload::COLUMNS as ITEM;
use super::without_nulls;
use crate::client::part;
use crate::failure::Failure;
use crate::output::{Column, document, follow};
use serde_json::{Value, json};

const KEPT: [Column; 2] = [Column::new("START", "/start"), Column::new("END", "/end")];
const GAINS: [Column; 2] = [Column::new("T", "/t"), Column::new("GAIN_DB", "/gain_db")];
const JOB: [Column; 3] =
    [Column::new("JOB", "/job_id"), Column::new("STATUS", "/status"), Column::new("MAKES", "/makes")];
const COST: [Column; 2] = [Column::new("STATUS", "/status"), Column::new("MINUTES", "/estimated_minutes")];
/// Times that a tool is called: for the read, for the render, and for its result.
const MOST_CALLS: usize = 3;

/// Arguments of both commands.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
struct Shared {
    /// Make a new item with the result.
    #[arg(long)]
    render: bool,
    /// Make a timeline with the result, to edit, render and export.
    #[arg(long, conflicts_with = "render")]
    timeline: bool,
    /// Follow the jobs, and show the result.
    #[arg(long)]
    wait: bool,
    /// Show what it would cost, and start nothing.
    #[arg(long, conflicts_with = "wait")]
    dry_run: bool,
    /// The workspace to act in.
    #[arg(long)]
    workspace: Option<String>,
}

/// Silence to remove.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mws remove-silence itm_01J… --wait
  mws remove-silence talk --min-silence 800 --padding 120
  mws remove-silence talk --render --wait --ids")]
pub struct SilenceArgs {
    /// The item's ref or id.
    #[arg(value_name = "REF")]
    item: String,
    /// Milliseconds of the shortest silence that is cut; 500 when not given.
    #[arg(long, value_name = "MS")]
    min_silence: Option<u32>,
    /// Milliseconds that stay on each side of speech; 50 when not given.
    #[arg(long, value_name = "MS")]
    padding: Option<u32>,
    #[command(flatten)]
    shared: Shared,
}

/// Music to turn down under a voice.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mws duck narration theme --wait
  mws duck narration theme --by 15 --attack 100 --release 800
  mws duck itm_01J… itm_01K… --render --wait")]
pub struct DuckArgs {
    /// The ref or id of the item in which somebody speaks.
    #[arg(value_name = "VOICE")]
    voice: String,
    /// The ref or id of the music.
    #[arg(value_name = "MUSIC")]
    music: String,
    /// Decibels that the music goes down; 12 when not given.
    #[arg(long, value_name = "DB")]
    by: Option<f64>,
    /// Milliseconds that it takes to go down; 200 when not given.
    #[arg(long, value_name = "MS")]
    attack: Option<u32>,
    /// Milliseconds that it takes to come back; 500 when not given.
    #[arg(long, value_name = "MS")]
    release: Option<u32>,
    #[command(flatten)]
    shared: Shared,
}

impl Shared {
    /// Adds these arguments to those of a tool.
    fn added_to(&self, mut body: Value) -> Value {
        body["render"] = json!(self.render.then_some(true));
        body["timeline"] = json!(self.timeline.then_some(true));
        body["dry_run"] = json!(self.dry_run.then_some(true));
        without_nulls(body)
    }
}

impl SilenceArgs {
    fn body(&self) -> Value {
        let body = json!({ "ref": self.item, "min_silence_ms": self.min_silence, "padding_ms": self.padding });
        self.shared.added_to(body)
    }
}

impl DuckArgs {
    fn body(&self) -> Value {
        self.shared.added_to(json!({
            "voice_ref": self.voice, "music_ref": self.music, "duck_db": self.by, "attack_ms": self.attack,
            "release_ms": self.release,
        }))
    }
}

pub(super) async fn remove_silence(args: SilenceArgs, context: &Context) -> Result<(), Failure> {
    let edit = Edit { tool: "remove_silence", body: args.body(), field: "keep", shared: args.shared };
    let data = edit.run(context).await?;
    if let Some(seconds) = data["removed_seconds"].as_f64() {
        context.out.say(&format!("{seconds} s of silence go"));
    }
    edit.show(&data, &KEPT, context).await
}

pub(super) async fn duck(args: DuckArgs, context: &Context) -> Result<(), Failure> {
    let edit = Edit { tool: "duck_music", body: args.body(), field: "envelope", shared: args.shared };
    let data = edit.run(context).await?;
    edit.show(&data, &GAINS, context).await
}

/// A call of one of the two tools.
struct Edit {
    tool: &'static str,
    body: Value,
    /// The answer's field that is set once it is known where somebody speaks.
    field: &'static str,
    shared: Shared,
}

impl Edit {
    /// Returns the tool's `data`; with `--wait`, once nothing is queued.
    async fn run(&self, context: &Context) -> Result<Value, Failure> {
        let headers: Vec<(&str, &str)> =
            self.shared.workspace.as_deref().map(|workspace| ("x-workspace-id", workspace)).into_iter().collect();
        let mut data = Value::Null;
        for _ in 0..MOST_CALLS {
            data = context.client.tool_with(self.tool, &self.body, &headers).await?;
            let Some(job) = data["job_id"].as_str().filter(|_| self.shared.wait) else { return Ok(data) };
            context.out.say(&format!("{job} {}", self.makes(&data)));
            wait_for_success(job, context).await?;
        }
        Ok(data)
    }

    /// What the job in this answer does.
    fn makes(&self, data: &Value) -> &'static str {
        if data[self.field].is_null() { "finds out where somebody speaks" } else { "renders the new item" }
    }

    async fn show(&self, data: &Value, columns: &[Column], context: &Context) -> Result<(), Failure> {
        let out = &context.out;
        if out.json {
            return document(data);
        }
        if data["status"] == "startable" {
            return out.rows(std::slice::from_ref(data), "status", &COST);
        }
        if let Some(item) = data["output_item_id"].as_str() {
            let item = context.client.get(&format!("/library/items/{}", part(item))).await?;
            return out.rows(&[item], "id", &ITEM);
        }
        if let Some(timeline) = data["timeline_id"].as_str() {
            return out.record(data, "timeline_id", &[Column::new("timeline", "/timeline_id")]).map(|()| {
                out.say(&format!("Next: mws timelines render {timeline} --wait"));
            });
        }
        let Some(job) = data["job_id"].as_str() else {
            return out.rows(data[self.field].as_array().map_or(&[], Vec::as_slice), "start", columns);
        };
        let row = json!({ "job_id": job, "status": data["status"], "makes": self.makes(data) });
        out.rows(&[row], "job_id", &JOB)?;
        let again = if data[self.field].is_null() { ", then the same again" } else { "" };
        out.say(&format!("Next: mws jobs watch {job}{again} (--wait does both)"));
        Ok(())
    }
}

/// Follows a job until it succeeds, and returns it; fails if it does not.
pub(super) async fn wait_for_success(job: &str, context: &Context) -> Result<Value, Failure> {
    let mut followed = follow(&context.client, &context.out.without_data(), &[job.to_owned()]).await?;
    match followed.jobs.pop() {
        Some(ended) if ended["status"] == "succeeded" => Ok(ended),
        Some(ended) => {
            let why = ended["error"]["message"].as_str().unwrap_or("it was cancelled");
            Err(Failure::Work(format!("{job} did not succeed: {why}")))
        }
        None => Err(Failure::Work(format!("{job} is not there any more"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::for_tests::{keys, parameters};
    use clap::Parser;

    #[derive(Debug, Parser)]
    enum Line {
        Silence(SilenceArgs),
        Duck(DuckArgs),
    }

    fn asked_by(line: &str) -> Value {
        match Line::try_parse_from(format!("mws {line}").split(' ')).unwrap() {
            Line::Silence(args) => args.body(),
            Line::Duck(args) => args.body(),
        }
    }

    #[test]
    fn each_parameter_of_both_tools_has_a_flag() {
        // A render and a timeline are two answers: one of them is asked for.
        for (line, tool) in [
            ("silence talk --min-silence 800 --padding 120 --dry-run", "remove_silence"),
            ("duck talk theme --by 15 --attack 100 --release 800 --dry-run", "duck_music"),
        ] {
            let (render, timeline) = (asked_by(&format!("{line} --render")), asked_by(&format!("{line} --timeline")));
            assert_eq!(&keys(&render) | &keys(&timeline), parameters(tool), "{line}");
        }
    }

    #[test]
    fn a_job_is_said_to_be_for_what_is_missing() {
        let shared = Shared { render: true, timeline: false, wait: false, dry_run: false, workspace: None };
        let edit = Edit { tool: "remove_silence", body: json!({}), field: "keep", shared };
        assert_eq!(edit.makes(&json!({ "job_id": "job_1" })), "finds out where somebody speaks");
        assert_eq!(edit.makes(&json!({ "job_id": "job_1", "keep": [] })), "renders the new item");
    }
}
