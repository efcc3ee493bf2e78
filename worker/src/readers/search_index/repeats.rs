//! Which pictures need no run of the engine that reads text: those with nothing on them, and those that show what one
//! shortly before showed, as when a film goes back from a speaker to the slide. Pure.
//!
//! Two pictures are compared block by block, never as a whole: a comma is a ten thousandth of a picture.

use super::tiff::parsed;

/// A picture is plain when its lightest and its darkest pixel differ by no more than this, of 255: what compression
/// leaves of one colour.
const PLAIN: u8 = 8;
/// Pictures with a pixel that differs by more than this are not alike. Around sharp letters compression changes single
/// pixels by less.
const PIXEL: u8 = 32;
/// Pixels of a block, across and down: smaller than a letter that can be read.
const BLOCK: usize = 4;
/// Pictures are not alike where the sum of a block differs by more than this: three levels for each of its pixels. Ink
/// changes a block in one direction, compression in both.
const BLOCK_SUM: u32 = 3 * 16;

/// From where the words of a picture come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// There is no picture.
    Nowhere,
    /// It is of one colour, and has none.
    Plain,
    /// The engine reads it.
    Engine,
    /// It shows what the picture of this number in the group before it shows.
    Before(usize),
    /// It shows what the picture of this number in its own group shows, which the engine reads.
    Here(usize),
}

/// Returns the source of each of these pictures (PGM), with those of the group `before` it.
pub(super) fn sources(pictures: &[Option<Vec<u8>>], before: &[Option<Vec<u8>>]) -> Vec<Source> {
    let mut sources: Vec<Source> = Vec::with_capacity(pictures.len());
    for picture in pictures {
        let source = match picture.as_deref() {
            None => Source::Nowhere,
            Some(picture) if is_plain(picture) => Source::Plain,
            Some(picture) => {
                let is_like = |other: Option<&[u8]>| other.is_some_and(|other| are_alike(other, picture));
                let known = before.iter().rposition(|one| is_like(one.as_deref()));
                let mut read = sources.iter().zip(pictures);
                let here = read.position(|(source, one)| *source == Source::Engine && is_like(one.as_deref()));
                known.map(Source::Before).or(here.map(Source::Here)).unwrap_or(Source::Engine)
            }
        };
        sources.push(source);
    }
    sources
}

/// Replaces each picture whose words are another's by that one, so that the next group is compared with what the engine
/// read. Otherwise a text that comes up slowly would each time show what the picture before it showed, and never be
/// read.
pub(super) fn as_read(pictures: &mut [Option<Vec<u8>>], sources: &[Source], before: &[Option<Vec<u8>>]) {
    for (at, source) in sources.iter().enumerate() {
        let read = match source {
            Source::Before(number) => before.get(*number).cloned().flatten(),
            Source::Here(number) => pictures.get(*number).cloned().flatten(),
            Source::Nowhere | Source::Plain | Source::Engine => continue,
        };
        if let Some(picture) = pictures.get_mut(at) {
            *picture = read;
        }
    }
}

/// Whether nothing can be seen on it.
fn is_plain(picture: &[u8]) -> bool {
    let Some((_, _, grey)) = parsed(picture) else { return false };
    let (darkest, lightest) = grey.iter().fold((u8::MAX, 0), |(low, high), value| (low.min(*value), high.max(*value)));
    lightest.saturating_sub(darkest) <= PLAIN
}

/// Whether two pictures show the same, but for what compression changes.
fn are_alike(one: &[u8], other: &[u8]) -> bool {
    let (Some((width, height, one)), Some((other_width, other_height, other))) = (parsed(one), parsed(other)) else {
        return false;
    };
    let row = width as usize;
    let mut bands = one.chunks(row * BLOCK).zip(other.chunks(row * BLOCK));
    (width, height) == (other_width, other_height) && bands.all(|(one, other)| has_like_blocks(one, other, row))
}

