//! Placeholders of texts: `{name}` stands for the value that a render is given under that name; `{{` and `}}` are
//! literal braces. Braces around anything but a name stay as they are.

/// The most letters of a placeholder's name.
const MOST_NAME_LETTERS: usize = 64;

/// A part of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part<'a> {
    /// Literal text.
    Plain(&'a str),
    /// The name of a placeholder.
    Placeholder(&'a str),
}

/// Returns the names of a text's placeholders, in order; a repeated name is repeated.
pub fn placeholders(text: &str) -> impl Iterator<Item = &str> {
    parts(text).filter_map(|part| match part {
        Part::Placeholder(name) => Some(name),
        Part::Plain(_) => None,
    })
}

/// Why a text can't be filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unfilled<'a> {
    /// This name, the first of its kind, has no value.
    NoValue(&'a str),
    /// The text would have more characters than it may.
    TooLong,
}

/// Returns the text with its placeholders replaced by their values, in at most `most` characters. What comes behind
/// the last one that fits is not put together: a value may be a mebibyte, and a text may name it hundreds of times.
///
/// # Errors
/// What is wrong first.
pub(super) fn filled<'a>(
    text: &'a str,
    most: usize,
    value: impl Fn(&str) -> Option<&'a str>,
) -> Result<String, Unfilled<'a>> {
    let (mut filled, mut left) = (String::new(), most);
    for part in parts(text) {
        let letters = match part {
            Part::Plain(letters) => letters,
            Part::Placeholder(name) => value(name).ok_or(Unfilled::NoValue(name))?,
        };
        left = left.checked_sub(letters.chars().count()).ok_or(Unfilled::TooLong)?;
        filled.push_str(letters);
    }
    Ok(filled)
}

/// Returns the parts of a text, in order.
fn parts(text: &str) -> impl Iterator<Item = Part<'_>> {
    let mut left = text;
    std::iter::from_fn(move || {
        if left.is_empty() {
            return None;
        }
        let (part, rest) = first(left);
        left = rest;
        Some(part)
    })
}

/// Returns the first part of a non-empty text, and the rest.
fn first(text: &str) -> (Part<'_>, &str) {
    let at = text.find(['{', '}']).unwrap_or(text.len());
    let (plain, rest) = text.split_at(at);
    if !plain.is_empty() {
        return (Part::Plain(plain), rest);
    }
    if rest.starts_with("{{") || rest.starts_with("}}") {
        return (Part::Plain(&rest[..1]), &rest[2..]);
    }
    match rest.strip_prefix('{').and_then(named) {
        Some((name, after)) => (Part::Placeholder(name), after),
        None => (Part::Plain(&rest[..1]), &rest[1..]),
    }
}

/// Returns the name before the next closing brace, and what follows the brace. Looks at no more letters than a name may
/// have: a text may have a thousand braces that nothing closes.
fn named(text: &str) -> Option<(&str, &str)> {
    let end = text.bytes().take(MOST_NAME_LETTERS + 1).position(|byte| byte == b'}')?;
    let (name, after) = text.split_at(end);
    is_name(name).then(|| (name, &after[1..]))
}

fn is_name(name: &str) -> bool {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    (1..=MOST_NAME_LETTERS).contains(&name.len()) && name.chars().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_brackets_are_filled_and_other_brackets_stand() {
        let value = |name: &str| match name {
            "who" => Some("Ada {who}"),
            "_2" => Some(""),
            _ => None,
        };
        for (text, wanted) in [
            ("Hi {who}!", Ok("Hi Ada {who}!")),
            ("{who}{who}", Ok("Ada {who}Ada {who}")),
            ("a{_2}b", Ok("ab")),
            ("{{who}} {{{who}}}", Ok("{who} {Ada {who}}")),
            ("{ who } {} { {wh", Ok("{ who } {} { {wh")),
            ("{größe} }", Ok("{größe} }")),
            ("{who} {nobody}", Err(Unfilled::NoValue("nobody"))),
            ("{who}{who}{who}", Err(Unfilled::TooLong)),
        ] {
            assert_eq!(filled(text, 22, value).as_deref().map_err(|why| *why), wanted, "{text}");
        }
        let longest = format!("{{{}}}", "n".repeat(MOST_NAME_LETTERS));
        assert_eq!(placeholders(&longest).count(), 1);
        assert_eq!(placeholders(&longest.replace('}', "n}")).count(), 0);
        assert_eq!(placeholders("{a} {{b}} {a} {c-1}").collect::<Vec<_>>(), ["a", "a", "c-1"]);
    }
}
