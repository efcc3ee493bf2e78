//! What was measured, row by row, with its bar; and the figures that a sample of numbers comes down to.

use std::fmt::Write;

/// What is to be reached.
#[derive(Debug, Clone, Copy)]
pub enum Bar {
    /// At least this.
    AtLeast(f64),
    /// At most this.
    AtMost(f64),
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
pub struct Table(Vec<Row>);

impl Table {
    /// Adds a figure, with the one that it stands beside, and tells it at once.
    pub fn add(&mut self, what: impl Into<String>, value: f64, unit: &'static str, beside: Option<f64>, bar: Bar) {
        let row = Row { what: what.into(), value, unit, beside, bar };
        eprintln!("  {}", row.line());
        self.0.push(row);
    }

    /// Prints the table as Markdown.
    pub fn print(&self) {
        let mut text = String::from("| | measured | ÷ beside | bar | |\n|---|---|---|---|---|\n");
        for row in &self.0 {
            text.push_str(&row.line());
            text.push('\n');
        }
        println!("{text}");
    }

    /// How many bars were missed.
    pub fn missed(&self) -> usize {
        self.0.iter().filter(|row| row.holds() == Some(false)).count()
    }
}

impl Row {
    fn holds(&self) -> Option<bool> {
        match self.bar {
            Bar::AtLeast(bar) => Some(self.value >= bar),
            Bar::AtMost(bar) => Some(self.value <= bar),
            Bar::None => None,
        }
    }

    fn line(&self) -> String {
        let ratio = self.beside.map(|beside| format!("{:.2}", self.value / beside)).unwrap_or_default();
        let bar = match self.bar {
            Bar::AtLeast(bar) => format!("≥ {}", number(bar)),
            Bar::AtMost(bar) => format!("≤ {}", number(bar)),
            Bar::None => String::new(),
        };
        let verdict = self.holds().map_or("", |holds| if holds { "✓" } else { "missed" });
        let mut line = String::new();
        let _infallible =
            write!(line, "| {} | {} {} | {ratio} | {bar} | {verdict} |", self.what, number(self.value), self.unit);
        line
    }
}

/// Three digits that matter, and thousands apart.
fn number(value: f64) -> String {
    let decimals = match value.abs() {
        value if value >= 100.0 => 0,
        value if value >= 10.0 => 1,
        _ => 2,
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
