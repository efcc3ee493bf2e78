//! Silero VAD, a frame at a time: its network written out, with the weights of its file.
//!
//! A frame is a spectrum of four windows, four convolutions over them, a cell that remembers (an LSTM) and one output: two
//! thirds of a million products. A runtime for any network took four to six times as long as they do, for it prepares and pads
//! each of the small steps anew. So `rten` reads the file, and when it is loaded computes some frames by the file's own graph: a
//! file by which something else is meant than here is refused. The weights are found by their names. Neighbours: `dense`,
//! which multiplies, and `voice_detector`, which chooses between engines.

use super::dense::Dense;
use rten::{Model, RunOptions, ThreadPool, ValueOrView};
use rten_tensor::prelude::*;
use rten_tensor::{NdTensor, Tensor};
use sha2::{Digest, Sha256};
use std::path::Path;
use std::sync::Arc;

/// Samples in a frame.
pub(super) const FRAME: usize = 512;
/// Samples of the frame before that are heard again.
const CONTEXT: usize = 64;
/// Samples of its own end that a frame is continued by, backwards.
const MIRRORED: usize = 64;
/// Windows of a frame, their samples, and how far apart they are.
const WINDOWS: usize = 4;
const WINDOW: usize = 256;
const HOP: usize = 128;
/// Frequencies of a window.
const BINS: usize = 129;
/// Channels after the first convolution, and after the two in the middle.
const WIDE: usize = 128;
const NARROW: usize = 64;
/// Taps of a convolution.
const TAPS: usize = 3;
/// Numbers that are remembered, and those of its four gates.
const CELLS: usize = 128;
const GATES: usize = 4 * CELLS;
/// Frames that the file's own graph is asked for, and how far from it a number may be. Sums in another order differ by 0.00001.
const COMPARED: usize = 12;
const TOLERANCE: f32 = 0.001;

/// A loaded model.
pub(super) struct Silero {
    spectrum: Dense,
    convolutions: [Dense; 4],
    input_gates: Dense,
    memory_gates: Dense,
    output: Dense,
    /// Which file it is.
    pub(super) description: String,
}

/// What is known of the frames before.
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
    /// The model in this file, or why it can't be used.
    pub(super) fn load(file: &Path) -> Result<Self, String> {
        let bytes = std::fs::read(file).map_err(|error| error.to_string())?;
        let hash: String = hex::encode(Sha256::digest(&bytes)).chars().take(12).collect();
        let graph = Graph::load(bytes)?;
        let silero = Self::of(&graph, format!("silero_vad_16k_op15 sha256:{hash}"))?;
        silero.compare(&graph)?;
        Ok(silero)
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
            // Of one column at the edge, or of one alone, a tap or two fall on nothing.
            convolutions: [
                convolution(graph, 0, (BINS, WIDE), 0..3)?,
                convolution(graph, 1, (WIDE, NARROW), 0..3)?,
                convolution(graph, 2, (NARROW, NARROW), 1..3)?,
                convolution(graph, 3, (NARROW, CELLS), 1..2)?,
            ],
            input_gates: Dense::new(CELLS, bias, |gate, n| of_input[gate * CELLS + n]),
            memory_gates: Dense::new(CELLS, more, |gate, n| of_memory[gate * CELLS + n]),
            output: Dense::new(CELLS, last_bias, |_, n| last[n]),
            description,
        })
    }

    /// The probability of a voice in the next frame.
    pub(super) fn probability(&self, frame: &[f32; FRAME], memory: &mut Memory) -> f32 {
        let heard = self.encoded(&self.magnitudes(frame, &memory.context));
        memory.context.copy_from_slice(&frame[FRAME - CONTEXT..]);
        self.remember(&heard, memory);
        let mut output = [0.0];
        self.output.apply(&memory.hidden.map(|value| value.max(0.0)), &mut output);
        sigmoid(output[0])
    }

    /// How loud each frequency is in each window, with a window of nothing before and after them.
    fn magnitudes(&self, frame: &[f32; FRAME], context: &[f32; CONTEXT]) -> [f32; (WINDOWS + 2) * BINS] {
        let mut sound = [0.0; CONTEXT + FRAME + MIRRORED];
        sound[..CONTEXT].copy_from_slice(context);
        sound[CONTEXT..CONTEXT + FRAME].copy_from_slice(frame);
        // The last sample is where it turns, and is not heard twice.
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

    /// What the convolutions make of a frame. A column's neighbours stand beside it, so that its taps are one row.
    fn encoded(&self, magnitudes: &[f32]) -> [f32; CELLS] {
        let [first, second, third, fourth] = &self.convolutions;
        let mut wide = [0.0; (1 + WINDOWS) * WIDE];
        for (column, out) in wide[WIDE..].chunks_exact_mut(WIDE).enumerate() {
            first.apply(&magnitudes[column * BINS..(column + TAPS) * BINS], out);
        }
        rectify(&mut wide);
        // Every second column, twice: two are left, then one.
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

    /// Takes what was heard into the memory.
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

    /// Refuses a file whose graph comes to something else than this does: some frames of noise that grows, with a tone.
    fn compare(&self, graph: &Graph) -> Result<(), String> {
        let mut seed = 1_u32;
        let mut noise = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f32::from((seed >> 16) as u16) / 65_536.0 - 0.5
        };
        let (mut memory, mut state) = (Memory::default(), NdTensor::zeros([2, 1, CELLS]));
        for number in 0..COMPARED {
            let loudness = 0.002 * 1.7_f32.powi(i32::try_from(number).unwrap_or_default());
            let tone = |n: usize| if n % 100 < 50 { 0.5 } else { -0.5 };
            let frame = std::array::from_fn(|n| loudness * (noise() + tone(n)));
            let heard: Vec<f32> = memory.context.iter().chain(&frame).copied().collect();
            let probability = self.probability(&frame, &mut memory);
            let (expected, after) = graph.run(&heard, &state)?;
            if after.len() != state.len() {
                return Err("its state is of another size than is known of it".to_owned());
            }
            state = after;
            let ours = memory.hidden.iter().chain(&memory.cells).chain([&probability]);
            let theirs = state.iter().chain([&expected]);
            // Not "greater than": nothing that is no number passes.
            if !ours.zip(theirs).all(|(ours, theirs)| (ours - theirs).abs() <= TOLERANCE) {
                return Err(format!("its graph does something else than is known of it, in frame {number}"));
            }
        }
        Ok(())
    }
}

