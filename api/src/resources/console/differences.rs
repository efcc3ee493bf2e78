//! In which lines a receiver's answer differs from the one before. Pure.

use maud::{Markup, html};
use store::deliveries::SentRow;

/// The most lines of each text that are compared. The time that it takes grows with its square.
const MOST_LINES: usize = 200;
/// The lines that are shown before and after one that differs.
const AROUND: usize = 2;

/// A line of one of two texts, or of both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line<'a> {
    Both(&'a str),
    Before(&'a str),
    Now(&'a str),
}

/// Shows the lines in which the answers to two attempts differ. `None` if they don't, or if one of them has no text.
pub(super) fn answers(before: &SentRow, now: &SentRow) -> Option<Markup> {
    let (before, now) = (answer(before)?, answer(now)?);
    (before != now).then(|| differences(before, now))
}

fn answer(sent: &SentRow) -> Option<&str> {
    sent.attempt.response_excerpt.as_deref().filter(|text| !text.is_empty())
}

fn differences(before: &str, now: &str) -> Markup {
    let (before, now) = (lines(before), lines(now));
    let is_cut = before.len().max(now.len()) > MOST_LINES;
    let compared = compared(first(&before), first(&now));
    let is_near = |at: usize| {
        let near = &compared[at.saturating_sub(AROUND)..compared.len().min(at + AROUND + 1)];
        near.iter().any(|line| !matches!(line, Line::Both(_)))
    };
    html! {
        h3 { "How the answer changed" }
        pre.changed { code {
            @for (at, line) in compared.iter().enumerate() {
                @match line {
                    Line::Before(text) => { del { "− " (text) "\n" } }
                    Line::Now(text) => { ins { "+ " (text) "\n" } }
                    Line::Both(text) if is_near(at) => { "  " (text) "\n" }
                    Line::Both(_) if at == 0 || is_near(at - 1) => { "  …\n" }
                    Line::Both(_) => {}
                }
            }
        } }
        p.soft {
            "Lines with − stood in the answer before, lines with + stand in this one."
            @if is_cut { " Of each, the first " (MOST_LINES) " lines are compared." }
        }
    }
}

fn first<'a, 'b>(lines: &'b [&'a str]) -> &'b [&'a str] {
    &lines[..lines.len().min(MOST_LINES)]
}

/// Returns the lines of a text. JSON that stands on one line is split at its commas and brackets, so that each field is
/// a line: nothing is added to it and nothing left out.
fn lines(text: &str) -> Vec<&str> {
    if text.contains('\n') || !text.starts_with(['{', '[']) {
        return text.split('\n').collect();
    }
    let (mut found, mut from) = (Vec::new(), 0);
    let (mut is_quoted, mut is_escaped) = (false, false);
    for (at, byte) in text.bytes().enumerate() {
        let ends = match byte {
            _ if is_escaped => None,
            b'"' => {
                is_quoted = !is_quoted;
                None
            }
            b'{' | b'[' | b',' if !is_quoted => Some(at + 1),
            b'}' | b']' if !is_quoted => Some(at),
            _ => None,
        };
        is_escaped = byte == b'\\' && !is_escaped;
        if let Some(end) = ends.filter(|end| *end > from) {
            found.push(&text[from..end]);
            from = end;
        }
    }
    found.push(&text[from..]);
    found
}

/// Returns the lines of both texts in their order, with the longest sequence of lines that stand in both.
fn compared<'a>(before: &[&'a str], now: &[&'a str]) -> Vec<Line<'a>> {
    // How many lines the rests behind each pair of places have in common.
    let width = now.len() + 1;
    let mut common = vec![0_u16; (before.len() + 1) * width];
    for (i, old) in before.iter().enumerate().rev() {
        for (j, new) in now.iter().enumerate().rev() {
            let (down, right) = ((i + 1) * width + j, i * width + j + 1);
            common[i * width + j] = if old == new { common[down + 1] + 1 } else { common[down].max(common[right]) };
        }
    }
    let (mut i, mut j, mut found) = (0, 0, Vec::new());
    loop {
        let line = match (before.get(i).copied(), now.get(j).copied()) {
            (None, None) => return found,
            (Some(old), Some(new)) if old == new => Line::Both(new),
            (Some(old), None) => Line::Before(old),
            (Some(old), Some(_)) if common[(i + 1) * width + j] >= common[i * width + j + 1] => Line::Before(old),
            (_, Some(new)) => Line::Now(new),
        };
        i += usize::from(!matches!(line, Line::Now(_)));
        j += usize::from(!matches!(line, Line::Before(_)));
        found.push(line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Line::{Before, Both, Now};

    #[test]
    fn lines_that_stand_in_both_are_found_and_the_others_stand_between_them() {
        let found = compared(&["a", "b", "c", "d"], &["a", "x", "c", "d", "e"]);
        assert_eq!(found, [Both("a"), Before("b"), Now("x"), Both("c"), Both("d"), Now("e")]);
        assert_eq!(compared(&["a", "b"], &["b", "a"]), [Before("a"), Both("b"), Now("a")]);
        assert_eq!(compared(&[], &["a"]), [Now("a")]);
        assert_eq!(compared(&["a"], &[]), [Before("a")]);
    }

    #[test]
    fn json_on_one_line_has_a_line_for_each_field_and_loses_nothing() {
        let text = r#"{"error":"a, \"b\" {c}","at":[1,2],"n":12345678901234567890}"#;
        let split = lines(text);
        let fields =
            ["{", r#""error":"a, \"b\" {c}","#, r#""at":["#, "1,", "2", "],", r#""n":12345678901234567890"#, "}"];
        assert_eq!(split, fields);
        assert_eq!(split.concat(), text);
        for other in ["no, {json}", "{\n\"a\":1,\"b\":2}\n"] {
            assert_eq!(lines(other).join("\n"), other);
            assert_eq!(lines(other).len(), other.matches('\n').count() + 1);
        }
        assert_eq!(lines("[\"ü\\\\\",\"…\"]"), ["[", "\"ü\\\\\",", "\"…\"", "]"]);
    }

    #[test]
    fn what_differs_is_shown_escaped_with_the_lines_around_it_and_within_bounds() {
        let shown = differences("1\n2\n3\n<b>old</b>\n5\n6\n7\n8", "1\n2\n3\n<i>new</i>\n5\n6\n7\n8").0;
        let lines =
            "  …\n  2\n  3\n<del>− &lt;b&gt;old&lt;/b&gt;\n</del><ins>+ &lt;i&gt;new&lt;/i&gt;\n</ins>  5\n  6\n  …\n";
        assert!(shown.contains(&format!("<code>{lines}</code>")), "{shown}");
        let many = |word: &str| vec![word; 1_000].join("\n");
        let cut = differences(&many("old"), &many("new")).0;
        assert_eq!((cut.matches("<del>").count(), cut.matches("<ins>").count()), (200, 200));
        assert!(cut.contains("the first 200 lines") && !shown.contains("the first 200 lines"));
    }
}
