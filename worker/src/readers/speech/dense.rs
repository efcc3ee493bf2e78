//! A dense layer of a network: a matrix and a bias, in plain loops that the compiler vectorises. Pure.

/// Inputs that are added at once, so that a sum is loaded and stored a quarter as often.
const AT_ONCE: usize = 4;

/// A dense layer: each output is the weighted sum of all inputs, and a bias.
#[derive(Debug)]
pub(super) struct Dense {
    /// For each input, its weights for all outputs.
    weights: Vec<f32>,
    bias: Vec<f32>,
}

impl Dense {
    /// Returns a layer with these weights (by output and input) and biases.
    pub(super) fn new(inputs: usize, bias: Vec<f32>, weight: impl Fn(usize, usize) -> f32) -> Self {
        let of_input = |input| (0..bias.len()).map(move |output| (output, input));
        let weights = (0..inputs).flat_map(of_input).map(|(output, input)| weight(output, input)).collect();
        Self { weights, bias }
    }

    /// Computes the outputs `out` of the inputs `row`, which must have the layer's lengths.
    pub(super) fn apply(&self, row: &[f32], out: &mut [f32]) {
        out.copy_from_slice(&self.bias);
        let (fours, rest) = row.as_chunks::<AT_ONCE>();
        let (weights, of_rest) = self.weights.split_at(fours.len() * AT_ONCE * out.len());
        for (inputs, weights) in fours.iter().zip(weights.chunks_exact(AT_ONCE * out.len())) {
            let (one, weights) = weights.split_at(out.len());
            let (two, weights) = weights.split_at(out.len());
            let (three, four) = weights.split_at(out.len());
            for ((((sum, one), two), three), four) in out.iter_mut().zip(one).zip(two).zip(three).zip(four) {
                *sum += one * inputs[0] + two * inputs[1] + three * inputs[2] + four * inputs[3];
            }
        }
        for (input, weights) in rest.iter().zip(of_rest.chunks_exact(out.len())) {
            out.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += weight * input);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layer_sums_its_inputs_by_their_weights() {
        for inputs in 1..10_u8 {
            let weight = |output, input| f32::from(u8::try_from(10 * output + input).unwrap());
            let layer = Dense::new(inputs.into(), vec![0.5; 21], weight);
            let row: Vec<f32> = (0..inputs).map(|input| f32::from(input % 3)).collect();
            let mut out = [9.0; 21];
            layer.apply(&row, &mut out);
            for (output, sum) in out.into_iter().enumerate() {
                let expected: f32 = row.iter().enumerate().map(|(input, value)| weight(output, input) * value).sum();
                assert!((sum - expected - 0.5).abs() < 1e-3, "{output} of {inputs}: {sum}");
            }
        }
    }
}
