//! What was measured, row by row, with its bar; and the figures that a sample of numbers comes down to.

use crate::condition::Condition;
use anyhow::Context;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;

/// What full tables may cost: so much of what empty ones do, at least.
const KEPT: f64 = 0.9;

/// What is to be reached.
#[derive(Debug, Clone, Copy)]
pub enum Bar {
    /// At most this.
    AtMost(f64),
    /// At least this share of what it stands beside.
    ShareAtLeast(f64),
    /// At most so many times what it stands beside.
    TimesAtMost(f64),
    /// Nothing: it is there to be compared with.
    None,
}

/// A measured figure.
#[derive(Debug)]
struct Row {
    what: String,
    value: f64,
    unit: &'static str,
    beside: Option<f64>,
    bar: Bar,
}

/// All that was measured.
#[derive(Debug, Default)]
pub struct Table {
    rows: Vec<Row>,
    /// What the tables are like, from now on.
    condition: Condition,
    /// What was measured on empty tables and has a bar, by name.
    empty: HashMap<String, f64>,
}

impl Table {
    /// What is added from now on was measured so.
    pub fn under(&mut self, condition: Condition) {
        self.condition = condition;
    }

    /// Adds a figure, with the one that it stands beside, and tells it at once. On full tables it is held to itself on
    /// empty ones: its own bar was for those.
    pub fn add(&mut self, what: impl Into<String>, value: f64, unit: &'static str, beside: Option<f64>, bar: Bar) {
        let what = what.into();
        if self.condition == Condition::Empty {
            if !matches!(bar, Bar::None) {
                self.empty.insert(what.clone(), value);
            }
            self.push(&what, value, unit, beside, bar);
            return;
        }
        let beside = self.empty.get(&what).copied();
        let bar = match bar {
            _ if beside.is_none() => Bar::None,
            Bar::ShareAtLeast(_) => Bar::ShareAtLeast(KEPT),
            Bar::AtMost(_) | Bar::TimesAtMost(_) => Bar::TimesAtMost(1.0 / KEPT),
            Bar::None => Bar::None,
        };
        self.push(&what, value, unit, beside, bar);
    }

    /// Adds a figure whose bar is the same whatever the tables hold.
    pub fn add_as_is(
        &mut self,
        what: impl Into<String>,
        value: f64,
        unit: &'static str,
        beside: Option<f64>,
        bar: Bar,
    ) {
        self.push(&what.into(), value, unit, beside, bar);
    }

    /// What was measured so on empty tables, if it has a bar.
    pub fn on_empty(&self, what: &str) -> Option<f64> {
        self.empty.get(what).copied()
    }

    fn push(&mut self, what: &str, value: f64, unit: &'static str, beside: Option<f64>, bar: Bar) {
        let what = format!("{}{what}", self.condition.prefix());
        let row = Row { what, value, unit, beside, bar };
        eprintln!("  {}", row.line());
        self.rows.push(row);
    }

    /// Prints the table as Markdown, and after it what was missed.
    pub fn print(&self) {
        let mut text = String::from("| | measured | ÷ beside | bar | |\n|---|---|---|---|---|\n");
        for row in &self.rows {
            text.push_str(&row.line());
            text.push('\n');
        }
        println!("{text}");
        let missed: Vec<&Row> = self.rows.iter().filter(|row| row.holds() == Some(false)).collect();
        if !missed.is_empty() {
            eprintln!("{} of {} bars were missed:", missed.len(), self.held());
            for row in missed {
                eprintln!("  {}", row.line());
            }
        }
    }

    /// Writes the rows to a file, as an array of `{name, value, unit, ratio, bar, met}`.
    pub fn write(&self, file: &Path) -> anyhow::Result<()> {
        let rows: Vec<Value> = self.rows.iter().map(Row::json).collect();
        let text = serde_json::to_string_pretty(&rows)?;
        std::fs::write(file, text + "\n").with_context(|| format!("{} could not be written", file.display()))
    }

    /// How many bars were missed.
    pub fn missed(&self) -> usize {
        self.rows.iter().filter(|row| row.holds() == Some(false)).count()
    }

    fn held(&self) -> usize {
        self.rows.iter().filter(|row| row.holds().is_some()).count()
    }
}

impl Row {
    /// What it is of what it stands beside. Of nothing there is no share.
    fn ratio(&self) -> Option<f64> {
        self.beside.filter(|beside| *beside > 0.0).map(|beside| self.value / beside)
    }

    /// Whether its bar is met; a bar that is a share of nothing is not.
    fn holds(&self) -> Option<bool> {
        match self.bar {
            Bar::AtMost(bar) => Some(self.value <= bar),
            Bar::ShareAtLeast(bar) => Some(self.ratio().is_some_and(|ratio| ratio >= bar)),
            Bar::TimesAtMost(bar) => Some(self.ratio().is_some_and(|ratio| ratio <= bar)),
            Bar::None => None,
        }
    }

    fn bar(&self) -> Option<String> {
        Some(match self.bar {
            Bar::AtMost(bar) => format!("≤ {}", number(bar)),
            Bar::ShareAtLeast(bar) => format!("≥ {} ×", number(bar)),
            Bar::TimesAtMost(bar) => format!("≤ {} ×", number(bar)),
            Bar::None => return None,
        })
    }

    fn json(&self) -> Value {
        json!({
            "name": self.what, "value": self.value, "unit": self.unit, "ratio": self.ratio(), "bar": self.bar(),
            "met": self.holds(),
        })
    }

    fn line(&self) -> String {
        let ratio = self.ratio().map(|ratio| format!("{ratio:.2}")).unwrap_or_default();
        let verdict = self.holds().map_or("", |holds| if holds { "✓" } else { "missed" });
        let (value, bar) = (number(self.value), self.bar().unwrap_or_default());
        let mut line = String::new();
        let _infallible = write!(line, "| {} | {value} {} | {ratio} | {bar} | {verdict} |", self.what, self.unit);
        line
    }
}

/// Three digits that matter, and thousands apart.
fn number(value: f64) -> String {
    let decimals = match value.abs() {
        value if value >= 100.0 => 0,
        value if value >= 10.0 => 1,
        value if value >= 0.1 || value == 0.0 => 2,
        _ => 4,
    };
    let text = format!("{value:.decimals$}");
    let (whole, rest) = text.split_once('.').map_or((text.as_str(), String::new()), |(a, b)| (a, format!(".{b}")));
    let mut grouped = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped + &rest
}

/// The middle one; 0 of none.
pub fn median(values: &[f64]) -> f64 {
    percentile(values, 50)
}

/// The value that so many of a hundred do not pass; 0 of none.
pub fn percentile(values: &[f64], hundredth: usize) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().saturating_sub(1);
    sorted.get((last * hundredth).div_ceil(100)).copied().unwrap_or_default()
}
