//! Lists on routes: `limit`, an opaque keyset cursor, and `{data, has_more, next_cursor}` (contract §4).
//!
//! A cursor is the list's name and the last id shown, with the text too where the list is sorted by one. A list that
//! belongs to something, as comments do to an item, has that thing's id in its name. So the cursor of another list, or
//! of another order, is refused. Never an offset: rows that come and go between two pages neither repeat nor hide
//! others.

use crate::http::error::{Answer, ApiError, Code};
use crate::http::text::{Text, plain_type};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use poem_openapi::Object;
use poem_openapi::registry::MetaSchema;
use poem_openapi::types::{ParseError, ParseFromJSON, ParseFromParameter, ParseResult, ToJSON, Type};
use serde_json::Value;
use std::borrow::Cow;
use store::Seen;
use uuid::Uuid;

const DEFAULT_LIMIT: u8 = 20;
const MOST: u8 = 100;

/// How many rows of a list are asked for: 1 to 100, 20 by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit(u8);

impl Default for Limit {
    fn default() -> Self {
        Self(DEFAULT_LIMIT)
    }
}

plain_type!(
    Limit,
    "limit",
    MetaSchema {
        minimum: Some(1.0),
        maximum: Some(f64::from(MOST)),
        default: Some(DEFAULT_LIMIT.into()),
        ..MetaSchema::new("integer")
    }
);

impl Limit {
    fn from_number(number: u64) -> ParseResult<Self> {
        u8::try_from(number)
            .ok()
            .filter(|limit| (1..=MOST).contains(limit))
            .map(Self)
            .ok_or_else(|| ParseError::custom("expected a whole number from 1 to 100"))
    }
}

impl ParseFromParameter for Limit {
    fn parse_from_parameter(value: &str) -> ParseResult<Self> {
        let number = value.parse().map_err(|_| ParseError::custom("expected a whole number from 1 to 100"))?;
        Self::from_number(number)
    }
}

impl ParseFromJSON for Limit {
    fn parse_from_json(value: Option<Value>) -> ParseResult<Self> {
        let number = value.as_ref().and_then(Value::as_u64);
        Self::from_number(number.ok_or_else(|| ParseError::expected_type(value.unwrap_or_default()))?)
    }
}

impl ToJSON for Limit {
    fn to_json(&self) -> Option<Value> {
        Some(self.0.into())
    }
}

/// A page that is asked for: the list's name, how many rows, and the last id that was seen.
#[derive(Debug, Clone, Copy)]
pub struct Page {
    list: &'static str,
    /// The id of the thing that the list belongs to, if it belongs to one.
    of: Option<Uuid>,
    limit: usize,
    /// Shows the rows after this id.
    pub after: Option<Uuid>,
}

/// The last row of a page, after which the next one begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    /// The last row's id.
    pub id: Uuid,
    /// The text of that row that the list is sorted by first; empty where it is sorted by id alone.
    pub text: String,
}

impl Page {
    /// Reads `limit` and `cursor`. `list` is the name that the list's cursors carry.
    ///
    /// # Errors
    /// `invalid_cursor` when the cursor is not one of this list.
    pub fn new(list: &'static str, limit: Option<Limit>, cursor: Option<&Text>) -> Answer<Self> {
        Self::sorted(list, limit, cursor).map(|(page, _)| page)
    }

    /// As [`Page::new`], for a list that belongs to the thing with this id, as comments do to an item.
    ///
    /// # Errors
    /// As [`Page::new`]; the cursor of another thing's list is refused too.
    pub fn of(list: &'static str, of: Uuid, limit: Option<Limit>, cursor: Option<&Text>) -> Answer<Self> {
        let page = Self { list, of: Some(of), limit: usize::from(limit.unwrap_or_default().0), after: None };
        let position = cursor.map(|cursor| opened(&page.name(), cursor)).transpose()?;
        Ok(Self { after: position.map(|position| position.id), ..page })
    }

    /// As [`Page::new`], for a list that may be sorted by a text; with the position that its cursor names.
    ///
    /// # Errors
    /// As [`Page::new`].
    pub fn sorted(list: &'static str, limit: Option<Limit>, cursor: Option<&Text>) -> Answer<(Self, Option<Position>)> {
        let position = cursor.map(|cursor| opened(list, cursor)).transpose()?;
        let after = position.as_ref().map(|position| position.id);
        Ok((Self { list, of: None, limit: usize::from(limit.unwrap_or_default().0), after }, position))
    }

