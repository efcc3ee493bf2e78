//! The blocks of the voice encoder's network: layers of which each takes what all before it in its block have made.
//!
//! A row of numbers goes through for every second frame of a window.

use super::product::{Numbers, Product, rectify};
use rten_gemm::GemmExecutor;
use rten_simd::SimdUnaryOp;
use rten_vecmath::Sigmoid;

/// Numbers of a row before the first block.
pub(super) const INPUTS: usize = 128;
/// Numbers of a row after the last block.
pub(super) const OUTPUTS: usize = 512;
/// Numbers that a layer adds to a row.
const ADDED: usize = 32;
/// Numbers of a row within a layer.
const WITHIN: usize = 128;
/// Rows that a layer looks at, as far apart as its block says.
const PLACES: usize = 3;
/// Rows of zeros at either end of a window: the farthest that a layer looks.
const EDGE: usize = 2;
/// Rows that have one context.
const CONTEXT: usize = 100;

/// The layers of each block, and how far apart they look.
const BLOCKS: [(usize, usize); 3] = [(12, 1), (24, 2), (16, 2)];

/// Layers one after the other, and a product that halves what they have made.
pub(super) struct Block {
    layers: Vec<Layer>,
    apart: usize,
    prepare: Line,
    halve: Product,
    /// The bias of the last block; the others' is zero.
    bias: Vec<f32>,
    inputs: usize,
}

/// Numbers times a scale, plus a shift.
struct Line {
    scale: Vec<f32>,
    shift: Vec<f32>,
}

/// A layer: a convolution, each output of which is weighed by the window's context.
struct Layer {
    prepare: Line,
    narrow: Product,
    narrow_bias: Vec<f32>,
    places: Vec<Product>,
    context: Product,
    context_bias: Vec<f32>,
    weigh: Product,
    weigh_bias: Vec<f32>,
}

impl Line {
    fn of(numbers: &mut Numbers, count: usize) -> Result<Self, String> {
        Ok(Self { scale: numbers.take(count)?.to_vec(), shift: numbers.take(count)?.to_vec() })
    }

    /// Returns the beginning of each row, scaled, shifted and rectified.
    fn through(&self, rows: &[f32], length: usize) -> Vec<f32> {
        let mut out = Vec::with_capacity(rows.len() / length * self.scale.len());
        for row in rows.chunks_exact(length) {
            let line = row.iter().zip(&self.scale).zip(&self.shift);
            out.extend(line.map(|((number, scale), shift)| (number * scale + shift).max(0.0)));
        }
        out
    }
}

impl Layer {
    fn of(numbers: &mut Numbers, inputs: usize) -> Result<Self, String> {
        let prepare = Line::of(numbers, inputs)?;
        let (narrow, narrow_bias) = (numbers.product([inputs, WITHIN])?, numbers.take(WITHIN)?.to_vec());
        let weights = numbers.take(ADDED * WITHIN * PLACES)?;
        let place = |place| Product::new(numbers.gemm, [WITHIN, ADDED], &weights[place..], [PLACES, WITHIN * PLACES]);
        let places = (0..PLACES).map(place).collect::<Result<_, _>>()?;
        let (context, context_bias) = (numbers.product([WITHIN, WITHIN / 2])?, numbers.take(WITHIN / 2)?.to_vec());
        let (weigh, weigh_bias) = (numbers.product([WITHIN / 2, ADDED])?, numbers.take(ADDED)?.to_vec());
        Ok(Self { prepare, narrow, narrow_bias, places, context, context_bias, weigh, weigh_bias })
    }

    /// Writes what the layer makes of the rows, each `length` long, behind what it takes of them.
    fn apply(&self, gemm: &GemmExecutor, rows: &mut [f32], length: usize, apart: usize) -> Result<(), String> {
        let (inputs, count) = (self.prepare.scale.len(), rows.len() / length);
        let within = self.narrow.of(gemm, &self.prepare.through(rows, length), &self.narrow_bias)?;
        let edge = [0.0; EDGE * WITHIN];
        let mut within = [&edge, within.as_slice(), &edge].concat();
        rectify(&mut within);
        let mut made = vec![0.0; count * ADDED];
        for (place, product) in self.places.iter().enumerate() {
            let first = EDGE + place * apart - apart;
            product.add(gemm, &within[first * WITHIN..], WITHIN, &mut made)?;
        }
        let weights = self.weights(gemm, &within[EDGE * WITHIN..(EDGE + count) * WITHIN])?;
        let parts = rows.chunks_mut(CONTEXT * length).zip(made.chunks(CONTEXT * ADDED));
        for ((rows, made), weights) in parts.zip(weights.chunks_exact(ADDED)) {
            for (row, made) in rows.chunks_exact_mut(length).zip(made.chunks_exact(ADDED)) {
                let slots = row[inputs..inputs + ADDED].iter_mut();
                slots.zip(made.iter().zip(weights)).for_each(|(slot, (made, weight))| *slot = made * weight);
            }
        }
        Ok(())
    }

    /// Returns the weights of the outputs in each part that has one context.
    fn weights(&self, gemm: &GemmExecutor, within: &[f32]) -> Result<Vec<f32>, String> {
        let whole = mean(within);
        let parts = within.chunks(CONTEXT * WITHIN).map(mean);
        let contexts: Vec<f32> =
            parts.flat_map(|part| std::array::from_fn::<_, WITHIN, _>(|n| whole[n] + part[n])).collect();
        let mut contexts = self.context.of(gemm, &contexts, &self.context_bias)?;
        rectify(&mut contexts);
        let mut weights = self.weigh.of(gemm, &contexts, &self.weigh_bias)?;
        Sigmoid {}.map_mut(&mut weights);
        Ok(weights)
    }
}

