//! The answer of a call that begins an upload: with the URL that takes its bytes, or without one if a worker fetches
//! them. A call that is sent again is answered as the first was.

use super::checked::{self, AskedImport, checked_import, wished_reads};
use super::shapes::{CreateUpload, Presigned, Upload, UploadState};
use super::{Uploads, direct};
use crate::auth::Caller;
use crate::contract::envelope::Stored;
use crate::contract::idempotency::IdempotencyKey;
use crate::http::error::{Answer, ApiError, Code};
use crate::http::text::Text;
use crate::usecases::once::{Before, Made, Once};
use crate::usecases::uploads::import::{Imported, import_upload};
use crate::usecases::uploads::{BegunUpload, begin_upload, token_made_before};
use domain::ids::UploadId;
use poem_openapi::types::ToJSON;
use serde_json::Value;
use std::collections::BTreeMap;

/// Separates an upload's id from its token in its URL.
const TOKEN: &str = "/content?token=";

impl Uploads {
    /// Begins an upload, or finds the one that the call's key began before, and returns what is answered.
    pub(super) async fn begin(
        &self,
        caller: &Caller,
        key: IdempotencyKey,
        mut asked: CreateUpload,
    ) -> Answer<Stored<Upload, 201>> {
        let once = Once::of(&self.0, caller, "POST /uploads", key, &asked);
        if let Some(before) = once.before(&self.0).await? {
            return self.again(&once, &before, asked.bytes).await;
        }
        asked.reads = wished_reads(&self.0, caller, asked.reads).await?;
        if let Some(url) = &asked.url {
            refuse_mixture(&asked)?;
            let (name, item_ref) = (asked.filename.as_deref(), asked.item_ref.as_deref());
            let asked = AskedImport { url, name, item_ref, reads: asked.reads.as_deref() };
            return self.import(caller, &once, &asked).await;
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
        match begin_upload(&self.0, caller, &once, &announced, show).await? {
            Made::Now(body) => Ok(Stored::composed(self.with_links(body, asked.bytes).await?)),
            Made::Before(before) => self.again(&once, &before, asked.bytes).await,
        }
    }

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
