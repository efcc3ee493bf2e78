//! A claimed read: computed, and made ready to be stored by the claim's end.
//!
//! Neighbours: `jobs`, which decides when it stops and how it ends, and `readers`, which compute.

use crate::engines::ReadRequest;
use crate::jobs::{Done, Worker, numbers};
use crate::readers::{JobCtx, KnownSpeech, ReadError, ReadOutcome, StoredRead};
use domain::credits::Credits;
use domain::footage::Rows;
use domain::minutes::Minutes;
use domain::read::Read;
use runtime::ending::Product;
use runtime::media;
use serde_json::json;
use std::borrow::Cow;
use std::sync::Arc;
use store::jobs::{Claimed, ClaimedItem, StoredSpeech};
use store::reads::{NewRead, ReadBody};
use tokio::time::Instant;

/// Results up to this size are stored in the row, larger ones in the media store.
const INLINE_BYTES: usize = 256 << 10;
/// Stored speech is read up to this size: far more than a day of it takes.
const RESULT_BYTES: u64 = 16 << 20;

impl Worker {
    /// Computes a read.
    pub(crate) async fn read(
        &self,
        claimed: &Claimed,
        item: &ClaimedItem,
        read: Read,
        mut ctx: JobCtx,
    ) -> Result<ReadOutcome, ReadError> {
        ctx.files_prefix = media::read_files_prefix(item.id, read, claimed.job, claimed.claim_no);
        if let (Some(speech), false) = (&claimed.speech, claimed.owns_speech) {
            ctx.speech = self.known_speech(speech).await.map(Arc::new);
        }
        let reading = ReadRequest { read, media: item.media() };
        let began = Instant::now();
        let outcome = (self.engines.run)(reading, ctx).await?;
        numbers::read(&outcome, began.elapsed());
        Ok(outcome)
    }

    /// Stores a read's result. Charges for the media actually decoded, never above the hold.
    pub(crate) async fn read_done(
        &self,
        claimed: &Claimed,
        item: &ClaimedItem,
        outcome: &ReadOutcome,
    ) -> Result<Done, ReadError> {
        let also = outcome.also.iter().filter(|one| one.kind == Read::Speech && claimed.owns_speech);
        let mut reads = Vec::new();
        for stored in [&outcome.stored].into_iter().chain(also) {
            reads.push(self.store_read(claimed, item, stored).await?);
        }
        for file in &outcome.files {
            self.process.media.put(&file.key, file.bytes.clone()).await.map_err(std::io::Error::other)?;
        }
        if let Some(read) = reads.first_mut() {
            // They go with the read that was asked for, which is the first.
            let bytes: usize = outcome.files.iter().map(|file| file.bytes.len()).sum();
            read.bytes = read.bytes.saturating_add(i64::try_from(bytes).unwrap_or(i64::MAX));
        }
        let names: Vec<&str> = reads.iter().map(|one| one.read.name()).collect();
        let result = json!({ "stored_reads": names });
        // Every read that is stored is charged for.
        let rate: Minutes = reads.iter().map(|one| self.process.settings.rates.of(one.read)).sum();
        let made = reads.into_iter().map(|read| Product::Read(Box::new(read))).collect();
        Ok(Done { charge: rate.price(outcome.duration_ms), credits: Credits::ZERO, result, made })
    }

    /// Returns the item's speech, if it can be read; otherwise the reader detects it itself.
    async fn known_speech(&self, stored: &StoredSpeech) -> Option<KnownSpeech> {
        match stored {
            StoredSpeech::Inline(result) => KnownSpeech::of(result.as_bytes()),
            StoredSpeech::Object(key) => KnownSpeech::of(&self.process.media.get(key, RESULT_BYTES).await.ok()?),
        }
    }

    async fn store_read(
        &self,
        claimed: &Claimed,
        item: &ClaimedItem,
        stored: &StoredRead,
    ) -> Result<NewRead, ReadError> {
        let read = stored.kind;
        let rows = Rows::of(read, &stored.data);
        let stored = without_rows(stored);
        let internal = |error: serde_json::Error| ReadError::Internal(error.to_string());
        let bytes = serde_json::to_vec(&*stored).map_err(internal)?;
        let size = i64::try_from(bytes.len()).unwrap_or(i64::MAX);
        let body = if bytes.len() <= INLINE_BYTES {
            ReadBody::Inline(serde_json::from_slice(&bytes).map_err(internal)?)
        } else {
            let key = media::read_key(item.id, read, claimed.job, claimed.claim_no);
            self.process.media.put(&key, bytes.into()).await.map_err(std::io::Error::other)?;
            ReadBody::Object(key)
        };
        let quality = serde_json::to_value(stored.quality).ok().and_then(|word| word.as_str().map(str::to_owned));
        let engine = (stored.engine.name.clone(), stored.engine.version.clone());
        Ok(NewRead { item: item.id, read, job: claimed.job, engine, quality, body, bytes: size, rows })
    }
}

/// Returns a read without what is stored in rows: a search index's moments, which are added when it is read.
fn without_rows(stored: &StoredRead) -> Cow<'_, StoredRead> {
    let mut stored = Cow::Borrowed(stored);
    if stored.kind == Read::SearchIndex
        && let Some(data) = stored.to_mut().data.as_object_mut()
    {
        data.remove("moments");
    }
    stored
}
