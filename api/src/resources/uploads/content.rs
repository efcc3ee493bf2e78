//! The bytes of an upload on their way from the client to the media store: counted, hashed, and never held whole.

use super::sending::{Sending, Stored};
use super::{busy, completed};
use crate::app::App;
use crate::auth::{in_time, refuse_stopped};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::scope::Scope;
use crate::http::shares::Share;
use crate::usecases::uploads::complete::{expired, unknown};
use crate::usecases::uploads::{is_given_out, token_hash};
use bytes::Bytes;
use domain::ids::{AccountId, ItemId, UploadId};
use domain::upload::{UploadStatus, essence};
use futures_util::stream::{BoxStream, Stream, StreamExt, try_unfold};
use poem::{Request, RequestBody};
use poem_openapi::payload::{Binary, Payload};
use poem_openapi::registry::{MetaMediaType, MetaRequest};
use poem_openapi::{ApiExtractor, ApiExtractorType, ExtractParamOptions};
use runtime::media::{WriteError, Written, new_media_key};
use std::io;
use std::time::Duration;
use store::uploads::{self, RECEIVING_SECONDS, UploadRow};
use tokio::time::{Instant, timeout, timeout_at};

/// How long a body may take to bring [`LEAST_BYTES`] more; its end may come at any time.
const WINDOW: Duration = Duration::from_secs(30);
/// About a kibibyte a second: less is no upload but a held place.
const LEAST_BYTES: usize = 32 << 10;

/// What clients call a body that they know no type of; it does not contradict the announced one.
const UNTYPED: [&str; 2] = ["application/octet-stream", "application/x-www-form-urlencoded"];
/// Bytes of a refused body that are read before the refusal is answered.
const COURTESY_BYTES: usize = 16 << 20;
/// Longest time that is spent on them.
const COURTESY_TIME: Duration = Duration::from_secs(2);
/// When to try again where the account sends as many uploads as it may, in seconds.
const TRY_AGAIN_S: u64 = 5;

pub(super) type Chunks = BoxStream<'static, io::Result<Bytes>>;

/// A request's body as it comes, whatever its content type, with or without one.
pub struct FileBody {
    pub(super) body: poem::Body,
    pub(super) content_type: Option<String>,
    pub(super) content_length: Option<u64>,
}

/// The same for bytes that are appended, which have a content type of their own.
pub struct AppendedBody(pub FileBody);

/// The media type of bytes that are appended.
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

/// Takes the bytes of an upload; the row's `complete` judges them later.
///
/// # Errors
/// `upload_not_found`, `unauthenticated` when the token is not the upload's, `illegal_transition` after it was
/// completed, `upload_incomplete` while another request sends them, `account_suspended`, `unsupported_media_type`,
/// `file_too_large`. `rate_limited` where the account sends as many as it may, or the address has sent too many wrong
/// tokens.
pub(super) async fn receive(
    app: &App,
    scope: &Scope,
    upload: UploadId,
    token: Option<&str>,
    body: FileBody,
) -> Answer<Written> {
    let FileBody { body, content_type, content_length } = body;
    let mut stream = steady(body.into_bytes_stream());
    let begun = async {
        let (row, share) = let_in(app, scope, upload, token).await?;
        refuse_other_type(&row, content_type.as_deref())?;
        let declared = u64::try_from(row.declared_bytes.unwrap_or(0)).unwrap_or(0);
        if content_length.is_some_and(|length| length > declared) {
            return Err(too_large(declared));
        }
        Ok((Sending::begin(app, upload).await?, share, row.item_id, declared))
    };
    let stored = match begun.await {
        Ok((sending, _share, item, declared)) => {
            let stored = store(app, &sending, item, declared, &mut stream).await;
            stored.map(|stored| (sending, stored))
        }
        Err(refusal) => Err(refusal),
    };
    match stored {
        Ok((sending, stored)) => sending.settle(stored).await,
        Err(refusal) => {
            listen_on(stream).await;
            Err(refusal)
        }
    }
}

/// Lets a request in that sends bytes: the upload it sends for, and its account's leave to send.
///
/// # Errors
/// As [`receive`].
pub(super) async fn let_in(
    app: &App,
    scope: &Scope,
    upload: UploadId,
    token: Option<&str>,
) -> Answer<(UploadRow, Share<AccountId>)> {
    let row = shown_to(app, scope, upload, token).await?;
    refuse_stopped(false, row.suspended.as_deref())?;
    if row.status != UploadStatus::AwaitingUpload {
        return Err(completed());
    }
    let share = share(app, row.account_id)?;
    Ok((row, share))
}

