//! Uploads: `/uploads` (contract §4.6). Bytes come by a presigned PUT to this service or to a bucket, or a worker
//! fetches them from a URL.
//!
//! The operations are here; `checked` checks requests, `begun` answers those that begin an upload, `body` reads a
//! request's bytes, `content` takes those of a PUT and `appending` those that come in pieces, in the protocol of `tus`.
//! `direct` lets a bucket take them. A worker finds out what the bytes are: the api's processes never decode media.

mod appending;
mod begun;
mod body;
mod checked;
mod content;
mod direct;
mod sending;
mod shapes;
mod shown;
pub mod tus;

use appending::{PatchHeaders, Reached};
pub use body::{AppendedBody, FileBody};
pub use checked::{AskedImport, checked_import, wished_reads};
pub use shapes::{CreateUpload, ReceivedBytes, Upload};
pub use shown::UploadDetail;
use tus::TusAnswer;

use crate::app::App;
use crate::auth::{Auth, refuse_stopped};
use crate::contract::envelope::Stored;
use crate::contract::groups::{Refusals, Tag};
use crate::contract::idempotency::IdempotencyKey;
use crate::http::error::{Answer, ApiError, Code};
use crate::http::scope::Scope;
use crate::http::text::Text;
use crate::resources::library::{self, Item};
use crate::usecases::library::reach;
use crate::usecases::uploads::complete::{complete_upload, unknown};
use domain::ids::UploadId;
use poem::Request;
use poem_openapi::OpenApi;
use poem_openapi::param::{Header, Path, Query};
use poem_openapi::payload::Json;
use store::uploads;

/// The error codes of these operations, besides those that any operation may return.
pub const ERRORS: Refusals = &[
    (
        "POST /uploads",
        &[
            Code::RoleForbidden,
            Code::RefTaken,
            Code::FileTooLarge,
            Code::UnsupportedMediaType,
            Code::UrlNotAllowed,
            Code::QuotaReached,
        ],
    ),
    (
        "PUT /uploads/{id}/content",
        &[
            Code::Unauthenticated,
            Code::UploadNotFound,
            Code::UploadIncomplete,
            Code::IllegalTransition,
            Code::FileTooLarge,
            Code::UnsupportedMediaType,
        ],
    ),
    ("HEAD /uploads/{id}/content", &[Code::Unauthenticated, Code::UploadNotFound, Code::TusVersionUnsupported]),
    (
        "PATCH /uploads/{id}/content",
        &[
            Code::Unauthenticated,
            Code::UploadNotFound,
            Code::UploadIncomplete,
            Code::UploadOffsetMismatch,
            Code::IllegalTransition,
            Code::FileTooLarge,
            Code::UnsupportedMediaType,
            Code::TusVersionUnsupported,
            Code::ChunkMismatch,
        ],
    ),
    ("OPTIONS /uploads/{id}/content", &[]),
    ("GET /uploads/{id}", &[Code::UploadNotFound, Code::WorkspaceForbidden]),
    (
        "POST /uploads/{id}/complete",
        &[
            Code::RoleForbidden,
            Code::WorkspaceForbidden,
            Code::UploadNotFound,
            Code::ItemNotFound,
            Code::UploadIncomplete,
            Code::ChecksumMismatch,
        ],
    ),
];

/// The upload operations.
pub struct Uploads(pub App);

#[OpenApi(tag = "Tag::Uploads")]
#[expect(clippy::unused_async, reason = "the macro takes async handlers alone")]
impl Uploads {
    /// Start an upload
    ///
    /// With `filename`, `content_type` and `bytes`: PUT the bytes as `upload` says, then call `complete`. With `url`: a
    /// worker fetches the file, and there is nothing more to do.
    #[oai(path = "/uploads", method = "post", operation_id = "create_upload")]
    async fn create(&self, auth: Auth, key: IdempotencyKey, body: Json<CreateUpload>) -> Answer<Stored<Upload, 201>> {
        let Auth(caller) = auth;
        self.begin(&caller, key, body.0).await
    }

    /// Send the bytes of an upload
    ///
    /// The URL is the `resumable_url` that `POST /uploads` returned; it needs no other credential. Until `complete`,
    /// bytes that are sent again replace earlier ones. One request at a time may send them. To send them in pieces, and
    /// to continue after a break, use PATCH.
    #[oai(path = "/uploads/:id/content", method = "put", operation_id = "send_upload_content")]
    async fn content(
        &self,
        request: &Request,
        /// The upload's id.
        id: Path<Text>,
        /// The secret in the upload's URL.
        token: Query<Option<Text>>,
        body: FileBody,
    ) -> Answer<Json<ReceivedBytes>> {
        let upload: UploadId = id.0.id(Code::UploadNotFound)?;
        let written = content::receive(&self.0, &Scope::of(request), upload, token.0.as_deref(), body).await?;
        Ok(Json(ReceivedBytes {
            id: id.0,
            received_bytes: written.bytes,
            sha256: library::hexadecimal(&written.sha256).into(),
        }))
    }

