//! How likely each short frame of sound holds a voice: Silero VAD where its model is installed, `earshot` elsewhere.
//!
//! `VoiceEngine` is found once and shared; `VoiceDetector` is one run over one sound, and carries the state from frame
//! to frame. What the probabilities mean for segments is in `speech_segments`.

use super::Engine;
use super::silero::{self, Memory, Silero};
use std::path::PathBuf;
use std::sync::Arc;

/// The rate that both engines hear, in samples a second.
pub(super) const RATE: u32 = 16_000;
/// The file that holds the Silero model.
const SILERO_FILE: &str = "silero_vad_16k_op15.onnx";
/// Samples in a frame of earshot's.
const EARSHOT_FRAME: usize = 256;

/// What finds voices on this machine.
#[derive(Clone)]
pub(super) enum VoiceEngine {
    /// Silero VAD.
    Silero(Arc<Silero>),
    /// `earshot`, whose weights are in this program.
    Earshot,
}

impl VoiceEngine {
    /// Silero from the first folder that holds its model, or else earshot.
    pub(super) fn found(model_dirs: &[PathBuf]) -> Self {
        let files = model_dirs.iter().map(|folder| folder.join(SILERO_FILE));
        let Some(file) = files.into_iter().find(|file| file.is_file()) else { return Self::Earshot };
        match Silero::load(&file) {
            Ok(silero) => Self::Silero(Arc::new(silero)),
            Err(reason) => {
                tracing::warn!(model.file = %file.display(), reason, "the voice model can't be used");
                Self::Earshot
            }
        }
    }

    /// The engine as it is kept with a result.
    pub(super) fn engine(&self) -> Engine {
        match self {
            Self::Silero(silero) => Engine {
                name: "mws-silero".to_owned(),
                version: "1".to_owned(),
                model: Some(silero.description.clone()),
            },
            Self::Earshot => Engine { name: "earshot".to_owned(), version: "1.2".to_owned(), model: None },
        }
    }

    /// A detector at the beginning of a sound.
    pub(super) fn detector(&self) -> VoiceDetector {
        match self {
            Self::Silero(silero) => VoiceDetector::Silero(Arc::clone(silero), Box::default()),
            Self::Earshot => VoiceDetector::Earshot(earshot::Detector::default_boxed()),
        }
    }
}

impl std::fmt::Debug for VoiceEngine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("VoiceEngine").field(&self.engine().name).finish()
    }
}

/// One run over one sound.
pub(super) enum VoiceDetector {
    /// The model, and what it remembers.
    Silero(Arc<Silero>, Box<Memory>),
    /// earshot keeps its own state.
    Earshot(Box<earshot::Detector>),
}

impl VoiceDetector {
    /// Samples in each frame.
    pub(super) fn frame_samples(&self) -> usize {
        match self {
            Self::Silero(..) => silero::FRAME,
            Self::Earshot(_) => EARSHOT_FRAME,
        }
    }

    /// The probability of a voice in the next frame, which has `frame_samples` samples.
    pub(super) fn probability(&mut self, frame: &[f32]) -> f32 {
        match self {
            // What is not a frame holds no voice.
            Self::Silero(silero, memory) => frame.try_into().map_or(0.0, |frame| silero.probability(frame, memory)),
            Self::Earshot(detector) => {
                let clamped: Vec<f32> = frame.iter().map(|sample| sample.clamp(-1.0, 1.0)).collect();
                detector.predict_f32(&clamped)
            }
        }
    }
}
