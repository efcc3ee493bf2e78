//! Voice embeddings of 256 numbers: the encoder of the package `Resemblyzer`, run here without Python.
//!
//! `scripts/setup` takes its weights out of the wheel and puts them where [`VoiceEncoder::found`] looks. They are
//! loaded once per process, and used only if their hash is the known one. Neighbours: `mel`, its input, and `network`,
//! which computes the embeddings.

pub(super) mod mel;
pub(super) mod network;

use mel::Mel;
use network::{NUMBERS, Network, Voice};
use rten::ThreadPool;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

/// The weights' file: little-endian `f32`s, in the order of `network`.
const FILE: &str = "voice-encoder-resemblyzer-0.1.4.f32";
/// The SHA-256 of the file.
const SHA256: &str = "9253e3d277d7fee981eaa531e0f33e8d40814679648293925ded325c51f064d3";
/// The system's folders for data that programs share; the user's own folder comes before them.
const FOLDERS: [&str; 2] = ["/usr/local/share/mws", "/usr/share/mws"];

/// The encoder of this process.
pub(super) struct VoiceEncoder {
    network: Network,
}

impl std::fmt::Debug for VoiceEncoder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("VoiceEncoder").finish_non_exhaustive()
    }
}

impl VoiceEncoder {
    /// Loads the weights of this file, or of the first that this machine has; none where there is no such file, or its
    /// hash is wrong.
    pub(super) fn found(given: Option<&Path>) -> Option<Arc<Self>> {
        static FOUND: LazyLock<Option<Arc<VoiceEncoder>>> = LazyLock::new(|| {
            let user = std::env::var_os("XDG_DATA_HOME").map(PathBuf::from).or_else(|| {
                let home = std::env::var_os("HOME")?;
                Some(Path::new(&home).join(".local/share"))
            });
            let folders = user.map(|folder| folder.join("mws")).into_iter().chain(FOLDERS.map(PathBuf::from));
            let file = folders.map(|folder| folder.join(FILE)).find(|file| file.is_file())?;
            VoiceEncoder::of_file(&file)
        });
        match given {
            Some(file) => Self::of_file(file),
            None => FOUND.clone(),
        }
    }

    fn of_file(file: &Path) -> Option<Arc<Self>> {
        let loaded = std::fs::read(file).map_err(|error| error.to_string()).and_then(|bytes| Self::of(&bytes));
        let file = file.display();
        loaded
            .inspect_err(|reason| tracing::warn!(reason, %file, "The voice encoder can't be used."))
            .ok()
            .map(Arc::new)
    }

    fn of(bytes: &[u8]) -> Result<Self, String> {
        if bytes.len() != NUMBERS * 4 || hex::encode(Sha256::digest(bytes)) != SHA256 {
            return Err("its weights are not those of Resemblyzer 0.1.4: run scripts/setup again".to_owned());
        }
        let numbers: Vec<f32> = bytes.as_chunks::<4>().0.iter().map(|number| f32::from_le_bytes(*number)).collect();
        Ok(Self { network: Network::of(&numbers)? })
    }

    /// Returns the version of the weights, as it is stored with a result.
    pub(super) fn description() -> String {
        format!("resemblyzer 0.1.4 sha256:{}", SHA256.get(..12).unwrap_or(SHA256))
    }

    /// Returns the encoder with a pool of one thread, so that a read takes the processor time of one core at most.
    pub(super) fn at_work(self: &Arc<Self>) -> Listening {
        Listening { encoder: Arc::clone(self), thread: ThreadPool::with_num_threads(1) }
    }
}

/// An encoder in use by one read.
#[derive(Debug)]
pub(super) struct Listening {
    encoder: Arc<VoiceEncoder>,
    thread: ThreadPool,
}

impl Listening {
    /// Returns the embedding of each window.
    pub(super) fn voices(&self, windows: &[Vec<Mel>]) -> Result<Vec<Voice>, crate::readers::ReadError> {
        self.thread.run(|| self.encoder.network.voices(windows)).map_err(crate::readers::ReadError::Internal)
    }
}

#[cfg(test)]
mod tests {
    use super::mel::Mels;
    use super::network::alike;
    use super::*;
    use std::f64::consts::TAU;

    /// What Resemblyzer's network makes of the hum below, without each frame's mean: eight of its 256 numbers.
    const KNOWN: [(usize, f32); 8] = [
        (36, 0.2755),
        (64, 0.1790),
        (77, 0.2103),
        (146, 0.2107),
        (168, 0.1960),
        (191, 0.2075),
        (202, 0.1785),
        (246, 0.3214),
    ];

    /// A second and a half of a voice that hums.
    fn hum(hertz: f64) -> Vec<f32> {
        let sample = |n: u32| {
            let at = f64::from(n) / 16_000.0;
            let tones: f64 = (1..=20).map(f64::from).map(|k| (TAU * hertz * k * at).sin() / k).sum();
            0.1 * tones * (1.2 + (TAU * 3.0 * at).sin())
        };
        #[expect(clippy::cast_possible_truncation, reason = "a sample needs few digits")]
        (0..24_000).map(|n| sample(n) as f32).collect()
    }

    fn mels(samples: &[f32]) -> Vec<Mel> {
        let (mut mels, mut frames) = (Mels::new(), Vec::new());
        for block in samples.chunks(777) {
            mels.add(block, |frame| {
                frames.push(*frame);
                Ok(())
            })
            .unwrap();
        }
        mels.finish(|frame| {
            frames.push(*frame);
            Ok(())
        })
        .unwrap();
        frames
    }

    #[test]
    fn a_voice_is_what_the_network_of_the_wheel_makes_of_it() {
        let encoder = VoiceEncoder::found(None).expect("no voice encoder: run make setup");
        let frames = mels(&hum(120.0));
        assert_eq!(frames.len(), 151);
        // The result does not depend on the windows beside it, or on their lengths.
        let windows = [frames[..40].to_vec(), frames.clone(), Vec::new(), mels(&hum(170.0))];
        let voices = encoder.at_work().voices(&windows).unwrap();
        for (number, known) in KNOWN {
            assert!((voices[1][number] - known).abs() < 1e-4, "{number}: {} is not {known}", voices[1][number]);
        }
        assert!((alike(&voices[1], &voices[1]) - 1.0).abs() < 1e-4);
        assert!(alike(&voices[2], &voices[2]) < 1e-6, "nothing has no voice");
    }

    #[test]
    fn a_recording_with_an_offset_has_the_same_voice() {
        let (plain, offset) = (hum(120.0), hum(120.0).iter().map(|sample| sample + 0.1).collect::<Vec<_>>());
        // The frames at either end are half silence, in which an offset begins and ends.
        let whole = |samples: &[f32]| mels(samples)[2..148].to_vec();
        let encoder = VoiceEncoder::found(None).expect("no voice encoder: run make setup");
        let voices = encoder.at_work().voices(&[whole(&plain), whole(&offset)]).unwrap();
        assert!(alike(&voices[0], &voices[1]) > 0.9999, "{}", alike(&voices[0], &voices[1]));
    }

    #[test]
    fn weights_that_are_not_those_that_are_known_are_not_used() {
        assert!(VoiceEncoder::of(&vec![0; NUMBERS * 4]).is_err());
        assert!(VoiceEncoder::found(Some(Path::new("/nowhere/at/all"))).is_none());
    }
}
