//! The drawing library and its inputs: the fonts, items' pictures as documents embed them, and the widths of letters.
//!
//! The library reads only documents that were written here, and resolves only references to pictures that were packed
//! here: it opens no file and no address, and looks for no font.

use super::super::fonts;
use crate::readers::{ReadError, decode};
use domain::still::StillText;
use resvg::usvg::{self, ImageHrefResolver, ImageKind, ImageRendering, Node, Options, Tree};
use std::collections::HashMap;
use std::fmt::Write;
use std::sync::{Arc, OnceLock};

/// The font size at which letters are measured, in pixels.
const MEASURED_SIZE: f64 = 100.0;
/// Texts that are measured at once.
const MEASURED_TEXTS: usize = 500;

/// Pictures, as PNG, by their names in documents.
pub(super) type NamedPictures = HashMap<String, Arc<Vec<u8>>>;

/// A picture of an item, as documents embed it.
#[derive(Debug, Clone)]
pub(super) struct PackedPicture {
    /// Pixels across.
    pub(super) width: u32,
    /// Pixels down.
    pub(super) height: u32,
    pub(super) png: Arc<Vec<u8>>,
}

impl PackedPicture {
    /// Encodes the pixels that a child decoded as PNG.
    pub(super) fn packed(decoded: &decode::DecodedPicture) -> Result<Self, ReadError> {
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

/// The number of a canvas's layer, and its picture.
#[derive(Debug)]
pub(super) struct LayerPicture {
    /// The layer's number.
    pub(super) number: usize,
    /// The picture of the item that it shows, if any.
    pub(super) picture: Option<PackedPicture>,
}

/// Returns the widths of these parts of a text in its font, in pixels of the canvas; 0 for one that can't be drawn.
pub(super) fn widths(text: &StillText, parts: &[&str]) -> Vec<f64> {
    let scale = f64::from(text.size) / 1e3 / MEASURED_SIZE;
    let mut widths = Vec::new();
    for parts in parts.chunks(MEASURED_TEXTS) {
        let mut drawn = format!("<svg xmlns=\"http://www.w3.org/2000/svg\"><g {}>", font(text, MEASURED_SIZE));
        for (number, part) in parts.iter().enumerate() {
            let _ = write!(drawn, "<text id=\"t{number}\">{}</text>", escaped_line(part, false));
        }
        drawn.push_str("</g></svg>");
        let Ok(tree) = tree(&drawn, NamedPictures::new()) else {
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

/// Returns a text's font as SVG attributes.
pub(super) fn font(text: &StillText, size: f64) -> String {
    // The library knows weights in hundreds, and treats others as regular.
    let (family, weight, size) = (escaped(&text.family), (text.weight + 50) / 100 * 100, number_of(size));
    format!("font-family=\"{family}\" font-weight=\"{weight}\" font-size=\"{size}\" xml:space=\"preserve\"")
}

/// Returns the letters of a line, escaped. The library lays every line out from the left, so one that is read from the
/// right stands between marks that say so.
pub(super) fn escaped_line(text: &str, is_rtl: bool) -> String {
    let text = escaped(text);
    if is_rtl { format!("\u{202b}{text}\u{202c}") } else { text }
}

/// A number with four decimals.
pub(super) fn number_of(number: f64) -> String {
    format!("{number:.4}")
}

/// Escapes a text for a document.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            // XML can't contain these characters, however they are escaped.
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            _ => escaped.push(letter),
        }
    }
    escaped
}

/// Parses a document into the library's tree.
pub(super) fn tree(document: &str, pictures: NamedPictures) -> Result<Tree, ReadError> {
    let options = Options {
        font_family: domain::brand_kit::FAMILIES[0].to_owned(),
        image_href_resolver: ImageHrefResolver {
            resolve_data: Box::new(|_, _, _| None),
            resolve_string: Box::new(move |name, _| pictures.get(name).map(|png| ImageKind::PNG(Arc::clone(png)))),
        },
        // Pictures were decoded at the size in which they are drawn.
        image_rendering: ImageRendering::Smooth,
        fontdb: fonts_here(),
        ..Options::default()
    };
    Tree::from_str(document, &options)
        .map_err(|error| ReadError::Internal(format!("a picture's document can't be read: {error}")))
}

/// Returns the fonts, read once.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the number of pictures that a group shows.
    fn pictures(group: &usvg::Group) -> usize {
        let of = |node: &Node| match node {
            Node::Group(group) => pictures(group),
            Node::Image(_) => 1,
            Node::Path(_) | Node::Text(_) => 0,
        };
        group.children().iter().map(of).sum()
    }

    #[test]
    fn a_document_shows_the_pictures_that_were_packed_for_it_and_opens_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let decoded = decode::DecodedPicture { width: 1, height: 1, rgba: vec![255; 4] };
        let packed = PackedPicture::packed(&decoded).unwrap();
        let file = folder.path().join("secret.png");
        std::fs::write(&file, packed.png.as_slice()).unwrap();
        let shown = |href: &str| {
            let svg = format!(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\" height=\"9\">\
                 <image href=\"{href}\" width=\"9\" height=\"9\"/></svg>"
            );
            let named = NamedPictures::from([("p0".to_owned(), Arc::clone(&packed.png))]);
            pictures(tree(&svg, named).unwrap().root())
        };
        assert_eq!(shown("p0"), 1);
        let path = file.display();
        let elsewhere = "http://169.254.169.254/latest/meta-data".to_owned();
        for href in [path.to_string(), format!("file://{path}"), elsewhere, "p1".to_owned()] {
            assert_eq!(shown(&href), 0, "{href}");
        }
    }
}
