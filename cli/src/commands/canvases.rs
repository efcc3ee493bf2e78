//! `mws canvases`: pictures as people and programs edit them (contract §4.13). `rendered` has what their renders share
//! with those of timelines.

use super::documents::{Based, EditArgs, Kind};
use super::pages::{Pages, of_tool};
use super::rendered::{json_of, render, word};
use super::{Context, without_nulls};
use crate::failure::Failure;
use crate::output::Column;
use clap::{Subcommand, ValueEnum};
use serde_json::{Map, Value, json};

const KIND: Kind = Kind { noun: "canvas" };

const COLUMNS: [Column; 6] = [
    Column::new("ID", "/id"),
    Column::new("NAME", "/name"),
    Column::new("WIDTH", "/width"),
    Column::new("HEIGHT", "/height"),
    Column::new("LAYERS", "/layers"),
    Column::new("CHANGED", "/updated_at"),
];

const FIELDS: [Column; 7] = [
    Column::new("id", "/id"),
    Column::new("name", "/name"),
    Column::new("width", "/width"),
    Column::new("height", "/height"),
    Column::new("background", "/background"),
    Column::new("revision", "/revision"),
    Column::new("changed", "/updated_at"),
];

/// The format that a canvas is rendered in.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Format {
    /// Without loss.
    Png,
    /// Small, on white where it is transparent.
    Jpeg,
    /// Smaller.
    Webp,
    /// Shapes, with its images in it.
    Svg,
}

/// Commands about canvases.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the canvases, newest first.
    List {
        #[command(flatten)]
        pages: Pages,
    },
    /// Show a canvas; `--json` for all its layers.
    Show {
        /// The canvas's id.
        id: String,
    },
    /// Create a canvas.
    #[command(after_help = "Examples:
  mws canvases create Cover --size 1200x630 --background '#f4f1ea'
  mws canvases create Cover --size 1200x630 --layers '[{\"type\":\"text\",\"text\":\"{title}\",\"size\":96}]'")]
    Create {
        /// The canvas's name.
        name: String,
        /// Its width and height in pixels.
        #[arg(long, value_name = "WIDTHxHEIGHT", default_value = "1920x1080")]
        size: String,
        /// The colour of its background.
        #[arg(long, value_name = "COLOR")]
        background: Option<String>,
        /// Layers to begin with, as JSON, or @FILE.
        #[arg(long, value_name = "JSON")]
        layers: Option<String>,
    },
    /// Do operations on a canvas, all of them or none, or give it another name.
    #[command(after_help = "Examples:
  mws canvases edit cnv_01J… '[{\"op\":\"add_layer\",\"type\":\"image\",\"ref\":\"itm_01J…\",\"at\":3.5}]'
  mws canvases edit cnv_01J… @ops.json --if-revision 3")]
    Edit {
        /// The canvas's id.
        id: String,
        #[command(flatten)]
        edit: EditArgs,
    },
    /// Undo the latest change of a canvas.
    Undo {
        /// The canvas's id.
        id: String,
        #[command(flatten)]
        based: Based,
    },
    /// Render a canvas into a new item.
    #[command(after_help = "Examples:
  mws canvases render cnv_01J… --value 'title=Down the river' --wait
  mws canvases render cnv_01J… --format jpeg --scale 2 --dry-run")]
    Render {
        /// The canvas's id.
        id: String,
        /// The format.
        #[arg(long, value_enum, default_value = "png")]
        format: Format,
        /// Pixels of the picture for each pixel of the canvas.
        #[arg(long, value_name = "NUMBER", default_value_t = 1.0)]
        scale: f64,
        /// The text for a placeholder; may be given again.
        #[arg(long, value_name = "NAME=TEXT")]
        value: Vec<String>,
        /// Say what it would cost, and start nothing.
        #[arg(long)]
        dry_run: bool,
        /// Follow the job to its end.
        #[arg(long, conflicts_with = "dry_run")]
        wait: bool,
    },
    /// Delete a canvas.
    Delete {
        /// The canvas's id.
        id: String,
    },
}

pub(super) async fn run(command: Command, context: &Context) -> Result<(), Failure> {
    match command {
        Command::List { pages } => {
            let list = of_tool(context, "list_canvases", "canvases", json!({}), pages).await?;
            context.out.list(&list, "id", &COLUMNS)
        }
        Command::Show { id } => show(context, "get_canvas", &KIND.id_body(&id)).await,
        Command::Create { name, size, background, layers } => {
            let (width, height) = sides(&size)?;
            let layers = layers.as_deref().map(json_of).transpose()?;
            let new =
                json!({ "name": name, "width": width, "height": height, "background": background, "layers": layers });
            show(context, "create_canvas", &without_nulls(new)).await
        }
        Command::Edit { id, edit } => show(context, "edit_canvas", &KIND.edit_body(&id, &edit)?).await,
        Command::Undo { id, based } => show(context, "undo_canvas", &KIND.undo_body(&id, based)).await,
        Command::Render { id, format, scale, value, dry_run, wait } => {
            let ask = json!({
                "canvas_id": id, "format": word(&format), "scale": scale, "values": values(&value)?,
                "dry_run": dry_run.then_some(true),
            });
            render(context, "render_canvas", &without_nulls(ask), wait).await
        }
        Command::Delete { id } => KIND.delete(context, &id).await,
    }
}

/// Calls a tool that returns a canvas, and shows it.
async fn show(context: &Context, tool: &str, ask: &Value) -> Result<(), Failure> {
    let answer = context.client.tool(tool, ask).await?;
    context.out.record(&answer["canvas"], "id", &FIELDS)
}

/// The width and the height in a size.
fn sides(size: &str) -> Result<(u32, u32), Failure> {
    let sides = size.split_once('x').and_then(|(width, height)| Some((width.parse().ok()?, height.parse().ok()?)));
    sides.ok_or_else(|| Failure::Usage("--size: expected two whole numbers, as 1200x630".to_owned()))
}

/// The texts for placeholders, by name.
fn values(given: &[String]) -> Result<Value, Failure> {
    let mut values = Map::new();
    for value in given {
        let (name, text) =
            value.split_once('=').ok_or_else(|| Failure::Usage(format!("--value {value}: expected NAME=TEXT")))?;
        values.insert(name.to_owned(), text.into());
    }
    Ok(values.into())
}
