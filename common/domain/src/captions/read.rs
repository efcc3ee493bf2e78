//! Reads cues from `SubRip` and `WebVTT` of any origin: their times and their text without markup.
//!
//! A cue that can't be read is reported and left out. Overlapping cues are shortened or joined, since only one is shown
//! at a time here. Pure, and in one pass over the text.

use crate::line_ends::lines_of;
use crate::warnings::Warnings;

/// The most cues that are read; a document with more is refused.
const MOST_READ: usize = 20_000;

/// A cue of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadCue {
    /// Its start in milliseconds.
    pub start_ms: i64,
    /// Its end in milliseconds, after its start.
    pub end_ms: i64,
    /// Its lines, separated by line breaks.
    pub text: String,
}

/// Returns the cues of a document, in order and without overlaps, and what was left out or changed.
///
/// # Errors
/// Why it is not such a document.
pub fn read(content: &str, is_vtt: bool) -> Result<(Vec<ReadCue>, Warnings), String> {
    let content = content.trim_start_matches('\u{feff}');
    if is_vtt && !content.starts_with("WEBVTT") {
        return Err("expected `WEBVTT` at its start; say `format` if it is no WebVTT".to_owned());
    }
    let mut warnings = Warnings::default();
    let mut cues: Vec<ReadCue> = Vec::new();
    let mut lines = lines_of(content).enumerate().map(|(index, line)| (index + 1, line.trim()));
    let mut speaker = String::new();
    while let Some((number, line)) = lines.next() {
        if is_vtt && (is_block(line, "STYLE") || is_block(line, "REGION")) {
            warnings.add(format!("The block of line {number} is left out: captions look as the timeline says."));
        }
        if is_vtt && ["STYLE", "REGION", "NOTE"].iter().any(|name| is_block(line, name)) {
            lines.by_ref().take_while(|(_, line)| !line.is_empty()).for_each(drop);
            continue;
        }
        let Some((start, end)) = line.split_once("-->") else {
            if is_nearly_timed(line) {
                warnings.add(format!("The cue of line {number} is left out: expected `-->` between its times."));
            }
            continue;
        };
        let said: Vec<&str> = lines.by_ref().map(|(_, line)| line).take_while(|line| !line.is_empty()).collect();
        // Settings of the cue's place follow its end.
        let times = (time(start), time(end.split_whitespace().next().unwrap_or_default()));
        let (Some(start_ms), Some(end_ms)) = times else {
            warnings.add(format!("The cue of line {number} is left out: its times can't be read."));
            continue;
        };
        let text = plain(&said.join("\n"), is_vtt, &mut speaker);
        if text.is_empty() || end_ms <= start_ms {
            warnings.add(format!("The cue of line {number} is left out: it shows nothing, or for no time."));
            continue;
        }
        cues.push(ReadCue { start_ms, end_ms, text });
        if cues.len() > MOST_READ {
            return Err(format!("it has more than {MOST_READ} cues"));
        }
    }
    if cues.is_empty() {
        return Err("expected cues, as `00:00:01,000 --> 00:00:03,000` above their text".to_owned());
    }
    Ok((in_order(cues, &mut warnings), warnings))
}

fn is_block(line: &str, name: &str) -> bool {
    line.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', ':']))
}

/// Whether a line is meant to have the times of a cue: it begins with one, and has another arrow than `-->`.
fn is_nearly_timed(line: &str) -> bool {
    let begins = line.split(|letter: char| !letter.is_ascii_digit() && !":,.".contains(letter)).next();
    begins.and_then(time).is_some() && line.contains(['>', '\u{2192}'])
}

