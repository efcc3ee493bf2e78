//! What is drawn on: pixels, the fonts, and the library that puts one SVG after another onto them.
//!
//! The library reads documents of `svg` alone, and of their references only the pictures that were packed here: it
//! opens no file and no address, and looks for no font.

use super::super::fonts;
use super::svg;
use super::words::Line;
use crate::readers::{ReadError, decode};
use domain::still::{Still, StillText};
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{self, ImageHrefResolver, ImageKind, ImageRendering, Node, Options, Tree, WriteOptions};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

/// The height of letters that are measured, in pixels.
const MEASURED_SIZE: f64 = 100.0;
/// Texts that are measured at once.
const MEASURED_TEXTS: usize = 500;

/// Pictures by what documents call them.
type Pictures = HashMap<String, Arc<Vec<u8>>>;

/// A picture of an item, as documents have it.
#[derive(Debug, Clone)]
pub(super) struct Picture {
    /// Pixels across.
    pub(super) width: u32,
    /// Pixels down.
    pub(super) height: u32,
    png: Arc<Vec<u8>>,
}

impl Picture {
    /// Of pixels that a child gave.
    pub(super) fn packed(decoded: &decode::Picture) -> Result<Self, ReadError> {
        let (width, height) = (decoded.width, decoded.height);
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, width, height);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::Fast);
        let written = encoder.write_header().and_then(|mut writer| writer.write_image_data(&decoded.rgba));
        written.map_err(|error| ReadError::Internal(format!("a picture can't be packed: {error}")))?;
        Ok(Self { width, height, png: Arc::new(bytes) })
    }
}

/// Pixels to draw on.
pub(super) struct Paper(Pixmap);

impl Paper {
    /// As large as the picture, in its background's colour. Nothing where there is no memory for it.
    pub(super) fn new(still: &Still) -> Option<Self> {
        let mut pixels = Pixmap::new(still.size[0], still.size[1])?;
        if let Some([red, green, blue, alpha]) = still.background {
            pixels.fill(resvg::tiny_skia::Color::from_rgba8(red, green, blue, alpha));
        }
        Some(Self(pixels))
    }

    /// Draws these layers, each with its number and its picture, over what is there.
    pub(super) fn draw(mut self, still: &Still, layers: &[(usize, Option<Picture>)]) -> Result<Self, ReadError> {
        let tree = tree(&svg::document(still, layers), named(layers))?;
        let scale = |axis: usize| f64::from(still.size[axis]) / f64::from(still.canvas[axis]);
        #[expect(clippy::cast_possible_truncation, reason = "the library's numbers are of single precision")]
        let transform = Transform::from_scale(scale(0) as f32, scale(1) as f32);
        resvg::render(&tree, transform, &mut self.0.as_mut());
        Ok(self)
    }

    /// As PNG.
    pub(super) fn png(&self) -> Result<Vec<u8>, ReadError> {
        self.0.encode_png().map_err(|error| ReadError::Internal(format!("a picture can't be written: {error}")))
    }

    /// Its size.
    pub(super) fn size(&self) -> (u32, u32) {
        (self.0.width(), self.0.height())
    }

    /// Red, green, blue and alpha of each pixel, the colours not multiplied.
    pub(super) fn rgba(&self) -> impl Iterator<Item = [u8; 4]> {
        self.0.pixels().iter().map(|pixel| {
            let plain = pixel.demultiply();
            [plain.red(), plain.green(), plain.blue(), plain.alpha()]
        })
    }

    /// Red, green and blue of each pixel on white.
    pub(super) fn rgb(&self) -> impl Iterator<Item = [u8; 3]> {
        self.0.pixels().iter().map(|pixel| {
            let white = 255 - pixel.alpha();
            [pixel.red(), pixel.green(), pixel.blue()].map(|value| value.saturating_add(white))
        })
    }
}

/// The picture as a document that stands alone: letters are shapes, pictures are in it.
pub(super) fn document(still: &Still, layers: &[(usize, Option<Picture>)]) -> Result<String, ReadError> {
    let drawn = svg::document(still, layers);
    // Behind all layers, after the opening tag.
    let at = drawn.find('>').map_or(0, |at| at + 1);
    let (open, rest) = drawn.split_at(at);
    let [width, height] = still.size;
    let open = open.replacen(&format!("width=\"{}\"", still.canvas[0]), &format!("width=\"{width}\""), 1);
    let open = open.replacen(&format!("height=\"{}\"", still.canvas[1]), &format!("height=\"{height}\""), 1);
    let tree = tree(&format!("{open}{}{rest}", svg::background(still)), named(layers))?;
    Ok(tree.to_string(&WriteOptions::default()))
}

/// How wide these texts are in the letters of this one, in pixels of the canvas. One that can't be drawn is of no
/// width.
pub(super) fn widths(text: &StillText, parts: &[&str]) -> Vec<f64> {
    let scale = f64::from(text.size) / 1e3 / MEASURED_SIZE;
    let mut widths = Vec::new();
    for parts in parts.chunks(MEASURED_TEXTS) {
        let mut drawn = format!("<svg xmlns=\"http://www.w3.org/2000/svg\"><g {}>", svg::font(text, MEASURED_SIZE));
        for (number, part) in parts.iter().enumerate() {
            let line = Line { text: (*part).to_owned(), is_rtl: false };
            drawn.push_str(&format!("<text id=\"t{number}\">{}</text>", svg::letters(&line)));
        }
        drawn.push_str("</g></svg>");
        let Ok(tree) = tree(&drawn, Pictures::new()) else {
            widths.extend(parts.iter().map(|_| 0.0));
            continue;
        };
        widths.extend((0..parts.len()).map(|number| match tree.node_by_id(&format!("t{number}")) {
            Some(Node::Text(text)) => f64::from(text.bounding_box().width()) * scale,
            _ => 0.0,
        }));
    }
    widths
}

fn named(layers: &[(usize, Option<Picture>)]) -> Pictures {
    let pictures = layers.iter().filter_map(|(number, picture)| Some((number.to_string(), picture.as_ref()?)));
    pictures.map(|(name, picture)| (name, Arc::clone(&picture.png))).collect()
}

/// A document as the library has it.
fn tree(document: &str, pictures: Pictures) -> Result<Tree, ReadError> {
    let options = Options {
        font_family: domain::brand_kit::FAMILIES[0].to_owned(),
        image_href_resolver: ImageHrefResolver {
            resolve_data: Box::new(|_, _, _| None),
            resolve_string: Box::new(move |name, _| pictures.get(name).map(|png| ImageKind::PNG(Arc::clone(png)))),
        },
        // What is drawn was decoded as large as it is wanted.
        image_rendering: ImageRendering::Smooth,
        fontdb: fonts_here(),
        ..Options::default()
    };
    Tree::from_str(document, &options)
        .map_err(|error| ReadError::Internal(format!("a picture's document can't be read: {error}")))
}

/// The fonts, read once.
fn fonts_here() -> Arc<usvg::fontdb::Database> {
    static FONTS: OnceLock<Arc<usvg::fontdb::Database>> = OnceLock::new();
    let fonts = FONTS.get_or_init(|| {
        let mut database = usvg::fontdb::Database::new();
        for path in fonts::paths() {
            match std::fs::read(&path) {
                Ok(font) => database.load_font_data(font),
                Err(error) => tracing::warn!(error = %error, path = %path.display(), "A font can't be read."),
            }
        }
        Arc::new(database)
    });
    Arc::clone(fonts)
}
