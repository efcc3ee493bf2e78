//! The voice encoder's network: three LSTM layers, and a projection onto the unit sphere of embeddings. Pure.
//!
//! Many windows are computed at once, step by step, so that each step is one matrix product, which `rten-gemm` computes
//! with the widest instructions of the machine. A window takes a million and a half multiplications per frame.
//! Neighbours: `mod`, which finds the weights, and `mel`, which makes the frames.

use super::mel::{BANDS, Mel};
use rten_gemm::{BiasVector, GemmExecutor, GemmInputA, GemmInputB, GemmOptions, PackedBMatrix};
use rten_simd::SimdUnaryOp;
use rten_tensor::NdTensorView;
use rten_vecmath::{Sigmoid, Tanh};

/// Numbers of an embedding.
pub(in crate::readers::speakers) const SIZE: usize = 256;
/// A voice embedding: each number is at least 0, and its length is 1.
pub(in crate::readers::speakers) type Voice = [f32; SIZE];

const LAYERS: usize = 3;
const GATES: usize = 4 * SIZE;
/// The gates here, by their numbers in the file (input, forget, cell, output): the three with sigmoids come first.
const ORDER: [usize; 4] = [0, 1, 3, 2];
/// Windows that are computed at once.
const AT_ONCE: usize = 64;

/// Numbers in the file.
pub(super) const NUMBERS: usize = {
    let layer = GATES * SIZE + 2 * GATES;
    (GATES * BANDS + layer) + (LAYERS - 1) * (GATES * SIZE + layer) + (SIZE * SIZE + SIZE)
};

/// A matrix product with a bias, from inputs to outputs.
struct Product {
    weights: PackedBMatrix<f32>,
    bias: Vec<f32>,
    inputs: usize,
}

/// The network with its weights.
pub(super) struct Network {
    layers: Vec<Product>,
    projection: Product,
}

/// Hands out the numbers of the file in order.
struct Numbers<'a>(&'a [f32]);

impl<'a> Numbers<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [f32], String> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or("the file ends too soon")?;
        self.0 = rest;
        Ok(taken)
    }
}

impl Network {
    /// Reads the numbers of the file: of each layer the weights of its inputs, those of its hidden state, and two
    /// biases; then the projection's weights and bias. Each row of weights belongs to one output.
    pub(super) fn of(numbers: &[f32]) -> Result<Self, String> {
        let (gemm, mut numbers) = (GemmExecutor::new(), Numbers(numbers));
        let mut layers = Vec::new();
        for inputs in [BANDS, SIZE, SIZE] {
            let (of_input, of_memory) = (numbers.take(GATES * inputs)?, numbers.take(GATES * SIZE)?);
            let (bias, more) = (numbers.take(GATES)?, numbers.take(GATES)?);
            let output = |gate: usize| ORDER[gate / SIZE] * SIZE + gate % SIZE;
            let weight = |input: usize, gate: usize| match input.checked_sub(inputs) {
                None => of_input[output(gate) * inputs + input],
                Some(cell) => of_memory[output(gate) * SIZE + cell],
            };
            let bias = (0..GATES).map(|gate| bias[output(gate)] + more[output(gate)]).collect();
            layers.push(Product::new(&gemm, inputs + SIZE, bias, weight));
        }
        let (weights, bias) = (numbers.take(SIZE * SIZE)?, numbers.take(SIZE)?);
        let projection = Product::new(&gemm, SIZE, bias.to_vec(), |input, output| weights[output * SIZE + input]);
        Ok(Self { layers, projection })
    }

    /// Returns the embedding of each window; that of a window without frames is 0.
    pub(super) fn voices(&self, windows: &[Vec<Mel>]) -> Result<Vec<Voice>, String> {
        // It can't be sent between threads, and is the same each time.
        let gemm = GemmExecutor::new();
        let mut voices = Vec::with_capacity(windows.len());
        for windows in windows.chunks(AT_ONCE) {
            voices.extend(self.some_voices(&gemm, windows)?);
        }
        Ok(voices)
    }

