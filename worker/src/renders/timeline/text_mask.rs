//! A text as a mask, drawn by a confined child with a font of this machine.
//!
//! The fonts are copied into the job's folder, so that the child needs no other; each line (`domain::lines`) is
//! drawn in the middle of its row. Neighbour: `picture`, which colours the mask.

use super::picture::Size;
use crate::readers::decode::{Encoder, Feed, Workshop};
use crate::readers::{JobCtx, MediaTools, ReadError};
use crate::renders::fonts;
use domain::lines::{Family, MOST_LINES, broken};
use std::ffi::OsStr;
use std::fmt::Write;
use std::fs;

/// What the files of lines are called, before their number.
const LINE_FILE: &str = "line";
/// From one line to the next, in hundredths of its height.
const LEADING: usize = 125;

/// Whether this machine has what letters are drawn with.
pub(in crate::renders) fn can_be_drawn(filters: &str) -> bool {
    let has_filter = filters.lines().any(|line| line.split_whitespace().nth(1) == Some("drawtext"));
    has_filter && fonts::are_here()
}

/// Where the lines of a text stand in their box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stand {
    /// In the middle.
    Middle,
    /// At the upper end.
    Top,
    /// At the lower end.
    Bottom,
}

/// A font's file in the job's folder.
const fn file_of(family: Family) -> &'static str {
    match family {
        Family::Sans => "sans",
        Family::Mono => "mono",
        Family::Serif => "serif",
    }
}

/// A text to draw.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lettering<'a> {
    pub(super) text: &'a str,
    pub(super) family: Family,
    /// The height of a line, in pixels.
    pub(super) line: usize,
    pub(super) stand: Stand,
}

/// A mask of this size: how much of each pixel letters cover.
pub(super) async fn mask(
    tools: &MediaTools,
    workshop: &Workshop,
    lettering: Lettering<'_>,
    size: Size,
    ctx: &JobCtx,
) -> Result<Vec<u8>, ReadError> {
    let Lettering { text, family, line, stand } = lettering;
    let mut lines = broken(text, family, size.width * 100 / line.max(1));
    lines.truncate(MOST_LINES);
    let font = file_of(family);
    if !workshop.path(font).exists() {
        fs::copy(fonts::of(family), workshop.path(font))?;
    }
    let step = line * LEADING / 100;
    let whole = step * lines.len();
    let top = match stand {
        Stand::Middle => size.height.saturating_sub(whole) / 2,
        Stand::Top => 0,
        Stand::Bottom => size.height.saturating_sub(whole),
    };
    let mut filter = "format=gray".to_owned();
    for (number, text) in lines.iter().enumerate() {
        workshop.put(&format!("{LINE_FILE}{number}"), text)?;
        let y = top + number * step;
        // Writing to a text can't fail.
        let _ = write!(
            filter,
            ",drawtext=fontfile={font}:textfile={LINE_FILE}{number}:expansion=none:fontcolor=white:\
             fontsize={line}:x=(w-text_w)/2:y={y}"
        );
    }
    let source = format!("color=black:s={}x{}:r=1:d=1", size.width, size.height);
    let before = ["-nostdin", "-hide_banner", "-v", "error", "-f", "lavfi", "-i", &source, "-vf", &filter];
    let after = ["-frames:v", "1", "-c:v", "rawvideo", "-pix_fmt", "gray", "-f", "rawvideo", "pipe:1"];
    let arguments = before.into_iter().chain(after).map(OsStr::new);
    let mut child = Encoder::start(tools, workshop, arguments, Feed::Written, 0, ctx).await?;
    let mut mask = vec![0; size.luma()];
    let mut filled = 0;
    while filled < mask.len() {
        let read = child.read(mask.get_mut(filled..).unwrap_or_default(), ctx).await?;
        if read == 0 {
            break;
        }
        filled += read;
    }
    let ending = child.finish(ctx).await?;
    if ending.status.success() && filled == mask.len() {
        // The black and the white of video.
        let full = |value: u8| u8::try_from((u16::from(value).saturating_sub(16) * 255 / 219).min(255)).unwrap_or(255);
        for value in &mut mask {
            *value = full(*value);
        }
        return Ok(mask);
    }
    tracing::warn!(ffmpeg.stderr = ending.stderr, "ffmpeg did not draw a text.");
    Err(ReadError::Crashed)
}
