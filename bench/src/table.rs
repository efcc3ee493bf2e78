//! The table of measured figures, each with its bar; and the median and percentiles of samples.

use crate::condition::Condition;
use anyhow::Context;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;

/// The share of a figure on empty tables that full ones must keep; a time may grow by its inverse.
const KEPT: f64 = 0.9;

/// The bar that a figure must meet.
#[derive(Debug, Clone, Copy)]
pub enum Bar {
    /// At most this.
    AtMost(f64),
    /// At least this share of the figure beside it.
    ShareAtLeast(f64),
    /// At most this multiple of the figure beside it.
    TimesAtMost(f64),
    /// No bar: the figure is there to be compared with.
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
    /// The state of the tables for figures that are added from now on.
    condition: Condition,
    /// The figures on empty tables that have a bar, by name.
    empty: HashMap<String, f64>,
}

impl Table {
    /// Sets the state of the tables for figures that are added from now on.
    pub fn under(&mut self, condition: Condition) {
        self.condition = condition;
    }

    /// Adds a figure, with the one beside it, and prints it at once. On full tables it is compared
    /// with itself on empty ones (`KEPT`), since its own bar was for those.
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

    /// Adds a figure whose bar is the same in every state of the tables.
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

    /// Returns the figure of this name on empty tables, if it has a bar.
    pub fn on_empty(&self, what: &str) -> Option<f64> {
        self.empty.get(what).copied()
    }

    fn push(&mut self, what: &str, value: f64, unit: &'static str, beside: Option<f64>, bar: Bar) {
        let what = format!("{}{what}", self.condition.prefix());
        let row = Row { what, value, unit, beside, bar };
        eprintln!("  {}", row.line());
        self.rows.push(row);
    }

    /// Prints the table as Markdown, and then the missed bars.
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

    /// Returns how many bars were missed.
    pub fn missed(&self) -> usize {
        self.rows.iter().filter(|row| row.holds() == Some(false)).count()
    }

    fn held(&self) -> usize {
        self.rows.iter().filter(|row| row.holds().is_some()).count()
    }
}

impl Row {
    /// Returns the ratio to the figure beside it; none where there is no such figure or it is 0.
    fn ratio(&self) -> Option<f64> {
        self.beside.filter(|beside| *beside > 0.0).map(|beside| self.value / beside)
    }

    /// Whether its bar is met; a bar that compares with a missing figure is not.
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

/// Formats a number with three significant digits, and thousands apart.
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

/// Returns the median; 0 of no values.
pub fn median(values: &[f64]) -> f64 {
    percentile(values, 50)
}

/// Returns the value that `hundredth` percent of the values do not exceed; 0 of no values.
pub fn percentile(values: &[f64], hundredth: usize) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().saturating_sub(1);
    sorted.get((last * hundredth).div_ceil(100)).copied().unwrap_or_default()
}
