//! Joins bytes that came in parts, by tus 1.0.0 or into the bucket itself, into one object before they are probed.
//!
//! No row names the object until the same statement forgets the parts, so that a kill at any moment leaves either all
//! the parts or the object. An object that was joined in vain is deleted with the item, or swept.

use super::aside::{Permit, QUICK_BYTES};
use super::attempt::Attempt;
use super::failure::Failure;
use crate::turns::TurnPermit;
use bytes::Bytes;
use futures_util::stream::{Stream, StreamExt, TryStreamExt, iter};
use runtime::media::{MediaError, MediaStore, WriteError, new_media_key};
use store::uploads::{self, Part, Whole};

/// The permit to go on beside the slots, and the turn to copy a large file.
type Copying = (Permit, Option<TurnPermit>);

impl Attempt<'_> {
    /// Returns the key of the upload's bytes as one object, and the turn to copy a large file if it took one.
    pub(super) async fn one_object(&self) -> Result<(String, Option<Copying>), Failure> {
        if let Some(key) = &self.claim.object_key {
            return Ok((key.clone(), None));
        }
        let (whole, parts) = self.find_parts().await?;
        let copying = if is_long(&whole, &parts) { Some(self.slot.copy_turn().await) } else { None };
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
        Ok((key, copying))
    }

    async fn find_parts(&self) -> Result<(Whole, Vec<Part>), Failure> {
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

/// Whether it takes long to make one object of these parts. One part alone is copied too where the client put it into
/// the bucket: nobody has read it, and the client may put another in its place.
fn is_long(whole: &Whole, parts: &[Part]) -> bool {
    let is_copied = match parts {
        [] => false,
        [_] => whole.sha256.is_none(),
        _ => true,
    };
    is_copied && whole.bytes > QUICK_BYTES
}

/// Returns the bytes of these parts, in order, read as they are taken.
fn in_order(store: &MediaStore, parts: &[Part]) -> impl Stream<Item = Result<Bytes, MediaError>> {
    iter(parts)
        .then(|part| store.find(&part.object_key, part.bytes.unsigned_abs()))
        .map_ok(runtime::media::StoredObject::into_stream)
        .try_flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_upload_is_copied_beside_the_slots_also_where_it_is_one_part_in_the_bucket() {
        let part = |start| Part { start, bytes: QUICK_BYTES, object_key: "a".to_owned() };
        let whole = |bytes, read: bool| Whole { bytes, sha256: read.then(|| vec![0; 32]), declared_sha256: None };
        assert!(is_long(&whole(QUICK_BYTES + 1, false), &[part(0)]), "what the client put there itself");
        assert!(!is_long(&whole(QUICK_BYTES + 1, true), &[part(0)]), "what came by here is one object already");
        assert!(is_long(&whole(2 * QUICK_BYTES, true), &[part(0), part(QUICK_BYTES)]));
        assert!(!is_long(&whole(QUICK_BYTES, false), &[part(0)]) && !is_long(&whole(QUICK_BYTES + 1, false), &[]));
    }
}
