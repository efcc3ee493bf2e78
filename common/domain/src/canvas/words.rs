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

/// Returns the text with its placeholders replaced by their values.
///
/// # Errors
/// The first name that has no value.
pub(super) fn filled<'a>(text: &'a str, value: impl Fn(&str) -> Option<&'a str>) -> Result<String, &'a str> {
    let mut filled = String::new();
    for part in parts(text) {
        filled.push_str(match part {
            Part::Plain(letters) => letters,
            Part::Placeholder(name) => value(name).ok_or(name)?,
        });
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
    match rest.strip_prefix('{').and_then(|rest| rest.split_once('}')) {
        Some((name, after)) if is_name(name) => (Part::Placeholder(name), after),
        _ => (Part::Plain(&rest[..1]), &rest[1..]),
    }
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
            ("{who} {nobody}", Err("nobody")),
        ] {
            assert_eq!(filled(text, value).as_deref().map_err(|name| *name), wanted, "{text}");
        }
        assert_eq!(placeholders("{a} {{b}} {a} {c-1}").collect::<Vec<_>>(), ["a", "a", "c-1"]);
    }
}
