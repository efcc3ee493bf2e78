//! A claimed render: made, put into the media store under a key that names the claim, and handed to the claim's end.
//!
//! Until that end is committed no row names the object. One that a lost claim has left is dropped by the scheduler's
//! `prune_renders`. Neighbours: `jobs`, which decides when it stops and how it ends, and `renders`, which make
//! media.

use crate::engines::{FilmItem, RenderRequest};
use crate::jobs::{Done, LEAST_TIME, Worker};
use crate::readers::{JobCtx, ReadError};
use domain::credits::Credits;
use domain::decoding::Decoding;
use domain::film::Film;
use domain::render::RenderPlan;
use domain::task::Task;
use runtime::ending::Product;
use runtime::media::{WriteError, new_thumbnail_key, rendered_key};
use serde_json::json;
use std::io;
use store::items;
use store::jobs::{Claimed, ClaimedItem, Music};
use store::renders::{self, NewRendered};
use tokio_util::io::ReaderStream;

/// Bytes that are moved to the media store at once.
const CHUNK_BYTES: usize = 1 << 20;

/// A new item whose media is in the media store.
pub(crate) struct Made {
    item: NewRendered,
    /// Milliseconds of the source that were decoded.
    duration_ms: i64,
}

impl Worker {
    /// Renders what the job's plan says, and stores it. `item` is what it is made from first and foremost.
    pub(crate) async fn render(
        &self,
        claimed: &Claimed,
        item: Option<&ClaimedItem>,
        ctx: &JobCtx,
    ) -> Result<Made, ReadError> {
        let Some(render) = &claimed.render else {
            return Err(ReadError::Internal("a render has no plan".to_owned()));
        };
        let plan: RenderPlan = serde_json::from_value(render.plan.clone())
            .map_err(|error| ReadError::Internal(format!("a render's plan can't be read: {error}")))?;
        let (music_key, music_bytes) = match &render.music {
            Some(Music::Here(music)) => (Some(music.object_key.clone()), music.bytes),
            Some(Music::Gone) => return Err(ReadError::Missing),
            None => (None, 0),
        };
        let most_bytes = self.room(claimed).await?;
        let others = match &plan {
            RenderPlan::RenderTimeline { .. } | RenderPlan::RenderCanvas { .. } => {
                film_items(item, render.others.as_deref().unwrap_or_default())
            }
            RenderPlan::RemoveSilence { .. } | RenderPlan::DuckMusic { .. } => Vec::new(),
        };
        let source = item.map(|item| (item.object_key.clone(), item.bytes));
        let time = (self.process.settings.render_timeout_factor.max(0.0), LEAST_TIME);
        let rendering = RenderRequest { plan, source, music_key, music_bytes, others, most_bytes, time };
        let rendered = (self.engines.render)(rendering, ctx.clone()).await?;

        self.reserve(claimed, rendered.file.metadata()?.len()).await?;
        let object_key = rendered_key(render.output, claimed.job, claimed.claim_no);
        let file = ReaderStream::with_capacity(tokio::fs::File::from_std(rendered.file), CHUNK_BYTES);
        let written = self.process.media.write(&object_key, file, most_bytes).await.map_err(not_written)?;
        let mut facts = rendered.facts;
        if let Some(jpeg) = rendered.picture {
            let key = new_thumbnail_key(render.output);
            self.process.media.put(&key, jpeg.into()).await.map_err(io::Error::other)?;
            facts.thumbnail_key = Some(key);
        }
        let item = NewRendered {
            job: claimed.job,
            hash: render.hash.clone(),
            item: render.output,
            workspace: claimed.workspace,
            account: claimed.owner,
            name: render.name.clone(),
            facts,
            bytes: i64::try_from(written.bytes).unwrap_or(i64::MAX),
            sha256: written.sha256.to_vec(),
            object_key,
        };
        Ok(Made { item, duration_ms: rendered.duration_ms })
    }

