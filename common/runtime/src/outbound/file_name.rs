//! The name of a downloaded file: from its server, or from the end of its URL.

use http::header::{CONTENT_DISPOSITION, HeaderMap};
use percent_encoding::percent_decode_str;
use url::Url;

/// Characters that a download's name has at most.
const LONGEST_NAME: usize = 200;

/// Returns the name in `Content-Disposition`, in its plain form; RFC 5987's encoded form is ignored.
pub(super) fn named(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(CONTENT_DISPOSITION)?.to_str().ok()?;
    let name = value.split(';').find_map(|part| part.trim().strip_prefix("filename="))?;
    cleaned(name.trim_matches('"'))
}

/// Returns the last segment of a URL's path, if it can be a name.
pub(super) fn last_segment(url: &Url) -> Option<String> {
    let segment = url.path_segments()?.next_back()?;
    cleaned(&percent_decode_str(segment).decode_utf8_lossy())
}

/// Returns a name that is harmless wherever it is shown: the part after the last separator, without control characters.
/// None when nothing is left.
fn cleaned(name: &str) -> Option<String> {
    let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let name: String = name.chars().filter(|c| !c.is_control()).take(LONGEST_NAME).collect();
    let name = name.trim();
    (!name.is_empty() && name != "." && name != "..").then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_comes_from_the_header_or_the_path_and_never_leads_anywhere() {
        let header = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(CONTENT_DISPOSITION, value.parse().expect("a header value"));
            named(&headers)
        };
        assert_eq!(header("attachment; filename=\"a b.mp4\"").as_deref(), Some("a b.mp4"));
        assert_eq!(header("attachment; filename=\"../../etc/passwd\"").as_deref(), Some("passwd"));
        assert_eq!(header("attachment; filename=\"..\\..\\x.mp4\"").as_deref(), Some("x.mp4"));
        assert_eq!(header("attachment; filename=\"..\""), None);
        assert_eq!(header("inline"), None);
        let path = |url: &str| last_segment(&Url::parse(url).expect("a URL"));
        assert_eq!(path("https://a.example/x/clip%20%C3%A9.mp4?y=/z").as_deref(), Some("clip é.mp4"));
        assert_eq!(path("https://a.example/%2e%2e%2fetc%2fpasswd").as_deref(), Some("passwd"));
        assert_eq!(path("https://a.example/100%").as_deref(), Some("100%"));
        assert_eq!(path("https://a.example/a%00b%0a").as_deref(), Some("ab"));
        assert_eq!(path("https://a.example/"), None);
        let long = format!("https://a.example/{}", "a".repeat(1_000));
        assert_eq!(path(&long).map(|name| name.len()), Some(LONGEST_NAME));
    }
}
