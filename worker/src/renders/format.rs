//! The output formats of a render: the container, the codecs and their settings.
//!
//! A video becomes MP4 with H.264 and AAC, which plays everywhere. Lossless sound stays lossless (WAV, FLAC); all other
//! sound becomes AAC in MP4, whose duration is exact, unlike that of MP3. More than two channels become two.

use crate::readers::decode::{AudioStream, Channels, SoundFormat};
use crate::readers::{MediaSource, Probe};

/// Sample rates of AAC; sound of another rate is resampled to the first.
const LOSSY_RATES: [u32; 9] = [48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000];
/// Sample rates of lossless sound.
const LOSSLESS_RATES: std::ops::RangeInclusive<u32> = 8_000..=192_000;

/// The container that is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Container {
    /// Video with sound.
    Mp4,
    /// Sound alone.
    M4a,
    /// Lossless sound, uncompressed.
    Wav,
    /// Lossless sound, compressed.
    Flac,
}

impl Container {
    /// Returns the container of a render of this media.
    pub(super) fn of(media: &MediaSource) -> Self {
        let probe: &Probe = media.probe();
        match probe.format_name.as_str() {
            _ if probe.has_video => Self::Mp4,
            "wav" => Self::Wav,
            "flac" => Self::Flac,
            _ => Self::M4a,
        }
    }

    /// Returns its media type.
    pub(super) const fn content_type(self) -> &'static str {
        match self {
            Self::Mp4 => "video/mp4",
            Self::M4a => "audio/mp4",
            Self::Wav => "audio/wav",
            Self::Flac => "audio/flac",
        }
    }

    /// Returns the container of the sound: a video's sound is a file of its own at first.
    pub(super) const fn of_sound(self) -> Self {
        match self {
            Self::Mp4 => Self::M4a,
            other => other,
        }
    }

    /// Returns the format of the samples to write.
    pub(super) fn samples(self, audio: &AudioStream, channels: Channels) -> SoundFormat {
        let rate = match self {
            Self::Wav | Self::Flac => audio.rate.clamp(*LOSSLESS_RATES.start(), *LOSSLESS_RATES.end()),
            Self::Mp4 | Self::M4a if LOSSY_RATES.contains(&audio.rate) => audio.rate,
            Self::Mp4 | Self::M4a => LOSSY_RATES[0],
        };
        SoundFormat { rate, channels }
    }

    /// Returns the arguments that encode samples of at most `bits` bits into a container for sound.
    pub(super) const fn sound_arguments(self, channels: u32, bits: u32) -> &'static [&'static str] {
        match self {
            Self::Wav if bits > 16 => &["-c:a", "pcm_s24le", "-rf64", "auto", "-f", "wav"],
            Self::Wav => &["-c:a", "pcm_s16le", "-rf64", "auto", "-f", "wav"],
            Self::Flac if bits > 16 => {
                &["-c:a", "flac", "-sample_fmt", "s32", "-bits_per_raw_sample", "24", "-f", "flac"]
            }
            Self::Flac => &["-c:a", "flac", "-sample_fmt", "s16", "-f", "flac"],
            Self::Mp4 | Self::M4a if channels == 1 => {
                &["-c:a", "aac", "-b:a", "96k", "-movflags", "+faststart", "-f", "ipod"]
            }
            Self::Mp4 | Self::M4a => &["-c:a", "aac", "-b:a", "160k", "-movflags", "+faststart", "-f", "ipod"],
        }
    }
}

/// Returns the channels that this sound keeps.
pub(super) const fn kept_channels(audio: &AudioStream) -> Channels {
    if audio.channels == 1 { Channels::Mono } else { Channels::Stereo }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn audio(rate: u32, channels: u32) -> AudioStream {
        AudioStream { index: 0, rate, channels, layout: None, lead_in_ms: 0, bits: 16 }
    }

    #[test]
    fn sound_keeps_its_rate_where_its_format_has_it() {
        let rate = |container: Container, rate| container.samples(&audio(rate, 1), Channels::Mono).rate;
        assert_eq!((rate(Container::M4a, 44_100), rate(Container::M4a, 96_000)), (44_100, 48_000));
        assert_eq!((rate(Container::Wav, 96_000), rate(Container::Flac, 4_000)), (96_000, 8_000));
    }

    #[test]
    fn more_than_two_channels_become_two() {
        let of = |channels| kept_channels(&audio(48_000, channels));
        assert_eq!((of(1), of(2), of(6)), (Channels::Mono, Channels::Stereo, Channels::Stereo));
    }
}