/// Ends each cue where the next begins; cues that begin together become one.
fn in_order(mut cues: Vec<ReadCue>, warnings: &mut Warnings) -> Vec<ReadCue> {
    cues.sort_by_key(|cue| cue.start_ms);
    let mut ordered: Vec<ReadCue> = Vec::with_capacity(cues.len());
    for cue in cues {
        match ordered.last_mut() {
            Some(last) if last.start_ms == cue.start_ms => {
                warnings.add(format!("Cues that begin together at {} ms are one.", cue.start_ms));
                last.text.push('\n');
                last.text.push_str(&cue.text);
                last.end_ms = last.end_ms.max(cue.end_ms);
            }
            Some(last) if last.end_ms > cue.start_ms => {
                warnings.add(format!("The cue at {} ms ends where the next begins.", last.start_ms));
                last.end_ms = cue.start_ms;
                ordered.push(cue);
            }
            _ => ordered.push(cue),
        }
    }
    ordered
}

/// Returns the milliseconds of `01:02:03,456` or `02:03.456`; `None` if it is no such time.
fn time(text: &str) -> Option<i64> {
    let text = text.trim();
    let (clock, parts) = text.split_once([',', '.']).unwrap_or((text, "0"));
    let is_number = |part: &str| !part.is_empty() && part.len() <= 3 && part.bytes().all(|byte| byte.is_ascii_digit());
    let number = |part: &str| is_number(part).then(|| part.parse::<i64>().ok()).flatten();
    let mut fields = clock.split(':').rev().map(number);
    let (seconds, minutes) = (fields.next()??, fields.next()??);
    let hours = fields.next().map_or(Some(0), |hours| hours)?;
    if fields.next().is_some() || seconds > 59 || minutes > 59 {
        return None;
    }
    let ms = number(parts)? * [100, 10, 1].get(parts.len() - 1)?;
    Some(((hours * 60 + minutes) * 60 + seconds) * 1000 + ms)
}

/// Returns a cue's text without its markup. When the speaker changes, their name stands before their words.
fn plain(text: &str, is_vtt: bool, speaker: &mut String) -> String {
    let mut written = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, tag) = rest.split_at(at);
        written.push_str(before);
        let Some((inner, behind)) = markup(tag).filter(|(inner, _)| is_tag(inner, is_vtt)) else {
            written.push('<');
            rest = tag.get(1..).unwrap_or_default();
            continue;
        };
        if let Some(name) = voice(inner).filter(|name| is_vtt && name != speaker) {
            written.push_str(&name);
            written.push_str(": ");
            *speaker = name;
        }
        rest = behind;
    }
    written.push_str(rest);
    let named = [("&lt;", "<"), ("&gt;", ">"), ("&nbsp;", " "), ("&lrm;", ""), ("&rlm;", ""), ("&amp;", "&")];
    let written = if is_vtt { named.iter().fold(written, |text, (from, to)| text.replace(from, to)) } else { written };
    let shown = |line: &str| line.chars().filter(|letter| !letter.is_control()).collect::<String>().trim().to_owned();
    written.lines().map(shown).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

/// Returns what stands before and behind the `>` of a text that begins with `<`; none if the next `<` or the end of the
/// line comes first. So no letter is looked at twice, and a text of `<` alone takes one pass too.
fn markup(text: &str) -> Option<(&str, &str)> {
    let end = text.char_indices().skip(1).find(|(_, letter)| ['<', '>', '\n'].contains(letter));
    let (end, _) = end.filter(|(_, letter)| *letter == '>')?;
    Some((text.get(..end)?, text.get(end + 1..)?))
}

/// Whether text after `<` is markup: in `WebVTT` always, in `SubRip` if it has one of a few names.
fn is_tag(inner: &str, is_vtt: bool) -> bool {
    let name = inner.trim_start_matches(['<', '/']);
    let name = name.split([' ', '=']).next().unwrap_or_default();
    is_vtt || ["b", "i", "u", "s", "font"].iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// Returns the speaker's name in a tag such as `<v Anna>`, without its classes.
fn voice(inner: &str) -> Option<String> {
    let named = inner.strip_prefix("<v").filter(|rest| rest.starts_with([' ', '.']))?;
    let name = named.split_once(' ')?.1.trim();
    let named = [("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")];
    Some(named.iter().fold(name.to_owned(), |text, (from, to)| text.replace(from, to))).filter(|name| !name.is_empty())
}
