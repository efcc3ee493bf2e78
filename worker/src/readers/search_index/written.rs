//! Reads the text in pictures with `tesseract`, one confined child for several: to start it and load its model takes as
//! long as to read a slide.
//!
//! It gets the pictures as pages of one TIFF and returns words with their places and confidences. Words of low
//! confidence are left out, since it sees letters in a picture of leaves too.

use super::tiff::tiff;
use crate::readers::decode::{MediaTools, executable, input_path, nameless, whole_output};
use crate::readers::{JobCtx, ReadError};
use serde::Serialize;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::time::Instant;

/// Where Debian's `tesseract-ocr-eng` installs its model.
const DATA_DIR: &str = "/usr/share/tesseract-ocr/5/tessdata";
/// Bytes of output for one picture, at most: a page full of small print makes some 60 KiB.
const OUTPUT_BYTES: usize = 1 << 20;
/// The least confidence of a word, of 100.
const LEAST_SURE: f64 = 70.0;
/// The least confidence, from 0 to 1, of a word in a line without a plain word, and the letters that make a word plain.
/// In leaves, stones and grass it sees single short words, with a confidence of 0.942 at most.
const SURE_ALONE: f64 = 0.95;
const PLAIN: usize = 4;
/// The time limit for one picture. Most take a quarter of a second.
pub(super) const PICTURE_TIMEOUT: Duration = Duration::from_secs(10);
/// The time that a run for several pictures has in any case: most need two seconds for eight.
const LEAST_TOGETHER: Duration = Duration::from_secs(5);
/// Words of one picture that are kept.
const MOST_WORDS: usize = 300;
/// Characters that a word may have; anything longer is not a word.
const WORD_CHARS: usize = 64;

/// A word in a picture, with its place: parts of the picture's width and height, 0 to 1, from the upper left.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct WrittenWord {
    /// The word as it is written.
    pub(super) text: String,
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
    /// The engine's confidence, from 0 to 1.
    pub(super) confidence: f64,
}

/// The program and its model.
#[derive(Debug, Clone)]
pub(super) struct TextRecognizer {
    program: PathBuf,
}

impl TextRecognizer {
    /// Finds the engine of this machine, when both the program and its model are installed.
    pub(super) fn found(given: Option<&Path>) -> Option<Self> {
        let program = executable(given, "tesseract")?;
        Path::new(DATA_DIR).join("eng.traineddata").exists().then_some(Self { program })
    }

    /// Returns the words of each of these pictures (PGM), in the order of their lines; `Timeout` where they took longer
    /// than `patience`, `Crashed` where they were not all read.
    pub(super) async fn words(
        &self,
        pictures: &[&[u8]],
        patience: Duration,
        tools: &MediaTools,
        ctx: &JobCtx,
    ) -> Result<Vec<Vec<WrittenWord>>, ReadError> {
        let document = tiff(pictures).ok_or(ReadError::Crashed)?;
        let input =
            tokio::task::spawn_blocking(move || nameless(&document)).await.map_err(|_| ReadError::Crashed)??;
        // Sparse text: words anywhere in the picture, without looking for an order.
        let arguments = [input_path(), "stdout", "-l", "eng", "--psm", "11", "--tessdata-dir", DATA_DIR];
        let arguments = arguments.into_iter().chain(["-c", "tessedit_create_tsv=1"]).map(OsStr::new);
        let ctx = JobCtx { deadline: ctx.deadline.min(Instant::now() + patience), ..ctx.clone() };
        let most = OUTPUT_BYTES * pictures.len();
        let (output, ending) = whole_output(&self.program, arguments, &input, tools, most, &ctx).await?;
        if !ending.status.success() {
            tracing::warn!(tesseract.status = %ending.status, tesseract.stderr = ending.stderr, "tesseract failed");
            return Err(ReadError::Crashed);
        }
        let found = pages(&String::from_utf8_lossy(&output));
        if found.len() == pictures.len() { Ok(found) } else { Err(ReadError::Crashed) }
    }
}

/// Returns how long one run may read so many pictures, where no picture is begun after `left`: as long as each by
/// itself may, and at most half of `left`, so that they can be read one by one in the other half where one is too slow.
pub(super) fn together(pictures: usize, left: Duration) -> Duration {
    let most = PICTURE_TIMEOUT * u32::try_from(pictures).unwrap_or(1);
    most.min((left / 2).max(LEAST_TOGETHER))
}

/// Returns the words of each page of tesseract's table.
fn pages(table: &str) -> Vec<Vec<WrittenWord>> {
    let mut pages: Vec<Vec<&str>> = Vec::new();
    for row in table.lines() {
        if row.starts_with("1\t") {
            pages.push(Vec::new());
        }
        if let Some(page) = pages.last_mut() {
            page.push(row);
        }
    }
    pages.iter().map(|rows| words(rows)).collect()
}

