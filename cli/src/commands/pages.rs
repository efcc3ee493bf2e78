//! Lists that come in pages.

use super::Context;
use crate::client::{part, query};
use crate::failure::Failure;
use crate::globals::duration;
use clap::Args;
use serde_json::{Value, json};
use std::time::Duration;

/// How much of a list to show.
#[derive(Debug, Clone, Copy, Args)]
pub struct Pages {
    /// Rows to show, at most 100.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u8).range(1..=100))]
    limit: u8,
    /// All of them, however many.
    #[arg(long, conflicts_with = "limit")]
    all: bool,
}

impl Pages {
    /// Rows of the first page.
    pub fn limit(self) -> u8 {
        if self.all { 100 } else { self.limit }
    }

    /// Whether the pages after the first are wanted.
    pub fn all(self) -> bool {
        self.all
    }
}

/// The time that a list's rows are from.
#[derive(Debug, Clone, Copy, Args)]
pub struct Period {
    /// Only those from this long ago on, such as 2h.
    #[arg(long, value_parser = duration)]
    since: Option<Duration>,
    /// Only those older than this, such as 30m.
    #[arg(long, value_parser = duration)]
    until: Option<Duration>,
}

impl Period {
    /// As the routes take it.
    pub fn filters(self) -> [(&'static str, Option<String>); 2] {
        [("since", self.since.and_then(ago)), ("until", self.until.and_then(ago))]
    }
}

/// A route's list: one page of it, or all pages joined into one.
pub async fn fetch(
    context: &Context,
    path: &str,
    filters: &[(&str, Option<String>)],
    pages: Pages,
) -> Result<Value, Failure> {
    let mut parameters = filters.to_vec();
    parameters.push(("limit", Some(pages.limit().to_string())));
    let first = format!("{path}{}", query(&parameters));
    let mut list = context.client.get(&first).await?;
    if !pages.all() {
        return Ok(list);
    }
    let mut rows = list["data"].as_array().cloned().unwrap_or_default();
    while let Some(cursor) = list["next_cursor"].as_str() {
        list = context.client.get(&format!("{first}&cursor={}", part(cursor))).await?;
        rows.extend(list["data"].as_array().cloned().unwrap_or_default());
    }
    Ok(json!({ "data": rows, "has_more": false, "next_cursor": null }))
}

/// A tool's list, whose rows are its field `rows`, as a route's: one page of it, or all pages joined into one.
pub async fn of_tool(context: &Context, tool: &str, rows: &str, asked: Value, pages: Pages) -> Result<Value, Failure> {
    let (mut asked, mut all) = (asked, Vec::new());
    asked["limit"] = json!(pages.limit());
    loop {
        let mut page = context.client.tool(tool, &asked).await?;
        all.append(&mut page[rows].as_array().cloned().unwrap_or_default());
        if !pages.all() || !page["next_cursor"].is_string() {
            return Ok(json!({ "data": all, "has_more": page["has_more"], "next_cursor": page["next_cursor"] }));
        }
        asked["cursor"] = page["next_cursor"].take();
    }
}

/// The time this long ago, as the interface writes times.
pub(super) fn ago(since: Duration) -> Option<String> {
    let seconds = runtime::clock::host_unix_seconds().saturating_sub_unsigned(since.as_secs());
    let time = chrono::DateTime::from_timestamp(seconds, 0)?;
    Some(time.to_rfc3339_opts(chrono::SecondsFormat::Millis, true))
}
