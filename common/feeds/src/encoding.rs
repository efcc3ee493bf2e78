//! The encoding of what was fetched: by the mark at its beginning, else by the header, else by what it says itself,
//! else UTF-8. That is the order of WHATWG for pages and of RFC 7303 for XML. JSON is UTF-8, whatever the header says
//! (RFC 8259).

use crate::{html, is_feed};
use encoding_rs::{Encoding, UTF_8};
use std::borrow::Cow;

/// Bytes of a page in which it may say its encoding.
const BYTES_OF_META: usize = 1_024;
/// Bytes by which a feed is told from a page before they are decoded.
const BYTES_OF_BEGINNING: usize = 4_096;

/// Returns the bytes as text, without the mark of their encoding. None for a feed that is in none of the encodings that
/// are named for it: in a page such bytes are replaced, and XML with them is broken.
pub(crate) fn decoded<'a>(bytes: &'a [u8], content_type: Option<&str>) -> Option<Cow<'a, str>> {
    let beginning = String::from_utf8_lossy(&bytes[..bytes.len().min(BYTES_OF_BEGINNING)]);
    let start = beginning.trim_start_matches('\u{feff}').trim_start();
    let header = content_type.and_then(|kind| named(kind, "charset"));
    if !is_feed(start) {
        let encoding = header.or_else(|| of_page(bytes)).or_else(|| of_xml(start)).unwrap_or(UTF_8);
        return Some(encoding.decode(bytes).0);
    }
    let said = if start.starts_with('{') { [None; 2] } else { [header, of_xml(start)] };
    // Many servers add a header of their own: where the bytes are not what it says, the feed itself is believed.
    let mut texts = said.into_iter().flatten().chain([UTF_8]).map(|encoding| encoding.decode(bytes));
    texts.find(|(_, _, is_malformed)| !is_malformed).map(|(text, ..)| text)
}

/// Returns a feed without the declaration of XML, which names an encoding that its text does not have any more.
pub(crate) fn without_declaration(feed: &str) -> &str {
    declaration(feed).map_or(feed, |(_, rest)| rest)
}

fn declaration(xml: &str) -> Option<(&str, &str)> {
    xml.strip_prefix("<?xml")?.split_once("?>")
}

/// Returns the encoding that the declaration of XML names.
fn of_xml(start: &str) -> Option<&'static Encoding> {
    named(declaration(start)?.0, "encoding").map(Encoding::output_encoding)
}

/// Returns the encoding that a page names in its first `<meta>` with one. What can be read so far is no UTF-16: a page
/// that says so is UTF-8.
fn of_page(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = html::head(&String::from_utf8_lossy(&bytes[..bytes.len().min(BYTES_OF_META)]));
    let known = |said: &String| Encoding::for_label(said.as_bytes()).or_else(|| named(said, "charset"));
    head.encodings.iter().find_map(known).map(Encoding::output_encoding)
}

/// Returns the encoding that stands behind `name=`, in quotes or without.
fn named(text: &str, name: &str) -> Option<&'static Encoding> {
    let text = text.to_ascii_lowercase();
    let values = text.split(name).skip(1).filter_map(|after| after.trim_start().strip_prefix('='));
    let mut labels = values.map(|value| value.trim_start().trim_start_matches(['"', '\'']));
    labels.find_map(|label| Encoding::for_label(label.split(['"', '\'', ';', ' ']).next()?.as_bytes()))
}

#[cfg(test)]
mod tests {
    use crate::{FeedError, FoundPosts, found};
    use encoding_rs::{ISO_2022_JP, SHIFT_JIS, WINDOWS_1251, WINDOWS_1252};
    use url::Url;

    /// Returns the title of a page, or of a feed's first post.
    fn title(bytes: &[u8], kind: &str) -> Result<String, FeedError> {
        let url = Url::parse("https://a.example/feed").expect("a URL");
        let post = match found(bytes, Some(kind), &url, 9)? {
            FoundPosts::Feed(posts) => posts.into_iter().next().expect("a post"),
            FoundPosts::Page(post, _) => *post,
        };
        Ok(post.title.expect("a title"))
    }

    fn page(meta: &str, title: &str) -> String {
        format!("<!doctype html><html><head>{meta}<title>{title}</title></head></html>")
    }

    fn feed(declared: &str, title: &str) -> String {
        let item = format!("<item><link>https://a.example/1</link><title>{title}</title></item>");
        format!("<?xml version=\"1.0\"{declared}?><rss version=\"2.0\"><channel><title>x</title>{item}</channel></rss>")
    }

