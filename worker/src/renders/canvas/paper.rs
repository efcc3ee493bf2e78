//! The surface that is drawn on: pixels, onto which one SVG after another is drawn, or a self-contained document.
//!
//! `svg` describes what a layer looks like, `ink` parses that.

use super::ink::{LayerPicture, NamedPictures, tree};
use super::svg;
use crate::readers::ReadError;
use domain::still::Still;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::WriteOptions;
use std::sync::Arc;

/// Pixels to draw on.
pub(super) struct Paper(Pixmap);

impl Paper {
    /// Returns pixels of the picture's size, in its background's colour; none where there is no memory for them.
    pub(super) fn new(still: &Still) -> Option<Self> {
        let mut pixels = Pixmap::new(still.size[0], still.size[1])?;
        if let Some([red, green, blue, alpha]) = still.background {
            pixels.fill(resvg::tiny_skia::Color::from_rgba8(red, green, blue, alpha));
        }
        Some(Self(pixels))
    }

    /// Draws these layers over the pixels.
    pub(super) fn draw(mut self, still: &Still, layers: &[LayerPicture]) -> Result<Self, ReadError> {
        let tree = tree(&svg::document(still, layers), named(layers))?;
        let scale = |axis: usize| f64::from(still.size[axis]) / f64::from(still.canvas[axis]);
        #[expect(clippy::cast_possible_truncation, reason = "the library's numbers are of single precision")]
        let transform = Transform::from_scale(scale(0) as f32, scale(1) as f32);
        resvg::render(&tree, transform, &mut self.0.as_mut());
        Ok(self)
    }

    /// Encodes the pixels as PNG.
    pub(super) fn png(&self) -> Result<Vec<u8>, ReadError> {
        self.0.encode_png().map_err(|error| ReadError::Internal(format!("a picture can't be written: {error}")))
    }

    /// Returns the pixels across and down.
    pub(super) fn size(&self) -> [u32; 2] {
        [self.0.width(), self.0.height()]
    }

    /// Returns red, green, blue and alpha of each pixel, the colours not multiplied by alpha.
    pub(super) fn rgba(&self) -> impl Iterator<Item = [u8; 4]> {
        self.0.pixels().iter().map(|pixel| {
            let plain = pixel.demultiply();
            [plain.red(), plain.green(), plain.blue(), plain.alpha()]
        })
    }

    /// Returns red, green and blue of each pixel over white.
    pub(super) fn rgb(&self) -> impl Iterator<Item = [u8; 3]> {
        self.0.pixels().iter().map(|pixel| {
            let white = 255 - pixel.alpha();
            [pixel.red(), pixel.green(), pixel.blue()].map(|value| value.saturating_add(white))
        })
    }
}

/// Returns the picture as a self-contained document: letters are shapes, and pictures are embedded.
pub(super) fn document(still: &Still, layers: &[LayerPicture]) -> Result<String, ReadError> {
    let drawn = svg::document(still, layers);
    // The background goes behind all layers, after the opening tag.
    let at = drawn.find('>').map_or(0, |at| at + 1);
    let (open, rest) = drawn.split_at(at);
    let [width, height] = still.size;
    let open = open.replacen(&format!("width=\"{}\"", still.canvas[0]), &format!("width=\"{width}\""), 1);
    let open = open.replacen(&format!("height=\"{}\"", still.canvas[1]), &format!("height=\"{height}\""), 1);
    let tree = tree(&format!("{open}{}{rest}", svg::background(still)), named(layers))?;
    Ok(tree.to_string(&WriteOptions::default()))
}

fn named(layers: &[LayerPicture]) -> NamedPictures {
    let named = |layer: &LayerPicture| Some((layer.number.to_string(), Arc::clone(&layer.picture.as_ref()?.png)));
    layers.iter().filter_map(named).collect()
}
