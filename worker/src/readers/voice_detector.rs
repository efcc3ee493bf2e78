//! How likely each short frame of sound holds a voice, by Silero VAD.
//!
//! A `VoiceDetector` is one run over one sound, and carries the model's memory from frame to frame. What the probabilities
//! mean for segments is in `speech_segments`.

use super::Engine;
use super::silero::{FRAME, Memory, Silero};
use std::sync::Arc;

/// The rate that the model hears, in samples a second.
pub(super) const RATE: u32 = 16_000;
/// Samples of a frame.
pub(super) const FRAME_SAMPLES: usize = FRAME;

/// One run over one sound.
pub(super) struct VoiceDetector {
    silero: Arc<Silero>,
    memory: Memory,
}

impl VoiceDetector {
    /// A detector at the beginning of a sound.
    pub(super) fn new() -> Self {
        Self { silero: Silero::built_in(), memory: Memory::default() }
    }

    /// The engine as it is kept with a result.
    pub(super) fn engine() -> Engine {
        let model = Some(Silero::built_in().description.clone());
        Engine { name: "mws-silero".to_owned(), version: "1".to_owned(), model }
    }

    /// The probability of a voice in the next frame.
    pub(super) fn probability(&mut self, frame: &[f32; FRAME_SAMPLES]) -> f32 {
        self.silero.probability(frame, &mut self.memory)
    }
}
