//! What is under: the frames of the scenes, one after the other, dissolved where two are seen at once.
//!
//! A scene's picture is opened when its first frame has come. A decoder whose scene has ended goes on with the next
//! part of its item, if that comes soon.

use super::Films;
use super::picture::{Size, darken, dissolve, plain};
use crate::readers::decode::{Canvas, FrameStream, black, image_frame};
use crate::readers::{JobCtx, Progress, ReadError};
use domain::film::{FilmPicture, FilmScene};
use domain::ids::ItemId;

/// Decoders that wait for a later part of their item.
const MOST_IDLE: usize = 2;
/// How many frames a decoder that waits may go on to a later part.
const FARTHEST: i64 = 500;

/// Where a scene's frames come from.
enum Shown {
    /// A video.
    Moving(ItemId, bool, Box<FrameStream>),
    /// One frame, again and again.
    Still(Vec<u8>),
}

/// Gives a film's frames without what is over them.
pub(super) struct Scenes<'a> {
    films: &'a Films<'a>,
    size: Size,
    /// The scenes that have not ended; the first may be visible now.
    left: &'a [FilmScene],
    /// The pictures of the first of these scenes, as far as they were opened.
    open: Vec<Shown>,
    idle: Vec<(ItemId, bool, Box<FrameStream>)>,
}

impl<'a> Scenes<'a> {
    /// Of this film, in this size.
    pub(super) fn of(films: &'a Films<'a>, size: Size) -> Self {
        Self { films, size, left: &films.film.scenes, open: Vec::new(), idle: Vec::new() }
    }

    /// Frame `number`; they are asked for in order.
    pub(super) async fn frame(&mut self, number: i64, ctx: &JobCtx) -> Result<Vec<u8>, ReadError> {
        while self.left.first().is_some_and(|scene| scene.first + scene.frames <= number) {
            self.left = self.left.get(1..).unwrap_or_default();
            if !self.open.is_empty() {
                let over = self.open.remove(0);
                self.put_aside(over).await;
            }
        }
        let mut frame: Option<Vec<u8>> = None;
        let seen = self.left.iter().take_while(|scene| scene.first <= number);
        for (place, scene) in seen.enumerate() {
            if self.open.len() <= place {
                let opened = open(self.films, &mut self.idle, scene, self.size, ctx).await?;
                self.open.push(opened);
            }
            if scene.frames <= number - scene.first {
                continue;
            }
            let mut own = match self.open.get_mut(place) {
                Some(Shown::Moving(item, _, stream)) => stream.frame(&aside(self.films, *item, ctx)).await?.to_vec(),
                Some(Shown::Still(frame)) => frame.clone(),
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

    /// Ends what is still decoded.
    pub(super) async fn end(self) {
        let open = self.open.into_iter().filter_map(|shown| match shown {
            Shown::Moving(_, _, stream) => Some(stream),
            Shown::Still(_) => None,
        });
        for mut stream in open.chain(self.idle.into_iter().map(|(_, _, stream)| stream)) {
            stream.kill().await;
        }
    }

    async fn put_aside(&mut self, shown: Shown) {
        let Shown::Moving(item, cover, stream) = shown else { return };
        self.idle.push((item, cover, stream));
        while self.idle.len() > MOST_IDLE {
            self.idle.remove(0).2.kill().await;
        }
    }
}

async fn open(
    films: &Films<'_>,
    idle: &mut Vec<(ItemId, bool, Box<FrameStream>)>,
    scene: &FilmScene,
    size: Size,
    ctx: &JobCtx,
) -> Result<Shown, ReadError> {
    let pixels = |side: usize| u32::try_from(side).unwrap_or(2);
    let canvas = Canvas { width: pixels(size.width), height: pixels(size.height), cover: scene.cover };
    match scene.picture {
        FilmPicture::Color { rgb } => Ok(Shown::Still(plain(rgb, size))),
        FilmPicture::Image { item } => {
            Ok(Shown::Still(image_frame(films.source(item)?, canvas, &aside(films, item, ctx)).await?))
        }
        FilmPicture::Clip { item, from } => {
            let ctx = aside(films, item, ctx);
            let goes_on = |(of, cover, stream): &(ItemId, bool, Box<FrameStream>)| {
                *of == item && *cover == scene.cover && (0..=FARTHEST).contains(&(from - stream.next()))
            };
            let stream = if let Some(place) = idle.iter().position(goes_on) {
                let (_, _, mut stream) = idle.remove(place);
                stream.skip_to(from, &ctx).await?;
                stream
            } else {
                let rate = films.film.rate;
                Box::new(FrameStream::start(films.source(item)?, canvas, rate, from, &ctx).await?)
            };
            Ok(Shown::Moving(item, scene.cover, stream))
        }
    }
}

/// The context in which an item is decoded, whose progress is not the film's.
fn aside(films: &Films<'_>, item: ItemId, ctx: &JobCtx) -> JobCtx {
    films.paid_for(item, &JobCtx { progress: Progress::new(), ..ctx.clone() })
}

/// How far a scene is up from black at its frame `at`, of 256.
fn faded(scene: &FilmScene, at: i64) -> u32 {
    let up = if at < scene.fade_in { part(at, scene.fade_in) } else { 256 };
    let left = scene.frames - 1 - at;
    let down = if left < scene.fade_out { part(left, scene.fade_out) } else { 256 };
    up.min(down)
}

/// So much of a whole, of 256.
fn part(done: i64, whole: i64) -> u32 {
    u32::try_from(done.max(0) * 256 / whole.max(1)).unwrap_or(256).min(256)
}
