//! Joins bytes that came in parts, by tus 1.0.0 or into the bucket itself, into one object before they are probed.
//!
//! No row names the object until the same statement forgets the parts, so that a kill at any moment leaves either all
//! the parts or the object. An object that was joined in vain is deleted with the item, or swept.

use super::aside::Permit;
use super::attempt::Attempt;
use super::failure::Failure;
use bytes::Bytes;
use futures_util::stream::{Stream, StreamExt, TryStreamExt, iter};
use runtime::media::{MediaError, MediaStore, WriteError, new_media_key};
use store::uploads::{self, Part, Whole};

/// Bytes beyond which an upload is joined beside the slots.
const QUICK_BYTES: i64 = 64 << 20;

impl Attempt<'_> {
    /// Returns the key of the upload's bytes as one object, and the permit to go on beside the slots if it took one.
    pub(super) async fn one_object(&self) -> Result<(String, Option<Permit>), Failure> {
        if let Some(key) = &self.claim.object_key {
            return Ok((key.clone(), None));
        }
        let (whole, parts) = self.arrived().await?;
        let place = (parts.len() > 1 && whole.bytes > QUICK_BYTES).then(|| self.slot.leave());
        let (key, sha256) = match (parts.as_slice(), &whole.sha256) {
            ([], _) if whole.bytes == 0 => return Err(Failure::empty()),
            ([], _) => return Err(Failure::missing()),
            ([only], Some(sha256)) => (only.object_key.clone(), sha256.clone()),
            (parts, _) => self.join(&whole, parts).await?,
        };
        if !uploads::record_joined(&mut *self.process.pool.acquire().await?, self.claim, &key, &sha256).await? {
            // The claim is lost; whoever has it now joins them again.
            if parts.iter().all(|part| part.object_key != key) {
                self.drop_object(&key).await;
            }
            return Err(Failure::missing());
        }
        for part in parts.iter().filter(|part| part.object_key != key) {
            self.drop_object(&part.object_key).await;
        }
        Ok((key, place))
    }

    async fn arrived(&self) -> Result<(Whole, Vec<Part>), Failure> {
        let mut conn = self.process.pool.acquire().await?;
        let whole = uploads::whole(&mut conn, self.claim).await?.ok_or_else(Failure::missing)?;
        let parts = uploads::parts(&mut conn, self.claim).await?;
        Ok((whole, parts))
    }

    async fn join(&self, whole: &Whole, parts: &[Part]) -> Result<(String, Vec<u8>), Failure> {
        let key = new_media_key(self.claim.item_id);
        let bytes = in_order(&self.process.media, parts);
        let written = self.process.media.write(&key, bytes, whole.bytes.unsigned_abs()).await;
        let written = written.map_err(|error| match error {
            WriteError::Source(error) => error.into(),
            WriteError::TooLarge(_) => Failure::damaged(),
            WriteError::Store(error) => MediaError::from(error).into(),
        })?;
        let sha256 = written.sha256.to_vec();
        if written.bytes != whole.bytes.unsigned_abs() || whole.sha256.as_ref().is_some_and(|known| *known != sha256) {
            tracing::error!(upload.id = %self.claim.id, "Parts of an upload are not what was received.");
            return Err(Failure::damaged());
        }
        if whole.declared_sha256.as_ref().is_some_and(|declared| *declared != sha256) {
            return Err(Failure::not_as_announced());
        }
        Ok((key, sha256))
    }

    async fn drop_object(&self, key: &str) {
        if let Err(error) = self.process.media.delete(key).await {
            tracing::warn!(item.id = %self.claim.item_id, error = %error, "Bytes that were joined, or in vain, stay until they are swept.");
        }
    }
}

/// Returns the bytes of these parts, in order, read as they are taken.
fn in_order(store: &MediaStore, parts: &[Part]) -> impl Stream<Item = Result<Bytes, MediaError>> {
    iter(parts)
        .then(|part| store.find(&part.object_key, part.bytes.unsigned_abs()))
        .map_ok(runtime::media::StoredObject::into_stream)
        .try_flatten()
}
