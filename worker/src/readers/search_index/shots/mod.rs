//! Finds the shot changes of a film: cuts, dissolves and fades through black, but not flashes. Pure.
//!
//! Works on small pictures: all luma, then both chromas, one byte per cell. A cut is a step far larger than those
//! around it. A dissolve has no such step, but other colours after it than before, which a moving camera does not
//! cause. Black that lasts is a change too. Only the pictures of two seconds are kept, so that a day of film needs no
//! more memory than a minute.

use crate::readers::decode::SmallSize;
use std::collections::VecDeque;

/// The size of a small picture.
pub(super) const SIZE: SmallSize = SmallSize { width: 32, height: 18 };
/// Cells of a small picture.
const CELLS: usize = SIZE.cells();
/// The threshold of a cut's step: the mean change of a byte.
const STEP: f32 = 8.0;
/// The threshold of a cut's step, as a multiple of the median of those around it.
const STANDS_OUT: f32 = 3.0;
/// The longest flash, in seconds; after it, the picture differs from the one before by at most this part of the step.
const FLASH: f64 = 0.35;
const RETURNED: f32 = 0.5;
/// Seconds before and after a picture over which colours are compared.
const REACH: f64 = 0.4;
/// The threshold of the colour distance across a dissolve: 0 is alike, 2 has nothing in common.
const UNLIKE: f32 = 0.4;
/// A change must be the largest within this many seconds.
const APART: f64 = 0.5;
/// Seconds around black and after a cut in which colours change for that reason.
const SHADOW: f64 = 0.8;
/// A picture is black when the mean of its luma is below the first, and its deviation below the second.
const BLACK: (f32, f32) = (32.0, 3.5);
/// Seconds around a picture that are needed to judge it.
const SIGHT: f64 = 1.0;
/// Pictures closer than this many seconds are skipped: more than 60 per second add nothing.
const CLOSEST: f64 = 1.0 / 61.0;
/// Bins of a colour histogram.
const BINS: usize = 16;

type Colours = [f32; 3 * BINS];

/// A picture and its features.
struct SmallPicture {
    second: f64,
    cells: Box<[u8]>,
    colours: Colours,
    black: bool,
    /// The mean difference from the picture before, per byte.
    step: f32,
    /// The colour distance between both sides of it; known once there is something after it.
    unlike: f32,
    /// Whether it begins or ends a flash.
    flash: bool,
}

/// Finds changes in a stream of small pictures.
#[derive(Default)]
pub(super) struct Shots {
    pictures: VecDeque<SmallPicture>,
    /// The number of `pictures` that have been compared with those around them, and the number that have been judged.
    compared: usize,
    judged: usize,
    /// The second since which it has been black, if the film did not begin so.
    black_since: Option<f64>,
    last_cut: Option<f64>,
    found: Vec<f64>,
}

impl Shots {
    /// Takes the next picture, three bytes per cell. One that is not later than the last is skipped.
    pub(super) fn add(&mut self, second: f64, cells: &[u8]) {
        let last = self.pictures.back();
        if last.is_some_and(|last| second - last.second < CLOSEST) {
            return;
        }
        let step = last.map_or(0.0, |last| difference(&last.cells, cells));
        let (colours, black) = (colours(cells), is_black(cells));
        let cells = cells.into();
        self.pictures.push_back(SmallPicture { second, cells, colours, black, step, unlike: 0.0, flash: false });
        while self.at(self.compared).is_some_and(|picture| picture.second + REACH < second) {
            self.compare();
        }
        while self.at(self.judged).is_some_and(|picture| picture.second + SIGHT < second) {
            self.judge();
        }
        let oldest = self.at(self.judged).map_or(second, |picture| picture.second) - SIGHT;
        while self.pictures.front().is_some_and(|picture| picture.second < oldest) {
            self.pictures.pop_front();
            self.compared -= 1;
            self.judged -= 1;
        }
    }

    /// Returns the seconds of all changes, in order.
    pub(super) fn finish(mut self) -> Vec<f64> {
        while self.compared < self.pictures.len() {
            self.compare();
        }
        while self.judged < self.pictures.len() {
            self.judge();
        }
        self.found.sort_by(f64::total_cmp);
        self.found
    }

    fn at(&self, number: usize) -> Option<&SmallPicture> {
        self.pictures.get(number)
    }

    /// Returns the numbers of the pictures within these seconds of one, itself included.
    fn near(&self, number: usize, seconds: f64) -> std::ops::Range<usize> {
        let Some(here) = self.at(number).map(|picture| picture.second) else { return 0..0 };
        let first = self.pictures.partition_point(|picture| picture.second < here - seconds);
        first..self.pictures.partition_point(|picture| picture.second <= here + seconds)
    }

    /// Measures the colour distance between both sides of a picture.
    fn compare(&mut self) {
        let around = self.near(self.compared, REACH);
        let sides = (self.at(around.start), self.at(around.end.saturating_sub(1)));
        let unlike = match sides {
            (Some(before), Some(after)) => distance(&before.colours, &after.colours),
            _ => 0.0,
        };
        if let Some(picture) = self.pictures.get_mut(self.compared) {
            picture.unlike = unlike;
        }
        self.compared += 1;
    }

