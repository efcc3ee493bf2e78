//! The lines of a text in films and in pictures: its font family, where lines are broken, how many are drawn, and from
//! which side each is read.

use crate::brackets;
use unicode_width::UnicodeWidthChar;

/// The most lines that are drawn; the rest is left out, and a warning says so.
pub const MOST_LINES: usize = 20;
/// Ranges of letters that are read from the right: Hebrew, Arabic and neighbours, with their presentation forms.
const FROM_RIGHT: [(u32, u32); 4] = [(0x590, 0x8ff), (0xfb1d, 0xfdff), (0xfe70, 0xfeff), (0x1e800, 0x1efff)];

/// A line of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Its letters, in the order in which they are read.
    pub text: String,
    /// Whether its paragraph is read from the right.
    pub is_rtl: bool,
}

impl Line {
    /// Returns a line of this paragraph.
    pub fn of(text: String, paragraph: &str) -> Self {
        Self { text, is_rtl: reads_from_right(paragraph) }
    }

    /// Returns it for a drawer that takes every line for one that is read from the left, and knows no pairs of
    /// brackets: one that is read from the right stands between marks that say so. Where a bracket would stand at the
    /// wrong end of its words, marks tell the direction of each letter. None of the marks has a width.
    pub fn marked(&self) -> String {
        match brackets::told(&self.text, self.is_rtl) {
            Some(told) => told,
            None if self.is_rtl => format!("\u{202b}{}\u{202c}", self.text),
            None => self.text.clone(),
        }
    }
}

/// Whether a paragraph is read from the right: its first letter is of such a script, unless a mark before it says from
/// where it is read.
pub fn reads_from_right(paragraph: &str) -> bool {
    paragraph.chars().find_map(is_from_right).unwrap_or(false)
}

/// Whether a letter or a mark is read from the right; none for what is read as its neighbours are.
fn is_from_right(letter: char) -> Option<bool> {
    let is_of_one = |letter: char| FROM_RIGHT.iter().any(|(first, last)| (*first..=*last).contains(&u32::from(letter)));
    match letter {
        '\u{200e}' | '\u{202a}' | '\u{202d}' | '\u{2066}' => Some(false),
        '\u{200f}' | '\u{202b}' | '\u{202e}' | '\u{2067}' | '\u{61c}' => Some(true),
        letter => letter.is_alphabetic().then(|| is_of_one(letter)),
    }
}

/// Whether it is a mark of the direction of letters that no font here has, so that it would be drawn as a box. Texts of
/// films have older ones instead.
pub(crate) const fn is_newer_mark(letter: char) -> bool {
    matches!(letter, '\u{61c}' | '\u{2066}'..='\u{2069}')
}

/// Returns a paragraph with older marks of direction, which the font has and which are drawn as nothing, instead of
/// newer ones.
fn with_older_marks(paragraph: &str) -> String {
    // The last of the three newer ones goes by the letters behind it, so they are gone through from the end.
    let mut is_rtl_behind = false;
    let mut from_end = Vec::with_capacity(paragraph.len());
    for letter in paragraph.chars().rev() {
        from_end.push(match letter {
            '\u{61c}' => '\u{200f}',
            '\u{2067}' => '\u{202b}',
            '\u{2068}' if is_rtl_behind => '\u{202b}',
            '\u{2066}' | '\u{2068}' => '\u{202a}',
            '\u{2069}' => '\u{202c}',
            other => other,
        });
        is_rtl_behind = is_from_right(letter).unwrap_or(is_rtl_behind);
    }
    from_end.into_iter().rev().collect()
}

/// The font families of `brand_kit::FAMILIES`, whose letters differ in width.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Family {
    /// `DejaVu Sans`.
    #[default]
    Sans,
    /// `DejaVu Sans Mono`.
    Mono,
    /// `DejaVu Serif`.
    Serif,
}

