//! A read charges for what was decoded, also of files whose headers are patched to say something else.
//!
//! The hold is made for the length that an import finds. What the readers are handed is counted here, apart from what
//! they say themselves. The charge must be at least the rate times what was decoded, and at most the hold.

use super::{JobCtx, Studio, an_hour};
use crate::ingest::length_ms;
use crate::readers::decode::{Channels, SmallSize, SoundBlocks, SoundFormat, decode_sound, small_pictures};
use crate::readers::{MediaSource, ReadError};
use domain::minutes::{Minutes, Rates};
use domain::read::Read;
use std::fs;
use std::path::Path;

/// The length of each file before it is patched, in seconds.
const SECONDS: i64 = 12;
/// Files with their names.
type Files = Vec<(String, Vec<u8>)>;

const SOUND: &str = "anoisesrc=d=12:c=pink:r=44100:seed=4,aformat=channel_layouts=stereo";
const FILM: &str = "testsrc=s=64x48:r=25:d=12[out0];anoisesrc=d=12:c=pink:r=44100:seed=4[out1]";

/// Returns each offset at which `wanted` begins.
fn places(bytes: &[u8], wanted: &[u8]) -> Vec<usize> {
    bytes.windows(wanted.len()).enumerate().filter(|(_, found)| *found == wanted).map(|(place, _)| place).collect()
}

/// Returns the file with the bytes `with` written `after` bytes behind each offset at which `wanted` begins. Fails if
/// there is none.
fn patched(mut bytes: Vec<u8>, wanted: &[u8], after: usize, with: &[u8]) -> Vec<u8> {
    let places = places(&bytes, wanted);
    assert!(!places.is_empty(), "{wanted:?} is not in the file");
    for place in places {
        bytes[place + after..place + after + with.len()].copy_from_slice(with);
    }
    bytes
}

