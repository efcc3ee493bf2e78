//! The pictures of a media file: small versions of all its frames.
//!
//! Frames are made small in the child, and are analysed one by one as they come. Confined and bounded as `sound` is.
//! The stream is the first one with pictures that is not an album cover.

use super::child::Decoder;
use super::paid::{Pace, Paid, fits_a_second};
use super::{MediaSource, ON_THE_MEDIAS_CLOCK, input_arguments, most_pixels};
use crate::readers::{JobCtx, Limit, ReadError};
use std::ffi::OsStr;

/// Frames that are read at once.
const READ_FRAMES: usize = 16;
/// Bytes of a frame's time, at the beginning of the row below the picture.
const TIME_BYTES: usize = 4;

/// The size of a small picture, in cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SmallSize {
    /// Cells across.
    pub(crate) width: usize,
    /// Cells down.
    pub(crate) height: usize,
}

impl SmallSize {
    /// Returns the number of cells.
    pub(crate) const fn cells(self) -> usize {
        self.width * self.height
    }
}

/// The summary of a decoded video.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SeenPicture {
    /// Milliseconds of video that were counted.
    pub(crate) duration_ms: i64,
    /// Warnings for the customer, in whole sentences.
    pub(crate) warnings: Vec<String>,
}

/// Hands each frame to `each`, with its time in seconds, in cells of `size`: all luma, then both chromas. `NoVideo`
/// without a video stream, `Corrupt` when none of it can be decoded.
pub(crate) async fn small_pictures(
    media: &MediaSource,
    size: SmallSize,
    ctx: &JobCtx,
    mut each: impl FnMut(f64, &[u8]),
) -> Result<SeenPicture, ReadError> {
    if !media.probe().has_video {
        return Err(ReadError::NoVideo);
    }
    fits_a_second(media.probe())?;
    let tools = media.tools();
    let pace = Pace::of(media.probe(), ctx);
    let mut ffmpeg = start(media, size, ctx).await?;
    let mut frames = Frames::new(size, Paid::of(ctx));
    let mut buffer = vec![0; READ_FRAMES * frames.frame_bytes()];
    loop {
        let read = ffmpeg.read(&mut buffer, ctx).await?;
        if read == 0 {
            break;
        }
        frames.take(buffer.get(..read).unwrap_or_default(), &mut each);
        let whole = ctx.paid_ms.or(media.probe().duration_ms).unwrap_or(0).unsigned_abs();
        ctx.progress.reach_part(frames.duration_ms().unsigned_abs(), whole);
        if let Err(error) = pace.judge(frames.count, frames.duration_ms()) {
            ffmpeg.kill().await;
            return Err(error);
        }
        if let Some(warning) = frames.passed() {
            ffmpeg.kill().await;
            return Ok(SeenPicture { duration_ms: frames.duration_ms(), warnings: vec![warning] });
        }
        if frames.duration_ms() > tools.limits.duration_ms {
            ffmpeg.kill().await;
            let (found, allowed) = (frames.duration_ms().unsigned_abs(), tools.limits.duration_ms.unsigned_abs());
            return Err(ReadError::LimitExceeded { limit: Limit::Duration, found, allowed });
        }
    }
    let ending = ffmpeg.wait(ctx).await?;
    if frames.last.is_none() {
        tracing::debug!(ffmpeg.stderr = ending.stderr, "ffmpeg saw nothing");
        return Err(ReadError::Corrupt("none of its picture can be decoded"));
    }
    let damaged = !ending.status.success() || !ending.stderr.is_empty();
    let warnings = damaged.then(|| "Parts of the file are damaged and were left out.".to_owned()).into_iter().collect();
    Ok(SeenPicture { duration_ms: frames.duration_ms(), warnings })
}

/// Starts ffmpeg on the video stream. Raw frames carry no times, so each gets one more row, whose first bytes are its
/// milliseconds; no frame is doubled or dropped to keep a rate. `geq` copies each cell by `interpolation=nearest`: its
/// default interpolates between two cells, and gives the last column the values of the one before it.
async fn start(media: &MediaSource, size: SmallSize, ctx: &JobCtx) -> Result<Decoder, ReadError> {
    let SmallSize { width, height } = size;
    let tools = media.tools();
    let most_seconds = Paid::of(ctx).seconds(&tools.limits);
    let time = format!("if(lt(Y\\,{height})\\,lum(X\\,Y)\\,mod(floor((T*1000+0.5)/pow(256\\,X))\\,256))");
    let copied = "cb=cb(X\\,Y):cr=cr(X\\,Y):interpolation=nearest";
    let filter =
        format!("scale={width}:{height},format=yuv444p,pad={width}:{}:0:0,geq=lum={time}:{copied}", height + 1);
    let most_pixels = most_pixels(media.probe());
    let before = ["-nostdin", "-hide_banner", "-v", "error", "-threads", "1", "-filter_threads", "1"];
    let bounds = ["-t", &most_seconds, "-max_pixels", &most_pixels];
    let after = ["-map", "0:V:0", "-an", "-sn", "-dn", "-vf", &filter, "-fps_mode", "passthrough"];
    let output = ["-map_metadata", "-1", "-c:v", "rawvideo", "-f", "rawvideo", "pipe:1"];
    let arguments = before
        .into_iter()
        .chain(bounds)
        .chain(ON_THE_MEDIAS_CLOCK)
        .map(OsStr::new)
        .chain(input_arguments())
        .chain(after.into_iter().chain(output).map(OsStr::new));
    Decoder::start(&tools.ffmpeg, arguments, media.file(), tools, ctx).await
}

