//! The frames of a video as they are drawn into a film: decoded whole, in one size, at one rate, in order.
//!
//! A stream may begin in the middle of a file that is known to allow it (`Probe::is_seekable`); `domain::decoding`
//! decides where. It is confined and bounded as `pictures` is. This module does not know what frames are used for.

use super::child::Decoder;
use super::output::whole_output;
use super::paid::{Paid, fits_a_second};
use super::{MediaSource, ON_THE_MEDIAS_CLOCK, input_arguments, most_pixels};
use crate::readers::{JobCtx, ReadError};
use domain::media_time::FrameRate;
use std::ffi::OsStr;

/// The size that frames are wanted in, and how they are fitted into it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FrameSize {
    /// Pixels across; even.
    pub(crate) width: u32,
    /// Pixels down; even.
    pub(crate) height: u32,
    /// Whether a frame fills the size and is cropped; otherwise it is there whole, with black bars.
    pub(crate) cover: bool,
}

impl FrameSize {
    /// Returns the bytes of a frame: luma, and both chromas at half of each side.
    pub(crate) const fn frame_bytes(self) -> usize {
        self.width as usize * self.height as usize * 3 / 2
    }

    /// Returns the filters that bring a frame into this size. Some videos have pixels that are not square.
    fn filters(self, after: &str) -> String {
        let (width, height) = (self.width, self.height);
        let square = "scale=w='max(2,2*trunc(iw*clip(sar,0.25,4)/2))':h='max(2,2*trunc(ih/2))',setsar=1";
        if self.cover {
            let scale = format!("scale={width}:{height}:force_original_aspect_ratio=increase:force_divisible_by=2");
            format!("{square},{scale}{after},crop={width}:{height}")
        } else {
            let scale = format!("scale={width}:{height}:force_original_aspect_ratio=decrease:force_divisible_by=2");
            format!("{square},{scale}{after},pad={width}:{height}:-1:-1:color=black@0")
        }
    }

    /// Returns the colour matrix: the one that players assume for films of this size that name none.
    const fn matrix(self) -> &'static str {
        if self.height >= 720 { "bt709" } else { "bt601" }
    }
}

/// Where a stream of frames begins, as frame numbers at its rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FirstFrame {
    /// The first frame that is decoded.
    pub(crate) decoded: i64,
    /// The first frame that is handed out.
    pub(crate) given: i64,
}

/// The frames of a video, from a given one on.
#[derive(Debug)]
pub(crate) struct FrameStream {
    /// None once the video has ended.
    ffmpeg: Option<Decoder>,
    frame: Vec<u8>,
    /// The number of the frame that comes next.
    next: i64,
    /// Whether any frame has come.
    any: bool,
}

impl FrameStream {
    /// Starts with frame `first` of the media, counted at this rate from its start.
    pub(crate) async fn start(
        media: &MediaSource,
        size: FrameSize,
        rate: FrameRate,
        first: FirstFrame,
        ctx: &JobCtx,
    ) -> Result<Self, ReadError> {
        if !media.probe().has_video {
            return Err(ReadError::NoVideo);
        }
        fits_a_second(media.probe())?;
        let skipped_us = rate.us_of(first.decoded);
        let sought = format!("{}.{:06}", skipped_us / 1_000_000, skipped_us % 1_000_000);
        let tools = media.tools();
        let most_seconds = Paid::of(ctx).seconds(&tools.limits);
        let filter = format!("fps={rate}:start_time=0,{},format=yuv420p", size.filters(""));
        let most_pixels = most_pixels(media.probe());
        let before = ["-nostdin", "-hide_banner", "-v", "error", "-threads", "2", "-t", &most_seconds];
        let bound = ["-max_pixels", &most_pixels];
        let seek = ["-ss", &sought];
        let seek = if first.decoded > 0 { &seek[..] } else { &[] };
        let after = ["-map", "0:V:0", "-an", "-sn", "-dn", "-vf", &filter, "-fps_mode", "passthrough"];
        let output = ["-map_metadata", "-1", "-c:v", "rawvideo", "-f", "rawvideo", "pipe:1"];
        let arguments = before
            .into_iter()
            .chain(bound)
            .chain(ON_THE_MEDIAS_CLOCK)
            .chain(seek.iter().copied())
            .map(OsStr::new)
            .chain(input_arguments())
            .chain(after.into_iter().chain(output).map(OsStr::new));
        let ffmpeg = Decoder::start(&tools.ffmpeg, arguments, media.file(), tools, ctx).await?;
        let frame = vec![0; size.frame_bytes()];
        let mut stream = Self { ffmpeg: Some(ffmpeg), frame, next: first.decoded, any: false };
        stream.skip_to(first.given, ctx).await?;
        Ok(stream)
    }

    /// Skips frames until this one comes next.
    pub(crate) async fn skip_to(&mut self, frame: i64, ctx: &JobCtx) -> Result<(), ReadError> {
        while self.next < frame {
            self.advance(ctx).await?;
        }
        Ok(())
    }

    /// Returns the next frame. After the video's end it is the last one, or black if there was none.
    pub(crate) async fn frame(&mut self, ctx: &JobCtx) -> Result<&[u8], ReadError> {
        self.advance(ctx).await?;
        Ok(&self.frame)
    }

