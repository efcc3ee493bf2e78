//! `mws research`: posts from feeds and pages.

use super::confirm::confirm;
use super::pages::{Pages, of_tool};
use super::{Context, without_nulls};
use crate::failure::Failure;
use crate::output::Column;
use clap::Subcommand;
use serde_json::json;

const COLUMNS: [Column; 5] = [
    Column::new("ID", "/id"),
    Column::new("PUBLISHED", "/published_at"),
    Column::new("BY", "/author"),
    Column::new("TITLE", "/title"),
    Column::new("URL", "/url"),
];

const FIELDS: [Column; 8] = [
    Column::new("id", "/id"),
    Column::new("url", "/url"),
    Column::new("title", "/title"),
    Column::new("by", "/author"),
    Column::new("published", "/published_at"),
    Column::new("tags", "/tags"),
    Column::new("kept", "/kept_at"),
    Column::new("item", "/item_id"),
];

/// Commands about posts.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Pull the newest posts from a feed, or the post on a page.
    #[command(after_help = "Examples:
  mws research pull https://example.com/feed.xml --limit 10
  mws research pull https://example.com/an-article")]
    Pull {
        /// The URL of the feed or the page.
        url: String,
        /// How many posts of a feed to pull, at most 50.
        #[arg(long, value_parser = clap::value_parser!(u32).range(1..=50))]
        limit: Option<u32>,
    },
    /// List the posts that were pulled, newest first.
    List {
        /// Only those with this in their title, author, tags or the beginning of their text.
        query: Option<String>,
        /// Only those that were pulled from this URL.
        #[arg(long, value_name = "URL")]
        source: Option<String>,
        /// Only those that are kept.
        #[arg(long)]
        kept: bool,
        /// Only those that are not kept, which go after 30 days.
        #[arg(long, conflicts_with = "kept")]
        unkept: bool,
        #[command(flatten)]
        pages: Pages,
    },
    /// Keep a post until it is deleted.
    Keep {
        /// The post's id.
        id: String,
        /// A tag, which replaces those it has; may be given again.
        #[arg(long = "tag", value_name = "TAG")]
        tags: Vec<String>,
        /// Import the first of its media as an item.
        #[arg(long)]
        import: bool,
    },
    /// Delete a post.
    Delete {
        /// The post's id.
        id: String,
    },
}

pub(super) async fn run(command: Command, context: &Context) -> Result<(), Failure> {
    match command {
        Command::Pull { url, limit } => {
            let asked = without_nulls(json!({ "url": url, "limit": limit }));
            let pulled = context.client.tool("pull_posts", &asked).await?;
            let list = json!({ "data": pulled["posts"], "has_more": false, "next_cursor": null });
            context.out.list(&list, "id", &COLUMNS)
        }
        Command::List { query, source, kept, unkept, pages } => {
            let kept = (kept || unkept).then_some(kept);
            let asked = without_nulls(json!({ "query": query, "source": source, "kept": kept }));
            let list = of_tool(context, "list_posts", "posts", asked, pages).await?;
            context.out.list(&list, "id", &COLUMNS)
        }
        Command::Keep { id, tags, import } => {
            let tags = (!tags.is_empty()).then_some(tags);
            let asked = json!({ "post_id": id, "tags": tags, "import_media": import.then_some(true) });
            let kept = context.client.tool("keep_post", &without_nulls(asked)).await?;
            context.out.record(&kept["post"], "id", &FIELDS)
        }
        Command::Delete { id } => {
            confirm(context, &format!("Delete the post {id}?"))?;
            let deleted = context.client.tool("delete_post", &json!({ "post_id": id })).await?;
            context.out.done(&deleted, &format!("Deleted {id}."))
        }
    }
}
