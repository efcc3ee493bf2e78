//! `mws comments`: what people say about an item or a timeline.

use super::confirm::confirm;
use super::pages::{Pages, of_tool};
use super::{Context, without_nulls};
use crate::failure::Failure;
use crate::output::Column;
use clap::Subcommand;
use serde_json::{Value, json};

const COLUMNS: [Column; 6] = [
    Column::new("ID", "/id"),
    Column::new("AT", "/at"),
    Column::new("BY", "/author/name"),
    Column::new("TEXT", "/text"),
    Column::new("RESOLVED", "/resolved_at"),
    Column::new("WRITTEN", "/created_at"),
];

const FIELDS: [Column; 12] = [
    Column::new("id", "/id"),
    Column::new("item", "/item_id"),
    Column::new("timeline", "/timeline_id"),
    Column::new("reply to", "/reply_to"),
    Column::new("at", "/at"),
    Column::new("until", "/until"),
    Column::new("region", "/region"),
    Column::new("by", "/author/name"),
    Column::new("as", "/author/type"),
    Column::new("text", "/text"),
    Column::new("resolved", "/resolved_at"),
    Column::new("written", "/created_at"),
];

/// Commands about comments.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the comments on an item or a timeline, newest first.
    List {
        /// The item's ref or id, or the timeline's id.
        #[arg(value_name = "REF")]
        subject: String,
        /// Only those that are not resolved.
        #[arg(long)]
        open: bool,
        #[command(flatten)]
        pages: Pages,
    },
    /// Comment on an item or a timeline.
    #[command(after_help = "Examples:
  mws comments add itm_01J… \"Too loud here.\" --at 12.5
  mws comments add itm_01J… \"Whose face?\" --at 12.5 --region 0.5,0,0.25,0.5
  mws comments add itm_01J… \"Better now.\" --reply-to cmt_01J…")]
    Add {
        /// The item's ref or id, or the timeline's id.
        #[arg(value_name = "REF")]
        subject: String,
        /// The comment.
        text: String,
        /// The second that it is about, or that its range begins with.
        #[arg(long, value_name = "SECONDS")]
        at: Option<f64>,
        /// The second that its range ends with.
        #[arg(long, value_name = "SECONDS", requires = "at")]
        until: Option<f64>,
        /// The part of the picture that it is about: left, top, width and height, each from 0 to 1.
        #[arg(long, value_name = "X,Y,WIDTH,HEIGHT", value_parser = region)]
        region: Option<Value>,
        /// The comment that it replies to.
        #[arg(long, value_name = "COMMENT")]
        reply_to: Option<String>,
    },
    /// Change the words of a comment of yours.
    Edit {
        /// The comment's id.
        id: String,
        /// Its new words.
        text: String,
    },
    /// Mark a comment as resolved.
    Resolve {
        /// The comment's id.
        id: String,
        /// Mark it as open again.
        #[arg(long)]
        undo: bool,
    },
    /// Delete a comment and the replies to it.
    Delete {
        /// The comment's id.
        id: String,
    },
}

pub(super) async fn run(command: Command, context: &Context) -> Result<(), Failure> {
    match command {
        Command::List { subject, open, pages } => {
            let asked = without_nulls(json!({ "ref": subject, "resolved": open.then_some(false) }));
            let list = of_tool(context, "list_comments", "comments", asked, pages).await?;
            context.out.list(&list, "id", &COLUMNS)
        }
        Command::Add { subject, text, at, until, region, reply_to } => {
            let said = json!({
                "ref": subject, "text": text, "at": at, "until": until, "region": region, "reply_to": reply_to,
            });
            let made = context.client.tool("add_comment", &without_nulls(said)).await?;
            context.out.record(&made["comment"], "id", &FIELDS)
        }
        Command::Edit { id, text } => update(&json!({ "comment_id": id, "text": text }), context).await,
        Command::Resolve { id, undo } => update(&json!({ "comment_id": id, "resolved": !undo }), context).await,
        Command::Delete { id } => {
            confirm(context, &format!("Delete the comment {id} and the replies to it?"))?;
            let deleted = context.client.tool("delete_comment", &json!({ "comment_id": id })).await?;
            context.out.done(&deleted, &format!("Deleted {id}."))
        }
    }
}

async fn update(change: &Value, context: &Context) -> Result<(), Failure> {
    let changed = context.client.tool("update_comment", change).await?;
    context.out.record(&changed["comment"], "id", &FIELDS)
}

/// A part of a picture, as the API takes it.
fn region(text: &str) -> Result<Value, String> {
    let numbers: Result<Vec<f64>, _> = text.split(',').map(|number| number.trim().parse()).collect();
    match numbers.unwrap_or_default()[..] {
        [x, y, width, height] if [x, y, width, height].iter().all(|number| number.is_finite()) => {
            Ok(json!({ "x": x, "y": y, "width": width, "height": height }))
        }
        _ => Err("expected four numbers with commas between, such as 0.5,0,0.25,0.5".to_owned()),
    }
}