    async fn advance(&mut self, ctx: &JobCtx) -> Result<(), ReadError> {
        self.next += 1;
        let Some(ffmpeg) = &mut self.ffmpeg else { return Ok(()) };
        let mut filled = 0;
        // It is read into another buffer than the one before, which stays if this one does not come whole.
        let mut coming = std::mem::take(&mut self.frame);
        let kept = self.any.then(|| coming.clone());
        while filled < coming.len() {
            let read = ffmpeg.read(coming.get_mut(filled..).unwrap_or_default(), ctx).await?;
            if read == 0 {
                break;
            }
            filled += read;
        }
        let is_whole = filled == coming.len();
        self.frame = match kept {
            Some(kept) if !is_whole => kept,
            _ if !is_whole => black(coming.len()),
            _ => coming,
        };
        self.any |= is_whole;
        if !is_whole {
            self.end(ctx).await?;
        }
        Ok(())
    }

    /// Checks how a decoder that has ended did.
    async fn end(&mut self, ctx: &JobCtx) -> Result<(), ReadError> {
        let Some(ffmpeg) = self.ffmpeg.take() else { return Ok(()) };
        let ending = ffmpeg.wait(ctx).await?;
        if !self.any && !ending.status.success() {
            tracing::debug!(ffmpeg.stderr = ending.stderr, "ffmpeg gave no frame");
            return Err(ReadError::Corrupt("none of its picture can be decoded"));
        }
        Ok(())
    }

    /// Ends the decoder early.
    pub(crate) async fn kill(&mut self) {
        if let Some(mut ffmpeg) = self.ffmpeg.take() {
            ffmpeg.kill().await;
        }
    }
}

/// Returns a black frame of this many bytes.
pub(crate) fn black(bytes: usize) -> Vec<u8> {
    let luma = bytes / 3 * 2;
    let mut frame = vec![128; bytes];
    frame.iter_mut().take(luma).for_each(|value| *value = 16);
    frame
}

/// Returns an image as one frame, on black where it is transparent.
pub(crate) async fn image_frame(media: &MediaSource, size: FrameSize, ctx: &JobCtx) -> Result<Vec<u8>, ReadError> {
    let frame = image(media, size, "yuva420p", ctx).await?;
    let (luma, chroma) = (size.width as usize * size.height as usize, size.frame_bytes());
    let (picture, alpha) = frame.split_at_checked(chroma).ok_or(ReadError::Corrupt("it can't be shown"))?;
    let mut picture = picture.to_vec();
    let over = |value: u8, alpha: u8, behind: u16| {
        let mixed = (u16::from(value) * u16::from(alpha) + behind * (255 - u16::from(alpha)) + 127) / 255;
        u8::try_from(mixed).unwrap_or(u8::MAX)
    };
    let half = size.width as usize / 2;
    for (at, value) in picture.iter_mut().enumerate() {
        let alpha_at = if at < luma { at } else { chroma_place((at - luma) % (luma / 4), half) };
        *value = over(*value, alpha.get(alpha_at).copied().unwrap_or(255), if at < luma { 16 } else { 128 });
    }
    Ok(picture)
}

/// Returns the index of the luma that a chroma value belongs to; a row has `half` values of chroma.
const fn chroma_place(at: usize, half: usize) -> usize {
    (at / half) * 2 * half * 2 + (at % half) * 2
}

/// Returns an image as luma, both chromas and alpha, in its own proportions within the frame.
pub(crate) async fn image_layer(media: &MediaSource, size: FrameSize, ctx: &JobCtx) -> Result<Vec<u8>, ReadError> {
    image(media, size, "yuva420p", ctx).await
}

async fn image(media: &MediaSource, size: FrameSize, format: &str, ctx: &JobCtx) -> Result<Vec<u8>, ReadError> {
    let tools = media.tools();
    let matrix = size.matrix();
    let filter = size.filters(&format!(":out_color_matrix={matrix}:out_range=tv,format={format}"));
    let most_pixels = most_pixels(media.probe());
    let before = ["-nostdin", "-hide_banner", "-v", "error", "-threads", "1", "-max_pixels", &most_pixels];
    let after = ["-map", "0:v:0", "-an", "-sn", "-dn", "-frames:v", "1", "-vf", &filter, "-map_metadata", "-1"];
    let output = ["-fps_mode", "passthrough", "-c:v", "rawvideo", "-pix_fmt", format, "-f", "rawvideo", "pipe:1"];
    let arguments = before
        .into_iter()
        .map(OsStr::new)
        .chain(input_arguments())
        .chain(after.into_iter().chain(output).map(OsStr::new));
    let bytes = size.frame_bytes() + size.width as usize * size.height as usize;
    let (frame, ending) = whole_output(&tools.ffmpeg, arguments, media.file(), tools, bytes, ctx).await?;
    if frame.len() == bytes {
        return Ok(frame);
    }
    tracing::debug!(ffmpeg.stderr = ending.stderr, "ffmpeg gave no image");
    Err(ReadError::Corrupt("it can't be shown"))
}
