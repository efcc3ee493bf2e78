//! How likely each short frame of sound holds a voice: Silero VAD where its model is installed, `earshot` elsewhere.
//!
//! `VoiceEngine` is found once and shared; `VoiceDetector` is one run over one sound, and carries the state from frame
//! to frame. What the probabilities mean for segments is in `speech_segments`.

use super::{Engine, ReadError};
use rten::{Model, NodeId, RunOptions, ThreadPool};
use rten_tensor::NdTensor;
use rten_tensor::prelude::*;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The rate that both engines hear, in samples a second.
pub(super) const RATE: u32 = 16_000;
/// The file that holds the Silero model.
const SILERO_FILE: &str = "silero_vad_16k_op15.onnx";
/// Samples in a frame of Silero's.
const SILERO_FRAME: usize = 512;
/// Samples of the frame before that Silero wants again.
const SILERO_CONTEXT: usize = 64;
/// Samples in a frame of earshot's.
const EARSHOT_FRAME: usize = 256;

/// What finds voices on this machine.
#[derive(Clone)]
pub(super) enum VoiceEngine {
    /// Silero VAD, run by `rten`.
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
                name: "silero-vad-rten".to_owned(),
                version: "0.27".to_owned(),
                model: Some(silero.description.clone()),
            },
            Self::Earshot => Engine { name: "earshot".to_owned(), version: "1.2".to_owned(), model: None },
        }
    }

    /// A detector at the beginning of a sound.
    pub(super) fn detector(&self) -> VoiceDetector {
        match self {
            Self::Silero(silero) => VoiceDetector::Silero {
                silero: Arc::clone(silero),
                input: NdTensor::zeros([1, SILERO_CONTEXT + SILERO_FRAME]),
                state: NdTensor::zeros([2, 1, 128]),
            },
            Self::Earshot => VoiceDetector::Earshot(earshot::Detector::default_boxed()),
        }
    }
}

impl std::fmt::Debug for VoiceEngine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("VoiceEngine").field(&self.engine().name).finish()
    }
}

/// A loaded Silero model.
pub(super) struct Silero {
    model: Model,
    inputs: [NodeId; 3],
    outputs: [NodeId; 2],
    /// One thread a run: a worker's slots are its parallelism.
    threads: Arc<ThreadPool>,
    description: String,
}

impl Silero {
    fn load(file: &Path) -> Result<Self, String> {
        let bytes = std::fs::read(file).map_err(|error| error.to_string())?;
        let hash: String = hex::encode(Sha256::digest(&bytes)).chars().take(12).collect();
        let model = Model::load(bytes).map_err(|error| error.to_string())?;
        let node = |name: &str| model.node_id(name).map_err(|error| error.to_string());
        let inputs = [node("input")?, node("state")?, node("sr")?];
        let outputs = [node("output")?, node("stateN")?];
        let threads = Arc::new(ThreadPool::with_num_threads(1));
        let description = format!("silero_vad_16k_op15 sha256:{hash}");
        Ok(Self { model, inputs, outputs, threads, description })
    }

    /// The probability of a voice in `input`, and the state after it.
    fn run(&self, input: &NdTensor<f32, 2>, state: &NdTensor<f32, 3>) -> Result<(f32, NdTensor<f32, 3>), ReadError> {
        let failed = |reason: String| ReadError::Internal(format!("silero: {reason}"));
        let [input_id, state_id, rate_id] = self.inputs;
        let rate = NdTensor::from(RATE.cast_signed());
        let inputs =
            vec![(input_id, input.view().into()), (state_id, state.view().into()), (rate_id, rate.view().into())];
        let options = RunOptions::default().with_thread_pool(Some(Arc::clone(&self.threads)));
        let [probability, state] =
            self.model.run_n(inputs, self.outputs, Some(options)).map_err(|error| failed(error.to_string()))?;
        let probability: NdTensor<f32, 2> = probability.try_into().map_err(|_| failed("its output's shape".into()))?;
        let state = state.try_into().map_err(|_| failed("its state's shape".into()))?;
        Ok((probability.iter().copied().next().unwrap_or(0.0), state))
    }
}

/// One run over one sound.
pub(super) enum VoiceDetector {
    /// With the end of the last frame and what the model remembers.
    Silero {
        /// The model.
        silero: Arc<Silero>,
        /// The end of the last frame, then this frame.
        input: NdTensor<f32, 2>,
        /// What the model remembers.
        state: NdTensor<f32, 3>,
    },
    /// earshot keeps its own state.
    Earshot(Box<earshot::Detector>),
}

impl VoiceDetector {
    /// Samples in each frame.
    pub(super) fn frame_samples(&self) -> usize {
        match self {
            Self::Silero { .. } => SILERO_FRAME,
            Self::Earshot(_) => EARSHOT_FRAME,
        }
    }

    /// The probability of a voice in the next frame, which has `frame_samples` samples.
    pub(super) fn probability(&mut self, frame: &[f32]) -> Result<f32, ReadError> {
        match self {
            Self::Silero { silero, input, state } => {
                let samples = input.data_mut().ok_or_else(|| ReadError::Internal("a scattered tensor".to_owned()))?;
                samples.copy_within(SILERO_FRAME.., 0);
                for (slot, sample) in samples.iter_mut().skip(SILERO_CONTEXT).zip(frame) {
                    *slot = *sample;
                }
                let (probability, after) = silero.run(input, state)?;
                *state = after;
                Ok(probability)
            }
            Self::Earshot(detector) => {
                let clamped: Vec<f32> = frame.iter().map(|sample| sample.clamp(-1.0, 1.0)).collect();
                Ok(detector.predict_f32(&clamped))
            }
        }
    }
}
