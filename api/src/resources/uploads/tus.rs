//! The answers of an upload's URL to clients that speak tus 1.0.0 (its core, and the extension `checksum`). They
//! consist of headers: none has a body.

use super::appending::{CHECKSUMS, Reached};
use crate::http::error::{Answer, ApiError, Code};
use poem::http::{HeaderName, HeaderValue, StatusCode};
use poem::{IntoResponse, Response};
use poem_openapi::ApiResponse;
use poem_openapi::registry::{MetaHeader, MetaResponse, MetaResponses, Registry};
use poem_openapi::types::Type;

/// The version of the protocol.
pub const VERSION: &str = "1.0.0";
/// The header that names the version, in requests and in answers.
pub const RESUMABLE: HeaderName = HeaderName::from_static("tus-resumable");
const SPOKEN: HeaderName = HeaderName::from_static("tus-version");
const OFFSET: HeaderName = HeaderName::from_static("upload-offset");
const LENGTH: HeaderName = HeaderName::from_static("upload-length");

/// Refuses a client that names another version. A client that names none is taken to speak this one.
pub(super) fn check_version(spoken: Option<&str>) -> Answer<()> {
    match spoken {
        Some(other) if other != VERSION => {
            Err(ApiError::new(Code::TusVersionUnsupported, format!("Uploads speak tus {VERSION}, and not `{other}`.")))
        }
        _ => Ok(()),
    }
}

/// Adds the headers that name the version, which every answer to such a client must have.
pub fn add_version(response: &mut Response) {
    let headers = response.headers_mut();
    headers.insert(RESUMABLE, HeaderValue::from_static(VERSION));
    headers.insert(SPOKEN, HeaderValue::from_static(VERSION));
}

/// An answer in the protocol.
#[derive(Debug)]
pub enum TusAnswer {
    /// 200: the bytes that are kept so far, and the length of the file.
    Reached(Reached),
    /// 204: the offset of the next byte.
    Appended(i64),
    /// 204: the version and the extensions.
    Spoken {
        /// The size limit of a file, in bytes.
        most_bytes: u64,
    },
}

impl TusAnswer {
    fn headers(&self) -> Vec<(HeaderName, HeaderValue)> {
        let text = HeaderValue::from_static;
        match *self {
            Self::Reached(Reached { offset, length }) => vec![(OFFSET, offset.into()), (LENGTH, length.into())],
            Self::Appended(offset) => vec![(OFFSET, offset.into())],
            Self::Spoken { most_bytes } => vec![
                (SPOKEN, text(VERSION)),
                (HeaderName::from_static("tus-extension"), text("checksum")),
                (HeaderName::from_static("tus-checksum-algorithm"), text(CHECKSUMS)),
                (HeaderName::from_static("tus-max-size"), most_bytes.into()),
            ],
        }
    }
}

impl IntoResponse for TusAnswer {
    fn into_response(self) -> Response {
        let status = if matches!(self, Self::Reached(_)) { StatusCode::OK } else { StatusCode::NO_CONTENT };
        let mut response = Response::builder().status(status).finish();
        response.headers_mut().extend(self.headers());
        add_version(&mut response);
        response
    }
}

impl ApiResponse for TusAnswer {
    fn meta() -> MetaResponses {
        let told = |name: &str, description: &str| MetaHeader {
            name: name.to_owned(),
            description: Some(description.to_owned()),
            required: false,
            deprecated: false,
            schema: <String as Type>::schema_ref(),
        };
        let offset = || told("Upload-Offset", "Where the bytes go on.");
        let length = told("Upload-Length", "How many there will be.");
        let version = || told("Tus-Resumable", "Always 1.0.0.");
        let response = |status, description, headers| MetaResponse {
            description,
            status: Some(status),
            status_range: None,
            content: vec![],
            headers,
        };
        let reached = response(200, "How far the bytes have come (HEAD).", vec![version(), offset(), length]);
        let done =
            response(204, "The bytes are kept (PATCH), or what is spoken here (OPTIONS).", vec![version(), offset()]);
        MetaResponses { responses: vec![reached, done] }
    }

    fn register(_registry: &mut Registry) {}
}
