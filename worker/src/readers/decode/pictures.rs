//! The picture of a media file: where it changes at once, and single stills of it.
//!
//! Frames stay in the child. What comes back is lines of text, read as they come, or one small JPEG. Confined and
//! bounded as `sound` is; the picture that is looked at is the first that is no album cover.

use super::child::Decoder;
use super::output::whole_output;
use super::{MediaSource, input_arguments};
use crate::readers::{JobCtx, Limit, ReadError};
use std::ffi::OsStr;

/// Pixels across that changes are looked for in: as good as more, and much faster.
const LOOKED_AT: &str = "320";
/// Pixels across of a still.
const STILL: &str = "320";
/// Bytes of a still, at most.
const STILL_BYTES: usize = 1 << 20;
/// A line of a child's text, at most.
const LINE_BYTES: usize = 4096;

/// What was seen.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::readers) struct SeenPicture {
    /// Seconds from the media's start at which the picture changes at once.
    pub(in crate::readers) changes: Vec<f64>,
    /// Milliseconds of picture, counted.
    pub(in crate::readers) duration_ms: i64,
    /// What the customer should know, in whole sentences.
    pub(in crate::readers) warnings: Vec<String>,
}

/// Looks for changes of more than `threshold` percent. `NoVideo` without a moving picture, `Corrupt` when none of it can
/// be decoded.
pub(in crate::readers) async fn scene_changes(
    media: &MediaSource,
    threshold: u8,
    ctx: &JobCtx,
) -> Result<SeenPicture, ReadError> {
    if !media.probe().has_video {
        return Err(ReadError::NoVideo);
    }
    let tools = media.tools();
    let most_seconds = (tools.limits.duration_ms / 1000 + 2).to_string();
    let filter = format!("scale='min({LOOKED_AT},iw)':-2,scdet=t={threshold},metadata=mode=print:file=-");
    let before = ["-nostdin", "-hide_banner", "-v", "error", "-threads", "1", "-t", &most_seconds];
    let after = ["-map", "0:V:0", "-an", "-sn", "-dn", "-vf", &filter, "-f", "null", "-"];
    let arguments = before.into_iter().map(OsStr::new).chain(input_arguments()).chain(after.map(OsStr::new));
    let mut ffmpeg = Decoder::start(&tools.ffmpeg, arguments, media.file(), tools, ctx).await?;
    let mut seen = Lines::default();
    let (mut pending, mut buffer) = (Vec::new(), vec![0; 16 * 1024]);
    loop {
        let read = ffmpeg.read(&mut buffer, ctx).await?;
        if read == 0 {
            break;
        }
        pending.extend(buffer.iter().take(read));
        let whole = pending.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        pending.drain(..whole).as_slice().split(|byte| *byte == b'\n').for_each(|line| seen.line(line));
        let declared = media.probe().duration_ms.unwrap_or(0).unsigned_abs();
        ctx.progress.reach_part(seen.duration_ms().unsigned_abs(), declared);
        if seen.duration_ms() > tools.limits.duration_ms || pending.len() > LINE_BYTES {
            ffmpeg.kill().await;
            let (found, allowed) = (seen.duration_ms().unsigned_abs(), tools.limits.duration_ms.unsigned_abs());
            return Err(ReadError::LimitExceeded { limit: Limit::Duration, found, allowed });
        }
    }
    let ending = ffmpeg.ended(ctx).await?;
    if ending.out_of_cpu() {
        return Err(ReadError::Timeout);
    }
    if seen.last.is_none() {
        tracing::debug!(ffmpeg.stderr = ending.stderr, "ffmpeg saw nothing");
        return Err(ReadError::Corrupt("none of its picture can be decoded"));
    }
    let damaged = !ending.status.success() || !ending.stderr.is_empty();
    let warnings = damaged.then(|| "Parts of the file are damaged and were left out.".to_owned()).into_iter().collect();
    Ok(SeenPicture { duration_ms: seen.duration_ms(), changes: seen.changes, warnings })
}

