//! `mws reads`: the stored reads of an item.

use super::Context;
use super::prepare::asked_reads;
use crate::client::{ApiRequest, part, query};
use crate::failure::Failure;
use crate::output::{Column, print, text};
use anyhow::Context as _;
use clap::{Subcommand, ValueEnum};
use reqwest::Method;
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};

const COLUMNS: [Column; 2] = [Column::new("READ", "/read"), Column::new("STORED", "/stored_at")];

/// How to show a read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// As stored.
    Json,
    /// The words as plain text, or a line for each segment.
    #[value(alias = "txt")]
    Text,
    /// A transcript as `SubRip` captions.
    Srt,
    /// A transcript as `WebVTT` captions.
    Vtt,
}

impl Format {
    /// The format to request; none where this program makes the text from the JSON.
    fn asked(self, read: &str) -> Option<&'static str> {
        match self {
            Self::Json => None,
            Self::Text => (read == "transcript").then_some("txt"),
            Self::Srt => Some("srt"),
            Self::Vtt => Some("vtt"),
        }
    }
}

/// Commands about stored reads.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show a stored read.
    #[command(after_help = "Examples:
  mws reads show itm_01J… transcript --format text
  mws reads show itm_01J… transcript --format srt -o talk.srt
  mws reads show itm_01J… levels | jq .data.integrated_lufs")]
    Show {
        /// The item's ref or id.
        #[arg(value_name = "REF")]
        item: String,
        /// The read's name.
        read: String,
        /// How to show it.
        #[arg(long, value_enum, default_value_t = Format::Json)]
        format: Format,
        /// The file to write to, which must not exist. Unset: standard output.
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
        /// Replace a file that exists.
        #[arg(long)]
        force: bool,
    },
    /// List the reads stored on an item.
    List {
        /// The item's ref or id.
        #[arg(value_name = "REF")]
        item: String,
    },
}

pub(super) async fn run(command: Command, context: &Context) -> Result<(), Failure> {
    match command {
        Command::Show { item, read, format, output, force } => {
            asked_reads(std::slice::from_ref(&read))?;
            let shown = fetch_as(context, &item, &read, format).await?;
            match output.filter(|file| file != Path::new("-")) {
                None => print(&shown),
                Some(file) => {
                    write(&file, &shown, force)?;
                    context.out.say(&format!("Wrote {}.", file.display()));
                    Ok(())
                }
            }
        }
        Command::List { item } => {
            let found = context.client.get(&format!("/library/items/{}", part(&item))).await?;
            let stored = found["reads"].as_object().into_iter().flatten();
            let rows: Vec<Value> =
                stored.map(|(read, stamp)| json!({ "read": read, "stored_at": stamp["stored_at"] })).collect();
            let list = json!({ "data": rows, "has_more": false, "next_cursor": null });
            context.out.list(&list, "read", &COLUMNS)
        }
    }
}

/// Returns a read in the form to show.
async fn fetch_as(context: &Context, item: &str, read: &str, format: Format) -> Result<String, Failure> {
    let path = format!("/library/items/{}/reads/{}", part(item), part(read));
    // With --json it is the service's own document, as for every command.
    if let Some(asked) = format.asked(read).filter(|_| !context.out.json) {
        let path = format!("{path}{}", query(&[("format", Some(asked.to_owned()))]));
        let call = ApiRequest { method: Method::GET, path: &path, body: None, headers: &[] };
        let response = context.client.open(call).await?;
        return response.text().await.map_err(|error| context.client.unreachable(&error));
    }
    let stored = context.client.get(&path).await?;
    Ok(if format == Format::Text && !context.out.json { text(read, &stored) } else { format!("{stored:#}") })
}

/// Writes a text to a file, with a newline at its end as on standard output.
fn write(path: &Path, text: &str, force: bool) -> Result<(), Failure> {
    let mut options = std::fs::OpenOptions::new();
    let options = if force { options.create(true).truncate(true) } else { options.create_new(true) };
    let mut file = options.write(true).open(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => {
            Failure::Usage(format!("{} is there already; --force replaces it", path.display()))
        }
        _ => Failure::Other(anyhow::Error::from(error).context(format!("{} can't be written", path.display()))),
    })?;
    let end = if text.ends_with('\n') { "" } else { "\n" };
    let written = file.write_all(text.as_bytes()).and_then(|()| file.write_all(end.as_bytes()));
    Ok(written.with_context(|| format!("{} can't be written", path.display()))?)
}
