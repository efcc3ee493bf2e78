//! The head of the voice encoder's network: two-dimensional convolutions over the bands and frames of a window.
//!
//! Each convolution has three by three places, and each pair of them in between is added to what went in (a residual
//! network). Three of them go on with every second band only, so that ten bands of eighty are left.

use super::mel::{BANDS, Mel};
use super::product::{Numbers, Product, rectify};
use rten_gemm::GemmExecutor;

/// Channels of each convolution.
const CHANNELS: usize = 32;
/// Places of a convolution, in bands and in frames.
const PLACES: usize = 3;
/// Bands that are left.
const LEFT: usize = BANDS / 8;
/// Numbers of a frame that comes out.
pub(super) const OUTPUTS: usize = LEFT * CHANNELS;

/// The weights of the head.
pub(super) struct Head {
    first: Convolution,
    pairs: Vec<Pair>,
    last: Convolution,
}

/// A convolution: the products of the places of each of three bands.
struct Convolution {
    bands: Vec<Product>,
    bias: Vec<f32>,
}

/// Two convolutions, to which what went into the first is added.
struct Pair {
    first: Convolution,
    second: Convolution,
    /// What is added, where the first goes on with every second band.
    shortcut: Option<Product>,
}

/// Bands and frames, with a band and a frame of zeros around them. A band's frames lie side by side, and so do a
/// frame's channels.
struct Plane {
    frames: usize,
    channels: usize,
    numbers: Vec<f32>,
}

impl Plane {
    fn new(bands: usize, frames: usize, channels: usize) -> Self {
        Self { frames, channels, numbers: vec![0.0; (bands + 2) * (frames + 2) * channels] }
    }

    /// Returns a band with both its edges; the first is that before all bands.
    fn edged(&self, band: usize) -> &[f32] {
        let length = (self.frames + 2) * self.channels;
        &self.numbers[band * length..][..length]
    }

    /// Returns each band's numbers, without the edges.
    fn bands_mut(&mut self) -> impl Iterator<Item = &mut [f32]> {
        let (length, channels) = ((self.frames + 2) * self.channels, self.channels);
        let bands = self.numbers.len() / length - 2;
        let bands = self.numbers.chunks_exact_mut(length).skip(1).take(bands);
        bands.map(move |band| &mut band[channels..length - channels])
    }
}

impl Convolution {
    fn of(numbers: &mut Numbers, channels: usize) -> Result<Self, String> {
        let weights = numbers.take(CHANNELS * channels * PLACES * PLACES)?;
        let product = |band: usize| {
            // The file has the frames of each channel, a plane the channels of each frame.
            let weight = |number: usize| {
                let (output, frame, channel) =
                    (number / channels / PLACES, number / channels % PLACES, number % channels);
                weights[((output * channels + channel) * PLACES + band) * PLACES + frame]
            };
            let turned: Vec<f32> = (0..CHANNELS * PLACES * channels).map(weight).collect();
            Product::new(numbers.gemm, [PLACES * channels, CHANNELS], &turned, [1, PLACES * channels])
        };
        let bands = (0..PLACES).map(product).collect::<Result<_, _>>()?;
        Ok(Self { bands, bias: numbers.take(CHANNELS)?.to_vec() })
    }

    /// Adds to a band of outputs what comes of the three bands from `band` on, counted from the edge, and rectifies it.
    fn add(&self, gemm: &GemmExecutor, from: &Plane, band: usize, out: &mut [f32]) -> Result<(), String> {
        for (place, product) in self.bands.iter().enumerate() {
            product.add(gemm, from.edged(band + place), from.channels, out)?;
        }
        rectify(out);
        Ok(())
    }

    /// Returns the outputs of all bands, or of every second one.
    fn through(&self, gemm: &GemmExecutor, from: &Plane, bands: usize, step: usize) -> Result<Plane, String> {
        let mut out = Plane::new(bands, from.frames, CHANNELS);
        for (band, row) in out.bands_mut().enumerate() {
            row.chunks_exact_mut(CHANNELS).for_each(|frame| frame.copy_from_slice(&self.bias));
            self.add(gemm, from, band * step, row)?;
        }
        Ok(out)
    }
}

impl Pair {
    fn of(numbers: &mut Numbers, step: usize) -> Result<Self, String> {
        let (first, mut second) = (Convolution::of(numbers, CHANNELS)?, Convolution::of(numbers, CHANNELS)?);
        let mut shortcut = None;
        if step > 1 {
            shortcut = Some(numbers.product([CHANNELS, CHANNELS])?);
            second.bias.iter_mut().zip(numbers.take(CHANNELS)?).for_each(|(bias, more)| *bias += more);
        }
        Ok(Self { first, second, shortcut })
    }

    fn through(&self, gemm: &GemmExecutor, from: &Plane, bands: usize) -> Result<Plane, String> {
        let step = if self.shortcut.is_some() { 2 } else { 1 };
        let middle = self.first.through(gemm, from, bands, step)?;
        let mut out = Plane::new(bands, from.frames, CHANNELS);
        for (band, row) in out.bands_mut().enumerate() {
            let inputs = &from.edged(band * step + 1)[CHANNELS..];
            row.chunks_exact_mut(CHANNELS).for_each(|frame| frame.copy_from_slice(&self.second.bias));
            match &self.shortcut {
                Some(shortcut) => shortcut.add(gemm, inputs, CHANNELS, row)?,
                None => row.iter_mut().zip(inputs).for_each(|(out, input)| *out += input),
            }
            self.second.add(gemm, &middle, band, row)?;
        }
        Ok(out)
    }
}

