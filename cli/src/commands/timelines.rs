//! `mws timelines`: films as people and programs edit them (contract §4.11).

use super::documents::{Based, EditArgs, Kind};
use super::pages::{Pages, of_tool};
use super::rendered::{json_of, read, render, warn, word};
use super::{Context, without_nulls};
use crate::failure::Failure;
use crate::output::{Column, document, print};
use clap::{Subcommand, ValueEnum};
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

const KIND: Kind = Kind { noun: "timeline" };

const COLUMNS: [Column; 7] = [
    Column::new("ID", "/id"),
    Column::new("NAME", "/name"),
    Column::new("SECONDS", "/duration_seconds"),
    Column::new("SCENES", "/scenes"),
    Column::new("LANGUAGE", "/language"),
    Column::new("REVISION", "/revision"),
    Column::new("CHANGED", "/updated_at"),
];

const FIELDS: [Column; 7] = [
    Column::new("id", "/id"),
    Column::new("name", "/name"),
    Column::new("seconds", "/duration_seconds"),
    Column::new("proportions", "/aspect_ratio"),
    Column::new("frames a second", "/fps"),
    Column::new("revision", "/revision"),
    Column::new("changed", "/updated_at"),
];

/// The format that a timeline is rendered in.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Format {
    /// H.264 and AAC.
    Mp4,
    /// VP9 and Opus.
    Webm,
    /// H.264 and AAC in `QuickTime`.
    Mov,
    /// Sound alone.
    Mp3,
    /// Sound alone, without loss.
    Wav,
}

/// The format that a timeline is exported or imported in.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Document {
    /// `OpenTimelineIO`.
    Otio,
    /// CMX 3600.
    Edl,
    /// `SubRip` captions.
    Srt,
    /// `WebVTT` captions.
    Vtt,
}

/// Commands about timelines.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the timelines, newest first.
    List {
        #[command(flatten)]
        pages: Pages,
    },
    /// Show a timeline; `--json` for all that is in it.
    Show {
        /// The timeline's id.
        id: String,
    },
    /// Create a timeline.
    #[command(after_help = "Examples:
  mws timelines create River
  mws timelines create River --ops '[{\"op\":\"add_scene\",\"ref\":\"itm_01J…\",\"start\":3,\"duration\":5}]'")]
    Create {
        /// The timeline's name.
        name: String,
        /// Operations to begin with, as JSON, or @FILE.
        #[arg(long, value_name = "JSON")]
        ops: Option<String>,
    },
    /// Do operations on a timeline, all of them or none, or give it another name.
    #[command(after_help = "Examples:
  mws timelines edit tml_01J… '[{\"op\":\"move_scene\",\"scene_id\":\"scene-2\",\"position\":0}]'
  mws timelines edit tml_01J… @ops.json --if-revision 3")]
    Edit {
        /// The timeline's id.
        id: String,
        #[command(flatten)]
        edit: EditArgs,
    },
    /// Undo the latest change of a timeline.
    Undo {
        /// The timeline's id.
        id: String,
        #[command(flatten)]
        based: Based,
    },
    /// Render a timeline into a new item.
    #[command(after_help = "Examples:
  mws timelines render tml_01J… --wait
  mws timelines render tml_01J… --format wav --dry-run")]
    Render {
        /// The timeline's id.
        id: String,
        /// The format.
        #[arg(long, value_enum, default_value = "mp4")]
        format: Format,
        /// A fast preview of at most 480 lines.
        #[arg(long)]
        draft: bool,
        /// Say what it would cost, and start nothing.
        #[arg(long)]
        dry_run: bool,
        /// Follow the job to its end.
        #[arg(long, conflicts_with = "dry_run")]
        wait: bool,
    },
    /// Export a timeline for another editor, or its captions.
    Export {
        /// The timeline's id.
        id: String,
        /// The format.
        #[arg(long, value_enum, default_value = "otio")]
        format: Document,
        /// The file to write to; standard output when not given.
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Import a timeline: `OpenTimelineIO`, CMX 3600, or captions.
    #[command(after_help = "Examples:
  mws timelines import film.otio
  mws timelines import cut.edl --fps 29.97
  mws timelines import talk.srt --name Talk")]
    Import {
        /// The file with the document.
        file: PathBuf,
        /// Its format; told by the file's name when not given.
        #[arg(long, value_enum)]
        format: Option<Document>,
        /// Frames a second in which an EDL counts.
        #[arg(long)]
        fps: Option<f64>,
        /// The timeline's name; the document's when not given.
        #[arg(long)]
        name: Option<String>,
    },
    /// Delete a timeline.
    Delete {
        /// The timeline's id.
        id: String,
    },
}

