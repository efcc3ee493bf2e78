//! The output of a speech engine: a 16-bit WAV file, which is read here and trimmed of the silence around the speech.

/// Samples quieter than this are silence, -54 dBFS.
const SILENT: u16 = 64;
/// The silence that stays on either side, as a part of a second: a hundredth.
const KEPT: u32 = 100;

/// One channel of samples.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wave {
    /// Samples per second.
    pub(super) rate: u32,
    /// The samples.
    pub(super) samples: Vec<i16>,
}

impl Wave {
    /// Returns the samples of a file; none when it is not of the kind that both engines write.
    pub(super) fn of(bytes: &[u8]) -> Option<Self> {
        if !bytes.starts_with(b"RIFF") || bytes.get(8..12)? != b"WAVE" {
            return None;
        }
        let mut rest = bytes.get(12..)?;
        let mut rate = None;
        while let Some((name, after)) = rest.split_at_checked(4) {
            let (size, body) = after.split_at_checked(4)?;
            let size = u32::from_le_bytes(size.try_into().ok()?) as usize;
            match name {
                b"fmt " => {
                    // PCM, one channel, 16 bits.
                    let plain = body.get(..4)? == [1, 0, 1, 0] && body.get(14..16)? == [16, 0];
                    rate = Some(u32::from_le_bytes(body.get(4..8)?.try_into().ok()?)).filter(|rate| plain && *rate > 0);
                }
                b"data" => {
                    let data = body.get(..size.min(body.len()))?;
                    let samples = data.as_chunks::<2>().0.iter().map(|pair| i16::from_le_bytes(*pair)).collect();
                    return Some(Self { rate: rate?, samples });
                }
                _ => {}
            }
            rest = body.get(size + size % 2..)?;
        }
        None
    }

    /// Returns the sound from the first audible sample to the last, with a little silence on either side.
    pub(super) fn trimmed(mut self) -> Self {
        let is_heard = |sample: &i16| sample.unsigned_abs() >= SILENT;
        let Some(first) = self.samples.iter().position(is_heard) else {
            return Self { samples: Vec::new(), ..self };
        };
        let last = self.samples.iter().rposition(is_heard).unwrap_or(first);
        let kept = usize::try_from(self.rate / KEPT).unwrap_or(0);
        self.samples.truncate(last.saturating_add(kept + 1).min(self.samples.len()));
        self.samples.drain(..first.saturating_sub(kept));
        self
    }

    /// The samples as bytes.
    pub(super) fn bytes(&self) -> Vec<u8> {
        self.samples.iter().flat_map(|sample| sample.to_le_bytes()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(samples: &[i16], extra: &[u8]) -> Vec<u8> {
        let data: Vec<u8> = samples.iter().flat_map(|sample| sample.to_le_bytes()).collect();
        let format: [&[u8]; 4] = [&[1, 0, 1, 0], &8_000_u32.to_le_bytes(), &16_000_u32.to_le_bytes(), &[2, 0, 16, 0]];
        let format = format.concat();
        let size = |bytes: &[u8]| u32::try_from(bytes.len()).unwrap().to_le_bytes();
        let parts: [&[u8]; 9] =
            [b"RIFF", &[0; 4], b"WAVEfmt ", &size(&format), &format, extra, b"data", &size(&data), &data];
        parts.concat()
    }

    #[test]
    fn the_samples_come_out_without_the_silence_around_them() {
        let samples: Vec<i16> = [vec![0; 500], vec![900, -900], vec![10; 500]].concat();
        let extra = [b"LIST", &4_u32.to_le_bytes()[..], b"abcd"].concat();
        for extra in [&[][..], extra.as_slice()] {
            let wave = Wave::of(&file(&samples, extra)).unwrap();
            assert_eq!((wave.rate, wave.samples.as_slice()), (8_000, samples.as_slice()));
            let trimmed = wave.trimmed();
            assert_eq!((trimmed.samples.len(), trimmed.samples[80]), (162, 900));
        }
        assert!(Wave::of(&file(&[1; 9], &[])).unwrap().trimmed().samples.is_empty());
    }

    #[test]
    fn what_is_no_such_file_is_nothing_whatever_it_says() {
        let whole = file(&[5; 20], &[]);
        for cut in 0..whole.len() {
            let _ = Wave::of(&whole[..cut]);
        }
        assert_eq!(Wave::of(b"RIFF\0\0\0\0WAVE"), None);
        let mut stereo = whole.clone();
        stereo[22] = 2;
        assert_eq!(Wave::of(&stereo), None);
        let mut large = whole;
        large[40..44].copy_from_slice(&u32::MAX.to_le_bytes());
        assert_eq!(Wave::of(&large).unwrap().samples.len(), 20);
    }
}
