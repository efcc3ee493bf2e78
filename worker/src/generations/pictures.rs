//! Pictures and films that are made larger, or lose their background, by the `ffmpeg` of this machine.
//!
//! Enlarging resamples (Lanczos): nothing is invented. The background is whatever has about one colour, which is made
//! transparent: a picture becomes PNG, a film `WebM` with VP9 and an alpha channel. One confined child does all of it;
//! its only arguments from a customer are numbers that were checked.

use super::{InstalledEngine, OUTPUT_FILE};
use crate::readers::decode::{Encoder, Feed, MediaTools, Paid, Workshop, fits_a_second, input_arguments, most_pixels};
use crate::readers::{JobCtx, Limit, MediaSource, ReadError};
use domain::generation::{Asked, Color};
use domain::model::BuiltIn;
use domain::pixels::MOST_FILM_PIXELS;
use std::ffi::OsStr;

/// The background where no colour is named: green.
const USUAL_COLOR: Color = Color([0, 255, 0]);
/// The distance from that colour within which pixels are background, in hundredths.
const USUAL_SIMILARITY: u32 = 30;

/// The engines that this `ffmpeg` has what it takes for.
#[derive(Debug, Clone)]
pub(super) struct Pictures {
    version: String,
    enlarges: bool,
    cuts_out: bool,
}

impl Pictures {
    /// Looks at this machine once, at a start.
    pub(super) fn found(tools: &MediaTools) -> Self {
        let encoders = tools.ffmpeg_says("-encoders").unwrap_or_default();
        let has = |names: &[&str]| {
            names.iter().all(|name| encoders.lines().any(|line| line.split_whitespace().nth(1) == Some(name)))
        };
        let version = tools.ffmpeg_says("-version").unwrap_or_default();
        let version = version.split_whitespace().nth(2).unwrap_or("unknown").to_owned();
        let (enlarges, cuts_out) = (has(&["png", "libx264", "aac"]), has(&["png", "libvpx-vp9", "libopus"]));
        Self { version, enlarges, cuts_out }
    }

    /// Returns the engines that there are, with their version.
    pub(super) fn versions(&self) -> Vec<InstalledEngine> {
        let of = |engine, there: bool| there.then(|| InstalledEngine { engine, version: self.version.clone() });
        of(BuiltIn::Lanczos, self.enlarges).into_iter().chain(of(BuiltIn::ChromaKey, self.cuts_out)).collect()
    }

    /// Makes what the call asks for from this media.
    pub(super) async fn make(
        &self,
        engine: BuiltIn,
        asked: &Asked,
        source: &MediaSource,
        workshop: &Workshop,
        most_bytes: u64,
        ctx: &JobCtx,
    ) -> Result<(), ReadError> {
        let is_film = source.probe().has_video;
        if !is_film && !source.probe().is_image {
            return Err(ReadError::NoVideo);
        }
        if is_film {
            fits_a_second(source.probe())?;
        }
        let (filter, output) = match engine {
            BuiltIn::Lanczos => (enlarged(asked, source, is_film)?, if is_film { &MP4[..] } else { &PNG[..] }),
            _ => (keyed(asked, is_film), if is_film { &WEBM[..] } else { &PNG[..] }),
        };
        let name = format!("file:{OUTPUT_FILE}");
        let most_seconds = Paid::of(ctx).seconds(source.tools().limits());
        let most_pixels = most_pixels(source.probe());
        let before = ["-nostdin", "-nostats", "-hide_banner", "-v", "error", "-threads", "2", "-t", &most_seconds];
        let bound = ["-max_pixels", &most_pixels];
        let streams = ["-map", "0:v:0", "-map", "0:a:0?", "-sn", "-dn", "-map_metadata", "-1", "-map_chapters", "-1"];
        // A picture has no sound.
        let streams = if is_film { &streams[..] } else { &streams[..2] };
        let arguments = before
            .into_iter()
            .chain(bound)
            .map(OsStr::new)
            .chain(input_arguments())
            .chain(streams.iter().copied().chain(["-vf", &filter]).map(OsStr::new))
            .chain(output.iter().copied().chain([name.as_str()]).map(OsStr::new));
        let feed = Feed::Media(source.file());
        let child = Encoder::start(source.tools(), workshop, arguments, feed, most_bytes, ctx).await?;
        let ending = child.finish(ctx).await?;
        if ending.status.success() {
            return Ok(());
        }
        tracing::info!(ffmpeg.stderr = ending.stderr, engine = engine.name(), "A picture could not be made.");
        Err(ReadError::Corrupt("its picture can't be decoded whole"))
    }
}

/// The encoder, format and options of each output.
const PNG: [&str; 6] = ["-frames:v", "1", "-c:v", "png", "-f", "image2pipe"];
const MP4: [&str; 16] = [
    "-c:v",
    "libx264",
    "-preset",
    "veryfast",
    "-crf",
    "20",
    "-pix_fmt",
    "yuv420p",
    "-c:a",
    "aac",
    "-b:a",
    "160k",
    "-movflags",
    "+faststart",
    "-f",
    "mp4",
];
/// VP9 without look-ahead: for 4K, the frames of colour and alpha that it keeps take more than a child's memory.
const WEBM: [&str; 20] = [
    "-c:v",
    "libvpx-vp9",
    "-pix_fmt",
    "yuva420p",
    "-auto-alt-ref",
    "0",
    "-lag-in-frames",
    "0",
    "-deadline",
    "realtime",
    "-cpu-used",
    "6",
    "-crf",
    "30",
    "-b:v",
    "0",
    "-c:a",
    "libopus",
    "-f",
    "webm",
];

