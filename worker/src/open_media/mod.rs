//! The media that this process works on now: fetched, opened and probed once for all jobs of an item that run together.
//! Where that makes copies, a job takes room on the disk for all of its media first (`scratch`).
//!
//! Nothing is kept for later: when the last job is done, the media is closed and its copy deleted. Neighbours:
//! `engines`, which asks for a job's media, and `readers`, which share the decoded sound of one through it.

use crate::readers::{JobCtx, MediaSource, MediaTools, ReadError};
use crate::scratch::{Room, Scratch};
use runtime::media::{LocalMedia, MediaError, MediaStore};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use store::items::StoredMedia;
use tokio::sync::OnceCell;

/// Open media, by the key in the media store.
#[derive(Debug)]
pub(crate) struct OpenMedia {
    store: MediaStore,
    scratch: Scratch,
    held: Mutex<HashMap<String, Weak<Slot>>>,
}

/// Filled by the first job that needs it. If that job is stopped while it does, the next one fills it.
type Slot = OnceCell<Opened>;

#[derive(Debug)]
struct Opened {
    source: MediaSource,
    _file: LocalMedia,
}

/// A job's hold on a media, which stays open for as long.
#[derive(Debug)]
pub(crate) struct Held {
    /// The media.
    pub(crate) source: MediaSource,
    _slot: Arc<Slot>,
    /// Given back behind the copy that has it, which is deleted with the slot.
    _room: Option<Arc<Room>>,
}

impl OpenMedia {
    /// Returns one without media, for this store, whose copies are within this room.
    pub(crate) fn new(store: MediaStore, scratch: Scratch) -> Self {
        Self { store, scratch, held: Mutex::default() }
    }

    /// Returns the media that a job works on, in this order, each as another job holds it or opened now. It waits
    /// within the bounds of `ctx`, and not for room on the disk, of which it takes what all of them need first.
    pub(crate) async fn get(
        &self,
        media: &[&StoredMedia],
        tools: &Arc<MediaTools>,
        ctx: &JobCtx,
    ) -> Result<Vec<Held>, ReadError> {
        let room = self.scratch.room(ctx.payer, media)?;
        let mut held = Vec::new();
        for one in media {
            held.push(self.get_one(one, room.clone(), tools, ctx).await?);
        }
        Ok(held)
    }

    async fn get_one(
        &self,
        media: &StoredMedia,
        room: Option<Arc<Room>>,
        tools: &Arc<MediaTools>,
        ctx: &JobCtx,
    ) -> Result<Held, ReadError> {
        let slot = self.slot(&media.object_key);
        let opened = ctx.bounded(slot.get_or_try_init(|| self.open(media, tools, ctx))).await??;
        Ok(Held { source: opened.source.clone(), _slot: Arc::clone(&slot), _room: room })
    }

    fn slot(&self, key: &str) -> Arc<Slot> {
        if cfg!(not(target_os = "linux")) {
            // Decoders that share one open file would move each other's position in it: `decode::INPUT`.
            return Arc::default();
        }
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(slot) = held.get(key).and_then(Weak::upgrade) {
            return slot;
        }
        held.retain(|_, slot| slot.strong_count() > 0);
        let slot = Arc::default();
        held.insert(key.to_owned(), Arc::downgrade(&slot));
        slot
    }

    async fn open(&self, media: &StoredMedia, tools: &Arc<MediaTools>, ctx: &JobCtx) -> Result<Opened, ReadError> {
        let copied = self.store.local_whole(&media.object_key, media.bytes, media.sha256.as_deref());
        let file = copied.await.map_err(unavailable)?;
        let source = MediaSource::open(file.path(), tools, ctx).await?;
        Ok(Opened { source, _file: file })
    }
}

/// Media that is gone is final; a store that does not answer may do so later.
fn unavailable(error: MediaError) -> ReadError {
    if error.is_missing() {
        return ReadError::Missing;
    }
    if error.is_of_the_store() {
        tracing::warn!(error = %error, next = error.cure(), "The media store failed.");
    }
    std::io::Error::other(error).into()
}

#[cfg(test)]
mod tests;
