//! Pictures: a canvas's plan drawn layer by layer (`domain::still`).
//!
//! Every item is decoded by a confined child of its own, which gives pixels; they are encoded anew here, so that the
//! drawing library never reads a customer's bytes. `svg` writes the picture as a document that refers to nothing,
//! `words` breaks texts into lines, `ink` has letters and pictures, `paper` draws, `encode` writes its pixels. Pictures
//! wait for a turn to be drawn and encoded (`drawing_turns`); their sources are decoded before that, and may be closed.

mod drawing_turns;
mod encode;
mod ink;
mod paper;
mod svg;
mod words;

use super::{ItemMedia, OUTPUT_FILE, Rendered, material};
use crate::ingest::facts;
use crate::new_media::NewMedia;
use crate::readers::decode::{Room, Workshop, cover, picture};
use crate::readers::{JobCtx, MediaSource, MediaTools, ReadError};
use crate::renders::giving_way::giving_way;
use crate::renders::gone_through::refuse_unpaid;
use domain::ids::ItemId;
use domain::item::ItemType;
use domain::still::{Still, StillFormat, StillLayer, StillPicture};
pub(crate) use drawing_turns::drawing_limits;
use drawing_turns::{DRAWING_TURNS, DrawingTurn};
use futures_util::FutureExt;
use ink::{LayerPicture, PackedPicture};
use paper::Paper;
use rustix::time::{ClockId, clock_gettime};
use std::collections::HashMap;
use std::fs::File;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use store::uploads::Facts;

/// The progress in percent once a picture's sources are decoded, and once it is drawn.
const DECODED: u8 = 40;
const DRAWN: u8 = 80;
/// The longest side of the cover of an SVG, in pixels.
const COVER_SIDE: u32 = 320;
/// What is said of a layer whose surfaces would take too much memory.
const UNWIELDY: &str = "a layer takes too much memory to draw; render the canvas at a smaller `scale`, or make the \
                        layer or the blur of its shadow smaller";

/// The layers of a plan with the pixels of its items, which need not be open any more.
#[derive(Debug)]
pub(crate) struct DecodedLayers {
    layers: Vec<LayerPicture>,
    /// The milliseconds of film that cost as much as the picture.
    priced_ms: i64,
}

/// What a picture is decoded from.
pub(super) struct Originals<'a> {
    pub(super) still: &'a Still,
    pub(super) sources: &'a HashMap<ItemId, ItemMedia>,
}

/// The inputs that a picture is drawn with.
pub(super) struct Easel<'a> {
    pub(super) still: &'a Still,
    pub(super) tools: &'a Arc<MediaTools>,
    pub(super) most_bytes: u64,
}

/// Decodes the items of the picture.
pub(super) async fn decode(originals: &Originals<'_>, ctx: &JobCtx) -> Result<DecodedLayers, ReadError> {
    // No plan is made of these any more, and one that a version before made may be in line.
    if originals.still.unwieldy_layer().is_some() {
        return Err(ReadError::Unsupported(UNWIELDY));
    }
    let priced_ms = originals.priced_ms();
    refuse_unpaid(&originals.begun(), originals.sources, priced_ms, ctx).await?;
    Ok(DecodedLayers { layers: originals.layers(&ctx.step(0, DECODED)).await?, priced_ms })
}

/// Draws the picture.
pub(super) async fn draw(easel: &Easel<'_>, decoded: DecodedLayers, ctx: &JobCtx) -> Result<Rendered, ReadError> {
    let DecodedLayers { layers, priced_ms } = decoded;
    let media = drawn(easel, layers, ctx).await?;
    Ok(Rendered { media, duration_ms: priced_ms })
}