/// Returns the filter that makes a picture larger, or refuses a size that is too large to be made.
fn enlarged(asked: &Asked, source: &MediaSource, is_film: bool) -> Result<String, ReadError> {
    let factor = asked.factor.unwrap_or(2);
    let probe = source.probe();
    let side = |pixels: Option<u32>| u64::from(pixels.unwrap_or(0)) * u64::from(factor);
    let found = side(probe.width) * side(probe.height);
    let allowed = if is_film { MOST_FILM_PIXELS.into() } else { source.tools().limits().pixels };
    if found > allowed {
        return Err(ReadError::LimitExceeded { limit: Limit::Pixels, found, allowed });
    }
    Ok(format!("scale=w=iw*{factor}:h=ih*{factor}:flags=lanczos"))
}

/// Returns the filter that makes a colour transparent.
fn keyed(asked: &Asked, is_film: bool) -> String {
    let Color([red, green, blue]) = asked.color.unwrap_or(USUAL_COLOR);
    let similarity = asked.similarity.unwrap_or(USUAL_SIMILARITY).clamp(1, 100);
    let (whole, hundredths) = (similarity / 100, similarity % 100);
    let format = if is_film { "format=yuva420p," } else { "" };
    let filter = if is_film { "chromakey" } else { "format=rgba,colorkey" };
    format!("{format}{filter}=0x{red:02x}{green:02x}{blue:02x}:{whole}.{hundredths:02}:0.1")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::readers::decode::{SmallSize, small_pictures};
    use crate::readers::tests::{Studio, an_hour};
    use std::path::Path;

    async fn made(studio: &Studio, engine: BuiltIn, asked: &Asked, source: &Path) -> Result<MediaSource, ReadError> {
        let source = studio.open(source, &an_hour()).await?;
        let pictures = Pictures::found(&studio.tools());
        let workshop = Workshop::new(&studio.tools())?;
        pictures.make(engine, asked, &source, &workshop, 1 << 30, &an_hour()).await?;
        studio.open(&workshop.path(OUTPUT_FILE), &an_hour()).await
    }

    #[tokio::test]
    async fn pictures_and_films_are_made_larger_and_what_would_be_too_large_is_refused() {
        let studio = Studio::new();
        let still = studio.make("still.png", "testsrc=s=63x47:d=1", &["-frames:v", "1"]);
        let film = studio.make("film.mp4", "testsrc=s=64x48:r=10:d=2", &["-c:v", "mpeg4"]);
        for (factor, size) in [(2, (126, 94)), (4, (252, 188))] {
            let asked = Asked { factor: Some(factor), ..Asked::default() };
            let larger = made(&studio, BuiltIn::Lanczos, &asked, &still).await.unwrap();
            assert_eq!(larger.probe().width.zip(larger.probe().height), Some(size));
            assert!(larger.probe().is_image);
        }
        let asked = Asked { factor: Some(2), ..Asked::default() };
        let larger = made(&studio, BuiltIn::Lanczos, &asked, &film).await.unwrap();
        assert_eq!((larger.probe().width, larger.probe().duration_ms), (Some(128), Some(2_000)));
        let huge = studio.make("huge.mp4", "color=s=4096x2160:r=1:d=1", &["-c:v", "mpeg4"]);
        let refused = made(&studio, BuiltIn::Lanczos, &asked, &huge).await.unwrap_err();
        assert!(matches!(refused, ReadError::LimitExceeded { limit: Limit::Pixels, .. }), "{refused}");
        let sound = studio.make("sound.wav", "sine=d=1", &[]);
        assert!(matches!(made(&studio, BuiltIn::Lanczos, &asked, &sound).await, Err(ReadError::NoVideo)));
    }

    #[tokio::test]
    async fn what_has_the_colour_of_the_background_is_gone_from_pictures_and_from_films() {
        let studio = Studio::new();
        let scene = "color=c=0x00ff00:s=64x64:r=5:d=1,drawbox=x=0:y=0:w=32:h=64:c=red:t=fill";
        let still = studio.make("still.png", scene, &["-frames:v", "1"]);
        let film = studio.make("film.mp4", scene, &["-c:v", "libx264", "-qp", "5"]);
        for (source, format) in [(still, "png"), (film, "webm")] {
            let cut = made(&studio, BuiltIn::ChromaKey, &Asked::default(), &source).await.unwrap();
            assert!(cut.probe().format_name.contains(format), "{}", cut.probe().format_name);
            let path = studio.path(&format!("cut.{format}"));
            std::io::copy(&mut cut.file().try_clone().unwrap(), &mut std::fs::File::create(&path).unwrap()).unwrap();
            // The alpha channel alone, as a film of grey.
            let decoder = if format == "webm" { &["-c:v", "libvpx-vp9"][..] } else { &[] };
            let (from, to) = (path.to_str().unwrap(), format!("alpha-{format}.mkv"));
            let arguments = [
                &["-nostdin", "-v", "error", "-y"],
                decoder,
                &["-i", from, "-vf", "alphaextract,format=gray", "-c:v", "ffv1", &to],
            ];
            studio.run("ffmpeg", &arguments.concat());
            let alpha = studio.open(&studio.path(&to), &an_hour()).await.unwrap();
            let mut seen = Vec::new();
            small_pictures(&alpha, SmallSize { width: 8, height: 2 }, &an_hour(), |_, cells| {
                if seen.is_empty() {
                    seen.extend_from_slice(cells);
                }
            })
            .await
            .unwrap();
            println!("{format}: {:?}", &seen[..8]);
            assert!(seen[1] > 200 && seen[6] < 60, "{format}: {:?}", &seen[..8]);
        }
    }
}