impl Family {
    /// Returns the family in which a text is drawn that asks for this one: `Sans` if it asks for none, or has letters
    /// that the other families may lack.
    pub fn of(name: Option<&str>, text: &str) -> Self {
        match name {
            Some("DejaVu Sans Mono") if text.chars().all(is_common) => Self::Mono,
            Some("DejaVu Serif") if text.chars().all(is_common) => Self::Serif,
            _ => Self::Sans,
        }
    }

    /// Returns the largest width of a letter, approximately, in hundredths of a line's height. A mark on the letter
    /// before it, or one of direction, has none.
    fn width(self, letter: char) -> usize {
        if letter >= '\u{300}' && letter.width() == Some(0) {
            return 0;
        }
        let [wide, narrow, upper, other] = match self {
            Self::Sans => [100, 41, 79, 64],
            Self::Mono => [61; 4],
            Self::Serif => [103, 48, 88, 67],
        };
        match letter {
            '\u{1100}'.. => wide.max(100),
            'W' | 'M' | 'm' | 'w' | '@' | '%' => wide,
            'i' | 'j' | 'l' | 'I' | 't' | 'f' | 'r' | ' ' | '.' | ',' | ':' | ';' | '\'' | '!' | '|' | '(' | ')' => {
                narrow
            }
            _ if letter.is_uppercase() => upper,
            _ => other,
        }
    }

    /// Returns a word in parts that each fit on a line, with their widths. A letter that is too wide is a part by
    /// itself.
    fn fitting(self, word: &str, room: usize) -> Vec<(String, usize)> {
        let mut parts = vec![(String::new(), 0)];
        for letter in word.chars().filter(|letter| !letter.is_control()) {
            let width = self.width(letter);
            match parts.last_mut() {
                Some((part, wide)) if part.is_empty() || *wide + width <= room => {
                    part.push(letter);
                    *wide += width;
                }
                _ => parts.push((letter.into(), width)),
            }
        }
        parts
    }
}

/// Whether all families have the letter: those of today's Latin, Greek and Cyrillic, spaces and common punctuation.
fn is_common(letter: char) -> bool {
    letter.is_whitespace()
        || matches!(
            letter,
            ' '..='\u{17f}' | '\u{386}'..='\u{3ce}' | '\u{400}'..='\u{45f}' | '\u{2010}'..='\u{2023}' | '…' | '€'
        )
}

