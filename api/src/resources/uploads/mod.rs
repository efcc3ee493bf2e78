//! Uploads: `/uploads` (contract §4.6). Bytes come by a presigned PUT to this service or to a bucket, or a worker
//! fetches them from a URL.
//!
//! The operations are here; `checked` checks requests, `body` reads a request's bytes, `content` takes those of a PUT
//! and `appending` those that come in pieces, in the protocol of `tus`. `direct` lets a bucket take them. A worker
//! finds out what the bytes are: the api's processes never decode media.

mod appending;
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
pub use shapes::{CreateUpload, Presigned, ReceivedBytes, Upload, UploadState};
pub use shown::UploadDetail;
use tus::TusAnswer;

use crate::app::App;
use crate::auth::{Auth, Caller, refuse_stopped};
use crate::contract::envelope::Stored;
use crate::contract::groups::{Refusals, Tag};
use crate::contract::idempotency::IdempotencyKey;
use crate::http::error::{Answer, ApiError, Code};
use crate::http::scope::Scope;
use crate::http::text::Text;
use crate::resources::library::{self, Item};
use crate::usecases::library::reach;
use crate::usecases::once::{Before, Made, Once};
use crate::usecases::uploads::complete::{complete_upload, unknown};
use crate::usecases::uploads::import::{Imported, import_upload};
use crate::usecases::uploads::{BegunUpload, begin_upload, token_made_before};
use domain::ids::UploadId;
use poem::Request;
use poem_openapi::OpenApi;
use poem_openapi::param::{Header, Path, Query};
use poem_openapi::payload::Json;
use poem_openapi::types::ToJSON;
use serde_json::Value;
use std::collections::BTreeMap;
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

/// Separates an upload's id from its token in its URL.
const TOKEN: &str = "/content?token=";

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
        let mut asked = body.0;
        let once = Once::of(&self.0, &caller, "POST /uploads", key, &asked);
        if let Some(before) = once.before(&self.0).await? {
            return self.again(&once, &before, asked.bytes).await;
        }
        asked.reads = wished_reads(&self.0, &caller, asked.reads).await?;
        if let Some(url) = &asked.url {
            refuse_mixture(&asked)?;
            let (name, item_ref) = (asked.filename.as_deref(), asked.item_ref.as_deref());
            let asked = AskedImport { url, name, item_ref, reads: asked.reads.as_deref() };
            return self.import(&caller, &once, &asked).await;
        }
        let announced = checked::announced(&asked, &self.0.process.settings)?;
        let show = |begun: BegunUpload, token: &str| {
            let url = Text::from(format!("{}/uploads/{}{TOKEN}{token}", self.0.base_url, begun.upload));
            let presigned = Presigned {
                method: "PUT".into(),
                url: url.clone(),
                url_expires_at: None,
                parts: None,
                resumable_url: url,
                headers: BTreeMap::from([("Content-Type".to_owned(), announced.content_type.clone())]),
                expires_at: begun.expires_at.into(),
            };
            let upload = Upload {
                id: Text::of(begun.upload),
                status: UploadState::AwaitingUpload,
                item_id: Text::of(begun.item),
                upload: Some(presigned),
            };
            upload.to_json_string()
        };
        match begin_upload(&self.0, &caller, &once, &announced, show).await? {
            Made::Now(body) => Ok(Stored::composed(self.with_links(body, asked.bytes).await?)),
            Made::Before(before) => self.again(&once, &before, asked.bytes).await,
        }
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

impl Uploads {
    /// Returns the answer of an upload that a worker fetches.
    async fn import(&self, caller: &Caller, once: &Once, asked: &AskedImport<'_>) -> Answer<Stored<Upload, 201>> {
        let checked = checked_import(&self.0.process, caller, asked).await?;
        let show = |imported: Imported| {
            let (id, item_id) = (Text::of(imported.upload), Text::of(imported.item));
            Upload { id, status: UploadState::Fetching, item_id, upload: None }.to_json_string()
        };
        Ok(import_upload(&self.0, caller, once, checked, show).await?.into())
    }

    /// Adds links to the bucket to the answer of an upload of `bytes` bytes, where the service uses a bucket directly.
    async fn with_links(&self, body: String, bytes: Option<i64>) -> Answer<String> {
        let media = &self.0.process.media;
        if self.0.api.direct_uploads && media.is_bucket() {
            direct::with_links(media, &body, bytes.unwrap_or(0)).await
        } else {
            Ok(body)
        }
    }

    /// Returns the stored answer of the call that began the upload, with the token of its URL put in again.
    async fn again(&self, once: &Once, before: &Before, bytes: Option<i64>) -> Answer<Stored<Upload, 201>> {
        let body = &before.body;
        if !body.contains(TOKEN) {
            return Ok(Stored::replayed(body.clone()));
        }
        let first: Value = serde_json::from_str(body).map_err(ApiError::internal)?;
        let upload: UploadId = Text::from(first["id"].as_str().unwrap_or_default()).id(Code::UploadNotFound)?;
        let token = token_made_before(&self.0, once, before, upload).await?;
        let body = body.replace(TOKEN, &format!("{TOKEN}{token}"));
        Ok(Stored::replayed(self.with_links(body, bytes).await?))
    }
}

/// Refuses a request that both announces bytes and names a URL.
fn refuse_mixture(asked: &CreateUpload) -> Answer<()> {
    let given = [
        ("bytes", asked.bytes.is_some()),
        ("content_type", asked.content_type.is_some()),
        ("sha256", asked.sha256.is_some()),
    ];
    match given.into_iter().find(|(_, given)| *given) {
        Some((name, _)) => Err(ApiError::new(Code::InvalidRequest, format!("`{name}`: not together with `url`."))),
        None => Ok(()),
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
