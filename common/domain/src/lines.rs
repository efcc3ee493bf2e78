//! The lines of a text in films: its font family, where lines are broken, and how many are drawn.

/// The most lines that are drawn; the rest is left out, and a warning says so.
pub const MOST_LINES: usize = 20;

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

    /// Returns the largest width of a letter, approximately, in hundredths of a line's height.
    fn width(self, letter: char) -> usize {
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

    fn width_of(self, text: &str) -> usize {
        text.chars().map(|letter| self.width(letter)).sum()
    }

    /// Returns a word in parts that each fit on a line; a letter that is too wide is a part by itself.
    fn fitting(self, word: &str, room: usize) -> Vec<String> {
        let mut parts = vec![String::new()];
        for letter in word.chars().filter(|letter| !letter.is_control()) {
            match parts.last_mut() {
                Some(part) if part.is_empty() || self.width_of(part) + self.width(letter) <= room => part.push(letter),
                _ => parts.push(letter.into()),
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
/// that is possible.
pub fn broken(text: &str, family: Family, room: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for paragraph in text.lines() {
        let mut line = String::new();
        for part in paragraph.split_whitespace().flat_map(|word| family.fitting(word, room)) {
            let wider = family.width(' ') + family.width_of(&part);
            if !line.is_empty() && family.width_of(&line) + wider > room {
                lines.push(std::mem::take(&mut line));
            } else if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(&part);
        }
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_between_words_and_long_words_where_they_must() {
        let broken = |text, room| broken(text, Family::Sans, room);
        assert_eq!(broken("the river is wide", 500), ["the river", "is wide"]);
        assert_eq!(broken("abcdeghopq\nk", 260), ["abcd", "egho", "pq", "k"]);
        assert_eq!(broken("WWWW aa", 300), ["WWW", "W aa"]);
        assert_eq!(broken("ab", 1), ["a", "b"]);
        assert_eq!(broken("", 4), Vec::<String>::new());
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
}
