//! The headers of a receiver's answer, as the log keeps them: few, short, and without what may be a secret of the
//! receiver's.
//!
//! They are kept as a line of text for each, as they came. An answer is a stranger's: it may have hundreds of headers,
//! each of them long, and none may make a row of the log large.

use std::collections::BTreeMap;

/// The most headers that are kept.
const MOST: usize = 32;
/// The most bytes of a value that are kept.
const MOST_OF_VALUE: usize = 256;
/// The most bytes of all lines together.
const MOST_BYTES: usize = 2_000;
/// Names that have one of these in them may have a secret for their value.
const SECRETS: [&str; 14] = [
    "cookie",
    "authorization",
    "x-auth",
    "token",
    "jwt",
    "csrf",
    "xsrf",
    "signature",
    "secret",
    "password",
    "session",
    "api-key",
    "apikey",
    "credential",
];
/// Headers with addresses, whose query strings may have secrets in them.
const ADDRESSES: [&str; 4] = ["location", "content-location", "link", "refresh"];
/// What is kept in place of such a value.
const NOT_KEPT: &str = "(not kept)";

/// Returns what the log keeps of these headers, whose names are in lower case: the first of them, as many as there is
/// room for. None if nothing is kept.
pub fn kept<'a>(headers: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Option<String> {
    let mut kept = String::new();
    for (name, value) in headers.into_iter().take(MOST) {
        // One that is too long leaves room for those that follow.
        if kept.len() + name.len() <= MOST_BYTES {
            let line = format!("{name}: {}\n", shown(name, value));
            if kept.len() + line.len() <= MOST_BYTES {
                kept.push_str(&line);
            }
        }
    }
    kept.pop().map(|_| kept)
}

/// Returns a value as it is kept. Bytes that are not UTF-8 become U+FFFD, and what is cut ends with an ellipsis. Of an
/// address nothing is kept from its query string on.
fn shown(name: &str, value: &[u8]) -> String {
    if SECRETS.iter().any(|secret| name.contains(secret)) {
        return NOT_KEPT.to_owned();
    }
    let query = value.iter().position(|byte| *byte == b'?').filter(|_| ADDRESSES.contains(&name));
    if let Some(place) = query.filter(|place| *place < MOST_OF_VALUE) {
        return format!("{}?{NOT_KEPT}", String::from_utf8_lossy(&value[..place]));
    }
    let start = String::from_utf8_lossy(&value[..value.len().min(MOST_OF_VALUE)]);
    if value.len() > MOST_OF_VALUE { format!("{start}…") } else { start.into_owned() }
}

/// Returns the headers by their names. As HTTP has it, those of one name are one, with their values behind each other.
pub fn by_name(kept: &str) -> BTreeMap<String, String> {
    let mut all: BTreeMap<String, String> = BTreeMap::new();
    for (name, value) in kept.split('\n').filter_map(|line| line.split_once(": ")) {
        all.entry(name.to_owned())
            .and_modify(|values| values.extend([", ", value]))
            .or_insert_with(|| value.to_owned());
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(headers: &[(&str, &str)]) -> Option<String> {
        kept(headers.iter().map(|(name, value)| (*name, value.as_bytes())))
    }

    #[test]
    fn what_is_kept_is_shown_by_name_and_repeats_are_one() {
        let kept = of(&[("x-request-id", "r: 1"), ("via", "a"), ("empty", ""), ("via", "b")]).expect("some");
        assert_eq!(kept, "x-request-id: r: 1\nvia: a\nempty: \nvia: b");
        let shown: Vec<(String, String)> = by_name(&kept).into_iter().collect();
        let expected = [("empty", ""), ("via", "a, b"), ("x-request-id", "r: 1")];
        assert_eq!(shown, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn what_may_be_a_secret_is_kept_by_its_name_alone() {
        for name in ["set-cookie", "x-csrf-token", "proxy-authorization", "x-session-id", "x-api-key", "x-auth"] {
            assert_eq!(of(&[(name, "s3cret")]).as_deref(), Some(&*format!("{name}: (not kept)")));
        }
        // It says why a receiver refuses, and is told to whoever asks.
        let asked = "www-authenticate: Bearer error=\"expired\"";
        assert_eq!(of(&[("www-authenticate", "Bearer error=\"expired\"")]).as_deref(), Some(asked));
    }

    #[test]
    fn of_an_address_the_query_string_is_not_kept() {
        let asked = of(&[("location", "https://a.example/in?token=s3cret&sig=x"), ("link", "</next>"), ("x", "a?b")]);
        assert_eq!(asked.as_deref(), Some("location: https://a.example/in?(not kept)\nlink: </next>\nx: a?b"));
    }

    #[test]
    fn no_answer_makes_a_row_large() {
        let many: Vec<(String, String)> = (0..100).map(|at| (format!("x-{at}"), "v".to_owned())).collect();
        let many: Vec<(&str, &str)> = many.iter().map(|(name, value)| (&**name, &**value)).collect();
        assert_eq!(of(&many).map(|kept| kept.split('\n').count()), Some(MOST));
        let cut = of(&[("x", &"v".repeat(1 << 20))]).expect("some");
        assert_eq!(cut, format!("x: {}…", "v".repeat(MOST_OF_VALUE)));
        let large = "v".repeat(MOST_OF_VALUE);
        let full = of(&[("a", &*large); MOST]).expect("some");
        assert!(full.len() <= MOST_BYTES && full.len() > MOST_BYTES - MOST_OF_VALUE - 4, "{}", full.len());
        let name = "n".repeat(1 << 20);
        assert_eq!(of(&[(&*name, "v"), ("x", "v")]).as_deref(), Some("x: v"), "a long one leaves room for others");
        let odd = kept([("x", &[0xff_u8; 1_000][..]), ("y", &b"\xffv"[..])]).expect("some");
        assert!(odd.len() <= MOST_BYTES && odd.ends_with("y: \u{fffd}v"), "{odd}");
    }
}