/// A convolution as a layer over columns that stand beside each other; only these of its taps meet any.
fn convolution(
    graph: &Graph,
    number: usize,
    (inputs, outputs): (usize, usize),
    taps: std::ops::Range<usize>,
) -> Result<Dense, String> {
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

/// The model as its file has it.
struct Graph {
    model: Model,
    threads: Arc<ThreadPool>,
}

impl Graph {
    fn load(bytes: Vec<u8>) -> Result<Self, String> {
        let model = Model::load(bytes).map_err(|error| error.to_string())?;
        Ok(Self { model, threads: Arc::new(ThreadPool::with_num_threads(1)) })
    }

    fn asked<const N: usize>(
        &self,
        inputs: Vec<(&str, ValueOrView)>,
        outputs: [&str; N],
    ) -> Result<[Tensor<f32>; N], String> {
        let node = |name: &str| self.model.node_id(name).map_err(|error| error.to_string());
        let inputs = inputs.into_iter().map(|(name, value)| Ok((node(name)?, value))).collect::<Result<_, String>>()?;
        let ids = outputs.iter().map(|name| node(name)).collect::<Result<Vec<_>, _>>()?;
        let options = RunOptions::default().with_thread_pool(Some(Arc::clone(&self.threads)));
        let values = self.model.run(inputs, &ids, Some(options)).map_err(|error| error.to_string())?;
        let tensors: Result<Vec<Tensor<f32>>, _> = values.into_iter().map(TryInto::try_into).collect();
        tensors.ok().and_then(|tensors| tensors.try_into().ok()).ok_or_else(|| format!("{outputs:?} are no numbers"))
    }

    /// The numbers of this name, of which there must be so many.
    fn weights(&self, name: &str, numbers: usize) -> Result<Vec<f32>, String> {
        let [tensor] = self.asked(Vec::new(), [name])?;
        let weights = tensor.to_vec();
        if weights.len() == numbers { Ok(weights) } else { Err(format!("{name} has {} numbers", weights.len())) }
    }

    /// The probability of a voice, and what is remembered after it.
    fn run(&self, heard: &[f32], state: &NdTensor<f32, 3>) -> Result<(f32, NdTensor<f32, 3>), String> {
        let (heard, rate) = (NdTensor::from_data([1, heard.len()], heard.to_vec()), NdTensor::from(16_000_i32));
        let inputs = vec![("input", heard.view().into()), ("state", state.view().into()), ("sr", rate.view().into())];
        let [probability, after] = self.asked(inputs, ["output", "stateN"])?;
        let after = after.try_into().map_err(|_| "its memory has another shape".to_owned())?;
        let probability = probability.iter().copied().next().ok_or("it has no output")?;
        Ok((probability, after))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Studio, models};
    use super::*;

    fn graph() -> Graph {
        Graph::load(std::fs::read(models().join("silero_vad_16k_op15.onnx")).unwrap()).unwrap()
    }

    #[test]
    fn a_recorded_voice_is_heard_as_by_the_graph_of_the_file() {
        let (studio, graph) = (Studio::new(), graph());
        studio.recorded_speech();
        studio.run("sox", &["recorded.wav", "-r", "16000", "-c", "1", "-e", "signed", "-b", "16", "recorded.raw"]);
        let (samples, silero) =
            (std::fs::read(studio.path("recorded.raw")).unwrap(), Silero::of(&graph, String::new()));
        let samples: Vec<f32> =
            samples.as_chunks().0.iter().map(|two| f32::from(i16::from_le_bytes(*two)) / 32_768.0).collect();
        let (frames, _) = samples.as_chunks::<FRAME>();
        let (mut context, mut state, mut memory) = ([0.0; CONTEXT], NdTensor::zeros([2, 1, CELLS]), Memory::default());
        let (silero, mut voiced) = (silero.unwrap(), 0);
        for frame in &frames[..500] {
            let (expected, after) = graph.run(&[&context[..], frame].concat(), &state).unwrap();
            let probability = silero.probability(frame, &mut memory);
            assert!((probability - expected).abs() <= 0.000_1, "{probability} should be {expected}");
            voiced += u32::from(probability > 0.5);
            context.copy_from_slice(&frame[FRAME - CONTEXT..]);
            state = after;
        }
        assert!((200..500).contains(&voiced), "{voiced} of 500 frames hold a voice");
    }

    #[test]
    fn a_file_that_means_something_else_is_refused() {
        let graph = graph();
        let mut silero = Silero::of(&graph, String::new()).unwrap();
        assert_eq!(silero.compare(&graph), Ok(()));
        silero.convolutions[2] = convolution(&graph, 2, (NARROW, NARROW), 0..2).unwrap();
        assert!(silero.compare(&graph).unwrap_err().contains("something else"));
        assert!(graph.weights("model.decoder.rnn.bias_ih", 1).unwrap_err().contains("512 numbers"));
        assert!(graph.weights("model.decoder.rnn.no_such", 1).is_err());
    }
}
