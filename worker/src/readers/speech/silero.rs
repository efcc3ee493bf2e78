//! Silero VAD, one frame at a time: its network written out, with the weights of its file, which is in the program.
//!
//! The network is a spectrum of four windows, four convolutions over them, an LSTM cell and one output: two thirds of a
//! million multiplications per frame. A general runtime took four to six times as long, since it prepares and pads each
//! of the small steps anew. So `rten` only reads the file, and a test compares this network with the file's own graph.
//! The weights are found by their names. Neighbours: `dense`, which multiplies, and `detector`, which runs it over a
//! sound.

use super::dense::Dense;
use rten::{Model, RunOptions, ThreadPool};
use rten_tensor::Tensor;
use rten_tensor::prelude::*;
use sha2::{Digest, Sha256};
use std::sync::{Arc, LazyLock};

/// The published model (`worker/models`, with its licence).
const FILE: &[u8] = include_bytes!("../../../models/silero_vad_16k_op15.onnx");

/// Samples in a frame.
pub(super) const FRAME: usize = 512;
/// Samples of the frame before that precede a frame.
const CONTEXT: usize = 64;
/// Samples of its own end that are appended to a frame, reversed.
const MIRRORED: usize = 64;
/// Windows of a frame, samples of a window, and the hop between windows.
const WINDOWS: usize = 4;
const WINDOW: usize = 256;
const HOP: usize = 128;
/// Frequency bins of a window.
const BINS: usize = 129;
/// Channels after the first convolution, and after the two in the middle.
const WIDE: usize = 128;
const NARROW: usize = 64;
/// Taps of a convolution.
const TAPS: usize = 3;
/// Numbers of the LSTM's state, and those of its four gates.
const CELLS: usize = 128;
const GATES: usize = 4 * CELLS;
/// A loaded model.
pub(super) struct Silero {
    spectrum: Dense,
    convolutions: [Dense; 4],
    input_gates: Dense,
    memory_gates: Dense,
    output: Dense,
    /// The name and hash of its file.
    pub(super) description: String,
}

/// The state of a run: the end of the frame before, and the LSTM's state.
#[derive(Debug, Clone)]
pub(super) struct Memory {
    context: [f32; CONTEXT],
    hidden: [f32; CELLS],
    cells: [f32; CELLS],
}

impl Default for Memory {
    fn default() -> Self {
        Self { context: [0.0; CONTEXT], hidden: [0.0; CELLS], cells: [0.0; CELLS] }
    }
}

impl Silero {
    /// Returns the model in this program, loaded once.
    pub(super) fn built_in() -> Arc<Self> {
        static MODEL: LazyLock<Arc<Silero>> = LazyLock::new(|| {
            let hash: String = hex::encode(Sha256::digest(FILE)).chars().take(12).collect();
            let loaded = Graph::load(FILE.to_vec())
                .and_then(|graph| Silero::of(&graph, format!("silero_vad_16k_op15 sha256:{hash}")));
            // The file is part of the program, and every test of speech reads it.
            Arc::new(loaded.unwrap_or_else(|reason| panic!("the speech model in this program can't be read: {reason}")))
        });
        Arc::clone(&MODEL)
    }

    fn of(graph: &Graph, description: String) -> Result<Self, String> {
        let basis = graph.weights("model.stft.forward_basis_buffer", 2 * BINS * WINDOW)?;
        let recurrent = |name: &str, numbers| graph.weights(&format!("model.decoder.rnn.{name}"), numbers);
        let (of_input, of_memory) = (recurrent("weight_ih", GATES * CELLS)?, recurrent("weight_hh", GATES * CELLS)?);
        let (bias, more) = (recurrent("bias_ih", GATES)?, recurrent("bias_hh", GATES)?);
        let last = graph.weights("model.decoder.decoder.2.weight", CELLS)?;
        let last_bias = graph.weights("model.decoder.decoder.2.bias", 1)?;
        Ok(Self {
            spectrum: Dense::new(WINDOW, vec![0.0; 2 * BINS], |part, n| basis[part * WINDOW + n]),
            // With one column at the edge, or a single one, a tap or two only meet padding.
            convolutions: [
                convolution(graph, 0, Shape { inputs: BINS, outputs: WIDE, taps: 0..3 })?,
                convolution(graph, 1, Shape { inputs: WIDE, outputs: NARROW, taps: 0..3 })?,
                convolution(graph, 2, Shape { inputs: NARROW, outputs: NARROW, taps: 1..3 })?,
                convolution(graph, 3, Shape { inputs: NARROW, outputs: CELLS, taps: 1..2 })?,
            ],
            input_gates: Dense::new(CELLS, bias, |gate, n| of_input[gate * CELLS + n]),
            memory_gates: Dense::new(CELLS, more, |gate, n| of_memory[gate * CELLS + n]),
            output: Dense::new(CELLS, last_bias, |_, n| last[n]),
            description,
        })
    }

