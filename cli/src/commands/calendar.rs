//! `mws calendar`: planned entries, and feeds for calendar programs. It publishes nothing.

use super::confirm::confirm;
use super::pages::{Pages, of_tool};
use super::{Context, without_nulls};
use crate::failure::Failure;
use crate::output::{Column, document, print};
use clap::Subcommand;
use serde_json::{Map, Value, json};

const COLUMNS: [Column; 6] = [
    Column::new("ID", "/id"),
    Column::new("STARTS", "/starts_at"),
    Column::new("ENDS", "/ends_at"),
    Column::new("STATUS", "/status"),
    Column::new("CHANNEL", "/channel"),
    Column::new("TITLE", "/title"),
];

const FIELDS: [Column; 8] = [
    Column::new("id", "/id"),
    Column::new("title", "/title"),
    Column::new("starts", "/starts_at"),
    Column::new("ends", "/ends_at"),
    Column::new("status", "/status"),
    Column::new("channel", "/channel"),
    Column::new("note", "/note"),
    Column::new("items", "/items"),
];

const FEEDS: [Column; 3] =
    [Column::new("ID", "/id"), Column::new("CREATED", "/created_at"), Column::new("LAST READ", "/last_read_at")];

/// Commands about the calendar.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the entries, the earliest first.
    List {
        /// Only entries that start or go on at or after this time, such as 2026-12-01T00:00:00Z.
        #[arg(long, value_name = "TIME")]
        from: Option<String>,
        /// Only entries that start before this time.
        #[arg(long, value_name = "TIME")]
        to: Option<String>,
        #[command(flatten)]
        pages: Pages,
    },
    /// Add an entry.
    #[command(after_help = "Example:
  mws calendar add \"Interview goes out\" 2026-12-01T09:00:00Z --ref interview --channel Newsletter")]
    Add {
        /// The entry's title.
        title: String,
        /// When it starts.
        starts_at: String,
        #[command(flatten)]
        details: Details,
        /// Its status: idea, planned or done.
        #[arg(long)]
        status: Option<String>,
    },
    /// Set an entry's status.
    Mark {
        /// Its id.
        id: String,
        /// idea, planned or done.
        status: String,
    },
    /// Change an entry. What is not given stays; '' removes a value. Items that are given replace all it has.
    #[command(after_help = "Examples:
  mws calendar update cal_01J… --at 2026-12-02T09:00:00Z --until ''
  mws calendar update cal_01J… --ref interview --ref trailer")]
    Update {
        /// Its id.
        id: String,
        /// The entry's title.
        #[arg(long)]
        title: Option<String>,
        /// When it starts.
        #[arg(long, value_name = "TIME")]
        at: Option<String>,
        #[command(flatten)]
        details: Details,
    },
    /// Delete an entry.
    Delete {
        /// Its id.
        id: String,
    },
    /// List the feeds, without their URLs.
    Feeds,
    /// Make a feed. Its URL is printed once, on standard output.
    Feed,
    /// Revoke a feed.
    RevokeFeed {
        /// Its id.
        id: String,
    },
}

/// The fields of an entry other than its title and its start.
#[derive(Debug, clap::Args)]
pub struct Details {
    /// When it ends.
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    /// An item that it is about; may be given again.
    #[arg(long = "ref", value_name = "REF")]
    refs: Vec<String>,
    /// Where it will be published.
    #[arg(long)]
    channel: Option<String>,
    /// A note.
    #[arg(long)]
    note: Option<String>,
}

pub(super) async fn run(command: Command, context: &Context) -> Result<(), Failure> {
    let (client, out) = (&context.client, &context.out);
    match command {
        Command::List { from, to, pages } => {
            let asked = without_nulls(json!({ "from": from, "to": to }));
            let list = of_tool(context, "list_calendar", "entries", asked, pages).await?;
            out.list(&list, "id", &COLUMNS)
        }
        Command::Add { title, starts_at, details: Details { until, refs, channel, note }, status } => {
            let plan = json!({ "title": title, "starts_at": starts_at, "ends_at": until, "refs": refs,
                "channel": channel, "note": note, "status": status });
            let made = client.tool("add_calendar_entry", &without_nulls(plan)).await?;
            out.record(&made["entry"], "id", &FIELDS)
        }
        Command::Mark { id, status } => {
            let change = json!({ "entry_id": id, "status": status });
            let changed = client.tool("update_calendar_entry", &change).await?;
            out.record(&changed["entry"], "id", &FIELDS)
        }
        Command::Update { id, title, at, details: Details { until, refs, channel, note } } => {
            let has_refs = !refs.is_empty();
            let refs: Vec<_> = refs.into_iter().filter(|name| !name.is_empty()).map(Value::from).collect();
            let given = [
                ("title", title.map(Value::from)),
                ("starts_at", at.map(Value::from)),
                ("ends_at", until.map(emptied)),
                ("refs", has_refs.then(|| refs.into())),
                ("channel", channel.map(emptied)),
                ("note", note.map(emptied)),
            ];
            let mut change: Map<String, Value> =
                given.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect();
            if change.is_empty() {
                return Err(Failure::Usage("nothing to change: --help lists what can be".to_owned()));
            }
            change.insert("entry_id".to_owned(), id.into());
            let changed = client.tool("update_calendar_entry", &Value::Object(change)).await?;
            out.record(&changed["entry"], "id", &FIELDS)
        }
        Command::Delete { id } => {
            confirm(context, &format!("Delete the entry {id}?"))?;
            let deleted = client.tool("delete_calendar_entry", &json!({ "entry_id": id })).await?;
            out.done(&deleted, &format!("Deleted {id}."))
        }
        Command::Feeds => {
            let feeds = client.tool("list_calendar_feeds", &json!({})).await?;
            let list = json!({ "data": feeds["feeds"], "has_more": false, "next_cursor": null });
            out.list(&list, "id", &FEEDS)
        }
        Command::Feed => {
            let made = client.tool("create_calendar_feed", &json!({})).await?;
            out.say("The URL is shown this once. Whoever has it reads the calendar.");
            if out.json { document(&made) } else { print(made["url"].as_str().unwrap_or_default()) }
        }
        Command::RevokeFeed { id } => {
            confirm(context, &format!("Revoke the feed {id}?"))?;
            let revoked = client.tool("revoke_calendar_feed", &json!({ "feed_id": id })).await?;
            out.done(&revoked, &format!("Revoked {id}."))
        }
    }
}

/// A text, or null for an empty one.
fn emptied(text: String) -> Value {
    if text.is_empty() { Value::Null } else { text.into() }
}
