//! The key pictures of a film, where decoding can begin, as its container lists them, with nothing decoded.

use super::output::whole_output;
use super::{MediaSource, input_arguments};
use crate::readers::{JobCtx, ReadError};
use std::ffi::OsStr;
use std::fmt::Write;

/// Bytes of the answer for each time that is asked about, at most.
const LINE_BYTES: usize = 64;

/// Returns how many milliseconds of picture must be decoded to reach these seconds of a film, each from the key picture
/// before it, in all.
pub(crate) async fn gone_through_ms(media: &MediaSource, seconds: &[i64], ctx: &JobCtx) -> Result<i64, ReadError> {
    if seconds.is_empty() {
        return Ok(0);
    }
    // Decoders count from where the file begins, ffprobe from 0.
    let begins_ms = times(media, &["-show_entries", "format=start_time"], 1, ctx).await?.first().copied().unwrap_or(0);
    let mut intervals = String::new();
    for second in seconds {
        let at_ms = second.saturating_mul(1_000).saturating_add(begins_ms).max(0);
        // Writing to a text can't fail.
        let comma = if intervals.is_empty() { "" } else { "," };
        let _ = write!(intervals, "{comma}{}.{:03}%+#1", at_ms / 1_000, at_ms % 1_000);
    }
    let asked = ["-select_streams", "V:0", "-read_intervals", &intervals, "-show_entries", "packet=pts_time"];
    let mut keys = times(media, &asked, seconds.len(), ctx).await?;
    for key in &mut keys {
        *key = key.saturating_sub(begins_ms);
    }
    Ok(gone_through(keys, seconds))
}

/// Returns the times that ffprobe answers, one per line, in milliseconds.
async fn times(media: &MediaSource, asked: &[&str], lines: usize, ctx: &JobCtx) -> Result<Vec<i64>, ReadError> {
    let (tools, common) = (media.tools(), ["-v", "error", "-of", "csv=p=0"]);
    let arguments = common.iter().chain(asked).copied().map(OsStr::new).chain(input_arguments());
    let most = LINE_BYTES * (lines + 1);
    let (answer, ending) = whole_output(&tools.ffprobe, arguments, media.file(), tools, most, ctx).await?;
    if !ending.status.success() {
        tracing::debug!(ffprobe.stderr = ending.stderr, "ffprobe did not tell of key pictures");
        return Err(ReadError::Crashed);
    }
    Ok(parsed(&answer))
}

fn parsed(answer: &[u8]) -> Vec<i64> {
    let lines = answer.split(|byte| *byte == b'\n').filter_map(|line| str::from_utf8(line).ok());
    let times = lines.filter_map(|line| line.trim().trim_end_matches(',').parse::<f64>().ok());
    #[expect(clippy::cast_possible_truncation, reason = "media lasts days at most, and a cast keeps within its type")]
    times.filter(|time| time.is_finite()).map(|time| (time * 1_000.0) as i64).collect()
}

/// Returns the milliseconds to decode before these seconds, with key pictures at `keys` milliseconds. Where none comes
/// before a second, decoding begins at the start.
fn gone_through(mut keys: Vec<i64>, seconds: &[i64]) -> i64 {
    keys.sort_unstable();
    let before = |at_ms: i64| keys.partition_point(|key| *key <= at_ms).checked_sub(1).and_then(|at| keys.get(at));
    let gone_through = seconds.iter().map(|second| {
        let at_ms = second.saturating_mul(1_000);
        at_ms.saturating_sub(before(at_ms).copied().unwrap_or(0).max(0))
    });
    gone_through.fold(0, i64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::readers::tests::{Studio, an_hour};

    #[test]
    fn what_is_not_told_of_is_gone_through_from_the_start() {
        let of = |answer: &[u8], seconds: &[i64]| gone_through(parsed(answer), seconds);
        assert_eq!(of(b"190.000000\n20.000000\n", &[198, 20]), 8_000);
        assert_eq!(of(b"0.000000,\n", &[198, 193]), 391_000);
        assert_eq!(of(b"junk\nN/A\nnan\n-9\n1e300\n", &[30]), 30_000);
    }

    #[tokio::test]
    async fn a_film_says_where_its_pictures_begin() {
        let studio = Studio::new();
        let picture = "color=black:s=64x64:r=10:d=60";
        let often = studio.make("often.mp4", picture, &["-c:v", "mpeg4", "-g", "50"]);
        let once = studio.make("once.mp4", picture, &["-c:v", "mpeg4", "-g", "600", "-sc_threshold", "1000000000"]);
        let told = async |path| {
            let media = studio.open(path, &an_hour()).await.unwrap();
            gone_through_ms(&media, &[23, 51], &an_hour()).await.unwrap()
        };
        assert_eq!((told(&often).await, told(&once).await), (3_000 + 1_000, 23_000 + 51_000));
        // One that begins at 100 s is decoded from there on.
        let late = ["-c:v", "mpeg4", "-g", "50", "-output_ts_offset", "100"];
        assert_eq!(told(&studio.make("late.mkv", picture, &late)).await, 3_000 + 1_000);
    }
}
