//! Streams the bytes of an upload from the client to the media store: counts and hashes them, and never holds all. Once
//! a request may send, this is done in a task of its own, which ends when the bytes end or break off.

use super::body::{Chunks, FileBody, listen_on, steady};
use super::sending::{Sending, Stored, to_its_end};
use super::{busy, completed};
use crate::app::App;
use crate::app::upload_memory::UploadPermit;
use crate::auth::{in_time, refuse_stopped, turn_to_look_up};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::scope::Scope;
use crate::http::shares::Share;
use crate::usecases::uploads::complete::{expired, maker_left, unknown};
use crate::usecases::uploads::{is_given_out, token_hash};
use domain::ids::{AccountId, ItemId, UploadId};
use domain::upload::UploadStatus;
use runtime::media::{WriteError, Written, new_media_key};
use std::io;
use store::uploads::{self, RECEIVING_SECONDS, UploadRow};

/// Media types that clients send for bytes whose type they do not know; they do not contradict the announced type.
const UNTYPED: [&str; 2] = ["application/octet-stream", "application/x-www-form-urlencoded"];
/// Retry-After, in seconds, when the account is at its limit of uploads that send at once.
const TRY_AGAIN_S: u64 = 5;

/// A sender's place among those of its account, and the memory that its bytes may take, until this is dropped.
pub(super) struct SenderPermit {
    _place: Share<AccountId>,
    _memory: UploadPermit,
}

/// Receives the bytes of an upload; `complete` judges them later.
///
/// # Errors
/// `upload_not_found`, `unauthenticated` when the token is not the upload's, `illegal_transition` once it was
/// completed, `upload_incomplete` while another request sends them, `account_suspended`, `unsupported_media_type`,
/// `file_too_large`. `rate_limited` when the account is at its limit of uploads that send at once, or holds its share
/// of the memory for them, or the address has sent too many wrong tokens; `unavailable` while others hold that memory.
pub(super) async fn receive(
    app: &App,
    scope: &Scope,
    upload: UploadId,
    token: Option<&str>,
    body: FileBody,
) -> Answer<Written> {
    let FileBody { body, content_type, content_length } = body;
    let mut stream = steady(app, body.into_bytes_stream());
    let begun = async {
        let (row, permit) = admit_sender(app, scope, upload, token, app.process.media.write_memory()).await?;
        refuse_other_type(&row, content_type.as_deref())?;
        let declared = u64::try_from(row.declared_bytes.unwrap_or(0)).unwrap_or(0);
        if content_length.is_some_and(|length| length > declared) {
            return Err(too_large(declared));
        }
        Ok((Sending::begin(app, upload).await?, permit, row.item_id, declared))
    };
    let (sending, permit, item, declared) = match begun.await {
        Ok(begun) => begun,
        Err(refusal) => {
            listen_on(stream).await;
            return Err(refusal);
        }
    };
    let app = app.clone();
    // A client that hangs up leaves no object that no row names: its bytes are recorded, or their write is given up.
    let receiving = async move {
        let stored = store(&app, &sending, item, declared, &mut stream).await;
        match stored {
            Ok(stored) => sending.settle(stored).await,
            Err(refusal) => {
                drop((sending, permit));
                listen_on(stream).await;
                Err(refusal)
            }
        }
    };
    to_its_end(receiving).await
}

/// Admits a request that sends bytes. Returns the upload that it sends for, and its permit. `most_in_memory`: how many
/// bytes of a long upload are held at once.
///
/// # Errors
/// Those of [`receive`].
pub(super) async fn admit_sender(
    app: &App,
    scope: &Scope,
    upload: UploadId,
    token: Option<&str>,
    most_in_memory: u64,
) -> Answer<(UploadRow, SenderPermit)> {
    let row = shown_to(app, scope, upload, token).await?;
    refuse_stopped(false, row.suspended.as_deref())?;
    if row.status != UploadStatus::AwaitingUpload {
        return Err(completed());
    }
    let place = share(app, row.account_id)?;
    let declared = row.declared_bytes.and_then(|bytes| u64::try_from(bytes).ok());
    let held = declared.map_or(most_in_memory, |all| all.min(most_in_memory));
    let memory = app.upload_memory.hold(row.account_id, held)?;
    Ok((row, SenderPermit { _place: place, _memory: memory }))
}

/// Returns the upload to whoever has its token.
///
/// # Errors
/// `upload_not_found`, also for an expired one, or one whose maker has no access any more; `unauthenticated`,
/// `rate_limited`.
pub(super) async fn shown_to(app: &App, scope: &Scope, upload: UploadId, token: Option<&str>) -> Answer<UploadRow> {
    // The token is the only credential here: whoever tries ids and tokens is limited like whoever tries keys. A token
    // that was given out is accepted, whatever else its address sends.
    let presented = token_hash(token.unwrap_or_default());
    let is_given_out = token.is_some_and(|token| is_given_out(app, upload, token));
    let turns = &app.turns.uploads;
    let _turn = if is_given_out {
        if app.guesses.is_ended(&presented).await {
            return Err(unknown());
        }
        (None, Some(turns.turn_soon(upload).await?))
    } else {
        app.guesses.refuse(scope, &presented).await?;
        turn_to_look_up(app, scope, &presented, turns, upload).await?
    };
    // No database connection is held while the bytes arrive.
    let row = in_time(async { uploads::find(&mut *app.conn().await?, upload).await }).await?;
    let admitted = row.ok_or_else(unknown).and_then(|row| proven(row, token));
    if let Err(refusal) = &admitted
        && matches!(refusal.code(), Code::Unauthenticated | Code::UploadNotFound)
    {
        if is_given_out {
            // Not a guess: the upload ended or is gone. It is not looked up again at once.
            app.guesses.remember_ended(&presented, refusal.code()).await;
        } else {
            app.guesses.count(scope).await;
        }
    }
    let row = admitted?;
    if !is_given_out {
        // A token from an older release: its text does not prove that this service made it.
        app.guesses.remember_right(&presented).await;
    }
    Ok(row)
}

/// Takes a place among the uploads whose bytes the account is sending.
fn share(app: &App, account: AccountId) -> Answer<Share<AccountId>> {
    let most = app.api.max_account_uploads;
    app.uploads.take(account, most).ok_or_else(|| {
        let message = format!("The account is sending the bytes of {most} uploads, which is the most at once.");
        ApiError::new(Code::RateLimited, message).retry_after(TRY_AGAIN_S)
    })
}

/// Stores the bytes in the media store, if they are no more than announced and no other request takes over meanwhile.
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

/// Returns the upload, if this is its token, and while it awaits bytes, it has not expired and its maker has access.
fn proven(row: UploadRow, token: Option<&str>) -> Answer<UploadRow> {
    // An import has no token, so nobody can send bytes for it.
    let expected = row.token_hash.as_deref().ok_or_else(unknown)?;
    if !token.is_some_and(|token| token_hash(token).is_kept_as(expected)) {
        return Err(ApiError::new(Code::Unauthenticated, "The token in the URL is not this upload's."));
    }
    match row.status {
        UploadStatus::AwaitingUpload if row.overdue => Err(expired()),
        UploadStatus::AwaitingUpload if !row.maker_holds => Err(maker_left()),
        UploadStatus::Expired => Err(expired()),
        _ => Ok(row),
    }
}

/// Refuses bytes of a type other than the announced one.
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

pub(super) fn too_large(declared: u64) -> ApiError {
    ApiError::new(Code::FileTooLarge, format!("There are more than the {declared} bytes that were announced."))
}
