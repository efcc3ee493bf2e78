//! `mws demo`: the service at work, end to end, on media made here or handed in.
//!
//! It starts `mws up` as a child, as a person would, and does everything through the API: uploads, one call for all
//! reads, a webhook endpoint at a receiver of its own that checks every signature, the results and the minutes, and a
//! project whose brief becomes a film and whose statuses are sent to another receiver. The exit code is 1 when
//! something that should work does not.

mod checks;
mod library;
mod media;
mod project;
mod receiver;
mod report;
mod service;
mod webhook;

use crate::client::Client;
use crate::commands::{ALL_READS, Request, asked_reads};
use crate::data_dir::DataDir;
use crate::failure::Failure;
use crate::globals::Globals;
use crate::output::{Followed, Out, counted, document, follow};
use receiver::Receiver;
use report::{Report, StoredRead};
use serde_json::Value;
use service::Service;
use std::path::PathBuf;
use std::time::Instant;

/// The media to show the service with.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mws demo                    on media made with flite, sox and ffmpeg
  mws demo talk.mp4           on a file of yours
  mws demo --keep             and let the service run on until Ctrl-C")]
pub struct DemoArgs {
    /// Your own files. Without them, media is made in the data folder.
    media: Vec<PathBuf>,
    /// Let the service run on at the end, until Ctrl-C.
    #[arg(long)]
    keep: bool,
}

/// Items that one call of `prepare_media` takes (contract §4.2).
const MOST_FILES: usize = 20;

/// Runs the demo.
pub async fn run(args: DemoArgs, globals: Globals) -> Result<(), Failure> {
    let began = Instant::now();
    let out = Out::new(&globals);
    if args.media.len() > MOST_FILES {
        return Err(Failure::Usage(format!("the demo takes {MOST_FILES} files at most")));
    }
    embedded_postgres::check_data_dir(&globals.data_dir).map_err(|error| Failure::Work(error.to_string()))?;
    let data_dir = DataDir::prepare(&globals.data_dir)?;
    let is_own = args.media.is_empty();
    let files = if is_own { media::make(&data_dir, &out).await? } else { args.media };
    let mut service = tokio::select! {
        started = Service::start(&data_dir, &out) => started?,
        () = asked_to_stop() => return Err(stopped()),
    };
    let client = service.client.clone();
    let mut report = Report::default();
    let mut ended = tokio::select! {
        shown = show(&client, &files, is_own, &out, &mut report) => shown,
        ended = service.wait_for_end() => Err(ended),
        () = asked_to_stop() => Err(stopped()),
    };
    if ended.is_ok() && report.checks.all_well() {
        report::next(&service, &data_dir, &report, args.keep, began.elapsed(), &out);
        if args.keep {
            tokio::select! {
                why = service.wait_for_end() => ended = Err(why),
                () = asked_to_stop() => {}
            }
        }
    }
    let end = service.stop().await;
    ended?;
    end?;
    if out.json {
        document(&report.json())?;
    }
    report.checks.verdict()
}

fn stopped() -> Failure {
    Failure::Interrupted("Stopped.".to_owned())
}

/// Ends at Ctrl-C, at SIGTERM, or when the terminal is closed: the child must not be left behind.
async fn asked_to_stop() {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut terminate), Ok(mut hangup)) = (signal(SignalKind::terminate()), signal(SignalKind::hangup())) else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        _ = terminate.recv() => {}
        _ = hangup.recv() => {}
    }
}

async fn show(client: &Client, files: &[PathBuf], is_own: bool, out: &Out, report: &mut Report) -> Result<(), Failure> {
    let receiver = Receiver::start().await?;
    let webhook = webhook::register(client, &receiver).await?;
    let before = client.get("/balances").await?;

    heading(out, "Upload");
    let items = library::upload(client, files, out).await?;

    heading(out, "Read: one call of prepare_media for all reads");
    let ids = items.iter().filter_map(|item| item["id"].as_str().map(str::to_owned)).collect();
    let reads = asked_reads(&[ALL_READS.to_owned()])?;
    let context = Some("The demo shows all that can be read.".to_owned());
    let data = Request { refs: ids, reads, context, dry_run: None }.send(client, &[]).await?;
    let jobs: Vec<String> =
        data["job_ids"].as_array().into_iter().flatten().filter_map(|id| id.as_str().map(str::to_owned)).collect();
    out.say(&format!("{}, estimated {} min", counted(jobs.len(), "job"), data["estimate"]["minutes"]));
    let followed = follow(client, &out.without_data(), &jobs).await?;
    results(client, &items, &data, &followed, report).await?;
    report.show_results(out)?;

    heading(out, "Minutes");
    report.show_minutes(before, client.get("/balances").await?, out)?;

    heading(out, "Webhooks: what a receiver of the demo got, each signature checked");
    webhook.check(client, &receiver, &followed, report).await?;
    report.show_webhooks(out)?;
    let secret = webhook.remove(client).await?;

    // The brief fits the demo's own media alone.
    if is_own && project::has_video(&items) {
        heading(out, "A brief becomes a film, and each of its statuses is sent to a receiver");
        project::show(client, &secret, out, report).await?;
    }
    Ok(())
}

/// Adds a row for every read of every item to the report, and checks them.
async fn results(
    client: &Client,
    items: &[Value],
    data: &Value,
    followed: &Followed,
    report: &mut Report,
) -> Result<(), Failure> {
    for answer in data["items"].as_array().into_iter().flatten() {
        let item = items.iter().find(|item| item["id"] == answer["item_id"]).unwrap_or(&Value::Null);
        for read in answer["reads"].as_array().into_iter().flatten() {
            let job = followed.jobs.iter().find(|job| job["id"] == read["job_id"]);
            let row = report::row(client, item, read, job, &mut report.checks).await?;
            if let (Some("ready" | "succeeded"), Some(id)) = (row["status"].as_str(), item["id"].as_str()) {
                let read = read["read"].as_str().unwrap_or_default().to_owned();
                report.stored.get_or_insert_with(|| StoredRead { item: id.to_owned(), read });
            }
            report.results.push(row);
        }
    }
    Ok(())
}

fn heading(out: &Out, text: &str) {
    out.say(&format!("\n── {text}"));
}
