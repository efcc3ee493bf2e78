//! The length of a stream by the times of its packets, where its file does not declare it or may declare anything. A
//! recorder that was cut off leaves a video without it.

use super::child::Decoder;
use super::{MediaSource, input_arguments};
use crate::readers::{JobCtx, Limit, ReadError};
use std::ffi::OsStr;

/// The first moving picture, as ffprobe selects it.
pub(crate) const PICTURE: &str = "V:0";
/// Bytes of output that are read at once.
const READ_BYTES: usize = 64 << 10;
/// The longest line, of three numbers, that is parsed, in bytes.
const LONGEST_LINE: usize = 128;

/// Returns how long the video lasts by the times of its packets, in milliseconds, without decoding any. `Corrupt` when
/// none has a time.
pub(crate) async fn picture_length(media: &MediaSource, ctx: &JobCtx) -> Result<i64, ReadError> {
    stream_length(media, PICTURE, ctx).await
}

/// Returns how long a stream lasts by the times of its packets, in milliseconds, without decoding any. The stream is
/// named by its number, or as ffprobe selects it. `Corrupt` when no packet has a time.
pub(crate) async fn stream_length(media: &MediaSource, stream: &str, ctx: &JobCtx) -> Result<i64, ReadError> {
    let tools = media.tools();
    let asked = ["-v", "error", "-select_streams", stream, "-show_entries", "packet=pts_time,dts_time,duration_time"];
    let arguments = asked.into_iter().chain(["-of", "csv=p=0"]).map(OsStr::new).chain(input_arguments());
    let mut ffprobe = Decoder::start(&tools.ffprobe, arguments, media.file(), tools, ctx).await?;
    let (mut length, mut line) = (PacketTimes::default(), Vec::new());
    let mut buffer = vec![0; READ_BYTES];
    loop {
        let read = ffprobe.read(&mut buffer, ctx).await?;
        if read == 0 {
            break;
        }
        length.take_lines(&mut line, buffer.get(..read).unwrap_or_default());
        if length.ms().is_some_and(|ms| ms > tools.limits.duration_ms) {
            ffprobe.kill().await;
            let (found, allowed) = (length.ms().unwrap_or(0), tools.limits.duration_ms);
            let (found, allowed) = (found.unsigned_abs(), allowed.unsigned_abs());
            return Err(ReadError::LimitExceeded { limit: Limit::Duration, found, allowed });
        }
    }
    ffprobe.wait(ctx).await?;
    length.ms().ok_or(ReadError::Corrupt("none of its packets has a time"))
}

/// The times of a stream's packets.
#[derive(Debug, Default)]
struct PacketTimes {
    /// The start of the first packet and the end of the last, in seconds.
    span: Option<(f64, f64)>,
    /// The start of the last packet, and how long after the one before it, in seconds.
    last: Option<(f64, f64)>,
}

impl PacketTimes {
    /// Takes the lines that end in these bytes. `line` is what has come of the one that has not ended.
    fn take_lines(&mut self, line: &mut Vec<u8>, bytes: &[u8]) {
        for byte in bytes {
            match byte {
                b'\n' => {
                    self.take(line);
                    line.clear();
                }
                _ if line.len() < LONGEST_LINE => line.push(*byte),
                _ => {}
            }
        }
    }
    /// Takes a packet's line: presentation time, decoding time and duration. Any of them may be unknown.
    fn take(&mut self, line: &[u8]) {
        let mut fields = std::str::from_utf8(line).unwrap_or_default().split(',');
        let mut second = || fields.next()?.trim().parse::<f64>().ok().filter(|time| time.is_finite());
        let (shown, decoded) = (second(), second());
        let Some(at) = shown.or(decoded) else { return };
        let gap = self.last.map_or(0.0, |(before, gap)| if at > before { at - before } else { gap });
        let lasts = second().filter(|lasts| *lasts > 0.0).unwrap_or(gap);
        let (first, end) = self.span.unwrap_or((at, at));
        self.span = Some((first.min(at), end.max(at + lasts)));
        self.last = Some((at, gap));
    }

    #[expect(clippy::cast_possible_truncation, reason = "finite seconds; a cast of what is too much saturates")]
    fn ms(&self) -> Option<i64> {
        self.span.map(|(first, end)| ((end - first) * 1_000.0).round() as i64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lasting(lines: &[&str]) -> Option<i64> {
        let mut times = PacketTimes::default();
        for line in lines {
            times.take(line.as_bytes());
        }
        times.ms()
    }

    #[test]
    fn a_picture_lasts_from_the_first_packet_to_the_end_of_the_last_shown() {
        assert_eq!(
            lasting(&["0.5,0.4,0.04", "0.58,0.44,0.04", "0.54,0.48,0.04"]),
            Some(120),
            "packets come in another order"
        );
        assert_eq!(
            lasting(&["1.0,1.0,N/A", "N/A,1.1,N/A", "1.2,N/A,N/A"]),
            Some(300),
            "the last lasts as the one before it"
        );
        assert_eq!(lasting(&["N/A,N/A,0.04", "nan,N/A,1", "", "inf,nan,1"]), None);
        assert_eq!(lasting(&["0,0,1e300"]), Some(i64::MAX));
    }
}