async fn drawn(easel: &Easel<'_>, layers: Vec<LayerPicture>, ctx: &JobCtx) -> Result<NewMedia, ReadError> {
    let workshop = Workshop::new(easel.tools)?;
    let (mut turn, mut later) = in_turn(ctx, DRAWING_TURNS.turn(easel.still, ctx.payer)).await?;
    if easel.still.format == StillFormat::Svg {
        return document(easel, &workshop, layers, turn, &later).await;
    }
    let before = ctx.processor.taken();
    let mut paper = Paper::new(easel.still).ok_or(ReadError::Crashed)?;
    let (shared, whole) = (Arc::new(easel.still.clone()), easel.still.layers.len() as u64);
    let step = ctx.step(DECODED, DRAWN);
    for layer in layers {
        let (still, number) = (Arc::clone(&shared), layer.number);
        let taken = ctx.processor.taken().saturating_sub(before);
        (turn, later) = in_turn(ctx, DRAWING_TURNS.next(turn, taken)).await?;
        // The turn goes with the drawing, which may go on when the job is stopped.
        let drawn = blocking(&later, move || paper.draw(&still, &[layer]).map(|paper| (paper, turn)));
        (paper, turn) = drawn.await??;
        ctx.processor.left()?;
        step.progress.reach_part(number as u64, whole);
    }
    // The turn ends with the pixels: what was written is looked at by children.
    encode::write(easel, &workshop, (paper, turn), easel.still.format, OUTPUT_FILE, &later).await?;
    written(easel, &workshop, &later).await
}

/// Waits for a turn to draw, a large picture outside its slot. Returns the turn, and the context to go on with.
async fn in_turn(
    ctx: &JobCtx,
    turn: impl Future<Output = Option<DrawingTurn>>,
) -> Result<(DrawingTurn, JobCtx), ReadError> {
    let mut turn = pin!(turn);
    let coming = async {
        // Who need not wait stays in its slot.
        if let Some(turn) = turn.as_mut().now_or_never() {
            return turn;
        }
        if let Some(outside) = &ctx.outside {
            outside.leave();
        }
        let turn = turn.await;
        if let Some(outside) = &ctx.outside {
            outside.back().await;
        }
        turn
    };
    let (turn, later) = ctx.turn(coming).await?;
    Ok((turn.ok_or(ReadError::Crashed)?, later))
}

/// The picture as it was written, if it is what was planned.
async fn written(easel: &Easel<'_>, workshop: &Workshop, ctx: &JobCtx) -> Result<NewMedia, ReadError> {
    let output = MediaSource::open(&workshop.path(OUTPUT_FILE), easel.tools, ctx).await?;
    let probe = output.probe();
    let size = probe.width.zip(probe.height);
    if !probe.is_image || size != Some((easel.still.size[0], easel.still.size[1])) {
        tracing::warn!(?probe, "A picture is not what was planned.");
        return Err(ReadError::Corrupt("it can't be rendered whole"));
    }
    let picture = cover(&output, 0, ctx).await.unwrap_or_default();
    let facts = facts(probe, Some(content_type(easel.still.format)));
    Ok(NewMedia { file: output.file().try_clone()?, facts, picture })
}

/// Makes the picture as a document of shapes, and a small one to show for it.
async fn document(
    easel: &Easel<'_>,
    workshop: &Workshop,
    layers: Vec<LayerPicture>,
    turn: DrawingTurn,
    ctx: &JobCtx,
) -> Result<NewMedia, ReadError> {
    let still = easel.still.clone();
    let small = shrunk(&still);
    let (text, paper, turn) = blocking(ctx, move || {
        let text = paper::document(&still, &layers)?;
        let paper = Paper::new(&small).ok_or(ReadError::Crashed)?.draw(&small, &layers)?;
        Ok::<_, ReadError>((text, paper, turn))
    })
    .await??;
    if text.len() as u64 > easel.most_bytes {
        return Err(ReadError::NoRoom);
    }
    workshop.put(OUTPUT_FILE, &text)?;
    encode::write(easel, workshop, (paper, turn), StillFormat::Jpeg, "cover", ctx).await?;
    let facts = Facts {
        item_type: ItemType::Image,
        duration_ms: None,
        has_audio: false,
        has_video: false,
        width: i32::try_from(easel.still.size[0]).ok(),
        height: i32::try_from(easel.still.size[1]).ok(),
        frame_rate: None,
        content_type: content_type(StillFormat::Svg).to_owned(),
        seekable: false,
        streams: Vec::new(),
        thumbnail_key: None,
    };
    let picture = Some(std::fs::read(workshop.path("cover"))?);
    let file = File::open(workshop.path(OUTPUT_FILE))?;
    Ok(NewMedia { file, facts, picture })
}

