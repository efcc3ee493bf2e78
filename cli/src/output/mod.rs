//! The output of all commands: data to standard output, all else to standard error (contract §13).
//!
//! On a terminal a list is a table; elsewhere it is tab-separated lines that are never truncated; with `--json` it is
//! the API's own document. All three have the same content.

mod advice;
mod cell;
mod follow;
mod lines;
mod summary;

pub use advice::advised;
pub use cell::{Column, plain, plain_lines, present};
pub use follow::{Followed, follow};
pub use summary::{counted, summary, text};

use crate::failure::Failure;
use crate::globals::Globals;
use cell::cell;
use comfy_table::{ContentArrangement, Table, presets};
use serde_json::Value;
use std::io::{IsTerminal, Write};

/// The form of the output.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct Out {
    /// `--json`.
    pub json: bool,
    ids: bool,
    quiet: bool,
    verbose: bool,
    colors: bool,
    /// Whether standard output is a terminal.
    pub terminal: bool,
    /// Whether data may be coloured too.
    pub colored_data: bool,
    /// Whether standard error is a terminal, so that bars can be drawn.
    pub bars: bool,
}

impl Out {
    /// The form that the flags and the streams ask for.
    pub fn new(globals: &Globals) -> Self {
        let stderr_terminal = std::io::stderr().is_terminal();
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let terminal = std::io::stdout().is_terminal();
        let wanted = !globals.no_color && !set("NO_COLOR");
        let colors = wanted && (set("CLICOLOR_FORCE") || (stderr_terminal && !dumb));
        Self {
            json: globals.json,
            ids: globals.ids,
            quiet: globals.quiet,
            verbose: globals.verbose,
            colors,
            terminal,
            colored_data: wanted && terminal && !dumb,
            bars: stderr_terminal && !dumb && !globals.json && !globals.quiet,
        }
    }

    /// Returns this form of output without the data, for a caller that prints a document of its own.
    pub fn without_data(&self) -> Self {
        Self { json: false, quiet: self.quiet || self.json, ..self.clone() }
    }

    /// Prints a message for a person.
    pub fn say(&self, text: &str) {
        if !self.quiet && !self.json {
            let _ = writeln!(std::io::stderr(), "{text}");
        }
    }

    /// Prints a line of `-v`.
    pub fn trace(&self, text: &str) {
        if self.verbose {
            let _ = writeln!(std::io::stderr(), "· {text}");
        }
    }

    /// A text in the colour of success.
    pub fn good(&self, text: &str) -> String {
        self.colored(text, "32")
    }

    /// A text in the colour of failure.
    pub fn bad(&self, text: &str) -> String {
        self.colored(text, "31")
    }

    fn colored(&self, text: &str, code: &str) -> String {
        if self.colors { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }

    /// Prints the result of a change: the API's answer with `--json`, else a sentence.
    pub fn done(&self, answer: &Value, sentence: &str) -> Result<(), Failure> {
        if self.json {
            return document(answer);
        }
        self.say(sentence);
        Ok(())
    }

    /// Prints a list as the API returned it, `{"data":[…],…}`.
    pub fn list(&self, list: &Value, id: &str, columns: &[Column]) -> Result<(), Failure> {
        if self.json {
            return document(list);
        }
        let rows: &[Value] = list["data"].as_array().map_or(&[], Vec::as_slice);
        self.rows(rows, id, columns)?;
        if list["has_more"] == true {
            self.say("There are more: --limit shows up to 100, --all shows every one.");
        }
        Ok(())
    }

    /// Whether more than ids is printed, in words: neither `--json` nor `--ids`.
    pub const fn in_words(&self) -> bool {
        !self.json && !self.ids
    }

    /// Prints the rows of a list, as a table, as lines or as ids.
    pub fn rows(&self, rows: &[Value], id: &str, columns: &[Column]) -> Result<(), Failure> {
        if self.ids {
            let ids: Vec<&str> = rows.iter().filter_map(|row| row[id].as_str()).collect();
            return if ids.is_empty() { Ok(()) } else { print(&ids.join("\n")) };
        }
        if rows.is_empty() {
            self.say("There are none.");
            return Ok(());
        }
        if self.terminal { print(&table(rows, columns).to_string()) } else { print(&lines::lines(rows, columns)) }
    }

    /// Prints one object, a line for each field.
    pub fn record(&self, value: &Value, id: &str, columns: &[Column]) -> Result<(), Failure> {
        if self.json {
            return document(value);
        }
        if self.ids {
            return print(value[id].as_str().unwrap_or_default());
        }
        let width = columns.iter().map(|column| column.title.len()).max().unwrap_or_default();
        let fields = columns.iter().map(|column| (column, cell(value, column, self.terminal)));
        let line = |(column, text): (&Column, String)| {
            if self.terminal {
                format!("{:<width$}  {text}", column.title)
            } else {
                format!("{}\t{text}", column.title)
            }
        };
        print(&fields.map(line).collect::<Vec<_>>().join("\n"))
    }
}

/// Prints data to standard output, in whole lines.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    if !text.ends_with('\n') {
        out.write_all(b"\n")?;
    }
    Ok(out.flush()?)
}

/// Prints one JSON document.
pub fn document(value: &Value) -> Result<(), Failure> {
    print(&format!("{value:#}"))
}

/// Prints one JSON object on a line of its own.
pub fn event(value: &Value) -> Result<(), Failure> {
    print(&value.to_string())
}

/// Makes a table for a terminal.
pub fn table(rows: &[Value], columns: &[Column]) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(columns.iter().map(|column| column.title));
    for row in rows {
        table.add_row(columns.iter().map(|column| cell(row, column, true)));
    }
    table
}