impl Head {
    /// Reads its weights.
    pub(super) fn of(numbers: &mut Numbers) -> Result<Self, String> {
        let first = Convolution::of(numbers, 1)?;
        let pairs = [2, 1, 2, 1].into_iter().map(|step| Pair::of(numbers, step)).collect::<Result<_, _>>()?;
        Ok(Self { first, pairs, last: Convolution::of(numbers, CHANNELS)? })
    }

    /// Returns what comes out for each frame of a window, with `edge` frames of zeros before and after them; of a frame
    /// the channels of each band.
    pub(super) fn through(&self, gemm: &GemmExecutor, window: &[Mel], edge: usize) -> Result<Vec<f32>, String> {
        let mut plane = self.first.through(gemm, &around_means(window), BANDS, 1)?;
        for (pair, bands) in self.pairs.iter().zip([BANDS / 2, BANDS / 2, BANDS / 4, BANDS / 4]) {
            plane = pair.through(gemm, &plane, bands)?;
        }
        let mut plane = self.last.through(gemm, &plane, LEFT, 2)?;
        let mut out = vec![0.0; (window.len() + 2 * edge) * OUTPUTS];
        for (band, row) in plane.bands_mut().enumerate() {
            let frames = out.chunks_exact_mut(OUTPUTS).skip(edge);
            for (frame, channels) in frames.zip(row.chunks_exact(CHANNELS)) {
                frame[band * CHANNELS..][..CHANNELS].copy_from_slice(channels);
            }
        }
        Ok(out)
    }
}

/// Returns where a number of a frame that comes out is in the file, which has the bands of each channel.
pub(super) fn place(number: usize) -> usize {
    number % CHANNELS * LEFT + number / CHANNELS
}

/// Returns each band of a window without its mean, so that neither the level nor the sound of a microphone matters.
#[expect(clippy::cast_precision_loss, reason = "a window has few frames")]
fn around_means(window: &[Mel]) -> Plane {
    let mut plane = Plane::new(BANDS, window.len(), 1);
    for (band, row) in plane.bands_mut().enumerate() {
        let mean = window.iter().map(|frame| frame[band]).sum::<f32>() / window.len().max(1) as f32;
        row.iter_mut().zip(window).for_each(|(slot, frame)| *slot = frame[band] - mean);
    }
    plane
}

#[cfg(test)]
mod tests {
    use super::super::product::tests::{same, seeded};
    use super::*;

    #[test]
    fn a_convolution_looks_at_three_bands_and_three_frames() {
        const BANDS: usize = 6;
        const FRAMES: usize = 5;
        let (gemm, weights, inputs) =
            (GemmExecutor::new(), seeded(CHANNELS * 2 * 9 + CHANNELS, 1), seeded(BANDS * FRAMES * 2, 2));
        let convolution = Convolution::of(&mut Numbers::new(&gemm, &weights), 2).unwrap();
        let mut plane = Plane::new(BANDS, FRAMES, 2);
        for (band, input) in plane.bands_mut().zip(inputs.chunks_exact(FRAMES * 2)) {
            band.copy_from_slice(input);
        }
        let input = |band: usize, frame: usize, channel: usize| {
            let at = band.checked_sub(1).zip(frame.checked_sub(1));
            let within = at.filter(|(band, frame)| *band < BANDS && *frame < FRAMES);
            within.map_or(0.0, |(band, frame)| inputs[(band * FRAMES + frame) * 2 + channel])
        };
        let mut out = convolution.through(&gemm, &plane, BANDS / 2, 2).unwrap();
        for (band, row) in out.bands_mut().enumerate() {
            for (frame, channels) in row.chunks_exact(CHANNELS).enumerate() {
                let plain = |output: usize| {
                    let each = weights[output * 18..][..18].iter().enumerate();
                    let sum: f32 = each.map(|(n, w)| w * input(2 * band + n / 3 % 3, frame + n % 3, n / 9)).sum();
                    (sum + weights[CHANNELS * 18 + output]).max(0.0)
                };
                assert!(same(channels, &(0..CHANNELS).map(plain).collect::<Vec<_>>()), "{band}, {frame}");
            }
        }
    }

    #[test]
    fn what_a_whole_window_has_in_common_is_not_heard() {
        let frame = |n: u8| std::array::from_fn(|band| f32::from(n) - if band == 3 { 7.0 } else { 0.0 });
        let plain: Vec<Mel> = (0..5).map(frame).collect();
        for mut plane in
            [around_means(&plain), around_means(&plain.iter().map(|f| f.map(|x| x + 9.0)).collect::<Vec<_>>())]
        {
            for band in plane.bands_mut() {
                assert!(same(band, &[-2.0, -1.0, 0.0, 1.0, 2.0]), "{band:?}");
            }
        }
    }
}
