//! Documents that people change in steps: their kinds, how many a workspace may have, how many revisions are kept, and
//! how a list of operations is applied (contract §4.9).
//!
//! Each kind's body and operations are in a module of their own (`board` is the smallest).

use serde::de::DeserializeOwned;
use serde_json::Value;

/// Revisions before the present one that are kept for undo.
pub const KEPT_REVISIONS: i32 = 50;
/// The most bytes of one document, as JSON.
pub const MOST_BYTES: usize = 512 << 10;
/// A document of more bytes is long: this many are read, and written as an answer, within a few milliseconds.
pub const LONG_BYTES: usize = 64 << 10;
/// The most bytes of a document's kept revisions: beyond them the oldest are deleted, whatever their number.
pub const MOST_KEPT_BYTES: i64 = 4 << 20;
/// The most bytes of an account's documents with their revisions.
pub const MOST_ACCOUNT_BYTES: i64 = 256 << 20;
/// The most operations of one edit.
pub const MOST_OPS: usize = 500;
/// The most characters of an id that a caller chooses within a document.
pub const MOST_ID_CHARACTERS: usize = 64;
/// The most characters of a document's name.
pub const MOST_NAME_CHARACTERS: usize = 200;

/// A kind of document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DocumentKind {
    /// Columns of cards.
    Board,
    /// Colours, fonts and logos; a workspace has one.
    BrandKit,
    /// Layers of a picture.
    Canvas,
    /// The speech of an item in another language.
    Dub,
    /// The defaults of tools; a workspace has one.
    Settings,
    /// Words for agents, found by name.
    Skill,
    /// Arguments of a tool, found by name.
    Template,
    /// Scenes, sound and captions of a film.
    Timeline,
}

impl DocumentKind {
    /// All kinds.
    pub const ALL: [Self; 8] = [
        Self::Board,
        Self::BrandKit,
        Self::Canvas,
        Self::Dub,
        Self::Settings,
        Self::Skill,
        Self::Template,
        Self::Timeline,
    ];

    /// Returns its name in the database.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Board => "board",
            Self::BrandKit => "brand_kit",
            Self::Canvas => "canvas",
            Self::Dub => "dub",
            Self::Settings => "settings",
            Self::Skill => "skill",
            Self::Template => "template",
            Self::Timeline => "timeline",
        }
    }

    /// Returns the word for it in texts.
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Board => "board",
            Self::BrandKit => "brand kit",
            Self::Canvas => "canvas",
            Self::Dub => "dub",
            Self::Settings => "settings",
            Self::Skill => "skill",
            Self::Template => "template",
            Self::Timeline => "timeline",
        }
    }

    /// Returns the most documents of this kind in a workspace.
    pub const fn most(self) -> i64 {
        match self {
            Self::Board | Self::Skill | Self::Template => 200,
            Self::BrandKit | Self::Settings => 1,
            Self::Canvas | Self::Dub | Self::Timeline => 500,
        }
    }
}

/// The list of operations in a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpList {
    /// The operations of an edit.
    Ops,
    /// The layers of a new canvas: operations that each add one.
    Layers,
}

impl OpList {
    /// Returns the name of the call's field.
    pub const fn field(self) -> &'static str {
        match self {
            Self::Ops => "ops",
            Self::Layers => "layers",
        }
    }

    /// Returns the word for its entries.
    const fn nouns(self) -> &'static str {
        match self {
            Self::Ops => "operations",
            Self::Layers => "layers",
        }
    }
}

/// Why a document's name, body or edit is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DocumentError {
    /// The name is empty, too long, or not one line.
    #[error("`name`: expected 1 to {MOST_NAME_CHARACTERS} characters on one line")]
    Name,
    /// The body is larger than a document may be.
    #[error("the {0} would have more than {limit} bytes as JSON; split it", limit = MOST_BYTES)]
    TooLarge(&'static str),
    /// There is no operation, or there are too many.
    #[error("`{}`: expected 1 to {MOST_OPS} {}", .0.field(), .0.nouns())]
    Ops(OpList),
    /// An operation can't be applied, so none is.
    #[error("`{}[{index}]`: {why}", .list.field())]
    Op {
        /// The list that it is in.
        list: OpList,
        /// Its index, from 0.
        index: usize,
        /// Why it can't be applied.
        why: String,
    },
}

