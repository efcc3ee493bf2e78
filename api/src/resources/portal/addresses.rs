//! Addresses that people write into forms, and what of them no page shows again.

use url::Url;

/// Returns an address without its user name and its password. Of a text that is no whole address, all that stands
/// before its last `@` is left out: any of that may be a password.
pub(super) fn without_user(address: &str) -> String {
    let rest = || address.rsplit('@').next().unwrap_or_default().to_owned();
    if !address.contains('@') {
        return address.to_owned();
    }
    match Url::parse(address) {
        Err(_) => rest(),
        Ok(url) if url.cannot_be_a_base() => rest(),
        Ok(url) if url.username().is_empty() && url.password().is_none() => address.to_owned(),
        Ok(mut url) => match (url.set_username(""), url.set_password(None)) {
            (Ok(()), Ok(())) => url.to_string(),
            _ => rest(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_name_and_a_password_are_in_no_address_that_is_shown() {
        for (written, shown) in [
            ("https://ann:s3cret@example.com/hook?a=1", "https://example.com/hook?a=1"),
            ("https://ann@example.com/hook", "https://example.com/hook"),
            ("HTTPS:ann:s3cret@example.com/hook", "https://example.com/hook"),
            ("https://:s3cret@example.com/", "https://example.com/"),
            ("https://ann:s3/cret@example.com/hook", "example.com/hook"),
            ("https://ann:s3cret@exa mple.com/hook", "exa mple.com/hook"),
            ("ann:s3cret@example.com", "example.com"),
            ("ann@s3@example.com", "example.com"),
        ] {
            assert_eq!(without_user(written), shown, "{written}");
        }
        for kept in ["https://example.com/@ann", "https://example.com/hook?to=a@b", "http://x", "no address", ""] {
            assert_eq!(without_user(kept), kept);
        }
    }
}
