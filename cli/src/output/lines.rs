//! A list for a program: a heading, then one line for each row, tab-separated, with nothing truncated.

use super::cell::{Column, cell};
use serde_json::Value;

/// The rows as lines.
pub(super) fn lines(rows: &[Value], columns: &[Column]) -> String {
    let mut text = columns.iter().map(|column| column.title).collect::<Vec<_>>().join("\t");
    for row in rows {
        text.push('\n');
        text.push_str(&columns.iter().map(|column| cell(row, column, false)).collect::<Vec<_>>().join("\t"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_tab_in_a_value_makes_no_column() {
        let rows = [json!({ "id": "a", "name": "x\ty" })];
        let columns = [Column::new("ID", "/id"), Column::new("NAME", "/name")];
        assert_eq!(lines(&rows, &columns), "ID\tNAME\na\tx y");
    }
}
