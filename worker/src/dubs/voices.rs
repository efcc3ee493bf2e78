//! Speaks a dub into one track: each segment by its voice and fitted into its time, or copied from what was spoken
//! before.
//!
//! A day of samples would not fit into memory: what is spoken goes into an unnamed file, and from there into the track,
//! with silence between the segments.

use super::wave::Wave;
use crate::generations::OUTPUT_FILE;
use crate::generations::speech::{NO_SOUNDS, Speakers};
use crate::readers::decode::{
    Channels, MediaTools, SoundFormat, Workshop, decode_sound, input_path, nameless, whole_output,
};
use crate::readers::{JobCtx, MediaSource, ReadError};
use domain::dub::{Dub, Piece, Segment, Spoken, VOICE_RATE, engine_of, fitted, tempo};
use domain::generation::Asked;
use domain::media_time::sample_at;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::{File, Permissions};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::PermissionsExt;

/// Samples per second of the track.
pub(crate) const RATE: u32 = VOICE_RATE;
/// Samples per millisecond of the track.
const SAMPLES_A_MS: i64 = RATE as i64 / 1_000;
/// Bytes per sample.
const SAMPLE: i64 = 2;
/// Bytes of one segment's sound, at most.
const SEGMENT_BYTES: usize = 32 << 20;
/// Silence that is written at once.
static SILENCE: [u8; 64 << 10] = [0; 64 << 10];

/// All segments of a dub, one channel of 16 bits at [`RATE`].
#[derive(Debug)]
pub(crate) struct VoiceTrack {
    /// The samples.
    pub(crate) file: File,
    /// The number of samples.
    pub(crate) samples: i64,
    /// The place of each segment in the track.
    pub(crate) pieces: Vec<Piece>,
    /// Segments that were spoken now.
    pub(crate) spoken: usize,
    /// Segments that were taken from what was spoken before.
    pub(crate) reused: usize,
    /// Segments whose text their voice has no sounds for, or which the engine can't speak.
    pub(crate) unspoken: usize,
}

/// A segment's samples before they are placed in the track.
struct Take {
    id: String,
    key: String,
    /// The offset of its first byte in the file of takes.
    from: i64,
    spoken: Spoken,
}

/// The voices of a dub that were spoken before.
#[derive(Debug, Clone, Copy)]
pub(super) struct SpokenBefore<'a> {
    /// The place of each segment in them.
    pub(super) pieces: &'a [Piece],
    /// The voices.
    pub(super) media: &'a MediaSource,
}

/// The parts that speaking needs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Booth<'a> {
    pub(super) speakers: &'a Speakers,
    pub(super) tools: &'a MediaTools,
    pub(super) workshop: &'a Workshop,
}

