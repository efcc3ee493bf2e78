//! The `search_index` read: the moments of a video, which are searched by what is said and shown by a still.
//!
//! `shots` finds the changes of the picture, `moments` makes shots of them, and `stills` a still of each. `pages` finds
//! the pictures that may have new text, `repeats` those of them that show nothing or what was read before, and
//! `written` reads the others. The speech in a moment is the transcript's: the two are joined when they are read,
//! whichever ended first.

mod moments;
mod pages;
mod repeats;
mod shots;
mod stills;
mod tiff;
mod written;

use crate::readers::decode::small_pictures;
use crate::readers::stored::{seconds, thousandths};
use crate::readers::{Engine, JobCtx, MediaSource, OutputFile, ReadError, ReadOutcome, Reader, ReaderSettings};
use domain::read::Read;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use moments::Moment;
use pages::{Pages, Part, parts};
use repeats::{Source, as_read, sources};
use serde::Serialize;
use shots::Shots;
use std::time::Duration;
use stills::{MadeStills, Stills};
use tokio::time::Instant;
use written::{PICTURE_TIMEOUT, TextRecognizer, WrittenWord};

/// The progress in percent once the cuts are found.
const LOOKED: u8 = 70;
/// A sixteenth of the media's duration, and at least enough for the few pictures that short media has.
const TEXT_TIME: TextTime = TextTime { part: 16, least: Duration::from_secs(10), beyond_media: Duration::from_secs(2) };
/// Pictures that one run of the engine reads.
const AT_ONCE: usize = 8;
/// Words that a read keeps, at most: some 3 MB of its document.
const MOST_WORDS: usize = 20_000;
/// The limits on a read's stills, which are in memory until it is stored: each is a child process and some 10 KiB.
const MOST_STILLS: MostStills = MostStills { moments: 2_000, bytes: 64 << 20 };

/// The `data` of a `search_index` read (docs/reads.md, "The stored result").
#[derive(Debug, Serialize)]
struct SearchIndexData {
    moments: Vec<Moment>,
    /// The text in pictures, of those that have any; absent where this machine can't read text.
    #[serde(skip_serializing_if = "Option::is_none")]
    written: Option<Vec<Written>>,
}

/// The text in a picture, for as long as it is shown.
#[derive(Debug, Serialize)]
struct Written {
    /// The id of the moment that it is in.
    moment: String,
    /// Its start, in seconds from the media's start.
    start: f64,
    /// Its end, in seconds from the media's start.
    end: f64,
    words: Vec<WrittenWord>,
}

/// The limits at which no further still is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MostStills {
    /// Moments that get one, at most.
    pub(super) moments: usize,
    /// Total bytes after which no further still is made.
    pub(super) bytes: usize,
}

/// The time limit for reading text. Decoding the pages that it is read from counts, with the stills that are made in
/// the same run of the decoder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TextTime {
    /// The media's duration is divided by this.
    pub(super) part: u32,
    /// The limit for short media.
    pub(super) least: Duration,
    /// How much longer than the media itself it may be, so that the shortest costs no multiple of its price.
    pub(super) beyond_media: Duration,
}

impl TextTime {
    /// Returns the limit for media of this duration.
    fn of(self, media: Duration) -> Duration {
        (media / self.part).max(self.least.min(media + self.beyond_media))
    }
}

/// Finds shots on small pictures of all frames.
#[derive(Debug)]
pub(super) struct SearchIndex {
    /// The limits on a read's stills.
    pub(super) most: MostStills,
    /// The time limit for reading text.
    pub(super) text_time: TextTime,
    /// The engine that reads text, where this machine has it.
    recognizer: Option<TextRecognizer>,
}

impl SearchIndex {
    /// Returns one with the engine that reads text, if it is installed here.
    pub(super) fn found(settings: &ReaderSettings) -> Self {
        let recognizer = TextRecognizer::found(settings.tesseract.as_deref());
        Self { most: MOST_STILLS, text_time: TEXT_TIME, recognizer }
    }

    /// Returns one that makes fewer stills and reads no text.
    #[cfg(test)]
    pub(super) fn of_at_most(most: MostStills) -> Self {
        Self { most, text_time: TEXT_TIME, recognizer: None }
    }
}