    /// The name that its cursors carry.
    fn name(&self) -> Cow<'static, str> {
        self.of.map_or(Cow::Borrowed(self.list), |of| Cow::Owned(format!("{} {of}", self.list)))
    }

    /// How many rows to fetch: one more than is shown, to know whether there are more.
    pub fn fetch(&self) -> i64 {
        i64::try_from(self.limit).map_or(i64::MAX, |limit| limit + 1)
    }

    /// Makes the answer of a page that looked through a bounded number of rows: it may hold fewer than the limit and
    /// still have more after it. A row for which `show` returns none is left out.
    pub fn window<R, T>(&self, seen: Seen<R>, id: impl Fn(&R) -> Uuid, show: impl FnMut(R) -> Option<T>) -> List<T>
    where
        T: ParseFromJSON + ToJSON,
    {
        let (rows, next_cursor) = self.cut(seen, id);
        List { data: rows.into_iter().filter_map(show).collect(), has_more: next_cursor.is_some(), next_cursor }
    }

    /// Makes the answer of rows that are a page, and of the position of its last row when there may be more.
    pub fn ending_at<R, T>(&self, rows: Vec<R>, last: Option<&Position>, show: impl Fn(R) -> T) -> List<T>
    where
        T: ParseFromJSON + ToJSON,
    {
        let next_cursor = last.map(|last| sealed(&self.name(), last.id, &last.text).into());
        List { data: rows.into_iter().map(show).collect(), has_more: next_cursor.is_some(), next_cursor }
    }

    /// The rows of a page that looked through a bounded number of rows, and the cursor after it when there are more.
    pub fn cut<R>(&self, seen: Seen<R>, id: impl Fn(&R) -> Uuid) -> (Vec<R>, Option<Text>) {
        let Seen { mut rows, last_seen } = seen;
        let is_full = rows.len() > self.limit;
        rows.truncate(self.limit);
        let last = if is_full { rows.last().map(id) } else { last_seen };
        (rows, last.map(|last| sealed(&self.name(), last, "").into()))
    }

    /// Makes the answer of at most `fetch()` rows; `id` is what the rows are ordered by.
    pub fn list<R, T>(&self, mut rows: Vec<R>, id: impl Fn(&R) -> Uuid, show: impl Fn(R) -> T) -> List<T>
    where
        T: ParseFromJSON + ToJSON,
    {
        let has_more = rows.len() > self.limit;
        rows.truncate(self.limit);
        let next_cursor = rows.last().filter(|_| has_more).map(|row| sealed(&self.name(), id(row), "").into());
        List { data: rows.into_iter().map(show).collect(), has_more, next_cursor }
    }
}

/// A page of a list.
#[derive(Debug, Object)]
pub struct List<T: ParseFromJSON + ToJSON> {
    /// The rows, in the list's order.
    pub data: Vec<T>,
    /// Whether there are rows after these.
    pub has_more: bool,
    /// Pass it as `cursor` for the rows after these; null on the last page.
    pub next_cursor: Option<Text>,
}

/// The id, the list's name and, behind a NUL, the text.
fn sealed(list: &str, id: Uuid, text: &str) -> String {
    let mut bytes = id.as_bytes().to_vec();
    bytes.extend_from_slice(list.as_bytes());
    if !text.is_empty() {
        bytes.push(0);
        bytes.extend_from_slice(text.as_bytes());
    }
    URL_SAFE_NO_PAD.encode(bytes)
}

fn opened(list: &str, cursor: &str) -> Answer<Position> {
    let refused = || ApiError::new(Code::InvalidCursor, "`cursor` is not one that this list gave out.");
    let bytes = URL_SAFE_NO_PAD.decode(cursor).map_err(|_| refused())?;
    let (id, name) = bytes.split_at_checked(16).ok_or_else(refused)?;
    let (name, text) = name.split_at(name.iter().position(|byte| *byte == 0).unwrap_or(name.len()));
    let text = String::from_utf8(text.iter().skip(1).copied().collect()).map_err(|_| refused())?;
    if name != list.as_bytes() || text.contains('\0') {
        return Err(refused());
    }
    Ok(Position { id: Uuid::from_slice(id).map_err(|_| refused())?, text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_opens_in_its_own_list_alone() {
        let id = Uuid::from_u128(7);
        let cursor = sealed("keys", id, "");
        assert_eq!(opened("keys", &cursor).ok(), Some(Position { id, text: String::new() }));
        let by_name = sealed("items by name", id, "über");
        assert_eq!(opened("items by name", &by_name).ok(), Some(Position { id, text: "über".to_owned() }));
        let forged = sealed("keys", id, "a\0b");
        for (list, wrong) in
            [("items", &*cursor), ("items", &by_name), ("keys", "x"), ("keys", "!!"), ("keys", ""), ("keys", &forged)]
        {
            assert_eq!(opened(list, wrong).err().map(|error| error.code()), Some(Code::InvalidCursor), "{wrong}");
        }
    }

    #[test]
    fn a_page_shows_no_more_than_its_limit_and_says_whether_there_is_more() {
        let page = Page::new("keys", Limit::from_number(2).ok(), None).expect("a page");
        let list = page.list(vec![1_u8, 2, 3], |row| Uuid::from_u128(u128::from(*row)), u32::from);
        assert_eq!(list.data, [1, 2]);
        assert!(list.has_more);
        let next = Page::new("keys", None, list.next_cursor.as_ref()).expect("the next page");
        assert_eq!(next.after, Some(Uuid::from_u128(2)));
        assert!(!page.list(vec![1_u8], |_| Uuid::nil(), u32::from).has_more);
    }
}