    /// Get the offset of an upload
    ///
    /// tus 1.0.0: `Upload-Offset` is the offset of the next byte, `Upload-Length` the length of the file in bytes. For
    /// a completed upload they are equal; one that failed is not found.
    #[oai(path = "/uploads/:id/content", method = "head", operation_id = "get_upload_offset")]
    async fn offset(
        &self,
        request: &Request,
        /// The upload's id.
        id: Path<Text>,
        /// The secret in the upload's URL.
        token: Query<Option<Text>>,
        /// The version of tus that the client speaks: 1.0.0.
        #[oai(name = "Tus-Resumable")]
        version: Header<Option<Text>>,
    ) -> Answer<TusAnswer> {
        tus::check_version(version.0.as_deref())?;
        let upload: UploadId = id.0.id(Code::UploadNotFound)?;
        let row = content::shown_to(&self.0, &Scope::of(request), upload, token.0.as_deref()).await?;
        refuse_stopped(false, row.suspended.as_deref())?;
        let failed = || ApiError::new(Code::UploadNotFound, "The upload has failed: its bytes are gone.");
        Ok(TusAnswer::Reached(Reached::of(&row).ok_or_else(failed)?))
    }

    /// Send more bytes of an upload
    ///
    /// tus 1.0.0: the bytes begin at `Upload-Offset`, which must be the offset that the upload has reached. Bytes that
    /// arrive are kept even if the connection breaks: ask for the offset with HEAD, and send the rest. With
    /// `Upload-Checksum` the bytes are kept only once all have come and match it. After the last byte, call `complete`.
    #[oai(path = "/uploads/:id/content", method = "patch", operation_id = "append_upload_content")]
    #[expect(clippy::too_many_arguments, reason = "an operation's parameters are its arguments")]
    async fn append(
        &self,
        request: &Request,
        /// The upload's id.
        id: Path<Text>,
        /// The secret in the upload's URL.
        token: Query<Option<Text>>,
        /// The version of tus that the client speaks: 1.0.0.
        #[oai(name = "Tus-Resumable")]
        version: Header<Option<Text>>,
        /// The offset of these bytes in the file; required.
        #[oai(name = "Upload-Offset")]
        offset: Header<Option<Text>>,
        /// `sha1`, `sha256` or `sha512`, a space, and the digest of these bytes in Base64.
        #[oai(name = "Upload-Checksum")]
        checksum: Header<Option<Text>>,
        body: AppendedBody,
    ) -> Answer<TusAnswer> {
        tus::check_version(version.0.as_deref())?;
        let upload: UploadId = id.0.id(Code::UploadNotFound)?;
        let announced = PatchHeaders { offset: offset.0.as_deref(), checksum: checksum.0.as_deref() };
        let scope = Scope::of(request);
        let reached = appending::append(&self.0, &scope, upload, token.0.as_deref(), announced, body.0).await?;
        Ok(TusAnswer::Appended(reached.offset))
    }

    /// Get the upload protocol
    ///
    /// tus 1.0.0: its version, its extensions and the size limit of a file in bytes. No token is needed.
    #[oai(path = "/uploads/:id/content", method = "options", operation_id = "describe_uploads")]
    async fn describe(
        &self,
        /// An upload's id; any value is accepted.
        id: Path<Text>,
        /// The secret in the upload's URL; any value is accepted.
        token: Query<Option<Text>>,
    ) -> TusAnswer {
        // The answer is the same for every upload.
        drop((id, token));
        TusAnswer::Spoken { most_bytes: self.0.process.settings.max_upload_bytes }
    }

    /// Get an upload
    ///
    /// Returns its status, and why it failed. The URL that takes its bytes is not shown: only `POST /uploads` returns
    /// it. An upload that has ended is kept as long as jobs are.
    #[oai(path = "/uploads/:id", method = "get", operation_id = "get_upload")]
    async fn get(
        &self,
        auth: Auth,
        /// The upload's id.
        id: Path<Text>,
    ) -> Answer<Json<UploadDetail>> {
        let Auth(caller) = auth;
        let upload: UploadId = id.0.id(Code::UploadNotFound)?;
        let row = uploads::shown(&mut *self.0.conn().await?, upload).await?.ok_or_else(unknown)?;
        if row.workspace_id != caller.workspace.id {
            return Err(ApiError::elsewhere("upload"));
        }
        Ok(Json(row.into()))
    }

    /// Complete an upload
    ///
    /// Hands the bytes to a worker and returns the item in `processing`; `GET /library/items/{id}` says when it is
    /// `ready` or `failed`. Completing it again returns the item again.
    #[oai(path = "/uploads/:id/complete", method = "post", operation_id = "complete_upload")]
    async fn complete(
        &self,
        auth: Auth,
        /// The upload's id.
        id: Path<Text>,
    ) -> Answer<Json<Item>> {
        let Auth(caller) = auth;
        let upload: UploadId = id.0.id(Code::UploadNotFound)?;
        let row = complete_upload(&self.0, &caller, upload).await?;
        let mut conn = self.0.conn().await?;
        let item = reach(&mut conn, caller.workspace, &row.item_id.to_string()).await?;
        Ok(Json(Item::of(item, &self.0.links)))
    }
}

/// Returns the refusal while another request sends: its claim ends in `left_seconds` seconds, unless it is renewed.
fn busy(left_seconds: i32) -> ApiError {
    ApiError::new(Code::UploadIncomplete, "Another request sends the bytes of this upload now.")
        .suggest("Let that request end, or wait as many seconds as Retry-After says; then send the bytes again.")
        .retry_after(u64::try_from(left_seconds).unwrap_or(1))
}

fn completed() -> ApiError {
    ApiError::new(Code::IllegalTransition, "The upload has ended or was completed: it takes no more bytes.")
}
