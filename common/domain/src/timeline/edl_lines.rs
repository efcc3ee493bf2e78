//! Parses the lines of an edit decision list (CMX 3600) of any origin: events, and the comments that name their clips.
//!
//! A list does not state its frames per second: timecodes are counted at the rate that the caller gives; otherwise at
//! 25, or at 29.97 if they drop frames. Pure, and in one pass over the text.

use super::fields;
use crate::line_ends::lines_of;
use crate::media_time::FrameRate;
use crate::warnings::Warnings;

/// The most characters of a name.
const NAME: usize = 200;

/// A list that was parsed.
#[derive(Debug)]
pub(super) struct Lines {
    pub(super) title: Option<String>,
    pub(super) rate: FrameRate,
    pub(super) events: Vec<Event>,
    pub(super) warnings: Warnings,
}

/// An event, with times in frames.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Event {
    /// The number of its line, from 1.
    pub(super) line: usize,
    /// Its own number, which both lines of a dissolve share.
    pub(super) number: String,
    pub(super) reel: String,
    pub(super) has_picture: bool,
    pub(super) has_sound: bool,
    /// The frames in which the clip before it dissolves into it.
    pub(super) dissolve: i64,
    /// Its first frame in the source.
    pub(super) from: i64,
    /// Its first frame in the film, and the frame after its last one.
    pub(super) at: i64,
    pub(super) end: i64,
    /// The name of its clip, from a comment.
    pub(super) name: Option<String>,
    /// The source of its clip, from a comment: a URL or a file.
    pub(super) source: Option<String>,
}

/// The rules by which timecodes are counted.
#[derive(Debug, Clone, Copy)]
struct Count {
    /// Frames per second, rounded up.
    nominal: i64,
    /// Frame numbers that nine of ten minutes leave out, if frames are dropped.
    dropped: i64,
    /// Whether the list states that its timecodes drop frames.
    drops: bool,
}

/// Parses a list, whose timecodes count `fps` frames per second.
///
/// # Errors
/// Why it is no such list, with the number of the line.
pub(super) fn read(content: &str, fps: Option<f64>) -> Result<Lines, String> {
    let drops = lines_of(content).any(|line| mode_of(line) == Some(true) || line.split_whitespace().any(is_dropping));
    let rate = fields::rate(fps.unwrap_or(if drops { 29.97 } else { 25.0 }))?;
    let mut count = Count::at(rate);
    let mut lines = Lines { title: None, rate, events: Vec::new(), warnings: Warnings::default() };
    if drops && count.dropped == 0 {
        lines
            .warnings
            .add("Frames are dropped at 29.97 and 59.94 a second alone: these are counted one by one.".to_owned());
    }
    for (index, line) in lines_of(content.trim_start_matches('\u{feff}')).enumerate() {
        lines.take(line.trim(), index + 1, &mut count)?;
    }
    if lines.events.is_empty() {
        return Err(
            "expected events of CMX 3600, as `001  AX  V  C  00:00:00:00 00:00:02:00 00:00:00:00 00:00:02:00`; \
                    say `format` if it is no EDL"
                .to_owned(),
        );
    }
    Ok(lines)
}

/// Whether timecodes drop frames from this line on; `None` if it does not state a mode.
fn mode_of(line: &str) -> Option<bool> {
    after(line.trim(), "FCM:").map(|mode| !mode.to_ascii_uppercase().starts_with("NON"))
}

/// Whether this is a timecode that marks itself as dropping frames.
fn is_dropping(word: &str) -> bool {
    word.len() == 11 && word.as_bytes().get(8) == Some(&b';') && word.starts_with(|first: char| first.is_ascii_digit())
}

/// Returns the text after this word at the line's start, in any case; `None` if the line starts otherwise.
fn after(line: &str, word: &str) -> Option<String> {
    let begins = line.get(..word.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(word));
    let rest = line.get(word.len()..).filter(|_| begins)?;
    Some(rest.trim().chars().filter(|letter| !letter.is_control()).take(NAME).collect())
}

impl Lines {
    /// Takes the next line, whatever it is.
    fn take(&mut self, line: &str, number: usize, count: &mut Count) -> Result<(), String> {
        if let Some(mode) = mode_of(line) {
            count.drops = mode;
        } else if let Some(title) = after(line, "TITLE:") {
            self.title = Some(title).filter(|title| !title.is_empty());
        } else if line.starts_with(|first: char| first.is_ascii_digit()) {
            self.event(line, number, *count)?;
        } else if !line.is_empty() {
            self.comment(line, number);
        }
        Ok(())
    }