/// Returns the words of a page: a row for the page with its size, and one for each word.
fn words(rows: &[&str]) -> Vec<WrittenWord> {
    let (mut page, mut found) = (None, Vec::new());
    for row in rows {
        let fields: Vec<&str> = row.split('\t').collect();
        let [level, _, block, paragraph, line, _, left, top, width, height, sure, text] = fields[..] else { continue };
        let number = |text: &str| text.parse::<f64>().ok().filter(|number| number.is_finite());
        let (Some(left), Some(top), Some(width), Some(height)) =
            (number(left), number(top), number(width), number(height))
        else {
            continue;
        };
        if level == "1" && width > 0.0 && height > 0.0 {
            page = Some((width, height));
        }
        let (Some((across, down)), Some(sure)) = (page, number(sure)) else { continue };
        if level != "5" || sure < LEAST_SURE {
            continue;
        }
        let part = |of: f64, whole: f64| ((of / whole).clamp(0.0, 1.0) * 1e4).round() / 1e4;
        let word = WrittenWord {
            text: text.chars().filter(|c| !c.is_control() && !c.is_whitespace()).take(WORD_CHARS).collect(),
            x: part(left, across),
            y: part(top, down),
            width: part(width, across),
            height: part(height, down),
            confidence: part(sure, 100.0),
        };
        found.push(((block, paragraph, line), word));
    }
    let plain = found.iter().filter(|(_, word)| letters(&word.text) >= PLAIN);
    let lines: HashSet<_> = plain.map(|(line, _)| *line).collect();
    found
        .into_iter()
        .filter(|(line, word)| is_word(&word.text) && (lines.contains(line) || is_sure_alone(word)))
        .map(|(_, word)| word)
        .take(MOST_WORDS)
        .collect()
}

/// Whether it is print and not ornament: at least half of its characters are letters and digits.
fn is_word(text: &str) -> bool {
    letters(text) * 2 >= text.chars().count().max(1)
}

/// Whether it is accepted without a plain word in its line. An edge is often taken for a single letter.
fn is_sure_alone(word: &WrittenWord) -> bool {
    let is_digit = word.text.chars().all(|c| c.is_ascii_digit());
    word.confidence >= SURE_ALONE && (is_digit || letters(&word.text) >= 2)
}

fn letters(text: &str) -> usize {
    text.chars().filter(|c| c.is_alphanumeric()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_it_is_sure_of_are_told_with_their_places() {
        let table = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext\n\
                     1\t1\t0\t0\t0\t0\t0\t0\t1280\t720\t-1\t\n\
                     4\t1\t1\t1\t1\t0\t60\t100\t300\t28\t-1\t\n\
                     5\t1\t1\t1\t1\t1\t64\t72\t128\t36\t96.5\tQuarterly\n\
                     5\t1\t1\t1\t1\t2\t320\t72\t64\t36\t42.0\tblurred\n\
                     5\t1\t1\t1\t1\t3\t640\t72\t12\t36\t99.0\t|\n\
                     5\t1\t1\t1\t1\t4\t640\t72\t12\t36\t71.0\ta\n\
                     5\t1\t1\t1\t1\t5\t640\t72\t12\t36\t71.0\t1.\n\
                     5\t1\t1\t1\t1\t6\t640\tx\t12\t36\t99.0\tno place\n\
                     5\t1\t2\t1\t1\t1\t640\t172\t62\t36\t89.0\tay\n\
                     5\t1\t3\t1\t1\t1\t640\t272\t62\t36\t96.0\tI\n\
                     5\t1\t4\t1\t1\t1\t640\t272\t62\t36\t96.0\t7\n\
                     5\t1\t5\t1\t1\t1\t640\t272\t62\t36\t96.0\tGo\n";
        let two = pages(&format!("{table}1\t2\t0\t0\t0\t0\t0\t0\t640\t360\t-1\t\n"));
        assert_eq!((two.len(), two[1].len()), (2, 0), "a page without a word is a page");
        let found = &two[0];
        let texts: Vec<_> = found.iter().map(|word| word.text.as_str()).collect();
        assert_eq!(texts, ["Quarterly", "a", "1.", "7", "Go"]);
        let word = &found[0];
        assert_eq!(
            (word.x, word.y, word.width, word.height, word.confidence),
            (0.05, 0.1, 0.1, 0.05, 0.965),
            "parts of the picture"
        );
        let before = "5\t1\t1\t1\t1\t1\t64\t72\t128\t36\t96.5\tbefore its page";
        assert_eq!((pages(before).len(), words(&[before])), (0, vec![]));
    }

    #[test]
    fn a_run_for_several_pictures_leaves_time_to_read_them_one_by_one() {
        let seconds = Duration::from_secs;
        for (pictures, left, expected) in [(8, 600, 80), (2, 600, 20), (8, 60, 30), (8, 10, 5), (8, 0, 5)] {
            assert_eq!(together(pictures, seconds(left)), seconds(expected), "{pictures} pictures, {left} s");
        }
    }
}
