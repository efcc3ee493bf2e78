//! What the voice encoder's network is made of: matrix products with packed weights, and the file that they come from.
//!
//! `rten-gemm` computes the products with the widest instructions of the machine. A convolution is a sum of products,
//! one for each place of its kernel or each row of places that lie side by side, so that its inputs are never copied.

use rten_gemm::{GemmExecutor, GemmInputA, GemmInputB, GemmOptions, PackedBMatrix};
use rten_tensor::NdTensorView;

/// A matrix product, from inputs to outputs.
pub(super) struct Product {
    weights: PackedBMatrix<f32>,
    inputs: usize,
    outputs: usize,
}

impl Product {
    /// Packs the weights: those of an input, and those of an output, are so far apart.
    pub(super) fn new(
        gemm: &GemmExecutor,
        [inputs, outputs]: [usize; 2],
        weights: &[f32],
        apart: [usize; 2],
    ) -> Result<Self, String> {
        let weights = NdTensorView::from_slice_with_strides([inputs, outputs], weights, apart);
        let weights = gemm.prepack_b(weights.map_err(|error| error.to_string())?);
        Ok(Self { weights, inputs, outputs })
    }

    /// Adds the products of as many rows as `out` has. Each row begins `apart` numbers after the one before it, so rows
    /// may share numbers.
    pub(super) fn add(&self, gemm: &GemmExecutor, rows: &[f32], apart: usize, out: &mut [f32]) -> Result<(), String> {
        let shape = [out.len() / self.outputs, self.inputs];
        let rows = NdTensorView::from_slice_with_strides(shape, rows, [apart, 1]).map_err(|error| error.to_string())?;
        let options = GemmOptions { beta: 1.0, ..GemmOptions::default() };
        gemm.gemm(out, GemmInputA::Unpacked(rows), GemmInputB::Packed(&self.weights), options)
            .map_err(|error| error.to_string())
    }

    /// Returns the products of these rows, which lie one after the other, and a bias.
    pub(super) fn of(&self, gemm: &GemmExecutor, rows: &[f32], bias: &[f32]) -> Result<Vec<f32>, String> {
        let mut out = bias.repeat(rows.len() / self.inputs);
        self.add(gemm, rows, self.inputs, &mut out)?;
        Ok(out)
    }
}

/// Makes numbers below zero zero.
pub(super) fn rectify(numbers: &mut [f32]) {
    for number in numbers {
        *number = number.max(0.0);
    }
}

/// Hands out the numbers of the file in order.
pub(super) struct Numbers<'a> {
    /// What packs the weights.
    pub(super) gemm: &'a GemmExecutor,
    rest: &'a [f32],
}

impl<'a> Numbers<'a> {
    /// Begins with the first number.
    pub(super) fn new(gemm: &'a GemmExecutor, rest: &'a [f32]) -> Self {
        Self { gemm, rest }
    }

    /// Returns the next numbers.
    pub(super) fn take(&mut self, count: usize) -> Result<&'a [f32], String> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or("the file ends too soon")?;
        self.rest = rest;
        Ok(taken)
    }

    /// Returns a product whose weights are next: each output's, one after the other.
    pub(super) fn product(&mut self, [inputs, outputs]: [usize; 2]) -> Result<Product, String> {
        Product::new(self.gemm, [inputs, outputs], self.take(inputs * outputs)?, [1, inputs])
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Numbers between −0.1 and 0.1, by a fixed seed.
    pub(in crate::readers::speakers::encoder) fn seeded(count: usize, seed: u32) -> Vec<f32> {
        let mut state = seed;
        let mut number = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f32::from(u16::try_from(state >> 16).unwrap()) / 327_680.0 - 0.1
        };
        (0..count).map(|_| number()).collect()
    }

    /// What weights, each output's one after the other, make of some inputs.
    pub(in crate::readers::speakers::encoder) fn plainly(weights: &[f32], bias: &[f32], inputs: &[f32]) -> Vec<f32> {
        let sum = |weights: &[f32]| weights.iter().zip(inputs).map(|(weight, input)| weight * input).sum::<f32>();
        weights.chunks_exact(inputs.len()).zip(bias).map(|(weights, bias)| sum(weights) + bias).collect()
    }

    /// Whether two lists have the same numbers, but for their last digits.
    pub(in crate::readers::speakers::encoder) fn same(one: &[f32], other: &[f32]) -> bool {
        one.len() == other.len() && one.iter().zip(other).all(|(one, other)| (one - other).abs() < 1e-5)
    }

    #[test]
    fn rows_may_share_numbers_and_products_are_added() {
        let (gemm, weights, rows) = (GemmExecutor::new(), seeded(6 * 2, 1), seeded(12, 2));
        let mut numbers = Numbers::new(&gemm, &weights);
        let product = numbers.product([6, 2]).unwrap();
        assert!(numbers.take(1).is_err());
        let (mut out, mut told) = (vec![1.0; 3 * 2], Vec::new());
        product.add(&gemm, &rows, 3, &mut out).unwrap();
        for from in [0, 3, 6] {
            told.extend(plainly(&weights, &[1.0, 1.0], &rows[from..from + 6]));
        }
        assert!(same(&out, &told), "{out:?}, {told:?}");
        assert!(product.add(&gemm, &rows, 4, &mut out).is_err(), "there are too few rows");
    }
}
