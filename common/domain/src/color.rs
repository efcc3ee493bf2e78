//! Parses colours.

/// Returns the bytes of a colour: three of `#1a2b3c`, four of `#1a2b3c80`; `None` for other texts.
pub(crate) fn hex_bytes<const N: usize>(text: &str) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    hex::decode_to_slice(text.strip_prefix('#')?, &mut bytes).ok()?;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_colour_is_its_digits_and_nothing_else() {
        assert_eq!(hex_bytes("#1a2B3c"), Some([0x1a, 0x2b, 0x3c]));
        assert_eq!(hex_bytes("#1a2b3c80"), Some([0x1a, 0x2b, 0x3c, 0x80]));
        for wrong in ["1a2b3c", "#1a2b3", "#1a2b3c8", "#+a2b3c", "#gg2b3c", "#1a2b3c ", "#äää", ""] {
            assert_eq!(hex_bytes::<3>(wrong), None, "{wrong}");
        }
    }
}