    /// Decides about the next picture, once all pictures around it are known.
    fn judge(&mut self) {
        let number = self.judged;
        self.judged += 1;
        let Some((second, black)) = self.at(number).map(|picture| (picture.second, picture.black)) else { return };
        if self.is_sudden(number) {
            if !self.mark_flash(number) {
                self.found.push(second);
                self.last_cut = Some(second);
            }
        } else if self.is_gradual(number) {
            self.found.push(second);
        }
        let began = number == 0 && self.found.is_empty() && self.last_cut.is_none();
        match self.black_since {
            None if black && !began => self.black_since = Some(second),
            Some(since) if !black => {
                self.black_since = None;
                self.brighten(number, since, second);
            }
            _ => {}
        }
    }

    /// Ends a stretch of black: the change is in its middle, unless a cut led into it or out of it.
    fn brighten(&mut self, number: usize, since: f64, until: f64) {
        let cut_before = self.last_cut.is_some_and(|cut| since - cut < SIGHT);
        let cut_after = self.near(number, SIGHT).any(|near| near > number && self.is_sudden(near));
        if !cut_before && !cut_after {
            self.found.push(f64::midpoint(since, until));
        }
    }

    /// Whether the picture differs from the one before far more than those around it do.
    fn is_sudden(&self, number: usize) -> bool {
        let Some(step) = self.at(number).map(|picture| picture.step).filter(|step| *step >= STEP) else { return false };
        let mut others: Vec<f32> = self
            .near(number, APART)
            .filter(|other| *other != number)
            .filter_map(|other| Some(self.at(other)?.step))
            .collect();
        others.sort_by(f32::total_cmp);
        others.get(others.len() / 2).is_none_or(|middle| step >= STANDS_OUT * middle)
    }

    /// Marks a sudden change that begins a flash, which another one soon undoes, or ends one. Returns whether it does.
    fn mark_flash(&mut self, number: usize) -> bool {
        let Some(here) = self.at(number) else { return false };
        if here.flash {
            return true;
        }
        let Some(before) = number.checked_sub(1).and_then(|before| self.at(before)) else { return false };
        let until = self.near(number, FLASH).end;
        let back = (number + 1..until).find(|later| {
            let returned = |later: &SmallPicture| difference(&before.cells, &later.cells) < RETURNED * here.step;
            self.is_sudden(*later) && self.at(*later).is_some_and(returned)
        });
        let Some(back) = back else { return false };
        for flash in [number, back] {
            if let Some(picture) = self.pictures.get_mut(flash) {
                picture.flash = true;
            }
        }
        true
    }

    /// Whether the colours change most around this picture, without a cut, a flash or black that explains it.
    fn is_gradual(&self, number: usize) -> bool {
        let Some(unlike) = self.at(number).map(|picture| picture.unlike).filter(|unlike| *unlike >= UNLIKE) else {
            return false;
        };
        let higher = |near: usize| {
            self.at(near).is_some_and(|other| other.unlike > unlike || (near < number && other.unlike >= unlike))
        };
        !self.near(number, APART).any(higher)
            && !self.near(number, REACH + 2.0 * CLOSEST).any(|near| self.is_sudden(near))
            && !self.near(number, SHADOW).any(|near| self.at(near).is_some_and(|picture| picture.black))
    }
}

/// Returns the mean difference of two pictures, per byte.
#[expect(clippy::cast_precision_loss, reason = "a picture has few cells")]
fn difference(one: &[u8], other: &[u8]) -> f32 {
    let sum: u32 = one.iter().zip(other).map(|(a, b)| u32::from(a.abs_diff(*b))).sum();
    sum as f32 / one.len().max(1) as f32
}

/// Returns a picture's histograms of luma and of both chromas. A value counts for the two bins that it lies between, so
/// that a little more light does not move it from one to the other.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place is between 0 and the last part")]
#[expect(clippy::cast_precision_loss, reason = "a picture has few cells")]
fn colours(cells: &[u8]) -> Colours {
    let mut colours = [0.0; 3 * BINS];
    for (plane, parts) in cells.chunks(CELLS).zip(colours.chunks_mut(BINS)) {
        for value in plane {
            let place = (f32::from(*value) / 256.0 * BINS as f32 - 0.5).clamp(0.0, BINS as f32 - 1.001);
            let (low, share) = (place as usize, place.fract());
            for (part, share) in parts.iter_mut().skip(low).zip([1.0 - share, share]) {
                *part += share / CELLS as f32;
            }
        }
    }
    colours
}

/// Returns the distance of two pictures' colours, 0 to 2.
fn distance(one: &Colours, other: &Colours) -> f32 {
    one.iter().zip(other).map(|(a, b)| (a - b).abs()).sum::<f32>() / 3.0
}

#[expect(clippy::cast_precision_loss, reason = "a picture has few cells")]
fn is_black(cells: &[u8]) -> bool {
    let luma = || cells.iter().take(CELLS).map(|value| f32::from(*value));
    let mean = luma().sum::<f32>() / CELLS as f32;
    let variance = luma().map(|value| (value - mean).powi(2)).sum::<f32>() / CELLS as f32;
    mean < BLACK.0 && variance.sqrt() < BLACK.1
}

#[cfg(test)]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "small pictures"
)]
mod tests;