impl Reader for SearchIndex {
    fn read(&self) -> Read {
        Read::SearchIndex
    }

    fn engine(&self) -> Engine {
        let model = self.recognizer.as_ref().map(|_| "tesseract eng".to_owned());
        Engine { name: "mws-shots".to_owned(), version: "2".to_owned(), model }
    }

    fn run<'a>(&'a self, media: &'a MediaSource, ctx: &'a JobCtx) -> BoxFuture<'a, Result<ReadOutcome, ReadError>> {
        self.index(media, ctx).boxed()
    }
}

impl SearchIndex {
    async fn index(&self, media: &MediaSource, ctx: &JobCtx) -> Result<ReadOutcome, ReadError> {
        let (mut shots, mut pages) = (Shots::default(), Pages::default());
        let looking = ctx.step(0, LOOKED);
        let each = |second: f64, cells: &[u8]| {
            shots.add(second, cells);
            pages.add(second, cells);
        };
        let seen = small_pictures(media, shots::SIZE, &looking, each).await?;
        let mut moments = moments::moments(&shots.finish(), seconds(seen.duration_ms));
        let making = ctx.step(LOOKED, 100);
        let mut stills = Stills::new(&moments, self.most, media, &making);
        let mut warnings = seen.warnings;
        let written = if let Some(recognizer) = &self.recognizer {
            let patience = self.text_time.of(Duration::from_millis(seen.duration_ms.unsigned_abs()));
            let until = Instant::now() + patience;
            let parts = parts(&moments, &pages.finish(seconds(seen.duration_ms)));
            let text = text(recognizer, &parts, until, &mut stills, media, &making).await?;
            if let Some(unread) = parts.get(text.looked_at) {
                warnings.push(format!("Text in pictures was read up to {:.1} s, and not after that.", unread.start));
            }
            if text.given_up > 0 {
                warnings.push(format!("Text could not be read in {} of {} pictures.", text.given_up, text.looked_at));
            }
            Some(text.written)
        } else {
            warnings.push(
                "Text in pictures was not read: this machine has no tesseract with its English model.".to_owned(),
            );
            None
        };
        let MadeStills { tried, made } = stills.finish().await?;
        ctx.progress.reach(100);
        if tried < moments.len() {
            warnings.push(format!("Only the first {tried} of {} moments have a still.", moments.len()));
        }
        let files = files(&mut moments, made, &ctx.files_prefix);
        let data = SearchIndexData { moments, written };
        let mut outcome = ReadOutcome::new(self.read(), self.engine(), seen.duration_ms, warnings, &data)?;
        outcome.files = files;
        Ok(outcome)
    }
}

/// Returns the files of these stills, each of which comes with its moment's place. Writes their keys into the moments.
fn files(moments: &mut [Moment], stills: Vec<(usize, Vec<u8>)>, prefix: &str) -> Vec<OutputFile> {
    let mut files = Vec::with_capacity(stills.len());
    for (place, jpeg) in stills {
        if let Some(moment) = moments.get_mut(place) {
            let key = format!("{prefix}/{}.jpg", moment.id);
            files.push(OutputFile { key: key.clone(), bytes: jpeg.into() });
            moment.thumbnail = Some(key);
        }
    }
    files
}

/// The text in the pictures of parts.
#[derive(Default)]
struct Text {
    written: Vec<Written>,
    /// The number of parts that were tried, from the first.
    looked_at: usize,
    /// The number of those that the engine could not read.
    given_up: usize,
}

/// The words of a picture; none where there is no picture, or the engine could not read it.
type Words = Option<Vec<WrittenWord>>;

