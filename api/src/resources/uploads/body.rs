//! The body of a request that sends a file's bytes: as poem extracts it, and as a stream that fails when it stalls.

use bytes::Bytes;
use domain::upload::essence;
use futures_util::stream::{BoxStream, Stream, StreamExt, try_unfold};
use poem::{Request, RequestBody};
use poem_openapi::payload::{Binary, Payload};
use poem_openapi::registry::{MetaMediaType, MetaRequest};
use poem_openapi::{ApiExtractor, ApiExtractorType, ExtractParamOptions};
use std::io;
use std::time::Duration;
use tokio::time::{Instant, timeout, timeout_at};

/// The time in which a body must bring [`LEAST_BYTES`] more; it may end at any time.
const WINDOW: Duration = Duration::from_secs(30);
/// About one KiB a second: a slower body only occupies a place.
const LEAST_BYTES: usize = 32 << 10;
/// The most bytes of a refused body that are read before the refusal is answered.
const COURTESY_BYTES: usize = 16 << 20;
/// The longest time for which they are read.
const COURTESY_TIME: Duration = Duration::from_secs(2);

pub(super) type Chunks = BoxStream<'static, io::Result<Bytes>>;

/// A request's body as a stream, with any content type or none.
pub struct FileBody {
    pub(super) body: poem::Body,
    pub(super) content_type: Option<String>,
    pub(super) content_length: Option<u64>,
}

/// A request's body of bytes to append, with the content type `APPENDED`.
pub struct AppendedBody(pub FileBody);

/// The media type of bytes to append.
pub(super) const APPENDED: &str = "application/offset+octet-stream";

fn described(content_type: &'static str, description: &'static str) -> MetaRequest {
    let content = MetaMediaType { content_type, schema: <Binary<Bytes> as Payload>::schema_ref() };
    MetaRequest { description: Some(description), content: vec![content], required: true }
}

impl<'a> ApiExtractor<'a> for AppendedBody {
    const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::RequestObject];

    type ParamType = ();
    type ParamRawType = ();

    fn request_meta() -> Option<MetaRequest> {
        Some(described(APPENDED, "The bytes that go on."))
    }

    async fn from_request(
        request: &'a Request,
        body: &mut RequestBody,
        options: ExtractParamOptions<()>,
    ) -> poem::Result<Self> {
        FileBody::from_request(request, body, options).await.map(Self)
    }
}

impl<'a> ApiExtractor<'a> for FileBody {
    const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::RequestObject];

    type ParamType = ();
    type ParamRawType = ();

    fn request_meta() -> Option<MetaRequest> {
        Some(described("application/octet-stream", "The bytes of the file."))
    }

    async fn from_request(
        request: &'a Request,
        body: &mut RequestBody,
        _: ExtractParamOptions<()>,
    ) -> poem::Result<Self> {
        let content_length = request.header("content-length").and_then(|length| length.parse().ok());
        Ok(Self { body: body.take()?, content_type: request.content_type().map(essence), content_length })
    }
}

/// Reads on for a moment, so that a client that sends everything before it reads learns why its bytes are refused.
pub(super) async fn listen_on(mut stream: Chunks) {
    let courtesy = async {
        let mut bytes = 0;
        while let Some(Ok(chunk)) = stream.next().await {
            bytes += chunk.len();
            if bytes > COURTESY_BYTES {
                return;
            }
        }
    };
    // It does not matter whether the time or the bytes end first.
    let _ = timeout(COURTESY_TIME, courtesy).await;
}

/// Returns the stream, which fails when it comes too slowly: a client that has gone must not keep a place.
pub(super) fn steady(body: impl Stream<Item = io::Result<Bytes>> + Send + 'static) -> Chunks {
    let begun = (Box::pin(body), Instant::now() + WINDOW, 0);
    try_unfold(begun, |(mut body, mut ends, mut bytes)| async move {
        let next = timeout_at(ends, body.next()).await.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))?;
        let Some(chunk) = next.transpose()? else { return Ok(None) };
        bytes += chunk.len();
        if bytes >= LEAST_BYTES {
            (ends, bytes) = (Instant::now() + WINDOW, 0);
        }
        Ok(Some((chunk, (body, ends, bytes))))
    })
    .boxed()
}