    fn event(&mut self, line: &str, number: usize, count: Count) -> Result<(), String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let wrong = |why: &str| format!("line {number}: {why}");
        let shape = "expected a number, a reel, channels, `C` or `D` with its frames, and four timecodes";
        let Some((head, [from, until, at, end])) = words.split_last_chunk::<4>() else { return Err(wrong(shape)) };
        let times = [from, until, at, end].map(|code| count.frame(code).map_err(|why| wrong(&why)));
        let [from, until, at, end] = times;
        let (from, until, at, end) = (from?, until?, at?, end?);
        if end < at || until < from {
            return Err(wrong("it ends before it begins"));
        }
        let frames = head.last().and_then(|word| word.parse::<u32>().ok()).filter(|_| head.len() > 4);
        let head = if frames.is_some() { &head[..head.len() - 1] } else { head };
        if let [.., "K" | "k", _] = head {
            self.warnings.add(format!("Line {number} is left out: a key over another picture."));
            return Ok(());
        }
        let [own, reel @ .., channels, edit] = head else { return Err(wrong(shape)) };
        if reel.is_empty() {
            return Err(wrong(shape));
        }
        let (channels, edit) = (channels.to_ascii_uppercase(), edit.to_ascii_uppercase());
        let mut dissolve = i64::from(frames.unwrap_or(0));
        match edit.as_bytes() {
            [b'C'] => dissolve = 0,
            [b'D'] => {}
            [b'W', ..] => self.warnings.add(format!("The wipe of line {number} is a dissolve here.")),
            [b'K', ..] => {
                self.warnings.add(format!("Line {number} is left out: a key over another picture."));
                return Ok(());
            }
            _ => return Err(wrong(shape)),
        }
        let has_picture = channels.contains('V') || channels == "B";
        let has_sound = channels.contains('A') || channels == "B";
        if !has_picture && !has_sound {
            self.warnings.add(format!("Line {number} is left out: it is for neither picture nor sound."));
            return Ok(());
        }
        if until - from != end - at && until > from {
            self.warnings.add(format!("Line {number} changes the speed of its clip, which is shown at its own."));
        }
        let reel: String = reel.join(" ").chars().filter(|letter| !letter.is_control()).take(NAME).collect();
        let (name, source) = (None, None);
        let (line, number) = (number, (*own).to_owned());
        let event = Event { line, number, reel, has_picture, has_sound, dissolve, from, at, end, name, source };
        self.events.push(event);
        Ok(())
    }

    /// Reads a comment on the event before it. If that is the second line of a dissolve, its own clip is the one that
    /// comments call `TO`.
    fn comment(&mut self, line: &str, number: usize) {
        let is_comment = line.starts_with('*');
        let text = line.trim_start_matches('*').trim_start();
        let Some((event, before)) = self.events.split_last_mut() else { return };
        let is_second = before.last().is_some_and(|first| first.number == event.number && event.dissolve > 0);
        let own = if is_second { "TO" } else { "FROM" };
        let said = |what: &str| after(text, &format!("{own} {what}:")).filter(|said| !said.is_empty());
        if let Some(name) = said("CLIP NAME") {
            event.name = Some(name);
        } else if let Some(source) = said("CLIP").or_else(|| said("FILE")) {
            event.source = Some(source);
        } else if let Some(source) = after(text, "SOURCE FILE:").filter(|_| !is_second) {
            event.source = Some(source);
        } else if after(text, "M2").is_some() && !is_comment {
            // The event before has warned of it: its source is longer or shorter than its place in the film.
        } else if !is_comment {
            self.warnings.add(format!("Line {number} is left out."));
        }
    }
}

impl Count {
    /// At this rate, until the list says that it drops frames.
    fn at(rate: FrameRate) -> Self {
        let nominal = i64::from(rate.frames().div_ceil(rate.seconds()));
        let is_whole = rate.seconds() == 1;
        Self { nominal, dropped: if is_whole { 0 } else { (nominal / 30) * 2 }, drops: false }
    }
    /// Returns the frame number of a timecode.
    fn frame(self, code: &str) -> Result<i64, String> {
        let wrong = || format!("`{}` is no timecode", code.chars().take(20).collect::<String>());
        let mut parts = code.split([':', ';', '.', ',']);
        let mut next = || {
            let part = parts.next().filter(|part| part.len() == 2)?;
            part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse::<i64>().ok()).flatten()
        };
        let (Some(hours), Some(minutes), Some(seconds), Some(frames)) = (next(), next(), next(), next()) else {
            return Err(wrong());
        };
        if parts.next().is_some() || minutes > 59 || seconds > 59 {
            return Err(wrong());
        }
        if frames >= self.nominal {
            let fps = self.nominal;
            return Err(format!("`{code}` has more than {fps} frames a second: say `fps`"));
        }
        let all_minutes = hours * 60 + minutes;
        let whole = (all_minutes * 60 + seconds) * self.nominal + frames;
        let drops = self.drops || code.contains(';');
        let left_out = if drops { self.dropped * (all_minutes - all_minutes / 10) } else { 0 };
        Ok(whole - left_out)
    }
}