/// Reads the pictures of these parts, until a point in time or until there are enough words. Makes the stills of their
/// moments meanwhile.
async fn text(
    recognizer: &TextRecognizer,
    parts: &[Part<'_>],
    mut until: Instant,
    stills: &mut Stills<'_>,
    media: &MediaSource,
    ctx: &JobCtx,
) -> Result<Text, ReadError> {
    let (mut text, mut kept) = (Text::default(), 0);
    // The pictures of the group before, and their words.
    let (mut pages_before, mut words_before): (Vec<Option<Vec<u8>>>, Vec<Words>) = (Vec::new(), Vec::new());
    for together in parts.chunks(AT_ONCE) {
        let mut pages = Vec::with_capacity(together.len());
        for part in together {
            if Instant::now() >= until {
                break;
            }
            ctx.progress.reach_part((text.looked_at + pages.len()) as u64, parts.len() as u64);
            until += stills.alone(part).await?;
            pages.push(stills.page(part).await?);
        }
        let sources = sources(&pages, &pages_before);
        let to_read = pages.iter().zip(&sources).filter(|(_, source)| **source == Source::Engine);
        let pictures: Vec<&[u8]> = to_read.filter_map(|(page, _)| page.as_deref()).collect();
        let patience = written::together(pictures.len(), until.saturating_duration_since(Instant::now()));
        let found = if pictures.len() > 1 { attempt(recognizer, &pictures, patience, media, ctx).await? } else { None };
        let mut found = found.map(Vec::into_iter);
        let mut read: Vec<Words> = Vec::with_capacity(pages.len());
        for ((part, picture), source) in together.iter().zip(&pages).zip(&sources) {
            if kept >= MOST_WORDS {
                return Ok(text);
            }
            let words = match (*source, picture, &mut found) {
                (Source::Plain, ..) => Some(Vec::new()),
                (Source::Before(number), ..) => words_before.get(number).cloned().flatten(),
                (Source::Here(number), ..) => read.get(number).cloned().flatten(),
                (Source::Nowhere, ..) | (Source::Engine, None, _) => None,
                (Source::Engine, Some(_), Some(found)) => found.next(),
                (Source::Engine, Some(_), None) if Instant::now() >= until => return Ok(text),
                // By itself, so that a picture that the engine can't read takes no other's words along.
                (Source::Engine, Some(picture), None) => {
                    let alone = attempt(recognizer, &[picture.as_slice()], PICTURE_TIMEOUT, media, ctx).await?;
                    alone.and_then(|pages| pages.into_iter().next())
                }
            };
            text.looked_at += 1;
            if let Some(words) = &words {
                kept += words.len();
                add(&mut text.written, part, words.clone());
            } else if picture.is_some() {
                text.given_up += 1;
            }
            read.push(words);
        }
        if pages.len() < together.len() {
            break;
        }
        as_read(&mut pages, &sources, &pages_before);
        (pages_before, words_before) = (pages, read);
    }
    Ok(text)
}

/// Returns the words of each of these pictures; none where the engine could not read them all in this time.
async fn attempt(
    recognizer: &TextRecognizer,
    pictures: &[&[u8]],
    patience: Duration,
    media: &MediaSource,
    ctx: &JobCtx,
) -> Result<Option<Vec<Vec<WrittenWord>>>, ReadError> {
    match recognizer.words(pictures, patience, media.tools(), ctx).await {
        Err(ReadError::Timeout | ReadError::Crashed | ReadError::Killed | ReadError::LimitExceeded { .. }) => {
            ctx.may_go_on()?;
            Ok(None)
        }
        words => words.map(Some),
    }
}

/// Adds the text of a part. Where the part before it in the same moment has the same words, extends that one.
fn add(written: &mut Vec<Written>, part: &Part<'_>, words: Vec<WrittenWord>) {
    let same = |last: &Written| {
        let texts = |words: &[WrittenWord]| words.iter().map(|word| word.text.clone()).collect::<Vec<_>>();
        last.moment == part.moment.id && last.end >= thousandths(part.start) && texts(&last.words) == texts(&words)
    };
    match written.last_mut() {
        Some(last) if same(last) => last.end = thousandths(part.end),
        _ if words.is_empty() => {}
        _ => written.push(Written {
            moment: part.moment.id.clone(),
            start: thousandths(part.start),
            end: thousandths(part.end),
            words,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_read_for_two_seconds_more_than_the_shortest_films_last_and_a_sixteenth_of_long_ones() {
        let limit = |media_ms| TEXT_TIME.of(Duration::from_millis(media_ms)).as_millis();
        assert_eq!([0, 500, 2_000, 8_000].map(limit), [2_000, 2_500, 4_000, 10_000]);
        assert_eq!([120_000, 160_000, 3_600_000].map(limit), [10_000, 10_000, 225_000]);
    }
}