/// The time of a frame.
#[derive(Debug, Clone, Copy)]
struct SeenFrame {
    /// Its time in seconds.
    second: f64,
    /// Seconds since the frame before.
    step: f64,
}

/// Cuts a stream of bytes into frames.
#[derive(Debug)]
struct Frames {
    /// Bytes of a row, and of the picture's rows in a plane.
    row: usize,
    plane: usize,
    pending: Vec<u8>,
    /// The three planes without the row for the time.
    cells: Vec<u8>,
    /// The last frame.
    last: Option<SeenFrame>,
    /// The number of frames, whatever their times.
    count: u64,
    paid: Paid,
    /// The latest time of frames that are not paid for, in milliseconds.
    beyond_ms: i64,
}

impl Frames {
    fn new(size: SmallSize, paid: Paid) -> Self {
        let (pending, cells) = (Vec::new(), Vec::new());
        Self { row: size.width, plane: size.cells(), pending, cells, last: None, count: 0, paid, beyond_ms: 0 }
    }

    /// Returns the bytes of a frame as the child writes it.
    fn frame_bytes(&self) -> usize {
        3 * (self.plane + self.row)
    }

    /// Takes the next bytes, and hands over the frames that they complete. Frames without a valid time, or after the
    /// paid length, are skipped.
    fn take(&mut self, bytes: &[u8], each: &mut impl FnMut(f64, &[u8])) {
        self.pending.extend_from_slice(bytes);
        let whole = self.pending.len() - self.pending.len() % self.frame_bytes();
        for frame in self.pending.get(..whole).unwrap_or_default().chunks_exact(self.frame_bytes()) {
            self.cells.clear();
            for plane in frame.chunks_exact(self.plane + self.row) {
                self.cells.extend_from_slice(plane.get(..self.plane).unwrap_or_default());
            }
            let time = frame.iter().skip(self.plane).take(TIME_BYTES);
            let ms = time.rev().fold(0, |ms: u32, byte| ms << 8 | u32::from(*byte));
            self.count += 1;
            if !self.paid.covers(i64::from(ms)) {
                self.beyond_ms = self.beyond_ms.max(i64::from(ms));
                continue;
            }
            let second = f64::from(ms) / 1000.0;
            let step = self.last.map_or(0.0, |last| second - last.second);
            if step >= 0.0 {
                self.last = Some(SeenFrame { second, step: step.min(1.0) });
                each(second, &self.cells);
            }
        }
        self.pending.drain(..whole);
    }

    /// Returns the milliseconds until the end of the last frame, which is assumed to last as long as the one before it.
    #[expect(clippy::cast_possible_truncation, reason = "milliseconds of four bytes are few")]
    fn duration_ms(&self) -> i64 {
        self.paid.at_most(self.last.map_or(0, |last| ((last.second + last.step) * 1000.0).round() as i64))
    }

    /// Returns the warning for a video that goes on after the paid length.
    fn passed(&self) -> Option<String> {
        self.paid.passed(self.beyond_ms.saturating_sub(self.paid.at_most(i64::MAX)).max(0).unsigned_abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::readers::tests::{Studio, an_hour};

    #[test]
    fn frames_are_cut_out_of_any_blocks_and_have_their_times() {
        // Two cells and a row of four bytes: the planes are 4 + 4.
        let frame = |ms: u32, value: u8| {
            let time = ms.to_le_bytes();
            [[value; 4], time, [value + 1; 4], [0; 4], [value + 2; 4], [0; 4]].concat()
        };
        let stream = [frame(0, 10), frame(40, 20), frame(20, 30), frame(70_040, 40)].concat();
        let (mut frames, mut seen) = (Frames::new(SmallSize { width: 4, height: 1 }, Paid::of(&an_hour())), Vec::new());
        for block in stream.chunks(7) {
            frames.take(block, &mut |second, cells| seen.push((second, cells.to_vec())));
        }
        let expected = [(0.0, 10), (0.04, 20), (70.04, 40)];
        assert_eq!(seen.len(), expected.len());
        for ((second, cells), (at, value)) in seen.into_iter().zip(expected) {
            assert!((second - at).abs() < 1e-9);
            assert_eq!(cells, [[value; 4], [value + 1; 4], [value + 2; 4]].concat());
        }
        assert_eq!(frames.duration_ms(), 71_040);
    }

    #[tokio::test]
    async fn every_cell_shows_its_own_place_up_to_the_edges() {
        let studio = Studio::new();
        let edges = "drawbox=x=310:w=10:c=white:t=fill,drawbox=y=170:h=10:c=white:t=fill";
        let film = format!("color=black:s=320x180:r=10:d=0.5,{edges}");
        let film = studio.make("edges.mp4", &film, &["-c:v", "mpeg4", "-q:v", "2"]);
        let source = studio.open(&film, &an_hour()).await.unwrap();
        let (size, mut shown) = (SmallSize { width: 32, height: 18 }, Vec::new());
        small_pictures(&source, size, &an_hour(), |_, cells| shown = cells.to_vec()).await.unwrap();
        for (place, value) in shown.iter().take(size.cells()).enumerate() {
            let (across, down) = (place % size.width, place / size.width);
            assert_eq!(*value > 128, across == 31 || down == 17, "{value} at {across}, {down}");
        }
        assert_eq!(shown.len(), 3 * size.cells());
    }
}