/// The picture at this second as a JPEG; nothing where there is none.
pub(in crate::readers) async fn still(
    media: &MediaSource,
    second: f64,
    ctx: &JobCtx,
) -> Result<Option<Vec<u8>>, ReadError> {
    let tools = media.tools();
    let second = format!("{:.3}", second.max(0.0));
    let filter = format!("scale='min({STILL},iw)':-2,format=yuvj420p");
    let before = ["-nostdin", "-hide_banner", "-v", "error", "-threads", "1", "-ss", &second];
    let after = ["-map", "0:V:0", "-an", "-sn", "-dn", "-frames:v", "1", "-vf", &filter, "-map_metadata", "-1"];
    let output = ["-c:v", "mjpeg", "-q:v", "5", "-f", "image2pipe", "pipe:1"];
    let arguments = before
        .into_iter()
        .map(OsStr::new)
        .chain(input_arguments())
        .chain(after.into_iter().chain(output).map(OsStr::new));
    let (jpeg, _) = whole_output(&tools.ffmpeg, arguments, media.file(), tools, STILL_BYTES, ctx).await?;
    Ok(jpeg.starts_with(b"\xff\xd8").then_some(jpeg))
}

/// A picture to show of a whole item, `duration_ms` long: a tenth in, since films begin in the dark, and ten seconds at
/// most. Nothing when none can be had: an item is none the worse without one.
#[expect(clippy::cast_precision_loss, reason = "media times stay far below 2^53 ms")]
pub(crate) async fn cover(media: &MediaSource, duration_ms: i64, ctx: &JobCtx) -> Option<Vec<u8>> {
    let second = (duration_ms as f64 / 10_000.0).min(10.0);
    match still(media, second, ctx).await.unwrap_or_default() {
        // The file has less picture than it says.
        None if second > 0.0 => still(media, 0.0, ctx).await.unwrap_or_default(),
        found => found,
    }
}

/// What the lines of the filters say.
#[derive(Debug, Default)]
struct Lines {
    changes: Vec<f64>,
    /// When the last frame is, in seconds, and how long after the one before.
    last: Option<(f64, f64)>,
}

impl Lines {
    /// Takes `frame:50 pts:25600 pts_time:2` or `lavfi.scd.time=2`; every other line says nothing that is asked.
    fn line(&mut self, line: &[u8]) {
        let Ok(line) = std::str::from_utf8(line) else { return };
        let seconds = |number: &str| number.trim().parse::<f64>().ok().filter(|second| (0.0..1e9).contains(second));
        if let Some(second) = line.strip_prefix("lavfi.scd.time=").and_then(seconds) {
            self.changes.push(second);
        } else if let Some(second) = line.split_once("pts_time:").and_then(|(_, number)| seconds(number)) {
            let step = self.last.map_or(0.0, |(last, _)| second - last);
            self.last = Some((second, step.clamp(0.0, 1.0)));
        }
    }

    /// Until the end of the last frame, which is taken to last as long as the one before it.
    #[expect(clippy::cast_possible_truncation, reason = "the seconds were checked to be few")]
    fn duration_ms(&self) -> i64 {
        self.last.map_or(0, |(last, step)| ((last + step) * 1000.0).round() as i64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_and_changes_are_told_apart_and_nonsense_is_passed_over() {
        let mut lines = Lines::default();
        for line in [
            "frame:0    pts:0       pts_time:0",
            "lavfi.scd.mafd=3",
            "frame:1 pts:1 pts_time:0.04",
            "lavfi.scd.time=0.04",
            "pts_time:x",
            "lavfi.scd.time=-inf",
        ] {
            lines.line(line.as_bytes());
        }
        lines.line(b"\xff");
        assert_eq!((lines.duration_ms(), lines.changes), (80, vec![0.04]));
    }
}
