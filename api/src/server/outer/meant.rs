//! What a request is taken for, before anybody looks at it: its method and its path.

use crate::http::API_PATH;
use percent_encoding::percent_decode_str;
use poem::Request;
use poem::http::{Method, Uri};

/// Gives a request the method and the path that it means.
pub(super) fn read(request: &mut Request) {
    override_method(request);
    read_path(request);
}

/// Gives an upload's request the method that its header names: some clients can't send PATCH (tus 1.0.0).
fn override_method(request: &mut Request) {
    let path = request.uri().path().strip_prefix(API_PATH).unwrap_or_default();
    if request.method() != Method::POST || !path.starts_with("/uploads/") || !path.ends_with("/content") {
        return;
    }
    let named = request.header("x-http-method-override").and_then(|name| name.parse().ok());
    if let Some(method) = named.filter(|named| [Method::PATCH, Method::HEAD, Method::OPTIONS].contains(named)) {
        request.set_method(method);
    }
}

/// Takes the escapes of a path that is no UTF-8 for text. The router has no parameters of such a path, and answers 400
/// to everybody; an id of `%ff` names nothing, and its operation says so to whoever may ask.
fn read_path(request: &mut Request) {
    let uri = request.uri();
    if percent_decode_str(uri.path()).decode_utf8().is_ok() {
        return;
    }
    let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    let as_text = format!("{}{query}", uri.path().replace('%', "%25"));
    let mut parts = uri.clone().into_parts();
    // A path that gets too long stays as it is, and the router refuses it.
    let Ok(as_text) = as_text.parse() else { return };
    parts.path_and_query = Some(as_text);
    if let Ok(uri) = Uri::from_parts(parts) {
        *request.uri_mut() = uri;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_that_are_no_utf_8_are_text_and_the_query_stays() {
        for (sent, read_as) in [
            ("/a/%C3%A4?b=%ff", "/a/%C3%A4?b=%ff"),
            ("/a/%C3%A4/%ff?b=%ff", "/a/%25C3%25A4/%25ff?b=%ff"),
            ("http://host/%fe", "http://host/%25fe"),
        ] {
            let mut request = Request::builder().uri(Uri::from_static(sent)).finish();
            read(&mut request);
            assert_eq!(request.uri().to_string(), read_as);
        }
        let long = format!("/{}", "%ff".repeat(21_000));
        let mut request = Request::builder().uri(long.parse().expect("a path")).finish();
        read(&mut request);
        assert_eq!(request.uri().path(), long);
    }
}