impl Booth<'_> {
    /// Speaks the dub, for `longest_ms` milliseconds at most, except for what was spoken before.
    pub(super) async fn record(
        &self,
        dub: &Dub,
        before: Option<SpokenBefore<'_>>,
        longest_ms: i64,
        ctx: &JobCtx,
    ) -> Result<VoiceTrack, ReadError> {
        let mut tape = Tape::new()?;
        let mut old = HashMap::new();
        if let Some(before) = before {
            tape.copied = self.copy(before.media, ctx).await?;
            old.extend(before.pieces.iter().map(|piece| (piece.key.as_str(), piece)));
        }
        let (mut spoken, mut reused, mut unspoken, mut why) = (0, 0, 0, None);
        let said = || dub.segments.iter().filter(|segment| !segment.translation.is_empty());
        let all = said().count() as u64;
        for (place, segment) in said().enumerate() {
            let key = segment.key(&dub.target_language);
            if !segment.is_speakable(&dub.target_language) {
                unspoken += 1;
                why = why.or(Some(ReadError::Unsupported(NO_SOUNDS)));
            } else if let Some(piece) = old.get(key.as_str())
                && tape.reuse(segment, &key, piece)?
            {
                reused += 1;
            } else {
                match self.spoken(segment, dub, ctx).await {
                    Ok(samples) => {
                        tape.add(segment, &key, &samples)?;
                        spoken += 1;
                    }
                    // Only the engine can tell: there is no such voice, or it does not know these letters.
                    Err(error @ ReadError::Unsupported(_)) => {
                        unspoken += 1;
                        why = why.or(Some(error));
                    }
                    Err(error) => return Err(error),
                }
            }
            if tape.len > longest_ms.saturating_mul(SAMPLES_A_MS * SAMPLE) {
                return Err(ReadError::Unsupported("its voices take more than three times as long as it is paid for"));
            }
            ctx.progress.reach_part(place as u64 + 1, all);
        }
        if let (Some(error), 0) = (why, spoken + reused) {
            return Err(error);
        }
        let laid = tokio::task::spawn_blocking(move || tape.laid_out()).await.map_err(|_| ReadError::Crashed)??;
        let (file, samples, pieces) = laid;
        Ok(VoiceTrack { file, samples, pieces, spoken, reused, unspoken })
    }

    /// Returns a segment's samples, spoken and fitted.
    async fn spoken(&self, segment: &Segment, dub: &Dub, ctx: &JobCtx) -> Result<Vec<u8>, ReadError> {
        let asked = Asked {
            text: Some(segment.translation.clone()),
            voice: Some(segment.voice.clone()),
            language: Some(dub.target_language.code().to_owned()),
            ..Asked::default()
        };
        let engine = engine_of(&segment.voice, &dub.target_language);
        self.speakers.speak(engine, &asked, self.tools, self.workshop, SEGMENT_BYTES as u64, ctx).await?;
        let path = self.workshop.path(OUTPUT_FILE);
        let bytes = tokio::fs::read(&path).await?;
        tokio::fs::remove_file(&path).await?;
        let wave = Wave::of(&bytes).map(Wave::trimmed).filter(|wave| !wave.samples.is_empty());
        let wave = wave.ok_or(ReadError::Unsupported("the voice finds nothing to speak"))?;
        let span = sample_at(segment.span().0, wave.rate);
        let tempo = tempo(i64::try_from(wave.samples.len()).unwrap_or(i64::MAX), span);
        self.fit(&wave, tempo, ctx).await
    }

    /// Returns the sound at this tempo, in thousandths, and at the track's rate.
    async fn fit(&self, wave: &Wave, tempo: i64, ctx: &JobCtx) -> Result<Vec<u8>, ReadError> {
        let bytes = wave.bytes();
        let input = tokio::task::spawn_blocking(move || nameless(&bytes)).await.map_err(|_| ReadError::Crashed)??;
        let (rate, out) = (wave.rate.to_string(), RATE.to_string());
        let filter = format!("atempo={}.{:03},aresample={RATE}", tempo / 1_000, tempo % 1_000);
        let name = format!("file:{}", input_path());
        let before = ["-nostdin", "-hide_banner", "-v", "error", "-protocol_whitelist", "file", "-f", "s16le"];
        let shape = ["-ar", &rate, "-ac", "1", "-i", &name, "-af", &filter, "-ar", &out, "-ac", "1"];
        let output = ["-map_metadata", "-1", "-threads", "1", "-c:a", "pcm_s16le", "-f", "s16le", "pipe:1"];
        let arguments = before.into_iter().chain(shape).chain(output).map(OsStr::new);
        let made = whole_output(self.tools.ffmpeg(), arguments, &input, self.tools, SEGMENT_BYTES, ctx).await?;
        let (sound, ending) = made;
        if !ending.status.success() || sound.is_empty() {
            tracing::warn!(ffmpeg.stderr = ending.stderr, "ffmpeg did not fit what was spoken.");
            return Err(ReadError::Crashed);
        }
        Ok(sound)
    }

    /// Decodes the samples of a track that was made before into a file.
    async fn copy(&self, media: &MediaSource, ctx: &JobCtx) -> Result<Option<File>, ReadError> {
        let wanted = SoundFormat { rate: RATE, channels: Channels::Mono };
        let (file, _) = decode_sound(media, wanted, ctx, |blocks| {
            let mut file = BufWriter::new(open()?);
            for block in blocks {
                let bytes: Vec<u8> = block.into_iter().flat_map(|sample| of_float(sample).to_le_bytes()).collect();
                file.write_all(&bytes)?;
            }
            Ok(file.into_inner().map_err(io::IntoInnerError::into_error)?)
        })
        .await?;
        Ok(Some(file))
    }
}