/// The upload, for whoever has its token.
///
/// # Errors
/// `upload_not_found`, also of one that is too late; `unauthenticated`, `rate_limited`.
pub(super) async fn shown_to(app: &App, scope: &Scope, upload: UploadId, token: Option<&str>) -> Answer<UploadRow> {
    // Nobody is asked for another credential here: who tries ids and tokens is treated as who tries keys. A token that
    // was given out is taken whatever else its address sends.
    let presented = token_hash(token.unwrap_or_default());
    let is_given_out = token.is_some_and(|token| is_given_out(app, upload, token));
    let _strangers_turn = if is_given_out {
        if app.guesses.has_ended(&presented).await {
            return Err(unknown());
        }
        None
    } else {
        app.guesses.refuse(scope, &presented).await?;
        // Strangers wait for each other first, or they would have the turns of those whose tokens are known.
        Some(in_time(async { Ok(app.guesses.turn(scope, &presented).await) }).await?)
    };
    // No connection is held while the bytes come.
    let _turn = app.upload_turns.turn_soon(upload).await?;
    let row = in_time(async { uploads::find(&mut *app.conn().await?, upload).await }).await?;
    let admitted = row.ok_or_else(unknown).and_then(|row| proven(row, token));
    if let Err(refusal) = &admitted
        && matches!(refusal.code(), Code::Unauthenticated | Code::UploadNotFound)
    {
        if is_given_out {
            // No guess: an upload that is over, or gone. It is not looked up again at once.
            app.guesses.ended(&presented, refusal.code()).await;
        } else {
            app.guesses.count(scope).await;
        }
    }
    let row = admitted?;
    if !is_given_out {
        // One of an older release, which shows nothing by itself.
        app.guesses.right(&presented).await;
    }
    Ok(row)
}

/// A place among the uploads whose bytes the account is sending.
fn share(app: &App, account: AccountId) -> Answer<Share<AccountId>> {
    let most = app.api.max_account_uploads;
    app.uploads.take(account, most).ok_or_else(|| {
        let message = format!("The account is sending the bytes of {most} uploads, which is the most at once.");
        ApiError::new(Code::RateLimited, message).retry_after(TRY_AGAIN_S)
    })
}

/// Puts the bytes into the media store, as long as they are no more than were announced and this request is let in.
async fn store(app: &App, sending: &Sending, item: ItemId, declared: u64, stream: &mut Chunks) -> Answer<Stored> {
    let (key, renewal) = (new_media_key(item), sending.renewal());
    let written = tokio::select! {
        written = app.process.media.write(&key, stream, declared) => written,
        () = renewal.shut_out() => return Err(busy(RECEIVING_SECONDS)),
    };
    let written = written.map_err(|error| match error {
        WriteError::TooLarge(_) => too_large(declared),
        WriteError::Source(error) if error.kind() == io::ErrorKind::TimedOut => {
            ApiError::new(Code::InvalidRequest, "The body came too slowly. Send it again.")
        }
        WriteError::Source(_) => {
            ApiError::new(Code::InvalidRequest, "The body ended before it was whole. Send it again.")
        }
        WriteError::Store(error) => {
            tracing::error!(upload.id = %sending.upload, error = %error, "The media store did not take an upload.");
            ApiError::new(Code::Unavailable, "The media store does not answer. Send the bytes again.").retry_after(2)
        }
    })?;
    Ok(Stored { key, written })
}

/// The upload, if this is its token and it is not too late.
fn proven(row: UploadRow, token: Option<&str>) -> Answer<UploadRow> {
    // An import has no token, so nobody can send for it.
    let expected = row.token_hash.as_deref().ok_or_else(unknown)?;
    if !token.is_some_and(|token| token_hash(token).is_kept_as(expected)) {
        return Err(ApiError::new(Code::Unauthenticated, "The token in the URL is not this upload's."));
    }
    match row.status {
        UploadStatus::AwaitingUpload if row.overdue => Err(expired()),
        UploadStatus::Expired => Err(expired()),
        _ => Ok(row),
    }
}

/// Refuses bytes of another type than was announced.
fn refuse_other_type(row: &UploadRow, content_type: Option<&str>) -> Answer<()> {
    let announced = row.content_type.as_deref().unwrap_or_default();
    match content_type {
        Some(other) if other != announced && !UNTYPED.contains(&other) => {
            let message = format!("The upload was announced as `{announced}`, and this is `{other}`.");
            Err(ApiError::new(Code::UnsupportedMediaType, message))
        }
        _ => Ok(()),
    }
}

/// Reads on for a moment, so that a client that sends all before it listens learns why its bytes are refused.
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
    // Whether the time or the bytes run out first is all the same.
    let _ = timeout(COURTESY_TIME, courtesy).await;
}

/// The stream, ended with an error when it comes too slowly: a client that has gone must not keep a place.
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

pub(super) fn too_large(declared: u64) -> ApiError {
    ApiError::new(Code::FileTooLarge, format!("There are more than the {declared} bytes that were announced."))
}
