//! Letters: a text as a mask, drawn by a confined child with one font of this machine.
//!
//! The font is copied into the job's folder, so that the child needs no other; lines are broken here, each is drawn in
//! the middle of its row. Neighbour: `picture`, which colours the mask.

use super::picture::Size;
use crate::readers::decode::{Encoder, Feed, Workshop};
use crate::readers::{JobCtx, MediaTools, ReadError};
use crate::renders::fonts;
use std::ffi::OsStr;
use std::fmt::Write;
use std::fs;

/// The font's file in the folder.
const FONT_FILE: &str = "font";
/// What the files of lines are called, before their number.
const LINE_FILE: &str = "line";
/// Lines that are drawn; what comes after them is left out.
const MOST_LINES: usize = 20;
/// From one line to the next, in hundredths of its height.
const LEADING: usize = 125;

/// Whether this machine has what letters are drawn with.
pub(in crate::renders) fn are_drawn(filters: &str) -> bool {
    let has_filter = filters.lines().any(|line| line.split_whitespace().nth(1) == Some("drawtext"));
    has_filter && fonts::are_here()
}

/// Where the lines of a text stand in their box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stand {
    /// In the middle.
    Middle,
    /// At the lower end, as captions do.
    Bottom,
}

/// A mask of this size: how much of each pixel letters cover. `line` is the height of a line.
pub(super) async fn mask(
    tools: &MediaTools,
    workshop: &Workshop,
    (text, line, stand): (&str, usize, Stand),
    size: Size,
    ctx: &JobCtx,
) -> Result<Vec<u8>, ReadError> {
    let lines = broken(text, size.width * 100 / line.max(1));
    if !workshop.path(FONT_FILE).exists() {
        fs::copy(fonts::of_films(), workshop.path(FONT_FILE))?;
    }
    let step = line * LEADING / 100;
    let whole = step * lines.len();
    let top = match stand {
        Stand::Middle => size.height.saturating_sub(whole) / 2,
        Stand::Bottom => size.height.saturating_sub(whole),
    };
    let mut filter = "format=gray".to_owned();
    for (number, text) in lines.iter().enumerate() {
        workshop.put(&format!("{LINE_FILE}{number}"), text)?;
        let y = top + number * step;
        // Writing to a text can't fail.
        let _ = write!(
            filter,
            ",drawtext=fontfile={FONT_FILE}:textfile={LINE_FILE}{number}:expansion=none:fontcolor=white:\
             fontsize={line}:x=(w-text_w)/2:y={y}"
        );
    }
    let source = format!("color=black:s={}x{}:r=1:d=1", size.width, size.height);
    let before = ["-nostdin", "-hide_banner", "-v", "error", "-f", "lavfi", "-i", &source, "-vf", &filter];
    let after = ["-frames:v", "1", "-c:v", "rawvideo", "-pix_fmt", "gray", "-f", "rawvideo", "pipe:1"];
    let arguments = before.into_iter().chain(after).map(OsStr::new);
    let mut child = Encoder::start(tools, workshop, arguments, Feed::Written, 0, ctx).await?;
    let mut mask = vec![0; size.luma()];
    let mut filled = 0;
    while filled < mask.len() {
        let read = child.read(mask.get_mut(filled..).unwrap_or_default(), ctx).await?;
        if read == 0 {
            break;
        }
        filled += read;
    }
    let ending = child.finish(ctx).await?;
    if ending.status.success() && filled == mask.len() {
        // The black and the white of video.
        let full = |value: u8| u8::try_from((u16::from(value).saturating_sub(16) * 255 / 219).min(255)).unwrap_or(255);
        for value in &mut mask {
            *value = full(*value);
        }
        return Ok(mask);
    }
    tracing::warn!(ffmpeg.stderr = ending.stderr, "ffmpeg did not draw a text.");
    Err(ReadError::Crashed)
}

/// About how wide a letter of the font is at most, in hundredths of a line's height.
fn width(letter: char) -> usize {
    match letter {
        'W' | 'M' | 'm' | 'w' | '@' | '%' | '\u{1100}'.. => 100,
        'i' | 'j' | 'l' | 'I' | 't' | 'f' | 'r' | ' ' | '.' | ',' | ':' | ';' | '\'' | '!' | '|' | '(' | ')' => 41,
        _ if letter.is_uppercase() => 79,
        _ => 64,
    }
}

fn width_of(text: &str) -> usize {
    text.chars().map(width).sum()
}

/// A text in lines that are no wider than so many hundredths of their height, broken between words where that is
/// possible.
fn broken(text: &str, room: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for paragraph in text.lines() {
        let mut line = String::new();
        for part in paragraph.split_whitespace().flat_map(|word| fitting(word, room)) {
            if !line.is_empty() && width_of(&line) + width(' ') + width_of(&part) > room {
                lines.push(std::mem::take(&mut line));
            } else if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(&part);
        }
        lines.push(line);
    }
    lines.truncate(MOST_LINES);
    lines
}

/// A word, in parts that fit on a line each; a letter is never left out.
fn fitting(word: &str, room: usize) -> Vec<String> {
    let mut parts = vec![String::new()];
    for letter in word.chars().filter(|letter| !letter.is_control()) {
        match parts.last_mut() {
            Some(part) if part.is_empty() || width_of(part) + width(letter) <= room => part.push(letter),
            _ => parts.push(letter.into()),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_between_words_and_long_words_where_they_must() {
        assert_eq!(broken("the river is wide", 500), ["the river", "is wide"]);
        assert_eq!(broken("abcdeghopq\nk", 260), ["abcd", "egho", "pq", "k"]);
        assert_eq!(broken("WWWW aa", 300), ["WWW", "W aa"]);
        assert_eq!(broken("ab", 1), ["a", "b"]);
        assert_eq!(broken(&"a\n".repeat(99), 400).len(), MOST_LINES);
        assert_eq!(broken("", 4), Vec::<String>::new());
    }
}