/// Returns an Ogg file whose last page says that it ends at this sample, with the checksum corrected.
fn ogg_ending_at(mut bytes: Vec<u8>, granule: i64) -> Vec<u8> {
    let last = *places(&bytes, b"OggS").last().unwrap();
    bytes[last + 6..last + 14].copy_from_slice(&granule.to_le_bytes());
    bytes[last + 22..last + 26].fill(0);
    let checksum = bytes[last..].iter().fold(0_u32, |sum, byte| {
        (0..8).fold(sum ^ (u32::from(*byte) << 24), |sum, _| (sum << 1) ^ if sum >> 31 == 1 { 0x04c1_1db7 } else { 0 })
    });
    bytes[last + 22..last + 26].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

fn made(studio: &Studio, name: &str, source: &str, arguments: &[&str]) -> Vec<u8> {
    fs::read(studio.make(name, source, arguments)).unwrap()
}

fn matroska(studio: &Studio) -> Files {
    let sound = made(studio, "honest.mka", SOUND, &["-c:a", "aac"]);
    let film = made(studio, "honest.mkv", FILM, &["-c:v", "mpeg4", "-c:a", "aac"]);
    let duration = [0x44, 0x89, 0x88];
    let mut files = Vec::new();
    for ms in [1e-3_f64, 500.0, 11_000.0, 11_990.0, 13_000.0, 6e7, 1e15, f64::NAN, -5.0] {
        files.push((format!("duration-{ms}.mka"), patched(sound.clone(), &duration, 3, &ms.to_be_bytes())));
    }
    files.push(("duration-500.mkv".to_owned(), patched(film.clone(), &duration, 3, &500_f64.to_be_bytes())));
    for scale in [1_000_u32, 100_000, 10_000_000] {
        let scale_bytes = &scale.to_be_bytes()[1..];
        for (kind, whole) in [("mka", &sound), ("mkv", &film)] {
            files.push((
                format!("scale-{scale}.{kind}"),
                patched(whole.clone(), &[0x2a, 0xd7, 0xb1, 0x83], 4, scale_bytes),
            ));
        }
    }
    files
}

fn quicktime(studio: &Studio) -> Files {
    let plain = made(studio, "plain.mov", SOUND, &["-c:a", "pcm_s16le"]);
    let aac = made(studio, "honest.m4a", SOUND, &["-c:a", "aac"]);
    let film = made(studio, "honest.mp4", FILM, &["-c:v", "mpeg4", "-c:a", "aac"]);
    let mut files = Vec::new();
    for (kind, whole) in [("mov", &plain), ("m4a", &aac), ("mp4", &film)] {
        for units in [1_u32, 500, 20_000, 0xffff_fffe] {
            let all = [("mvhd", 20), ("tkhd", 24), ("mdhd", 20)];
            let lie =
                |bytes, (name, after): (&str, usize)| patched(bytes, name.as_bytes(), after, &units.to_be_bytes());
            for (name, after) in all {
                files.push((format!("{name}-{units}.{kind}"), lie(whole.clone(), (name, after))));
            }
            let everywhere = all.into_iter().fold(whole.clone(), lie);
            // The duration in an edit list of one entry.
            files.push((format!("edits-{units}.{kind}"), lie(everywhere.clone(), ("elst", 12))));
            files.push((format!("everywhere-{units}.{kind}"), everywhere));
        }
        for scale in [1_u32, 1_000, 4_410_000] {
            files
                .push((format!("timescale-{scale}.{kind}"), patched(whole.clone(), b"mdhd", 16, &scale.to_be_bytes())));
        }
    }
    // How many ticks a sample lasts: a hundredth as many, and a hundred times as many.
    for ticks in [10_u32, 100_000] {
        files.push((format!("ticks-{ticks}.m4a"), patched(aac.clone(), b"stts", 12, &ticks.to_be_bytes())));
    }
    files
}

fn wav(studio: &Studio) -> Files {
    let whole = made(studio, "honest.wav", SOUND, &["-c:a", "pcm_s16le"]);
    let field = |after: usize, with: &[u8]| patched(whole.clone(), b"fmt ", after, with);
    let mut files = Vec::new();
    for size in [0_u32, 4, 88_200, 0x7fff_ffff, 0xffff_ffff] {
        files.push((format!("size-{size}.wav"), patched(whole.clone(), b"data", 4, &size.to_le_bytes())));
    }
    for channels in [1_u16, 4, 16] {
        files.push((format!("channels-{channels}.wav"), field(10, &channels.to_le_bytes())));
    }
    for rate in [1_u32, 8_000, 192_000, 44_100_000, 0x7fff_ffff] {
        files.push((format!("rate-{rate}.wav"), field(12, &rate.to_le_bytes())));
        files.push((format!("bytes-a-second-{rate}.wav"), field(16, &rate.to_le_bytes())));
    }
    for align in [1_u16, 2, 64, 0xffff] {
        files.push((format!("align-{align}.wav"), field(20, &align.to_le_bytes())));
    }
    files
}

fn others(studio: &Studio) -> Files {
    let mp3 = made(studio, "honest.mp3", SOUND, &["-c:a", "libmp3lame", "-q:a", "4"]);
    let ogg = made(studio, "honest.ogg", SOUND, &["-c:a", "libvorbis"]);
    let opus = made(studio, "honest.opus", SOUND, &["-c:a", "libopus", "-ar", "48000"]);
    let flac = made(studio, "honest.flac", SOUND, &["-c:a", "flac"]);
    let stream = made(studio, "honest.ts", SOUND, &["-c:a", "aac"]);
    let film = made(studio, "film.ts", FILM, &["-c:v", "mpeg2video", "-c:a", "mp2"]);
    let avi = made(studio, "honest.avi", FILM, &["-c:v", "mpeg4", "-c:a", "mp3"]);
    let mut files = Vec::new();
    for frames in [0_u32, 1, 19, 400, 0xffff_ffff] {
        files.push((format!("xing-{frames}.mp3"), patched(mp3.clone(), b"Xing", 8, &frames.to_be_bytes())));
    }
    for granule in [1, 22_050, 1_000_000, 1 << 40] {
        files.push((format!("granule-{granule}.ogg"), ogg_ending_at(ogg.clone(), granule)));
        files.push((format!("granule-{granule}.opus"), ogg_ending_at(opus.clone(), granule)));
    }
    for samples in [0_u32, 1, 22_050, 0xffff_ffff] {
        files.push((format!("samples-{samples}.flac"), patched(flac.clone(), b"fLaC", 22, &samples.to_be_bytes())));
    }
    for frames in [1_u32, 12, 100_000] {
        let lying = patched(avi.clone(), b"avih", 24, &frames.to_le_bytes());
        files.push((format!("frames-{frames}.avi"), patched(lying, b"strh", 40, &frames.to_le_bytes())));
    }
    // A file twice, so that its clock jumps back; and a film with another file in its middle.
    files.push(("twice.ts".to_owned(), [stream.clone(), stream.clone()].concat()));
    files.push(("within.ts".to_owned(), [film.clone(), stream, film].concat()));
    files.push(("twice.mp3".to_owned(), [mp3.clone(), mp3].concat()));
    files.push(("twice.ogg".to_owned(), [ogg.clone(), ogg].concat()));
    files
}

/// Returns the milliseconds that a reader was handed: as counted here, and as the decoder says. An error is the file's.
async fn handed_out(media: &MediaSource, rate: u32, channels: Channels, ctx: &JobCtx) -> Result<(i64, i64), ReadError> {
    let count = channels_of(media, channels);
    let counted = move |blocks: SoundBlocks| Ok(blocks.map(|block| block.len() as u64).sum::<u64>() / count);
    let (frames, said) = decode_sound(media, SoundFormat { rate, channels }, ctx, counted).await?;
    Ok((i64::try_from(frames * 1000 / u64::from(rate)).unwrap(), said.duration_ms))
}

fn channels_of(media: &MediaSource, channels: Channels) -> u64 {
    match channels {
        Channels::Native => media.probe().audio.as_ref().map_or(1, |audio| audio.channels.into()),
        Channels::Mono => 1,
        Channels::Stereo => 2,
    }
}

/// Fails unless the charge covers what was decoded of a file that an import found to be `item_ms` long, and the decoder
/// says the same as was counted.
#[track_caller]
fn assert_paid(name: &str, item_ms: i64, handed_ms: i64, said_ms: i64) {
    assert_eq!(handed_ms, said_ms, "{name}: what is charged is what was handed out");
    for rate in Read::ALL.map(|read| Rates::default().of(read)) {
        let hold = rate.price(item_ms);
        let charged: Minutes = rate.price(said_ms).min(hold);
        let worth = i128::from(rate.hundredths()) * i128::from(handed_ms);
        assert!(
            i128::from(charged.hundredths()) * 60_000 >= worth,
            "{name}: {charged} charged of {hold} held at {rate} a minute for {handed_ms} ms decoded"
        );
    }
}

/// Decodes a file in each way that reads do, and checks the charges. Returns the length that an import finds.
async fn judged(studio: &Studio, name: &str, path: &Path) -> Option<i64> {
    let media = studio.open(path, &an_hour()).await.ok()?;
    let item_ms = length_ms(&media).await?;
    let ctx = || JobCtx { paid_ms: Some(item_ms), ..an_hour() };
    for (rate, channels) in [(8_000, Channels::Mono), (24_000, Channels::Mono), (44_100, Channels::Native)] {
        if let Ok((handed_ms, said_ms)) = handed_out(&media, rate, channels, &ctx()).await {
            assert_paid(name, item_ms, handed_ms, said_ms);
        }
    }
    let (mut last, size) = (0.0_f64, SmallSize { width: 8, height: 2 });
    if let Ok(seen) = small_pictures(&media, size, &ctx(), |second, _| last = last.max(second)).await {
        #[expect(clippy::cast_possible_truncation, reason = "a few seconds")]
        let last_ms = (last * 1000.0).round() as i64;
        assert!(last_ms <= seen.duration_ms, "{name}: a picture at {last_ms} of {} ms", seen.duration_ms);
        assert_paid(name, item_ms, seen.duration_ms, seen.duration_ms);
    }
    Some(item_ms)
}

async fn all_are_paid_for(files: fn(&Studio) -> Files) {
    let studio = Studio::new();
    let mut read = 0;
    for (name, bytes) in files(&studio) {
        let path = studio.path(&name);
        fs::write(&path, bytes).unwrap();
        let item_ms = judged(&studio, &name, &path).await;
        println!("{name}: {item_ms:?}");
        read += u32::from(item_ms.is_some());
    }
    assert!(read >= 8, "only {read} of the files are read at all");
}

#[tokio::test]
async fn whatever_a_matroska_declares_is_paid_for() {
    all_are_paid_for(matroska).await;
}

#[tokio::test]
async fn whatever_a_quicktime_declares_is_paid_for() {
    all_are_paid_for(quicktime).await;
}

#[tokio::test]
async fn whatever_a_wav_declares_is_paid_for() {
    all_are_paid_for(wav).await;
}

#[tokio::test]
async fn whatever_any_other_container_declares_is_paid_for() {
    all_are_paid_for(others).await;
}

#[tokio::test]
async fn a_read_stops_at_what_is_paid_for_and_says_so_in_every_reader() {
    let studio = Studio::new();
    let path = studio.make("film.mkv", FILM, &["-c:v", "mpeg4", "-c:a", "aac"]);
    for read in Read::ALL {
        let ctx = JobCtx { paid_ms: Some(2_500), ..an_hour() };
        let outcome = studio.read_within(read, &path, &ctx).await.unwrap();
        assert_eq!((outcome.duration_ms, outcome.stored.duration_seconds), (2_500, 2.5), "{read}");
        let told = outcome.stored.warnings.concat();
        assert!(told.contains("goes on after the 2500 ms"), "{read}: {told}");
        let ctx = JobCtx { paid_ms: Some(SECONDS * 1000 + 40), ..an_hour() };
        let outcome = studio.read_within(read, &path, &ctx).await.unwrap();
        assert!(outcome.duration_ms > SECONDS * 1000 - 50, "{read}: {}", outcome.duration_ms);
        assert!(!outcome.stored.warnings.concat().contains("goes on"), "{read}");
    }
}

#[tokio::test]
async fn pictures_that_are_much_larger_than_the_first_are_not_decoded() {
    let studio = Studio::new();
    studio.make("small.png", "testsrc=s=16x16:d=1:r=1", &["-frames:v", "1"]);
    for (name, larger, seen) in
        [("grows.mkv", "testsrc=s=4000x3000:d=1:r=4", 1), ("fits.mkv", "testsrc=s=1280x720:d=1:r=4", 5)]
    {
        studio.make("larger%d.png", larger, &[]);
        let mut pictures = vec![fs::read(studio.path("small.png")).unwrap()];
        pictures.extend((1..=4).map(|number| fs::read(studio.path(&format!("larger{number}.png"))).unwrap()));
        fs::write(studio.path("all.png"), pictures.concat()).unwrap();
        studio.run(
            "ffmpeg",
            &[
                "-nostdin",
                "-v",
                "error",
                "-y",
                "-f",
                "png_pipe",
                "-framerate",
                "4",
                "-i",
                "all.png",
                "-c",
                "copy",
                name,
            ],
        );
        let media = studio.open(&studio.path(name), &an_hour()).await.unwrap();
        assert_eq!((media.probe().width, media.probe().has_video), (Some(16), true), "{name}");
        let mut pictures = 0;
        let size = SmallSize { width: 8, height: 2 };
        let ended = small_pictures(&media, size, &an_hour(), |_, _| pictures += 1).await;
        assert!(ended.is_ok() || seen == 1, "{name}: {:?}", ended.err());
        assert_eq!(pictures, seen, "{name}");
    }
}