pub(super) async fn run(command: Command, context: &Context) -> Result<(), Failure> {
    match command {
        Command::List { pages } => {
            let list = of_tool(context, "list_timelines", "timelines", json!({}), pages).await?;
            context.out.list(&list, "id", &COLUMNS)
        }
        Command::Show { id } => show(context, "get_timeline", &KIND.id_body(&id)).await,
        Command::Create { name, ops } => {
            let ops = ops.as_deref().map(json_of).transpose()?;
            show(context, "create_timeline", &without_nulls(json!({ "name": name, "ops": ops }))).await
        }
        Command::Edit { id, edit } => show(context, "edit_timeline", &KIND.edit_body(&id, &edit)?).await,
        Command::Undo { id, based } => show(context, "undo_timeline", &KIND.undo_body(&id, based)).await,
        Command::Render { id, format, draft, dry_run, wait } => {
            let ask = json!({
                "timeline_id": id, "format": word(&format), "quality": if draft { "draft" } else { "standard" },
                "dry_run": dry_run.then_some(true),
            });
            render(context, "render_timeline", &without_nulls(ask), wait).await
        }
        Command::Export { id, format, output } => {
            let ask = json!({ "timeline_id": id, "format": word(&format) });
            let exported = context.client.tool("export_timeline", &ask).await?;
            warn(context, &exported);
            let text = exported["content"].as_str().unwrap_or_default();
            match output {
                None => print(text),
                Some(file) => {
                    std::fs::write(&file, text).map_err(|error| Failure::Usage(format!("{}: {error}", file.display())))
                }
            }
        }
        Command::Import { file, format, fps, name } => import(context, &file, format, fps, name).await,
        Command::Delete { id } => KIND.delete(context, &id).await,
    }
}

/// Calls a tool that returns a timeline, and shows it.
async fn show(context: &Context, tool: &str, ask: &Value) -> Result<(), Failure> {
    let answer = context.client.tool(tool, ask).await?;
    warn(context, &answer);
    context.out.record(&answer["timeline"], "id", &FIELDS)
}

/// Imports a document. Without a format, the ending of the file's name decides.
async fn import(
    context: &Context,
    file: &Path,
    format: Option<Document>,
    fps: Option<f64>,
    name: Option<String>,
) -> Result<(), Failure> {
    let text = read(file)?;
    let ending = file.extension().and_then(OsStr::to_str).unwrap_or_default();
    let format = format.unwrap_or_else(|| Document::from_str(ending, true).unwrap_or(Document::Otio));
    // Editors indent their JSON, which would take too much of a request's limit.
    let text = serde_json::from_str::<Value>(&text).map_or(text, |document| document.to_string());
    // Captions have no name of their own.
    let of_captions = matches!(format, Document::Srt | Document::Vtt);
    let stem = file.file_stem().and_then(OsStr::to_str).filter(|_| of_captions).map(str::to_owned);
    let ask = json!({ "content": text, "format": word(&format), "fps": fps, "name": name.or(stem) });
    let ask = without_nulls(ask);
    if context.out.json {
        return document(&context.client.tool("import_timeline", &ask).await?);
    }
    show(context, "import_timeline", &ask).await
}
