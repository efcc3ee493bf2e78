//! Addresses that people write into forms, and what of them no page shows again.

use url::Url;

/// How an `@` is written in addresses where it stands for itself. Whoever copies an address may have it instead of one.
const WRITTEN_OUT: &str = "%40";

/// Returns an address without its user name and its password. Of a text that is no whole address, all that stands
/// before its last `@` is left out, which may be written as `%40`: any of that may be a password.
pub(super) fn without_user(address: &str) -> String {
    let behind = |sign: &str| address.rfind(sign).map(|at| at + sign.len());
    let Some(host_at) = behind("@").max(behind(WRITTEN_OUT)) else { return address.to_owned() };
    let rest = || address.get(host_at..).unwrap_or_default().to_owned();
    match Url::parse(address) {
        Err(_) => rest(),
        Ok(url) if url.cannot_be_a_base() => rest(),
        Ok(url) if url.host_str().is_some_and(|host| host.contains(WRITTEN_OUT)) => rest(),
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
            ("https://ann:s3cret%40example.com/x", "example.com/x"),
            ("https://ann%40example.com/x", "example.com/x"),
            ("https://ann%3As3cret%40example.com/x", "example.com/x"),
            ("https://ann@s3cret%40example.com/x", "example.com/x"),
            ("ftps://s3cret%40example.com/x", "example.com/x"),
            ("ann:s3cret%40example.com", "example.com"),
        ] {
            assert_eq!(without_user(written), shown, "{written}");
        }
        for kept in [
            "https://example.com/@ann",
            "https://example.com/hook?to=a@b",
            "https://example.com/a%40b",
            "http://x",
            "no address",
            "",
        ] {
            assert_eq!(without_user(kept), kept);
        }
    }
}