/// The spoken segments, before they are placed in the track.
struct Tape {
    takes: Vec<Take>,
    file: File,
    len: i64,
    /// The samples of what was spoken before.
    copied: Option<File>,
}

impl Tape {
    fn new() -> io::Result<Self> {
        Ok(Self { takes: Vec::new(), file: open()?, len: 0, copied: None })
    }

    fn add(&mut self, segment: &Segment, key: &str, samples: &[u8]) -> io::Result<()> {
        self.file.write_all(samples)?;
        let bytes = i64::try_from(samples.len()).unwrap_or(i64::MAX);
        let (start, end) = (sample_at(segment.start.0, RATE), sample_at(segment.end.0, RATE));
        let spoken = Spoken { start, end, len: bytes / SAMPLE };
        self.takes.push(Take { id: segment.id.clone(), key: key.to_owned(), from: self.len, spoken });
        self.len += bytes;
        Ok(())
    }

    /// Copies a segment from what was spoken before; false where not all of it is there.
    fn reuse(&mut self, segment: &Segment, key: &str, piece: &Piece) -> io::Result<bool> {
        let Some(copied) = &mut self.copied else { return Ok(false) };
        let len = usize::try_from(piece.len * SAMPLE).unwrap_or(0).min(SEGMENT_BYTES);
        let mut samples = vec![0; len];
        copied.seek(SeekFrom::Start(u64::try_from(piece.at * SAMPLE).unwrap_or(u64::MAX >> 1)))?;
        match copied.read_exact(&mut samples) {
            Ok(()) if len > 0 => self.add(segment, key, &samples).map(|()| true),
            Ok(()) => Ok(false),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Returns the track, with every take at its time: the file, its samples, and the places of the segments.
    fn laid_out(mut self) -> io::Result<(File, i64, Vec<Piece>)> {
        let spoken: Vec<Spoken> = self.takes.iter().map(|take| take.spoken).collect();
        let places = fitted(&spoken, i64::from(RATE));
        let (mut track, mut at, mut pieces) = (BufWriter::new(open()?), 0, Vec::new());
        for (take, place) in self.takes.into_iter().zip(places) {
            silence(&mut track, place.at - at)?;
            self.file.seek(SeekFrom::Start(take.from.unsigned_abs()))?;
            let len = take.spoken.len;
            io::copy(&mut (&mut self.file).take((len * SAMPLE).unsigned_abs()), &mut track)?;
            at = place.at + len;
            pieces.push(Piece { id: take.id, key: take.key, at: place.at, len, overflow_ms: place.overflow_ms });
        }
        let mut track = track.into_inner().map_err(io::IntoInnerError::into_error)?;
        track.rewind()?;
        Ok((track, at, pieces))
    }
}

/// Opens an unnamed file that children may read.
fn open() -> io::Result<File> {
    let file = tempfile::tempfile()?;
    file.set_permissions(Permissions::from_mode(0o644))?;
    Ok(file)
}

fn silence(track: &mut impl Write, samples: i64) -> io::Result<()> {
    let mut left = usize::try_from(samples.max(0) * SAMPLE).unwrap_or(0);
    while left > 0 {
        let now = left.min(SILENCE.len());
        track.write_all(SILENCE.get(..now).unwrap_or_default())?;
        left -= now;
    }
    Ok(())
}

#[expect(clippy::cast_possible_truncation, reason = "the range is made sure of first")]
fn of_float(sample: f32) -> i16 {
    (sample * 32_768.0).round().clamp(-32_768.0, 32_767.0) as i16
}
