//! Shows a field of an answer to a person.

use serde_json::Value;

/// A column of a list, or a field of a record.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    /// Its heading.
    pub title: &'static str,
    /// The place of its value in the row, as a JSON pointer.
    pub pointer: &'static str,
}

impl Column {
    /// A column.
    pub const fn new(title: &'static str, pointer: &'static str) -> Self {
        Self { title, pointer }
    }
}

/// Returns those of these columns that this row has a value in.
pub fn present(row: &Value, columns: &[Column]) -> Vec<Column> {
    let has_value = |column: &&Column| row.pointer(column.pointer).is_some_and(|value| !value.is_null());
    columns.iter().filter(has_value).copied().collect()
}

/// The column's value in this row; an absent one is a dash for a person and empty for a program.
pub(super) fn cell(row: &Value, column: &Column, person: bool) -> String {
    match row.pointer(column.pointer) {
        None | Some(Value::Null) => if person { "–" } else { "" }.to_owned(),
        Some(value) => plain(value),
    }
}

/// A value without JSON's punctuation: a list as its members, an object as its names and values. It is one line, and
/// control characters in it can't steer a terminal.
pub fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect(),
        Value::Array(members) => members.iter().map(member).collect::<Vec<_>>().join(","),
        Value::Object(fields) => fields.iter().map(field).collect::<Vec<_>>().join(","),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

/// A text of several lines that can't steer a terminal: control characters other than newlines and tabs are shown as
/// U+FFFD.
pub fn plain_lines(text: &str) -> String {
    let shown = |letter: char| if letter.is_control() && !matches!(letter, '\n' | '\t') { '\u{fffd}' } else { letter };
    text.chars().map(shown).collect()
}

/// A member of a list: its name, ref or id, with a colour's hex value or a font's family.
fn member(value: &Value) -> String {
    let known_by = |names: &[&str]| names.iter().find_map(|name| value[name].as_str()).map(|text| plain(&text.into()));
    match known_by(&["name", "ref", "item_id", "id"]) {
        Some(name) => [Some(name), known_by(&["hex", "family"])].into_iter().flatten().collect::<Vec<_>>().join(" "),
        None => plain(value),
    }
}

fn field((name, value): (&String, &Value)) -> String {
    if value.is_number() { format!("{name} {value}") } else { name.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_value_is_shown_on_one_line_and_can_not_steer_the_terminal() {
        assert_eq!(plain(&json!("a\tb\n\u{1b}[31m")), "a b  [31m");
        assert_eq!(plain(&json!(["x", 1, true])), "x,1,true");
        let colors = json!([{ "name": "Ink", "hex": "#112233" }, { "item_id": "itm_1", "ref": "talk" }]);
        assert_eq!(plain(&colors), "Ink #112233,talk");
        assert_eq!(plain(&json!([{ "start": 1 }])), "start 1");
        assert_eq!(plain(&json!({ "levels": {}, "speech": {} })), "levels,speech");
        assert_eq!(plain(&json!({ "failed": 1, "ready": 20 })), "failed 1,ready 20");
    }

    #[test]
    fn what_is_absent_is_a_dash_for_people_and_nothing_for_programs() {
        let column = Column::new("ERROR", "/error/code");
        assert_eq!(cell(&json!({ "error": null }), &column, true), "–");
        assert_eq!(cell(&json!({}), &column, false), "");
        assert_eq!(cell(&json!({ "error": { "code": "x" } }), &column, true), "x");
    }
    #[test]
    fn lines_stay_lines_and_what_a_terminal_would_obey_is_a_mark() {
        assert_eq!(plain_lines("a\u{1b}]0;x\u{7}\n\tb\u{9b}c\r"), "a\u{fffd}]0;x\u{fffd}\n\tb\u{fffd}c\u{fffd}");
    }
}
