//! The probability of a voice in each short frame of sound, by Silero VAD.
//!
//! A `VoiceDetector` is one run over one sound, and carries the model's state from frame to frame. `segments` turns the
//! probabilities into segments.

use super::silero::{FRAME, Memory, Silero};
use crate::readers::Engine;
use std::sync::Arc;

/// The sample rate of the model, in hertz.
pub(in crate::readers) const RATE: u32 = 16_000;
/// Samples of a frame.
pub(in crate::readers) const FRAME_SAMPLES: usize = FRAME;

/// One run over one sound.
pub(in crate::readers) struct VoiceDetector {
    silero: Arc<Silero>,
    memory: Memory,
}

impl VoiceDetector {
    /// Returns a detector at the beginning of a sound.
    pub(in crate::readers) fn new() -> Self {
        Self { silero: Silero::built_in(), memory: Memory::default() }
    }

    /// Returns the engine, as it is stored with a result.
    pub(in crate::readers) fn engine() -> Engine {
        let model = Some(Silero::built_in().description.clone());
        Engine { name: "mws-silero".to_owned(), version: "1".to_owned(), model }
    }

    /// Returns the probability of a voice in the next frame, 0 to 1.
    pub(in crate::readers) fn probability(&mut self, frame: &[f32; FRAME_SAMPLES]) -> f32 {
        self.silero.probability(frame, &mut self.memory)
    }
}
