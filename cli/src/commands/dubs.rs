//! `mws dub` and `mws dubs`: the speech of an item or a timeline in another language (contract §4.14).

use super::documents::Kind;
use super::edits::succeeded;
use super::pages::{Pages, of_tool};
use super::rendered::{json_of, render};
use super::upload::COLUMNS as ITEM;
use super::{Context, without_nulls};
use crate::client::part;
use crate::failure::Failure;
use crate::output::{Column, document};
use clap::Subcommand;
use serde_json::{Value, json};

const KIND: Kind = Kind { noun: "dub" };

const COLUMNS: [Column; 6] = [
    Column::new("ID", "/id"),
    Column::new("NAME", "/name"),
    Column::new("LANGUAGE", "/target_language"),
    Column::new("SEGMENTS", "/segments"),
    Column::new("REVISION", "/revision"),
    Column::new("CHANGED", "/updated_at"),
];
const STANDING: [Column; 4] = [
    Column::new("STATUS", "/status"),
    Column::new("JOB", "/job_id"),
    Column::new("MINUTES", "/estimated_minutes"),
    Column::new("SEGMENTS", "/segments"),
];
const SEGMENTS: [Column; 7] = [
    Column::new("SEGMENT", "/id"),
    Column::new("START", "/start"),
    Column::new("END", "/end"),
    Column::new("SPEAKER", "/speaker"),
    Column::new("VOICE", "/voice"),
    Column::new("OVERFLOW", "/overflow"),
    Column::new("TRANSLATION", "/translation"),
];
/// Times that the tool is called: for a timeline's film, for two reads, for the dub, and for its result.
const MOST_CALLS: usize = 5;

/// The item or the timeline to dub, and how.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mws dub talk --to es --wait
  mws dub talk --to es --keep-background --dry-run
  mws dub --timeline tml_01J… --to es --wait
  mws dub talk --to es --script '[{\"start\":0,\"end\":2.5,\"text\":\"Buenos días.\"}]' --wait")]
pub struct Args {
    /// The item's ref or id.
    #[arg(value_name = "REF", required_unless_present = "timeline", conflicts_with = "timeline")]
    item: Option<String>,
    /// A timeline to dub, as it is now: its film is rendered first, unless that is there.
    #[arg(long, value_name = "ID")]
    timeline: Option<String>,
    /// The language to dub into, such as es.
    #[arg(long, value_name = "LANGUAGE")]
    to: String,
    /// The language that is spoken. Without it: the transcript's.
    #[arg(long, value_name = "LANGUAGE")]
    from: Option<String>,
    /// What to speak and when, as JSON, or @FILE; then nothing is transcribed or translated.
    #[arg(long, value_name = "JSON")]
    script: Option<String>,
    /// The voice of a speaker; may be given again.
    #[arg(long, value_name = "SPEAKER=VOICE")]
    voice: Vec<String>,
    /// Keep the item's own sound under the voices.
    #[arg(long)]
    keep_background: bool,
    /// Show what it would cost, and start nothing.
    #[arg(long, conflicts_with = "wait")]
    dry_run: bool,
    /// Follow the jobs, and show the item that they make.
    #[arg(long)]
    wait: bool,
}

/// Commands about dubs.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the dubs, newest first.
    List {
        #[command(flatten)]
        pages: Pages,
    },
    /// Show a dub's segments; `--json` for all of it.
    Get {
        /// The dub's id.
        id: String,
    },
    /// Do operations on a dub: all of them or none. `mws dubs render` speaks what they change.
    #[command(after_help = "Examples:
  mws dubs edit dub_01J… '[{\"op\":\"update_segment\",\"segment_id\":\"segment-2\",\"translation\":\"Hola.\"}]'
  mws dubs edit dub_01J… @ops.json --if-revision 3")]
    Edit {
        /// The dub's id.
        id: String,
        /// The operations as JSON, or @FILE.
        ops: String,
        /// Only if this is its revision.
        #[arg(long, value_name = "NUMBER")]
        if_revision: Option<i32>,
    },
    /// Undo the latest change of a dub.
    Undo {
        /// The dub's id.
        id: String,
    },
    /// Speak what was changed in a dub, into a new item.
    Render {
        /// The dub's id.
        id: String,
        /// Show what it would cost, and start nothing.
        #[arg(long)]
        dry_run: bool,
        /// Follow the job to its end.
        #[arg(long, conflicts_with = "dry_run")]
        wait: bool,
    },
    /// Delete a dub. Its timeline and its items stay.
    Delete {
        /// The dub's id.
        id: String,
    },
}

