//! `mws upload`: makes items from files, standard input or a URL.

use super::prepare::asked_reads;
use super::{Context, without_nulls};
use crate::client::{READY_TIMEOUT, upload_file, wait_until_ready};
use crate::failure::Failure;
use crate::output::{Column, document};
use anyhow::Context as _;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

pub(super) const COLUMNS: [Column; 6] = [
    Column::new("ID", "/id"),
    Column::new("NAME", "/name"),
    Column::new("TYPE", "/type"),
    Column::new("STATUS", "/status"),
    Column::new("SECONDS", "/duration_seconds"),
    Column::new("BYTES", "/bytes"),
];

/// The files to put into the library.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mws upload talk.mp4 --wait
  mws upload talk.mp4 --reads transcript,speech
  mws upload *.wav --ids
  ffmpeg … -f flac - | mws upload - --name talk.flac
  mws upload --from-url https://example.com/talk.mp4 --wait")]
pub struct Args {
    /// Files; - reads standard input, which needs --name.
    #[arg(required_unless_present = "from_url", conflicts_with = "from_url")]
    files: Vec<PathBuf>,
    /// The item's name; only with one file.
    #[arg(long)]
    name: Option<String>,
    /// Fetch the file from this URL instead.
    #[arg(long, value_name = "URL")]
    from_url: Option<String>,
    /// Reads to start once an item is ready, comma-separated: names of reads, or all.
    #[arg(long, value_delimiter = ',')]
    reads: Vec<String>,
    /// Wait until the items are ready, for 15 minutes each unless --timeout says; fails if one can't be read.
    #[arg(long)]
    wait: bool,
}

pub(super) async fn run(args: Args, context: &Context) -> Result<(), Failure> {
    if args.name.is_some() && args.files.len() > 1 {
        return Err(Failure::Usage("--name goes with one file".to_owned()));
    }
    let reads = asked_reads(&args.reads)?;
    let mut items = Vec::new();
    if let Some(url) = &args.from_url {
        let reads = (!reads.is_empty()).then_some(&reads);
        let asked = json!({ "url": url, "filename": args.name, "reads": reads });
        let upload = context.client.post("/uploads", &without_nulls(asked)).await?;
        let item = upload["item_id"].as_str().unwrap_or_default();
        items.push(context.client.get(&format!("/library/items/{item}")).await?);
    }
    for file in &args.files {
        items.push(one(file, args.name.as_deref(), &reads, context).await?);
    }
    if args.wait {
        for item in &mut items {
            let id = item["id"].as_str().unwrap_or_default().to_owned();
            // With --timeout the whole command ends by that.
            let limit = context.globals.timeout.unwrap_or(READY_TIMEOUT);
            *item = wait_until_ready(&context.client, &id, limit).await?;
        }
    }
    if context.out.json {
        return match items.as_slice() {
            [one] => document(one),
            _ => document(&json!({ "data": items, "has_more": false, "next_cursor": null })),
        };
    }
    context.out.rows(&items, "id", &COLUMNS)?;
    if let Some(id) = items.first().and_then(|item| item["id"].as_str())
        && reads.is_empty()
    {
        context.out.say(&format!("Next: mws prepare {id} --reads all --watch"));
    }
    Ok(())
}

async fn one(file: &Path, name: Option<&str>, reads: &[&str], context: &Context) -> Result<Value, Failure> {
    if file == Path::new("-") {
        let name = name.ok_or_else(|| Failure::Usage("standard input needs --name, such as talk.mp4".to_owned()))?;
        // The size must be known before the first byte is sent.
        let kept = tempfile::NamedTempFile::new().context("no temporary file can be made")?;
        let mut file = tokio::fs::File::create(kept.path()).await?;
        tokio::io::copy(&mut tokio::io::stdin(), &mut file).await.context("standard input can't be read")?;
        file.sync_all().await?;
        return upload_file(&context.client, kept.path(), name, reads).await;
    }
    let own = file.file_name().map(|name| name.to_string_lossy().into_owned());
    let name = name.map(str::to_owned).or(own).unwrap_or_default();
    context.out.trace(&format!("sending {}", file.display()));
    upload_file(&context.client, file, &name, reads).await
}
