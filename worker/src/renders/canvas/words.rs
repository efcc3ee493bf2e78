//! Breaks texts into lines at the width of their room, between words where possible, and measures the lines.
//!
//! Words are measured as they will be drawn: shaped, and with letters of another font where their own lacks them. A
//! word that is wider than its room is broken between letters. Neighbour: `ink`, which measures.

use super::ink::widths;
use domain::lines::{Line, reads_from_right};
use domain::still::{LINE_ENDS, StillText};
use std::collections::HashMap;
use unicode_segmentation::UnicodeSegmentation;

/// A text in its lines.
pub(super) struct Lines {
    pub(super) lines: Vec<Line>,
    /// The width of the widest line, in pixels of the canvas.
    pub(super) widest: f64,
}

/// Breaks a text into its lines.
pub(super) fn lines(text: &StillText) -> Lines {
    let paragraphs: Vec<String> = text.text.split(LINE_ENDS).map(plain).collect();
    let lines: Vec<Line> = match text.max_width {
        None => paragraphs.iter().map(|paragraph| line(paragraph.trim_end(), paragraph)).collect(),
        Some(room) => broken(text, &paragraphs, f64::from(room) / 1e3),
    };
    let measured = widths(text, &lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>());
    Lines { lines, widest: measured.into_iter().fold(0.0, f64::max) }
}

/// Returns a paragraph without control characters; a tab becomes a space.
fn plain(paragraph: &str) -> String {
    let letters = paragraph.chars().map(|letter| if letter == '\t' { ' ' } else { letter });
    letters.filter(|letter| !letter.is_control()).collect()
}

fn line(text: &str, paragraph: &str) -> Line {
    Line::of(text.to_owned(), paragraph)
}

/// Breaks paragraphs into lines that are no wider than `room` pixels, if possible.
fn broken(text: &StillText, paragraphs: &[String], room: f64) -> Vec<Line> {
    let space = Measured::of(text, ["n n", "nn"].into_iter());
    let space = (space.width("n n") - space.width("nn")).max(0.0);
    let words = Measured::of(text, paragraphs.iter().flat_map(|paragraph| paragraph.split_whitespace()));
    let wide = words.0.iter().filter(|(_, width)| **width > room).map(|(word, _)| *word);
    let letters = Measured::of(text, wide.flat_map(|word| word.graphemes(true)));
    let mut lines = Vec::new();
    for paragraph in paragraphs {
        let is_rtl = reads_from_right(paragraph);
        let (mut current, mut width) = (String::new(), 0.0);
        for word in paragraph.split_whitespace() {
            for part in fitting(word, words.width(word), &letters, room) {
                let wanted = if current.is_empty() { part.width } else { width + space + part.width };
                if !current.is_empty() && wanted > room {
                    lines.push(Line { text: std::mem::take(&mut current), is_rtl });
                    width = part.width;
                } else {
                    if !current.is_empty() {
                        current.push(' ');
                    }
                    width = wanted;
                }
                current.push_str(&part.text);
            }
        }
        lines.push(Line { text: current, is_rtl });
    }
    lines
}

/// A part of a word, and its width in pixels.
struct Part {
    text: String,
    width: f64,
}

/// Breaks a word into parts that each fit into the room; no letter is left out.
fn fitting(word: &str, width: f64, letters: &Measured<'_>, room: f64) -> Vec<Part> {
    if width <= room {
        return vec![Part { text: word.to_owned(), width }];
    }
    let mut parts = vec![Part { text: String::new(), width: 0.0 }];
    for letter in word.graphemes(true) {
        let wide = letters.width(letter);
        match parts.last_mut() {
            Some(part) if part.text.is_empty() || part.width + wide <= room => {
                part.text.push_str(letter);
                part.width += wide;
            }
            _ => parts.push(Part { text: letter.to_owned(), width: wide }),
        }
    }
    parts
}

/// Some texts' widths, in pixels.
struct Measured<'a>(HashMap<&'a str, f64>);

impl<'a> Measured<'a> {
    fn of(text: &StillText, parts: impl Iterator<Item = &'a str>) -> Self {
        let mut measured: HashMap<&str, f64> = parts.map(|part| (part, 0.0)).collect();
        let parts: Vec<&str> = measured.keys().copied().collect();
        for (part, width) in parts.iter().zip(widths(text, &parts)) {
            measured.insert(part, width);
        }
        Self(measured)
    }

    fn width(&self, part: &str) -> f64 {
        self.0.get(part).copied().unwrap_or(0.0)
    }
}