/// Returns the mean of some rows within a layer.
#[expect(clippy::cast_precision_loss, reason = "a window has few rows")]
fn mean(rows: &[f32]) -> [f32; WITHIN] {
    let (rows, _) = rows.as_chunks::<WITHIN>();
    let mut sum = [0.0; WITHIN];
    for row in rows {
        sum.iter_mut().zip(row).for_each(|(sum, number)| *sum += number);
    }
    sum.map(|sum| sum / rows.len().max(1) as f32)
}

impl Block {
    /// Reads the weights of all blocks.
    pub(super) fn all(numbers: &mut Numbers) -> Result<Vec<Self>, String> {
        let (mut blocks, mut inputs) = (Vec::new(), INPUTS);
        for (count, apart) in BLOCKS {
            let block = Self::of(numbers, inputs, count, apart)?;
            inputs = block.outputs();
            blocks.push(block);
        }
        if let Some(last) = blocks.last_mut() {
            last.bias = numbers.take(OUTPUTS)?.to_vec();
        }
        Ok(blocks)
    }

    fn of(numbers: &mut Numbers, inputs: usize, count: usize, apart: usize) -> Result<Self, String> {
        let layers =
            (0..count).map(|layer| Layer::of(numbers, inputs + layer * ADDED)).collect::<Result<Vec<_>, _>>()?;
        let made = inputs + count * ADDED;
        let (prepare, halve) = (Line::of(numbers, made)?, numbers.product([made, made / 2])?);
        Ok(Self { layers, apart, prepare, halve, bias: vec![0.0; made / 2], inputs })
    }

    fn outputs(&self) -> usize {
        self.bias.len()
    }

    /// Returns the rows that come out.
    pub(super) fn through(&self, gemm: &GemmExecutor, rows: &[f32]) -> Result<Vec<f32>, String> {
        let length = 2 * self.outputs();
        let mut wide = vec![0.0; rows.len() / self.inputs * length];
        for (wide, row) in wide.chunks_exact_mut(length).zip(rows.chunks_exact(self.inputs)) {
            wide[..self.inputs].copy_from_slice(row);
        }
        for layer in &self.layers {
            layer.apply(gemm, &mut wide, length, self.apart)?;
        }
        self.halve.of(gemm, &self.prepare.through(&wide, length), &self.bias)
    }
}

#[cfg(test)]
mod tests {
    use super::super::product::tests::{plainly, same, seeded};
    use super::*;

    #[test]
    fn a_layer_weighs_what_its_convolution_makes_by_the_window_and_its_part() {
        const LENGTH: usize = INPUTS + ADDED;
        let counts = [2 * INPUTS, WITHIN * INPUTS + WITHIN, ADDED * WITHIN * 3, WITHIN / 2 * (WITHIN + 1), ADDED * 65];
        let (gemm, weights) = (GemmExecutor::new(), seeded(counts.iter().sum(), 1));
        let layer = Layer::of(&mut Numbers::new(&gemm, &weights), INPUTS).unwrap();
        // A part of a hundred rows and one of thirty.
        let before = seeded(130 * LENGTH, 2);
        let mut rows = before.clone();
        layer.apply(&gemm, &mut rows, LENGTH, 2).unwrap();

        let mut rest = weights.as_slice();
        let [line, narrow, places, context, weigh] = counts.map(|count| {
            let (taken, left) = rest.split_at(count);
            rest = left;
            taken
        });
        let rectified = |numbers: Vec<f32>| numbers.into_iter().map(|number| number.max(0.0)).collect::<Vec<_>>();
        let (scale, shift) = line.split_at(INPUTS);
        let within: Vec<Vec<f32>> = before
            .chunks_exact(LENGTH)
            .map(|row| {
                let prepared = rectified((0..INPUTS).map(|n| row[n] * scale[n] + shift[n]).collect());
                let (weights, bias) = narrow.split_at(WITHIN * INPUTS);
                rectified(plainly(weights, bias, &prepared))
            })
            .collect();
        for (number, row) in rows.chunks_exact(LENGTH).enumerate() {
            let part = if number < 100 { &within[..100] } else { &within[100..] };
            let mean = |rows: &[Vec<f32>], n: usize| {
                rows.iter().map(|row| row[n]).sum::<f32>() / f32::from(u8::try_from(rows.len()).unwrap())
            };
            let around: Vec<f32> = (0..WITHIN).map(|n| mean(&within, n) + mean(part, n)).collect();
            let (weights, bias) = context.split_at(WITHIN / 2 * WITHIN);
            let (weights, bias) = (rectified(plainly(weights, bias, &around)), weigh.split_at(ADDED * WITHIN / 2));
            let weights = plainly(bias.0, bias.1, &weights);
            let seen: Vec<f32> = (0..WITHIN * 3)
                .map(|n| {
                    (number + n % 3 * 2).checked_sub(2).and_then(|at| within.get(at)).map_or(0.0, |row| row[n / 3])
                })
                .collect();
            let made = plainly(places, &[0.0; ADDED], &seen);
            let told: Vec<f32> = made.iter().zip(&weights).map(|(made, w)| made / (1.0 + (-w).exp())).collect();
            assert!(same(&row[..INPUTS], &before[number * LENGTH..][..INPUTS]), "{number}: what is there stays");
            assert!(same(&row[INPUTS..], &told), "{number}");
        }
    }
}
