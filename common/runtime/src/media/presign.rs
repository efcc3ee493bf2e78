//! Presigned URLs with a fixed length of the body: nobody can put more bytes with it than the account has reserved.
//!
//! The S3 client signs every header but `Content-Length`, so its URL is signed once more, with that header (AWS
//! Signature Version 4, in the query).

use mws_signature::digest;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use url::{Position, Url};

/// Characters that are escaped in a signed query: all but the unreserved ones.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');
const SIGNATURE: &str = "X-Amz-Signature";
const SIGNED_HEADERS: &str = "X-Amz-SignedHeaders";

/// Returns the URL signed again for a PUT with these headers (names in lower case) and `host`. None when it was not
/// signed with this key.
pub(super) fn signed_again(url: &Url, key_id: &str, secret: &str, headers: &[(&str, &str)]) -> Option<Url> {
    let mut query: BTreeMap<String, String> = url.query_pairs().into_owned().collect();
    query.remove(SIGNATURE);
    let host = &url[Position::BeforeHost..Position::AfterPort];
    let mut headers: BTreeMap<&str, &str> = headers.iter().copied().collect();
    headers.insert("host", host);
    let names = headers.keys().copied().collect::<Vec<_>>().join(";");
    query.insert(SIGNED_HEADERS.to_owned(), names.clone());
    let escape = |text: &str| utf8_percent_encode(text, ESCAPED).to_string();
    let pairs: Vec<String> = query.iter().map(|(name, value)| format!("{}={}", escape(name), escape(value))).collect();
    let lines: String = headers.iter().map(|(name, value)| [name, ":", value, "\n"].concat()).collect();
    let asked = format!("PUT\n{}\n{}\n{lines}\n{names}\nUNSIGNED-PAYLOAD", url.path(), pairs.join("&"));
    let scope = query.get("X-Amz-Credential")?.strip_prefix(key_id)?.strip_prefix('/')?;
    let text = format!(
        "AWS4-HMAC-SHA256\n{}\n{scope}\n{}",
        query.get("X-Amz-Date")?,
        hex::encode(Sha256::digest(asked.as_bytes())),
    );
    let key = scope
        .split('/')
        .fold(format!("AWS4{secret}").into_bytes(), |key, part| digest(&key, &[part.as_bytes()]).to_vec());
    let signature = hex::encode(digest(&key, &[text.as_bytes()]));
    let mut url = url.clone();
    url.set_query(Some(&format!("{}&{SIGNATURE}={signature}", pairs.join("&"))));
    Some(url)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::media::open::Connector;
    use http::Method;
    use http::header::CONTENT_TYPE;
    use object_store::aws::AmazonS3Builder;
    use object_store::path::Path as Key;
    use object_store::signer::{SignedUrlOptions, Signer};
    use std::time::Duration;

    #[tokio::test]
    async fn with_the_same_headers_it_is_the_signature_of_the_s3_client() {
        let bucket = AmazonS3Builder::new()
            .with_http_connector(Connector)
            .with_bucket_name("films")
            .with_region("eu-central-1")
            .with_access_key_id("an/id")
            .with_secret_access_key("a secret")
            .with_token("a token/+=")
            .build()
            .unwrap();
        let options = SignedUrlOptions::new().with_signed_header(CONTENT_TYPE, "video/mp4".parse().unwrap());
        let key = Key::from("items/a b/ä");
        let url = bucket.signed_url_opts(Method::PUT, &key, Duration::from_mins(1), &options).await.unwrap();
        let headers = [("content-type", "video/mp4")];
        let again = signed_again(&url, "an/id", "a secret", &headers).unwrap();
        let signature = |url: &Url| url.query_pairs().find(|(name, _)| name == SIGNATURE).unwrap().1.into_owned();
        assert_eq!(signature(&again), signature(&url));
        let longer = signed_again(&url, "an/id", "a secret", &[("content-length", "7"), headers[0]]).unwrap();
        assert_ne!(signature(&longer), signature(&url));
        assert!(longer.as_str().contains("X-Amz-SignedHeaders=content-length%3Bcontent-type%3Bhost"), "{longer}");
        assert_eq!(signed_again(&url, "another", "a secret", &headers), None);
    }
}
