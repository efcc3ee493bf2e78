//! Completing an upload: it is handed to a worker, with its ticket in the same transaction, and only once however often
//! that is asked.

use crate::app::App;
use crate::auth::Caller;
use crate::http::error::{Answer, ApiError, Code};
use domain::ids::UploadId;
use domain::upload::{UploadStatus, direct_parts};
use runtime::media::{MediaStore, sent_key, sent_prefix};
use runtime::queue;
use store::uploads::{self, Completed, Part, Stage, UploadRow};

/// Completes an upload of the caller's workspace. A repeat returns the upload again.
pub async fn complete_upload(app: &App, caller: &Caller, upload: UploadId) -> Answer<UploadRow> {
    let process = &app.process;
    let row = uploads::find(&mut *app.conn().await?, upload).await?.ok_or_else(unknown)?;
    if row.workspace_id != caller.workspace.id {
        return Err(ApiError::elsewhere("upload"));
    }
    // No connection is held while the bucket is asked.
    let sent = sent_parts(&process.media, &row).await?;
    let mut complete_upload = process.begin_of(caller.account_id).await?;
    if !sent.is_empty() {
        uploads::receive_parts(&mut complete_upload, upload, &sent).await?;
    }
    let others = uploads::in_line(&mut complete_upload, row.account_id, Stage::Probe).await?;
    let ticket = queue::upload_ticket(upload, Stage::Probe, others);
    if uploads::complete(&mut complete_upload, upload, &ticket.id).await? == Completed::No {
        // Another call has changed it since it was found.
        let row = uploads::find(&mut complete_upload, upload).await?.ok_or_else(unknown)?;
        return completed_before(row);
    }
    let pushed = [ticket];
    queue::push(&mut complete_upload, &pushed).await?;
    complete_upload.commit().await?;
    process.wakes.tickets(&pushed);
    Ok(row)
}

/// Returns the parts that the client itself has put into the bucket, where nothing was sent another way. Empty until
/// all of them are there, each with its exact length.
async fn sent_parts(media: &MediaStore, row: &UploadRow) -> Answer<Vec<Part>> {
    let nothing_else = row.status == UploadStatus::AwaitingUpload && row.received_bytes.unwrap_or(0) == 0;
    if !media.is_bucket() || !nothing_else {
        return Ok(Vec::new());
    }
    // A list, since there may be a thousand parts: one question after another would outlast the call.
    let there = media.sizes_under(&sent_prefix(row.item_id)).await.map_err(|error| {
        tracing::error!(upload.id = %row.id, error = %error, "The media store was asked for an upload's bytes in vain.");
        ApiError::new(Code::Unavailable, "The media store does not answer. Complete it again.").retry_after(2)
    })?;
    let awaited = (1..).zip(direct_parts(row.declared_bytes.unwrap_or(0)));
    let sent: Option<Vec<Part>> = awaited
        .map(|(number, part)| {
            let object_key = sent_key(row.item_id, number);
            let is_whole = there.get(&object_key) == Some(&part.bytes.unsigned_abs());
            is_whole.then_some(Part { start: part.start, bytes: part.bytes, object_key })
        })
        .collect();
    Ok(sent.unwrap_or_default())
}

/// Returns the upload if it was completed before, else the reason why it can't be now.
fn completed_before(row: UploadRow) -> Answer<UploadRow> {
    match row.status {
        UploadStatus::Processing | UploadStatus::Done | UploadStatus::Failed => return Ok(row),
        UploadStatus::Expired => return Err(expired()),
        UploadStatus::AwaitingUpload if row.overdue => return Err(expired()),
        UploadStatus::AwaitingUpload => {}
    }
    let (declared, received) = (row.declared_bytes.unwrap_or(0), row.received_bytes);
    if received != Some(declared) {
        let message = match received {
            None => format!("None of the {declared} bytes have arrived."),
            Some(received) => format!("{received} of the {declared} bytes have arrived."),
        };
        return Err(ApiError::new(Code::UploadIncomplete, message));
    }
    Err(ApiError::new(Code::ChecksumMismatch, "The SHA-256 of the bytes is not the one that was announced."))
}

/// The refusal that there is no such upload.
pub fn unknown() -> ApiError {
    ApiError::new(Code::UploadNotFound, "There is no such upload.")
}

/// The refusal of bytes of an upload whose maker may begin none any more.
pub fn maker_left() -> ApiError {
    ApiError::new(Code::UploadNotFound, "Whoever began the upload has no access any more: it takes no bytes.")
}

/// The refusal of an upload that was not completed in time.
pub fn expired() -> ApiError {
    ApiError::new(Code::UploadNotFound, "The upload was not completed in time and is gone. Start another.")
}