    /// Transaction "reserve": storage for the new item, before its bytes are kept. Two renders that fit one by one must
    /// not both take the last of it.
    pub(super) async fn reserve(&self, claimed: &Claimed, bytes: u64) -> Result<(), ReadError> {
        let number = |bytes: u64| i64::try_from(bytes).unwrap_or(i64::MAX);
        let quota = number(self.process.settings.storage_quota_bytes);
        let reserve = async {
            let mut reserve = self.process.pool.begin().await?;
            items::lock_storage(&mut reserve, claimed.owner).await?;
            let (job, claim_no) = (claimed.job, claimed.claim_no);
            let fits = renders::reserve(&mut reserve, job, claim_no, claimed.owner, number(bytes), quota).await?;
            reserve.commit().await?;
            Ok::<bool, sqlx::Error>(fits)
        };
        if reserve.await.map_err(io::Error::other)? { Ok(()) } else { Err(ReadError::NoRoom) }
    }

    /// Bytes that the new item may have: the limit of one file, or what is left of the account's storage.
    pub(super) async fn room(&self, claimed: &Claimed) -> Result<u64, ReadError> {
        let settings = &self.process.settings;
        let kept = async {
            let mut conn = self.process.pool.acquire().await?;
            let kept = items::bytes_kept(&mut conn, claimed.owner).await?;
            // What an attempt before this one reserved is this one's.
            Ok::<i64, sqlx::Error>(kept - renders::reserved(&mut conn, claimed.job).await?)
        };
        let kept = kept.await.map_err(io::Error::other)?;
        let left = settings.storage_quota_bytes.saturating_sub(u64::try_from(kept).unwrap_or(0));
        if left == 0 { Err(ReadError::NoRoom) } else { Ok(left.min(settings.max_upload_bytes)) }
    }

    /// A render whose media is stored: charged for the source that was decoded, never above the hold.
    pub(crate) fn render_done(&self, made: Made) -> Done {
        let charge = self.process.settings.rates.of(Task::Render).price(made.duration_ms);
        let result = json!({ "item_id": made.item.item });
        Done { charge, credits: Credits::ZERO, result, made: vec![Product::Item(Box::new(made.item))] }
    }
}

/// All that a film or a picture is made from: the job's item, and the others.
fn film_items(item: Option<&ClaimedItem>, others: &[ClaimedItem]) -> Vec<FilmItem> {
    let film_item = |item: &ClaimedItem| FilmItem {
        item: item.id,
        object_key: item.object_key.clone(),
        bytes: item.bytes,
        duration_ms: item.duration_ms,
    };
    item.into_iter().chain(others).map(film_item).collect()
}

/// Milliseconds of media that a claimed render goes through: its time to work is so many times as long. A film's are
/// what it is worth at the most and those of all that it is made from, which have to be fetched first; a layer of a
/// picture counts as a second.
pub(crate) fn media_ms(claimed: &Claimed, item: Option<&ClaimedItem>) -> i64 {
    let source_ms = item.map_or(0, |item| item.duration_ms);
    let Some(render) = &claimed.render else { return source_ms };
    let film = render.plan.get("film").and_then(|film| serde_json::from_value::<Film>(film.clone()).ok());
    let film_ms = film.map_or(0, |film| Decoding::of(&film, |_| false).worth_ms(&film));
    let layers = render.plan["still"]["layers"].as_array().map_or(0, Vec::len);
    let own_ms = film_ms + i64::try_from(layers).unwrap_or(0) * 1000;
    let others: i64 = render.others.iter().flatten().map(|other| other.duration_ms).sum();
    source_ms.saturating_add(others).saturating_add(own_ms)
}

pub(super) fn not_written(error: WriteError<io::Error>) -> ReadError {
    match error {
        WriteError::TooLarge(_) => ReadError::NoRoom,
        WriteError::Source(error) => error.into(),
        WriteError::Store(error) => io::Error::other(error).into(),
    }
}