    /// Returns the probability of a voice in the next frame, 0 to 1.
    pub(super) fn probability(&self, frame: &[f32; FRAME], memory: &mut Memory) -> f32 {
        let heard = self.encoded(&self.magnitudes(frame, &memory.context));
        memory.context.copy_from_slice(&frame[FRAME - CONTEXT..]);
        self.remember(&heard, memory);
        let mut output = [0.0];
        self.output.apply(&memory.hidden.map(|value| value.max(0.0)), &mut output);
        sigmoid(output[0])
    }

    /// Returns the magnitude of each bin in each window, with a window of zeros before and after them.
    fn magnitudes(&self, frame: &[f32; FRAME], context: &[f32; CONTEXT]) -> [f32; (WINDOWS + 2) * BINS] {
        let mut sound = [0.0; CONTEXT + FRAME + MIRRORED];
        sound[..CONTEXT].copy_from_slice(context);
        sound[CONTEXT..CONTEXT + FRAME].copy_from_slice(frame);
        // The last sample is where the mirror is, and is not repeated.
        let backwards = frame[FRAME - 1 - MIRRORED..FRAME - 1].iter().rev();
        sound[CONTEXT + FRAME..].iter_mut().zip(backwards).for_each(|(slot, sample)| *slot = *sample);
        let (mut parts, mut magnitudes) = ([0.0; 2 * BINS], [0.0; (WINDOWS + 2) * BINS]);
        for (number, out) in magnitudes[BINS..].chunks_exact_mut(BINS).take(WINDOWS).enumerate() {
            self.spectrum.apply(&sound[number * HOP..number * HOP + WINDOW], &mut parts);
            let (real, imaginary) = parts.split_at(BINS);
            for (out, (real, imaginary)) in out.iter_mut().zip(real.iter().zip(imaginary)) {
                *out = (real * real + imaginary * imaginary).sqrt();
            }
        }
        magnitudes
    }

    /// Applies the convolutions to a frame. A column's neighbours are next to it, so that its taps are one row.
    fn encoded(&self, magnitudes: &[f32]) -> [f32; CELLS] {
        let [first, second, third, fourth] = &self.convolutions;
        let mut wide = [0.0; (1 + WINDOWS) * WIDE];
        for (column, out) in wide[WIDE..].chunks_exact_mut(WIDE).enumerate() {
            first.apply(&magnitudes[column * BINS..(column + TAPS) * BINS], out);
        }
        rectify(&mut wide);
        // With a stride of two, twice: two columns are left, then one.
        let mut narrow = [0.0; 2 * NARROW];
        for (column, out) in narrow.chunks_exact_mut(NARROW).enumerate() {
            second.apply(&wide[2 * column * WIDE..(2 * column + TAPS) * WIDE], out);
        }
        rectify(&mut narrow);
        let mut one = [0.0; NARROW];
        third.apply(&narrow, &mut one);
        rectify(&mut one);
        let mut encoded = [0.0; CELLS];
        fourth.apply(&one, &mut encoded);
        rectify(&mut encoded);
        encoded
    }

    /// Updates the LSTM's state with a frame's features.
    fn remember(&self, heard: &[f32; CELLS], memory: &mut Memory) {
        let (mut of_input, mut of_memory) = ([0.0; GATES], [0.0; GATES]);
        self.input_gates.apply(heard, &mut of_input);
        self.memory_gates.apply(&memory.hidden, &mut of_memory);
        for (n, (hidden, cell)) in memory.hidden.iter_mut().zip(&mut memory.cells).enumerate() {
            let gate = |number: usize| of_input[number * CELLS + n] + of_memory[number * CELLS + n];
            let (take, keep, new, show) = (gate(0), gate(1), gate(2), gate(3));
            *cell = sigmoid(keep) * *cell + sigmoid(take) * new.tanh();
            *hidden = sigmoid(show) * cell.tanh();
        }
    }
}

/// The input and output channels of a convolution, and which of its taps meet a column.
struct Shape {
    inputs: usize,
    outputs: usize,
    taps: std::ops::Range<usize>,
}

