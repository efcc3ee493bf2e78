//! `mws dub` and `mws dubs`: the speech of an item or a timeline in another language (contract §4.14).

use super::documents::{Based, EditArgs, Kind};
use super::edits::wait_for_success;
use super::pages::{Pages, of_tool};
use super::rendered::{json_of, render, warn};
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
const STANDING: [Column; 5] = [
    Column::new("STATUS", "/status"),
    Column::new("JOB", "/job_id"),
    Column::new("MINUTES", "/estimated_minutes"),
    Column::new("CREDITS", "/estimated_credits"),
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
  mws dub --timeline tml_01J… --timeline-revision 4 --to es --wait
  mws dub talk --to es --script '[{\"start\":0,\"end\":2.5,\"text\":\"Buenos días.\"}]' --wait")]
pub struct Args {
    /// The item's ref or id.
    #[arg(value_name = "REF", required_unless_present = "timeline", conflicts_with = "timeline")]
    item: Option<String>,
    /// A timeline to dub: its film is rendered first, unless that is there.
    #[arg(long, value_name = "ID")]
    timeline: Option<String>,
    /// The revision of the timeline to dub. Without it: the one that it has now.
    #[arg(long, value_name = "NUMBER", requires = "timeline", conflicts_with = "item")]
    timeline_revision: Option<i32>,
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
    /// Do operations on a dub, all of them or none, or give it another name. `mws dubs render` speaks what they change.
    #[command(after_help = "Examples:
  mws dubs edit dub_01J… '[{\"op\":\"update_segment\",\"segment_id\":\"segment-2\",\"translation\":\"Hola.\"}]'
  mws dubs edit dub_01J… @ops.json --if-revision 3")]
    Edit {
        /// The dub's id.
        id: String,
        #[command(flatten)]
        edit: EditArgs,
    },
    /// Undo the latest change of a dub.
    Undo {
        /// The dub's id.
        id: String,
        #[command(flatten)]
        based: Based,
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

/// The arguments of the tool. All calls are for one revision of the timeline: the named one, or the present one.
async fn arguments(args: &Args, context: &Context) -> Result<Value, Failure> {
    let revision = match (&args.timeline, args.timeline_revision) {
        (Some(id), None) => {
            let shown = context.client.tool("get_timeline", &json!({ "timeline_id": id })).await?;
            shown["timeline"]["revision"].clone()
        }
        (_, named) => json!(named),
    };
    body(args, &revision)
}

/// The arguments of the tool for this revision of the timeline, if one is dubbed.
fn body(args: &Args, revision: &Value) -> Result<Value, Failure> {
    let script = args.script.as_deref().map(json_of).transpose()?;
    let voices = args.voice.iter().map(|given| voice(given)).collect::<Result<Vec<_>, _>>()?;
    Ok(without_nulls(json!({
        "ref": args.item, "timeline_id": args.timeline, "timeline_revision": revision,
        "target_language": args.to, "source_language": args.from, "script": script,
        "voices": (!voices.is_empty()).then_some(voices),
        "keep_background": args.keep_background.then_some(true), "dry_run": args.dry_run.then_some(true),
    })))
}

/// Dubs an item or a timeline.
pub(super) async fn make(args: Args, context: &Context) -> Result<(), Failure> {
    let ask = arguments(&args, context).await?;
    let mut answer = Value::Null;
    for _ in 0..MOST_CALLS {
        answer = context.client.tool("dub", &ask).await?;
        let Some(job) = answer["job_id"].as_str().filter(|_| args.wait) else { break };
        context.out.say(&format!("{job} goes on with it"));
        wait_for_success(job, context).await?;
    }
    warn(context, &answer);
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
        Command::Edit { id, edit } => show(context, "edit_dub", &KIND.edit_body(&id, &edit)?).await,
        Command::Undo { id, based } => show(context, "undo_dub", &KIND.undo_body(&id, based)).await,
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
    warn(context, dub);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::for_tests::{keys, parameters};
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Dub {
        #[command(flatten)]
        args: Args,
    }

    fn asked_by(line: &str) -> Result<Value, Failure> {
        let Dub { args } = Dub::try_parse_from(line.split(' ')).map_err(|error| Failure::Usage(error.to_string()))?;
        body(&args, &json!(args.timeline_revision))
    }

    #[test]
    fn each_parameter_of_the_tool_has_a_flag() {
        let rest = "--to es --from en --script [] --voice anna=es+f3 --keep-background --dry-run";
        let of_item = asked_by(&format!("dub talk {rest}")).unwrap();
        let of_timeline = asked_by(&format!("dub --timeline tml_1 --timeline-revision 4 {rest}")).unwrap();
        assert_eq!((&of_timeline["timeline_revision"], &of_item["timeline_revision"]), (&json!(4), &Value::Null));
        assert_eq!(&keys(&of_item) | &keys(&of_timeline), parameters("dub"));
        assert!(asked_by("dub talk --to es --timeline-revision 4").is_err(), "an item has no revision");
        assert!(asked_by("dub --to es").is_err());
    }
}
