//! Aborts writes of several parts that were begun in a bucket and never ended, such as those of a killed process. Their
//! parts take up storage, and no list of objects shows them.
//!
//! The S3 client can abort such a write but can't list them, so the list is requested with a URL that the client signs.
//! A folder does not need this: its half-written files can be seen (`sweep`).

use super::open::Connector;
use super::{MediaError, MediaStore};
use chrono::{DateTime, Utc};
use object_store::ClientOptions;
use object_store::aws::AmazonS3;
use object_store::client::{HttpConnector, HttpRequestBody};
use object_store::multipart::MultipartStore;
use object_store::path::Path as Key;
use object_store::signer::{Method, SignedUrlOptions, Signer};
use serde::Deserialize;
use std::error::Error;
use std::time::Duration;

/// Pages of the list that are read at once, each with up to a thousand writes. Later ones are seen when the first ones
/// are gone.
const MOST_PAGES: usize = 20;
/// How long the URL of a page is valid.
const LINK_LASTS: Duration = Duration::from_mins(1);

/// A page of the list, as S3 writes it (`ListMultipartUploads`).
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Page {
    #[serde(default)]
    is_truncated: bool,
    #[serde(default)]
    next_key_marker: String,
    #[serde(default)]
    next_upload_id_marker: String,
    #[serde(rename = "Upload", default)]
    begun: Vec<Begun>,
}

/// A write that was begun and not ended.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Begun {
    key: String,
    upload_id: String,
    initiated: DateTime<Utc>,
}

impl MediaStore {
    /// Aborts the writes of several parts that were begun before `before`, by the bucket's clock, and are not ended.
    /// Returns how many; 0 for a folder. Writes outside our prefix of the bucket stay.
    pub async fn abort_unfinished(&self, before: DateTime<Utc>) -> Result<u64, MediaError> {
        let Some((bucket, prefix)) = &self.bucket else { return Ok(0) };
        let mut aborted = 0;
        let mut page = Page::default();
        for _ in 0..MOST_PAGES {
            page = listed(bucket, prefix, &page).await?;
            for Begun { key, upload_id, .. } in page.begun.iter().filter(|begun| begun.initiated < before) {
                let key = Key::parse(key).map_err(object_store::Error::from)?;
                match bucket.abort_multipart(&key, upload_id).await {
                    Ok(()) => aborted += 1,
                    // It ended meanwhile.
                    Err(object_store::Error::NotFound { .. }) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            if !page.is_truncated {
                break;
            }
        }
        Ok(aborted)
    }
}

/// Returns the page of the list that follows `after`.
async fn listed(bucket: &AmazonS3, prefix: &Key, after: &Page) -> Result<Page, MediaError> {
    let below = if prefix.as_ref().is_empty() { String::new() } else { format!("{prefix}/") };
    let query = [
        ("uploads", ""),
        ("prefix", &below),
        ("key-marker", &after.next_key_marker),
        ("upload-id-marker", &after.next_upload_id_marker),
    ];
    let query = query.into_iter().filter(|(name, value)| *name == "uploads" || !value.is_empty());
    let options = SignedUrlOptions::new().with_query(query);
    let url = bucket.signed_url_opts(Method::GET, &Key::default(), LINK_LASTS, &options).await?;
    let request = http::Request::get(url.as_str()).body(HttpRequestBody::empty()).map_err(failed)?;
    let answer = Connector.connect(&ClientOptions::new())?.execute(request).await.map_err(failed)?;
    let (status, bytes) = (answer.status(), answer.into_body().bytes().await.map_err(failed)?);
    let text = String::from_utf8_lossy(&bytes);
    if !status.is_success() {
        return Err(failed(format!("the list of unfinished writes was refused with status {status}: {text}")));
    }
    quick_xml::de::from_str(&text).map_err(failed)
}

fn failed(source: impl Into<Box<dyn Error + Send + Sync>>) -> MediaError {
    MediaError::Store(object_store::Error::Generic { store: "S3", source: source.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_read_as_s3_writes_it() {
        let text = r#"<?xml version="1.0" encoding="UTF-8"?>
            <ListMultipartUploadsResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">
              <Bucket>media</Bucket><KeyMarker></KeyMarker><UploadIdMarker/>
              <NextKeyMarker>items/b</NextKeyMarker><NextUploadIdMarker>two</NextUploadIdMarker>
              <MaxUploads>2</MaxUploads><IsTruncated>true</IsTruncated>
              <Upload><Key>items/a</Key><UploadId>one</UploadId><Initiated>2026-11-20T20:48:33.000Z</Initiated>
                <Initiator><ID>x</ID><DisplayName>x</DisplayName></Initiator><StorageClass>STANDARD</StorageClass></Upload>
              <Upload><Key>items/b</Key><UploadId>two</UploadId><Initiated>2026-11-21T20:48:33.000Z</Initiated></Upload>
            </ListMultipartUploadsResult>"#;
        let page: Page = quick_xml::de::from_str(text).unwrap();
        assert!(page.is_truncated);
        assert_eq!((page.next_key_marker.as_str(), page.next_upload_id_marker.as_str()), ("items/b", "two"));
        let begun: Vec<_> = page.begun.iter().map(|begun| (begun.key.as_str(), begun.initiated.timestamp())).collect();
        assert_eq!(begun, [("items/a", 1_795_207_713), ("items/b", 1_795_294_113)]);
        let none: Page = quick_xml::de::from_str("<ListMultipartUploadsResult></ListMultipartUploadsResult>").unwrap();
        assert!(none.begun.is_empty() && !none.is_truncated);
    }
}