/// Returns a convolution as a dense layer over columns that stand next to each other.
fn convolution(graph: &Graph, number: usize, shape: Shape) -> Result<Dense, String> {
    let Shape { inputs, outputs, taps } = shape;
    let named = |part, numbers| graph.weights(&format!("model.encoder.{number}.reparam_conv.{part}"), numbers);
    let (weights, bias) = (named("weight", outputs * inputs * TAPS)?, named("bias", outputs)?);
    let weight = |output, n| weights[(output * inputs + n % inputs) * TAPS + taps.start + n / inputs];
    Ok(Dense::new(inputs * taps.len(), bias, weight))
}

fn rectify(values: &mut [f32]) {
    for value in values {
        *value = value.max(0.0);
    }
}

fn sigmoid(value: f32) -> f32 {
    1.0 / (1.0 + (-value).exp())
}

/// The model as its file has it, for reading the weights.
struct Graph {
    model: Model,
    threads: Arc<ThreadPool>,
}

impl Graph {
    fn load(bytes: Vec<u8>) -> Result<Self, String> {
        let model = Model::load(bytes).map_err(|error| error.to_string())?;
        Ok(Self { model, threads: Arc::new(ThreadPool::with_num_threads(1)) })
    }

    /// Returns the weights of this name, of which there must be `numbers`.
    fn weights(&self, name: &str, numbers: usize) -> Result<Vec<f32>, String> {
        let node = self.model.node_id(name).map_err(|error| error.to_string())?;
        let options = RunOptions::default().with_thread_pool(Some(Arc::clone(&self.threads)));
        let [value] = self.model.run_n(Vec::new(), [node], Some(options)).map_err(|error| error.to_string())?;
        let tensor: Tensor<f32> = value.try_into().map_err(|_| format!("{name} is no list of numbers"))?;
        let weights = tensor.to_vec();
        if weights.len() == numbers { Ok(weights) } else { Err(format!("{name} has {} numbers", weights.len())) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::readers::tests::Studio;
    use rten_tensor::NdTensor;

    fn graph() -> Graph {
        Graph::load(FILE.to_vec()).unwrap()
    }

    /// The probability of a voice by the file's own graph, and what it remembers afterwards.
    fn by_the_graph(graph: &Graph, heard: &[f32], state: &NdTensor<f32, 3>) -> (f32, NdTensor<f32, 3>) {
        let node = |name| graph.model.node_id(name).unwrap();
        let (heard, rate) = (NdTensor::from_data([1, heard.len()], heard.to_vec()), NdTensor::from(16_000_i32));
        let inputs = [("input", heard.view().into()), ("state", state.view().into()), ("sr", rate.view().into())];
        let inputs = inputs.into_iter().map(|(name, value)| (node(name), value)).collect();
        let [probability, after] = graph.model.run_n(inputs, ["output", "stateN"].map(node), None).unwrap();
        let probability: Tensor<f32> = probability.try_into().unwrap();
        (*probability.iter().next().unwrap(), after.try_into().unwrap())
    }

    #[test]
    fn the_model_is_the_published_one() {
        let published = "7ed98ddbad84ccac4cd0aeb3099049280713df825c610a8ed34543318f1b2c49";
        assert_eq!(hex::encode(Sha256::digest(FILE)), published);
    }

    #[test]
    fn a_recorded_voice_is_heard_as_by_the_graph_of_the_file() {
        let (studio, graph) = (Studio::new(), graph());
        studio.recorded_speech();
        studio.run("sox", &["recorded.wav", "-r", "16000", "-c", "1", "-e", "signed", "-b", "16", "recorded.raw"]);
        let samples = std::fs::read(studio.path("recorded.raw")).unwrap();
        let samples: Vec<f32> =
            samples.as_chunks().0.iter().map(|two| f32::from(i16::from_le_bytes(*two)) / 32_768.0).collect();
        let (frames, _) = samples.as_chunks::<FRAME>();
        let (mut context, mut state, mut memory) = ([0.0; CONTEXT], NdTensor::zeros([2, 1, CELLS]), Memory::default());
        let (silero, mut voiced) = (Silero::built_in(), 0);
        for frame in &frames[..500] {
            let (expected, after) = by_the_graph(&graph, &[&context[..], frame].concat(), &state);
            let probability = silero.probability(frame, &mut memory);
            assert!((probability - expected).abs() <= 0.000_1, "{probability} should be {expected}");
            voiced += u32::from(probability > 0.5);
            context.copy_from_slice(&frame[FRAME - CONTEXT..]);
            state = after;
        }
        assert!((200..500).contains(&voiced), "{voiced} of 500 frames hold a voice");
    }

    #[test]
    fn weights_of_another_size_are_refused() {
        let graph = graph();
        assert!(graph.weights("model.decoder.rnn.bias_ih", 1).unwrap_err().contains("512 numbers"));
        assert!(graph.weights("model.decoder.rnn.no_such", 1).is_err());
    }
}
