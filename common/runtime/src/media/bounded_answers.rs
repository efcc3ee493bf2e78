//! Bounds what a bucket may answer: all but an object's own bytes is short.
//!
//! The S3 client takes lists, errors and the answers to writes into memory whole, and makes room at once for as many
//! bytes as such an answer says that it has: a wrong length would end the process. An object's bytes are read piece by
//! piece, and whoever takes them whole has a bound of their own.

use async_trait::async_trait;
use http::uri::Authority;
use http::{Method, StatusCode, Uri};
use http_body_util::{BodyExt, Limited};
use hyper::body::Body;
use object_store::client::{HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpResponseBody, HttpService};
use std::error::Error;

/// Bytes that an answer may have which is no object. A page of a list has a thousand keys.
const MOST_BYTES: usize = 8 << 20;

/// The client of a bucket, which refuses longer answers.
#[derive(Debug)]
pub(super) struct BoundedAnswers(pub(super) reqwest::Client);

#[async_trait]
impl HttpService for BoundedAnswers {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let (method, uri) = (request.method().clone(), request.uri().clone());
        let answer = HttpService::call(&self.0, request).await?;
        let status = answer.status();
        if may_be_an_object(&method, &uri, status) {
            return Ok(answer);
        }
        let host = uri.authority().map_or("", Authority::as_str).to_owned();
        let too_long = move || {
            let said = format!("the media store at {host} answered {method} with {status} and over {MOST_BYTES} bytes");
            // An error of this kind is not tried again at once.
            HttpError::new_boxed(HttpErrorKind::Decode, said.into())
        };
        if answer.body().size_hint().lower() > MOST_BYTES as u64 {
            return Err(too_long());
        }
        Ok(answer.map(|body| bounded(body, too_long)))
    }
}

/// Whether an answer may be as long as an object. What a GET asks for with a query is a list; an answer to a HEAD has
/// the length of an object and no bytes.
fn may_be_an_object(method: &Method, uri: &Uri, status: StatusCode) -> bool {
    method == Method::HEAD || (method == Method::GET && uri.query().is_none() && status.is_success())
}

/// Returns the body, which fails once more has come than it may have.
fn bounded(body: HttpResponseBody, too_long: impl Fn() -> HttpError + Send + Sync + 'static) -> HttpResponseBody {
    let body = Limited::new(body, MOST_BYTES);
    let own = move |error: Box<dyn Error + Send + Sync>| match error.downcast::<HttpError>() {
        Ok(error) => *error,
        Err(_) => too_long(),
    };
    HttpResponseBody::new(body.map_err(own))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::media::open::bucket_at;
    use crate::media::{MediaError, MediaStore};
    use chrono::DateTime;
    use std::io::{Read, Write};
    use std::net::TcpListener;

    /// A bucket that answers every request with this head, and then with so many bytes.
    fn answering(head: String, bytes: Vec<u8>) -> MediaStore {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let store = bucket_at(listener.local_addr().unwrap());
        std::thread::spawn(move || {
            for connection in listener.incoming() {
                let (mut connection, mut request) = (connection.unwrap(), [0; 4_096]);
                assert!(connection.read(&mut request).unwrap() > 0);
                // Whoever refuses the answer hangs up in its middle.
                let _ = connection.write_all(head.as_bytes()).and_then(|()| connection.write_all(&bytes));
            }
        });
        store
    }

    fn head(status: &str, length: &str) -> String {
        format!("HTTP/1.1 {status}\r\n{length}\r\nconnection: close\r\n\r\n")
    }

    #[tokio::test]
    async fn an_answer_that_says_it_has_gigabytes_is_refused_where_no_object_is_due() {
        for status in ["200 OK", "403 Forbidden"] {
            let store = answering(head(status, "content-length: 99999999999"), vec![b' '; 1 << 20]);
            let said = |error: MediaError| {
                assert!(error.is_of_the_store(), "{error}");
                error.to_string()
            };
            let listed = said(store.stored_under("items").await.unwrap_err());
            let put = said(store.put("items/a", "media".into()).await.unwrap_err());
            let unfinished = said(store.abort_unfinished(DateTime::UNIX_EPOCH).await.unwrap_err());
            for (text, method) in [(listed, "GET"), (put, "PUT"), (unfinished, "GET")] {
                assert!(text.contains(&format!("answered {method} with {status}")), "{text}");
                assert!(text.contains("the media store at 127.0.0.1:"), "{text}");
            }
        }
        let refused = answering(head("403 Forbidden", "content-length: 99999999999"), vec![b' '; 1 << 20]);
        let text = refused.part("items/a", None).await.unwrap_err().to_string();
        assert!(text.contains("answered GET with 403 Forbidden"), "{text}");
    }

    #[tokio::test]
    async fn an_answer_that_does_not_say_its_length_is_cut_off() {
        let long = MOST_BYTES + 1;
        let bytes = [format!("{long:x}\r\n").into_bytes(), vec![b' '; long], b"\r\n0\r\n\r\n".to_vec()].concat();
        let store = answering(head("200 OK", "transfer-encoding: chunked"), bytes);
        let text = store.stored_under("items").await.unwrap_err().to_string();
        assert!(text.contains("answered GET with 200 OK and over"), "{text}");
    }

    #[tokio::test]
    async fn an_object_may_be_longer() {
        let bytes = vec![7; MOST_BYTES + 1];
        let length =
            format!("content-length: {}\r\netag: \"a\"\r\nlast-modified: Sun, 29 Nov 2026 12:00:00 GMT", bytes.len());
        let store = answering(head("200 OK", &length), bytes.clone());
        assert!(store.get("items/a", u64::MAX).await.unwrap() == bytes);
        assert_eq!(store.size("items/a").await.unwrap(), bytes.len() as u64);
    }
}