/// The arguments of the tool. All calls are for the revision that the timeline has now.
async fn asked(args: &Args, context: &Context) -> Result<Value, Failure> {
    let script = args.script.as_deref().map(json_of).transpose()?;
    let voices = args.voice.iter().map(|given| voice(given)).collect::<Result<Vec<_>, _>>()?;
    let revision = match &args.timeline {
        Some(id) => {
            let shown = context.client.tool("get_timeline", &json!({ "timeline_id": id })).await?;
            shown["timeline"]["revision"].clone()
        }
        None => Value::Null,
    };
    Ok(without_nulls(json!({
        "ref": args.item, "timeline_id": args.timeline, "timeline_revision": revision,
        "target_language": args.to, "source_language": args.from, "script": script,
        "voices": (!voices.is_empty()).then_some(voices),
        "keep_background": args.keep_background.then_some(true), "dry_run": args.dry_run.then_some(true),
    })))
}

/// Dubs an item or a timeline.
pub(super) async fn make(args: Args, context: &Context) -> Result<(), Failure> {
    let ask = asked(&args, context).await?;
    let mut answer = Value::Null;
    for _ in 0..MOST_CALLS {
        answer = context.client.tool("dub", &ask).await?;
        let Some(job) = answer["job_id"].as_str().filter(|_| args.wait) else { break };
        context.out.say(&format!("{job} goes on with it"));
        succeeded(job, context).await?;
    }
    if context.out.json {
        return document(&answer);
    }
    let Some(item) = answer["output_item_id"].as_str() else {
        context.out.rows(std::slice::from_ref(&answer), "job_id", &STANDING)?;
        if let Some(job) = answer["job_id"].as_str() {
            context.out.say(&format!("Next: mws jobs watch {job}, then the same again (--wait does both)"));
        }
        return Ok(());
    };
    let row = context.client.get(&format!("/library/items/{}", part(item))).await?;
    context.out.rows(&[row], "id", &ITEM)?;
    if let (Some(dub), Some(timeline)) = (answer["dub_id"].as_str(), answer["timeline_id"].as_str()) {
        context.out.say(&format!("Next: mws dubs get {dub} to see what is said; its timeline is {timeline}"));
    }
    Ok(())
}

pub(super) async fn run(command: Command, context: &Context) -> Result<(), Failure> {
    match command {
        Command::List { pages } => {
            let list = of_tool(context, "list_dubs", "dubs", json!({}), pages).await?;
            context.out.list(&list, "id", &COLUMNS)
        }
        Command::Get { id } => show(context, "get_dub", &KIND.id_body(&id)).await,
        Command::Edit { id, ops, if_revision } => {
            show(context, "edit_dub", &KIND.edit_body(&id, &ops, if_revision)?).await
        }
        Command::Undo { id } => show(context, "undo_dub", &KIND.id_body(&id)).await,
        Command::Render { id, dry_run, wait } => {
            let ask = without_nulls(json!({ "dub_id": id, "dry_run": dry_run.then_some(true) }));
            render(context, "render_dub", &ask, wait).await
        }
        Command::Delete { id } => KIND.delete(context, &id).await,
    }
}

/// Calls a tool that returns a dub, and shows its segments.
async fn show(context: &Context, tool: &str, ask: &Value) -> Result<(), Failure> {
    let answer = context.client.tool(tool, ask).await?;
    let dub = &answer["dub"];
    if context.out.json {
        return document(dub);
    }
    let segments = dub["segments"].as_array().cloned().unwrap_or_default();
    context.out.rows(&segments, "id", &SEGMENTS)?;
    if dub["stale"] == true {
        let id = dub["id"].as_str().unwrap_or_default();
        context.out.say(&format!("It was changed since it was spoken. Next: mws dubs render {id} --wait"));
    }
    Ok(())
}

/// A speaker's voice, as the API takes it.
fn voice(given: &str) -> Result<Value, Failure> {
    let (speaker, voice) =
        given.split_once('=').ok_or_else(|| Failure::Usage(format!("--voice {given}: expected SPEAKER=VOICE")))?;
    Ok(json!({ "speaker": speaker, "voice": voice }))
}
