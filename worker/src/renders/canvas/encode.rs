//! Encodes pixels as a file: PNG here, JPEG and `WebP` in a confined child that gets nothing but pixels.

use super::drawing_turns::DrawingTurn;
use super::paper::Paper;
use super::{Easel, blocking};
use crate::readers::decode::{Encoder, Feed, Workshop};
use crate::readers::{JobCtx, ReadError};
use domain::still::StillFormat;
use std::ffi::OsStr;

/// Bytes that are handed to the child at once.
const CHUNK_BYTES: usize = 1 << 20;

/// Writes the picture into the workshop, as a file of this name and format. Its turn lasts until that is done, and goes
/// with the pixels, which may outlast a job that is stopped.
pub(super) async fn write(
    easel: &Easel<'_>,
    workshop: &Workshop,
    (paper, turn): (Paper, DrawingTurn),
    format: StillFormat,
    name: &str,
    ctx: &JobCtx,
) -> Result<(), ReadError> {
    let codec: &[&str] = match format {
        StillFormat::Png | StillFormat::Svg => {
            let (png, _turn) = blocking(ctx, move || Ok::<_, ReadError>((paper.png()?, turn))).await??;
            if png.len() as u64 > easel.most_bytes {
                return Err(ReadError::NoRoom);
            }
            return Ok(workshop.put(name, png)?);
        }
        StillFormat::Jpeg => &["-c:v", "mjpeg", "-q:v", "2", "-pix_fmt", "yuvj444p"],
        StillFormat::Webp => &["-c:v", "libwebp", "-quality", "90", "-compression_level", "4"],
    };
    let [width, height] = paper.size();
    let is_jpeg = format == StillFormat::Jpeg;
    let (shape, layout) = (format!("{width}x{height}"), if is_jpeg { "rgb24" } else { "rgba" });
    let (pixels, _turn) = blocking(ctx, move || {
        let pixels =
            if is_jpeg { paper.rgb().flatten().collect::<Vec<u8>>() } else { paper.rgba().flatten().collect() };
        (pixels, turn)
    })
    .await?;
    let output = format!("file:{name}");
    let input = ["-nostdin", "-nostats", "-hide_banner", "-v", "error", "-protocol_whitelist", "pipe"];
    let raw = ["-f", "rawvideo", "-pix_fmt", layout, "-s:v", &shape, "-r", "1", "-i", "pipe:0", "-frames:v", "1"];
    let exact = ["-map_metadata", "-1", "-threads", "1", "-sws_flags", "bicubic+accurate_rnd+full_chroma_int+bitexact"];
    let last = ["-fflags", "+bitexact", "-flags:v", "+bitexact", "-f", "image2pipe", &output];
    let arguments = input.into_iter().chain(raw).chain(exact).chain(codec.iter().copied()).chain(last).map(OsStr::new);
    let mut child = Encoder::start(easel.tools, workshop, arguments, Feed::Written, easel.most_bytes, ctx).await?;
    for chunk in pixels.chunks(CHUNK_BYTES) {
        child.write(chunk, ctx).await?;
    }
    let ending = child.finish(ctx).await?;
    if ending.status.success() {
        return Ok(());
    }
    tracing::warn!(ffmpeg.stderr = ending.stderr, "ffmpeg did not encode a picture.");
    Err(ReadError::Crashed)
}
