//! An upload as `GET /uploads/{id}` shows it.

use crate::http::text::{Text, Time};
use domain::upload::UploadStatus;
use poem_openapi::{Enum, Object};
use store::uploads::UploadShown;

/// The status of an upload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum UploadProgress {
    /// Send the bytes, then call `complete`.
    AwaitingUpload,
    /// A worker fetches it, or examines its bytes.
    Processing,
    /// The item is ready.
    Done,
    /// The item is failed; `error` says why.
    Failed,
    /// It was not completed in time.
    Expired,
}

/// An upload or an import.
#[derive(Debug, Object)]
pub struct UploadDetail {
    /// Its id.
    pub id: Text,
    /// Its status.
    pub status: UploadProgress,
    /// The item that it becomes.
    pub item_id: Text,
    /// Its name.
    pub filename: Text,
    /// The announced media type; null for an import.
    pub content_type: Option<Text>,
    /// The announced number of bytes; null for an import.
    pub bytes: Option<i64>,
    /// The number of bytes that have arrived; null before any have.
    pub received_bytes: Option<i64>,
    /// When it is dropped, unless it is completed before.
    pub expires_at: Time,
    /// Why it failed; null unless it did.
    pub error: Option<UploadFault>,
    /// When it was started.
    pub created_at: Time,
    /// When it ended; null before.
    pub finished_at: Option<Time>,
}

/// Why an upload failed.
#[derive(Debug, Object)]
pub struct UploadFault {
    /// A code, the same as `error.code` of its item.
    pub code: Text,
    /// What went wrong, as a sentence to act on.
    pub message: Text,
}

impl From<UploadShown> for UploadDetail {
    fn from(row: UploadShown) -> Self {
        let status = match row.status {
            UploadStatus::AwaitingUpload if row.overdue => UploadProgress::Expired,
            UploadStatus::AwaitingUpload => UploadProgress::AwaitingUpload,
            UploadStatus::Processing => UploadProgress::Processing,
            UploadStatus::Done => UploadProgress::Done,
            UploadStatus::Failed => UploadProgress::Failed,
            UploadStatus::Expired => UploadProgress::Expired,
        };
        let message = row.error_message.unwrap_or_default();
        Self {
            id: Text::of(row.id),
            status,
            item_id: Text::of(row.item_id),
            filename: row.filename.into(),
            content_type: row.content_type.map(Text),
            bytes: row.declared_bytes,
            received_bytes: row.received_bytes,
            expires_at: row.expires_at.into(),
            error: row.error_code.map(|code| UploadFault { code: code.into(), message: message.into() }),
            created_at: row.created_at.into(),
            finished_at: row.finished_at.map(Time),
        }
    }
}
