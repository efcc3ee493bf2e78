//! Drawing: frames that are dissolved into each other and faded, and layers over them.
//!
//! Pure. A frame is luma, then both chromas at half of each side, as video has them; black is 16 and 128. Gains are
//! parts of 256, so that all numbers are whole and one plan gives one picture.

/// The size of a frame; both sides are even.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) width: usize,
    pub(super) height: usize,
}

impl Size {
    /// Returns the number of luma values.
    pub(super) const fn luma(self) -> usize {
        self.width * self.height
    }

    /// Returns the bytes of a frame.
    pub(super) const fn bytes(self) -> usize {
        self.luma() * 3 / 2
    }
}

/// A rectangle of a frame: its upper left corner in the frame, in pixels, and its size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Area {
    pub(super) x: usize,
    pub(super) y: usize,
    pub(super) size: Size,
}

/// A layer over frames, with its place: luma, both chromas, and the alpha of each value of luma.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layer {
    pub(super) area: Area,
    /// A frame of the area's size.
    pub(super) picture: Vec<u8>,
    /// The alpha of each value of luma: 255 hides the frame.
    pub(super) alpha: Vec<u8>,
}

/// Returns the value that is `part` of 256 of the way from one value to the other.
fn between(from: u8, to: u8, part: u32) -> u8 {
    u8::try_from((u32::from(from) * (256 - part) + u32::from(to) * part + 128) / 256).unwrap_or(u8::MAX)
}

/// Returns an alpha of 0 to 255 as a part of 256: 255 becomes 256.
fn of_256(alpha: u8) -> u32 {
    u32::from(alpha) + u32::from(alpha >> 7)
}

/// Dissolves a frame into another, `part` of 256 of the way.
pub(super) fn dissolve(frame: &mut [u8], other: &[u8], part: u32) {
    for (value, to) in frame.iter_mut().zip(other) {
        *value = between(*value, *to, part.min(256));
    }
}

/// Takes a frame towards black; a gain of 256 leaves it unchanged.
pub(super) fn darken(frame: &mut [u8], size: Size, gain: u32) {
    if gain >= 256 {
        return;
    }
    let (luma, chroma) = frame.split_at_mut(size.luma().min(frame.len()));
    for value in luma {
        *value = between(16, *value, gain);
    }
    for value in chroma {
        *value = between(128, *value, gain);
    }
}

/// Returns a frame of one colour.
pub(super) fn plain(rgb: [u8; 3], size: Size) -> Vec<u8> {
    let [luma, blue, red] = yuv(rgb, size);
    let quarter = size.luma() / 4;
    let mut frame = vec![luma; size.luma()];
    frame.resize(size.luma() + quarter, blue);
    frame.resize(size.luma() + 2 * quarter, red);
    frame
}

/// Returns a colour as luma and both chromas: by BT.709 for frames of 720 lines and more, as players do, else BT.601.
fn yuv([red, green, blue]: [u8; 3], size: Size) -> [u8; 3] {
    let (kr, kb) = if size.height >= 720 { (0.2126, 0.0722) } else { (0.299, 0.114) };
    let [r, g, b] = [red, green, blue].map(|value| f64::from(value) / 255.0);
    let y = kr * r + (1.0 - kr - kb) * g + kb * b;
    let (pb, pr) = ((b - y) / (2.0 * (1.0 - kb)), (r - y) / (2.0 * (1.0 - kr)));
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "values of video are 16 to 240")]
    let byte = |value: f64| value.round().clamp(0.0, 255.0) as u8;
    [byte(16.0 + 219.0 * y), byte(128.0 + 224.0 * pb), byte(128.0 + 224.0 * pr)]
}

/// The background of letters, which makes them legible on any picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Behind {
    pub(super) color: [u8; 3],
    /// Pixels that it extends around the letters; none where it fills their whole area.
    pub(super) around: Option<usize>,
}

/// Returns letters of one colour, with the mask that says where they are, on another colour.
pub(super) fn lettered(mask: &[u8], area: Area, color: [u8; 3], behind: Behind) -> Layer {
    let size = area.size;
    let mut picture = plain(behind.color, size);
    let letters = plain(color, size);
    for_each_value(size, |at, luma_at| {
        let part = of_256(mask.get(luma_at).copied().unwrap_or(0));
        if let (Some(value), Some(to)) = (picture.get_mut(at), letters.get(at)) {
            *value = between(*value, *to, part);
        }
    });
    let alpha = match behind.around {
        None => vec![255; mask.len()],
        Some(edge) => widened(&widened(mask, edge, 1, size), edge, size.width, size),
    };
    Layer { area, picture, alpha }
}

/// Returns a mask that is wider by `by` values on both sides, along rows (a step of 1) or columns (a step of a row).
/// Each pass doubles the widening, so that even a large one takes few passes.
fn widened(mask: &[u8], by: usize, step: usize, size: Size) -> Vec<u8> {
    let (mut wide, mut reached) = (mask.to_vec(), 0);
    while reached < by {
        let on = (reached + 1).min(by - reached);
        let most = |at: usize| {
            let (along, end) = if step == 1 { (at % size.width, size.width) } else { (at / size.width, size.height) };
            let value = |is_inside: bool, at: usize| if is_inside { wide.get(at).copied().unwrap_or(0) } else { 0 };
            let before = value(along >= on, at.wrapping_sub(on * step));
            value(true, at).max(before).max(value(along + on < end, at + on * step))
        };
        wide = (0..wide.len()).map(most).collect();
        reached += on;
    }
    wide
}

