//! `mws show`: an item's reads, drawn on one time axis.
//!
//! A terminal gets a strip of a few lines; a file, or a standard output that is not a terminal, gets an SVG. Only
//! stored reads are drawn; a message names the missing ones, with the command that makes them.

use super::Context;
use crate::client::part;
use crate::failure::Failure;
use crate::output::{document, print};
use anyhow::Context as _;
use picture::{DRAWN, Facts, Unread, strip, svg};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Columns of a terminal that does not tell its width.
const COLUMNS: u16 = 80;

/// An item to draw.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mws show itm_01J…                      a strip, as wide as the terminal
  mws show itm_01J… --svg talk.svg       a picture
  mws show itm_01J… > talk.svg           the same")]
pub struct Args {
    /// The item's ref or id.
    #[arg(value_name = "REF")]
    item: String,
    /// Write an SVG to this file; - for standard output.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

pub(super) async fn run(args: Args, context: &Context) -> Result<(), Failure> {
    let path = format!("/library/items/{}", part(&args.item));
    let item = context.client.get(&path).await?;
    let mut stored = BTreeMap::new();
    for read in DRAWN.into_iter().filter(|read| !item["reads"][read].is_null()) {
        stored.insert(read.to_owned(), context.client.get(&format!("{path}/reads/{read}")).await?);
    }
    let facts = Facts::of(&item, &stored, Unread::Told);
    let missing = facts.missing();
    let id = item["id"].as_str().unwrap_or(&args.item);
    if context.out.json {
        return document(&json!({ "item": item, "reads": stored, "missing": missing }));
    }
    let next = format!("mws prepare {id} --reads {} --watch", missing.join(","));
    if stored.is_empty() {
        return Err(Failure::Work(nothing(&item, &next)));
    }
    if !missing.is_empty() {
        context.out.say(&format!("Not read yet: {}.\n  next: {next}", missing.join(", ")));
    }
    draw(&facts, args.svg.as_deref(), context)
}

/// Draws into the file that is named, or else to standard output.
fn draw(facts: &Facts, file: Option<&Path>, context: &Context) -> Result<(), Failure> {
    match file {
        Some(file) if file != Path::new("-") => {
            std::fs::write(file, svg(facts)).with_context(|| format!("{} can't be written", file.display()))?;
            context.out.say(&format!("Drawn: {}", file.display()));
            Ok(())
        }
        None if context.out.terminal => print(&strip(facts, width(), context.out.colored_data)),
        _ => print(&svg(facts)),
    }
}

/// Why there is nothing to draw, and what to do.
fn nothing(item: &Value, next: &str) -> String {
    match (item["status"].as_str(), item["type"].as_str()) {
        (Some("failed"), _) => {
            let why = item["error"]["message"].as_str().unwrap_or("it failed");
            format!("the item can't be read: {why}")
        }
        (_, Some("image")) => "a picture has no sound, and there is nothing to draw of it".to_owned(),
        _ => format!("nothing of it has been read yet\n  next: {next}"),
    }
}

/// The terminal's columns.
fn width() -> usize {
    let (_, columns) = console::Term::stdout().size_checked().unwrap_or((0, COLUMNS));
    usize::from(columns)
}
