//! The body of a request that sends a file's bytes: as poem extracts it, and as a stream that fails when it stalls.

use crate::app::App;
use bytes::Bytes;
use domain::upload::essence;
use futures_util::stream::{BoxStream, Stream, StreamExt, try_unfold};
use poem::{Request, RequestBody};
use poem_openapi::payload::{Binary, Payload};
use poem_openapi::registry::{MetaMediaType, MetaRequest};
use poem_openapi::{ApiExtractor, ApiExtractorType, ExtractParamOptions};
use std::io;
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// The time that is waited for a body to bring [`LEAST_BYTES`] more; it may end at any time.
const WINDOW: Duration = Duration::from_secs(30);
/// About one KiB a second: a slower body only occupies a place.
const LEAST_BYTES: usize = 32 << 10;
/// About 70 KiB a second: what a body must bring while the memory for uploads is scarce. It holds up to 24 MiB of it,
/// and others find none for as long as it lasts.
const LEAST_BYTES_WHILE_SCARCE: usize = 2 << 20;
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

/// Returns the stream, which fails when it comes too slowly: a client that has gone must not keep a place, nor a slow
/// one the memory that others need.
pub(super) fn steady(app: &App, body: impl Stream<Item = io::Result<Bytes>> + Send + 'static) -> Chunks {
    let begun = (Box::pin(body), Pace::default(), app.clone());
    try_unfold(begun, |(mut body, mut pace, app)| async move {
        let asked = Instant::now();
        let next = timeout(pace.left(), body.next()).await.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))?;
        let Some(chunk) = next.transpose()? else { return Ok(None) };
        pace.brought(chunk.len(), asked.elapsed(), app.upload_memory.is_scarce());
        Ok(Some((chunk, (body, pace, app))))
    })
    .boxed()
}

/// How fast a body comes. The time in which nobody asks for more of it, as while the store is slow, does not count.
#[derive(Debug, Default)]
struct Pace {
    waited: Duration,
    bytes: usize,
}

impl Pace {
    /// Returns how long its next bytes may be waited for.
    const fn left(&self) -> Duration {
        WINDOW.saturating_sub(self.waited)
    }

    /// Notes what came, and how long it was waited for.
    fn brought(&mut self, bytes: usize, waited: Duration, is_scarce: bool) {
        self.waited += waited;
        self.bytes += bytes;
        let least = if is_scarce { LEAST_BYTES_WHILE_SCARCE } else { LEAST_BYTES };
        if self.bytes >= least {
            *self = Self::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How long a body is waited for that brings so many KiB each second, within two minutes.
    fn lasts(kib_a_second: usize, is_scarce: bool) -> usize {
        let mut pace = Pace::default();
        let mut seconds = 0;
        while seconds < 120 && pace.left() >= Duration::from_secs(1) {
            pace.brought(kib_a_second << 10, Duration::from_secs(1), is_scarce);
            seconds += 1;
        }
        seconds
    }

    #[test]
    fn a_body_that_comes_slowly_is_cut_off_and_sooner_while_memory_is_scarce() {
        assert_eq!((lasts(1, false), lasts(2, false)), (30, 120));
        assert_eq!((lasts(0, false), lasts(64, true), lasts(80, true)), (30, 30, 120));
        let mut pace = Pace::default();
        pace.brought(64 << 10, Duration::from_secs(29), true);
        pace.brought(1, Duration::ZERO, false);
        assert_eq!(pace.left(), WINDOW, "once there is memory again it may come as before");
    }
}
