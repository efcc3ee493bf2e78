//! The frames of the scenes, in order, dissolved where two are visible at once.
//!
//! A scene's picture is opened at its first frame. The film's `domain::decoding` says which decoder goes on with which
//! part of its item.

use super::picture::{Size, darken, dissolve, plain};
use super::{FilmRender, misplaced};
use crate::readers::decode::{FirstFrame, FrameSize, FrameStream, black, image_frame};
use crate::readers::{JobCtx, Progress, ReadError};
use domain::decoding::{Source, Step};
use domain::film::{FilmPicture, FilmScene};
use domain::ids::ItemId;
use std::collections::{HashMap, VecDeque};

/// The source of a scene's frames.
enum FrameSource {
    /// A video.
    Moving(ItemId, Box<FrameStream>),
    /// One frame, repeated.
    Still(Vec<u8>),
}

impl FrameSource {
    /// Its next frame.
    async fn frame(&mut self, render: &FilmRender<'_>, ctx: &JobCtx) -> Result<Vec<u8>, ReadError> {
        match self {
            Self::Moving(item, stream) => Ok(stream.frame(&aside(render, *item, ctx)).await?.to_vec()),
            Self::Still(frame) => Ok(frame.clone()),
        }
    }
}

/// A scene, and its number in the film.
#[derive(Debug, Clone, Copy)]
struct NumberedScene<'a> {
    number: usize,
    scene: &'a FilmScene,
}

impl NumberedScene<'_> {
    /// Returns the first frame of the film in which it is no longer visible.
    const fn end(self) -> i64 {
        self.scene.first + self.scene.frames
    }
}

/// Returns a film's frames without the layers over them.
pub(super) struct Scenes<'a> {
    render: &'a FilmRender<'a>,
    size: Size,
    /// The scenes that have not ended; the first may be visible now.
    left: VecDeque<NumberedScene<'a>>,
    /// The pictures of the first of these scenes, as far as they are opened.
    open: VecDeque<FrameSource>,
    /// Decoders that a later scene goes on with, by the number of the scene that ended.
    idle: HashMap<usize, Box<FrameStream>>,
}

impl<'a> Scenes<'a> {
    /// Returns those of this film, in this size.
    pub(super) fn of(render: &'a FilmRender<'a>, size: Size) -> Self {
        let scenes = render.film.scenes.iter().enumerate().map(|(number, scene)| NumberedScene { number, scene });
        let left = scenes.filter(|numbered| numbered.scene.frames > 0).collect();
        Self { render, size, left, open: VecDeque::new(), idle: HashMap::new() }
    }

    /// Returns frame `number`; frames are asked for in order.
    pub(super) async fn frame(&mut self, number: i64, ctx: &JobCtx) -> Result<Vec<u8>, ReadError> {
        self.leave_ended(number).await;
        let mut frame: Option<Vec<u8>> = None;
        let seen = self.left.iter().take_while(|numbered| numbered.scene.first <= number);
        for (place, numbered) in seen.enumerate() {
            let scene = numbered.scene;
            if self.open.len() <= place {
                let opened = open(self.render, &mut self.idle, *numbered, self.size, ctx).await?;
                self.open.push_back(opened);
            }
            if scene.frames <= number - scene.first {
                continue;
            }
            let mut own = match self.open.get_mut(place) {
                Some(shown) => shown.frame(self.render, ctx).await?,
                None => black(self.size.bytes()),
            };
            let at = number - scene.first;
            darken(&mut own, self.size, faded(scene, at));
            frame = Some(match frame {
                Some(mut under) => {
                    dissolve(&mut under, &own, part(at + 1, scene.overlap + 1));
                    under
                }
                None => own,
            });
        }
        Ok(frame.unwrap_or_else(|| black(self.size.bytes())))
    }

    /// Ends all decoders.
    pub(super) async fn end(self) {
        let open = self.open.into_iter().filter_map(|shown| match shown {
            FrameSource::Moving(_, stream) => Some(stream),
            FrameSource::Still(_) => None,
        });
        for mut stream in open.chain(self.idle.into_values()) {
            stream.kill().await;
        }
    }

    /// Forgets the scenes that have ended by this frame.
    async fn leave_ended(&mut self, number: i64) {
        while let Some(over) = self.left.pop_front_if(|numbered| numbered.end() <= number) {
            if let Some(FrameSource::Moving(_, stream)) = self.open.pop_front() {
                self.put_aside(over.number, stream).await;
            }
        }
    }

    async fn put_aside(&mut self, over: usize, mut stream: Box<FrameStream>) {
        if step(self.render, over).is_kept {
            self.idle.insert(over, stream);
        } else {
            stream.kill().await;
        }
    }
}

/// Returns how a scene is decoded: from its item's start where the film does not say.
fn step(render: &FilmRender<'_>, scene: usize) -> Step {
    let step = render.decoding.scenes.get(scene).copied().flatten();
    step.unwrap_or(Step { source: Source::Opened(0), is_kept: false })
}

async fn open(
    render: &FilmRender<'_>,
    idle: &mut HashMap<usize, Box<FrameStream>>,
    numbered: NumberedScene<'_>,
    size: Size,
    ctx: &JobCtx,
) -> Result<FrameSource, ReadError> {
    let NumberedScene { number, scene } = numbered;
    let pixels = |side: usize| u32::try_from(side).unwrap_or(2);
    let frame = FrameSize { width: pixels(size.width), height: pixels(size.height), cover: scene.cover };
    match scene.picture {
        FilmPicture::Color { rgb } => Ok(FrameSource::Still(plain(rgb, size))),
        FilmPicture::Image { item } => {
            Ok(FrameSource::Still(image_frame(render.source(item)?, frame, &aside(render, item, ctx)).await?))
        }
        FilmPicture::Clip { item, from } => {
            let ctx = aside(render, item, ctx);
            let stream = match step(render, number).source {
                Source::After(earlier) => {
                    let mut stream = idle.remove(&earlier).ok_or_else(|| misplaced("scene"))?;
                    stream.skip_to(from, &ctx).await?;
                    stream
                }
                Source::Opened(decoded) => {
                    let (rate, first) = (render.film.rate, FirstFrame { decoded, given: from });
                    Box::new(FrameStream::start(render.source(item)?, frame, rate, first, &ctx).await?)
                }
            };
            Ok(FrameSource::Moving(item, stream))
        }
    }
}

/// Returns the context in which an item is decoded, with a progress of its own.
fn aside(render: &FilmRender<'_>, item: ItemId, ctx: &JobCtx) -> JobCtx {
    render.paid_for(item, &JobCtx { progress: Progress::new(), ..ctx.clone() })
}

/// Returns how far a scene is faded up from black at its frame `at`, of 256.
fn faded(scene: &FilmScene, at: i64) -> u32 {
    let up = if at < scene.fade_in { part(at, scene.fade_in) } else { 256 };
    let left = scene.frames - 1 - at;
    let down = if left < scene.fade_out { part(left, scene.fade_out) } else { 256 };
    up.min(down)
}

/// Returns `done` as a part of `whole`, of 256.
fn part(done: i64, whole: i64) -> u32 {
    u32::try_from(done.max(0) * 256 / whole.max(1)).unwrap_or(256).min(256)
}