/// Returns the same picture at the size of covers.
fn shrunk(still: &Still) -> Still {
    let longest = still.size[0].max(still.size[1]).max(1);
    let side = |side: u32| (side * COVER_SIDE.min(longest) / longest).max(1);
    Still { size: still.size.map(side), ..still.clone() }
}

impl Originals<'_> {
    /// Returns the milliseconds of film that cost as much as this picture.
    fn priced_ms(&self) -> i64 {
        let known = |item: ItemId| self.sources.get(&item).map(|source| material(&source.media)).unwrap_or_default();
        self.still.priced_ms(known)
    }

    /// Returns all layers, with the pixels of those that show an item.
    async fn layers(&self, ctx: &JobCtx) -> Result<Vec<LayerPicture>, ReadError> {
        let (mut layers, whole) = (Vec::new(), self.still.layers.len() as u64);
        for (number, layer) in self.still.layers.iter().enumerate() {
            layers.push(LayerPicture { number, picture: self.picture(layer, ctx).await? });
            ctx.progress.reach_part(number as u64, whole);
        }
        Ok(layers)
    }

    /// Returns, for each film, the seconds at which a decoder begins in its middle.
    fn begun(&self) -> HashMap<ItemId, Vec<i64>> {
        let mut begun: HashMap<ItemId, Vec<i64>> = HashMap::new();
        for layer in &self.still.layers {
            if let StillPicture::Image { item, at_us: Some(at_us), .. } = layer.picture
                && at_us >= 1_000_000
                && self.sources.get(&item).is_some_and(|source| material(&source.media).seeks)
            {
                begun.entry(item).or_default().push(at_us / 1_000_000);
            }
        }
        begun
    }

    /// Returns the picture of a layer that shows an item.
    async fn picture(&self, layer: &StillLayer, ctx: &JobCtx) -> Result<Option<PackedPicture>, ReadError> {
        let StillPicture::Image { item, at_us, cover } = layer.picture else { return Ok(None) };
        let source = self.sources.get(&item).ok_or(ReadError::Missing)?;
        let [width, height] = self.still.source_size(layer.place);
        let decoded = picture(&source.media, Room { width, height, cover }, at_us, ctx).await?;
        blocking(ctx, move || PackedPicture::packed(&decoded).map(Some)).await?
    }
}

/// Does processor-bound work on a thread of its own, which gives way as a child does, and counts its time as a child's,
/// since a customer's picture is drawn. It is not awaited past the end of the job.
async fn blocking<T: Send + 'static>(ctx: &JobCtx, work: impl FnOnce() -> T + Send + 'static) -> Result<T, ReadError> {
    let processor = ctx.processor.clone();
    let working = processor.own_work().await;
    let counted = move || {
        let before = thread_time();
        let done = work();
        processor.take(thread_time().saturating_sub(before));
        drop(working);
        done
    };
    ctx.bounded(giving_way(counted)).await?
}

/// Returns the processor time of this thread.
fn thread_time() -> Duration {
    clock_gettime(ClockId::ThreadCPUTime).try_into().unwrap_or_default()
}

/// Returns the media type of a format.
const fn content_type(format: StillFormat) -> &'static str {
    match format {
        StillFormat::Png => "image/png",
        StillFormat::Jpeg => "image/jpeg",
        StillFormat::Webp => "image/webp",
        StillFormat::Svg => domain::media_use::SVG,
    }
}
