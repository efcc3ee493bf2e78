//! The lines of a text in films: where they are broken, and how many there can be.

/// Lines that are drawn; what comes after them is left out, and told.
pub const MOST_LINES: usize = 20;

/// How wide a letter of the font is at the most, about, in hundredths of the height of a line.
fn width(letter: char) -> usize {
    match letter {
        'W' | 'M' | 'm' | 'w' | '@' | '%' | '\u{1100}'.. => 100,
        'i' | 'j' | 'l' | 'I' | 't' | 'f' | 'r' | ' ' | '.' | ',' | ':' | ';' | '\'' | '!' | '|' | '(' | ')' => 41,
        _ if letter.is_uppercase() => 79,
        _ => 64,
    }
}

fn width_of(text: &str) -> usize {
    text.chars().map(width).sum()
}

/// A text in lines that are no wider than so many hundredths of their height, broken between words where that is
/// possible.
pub fn broken(text: &str, room: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for paragraph in text.lines() {
        let mut line = String::new();
        for part in paragraph.split_whitespace().flat_map(|word| fitting(word, room)) {
            if !line.is_empty() && width_of(&line) + width(' ') + width_of(&part) > room {
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

/// A word, in parts that fit on a line each; a letter is never left out.
fn fitting(word: &str, room: usize) -> Vec<String> {
    let mut parts = vec![String::new()];
    for letter in word.chars().filter(|letter| !letter.is_control()) {
        match parts.last_mut() {
            Some(part) if part.is_empty() || width_of(part) + width(letter) <= room => part.push(letter),
            _ => parts.push(letter.into()),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_between_words_and_long_words_where_they_must() {
        assert_eq!(broken("the river is wide", 500), ["the river", "is wide"]);
        assert_eq!(broken("abcdeghopq\nk", 260), ["abcd", "egho", "pq", "k"]);
        assert_eq!(broken("WWWW aa", 300), ["WWW", "W aa"]);
        assert_eq!(broken("ab", 1), ["a", "b"]);
        assert_eq!(broken("", 4), Vec::<String>::new());
    }
}