/// Calls `each` with the index of every value of a frame, and with the index of the luma that it belongs to.
fn for_each_value(size: Size, mut each: impl FnMut(usize, usize)) {
    let (luma, quarter, half) = (size.luma(), size.luma() / 4, size.width / 2);
    (0..luma).for_each(|at| each(at, at));
    for at in 0..quarter {
        let under = (at / half) * 2 * size.width + (at % half) * 2;
        each(luma + at, under);
        each(luma + quarter + at, under);
    }
}

/// Draws a layer over a frame, at `opacity` of 256; what lies outside of the frame is left out.
pub(super) fn draw(frame: &mut [u8], size: Size, layer: &Layer, opacity: u32) {
    let Area { x, y, size: own } = layer.area;
    let quarter = size.luma() / 4;
    let own_quarter = own.luma() / 4;
    for plane in 0..3 {
        let by = if plane == 0 { 1 } else { 2 };
        let (from, to) = match plane {
            0 => (0, 0),
            _ => (own.luma() + (plane - 1) * own_quarter, size.luma() + (plane - 1) * quarter),
        };
        let (own_width, width) = (own.width / by, size.width / by);
        let rows = (own.height / by).min((size.height / by).saturating_sub(y / by));
        let columns = own_width.min(width.saturating_sub(x / by));
        for row in 0..rows {
            let line = to + (y / by + row) * width + x / by;
            for column in 0..columns {
                let alpha = layer.alpha.get(row * by * own.width + column * by).copied().unwrap_or(0);
                let value = layer.picture.get(from + row * own_width + column);
                if let (Some(under), Some(value)) = (frame.get_mut(line + column), value) {
                    *under = between(*under, *value, of_256(alpha) * opacity / 256);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Size = Size { width: 8, height: 4 };
    const WHOLE: Area = Area { x: 0, y: 0, size: SIZE };

    fn on(color: [u8; 3], around: Option<usize>) -> Behind {
        Behind { color, around }
    }

    #[test]
    fn colours_become_the_values_that_video_has_of_them() {
        let of = |rgb, size: Size| {
            let frame = plain(rgb, size);
            [frame[0], frame[size.luma()], frame[size.luma() * 5 / 4]]
        };
        assert_eq!(of([0, 0, 0], SIZE), [16, 128, 128]);
        assert_eq!(of([255, 255, 255], SIZE), [235, 128, 128]);
        assert_eq!(of([255, 0, 0], SIZE), [81, 90, 240]);
        assert_eq!(of([255, 0, 0], Size { width: 2, height: 720 }), [63, 102, 240]);
    }

    #[test]
    fn a_dissolve_goes_from_one_to_the_other_and_a_fade_to_black() {
        let (black, white) = (plain([0; 3], SIZE), plain([255; 3], SIZE));
        for (part, luma) in [(0, 16), (128, 126), (256, 235)] {
            let mut frame = black.clone();
            dissolve(&mut frame, &white, part);
            assert_eq!(frame[0], luma);
        }
        let mut frame = plain([255, 0, 0], SIZE);
        darken(&mut frame, SIZE, 256);
        assert_eq!(frame, plain([255, 0, 0], SIZE));
        darken(&mut frame, SIZE, 0);
        assert_eq!(frame, black);
    }

    #[test]
    fn letters_have_a_dark_edge_or_a_colour_behind_them() {
        let mut mask = vec![0; 32];
        mask[8 + 3] = 255;
        let edged = lettered(&mask, WHOLE, [255; 3], on([0; 3], Some(1)));
        let hidden: Vec<usize> = (0..32).filter(|at| edged.alpha[*at] == 255).collect();
        assert_eq!(hidden, [2, 3, 4, 10, 11, 12, 18, 19, 20]);
        assert_eq!((edged.picture[11], edged.picture[10]), (235, 16));
        let mut corner = vec![0; 32];
        corner[31] = 255;
        let edged = lettered(&corner, WHOLE, [255; 3], on([0; 3], Some(2)));
        assert_eq!(edged.alpha.iter().filter(|alpha| **alpha > 0).count(), 9);
        let boxed = lettered(&mask, WHOLE, [0; 3], on([255; 3], None));
        assert_eq!((boxed.alpha[0], boxed.picture[0], boxed.picture[11]), (255, 235, 16));
    }

    #[test]
    fn a_wide_edge_of_a_large_picture_takes_few_passes() {
        let size = Size { width: 1_920, height: 1_080 };
        let mut mask = vec![0; size.luma()];
        mask[size.luma() / 2 + 960] = 255;
        let began = std::time::Instant::now();
        let edged = lettered(&mask, Area { x: 0, y: 0, size }, [255; 3], on([0; 3], Some(270)));
        assert_eq!(edged.alpha.iter().filter(|alpha| **alpha > 0).count(), 541 * 541);
        // Half a second without a debugger's checks; a pass for each value of its width took a minute and more.
        assert!(began.elapsed() < std::time::Duration::from_secs(40), "{:?}", began.elapsed());
    }

    #[test]
    fn a_layer_is_drawn_where_it_stands_and_never_outside() {
        let own = Size { width: 4, height: 4 };
        let area = |x, y| Area { x, y, size: own };
        let layer = |x, y| Layer { area: area(x, y), picture: plain([255; 3], own), alpha: vec![255; 16] };
        let mut frame = plain([0; 3], SIZE);
        draw(&mut frame, SIZE, &layer(6, 2), 256);
        let lit: Vec<usize> = (0..SIZE.luma()).filter(|at| frame[*at] > 200).collect();
        assert_eq!(lit, [22, 23, 30, 31]);
        let mut half = plain([0; 3], SIZE);
        draw(&mut half, SIZE, &layer(0, 0), 128);
        assert_eq!((half[0], half[4]), (126, 16));
        let mut same = plain([0; 3], SIZE);
        draw(&mut same, SIZE, &layer(100, 100), 256);
        assert_eq!(same, plain([0; 3], SIZE));
    }
}
