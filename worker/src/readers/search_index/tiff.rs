//! Grey pictures as the pages of one TIFF, for an engine that reads several in one run. Pure.
//!
//! A picture that is mostly dark is handed over as its negative: light print on a dark ground would be read twice,
//! since the engine first takes it for dark print.

/// Bytes of a page's list of tags: their number, nine tags, and the place of the next list.
const LIST_BYTES: u32 = 2 + 12 * 9 + 4;
/// Pixels across and down, at most.
const MOST: u32 = 8_192;

/// Returns a TIFF of these pictures (PGM of a byte per pixel); none where one of them is not whole.
pub(super) fn tiff(pictures: &[&[u8]]) -> Option<Vec<u8>> {
    let mut tiff = b"II*\0\x08\0\0\0".to_vec();
    for (number, picture) in pictures.iter().enumerate() {
        let (width, height, grey) = parsed(picture)?;
        let pixels = u32::try_from(tiff.len()).ok()?.checked_add(LIST_BYTES)?;
        let bytes = u32::try_from(grey.len()).ok()?;
        // Each list begins at an even place.
        let padding = bytes % 2;
        let next = if number + 1 < pictures.len() { pixels.checked_add(bytes)?.checked_add(padding)? } else { 0 };
        // Each with its type: 3 is two bytes, 4 is four.
        let tags: [(u16, u16, u32); 9] = [
            (256, 4, width),
            (257, 4, height),
            (258, 3, 8),
            (259, 3, 1),
            // 0 is black.
            (262, 3, 1),
            (273, 4, pixels),
            (277, 3, 1),
            (278, 4, height),
            (279, 4, bytes),
        ];
        tiff.extend(9_u16.to_le_bytes());
        for (tag, kind, value) in tags {
            tiff.extend(tag.to_le_bytes());
            tiff.extend(kind.to_le_bytes());
            tiff.extend(1_u32.to_le_bytes());
            tiff.extend(value.to_le_bytes());
        }
        tiff.extend(next.to_le_bytes());
        let is_dark = grey.iter().filter(|value| **value < 128).count() * 2 > grey.len();
        if is_dark {
            tiff.extend(grey.iter().map(|value| 255 - value));
        } else {
            tiff.extend_from_slice(grey);
        }
        tiff.resize(tiff.len() + usize::from(padding == 1), 0);
    }
    Some(tiff)
}

/// Returns the width, the height and the pixels of a PGM.
pub(super) fn parsed(pgm: &[u8]) -> Option<(u32, u32, &[u8])> {
    let mut parts = pgm.splitn(4, |byte| *byte == b'\n');
    let (b"P5", size, b"255", grey) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?) else { return None };
    let (width, height) = str::from_utf8(size).ok()?.split_once(' ')?;
    let (width, height) = (width.parse::<u32>().ok()?, height.parse::<u32>().ok()?);
    let fits = (1..=MOST).contains(&width) && (1..=MOST).contains(&height);
    (fits && grey.len() == width as usize * height as usize).then_some((width, height, grey))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_picture_is_a_page_and_dark_ones_are_negatives() {
        let (light, dark) = (b"P5\n3 1\n255\n\xff\x0a\xfe", b"P5\n1 2\n255\n\x00\x01");
        let made = tiff(&[light, dark]).unwrap();
        let number = |at: usize| u32::from_le_bytes(made[at..at + 4].try_into().unwrap()) as usize;
        let (first, second) = (number(4), number(8 + 2 + 12 * 9));
        assert_eq!((first, second % 2, number(second + 2 + 12 * 9)), (8, 0, 0), "two lists, the second is the last");
        let page = |list: usize| {
            let value = |tag: usize| number(list + 2 + 12 * tag + 8);
            (value(0), value(1), made[value(5)..value(5) + value(8)].to_vec())
        };
        assert_eq!(page(first), (3, 1, vec![255, 10, 254]));
        assert_eq!(page(second), (1, 2, vec![255, 254]));
    }

    #[test]
    fn what_is_not_a_whole_picture_is_none() {
        for broken in
            [&b"P5\n3 1\n255\n\xff"[..], b"P6\n1 1\n255\n\xff", b"P5\n9000 0\n255\n", b"P5\n1 1\n65535\n\0\0", b""]
        {
            assert_eq!(tiff(&[b"P5\n1 1\n255\n\xff", broken]), None, "{broken:?}");
        }
    }
}
