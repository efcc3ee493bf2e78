//! Finds the pictures of a video to read text from: one of each moment, and one of each page within it. Pure.
//!
//! A page is a picture that stands still and differs from the one that stood before it: the next slide, one more line
//! of a list. That is far too small a change for a cut, since a line of print is a hundredth of the picture; but it is
//! large in the cells where it happens, and nothing moves before and after it. A film that moves has no pages.

use super::moments::Moment;
use super::shots::SIZE;

/// Cells of luma, which come first in a small picture.
const LUMA: usize = SIZE.cells();
/// Seconds that a picture must stand still to be a page.
const STILL_FOR: f64 = 0.8;
/// The picture moves when one of its cells changes by more than this; compression changes less.
const MOVED: u8 = 2;
/// A picture is another page when one of its cells differs by more than this. At 1,280 × 720 a word of 24 pixels that
/// appears differs by 26, and one that replaces another by 6; at 1,920 × 1,080 by 16 and by 2.
const CHANGED: u8 = 3;
/// Pages closer than this many seconds count as one.
const CLOSEST: f64 = 1.0;
/// A page is read this many seconds after its start, while it is sure to be shown.
const READ_AFTER: f64 = 0.5;

/// Finds pages in a stream of small pictures.
#[derive(Debug, Default)]
pub(super) struct Pages {
    standing: Option<Standing>,
    /// The last page.
    shown: Box<[u8]>,
    found: Vec<f64>,
}

/// A picture in which nothing has moved since a time.
#[derive(Debug)]
struct Standing {
    since: f64,
    cells: Box<[u8]>,
    is_page: bool,
}

impl Pages {
    /// Takes the next picture.
    pub(super) fn add(&mut self, second: f64, cells: &[u8]) {
        let cells = cells.get(..LUMA).unwrap_or(cells);
        self.judge(second);
        if self.standing.as_ref().is_none_or(|standing| largest_change(&standing.cells, cells) > MOVED) {
            self.standing = Some(Standing { since: second, cells: cells.into(), is_page: false });
        }
    }

    /// Returns the seconds at which pages begin, in order, in a video of `seconds` seconds.
    pub(super) fn finish(mut self, seconds: f64) -> Vec<f64> {
        self.judge(seconds);
        self.found
    }

    /// Checks whether the picture that stood until now did so for long enough.
    fn judge(&mut self, now: f64) {
        let Some(standing) = self.standing.as_mut() else { return };
        if standing.is_page || now - standing.since < STILL_FOR {
            return;
        }
        standing.is_page = true;
        if self.shown.is_empty() || largest_change(&standing.cells, &self.shown) > CHANGED {
            self.found.push(standing.since);
            self.shown.clone_from(&standing.cells);
        }
    }
}

fn largest_change(one: &[u8], other: &[u8]) -> u8 {
    one.iter().zip(other).map(|(a, b)| a.abs_diff(*b)).max().unwrap_or(0)
}

/// A part of a moment that one picture represents.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Part<'a> {
    pub(super) moment: &'a Moment,
    /// Its start, in seconds from the media's start.
    pub(super) start: f64,
    /// Its end, in seconds from the media's start.
    pub(super) end: f64,
}

impl Part<'_> {
    /// Returns the second whose picture is read: the still's, where the part begins with its moment.
    pub(super) fn second(&self) -> f64 {
        let latest = (self.end - self.start) / 2.0;
        if self.start > self.moment.start {
            return self.start + READ_AFTER.min(latest);
        }
        self.moment.still_second().min(self.start + latest)
    }

    /// Whether that second is the one that its moment's still shows.
    pub(super) fn shows_still(&self) -> bool {
        let latest = self.start + (self.end - self.start) / 2.0;
        self.start <= self.moment.start && self.moment.still_second() <= latest
    }
}

/// Returns the parts of these moments: the first of a moment begins with it, each other with a page.
pub(super) fn parts<'a>(moments: &'a [Moment], pages: &[f64]) -> Vec<Part<'a>> {
    let mut parts = Vec::with_capacity(moments.len());
    for moment in moments {
        let mut start = moment.start;
        let first = pages.partition_point(|page| *page < start);
        for page in pages.iter().skip(first).take_while(|page| **page < moment.end) {
            if page - start >= CLOSEST {
                parts.push(Part { moment, start, end: *page });
                start = *page;
            }
        }
        parts.push(Part { moment, start, end: moment.end });
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pages of pictures that are alike but for one cell, which has these values from these seconds on.
    fn pages(shown: &[(f64, u8)], until: f64) -> Vec<f64> {
        let mut pages = Pages::default();
        for frame in (0..).map(|number| f64::from(number) / 10.0).take_while(|second| *second < until) {
            let value = shown.iter().rev().find(|(from, _)| *from <= frame).map_or(0, |(_, value)| *value);
            let mut cells = vec![200; LUMA * 3];
            cells[40] = value;
            cells[LUMA + 1] = if value % 2 == 0 { 0 } else { 255 };
            pages.add(frame, &cells);
        }
        pages.finish(until)
    }

    #[test]
    fn what_stands_still_and_is_new_is_a_page() {
        assert_eq!(pages(&[(0.0, 100), (3.0, 120), (6.0, 100)], 9.0), [0.0, 3.0, 6.0]);
        assert_eq!(pages(&[(0.0, 100), (3.0, 102), (6.0, 103)], 9.0), [0.0], "noise");
        assert_eq!(
            pages(&[(0.0, 100), (3.0, 200), (3.5, 100)], 9.0),
            [0.0],
            "what is gone at once, and what was there"
        );
        let moving: Vec<(f64, u8)> = (0_u8..90).map(|at| (f64::from(at) / 10.0, at.wrapping_mul(7))).collect();
        assert!(pages(&moving, 9.0).is_empty());
        // A recording of a screen may have a picture only when something changes.
        let mut sparse = Pages::default();
        for (second, value) in [(0.0, 10), (5.0, 90), (5.1, 99), (30.0, 10)] {
            sparse.add(second, &[value; LUMA]);
        }
        assert_eq!(sparse.finish(31.0), [0.0, 5.1, 30.0]);
    }

    #[test]
    fn a_moment_has_a_part_for_each_page() {
        let moment = |id: &str, start, end| Moment { id: id.to_owned(), start, end, thumbnail: None };
        let moments = [moment("m1", 0.0, 10.0), moment("m2", 10.0, 10.6), moment("m3", 10.6, 20.0)];
        let short = parts(&moments[..1], &[0.0, 1.5]);
        let parts = parts(&moments, &[0.0, 4.0, 4.9, 8.0, 10.0, 11.0, 15.0]);
        let told: Vec<_> = parts.iter().map(|part| (part.moment.id.as_str(), part.start, part.end)).collect();
        let first = [("m1", 0.0, 4.0), ("m1", 4.0, 8.0), ("m1", 8.0, 10.0)];
        assert_eq!(told, [&first[..], &[("m2", 10.0, 10.6), ("m3", 10.6, 15.0), ("m3", 15.0, 20.0)]].concat());
        let seconds: Vec<_> = parts.iter().map(|part| (part.second() * 1000.0).round() / 1000.0).collect();
        assert_eq!(seconds, [1.0, 4.5, 8.5, 10.3, 11.6, 15.5]);
        let shows: Vec<_> = parts.iter().map(Part::shows_still).collect();
        assert_eq!(shows, [true, false, false, true, true, false]);
        assert!((short[0].second() - 0.75).abs() < 1e-9 && !short[0].shows_still(), "a page before its still");
    }
}