/// Returns the lines of a text, at most `room` hundredths of their height wide if possible, broken between words where
/// that is possible. Takes as long as the text is: letters without a width make a line of any length.
pub fn broken(text: &str, family: Family, room: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    for paragraph in text.lines().map(with_older_marks) {
        let is_rtl = reads_from_right(&paragraph);
        let (mut line, mut wide) = (String::new(), 0);
        for (part, width) in paragraph.split_whitespace().flat_map(|word| family.fitting(word, room)) {
            let space = family.width(' ');
            if !line.is_empty() && wide + space + width > room {
                lines.push(Line { text: std::mem::take(&mut line), is_rtl });
                wide = 0;
            } else if !line.is_empty() {
                line.push(' ');
                wide += space;
            }
            line.push_str(&part);
            wide += width;
        }
        lines.push(Line { text: line, is_rtl });
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lines_are_broken_between_words_and_long_words_where_they_must() {
        let broken = |text, room| -> Vec<String> {
            broken(text, Family::Sans, room).into_iter().map(|line| line.text).collect()
        };
        assert_eq!(broken("the river is wide", 500), ["the river", "is wide"]);
        assert_eq!(broken("abcdeghopq\nk", 260), ["abcd", "egho", "pq", "k"]);
        assert_eq!(broken("WWWW aa", 300), ["WWW", "W aa"]);
        assert_eq!(broken("ab", 1), ["a", "b"]);
        assert_eq!(broken("", 4), Vec::<String>::new());
    }

    #[test]
    fn each_line_is_read_from_where_its_paragraph_begins() {
        let sides = |text| broken(text, Family::Sans, 500).iter().map(|line| line.is_rtl).collect::<Vec<_>>();
        // Later lines of a paragraph may begin with letters of the other direction.
        assert_eq!(sides("הנהר הגדול iPhone 15"), [true; 4]);
        assert_eq!(sides("the נהר\nنهر the\n12 – !"), [false, true, false]);
        assert_eq!(sides("\u{200f}NATO\n\u{2067}12\n\u{200e}נהר\n\u{2066}נהר"), [true, true, false, false]);
        let line = |text| broken(text, Family::Sans, 4_000).remove(0).marked();
        assert_eq!(line("נהר!"), "\u{202b}נהר!\u{202c}");
        assert_eq!(line("river!"), "river!");
        assert_eq!(line("נהר (abc)"), "\u{202b}נהר (abc)\u{202c}");
        assert_eq!(line("נהר a (b)"), "\u{202e}נהר \u{202d}a (b)\u{202c}\u{202c}");
    }

    #[test]
    fn marks_of_direction_that_the_font_lacks_become_those_that_it_has_and_take_no_room() {
        let line = |text| broken(text, Family::Sans, 4_000).remove(0).text;
        let isolated = "a \u{2067}b\u{2069} \u{2068}נהר\u{2069} \u{2068}c\u{2069} \u{2066}d\u{2069}\u{61c}";
        let embedded = "a \u{202b}b\u{202c} \u{202b}נהר\u{202c} \u{202a}c\u{202c} \u{202a}d\u{202c}\u{200f}";
        assert_eq!(line(isolated), embedded);
        let vowels = "a\u{5b8}\u{64e}\u{301}\u{202b}\u{200d}".repeat(6);
        assert_eq!(broken(&vowels, Family::Sans, 400).len(), 1);
    }

    #[test]
    fn a_family_of_wider_letters_has_fewer_of_them_on_a_line() {
        let lines = |family, text| broken(text, Family::of(family, text), 500).len();
        let text = "ill ill ill ill ill ill";
        let families = [None, Some("DejaVu Serif"), Some("DejaVu Sans Mono")];
        assert_eq!(families.map(|family| lines(family, text)), [2, 3, 3]);
        assert_eq!(Family::of(Some("DejaVu Serif"), "Größe, река, ποτάμι…"), Family::Serif);
        assert_eq!(Family::of(Some("DejaVu Serif"), "نهر"), Family::Sans, "letters that it lacks are drawn");
    }

    #[test]
    fn however_many_letters_without_a_width_a_text_has_it_takes_as_long_as_it_is() {
        let began = std::time::Instant::now();
        for text in ["\u{300}".repeat(300_000), "\u{2068}".repeat(300_000), "\u{202a} ".repeat(150_000)] {
            let lines = broken(&text, Family::Sans, 4_000);
            let letters = |text: &str| text.chars().filter(|letter| *letter != ' ').count();
            assert_eq!(lines.iter().map(|line| letters(&line.text)).sum::<usize>(), letters(&text));
        }
        let took = began.elapsed();
        assert!(
            took < std::time::Duration::from_secs(20),
            "each letter is looked at once, not once a letter: {took:?}"
        );
    }

    /// The letters of a text that can be seen.
    fn seen(text: &str) -> String {
        let is_mark = |letter: char| matches!(letter, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}');
        let letters = text.chars().filter(|letter| !letter.is_whitespace() && !letter.is_control());
        letters.filter(|letter| !is_mark(*letter) && !is_newer_mark(*letter)).collect()
    }

    proptest! {
        #[test]
        fn whatever_is_written_its_lines_have_its_letters_in_their_order(
            text in "[ -~\n\u{590}-\u{6ff}\u{200b}-\u{2069}äя河🎵]{0,80}", room in 1_usize..2_000
        ) {
            let drawn: Vec<String> = broken(&text, Family::Sans, room).iter().map(Line::marked).collect();
            prop_assert_eq!(seen(&drawn.concat()), seen(&text));
        }
    }
}
