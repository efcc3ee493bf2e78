//! A claimed read: computed, and made ready to be stored by the claim's end.
//!
//! Neighbours: `run_job`, which decides when it stops and how it ends, and `readers`, which compute.

use crate::readers::{JobCtx, ReadError, ReadOutcome, StoredRead};
use crate::run_job::{Done, Worker};
use crate::runner::Reading;
use common::domain::minutes::Minutes;
use common::domain::read::Read;
use common::ending::Product;
use common::ids::ItemId;
use common::media;
use common::store::items;
use common::store::jobs::{Claimed, ClaimedItem};
use common::store::reads::{NewRead, ReadBody};
use serde_json::{Value, json};
use std::sync::Arc;

/// Results up to this size stand in the row, larger ones in the media store.
const INLINE_BYTES: usize = 256 << 10;
/// A transcript is read up to this size: days of speech.
const RESULT_BYTES: u64 = 256 << 20;

impl Worker {
    /// Computes the read.
    pub(crate) async fn read(
        &self,
        claimed: &Claimed,
        item: &ClaimedItem,
        read: Read,
        mut ctx: JobCtx,
    ) -> Result<ReadOutcome, ReadError> {
        ctx.files_prefix = media::read_files_prefix(item.id, read, claimed.job, claimed.claim_no);
        if read == Read::SearchIndex {
            ctx.transcript = self.transcript(item.id).await.map(Arc::new);
        }
        let reading = Reading { read, object_key: item.object_key.clone() };
        (self.runner.run)(reading, ctx).await
    }

    /// A read that has a result: stored, and charged for the media actually decoded, never above the hold.
    pub(crate) async fn read_done(
        &self,
        claimed: &Claimed,
        item: &ClaimedItem,
        outcome: &ReadOutcome,
    ) -> Result<Done, ReadError> {
        let also = outcome.also.iter().filter(|one| one.kind == Read::Speech && claimed.owns_speech);
        let mut reads = Vec::new();
        for stored in [&outcome.stored].into_iter().chain(also) {
            reads.push(self.new_read(claimed, item, stored).await?);
        }
        for file in &outcome.files {
            self.process.media.put(&file.key, file.bytes.clone()).await.map_err(std::io::Error::other)?;
        }
        let names: Vec<&str> = reads.iter().map(|one| one.read.name()).collect();
        let result = json!({ "stored_reads": names });
        // What is charged for is what is stored.
        let rate: Minutes = reads.iter().map(|one| self.process.settings.rates.of(one.read)).sum();
        let made = reads.into_iter().map(Product::Read).collect();
        Ok(Done { charge: rate.price(outcome.duration_ms), result, made })
    }

    /// The item's transcript, when one is stored and can be had: moments without words are worth more than none.
    async fn transcript(&self, item: ItemId) -> Option<Value> {
        let mut conn = self.process.pool.acquire().await.ok()?;
        let stored = items::stored_read(&mut conn, item, Read::Transcript).await.ok()??;
        match (stored.result, stored.object_key) {
            (Some(result), _) => serde_json::from_str(&result).ok(),
            (None, Some(key)) => serde_json::from_slice(&self.process.media.get(&key, RESULT_BYTES).await.ok()?).ok(),
            (None, None) => None,
        }
    }

    async fn new_read(&self, claimed: &Claimed, item: &ClaimedItem, stored: &StoredRead) -> Result<NewRead, ReadError> {
        let read = stored.kind;
        let internal = |error: serde_json::Error| ReadError::Internal(error.to_string());
        let bytes = serde_json::to_vec(stored).map_err(internal)?;
        let body = if bytes.len() <= INLINE_BYTES {
            ReadBody::Inline(serde_json::from_slice(&bytes).map_err(internal)?)
        } else {
            let key = media::read_key(item.id, read, claimed.job, claimed.claim_no);
            self.process.media.put(&key, bytes.into()).await.map_err(std::io::Error::other)?;
            ReadBody::Object(key)
        };
        let quality = serde_json::to_value(stored.quality).ok().and_then(|word| word.as_str().map(str::to_owned));
        let engine = (stored.engine.name.clone(), stored.engine.version.clone());
        Ok(NewRead { item: item.id, read, job: claimed.job, engine, quality, body })
    }
}
