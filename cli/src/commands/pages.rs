//! Lists that are fetched page by page.

use super::Context;
use crate::client::query;
use crate::failure::Failure;
use crate::globals::duration;
use clap::Args;
use serde_json::{Value, json};
use std::time::Duration;

/// How many rows of a list to show.
#[derive(Debug, Clone, Copy, Args)]
pub struct Pages {
    /// Rows to show, at most 100.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u8).range(1..=100))]
    limit: u8,
    /// Show all rows, however many.
    #[arg(long, conflicts_with = "limit")]
    all: bool,
}

impl Pages {
    /// How many rows the first page has.
    pub fn limit(self) -> u8 {
        if self.all { 100 } else { self.limit }
    }

    /// Whether pages after the first are wanted.
    pub fn all(self) -> bool {
        self.all
    }
}

/// The age of a list's rows.
#[derive(Debug, Clone, Copy, Args)]
pub struct Period {
    /// Only those that are at most this old, such as 2h.
    #[arg(long, value_parser = duration)]
    since: Option<Duration>,
    /// Only those older than this, such as 30m.
    #[arg(long, value_parser = duration)]
    until: Option<Duration>,
}

impl Period {
    /// The two times as query parameters of a route.
    pub fn filters(self) -> [(&'static str, Option<String>); 2] {
        self.named("since", "until")
    }

    /// The two times as parameters with these names.
    pub fn named(self, since: &'static str, until: &'static str) -> [(&'static str, Option<String>); 2] {
        [(since, self.since.and_then(ago)), (until, self.until.and_then(ago))]
    }
}

/// Fetches as many rows of a route's list as are wanted, from as many pages as they are in. A page of a filtered list
/// may have fewer rows than its limit, or none, and still have more after it.
pub async fn fetch(
    context: &Context,
    path: &str,
    filters: &[(&str, Option<String>)],
    pages: Pages,
) -> Result<Value, Failure> {
    let mut rows = Rows::of(pages);
    loop {
        let mut parameters = filters.to_vec();
        parameters.extend([("limit", Some(rows.wanted().to_string())), ("cursor", rows.cursor.clone())]);
        let mut page = context.client.get(&format!("{path}{}", query(&parameters))).await?;
        if let Some(list) = rows.with(page["data"].take(), &page) {
            return Ok(list);
        }
    }
}

/// Fetches a tool's list, whose rows are in the field `field`, in the same way.
pub async fn of_tool(context: &Context, tool: &str, field: &str, asked: Value, pages: Pages) -> Result<Value, Failure> {
    let (mut asked, mut rows) = (asked, Rows::of(pages));
    loop {
        asked["limit"] = json!(rows.wanted());
        if let Some(cursor) = &rows.cursor {
            asked["cursor"] = json!(cursor);
        }
        let mut page = context.client.tool(tool, &asked).await?;
        if let Some(list) = rows.with(page[field].take(), &page) {
            return Ok(list);
        }
    }
}

/// The rows of the pages so far.
struct Rows {
    pages: Pages,
    data: Vec<Value>,
    cursor: Option<String>,
}

impl Rows {
    fn of(pages: Pages) -> Self {
        Self { pages, data: Vec::new(), cursor: None }
    }

    /// How many rows the next page should have.
    fn wanted(&self) -> usize {
        let most = usize::from(self.pages.limit());
        if self.pages.all() { most } else { most.saturating_sub(self.data.len()).max(1) }
    }

    /// Adds the rows of one more page. Returns the whole list, once there are enough or no more.
    fn with(&mut self, rows: Value, page: &Value) -> Option<Value> {
        if let Value::Array(rows) = rows {
            self.data.extend(rows);
        }
        self.cursor = page["next_cursor"].as_str().map(str::to_owned);
        let enough = !self.pages.all() && self.data.len() >= usize::from(self.pages.limit());
        (enough || self.cursor.is_none()).then(|| {
            json!({ "data": std::mem::take(&mut self.data), "has_more": page["has_more"], "next_cursor": self.cursor })
        })
    }
}

/// The time this long ago, in the format of the interface.
pub(super) fn ago(since: Duration) -> Option<String> {
    let seconds = runtime::clock::host_unix_seconds().saturating_sub_unsigned(since.as_secs());
    let time = chrono::DateTime::from_timestamp(seconds, 0)?;
    Some(time.to_rfc3339_opts(chrono::SecondsFormat::Millis, true))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(rows: &[u8], next: Option<&str>) -> (Value, Value) {
        (json!(rows), json!({ "has_more": next.is_some(), "next_cursor": next }))
    }

    #[test]
    fn pages_are_read_on_until_there_are_as_many_rows_as_were_asked_for() {
        let mut rows = Rows::of(Pages { limit: 3, all: false });
        let mut put = |(data, page): (Value, Value)| rows.with(data, &page);
        assert_eq!(put(page(&[], Some("b"))), None, "a page without rows is not the end");
        assert_eq!(put(page(&[1, 2], Some("c"))), None);
        let whole = put(page(&[3], Some("d")));
        assert_eq!(whole, Some(json!({ "data": [1, 2, 3], "has_more": true, "next_cursor": "d" })));

        let mut rows = Rows::of(Pages { limit: 3, all: false });
        let (data, last) = page(&[], None);
        assert_eq!(rows.with(data, &last), Some(json!({ "data": [], "has_more": false, "next_cursor": null })));
        let mut all = Rows::of(Pages { limit: 1, all: true });
        let (data, first) = page(&[1], Some("b"));
        assert_eq!((all.with(data, &first), all.wanted(), all.cursor.as_deref()), (None, 100, Some("b")));
    }

    #[test]
    fn the_next_page_is_asked_for_what_is_left() {
        let mut rows = Rows::of(Pages { limit: 3, all: false });
        let (data, first) = page(&[1, 2], Some("b"));
        assert_eq!((rows.wanted(), rows.with(data, &first), rows.wanted()), (3, None, 1));
    }
}