/// Whether each block of a band, as high as a block, is like that of the other.
fn has_like_blocks(one: &[u8], other: &[u8], row: usize) -> bool {
    let mut sums = vec![0_i32; row.div_ceil(BLOCK)];
    for (one, other) in one.chunks(row).zip(other.chunks(row)) {
        for ((one, other), sum) in one.chunks(BLOCK).zip(other.chunks(BLOCK)).zip(&mut sums) {
            for (a, b) in one.iter().zip(other) {
                if a.abs_diff(*b) > PIXEL {
                    return false;
                }
                *sum += i32::from(*a) - i32::from(*b);
            }
        }
    }
    sums.iter().all(|sum| sum.unsigned_abs() <= BLOCK_SUM)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDTH: usize = 42;

    /// A picture of this ground whose pixels are changed.
    fn picture(ground: u8, change: impl Fn(usize, usize) -> Option<u8>) -> Vec<u8> {
        let pixels = (0..WIDTH * 30).map(|at| change(at % WIDTH, at / WIDTH).unwrap_or(ground));
        [format!("P5\n{WIDTH} 30\n255\n").into_bytes(), pixels.collect()].concat()
    }

    /// A letter: an upright line, three pixels wide, from this column on.
    fn letter(ink: u8, column: usize) -> Vec<u8> {
        picture(200, |x, y| ((column..column + 3).contains(&x) && (5..25).contains(&y)).then_some(ink))
    }

    #[test]
    fn pictures_are_alike_but_for_what_compression_changes() {
        let plain = picture(200, |_, _| None);
        let noisy = picture(200, |x, y| Some(if (x + y) % 2 == 0 { 212 } else { 188 }));
        assert!(are_alike(&plain, &plain) && are_alike(&plain, &noisy) && !is_plain(&noisy));
        let a_little_darker = picture(197, |_, _| None);
        assert!(are_alike(&plain, &a_little_darker) && !are_alike(&plain, &picture(196, |_, _| None)));
    }

    #[test]
    fn a_comma_and_a_faint_letter_make_another_picture() {
        let plain = picture(200, |_, _| None);
        // Two pixels of a comma, in the corner, where blocks are cut.
        let comma = picture(200, |x, y| (x == WIDTH - 1 && y >= 28).then_some(30));
        for (name, one, other) in [
            ("a comma", &plain, &comma),
            ("a letter", &plain, &letter(0, 8)),
            ("a faint letter", &plain, &letter(190, 8)),
            ("a faint letter at another place", &letter(190, 8), &letter(190, 12)),
        ] {
            assert!(!are_alike(one, other) && !are_alike(other, one), "{name}");
            assert!(!is_plain(other), "{name}");
        }
        let wide = b"P5\n4 1\n255\n\x09\x09\x09\x09".to_vec();
        let high = b"P5\n1 4\n255\n\x09\x09\x09\x09".to_vec();
        assert!(!are_alike(&wide, &high) && !are_alike(&wide, b"P5") && !is_plain(b"P5"), "of other sizes, or broken");
    }

    #[test]
    fn a_text_that_comes_up_slowly_is_read_once_it_differs_from_what_was_read() {
        let shown = |ink: u8| {
            let text = picture(200, |x, y| match x {
                0..3 => Some(0),
                8..11 if (5..25).contains(&y) => Some(ink),
                _ => None,
            });
            vec![Some(text)]
        };
        let (first, mut second, third) = (shown(200), shown(197), shown(194));
        assert_eq!(sources(&third, &second), [Source::Before(0)], "one step is no other picture");
        let found = sources(&second, &first);
        assert_eq!(found, [Source::Before(0)]);
        as_read(&mut second, &found, &first);
        assert_eq!(sources(&third, &second), [Source::Engine]);
        let mut twice = [shown(200), shown(197)].concat();
        let found = sources(&twice, &[]);
        assert_eq!(found, [Source::Engine, Source::Here(0)]);
        as_read(&mut twice, &found, &[]);
        assert_eq!(sources(&third, &twice), [Source::Engine]);
    }

    #[test]
    fn the_engine_reads_each_picture_once() {
        use Source::{Before, Engine, Here, Nowhere, Plain};
        let (slide, next, speaker) = (Some(letter(0, 8)), Some(letter(0, 20)), Some(letter(90, 30)));
        let black = Some(picture(3, |x, _| (x % 5 == 0).then_some(8)));
        let first = [slide.clone(), black.clone(), speaker.clone(), slide.clone(), None];
        assert_eq!(sources(&first, &[]), [Engine, Plain, Engine, Here(0), Nowhere]);
        let second = [slide, next.clone(), next, black, speaker, Some(b"broken".to_vec()), Some(b"broken".to_vec())];
        assert_eq!(sources(&second, &first), [Before(3), Engine, Here(1), Plain, Before(2), Engine, Engine]);
    }
}
