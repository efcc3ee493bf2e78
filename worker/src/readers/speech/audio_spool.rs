//! A media's sound on disk: the result of one decode, for those that go through it again.
//!
//! One channel of 16 bits at [`RATE`], 115 MB per hour, in an unnamed file that nobody else can open and that goes with
//! its last user. Many may go through it at once, each from the beginning; memory holds one block for each. Neighbours:
//! `shared_decode`, which keeps a sound while it detects speech, and `speakers::server`, which sends one.

use super::detector::RATE;
use crate::readers::{JobCtx, ReadError};
use bytes::Bytes;
use futures_util::{Stream, stream};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

/// Bytes that are read at once: about two seconds.
const BLOCK_BYTES: u64 = 64 * 1024;

/// Sound on its way into a file.
#[derive(Debug)]
pub(in crate::readers) struct Spooling {
    file: std::io::Result<BufWriter<File>>,
    bytes: u64,
}

impl Spooling {
    /// Begins an empty one in this folder.
    pub(in crate::readers) fn begin(folder: &Path) -> Self {
        Self { file: tempfile::tempfile_in(folder).map(BufWriter::new), bytes: 0 }
    }

    /// Keeps a block. An error is reported at the end, to those who want the sound.
    pub(in crate::readers) fn add(&mut self, block: &[f32]) {
        self.bytes += 2 * block.len() as u64;
        let Ok(file) = &mut self.file else { return };
        let mut samples = block.iter().map(|sample| sixteen_bits(*sample).to_le_bytes());
        if let Err(error) = samples.try_for_each(|sample| file.write_all(&sample)) {
            self.file = Err(error);
        }
    }

    /// Returns the whole sound, or the first error.
    pub(in crate::readers) fn finish(self) -> Result<AudioSpool, ReadError> {
        let file = self.file?.into_inner().map_err(std::io::IntoInnerError::into_error)?;
        Ok(AudioSpool { file, bytes: self.bytes })
    }
}

/// A whole sound in a file.
#[derive(Debug)]
pub(in crate::readers) struct AudioSpool {
    file: File,
    bytes: u64,
}

impl AudioSpool {
    /// Returns how many bytes its samples have.
    pub(in crate::readers) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the length of this many bytes of samples, in milliseconds.
    pub(in crate::readers) fn milliseconds(bytes: u64) -> u64 {
        bytes / 2 * 1000 / u64::from(RATE)
    }

    /// Runs `analyse` over its blocks on a blocking thread, until the read must stop.
    pub(in crate::readers) async fn gone_through<T, A>(
        self: &Arc<Self>,
        ctx: &JobCtx,
        analyse: A,
    ) -> Result<T, ReadError>
    where
        T: Send + 'static,
        A: FnOnce(SpooledBlocks) -> Result<T, ReadError> + Send + 'static,
    {
        let blocks = SpooledBlocks { sound: Arc::clone(self), at: 0, ctx: ctx.clone() };
        let analysis = tokio::task::spawn_blocking(move || analyse(blocks));
        ctx.bounded(analysis).await?.map_err(|_| ReadError::Crashed)?
    }

    /// Returns its bytes as a stream.
    pub(in crate::readers) fn stream(self: &Arc<Self>) -> impl Stream<Item = std::io::Result<Bytes>> + Send + use<> {
        let sound = Arc::clone(self);
        stream::try_unfold(0, move |at| {
            let sound = Arc::clone(&sound);
            async move {
                let read = tokio::task::spawn_blocking(move || sound.read(at)).await??;
                let next = at + read.len() as u64;
                Ok((!read.is_empty()).then(|| (read.into(), next)))
            }
        })
    }

    /// Returns the bytes from this offset on, up to a block of them; none at the end.
    fn read(&self, at: u64) -> std::io::Result<Vec<u8>> {
        let left = self.bytes.saturating_sub(at).min(BLOCK_BYTES);
        let mut bytes = vec![0; usize::try_from(left).unwrap_or_default()];
        self.file.read_exact_at(&mut bytes, at)?;
        Ok(bytes)
    }
}

/// The blocks of a kept sound, in order, until the read must stop.
#[derive(Debug)]
pub(in crate::readers) struct SpooledBlocks {
    sound: Arc<AudioSpool>,
    at: u64,
    ctx: JobCtx,
}

impl Iterator for SpooledBlocks {
    type Item = Result<Vec<f32>, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let read = self.ctx.may_go_on().and_then(|()| Ok(self.sound.read(self.at)?));
        let bytes = match read {
            Ok(bytes) if bytes.is_empty() => return None,
            Ok(bytes) => bytes,
            Err(error) => return Some(Err(error)),
        };
        self.at += bytes.len() as u64;
        self.ctx.progress.reach_part(self.at, self.sound.bytes);
        let (samples, _) = bytes.as_chunks::<2>();
        Some(Ok(samples.iter().map(|sample| fraction(i16::from_le_bytes(*sample))).collect()))
    }
}

/// Returns a sample as a WAV file of 16 bits has it.
#[expect(clippy::cast_possible_truncation, reason = "the value is clamped first")]
pub(in crate::readers) fn sixteen_bits(sample: f32) -> i16 {
    (sample.clamp(-1.0, 1.0) * f32::from(i16::MAX)).round() as i16
}

/// Returns the sample of a 16-bit value, without loss.
fn fraction(sample: i16) -> f32 {
    f32::from(sample) / f32::from(i16::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::readers::tests::an_hour;
    use futures_util::TryStreamExt;

    #[test]
    fn a_sample_that_was_kept_once_can_be_kept_again() {
        for sample in -i16::MAX..=i16::MAX {
            assert_eq!(sixteen_bits(fraction(sample)), sample);
        }
    }

    #[tokio::test]
    async fn a_sound_is_gone_through_by_many_and_by_nobody_who_has_to_stop() {
        let mut keeping = Spooling::begin(&std::env::temp_dir());
        let sound: Vec<f32> = (0..100_000).map(|n| fraction(i16::try_from(n % 1_000).unwrap())).collect();
        sound.chunks(777).for_each(|block| keeping.add(block));
        let kept = Arc::new(keeping.finish().unwrap());
        let ctx = an_hour();
        let all = |blocks: SpooledBlocks| blocks.collect::<Result<Vec<_>, _>>().map(|blocks| blocks.concat());
        let (one, other) = tokio::join!(kept.gone_through(&ctx, all), kept.gone_through(&ctx, all));
        assert!(one.unwrap() == sound && other.unwrap() == sound);
        for _ in 0..2 {
            let sent: Vec<Bytes> = kept.stream().try_collect().await.unwrap();
            assert_eq!(sent.iter().map(Bytes::len).sum::<usize>() as u64, kept.bytes());
        }
        assert_eq!(AudioSpool::milliseconds(kept.bytes()), 6_250);
        ctx.cancel.cancel();
        assert!(matches!(kept.gone_through(&ctx, all).await, Err(ReadError::Cancelled)));
        let mut blocks = SpooledBlocks { sound: kept, at: 0, ctx };
        assert!(matches!(blocks.next(), Some(Err(ReadError::Cancelled))), "nor does the thread go on");
    }

    #[test]
    fn a_sound_that_can_not_be_kept_fails_those_alone_who_want_it() {
        let mut keeping = Spooling::begin(Path::new("/nowhere/at/all"));
        keeping.add(&[0.5; 16]);
        assert!(matches!(keeping.finish(), Err(ReadError::Io(_))));
    }
}