    #[test]
    fn a_page_is_read_in_the_encoding_of_its_mark_its_header_or_its_meta() {
        let russian = WINDOWS_1251.encode(&page("", "Река")).0.into_owned();
        for kind in ["text/html; charset=windows-1251", "text/html;a=b;Charset = \"CP1251\""] {
            assert_eq!(title(&russian, kind).as_deref(), Ok("Река"), "{kind}");
        }
        for meta in [
            "<meta charset=\"shift_jis\">",
            "<!-- <meta charset=koi8-r> --><meta charset=klingon><meta charset=Shift_JIS>",
            "<meta http-equiv=\"Content-Type\" content=\"text/html; charset=shift_jis\">",
        ] {
            let written = page(meta, "日本の川");
            assert_eq!(title(&SHIFT_JIS.encode(&written).0, "text/html").as_deref(), Ok("日本の川"), "{meta}");
            // The header counts before it, and the mark before the header.
            assert_eq!(title(written.as_bytes(), "text/html; charset=utf-8").as_deref(), Ok("日本の川"), "{meta}");
            let marked = format!("\u{feff}{written}");
            assert_eq!(title(marked.as_bytes(), "text/html; charset=koi8-r").as_deref(), Ok("日本の川"), "{meta}");
        }
        let late = format!("{}<meta charset=koi8-r>", "<!-- x -->".repeat(103));
        for said in ["<meta charset=utf-16>", "<meta charset=klingon>", "", late.as_str()] {
            assert_eq!(title(page(said, "Río").as_bytes(), "text/html").as_deref(), Ok("Río"), "{said}");
        }
        let xhtml = format!("<?xml version='1.0' encoding='iso-8859-1'?>{}", page("", "Río"));
        assert_eq!(title(&WINDOWS_1252.encode(&xhtml).0, "application/xhtml+xml").as_deref(), Ok("Río"));
        let unknown = WINDOWS_1252.encode(&page("", "Río")).0.into_owned();
        assert_eq!(title(&unknown, "text/html").as_deref(), Ok("R\u{fffd}o"));
    }

    #[test]
    fn a_feed_is_read_in_the_encoding_of_its_mark_its_header_or_its_declaration() {
        let latin = |declared: &str| WINDOWS_1252.encode(&feed(declared, "Río")).0.into_owned();
        let utf8 = |declared: &str| feed(declared, "Río").into_bytes();
        let says = |name: &str| format!(" encoding=\"{name}\"");
        for (bytes, kind) in [
            (latin(""), "application/rss+xml; charset=ISO-8859-1"),
            (latin(&says("ISO-8859-1")), "application/rss+xml"),
            (latin(" encoding = 'latin1' standalone='yes'"), "application/rss+xml"),
            ([b"\n ".to_vec(), latin(&says("ISO-8859-1"))].concat(), "application/rss+xml"),
            (latin(&says("koi8-r")), "text/xml; charset=iso-8859-1"),
            // A server that adds what is not so.
            (latin(&says("ISO-8859-1")), "text/xml; charset=utf-8"),
            // Feeds that were converted, and keep their declaration.
            (utf8(&says("koi8-r")), "text/xml; charset=utf-8"),
            (utf8(&says("utf-16")), "text/xml"),
            (utf8(&says("klingon")), "text/xml; charset=klingon"),
            (["\u{feff}".as_bytes().to_vec(), utf8("")].concat(), "text/xml; charset=koi8-r"),
        ] {
            assert_eq!(title(&bytes, kind).as_deref(), Ok("Río"), "{kind}: {}", String::from_utf8_lossy(&bytes));
        }
        let japanese = ISO_2022_JP.encode(&feed("", "日本の川")).0.into_owned();
        assert_eq!(title(&japanese, "text/xml; charset=iso-2022-jp").as_deref(), Ok("日本の川"));
        for declared in [String::new(), says("utf-8")] {
            assert_eq!(
                title(&latin(&declared), "text/xml"),
                Err(FeedError::Broken),
                "`{declared}` of what is no UTF-8"
            );
        }
        let items = [serde_json::json!({ "id": "1", "url": "/1", "title": "Río" })];
        let version = "https://jsonfeed.org/version/1.1";
        let json = serde_json::json!({ "version": version, "title": "a", "items": items }).to_string();
        assert_eq!(title(json.as_bytes(), "application/feed+json; charset=iso-8859-1").as_deref(), Ok("Río"));
    }
}
