//! The picture of a render: one child decodes it, keeps the frames of the plan, encodes them and adds the sound.
//!
//! Frames never leave the child. A filter's expression over their numbers, a tree of comparisons, selects the ones to
//! keep, so that thousands of cuts cost a dozen comparisons per frame.

use super::Renderer;
use crate::readers::decode::{
    Encoder, Feed, ON_THE_MEDIAS_CLOCK, Paid, Workshop, fits_a_second, input_arguments, most_pixels,
};
use crate::readers::{JobCtx, MediaSource, ReadError};
use domain::media_time::{FrameRate, Span};
use domain::pixels::MOST_FILM_PIXELS;
use std::ffi::OsStr;
use std::fmt::Write;

/// The file that the filters are written to.
const FILTERS: &str = "filters";

/// A picture to make.
#[derive(Debug)]
pub(super) struct PictureTrack<'a> {
    /// The media that it is made of.
    pub(super) media: &'a MediaSource,
    /// The folder to write in, which has the sound already.
    pub(super) workshop: &'a Workshop,
    /// The sound's file.
    pub(super) sound: &'static str,
    /// The file to write.
    pub(super) name: &'static str,
    /// The largest that it may be, in bytes.
    pub(super) most_bytes: u64,
}

impl PictureTrack<'_> {
    /// Writes the frames that these spans keep, with the sound.
    pub(super) async fn write(
        &self,
        renderer: &Renderer,
        keep: &[Span],
        rate: FrameRate,
        ctx: &JobCtx,
    ) -> Result<(), ReadError> {
        let borders: Vec<i64> =
            keep.iter().flat_map(|span| [rate.nearest(span.start_us), rate.nearest(span.end_us)]).collect();
        let frames: i64 = borders.chunks_exact(2).map(|pair| pair[1] - pair[0]).sum();
        fits_a_second(self.media.probe())?;
        self.workshop.put(FILTERS, filters(&borders, rate))?;

        let (sound, output) = (format!("file:{}", self.sound), format!("file:{}", self.name));
        let most_seconds = Paid::of(ctx).seconds(self.media.tools().limits());
        let before = ["-nostdin", "-nostats", "-hide_banner", "-v", "error", "-threads", "1", "-t", &most_seconds];
        let most_pixels = most_pixels(self.media.probe());
        let bound = ["-max_pixels", &most_pixels];
        let beside =
            ["-protocol_whitelist", "file", "-format_whitelist", "mov", "-codec_whitelist", "aac", "-i", &sound];
        let streams = ["-map", "0:V:0", "-map", "1:a:0", "-sn", "-dn", "-map_metadata", "-1", "-map_chapters", "-1"];
        let picture = [renderer.filter_file_option, FILTERS, "-fps_mode", "passthrough", "-c:v", "libx264"];
        let quality = ["-preset", "veryfast", "-crf", "20", "-threads", "2", "-c:a", "copy"];
        let exact = ["-fflags", "+bitexact", "-flags:v", "+bitexact", "-movflags", "+faststart"];
        let last = ["-progress", "pipe:1", "-stats_period", "0.5", "-f", "mp4", &output];
        let arguments = before
            .into_iter()
            .chain(bound)
            .chain(ON_THE_MEDIAS_CLOCK)
            .map(OsStr::new)
            .chain(input_arguments())
            .chain(beside.into_iter().chain(streams).chain(picture).map(OsStr::new))
            .chain(quality.into_iter().chain(exact).chain(last).map(OsStr::new));
        let feed = Feed::Media(self.media.file());
        let mut child =
            Encoder::start(self.media.tools(), self.workshop, arguments, feed, self.most_bytes, ctx).await?;
        follow(&mut child, frames.unsigned_abs(), ctx).await?;
        let ending = child.finish(ctx).await?;
        if ending.status.success() {
            return Ok(());
        }
        tracing::debug!(ffmpeg.stderr = ending.stderr, "ffmpeg did not render a picture");
        Err(ReadError::Corrupt("its picture can't be rendered"))
    }
}

/// Reads how many frames were written, until the child's output ends.
async fn follow(child: &mut Encoder, frames: u64, ctx: &JobCtx) -> Result<(), ReadError> {
    let (mut pending, mut buffer) = (Vec::new(), [0; 4096]);
    loop {
        let read = child.read(&mut buffer, ctx).await?;
        if read == 0 {
            return Ok(());
        }
        pending.extend(buffer.iter().take(read));
        let whole = pending.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        for line in pending.drain(..whole).as_slice().split(|byte| *byte == b'\n') {
            let number = line.strip_prefix(b"frame=").and_then(|number| std::str::from_utf8(number).ok());
            if let Some(frame) = number.and_then(|number| number.trim().parse().ok()) {
                ctx.progress.reach_part(frame, frames);
            }
        }
        pending.truncate(buffer.len());
    }
}

/// Returns the filters, in order: frames get a constant rate from the media's start, the last one is repeated if the
/// picture ends before the plan does, the kept ones follow one another, and the size becomes one that H.264 allows.
fn filters(borders: &[i64], rate: FrameRate) -> String {
    let end = borders.last().copied().unwrap_or(0);
    let mut chain = format!("fps={rate}:start_time=0,tpad=stop={end}:stop_mode=clone,trim=end_frame={end},select='");
    write_tree(borders, 0, borders.len(), &mut chain);
    let side = |of: &str| format!("max(2,2*trunc({of}*min(1,sqrt({MOST_FILM_PIXELS}/(iw*ih)))/2))");
    // Writing to a text can't fail.
    let _ = write!(chain, "',setpts=N,scale=w='{}':h='{}',format=yuv420p", side("iw"), side("ih"));
    chain
}

/// Writes the test whether frame `n` is kept, as a tree of comparisons: it is after an odd number of borders.
fn write_tree(borders: &[i64], from: usize, to: usize, tree: &mut String) {
    if from == to {
        tree.push(if from % 2 == 1 { '1' } else { '0' });
        return;
    }
    let middle = usize::midpoint(from, to);
    let border = borders.get(middle).copied().unwrap_or_default();
    // Writing to a text can't fail.
    let _ = write!(tree, "if(lt(n,{border}),");
    write_tree(borders, from, middle, tree);
    tree.push(',');
    write_tree(borders, middle + 1, to, tree);
    tree.push(')');
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the tree says of a frame, worked out as ffmpeg does.
    fn stays(tree: &str, n: i64) -> bool {
        let Some(inside) = tree.strip_prefix("if(lt(n,") else { return tree == "1" };
        let (border, branches) = inside.strip_suffix(')').unwrap().split_once("),").unwrap();
        let mut depth = 0;
        let comma = branches.chars().position(|letter| {
            depth += i32::from(letter == '(') - i32::from(letter == ')');
            letter == ',' && depth == 0
        });
        let (less, more) = branches.split_at(comma.unwrap());
        stays(if n < border.parse().unwrap() { less } else { &more[1..] }, n)
    }

    #[test]
    fn the_tree_says_of_every_frame_whether_it_stays() {
        for borders in [vec![], vec![3, 5], vec![0, 2, 4, 9, 10, 11], (0..200).map(|n| n * 3).collect()] {
            let mut tree = String::new();
            write_tree(&borders, 0, borders.len(), &mut tree);
            for n in 0..650 {
                let inside = borders.chunks_exact(2).any(|pair| (pair[0]..pair[1]).contains(&n));
                assert_eq!(stays(&tree, n), inside, "{n} in {borders:?}");
            }
        }
    }
}
