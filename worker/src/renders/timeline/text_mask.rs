//! Draws a text as a mask, in a confined child with a font of this machine.
//!
//! The fonts are copied into the job's folder, so that the child needs no other folder; each line (`domain::lines`) is
//! centred in its row. Neighbour: `picture`, which colours the mask.

use super::picture::Size;
use crate::readers::decode::{Encoder, Feed, Workshop};
use crate::readers::{JobCtx, MediaTools, ReadError};
use crate::renders::fonts;
use domain::lines::{Family, MOST_LINES, broken};
use std::ffi::OsStr;
use std::fmt::Write;
use std::fs;

/// The beginning of the names of lines' files, before their number.
const LINE_FILE: &str = "line";
/// The distance from line to line, in hundredths of a line's height.
const LEADING: usize = 125;

/// Whether this machine has the filter and the fonts that draw letters, by what ffmpeg says of its filters and of what
/// it was built with. Without `FriBidi` it would draw Hebrew and Arabic from the wrong side and letter by letter.
pub(in crate::renders) fn can_be_drawn(filters: &str, built: &str) -> bool {
    can_draw(filters, built) && fonts::are_here()
}

fn can_draw(filters: &str, built: &str) -> bool {
    let has_filter = filters.lines().any(|line| line.split_whitespace().nth(1) == Some("drawtext"));
    has_filter && built.split_whitespace().any(|option| option == "--enable-libfribidi")
}

/// The position of a text's lines in their box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stand {
    /// In the middle.
    Middle,
    /// At the upper end.
    Top,
    /// At the lower end.
    Bottom,
}

/// Returns the name of a font's file in the job's folder.
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

/// Returns a mask of this size: how much of each pixel is covered by letters, 0 to 255.
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
        workshop.put(&format!("{LINE_FILE}{number}"), text.marked())?;
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
        // Video's black is 16, its white 235.
        let full = |value: u8| u8::try_from((u16::from(value).saturating_sub(16) * 255 / 219).min(255)).unwrap_or(255);
        for value in &mut mask {
            *value = full(*value);
        }
        return Ok(mask);
    }
    tracing::warn!(ffmpeg.stderr = ending.stderr, "ffmpeg did not draw a text.");
    Err(ReadError::Crashed)
}

#[cfg(test)]
mod tests {
    use super::can_draw;

    #[test]
    fn letters_need_the_filter_and_what_puts_them_into_their_order() {
        let filters = " T.C drawtext  V->V  Draw text.\n";
        let built = "configuration: --enable-gpl --enable-libfribidi\n";
        assert!(can_draw(filters, built));
        assert!(!can_draw(filters, "configuration: --enable-libfreetype --disable-libfribidi\n"));
        assert!(!can_draw(" ... drawbox  V->V  Draw a box.\n", built));
    }
}
