//! The layers over the scenes: pictures, texts and captions, made when they are first seen and dropped when they are
//! over.

use super::FilmRender;
use super::picture::{Area, Behind, Layer, Size, draw, lettered};
use super::text_mask::{self, Lettering, Stand};
use crate::readers::decode::{FrameSize, Workshop, image_layer};
use crate::readers::{JobCtx, Progress, ReadError};
use domain::brand_kit::CaptionPosition;
use domain::film::{FilmCue, FilmOverlay, FilmText, LEAST_LINE, OverlayPicture};
use domain::lines::Family;
use std::collections::HashMap;

/// The height of a line divided by the width of the dark edge around its letters.
const EDGE: usize = 24;
/// The height of a caption's line divided by the width of the coloured band around its letters.
const BAND: usize = 4;
/// Full opacity, in millionths.
const MILLION: i64 = 1_000_000;

/// The overlay or caption that a layer shows, by its index in the film.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Of {
    Overlay(usize),
    Cue(usize),
}

/// The room that a text is placed in.
#[derive(Debug, Clone, Copy)]
enum Room {
    /// A box, which its background fills.
    Box,
    /// The area of captions, in which only the band around the letters is coloured.
    Of(Stand),
}

/// Draws the layers over a film's scenes.
pub(super) struct Overlays<'a> {
    render: &'a FilmRender<'a>,
    workshop: &'a Workshop,
    size: Size,
    layers: HashMap<Of, Layer>,
    /// The index of the first caption that has not ended.
    cue: usize,
}

impl<'a> Overlays<'a> {
    /// Returns those of this film, in this size.
    pub(super) fn of(render: &'a FilmRender<'a>, workshop: &'a Workshop, size: Size) -> Self {
        Self { render, workshop, size, layers: HashMap::new(), cue: 0 }
    }

    /// Draws over frame `number`; frames come in order.
    pub(super) async fn draw(&mut self, number: i64, frame: &mut [u8], ctx: &JobCtx) -> Result<(), ReadError> {
        self.draw_overlays(number, frame, ctx).await?;
        self.draw_caption(number, frame, ctx).await
    }

    async fn draw_overlays(&mut self, number: i64, frame: &mut [u8], ctx: &JobCtx) -> Result<(), ReadError> {
        for (place, overlay) in self.render.film.overlays.iter().enumerate() {
            let of = Of::Overlay(place);
            if !(overlay.first..overlay.end).contains(&number) {
                self.layers.remove(&of);
                continue;
            }
            if !self.layers.contains_key(&of) {
                let layer = self.overlay(overlay, ctx).await?;
                self.layers.insert(of, layer);
            }
            if let Some(layer) = self.layers.get(&of) {
                let opacity = u32::try_from(i64::from(overlay.opacity) * 256 / MILLION).unwrap_or(256);
                draw(frame, self.size, layer, opacity);
            }
        }
        Ok(())
    }

    async fn draw_caption(&mut self, number: i64, frame: &mut [u8], ctx: &JobCtx) -> Result<(), ReadError> {
        let film = self.render.film;
        while film.cues.get(self.cue).is_some_and(|cue| cue.end <= number) {
            self.layers.remove(&Of::Cue(self.cue));
            self.cue += 1;
        }
        let Some(cue) = film.cues.get(self.cue).filter(|cue| cue.first <= number) else { return Ok(()) };
        let of = Of::Cue(self.cue);
        if !self.layers.contains_key(&of) {
            let layer = self.caption(cue, ctx).await?;
            self.layers.insert(of, layer);
        }
        if let Some(layer) = self.layers.get(&of) {
            draw(frame, self.size, layer, 256);
        }
        Ok(())
    }

    async fn overlay(&self, overlay: &FilmOverlay, ctx: &JobCtx) -> Result<Layer, ReadError> {
        let item = match &overlay.picture {
            OverlayPicture::Text(text) => return self.text(text, overlay.place, Room::Box, ctx).await,
            OverlayPicture::Image { item } => *item,
        };
        let area = placed(overlay.place, self.size);
        let pixels = |side: usize| u32::try_from(side).unwrap_or(2);
        let frame = FrameSize { width: pixels(area.size.width), height: pixels(area.size.height), cover: false };
        let aside = self.render.paid_for(item, &JobCtx { progress: Progress::new(), ..ctx.clone() });
        let mut picture = image_layer(self.render.source(item)?, frame, &aside).await?;
        let alpha = picture.split_off(area.size.bytes().min(picture.len()));
        Ok(Layer { area, picture, alpha })
    }

    async fn caption(&self, cue: &FilmCue, ctx: &JobCtx) -> Result<Layer, ReadError> {
        let stand = match cue.position {
            None | Some(CaptionPosition::Bottom) => Stand::Bottom,
            Some(CaptionPosition::Middle) => Stand::Middle,
            Some(CaptionPosition::Top) => Stand::Top,
        };
        self.text(&cue.text, cue.room(), Room::Of(stand), ctx).await
    }

    async fn text(&self, text: &FilmText, place: [i32; 4], room: Room, ctx: &JobCtx) -> Result<Layer, ReadError> {
        let area = placed(place, self.size);
        let line = scaled(text.size, self.size.height).max(LEAST_LINE);
        let stand = match room {
            Room::Box => Stand::Middle,
            Room::Of(stand) => stand,
        };
        let lettering =
            Lettering { text: &text.text, family: Family::of(text.family.as_deref(), &text.text), line, stand };
        let mask = text_mask::mask(self.render.tools(), self.workshop, lettering, area.size, ctx).await?;
        // Captions have no box behind them: their area is most of the picture.
        let around = match (text.background, room) {
            (Some(_), Room::Box) => None,
            (Some(_), Room::Of(_)) => Some(line / BAND),
            (None, _) => Some(line / EDGE + 1),
        };
        let behind = Behind { color: text.background.unwrap_or_default(), around };
        Ok(lettered(&mask, area, text.color, behind))
    }
}

/// Returns `millionths` of a side, in pixels.
fn scaled(millionths: i32, side: usize) -> usize {
    usize::try_from(millionths).unwrap_or(0) * side / 1_000_000
}

/// Returns a place in even pixels of a frame of this size.
fn placed([x, y, width, height]: [i32; 4], size: Size) -> Area {
    let even = |value: usize| value / 2 * 2;
    let own = Size { width: even(scaled(width, size.width)).max(2), height: even(scaled(height, size.height)).max(2) };
    Area { x: even(scaled(x, size.width)), y: even(scaled(y, size.height)), size: own }
}