    fn some_voices(&self, gemm: &GemmExecutor, windows: &[Vec<Mel>]) -> Result<Vec<Voice>, String> {
        let (count, steps) = (windows.len(), windows.iter().map(Vec::len).max().unwrap_or(0));
        // A row for each step and window, all windows of a step before the next step.
        let mut rows = vec![0.0; steps * count * BANDS];
        for (number, window) in windows.iter().enumerate() {
            for (step, frame) in window.iter().enumerate() {
                let at = (step * count + number) * BANDS;
                rows[at..at + BANDS].copy_from_slice(frame);
            }
        }
        for layer in &self.layers {
            rows = through(gemm, layer, &rows, count)?;
        }
        let mut last = vec![0.0; count * SIZE];
        for ((number, window), last) in windows.iter().enumerate().zip(last.chunks_exact_mut(SIZE)) {
            if let Some(step) = window.len().checked_sub(1) {
                let at = (step * count + number) * SIZE;
                last.copy_from_slice(&rows[at..at + SIZE]);
            }
        }
        let mut projected = vec![0.0; count * SIZE];
        self.projection.apply(gemm, &last, &mut projected)?;
        let (voices, _) = projected.as_chunks::<SIZE>();
        let voice = |(voice, window): (&Voice, &Vec<Mel>)| {
            if window.is_empty() { [0.0; SIZE] } else { direction(&voice.map(|value| value.max(0.0))) }
        };
        Ok(voices.iter().zip(windows).map(voice).collect())
    }
}

/// Returns a layer's outputs for all steps of these windows.
fn through(gemm: &GemmExecutor, layer: &Product, rows: &[f32], count: usize) -> Result<Vec<f32>, String> {
    let inputs = layer.inputs - SIZE;
    let mut told = Vec::with_capacity(rows.len() / inputs * SIZE);
    let mut cells = vec![0.0; count * SIZE];
    let mut hidden = vec![0.0; count * SIZE];
    let mut gates = vec![0.0; count * GATES];
    let mut seen = vec![0.0; count * layer.inputs];
    for step in rows.chunks_exact(count * inputs) {
        let known = step.chunks_exact(inputs).zip(hidden.chunks_exact(SIZE));
        for (seen, (input, memory)) in seen.chunks_exact_mut(layer.inputs).zip(known) {
            seen[..inputs].copy_from_slice(input);
            seen[inputs..].copy_from_slice(memory);
        }
        layer.apply(gemm, &seen, &mut gates)?;
        let memories = cells.chunks_exact_mut(SIZE).zip(hidden.chunks_exact_mut(SIZE));
        for (gates, (cells, hidden)) in gates.chunks_exact_mut(GATES).zip(memories) {
            remember(gates, cells, hidden);
        }
        told.extend_from_slice(&hidden);
    }
    Ok(told)
}

/// Computes one LSTM step of one window.
fn remember(gates: &mut [f32], cells: &mut [f32], hidden: &mut [f32]) {
    let (open, new) = gates.split_at_mut(3 * SIZE);
    Sigmoid {}.map_mut(open);
    Tanh {}.map_mut(new);
    let (take, rest) = open.split_at(SIZE);
    let (keep, show) = rest.split_at(SIZE);
    for (((cell, take), keep), new) in cells.iter_mut().zip(take).zip(keep).zip(&*new) {
        *cell = keep * *cell + take * new;
    }
    hidden.copy_from_slice(cells);
    Tanh {}.map_mut(hidden);
    hidden.iter_mut().zip(show).for_each(|(value, show)| *value *= show);
}

impl Product {
    fn new(gemm: &GemmExecutor, inputs: usize, bias: Vec<f32>, weight: impl Fn(usize, usize) -> f32) -> Self {
        let outputs = bias.len();
        let weights: Vec<f32> =
            (0..inputs * outputs).map(|number| weight(number / outputs, number % outputs)).collect();
        let weights = gemm.prepack_b(NdTensorView::from_data([inputs, outputs], weights.as_slice()));
        Self { weights, bias, inputs }
    }

    /// Computes the outputs of these rows of inputs.
    fn apply(&self, gemm: &GemmExecutor, rows: &[f32], out: &mut [f32]) -> Result<(), String> {
        let rows = NdTensorView::from_data([rows.len() / self.inputs, self.inputs], rows);
        let options = GemmOptions { bias: Some(BiasVector::Row(&self.bias)), ..GemmOptions::default() };
        gemm.gemm(out, GemmInputA::Unpacked(rows), GemmInputB::Packed(&self.weights), options)
            .map_err(|error| error.to_string())
    }
}

/// Scales an embedding to length 1; zero stays zero.
pub(in crate::readers::speakers) fn direction(voice: &Voice) -> Voice {
    let length = alike(voice, voice).sqrt().max(1e-9);
    voice.map(|value| value / length)
}

/// Returns the cosine similarity of two embeddings, which must have length 1.
pub(in crate::readers::speakers) fn alike(one: &Voice, other: &Voice) -> f32 {
    // Eight sums side by side, which the compiler turns into vector instructions.
    let (one, other) = (one.as_chunks::<8>().0, other.as_chunks::<8>().0);
    let mut sums = [0.0; 8];
    for (one, other) in one.iter().zip(other) {
        for (sum, (one, other)) in sums.iter_mut().zip(one.iter().zip(other)) {
            *sum += one * other;
        }
    }
    sums.iter().sum()
}