/// Returns the name as it is stored, trimmed.
pub fn checked_name(name: &str) -> Result<&str, DocumentError> {
    let name = name.trim();
    let is_fit =
        !name.is_empty() && name.chars().count() <= MOST_NAME_CHARACTERS && !name.chars().any(char::is_control);
    is_fit.then_some(name).ok_or(DocumentError::Name)
}

/// Refuses more operations than an edit may have: before anything that they name is looked up.
pub fn few_enough(list: OpList, ops: &[Value]) -> Result<(), DocumentError> {
    if ops.len() > MOST_OPS { Err(DocumentError::Ops(list)) } else { Ok(()) }
}

/// Applies the operations in order, all or none, and returns the changed document. The error names the first one that
/// can't be applied.
///
/// Operations are JSON objects with an `op`; their type refuses unknown fields.
pub fn edited<D: Clone, O: DeserializeOwned>(
    document: &D,
    list: OpList,
    ops: &[Value],
    mut apply: impl FnMut(&mut D, O) -> Result<(), String>,
) -> Result<D, DocumentError> {
    few_enough(list, ops)?;
    if ops.is_empty() {
        return Err(DocumentError::Ops(list));
    }
    let mut edit = document.clone();
    for (index, op) in ops.iter().enumerate() {
        let failed = |why: String| DocumentError::Op { list, index, why };
        let op = O::deserialize(op).map_err(|error| failed(error.to_string()))?;
        apply(&mut edit, op).map_err(failed)?;
    }
    Ok(edit)
}

/// Returns the words of a refusal: the document has no part of this id.
pub fn unknown_id(noun: &str, part: &str, id: &str) -> String {
    let shown: String = id.chars().take(MOST_ID_CHARACTERS).collect();
    format!("the {noun} has no {part} `{shown}`")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use serde_json::json;

    #[derive(Deserialize)]
    #[serde(tag = "op", rename_all = "snake_case", deny_unknown_fields)]
    enum Count {
        Add { by: u32 },
    }

    fn added(ops: &[Value]) -> Result<u32, DocumentError> {
        edited(&1, OpList::Ops, ops, |sum: &mut u32, Count::Add { by }| {
            *sum += by;
            if *sum > 9 { Err("more than nine".to_owned()) } else { Ok(()) }
        })
    }

    #[test]
    fn operations_are_done_all_or_none() {
        assert_eq!(added(&[json!({ "op": "add", "by": 2 }), json!({ "op": "add", "by": 3 })]), Ok(6));
        let full = added(&[json!({ "op": "add", "by": 2 }), json!({ "op": "add", "by": 7 })]);
        assert_eq!(full, Err(DocumentError::Op { list: OpList::Ops, index: 1, why: "more than nine".to_owned() }));
    }

    #[test]
    fn an_operation_that_is_not_understood_is_named_by_its_place() {
        for (wrong, said) in [
            (json!({ "op": "add", "by": 1, "to": 2 }), "unknown field `to`"),
            (json!({ "op": "add" }), "missing field `by`"),
            (json!({ "op": "take" }), "unknown variant `take`"),
            (json!({ "op": "add", "by": -1 }), "expected u32"),
        ] {
            let error = added(&[json!({ "op": "add", "by": 1 }), wrong]).expect_err("wrong").to_string();
            assert!(error.starts_with("`ops[1]`: ") && error.contains(said), "{error}");
        }
        assert_eq!(added(&[]), Err(DocumentError::Ops(OpList::Ops)));
        assert_eq!(added(&vec![json!({ "op": "add", "by": 0 }); MOST_OPS + 1]), Err(DocumentError::Ops(OpList::Ops)));
    }

    #[test]
    fn a_name_is_a_line_with_something_in_it() {
        assert_eq!(checked_name("  Launch \u{1f680} "), Ok("Launch \u{1f680}"));
        for wrong in ["", "  ", "a\nb", &"x".repeat(MOST_NAME_CHARACTERS + 1)] {
            assert_eq!(checked_name(wrong), Err(DocumentError::Name), "{wrong:?}");
        }
    }
}
