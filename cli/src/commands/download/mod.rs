//! `mws items download`: fetches an item's file, whole or not at all.
//!
//! Bytes go into a part beside the file, from which the next attempt continues, and take the file's place only once
//! their SHA-256 is the item's. A broken connection is made again; a link that expires meanwhile is renewed. Memory
//! holds one piece at a time. `target` has the part and the place.

mod target;

use super::Context;
use crate::client::{Fetched, part};
use crate::failure::Failure;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use reqwest::Response;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Duration;
use target::Target;

/// Attempts in a row without progress before it gives up.
const MOST_IN_VAIN: u32 = 6;
/// The longest pause between two attempts that a service may ask for.
const LONGEST_WAIT: Duration = Duration::from_mins(1);

/// The item, and where its file goes.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mws items download itm_01J…
  mws items download interview -o talk.mp4 --force
  mws items download itm_01J… -o - | ffprobe -

A download that was cut off goes on where it was when the command is given again.")]
pub struct Args {
    /// The item's ref or id.
    #[arg(value_name = "REF")]
    item: String,
    /// Where to write: a file, a folder, or - for standard output. Unset: a file with the item's name, here.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace a file that exists.
    #[arg(long)]
    force: bool,
}

/// The file to fetch.
struct Wanted {
    item: Value,
    link: String,
    bytes: u64,
    sha256: String,
}

pub(super) async fn run(args: Args, context: &Context) -> Result<(), Failure> {
    let wanted = Wanted::of(ask(context, &args.item).await?)?;
    let name = wanted.item["name"].as_str().unwrap_or_default();
    let content_type = wanted.item["content_type"].as_str();
    let target = Target::open(args.output.as_deref(), args.force, name, content_type, &wanted.sha256).await?;
    let bar = bar(context, wanted.bytes);
    let download = Download { context, reference: &args.item, wanted, target, bar };
    let (target, item) = tokio::select! {
        got = download.all() => got?,
        _ = tokio::signal::ctrl_c() => {
            return Err(Failure::Interrupted("Stopped; the same command goes on where it was.".to_owned()));
        }
    };
    finish(context, target, &item).await
}

async fn ask(context: &Context, item: &str) -> Result<Value, Failure> {
    context.client.get(&format!("/library/items/{}", part(item))).await
}

async fn finish(context: &Context, target: Target, item: &Value) -> Result<(), Failure> {
    let Some(path) = target.finish(item["sha256"].as_str().unwrap_or_default()).await? else { return Ok(()) };
    let answer = json!({ "item_id": item["id"], "path": path, "bytes": item["bytes"], "sha256": item["sha256"] });
    context.out.done(&answer, &format!("Downloaded {} ({} bytes).", path.display(), item["bytes"]))
}

impl Wanted {
    fn of(item: Value) -> Result<Self, Failure> {
        let name = item["name"].as_str().unwrap_or_default();
        let Some(link) = item["media_url"].as_str().map(str::to_owned) else {
            let why = match item["status"].as_str() {
                Some("processing") => "is still being looked at; `mws items get` shows when it is ready",
                Some("failed") => "could not be read, and is not kept",
                _ => "has no link to its media: the service is older than this command",
            };
            return Err(Failure::Work(format!("{name} {why}")));
        };
        let sha256 = item["sha256"].as_str().unwrap_or_default().to_owned();
        let bytes = item["bytes"].as_u64().unwrap_or_default();
        Ok(Self { item, link, bytes, sha256 })
    }
}

/// A progress bar on a terminal, and none elsewhere.
fn bar(context: &Context, bytes: u64) -> ProgressBar {
    let target = if context.out.bars { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let style = ProgressStyle::with_template("{bar:24} {percent:>3} %  {bytes}/{total_bytes}  {bytes_per_sec}  {eta}");
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("█▓░");
    ProgressBar::with_draw_target(Some(bytes), target).with_style(style)
}

/// A download that is under way.
struct Download<'a> {
    context: &'a Context,
    reference: &'a str,
    wanted: Wanted,
    target: Target,
    bar: ProgressBar,
}

impl Download<'_> {
    /// Fetches until all bytes are there.
    async fn all(mut self) -> Result<(Target, Value), Failure> {
        let (mut in_vain, mut renewed_at) = (0, None);
        // The speed shown is that of the bytes that arrive now, without those of an earlier attempt.
        self.bar.set_position(self.target.taken());
        self.bar.reset_eta();
        while self.target.taken() < self.wanted.bytes {
            let before = self.target.taken();
            let tag = format!("\"{}\"", self.wanted.sha256);
            let (wait, failure) = match self.context.client.fetch(&self.wanted.link, before, &tag).await? {
                Fetched::From(from, response) => match self.take(from, response).await? {
                    None => continue,
                    Some(broken) => (Duration::from_secs(1 << in_vain), broken),
                },
                Fetched::Ended(failure) if renewed_at == Some(before) => return Err(failure),
                Fetched::Ended(_) => {
                    renewed_at = Some(before);
                    self.renew().await?;
                    continue;
                }
                Fetched::PastTheEnd => {
                    self.target.begin_anew().await?;
                    (Duration::ZERO, Failure::Work("the service has fewer bytes than the item says".to_owned()))
                }
                Fetched::Later(wait, failure) => (wait.min(LONGEST_WAIT), failure),
            };
            in_vain = if self.target.taken() > before { 0 } else { in_vain + 1 };
            if in_vain >= MOST_IN_VAIN {
                return Err(failure);
            }
            self.context.out.trace(&format!("cut off at {} bytes; going on", self.target.taken()));
            if in_vain > 0 {
                tokio::time::sleep(wait).await;
            }
        }
        self.bar.finish_and_clear();
        Ok((self.target, self.wanted.item))
    }

    /// Gets a new link to the same bytes.
    async fn renew(&mut self) -> Result<(), Failure> {
        let again = Wanted::of(ask(self.context, self.reference).await?)?;
        if again.sha256 != self.wanted.sha256 {
            return Err(Failure::Work("another item has that name now; begin again".to_owned()));
        }
        self.wanted = again;
        Ok(())
    }

    /// Writes the bytes that arrive. Returns a failure when they break off, after which another attempt may be made.
    async fn take(&mut self, from: u64, mut response: Response) -> Result<Option<Failure>, Failure> {
        self.target.go_on_from(from).await?;
        loop {
            match response.chunk().await {
                Ok(Some(bytes)) => {
                    self.target.write(&bytes).await?;
                    self.bar.set_position(self.target.taken());
                }
                Ok(None) if self.target.taken() >= self.wanted.bytes => return Ok(None),
                Ok(None) => return Ok(Some(Failure::TryLater("the connection broke".to_owned()))),
                Err(error) => return Ok(Some(self.context.client.unreachable(&error))),
            }
            if self.target.taken() > self.wanted.bytes {
                self.target.begin_anew().await?;
                return Err(Failure::Work("the service sent more bytes than the item has".to_owned()));
            }
        }
    }
}
