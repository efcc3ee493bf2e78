//! How URLs of customers are shown to operators: without what may be secret.

use url::Url;

/// Returns a URL without the parts that may be secret: its query, its fragment, and its user and password.
pub fn shown_url(url: &str) -> String {
    let Ok(mut parsed) = Url::parse(url) else { return "not a URL".to_owned() };
    let has_query = parsed.query().is_some();
    parsed.set_query(None);
    parsed.set_fragment(None);
    if parsed.set_username("").is_err() || parsed.set_password(None).is_err() {
        return "not shown".to_owned();
    }
    if has_query { format!("{parsed}?…") } else { parsed.to_string() }
}

/// Returns the URL of an endpoint as an operator may see it: without the parts that may be secret, and for one who sees
/// no payloads without its path too, since that is a secret where chat services take messages.
pub fn endpoint_url(url: &str, sees_payloads: bool) -> String {
    if sees_payloads { shown_url(url) } else { host_of(url) }
}

/// Returns the scheme, the host and the port of a URL.
fn host_of(url: &str) -> String {
    match Url::parse(url) {
        Ok(parsed) => format!("{}/…", parsed.origin().ascii_serialization()),
        Err(_) => "not a URL".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_secret_in_a_url_is_not_shown() {
        let whole = "https://a:b@example.com:8443/hook/secret?key=s#t";
        assert_eq!(endpoint_url(whole, true), "https://example.com:8443/hook/secret?…");
        assert_eq!(endpoint_url(whole, false), "https://example.com:8443/…");
        assert_eq!(shown_url("http://127.0.0.1:9/a"), "http://127.0.0.1:9/a");
        assert_eq!((shown_url("x"), host_of("x")), ("not a URL".to_owned(), "not a URL".to_owned()));
    }
}
