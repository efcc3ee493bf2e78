//! The directions of a line whose brackets come in pairs, for a drawer that knows no pairs. Pure.
//!
//! Unicode gives both brackets of a pair one direction (UAX #9, rule N0). `FriBidi`, as ffmpeg calls it, takes each
//! bracket for any other sign: the last one of a line of Latin letters within Hebrew stands at the line's other end.

use unicode_bidi::data_source::BidiMatchedOpeningBracket;
use unicode_bidi::{BidiClass, BidiDataSource, HardcodedBidiData, LTR_LEVEL, Level, ParagraphBidiInfo, RTL_LEVEL};

/// Begins letters that are read from the left, whatever they are.
const FROM_LEFT: char = '\u{202d}';
/// The same from the right.
const FROM_RIGHT: char = '\u{202e}';
/// Ends what the last of these began.
const END: char = '\u{202c}';

/// Unicode's letters, without its pairs of brackets.
struct NoPairs;

impl BidiDataSource for NoPairs {
    fn bidi_class(&self, letter: char) -> BidiClass {
        HardcodedBidiData.bidi_class(letter)
    }

    fn bidi_matched_opening_bracket(&self, _: char) -> Option<BidiMatchedOpeningBracket> {
        None
    }
}

/// Returns a line with marks that tell the direction of all its letters; none where its brackets stand where they
/// belong without them. The marks that it has are left out: they are in the directions.
pub(crate) fn told(line: &str, is_rtl: bool) -> Option<String> {
    let base = if is_rtl { RTL_LEVEL } else { LTR_LEVEL };
    let levels = ParagraphBidiInfo::new(line, Some(base)).levels;
    if levels == ParagraphBidiInfo::new_with_data_source(&NoPairs, line, Some(base)).levels {
        return None;
    }
    let mut told = String::with_capacity(line.len() * 2);
    let mut open: u8 = 0;
    for (at, letter) in line.char_indices().filter(|(_, letter)| !is_mark(*letter)) {
        // Even levels are read from the left, odd ones from the right; a level stands within the one below it.
        let level = levels.get(at).map_or(base.number(), Level::number);
        let wanted = level.saturating_sub(base.number()) + 1;
        while open < wanted {
            told.push(if (base.number() + open) % 2 == 1 { FROM_RIGHT } else { FROM_LEFT });
            open += 1;
        }
        while open > wanted {
            told.push(END);
            open -= 1;
        }
        told.push(letter);
    }
    told.extend(std::iter::repeat_n(END, usize::from(open)));
    Some(told)
}

const fn is_mark(letter: char) -> bool {
    matches!(letter, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn both_brackets_of_a_pair_have_the_direction_of_what_they_hold() {
        for (line, is_rtl, expected) in [
            ("נהר abc 123 (ABC)", true, "\u{202e}נהר \u{202d}abc 123 (ABC)\u{202c}\u{202c}"),
            ("\u{200f}(abc 123 (ABC)", true, "\u{202e}(\u{202d}abc 123 (ABC)\u{202c}\u{202c}"),
            ("נהר abc (de [fg])", true, "\u{202e}נהר \u{202d}abc (de [fg])\u{202c}\u{202c}"),
            (
                "נהר abc (de נהר) fg",
                true,
                "\u{202e}נהר \u{202d}abc\u{202c} (\u{202d}de\u{202c} נהר) \u{202d}fg\u{202c}\u{202c}",
            ),
            ("river (נהר) נהר", false, "\u{202d}river (\u{202e}נהר\u{202c}) \u{202e}נהר\u{202c}\u{202c}"),
        ] {
            assert_eq!(told(line, is_rtl).as_deref(), Some(expected), "{line}");
        }
    }

    #[test]
    fn a_line_whose_brackets_stand_where_they_belong_is_left_as_it_is() {
        for (line, is_rtl) in [
            ("", true),
            ("נהר abc 123!", true),
            ("נהר (abc) נהר", true),
            ("נהר (נהר)", true),
            ("נהר) abc(", true),
            ("the river (is 12 wide)", false),
            ("river (נהר)", false),
        ] {
            assert_eq!(told(line, is_rtl), None, "{line}");
        }
    }

    /// The letters that are seen, each with its level for a drawer of these brackets.
    fn seen(line: &str, is_rtl: bool, drawer: &impl BidiDataSource) -> Vec<(char, u8)> {
        let base = if is_rtl { RTL_LEVEL } else { LTR_LEVEL };
        let levels = ParagraphBidiInfo::new_with_data_source(drawer, line, Some(base)).levels;
        let letters = line.char_indices().filter(|(_, letter)| !is_mark(*letter));
        letters.map(|(at, letter)| (letter, levels[at].number())).collect()
    }

    proptest! {
        #[test]
        fn a_drawer_without_pairs_draws_what_one_with_pairs_draws(
            line in "[abאבن12٣ .,$()\\[\\]\u{200e}\u{200f}\u{202a}\u{202b}\u{202c}]{0,24}", is_rtl in any::<bool>()
        ) {
            let expected = seen(&line, is_rtl, &HardcodedBidiData);
            if let Some(told) = told(&line, is_rtl) {
                // A whole line within a mark from the left is two levels higher, with the same order.
                let higher = if is_rtl { 0 } else { 2 };
                let expected: Vec<_> = expected.into_iter().map(|(letter, level)| (letter, level + higher)).collect();
                prop_assert_eq!(seen(&told, false, &NoPairs), expected);
            } else {
                prop_assert_eq!(seen(&line, is_rtl, &NoPairs), expected);
            }
        }
    }
}
