//! The picture for a terminal: one line per lane, one column per part of the time.
//!
//! The characters alone show everything; colours are added if they are wanted.

use super::axis::{clock, labels};
use super::facts::{Beats, Facts, Levels, Span, Speakers};
use super::voices::look;
use std::fmt::Write;

/// Columns of a lane's name.
const NAME: usize = 9;
/// The least number of columns of a lane: fewer would show nothing. A narrower terminal wraps the lines.
const LEAST: usize = 20;
/// The characters of a column's level, from the quietest to the loudest.
const BARS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// A peak this far below full scale has no bar, in dB.
const DEPTH: f64 = 36.0;

/// Returns the lanes of these facts as text, `width` columns wide.
pub fn strip(facts: &Facts, width: usize, colors: bool) -> String {
    let columns = width.saturating_sub(NAME).max(LEAST);
    let strip = Strip { seconds: facts.seconds, columns, colors };
    let lanes = [
        ("levels", facts.levels.as_ref().map(|levels| strip.levels(levels))),
        ("speech", facts.speech.as_ref().map(|speech| strip.speech(speech))),
        ("speakers", facts.speakers.as_ref().map(|speakers| strip.speakers(speakers))),
        ("beats", facts.beats.as_ref().map(|beats| strip.beats(beats))),
    ];
    let mut text = format!("{} · {}\n", facts.name, facts.description());
    for (name, lane) in lanes {
        let lane = lane.unwrap_or_else(|| "(not read yet)".to_owned());
        _ = writeln!(text, "{}", format!("{name:<NAME$}{lane}").trim_end());
    }
    _ = writeln!(text, "{}", format!("{:NAME$}{}", "", strip.axis()).trim_end());
    text
}

struct Strip {
    seconds: f64,
    columns: usize,
    colors: bool,
}

impl Strip {
    /// Returns the part of the time that a column shows.
    #[expect(clippy::cast_precision_loss, reason = "a terminal has few columns")]
    fn part(&self, column: usize) -> Span {
        let width = self.seconds / self.columns as f64;
        Span { start: column as f64 * width, end: (column + 1) as f64 * width }
    }

    /// Returns one character per column.
    fn each(&self, sign: impl Fn(Span) -> char) -> String {
        (0..self.columns).map(|column| sign(self.part(column))).collect()
    }

    /// Returns the highest level of the samples in each column.
    fn levels(&self, levels: &Levels) -> String {
        let count = levels.outline.len();
        #[expect(clippy::cast_precision_loss, reason = "an outline has some thousand pairs")]
        let at = |number: usize| self.seconds * number as f64 / count as f64;
        let peak = |part: Span| {
            let inside = levels
                .outline
                .iter()
                .enumerate()
                .filter(|(number, _)| at(number + 1) > part.start && at(*number) < part.end);
            inside.map(|(_, (low, high))| high.max(-low)).fold(0.0, f64::max)
        };
        let height = |part: Span| (1.0 + 20.0 * peak(part).log10() / DEPTH).clamp(0.0, 1.0);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 8")]
        self.each(|part| BARS[(height(part) * 8.0).round() as usize])
    }

    fn speech(&self, speech: &[Span]) -> String {
        self.painted(&self.each(|part| if covered(speech.iter().copied(), part) >= 0.5 { '█' } else { '·' }), "32")
    }

    /// Returns, per column, the letter of the speaker who speaks most in it.
    fn speakers(&self, speakers: &Speakers) -> String {
        let most = |part: Span| {
            let own = |number: usize| {
                covered(speakers.turns.iter().filter(|(who, _)| *who == number).map(|(_, span)| *span), part)
            };
            let parts = (0..speakers.names.len()).map(|number| (number, own(number)));
            parts.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, share)| *share >= 0.25).map(|(number, _)| number)
        };
        let letter = |number: usize| speakers.names.get(number).and_then(|name| name.chars().next()).unwrap_or('?');
        let mut line = String::new();
        for column in 0..self.columns {
            match most(self.part(column)) {
                Some(number) => line.push_str(&self.painted(&letter(number).to_string(), look(number).terminal)),
                None => line.push('·'),
            }
        }
        line
    }

    fn beats(&self, Beats { times, bars, .. }: &Beats) -> String {
        let any = |times: &[f64], part: Span| times.iter().any(|time| (part.start..part.end).contains(time));
        self.each(|part| match (any(bars, part), any(times, part)) {
            (true, _) => '|',
            (false, true) => '\'',
            (false, false) => '·',
        })
    }

    /// Returns the labels of the axis, each below its column; those that would overlap are left out.
    fn axis(&self) -> String {
        let mut line = String::new();
        for at in labels(self.seconds, (self.columns / 10).max(2)) {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                clippy::cast_precision_loss,
                reason = "a column"
            )]
            let column = (at / self.seconds * self.columns as f64) as usize;
            let label = clock(at);
            let free = line.is_empty() || column > line.len();
            if free && column + label.len() <= self.columns {
                line.extend(std::iter::repeat_n(' ', column - line.len()));
                line.push_str(&label);
            }
        }
        line
    }

    fn painted(&self, text: &str, code: &str) -> String {
        if self.colors { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

/// Returns the share of a part of the time that these spans cover, from 0 to 1.
fn covered(spans: impl Iterator<Item = Span>, part: Span) -> f64 {
    let inside = spans.map(|span| (span.end.min(part.end) - span.start.max(part.start)).max(0.0)).sum::<f64>();
    inside / (part.end - part.start)
}
