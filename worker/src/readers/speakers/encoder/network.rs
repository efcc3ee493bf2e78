//! The voice encoder's network, CAM++ of 3D-Speaker: convolutions over bands and frames (`head`), blocks of layers over
//! frames (`dense`), and a projection of what they are like over the whole window. Pure.
//!
//! Its normalisations (batch norms) are part of the weights where they could be (`scripts/voice-encoder`). A window of
//! a second and a half takes eight hundred million multiplications. Neighbours: `mod`, which finds the weights, `mel`,
//! which makes the frames, and `product`, which multiplies.

use super::dense::{self, Block};
use super::head::{self, Head};
use super::mel::Mel;
use super::product::{Numbers, Product, rectify};
use rten_gemm::GemmExecutor;
use std::ops::Range;

/// Numbers of an embedding.
pub(in crate::readers::speakers) const SIZE: usize = 192;
/// A voice embedding, of length 1.
pub(in crate::readers::speakers) type Voice = [f32; SIZE];

/// Frames that each row of the blocks looks at, and how many frames later the next one looks.
const FRAMES: usize = 5;
const HOP: usize = 2;
/// Frames of zeros at either end of a window.
const EDGE: usize = FRAMES / 2;
/// Frames of the shortest window that has a voice.
const LEAST: usize = 3;

/// Numbers in the file.
pub(super) const NUMBERS: usize = 6_841_056;

/// The network with its weights.
pub(super) struct Network {
    head: Head,
    /// From the frames of the head to the rows of the blocks.
    join: Product,
    join_bias: Vec<f32>,
    blocks: Vec<Block>,
    projection: Product,
    bias: Vec<f32>,
}

impl Network {
    /// Reads the numbers of the file, part by part, as `scripts/voice-encoder` names them.
    pub(super) fn of(numbers: &[f32]) -> Result<Self, String> {
        let gemm = GemmExecutor::new();
        let mut numbers = Numbers::new(&gemm, numbers);
        let head = Head::of(&mut numbers)?;
        let weights = numbers.take(dense::INPUTS * head::OUTPUTS * FRAMES)?;
        let weight = |number: usize| {
            let (output, frame) = (number / head::OUTPUTS / FRAMES, number / head::OUTPUTS % FRAMES);
            weights[(output * head::OUTPUTS + head::place(number % head::OUTPUTS)) * FRAMES + frame]
        };
        let turned: Vec<f32> = (0..weights.len()).map(weight).collect();
        let inputs = FRAMES * head::OUTPUTS;
        let join = Product::new(&gemm, [inputs, dense::INPUTS], &turned, [1, inputs])?;
        let join_bias = numbers.take(dense::INPUTS)?.to_vec();
        let blocks = Block::all(&mut numbers)?;
        let projection = numbers.product([2 * dense::OUTPUTS, SIZE])?;
        Ok(Self { head, join, join_bias, blocks, projection, bias: numbers.take(SIZE)?.to_vec() })
    }

    /// Returns the embedding of each window of a passage. Windows share the head's work, which is half of all.
    pub(super) fn voices(&self, passage: &[Mel], windows: &[Range<usize>]) -> Result<Vec<Voice>, String> {
        // It can't be sent between threads, and is the same each time.
        let gemm = &GemmExecutor::new();
        let frames = self.head.through(gemm, passage, EDGE)?;
        windows.iter().map(|window| self.voice(gemm, &frames, window)).collect()
    }

    /// Returns the embedding of a window of these frames of the head, which have those of an edge at both ends; that of
    /// a window of fewer than `LEAST` frames is 0.
    fn voice(&self, gemm: &GemmExecutor, frames: &[f32], window: &Range<usize>) -> Result<Voice, String> {
        let heard = frames.get(window.start * head::OUTPUTS..(window.end + 2 * EDGE) * head::OUTPUTS);
        let Some(heard) = heard.filter(|_| window.len() >= LEAST) else {
            return Ok([0.0; SIZE]);
        };
        let mut rows = self.join_bias.repeat(window.len().div_ceil(HOP));
        self.join.add(gemm, heard, HOP * head::OUTPUTS, &mut rows)?;
        rectify(&mut rows);
        for block in &self.blocks {
            rows = block.through(gemm, &rows)?;
        }
        rectify(&mut rows);
        let projected = self.projection.of(gemm, &means_and_deviations(&rows), &self.bias)?;
        let voice = projected.as_chunks::<SIZE>().0.first().ok_or("the projection has another size")?;
        Ok(direction(voice))
    }
}

/// Returns the mean of each number of these rows, and then the standard deviation of each.
#[expect(clippy::cast_precision_loss, reason = "a window has few rows")]
fn means_and_deviations(rows: &[f32]) -> Vec<f32> {
    const SIZE: usize = dense::OUTPUTS;
    let (rows, _) = rows.as_chunks::<SIZE>();
    let (mut means, mut squares) = ([0.0; SIZE], [0.0; SIZE]);
    for row in rows {
        means.iter_mut().zip(row).for_each(|(mean, number)| *mean += number / rows.len() as f32);
    }
    for row in rows {
        let apart = row.iter().zip(&means).map(|(number, mean)| number - mean);
        squares.iter_mut().zip(apart).for_each(|(square, apart)| *square += apart * apart);
    }
    let others = rows.len().saturating_sub(1).max(1) as f32;
    means.into_iter().chain(squares.map(|square| (square / others).sqrt())).collect()
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

#[cfg(test)]
mod tests {
    use super::super::mel::BANDS;
    use super::super::product::tests::seeded;
    use super::*;
    use std::slice::from_ref;

    #[test]
    fn a_voice_has_length_one_and_comes_of_all_numbers_of_the_file() {
        let numbers = seeded(NUMBERS, 1);
        assert!(Network::of(&numbers[1..]).is_err());
        let network = Network::of(&numbers).unwrap();
        for frames in [3, 4, 99] {
            let window: Vec<Mel> = seeded(frames * BANDS, 2).as_chunks().0.to_vec();
            let [voice] = network.voices(&window, from_ref(&(0..frames))).unwrap()[..] else {
                panic!("one window has one voice")
            };
            assert!((alike(&voice, &voice) - 1.0).abs() < 1e-4, "{frames}: {voice:?}");
        }
        for frames in 0..3 {
            let nothing = network.voices(&[[1.0; BANDS]; 9], from_ref(&(0..frames))).unwrap()[0];
            assert!(alike(&nothing, &nothing) < 1e-9, "next to nothing has no voice");
        }
    }

    #[test]
    fn rows_are_told_by_their_means_and_deviations() {
        let told = means_and_deviations(&[[1.0; 512], [3.0; 512], [8.0; 512]].concat());
        assert!(told[..512].iter().all(|mean| (mean - 4.0).abs() < 1e-5), "{}", told[0]);
        assert!(told[512..].iter().all(|apart| (apart - 13.0_f32.sqrt()).abs() < 1e-5), "{}", told[512]);
        assert_eq!(told.len(), 1024);
    }
}
