//! Plans a render of a canvas: looks names up in the brand kit, fills placeholders, and takes whole numbers.

use super::fields::{family_of, rgba};
use super::names::KitNames;
use super::words::{Unfilled, filled};
use super::{Canvas, Content, Known, Layer, MOST_TEXT_CHARACTERS, Milli, Rgba, Words};
use crate::ids::{ItemId, WorkspaceId};
use crate::item::ItemType;
use crate::letters::undrawn;
use crate::media_use::{MediaUse, Unfit};
use crate::still::{
    LONGEST_SIDE, MOST_DRAWN_PIXELS, MOST_LETTERS, MOST_PIXELS, MOST_SOURCE_PIXELS, Still, StillFormat, StillLayer,
    StillPicture, StillShadow, StillText,
};
use crate::surfaces::MOST_SURFACE_MIB;
use crate::timeline::Fit;
use std::collections::{BTreeMap, HashSet};

/// The values of placeholders, by name.
pub type Values = BTreeMap<String, String>;

/// Why a canvas can't be rendered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotDrawable {
    /// An item is deleted or not ready.
    #[error("the layer `{layer}` shows {item}, which is deleted or not ready")]
    Gone {
        /// The layer's id.
        layer: String,
        /// The item that it shows.
        item: ItemId,
    },
    /// An item can't be shown.
    #[error("the layer `{layer}` shows {item}: {why}")]
    Unfit {
        /// The layer's id.
        layer: String,
        /// The item that it shows.
        item: ItemId,
        /// Why it can't be shown.
        why: Unfit,
    },
    /// The brand kit no longer has what a layer names.
    #[error("the layer `{layer}` names {what} `{name}`, which the brand kit does not have any more")]
    NotInKit {
        /// The layer's id; `background` for the canvas's background.
        layer: String,
        /// The kind of thing that is named, with its article.
        what: &'static str,
        /// Its name.
        name: String,
    },
    /// A placeholder has no value.
    #[error("`values`: the placeholder `{{{0}}}` has none")]
    NoValue(String),
    /// A value has no placeholder.
    #[error("`values`: no text of the canvas has the placeholder `{{{0}}}`")]
    NoPlaceholder(String),
    /// A text is too long once it is filled.
    #[error("the text of the layer `{0}` would have more than {MOST_TEXT_CHARACTERS} characters")]
    TooLong(String),
    /// The picture has too many pixels, or too long a side.
    #[error(
        "it would be {0} × {1} pixels; a picture has at most {LONGEST_SIDE} on a side and {MOST_PIXELS} in all: ask \
         for a smaller `scale`"
    )]
    TooLarge(u64, u64),
    /// The sources have more pixels than may be decoded.
    #[error("its images would be decoded into {0} pixels, and {MOST_SOURCE_PIXELS} is the most")]
    ManySourcePixels(u64),
    /// The layers cover more pixels than may be drawn.
    #[error("its layers would be drawn on {0} pixels, shadows counted again, and {MOST_DRAWN_PIXELS} is the most")]
    ManyPixels(u64),
    /// A layer would take too much memory while it is drawn.
    #[error(
        "drawing the layer `{0}` would take more than {MOST_SURFACE_MIB} MiB beside the picture: ask for a smaller \
         `scale`, make the layer or the blur of its shadow smaller, or give it no shadow, round corners or opacity"
    )]
    Unwieldy(String),
    /// The texts have more letters than may be drawn.
    #[error("its texts have {0} letters, and {MOST_LETTERS} is the most that is drawn")]
    ManyLetters(usize),
}

/// The output of a render of a canvas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StillOutput {
    /// The workspace of the new item.
    pub workspace: WorkspaceId,
    /// The file format.
    pub format: StillFormat,
    /// Pixels of the picture per pixel of the canvas.
    pub scale: Milli,
}

/// Returns the plan of a render of this canvas.
///
/// # Errors
/// Why it can't be rendered.
pub fn still_of(canvas: &Canvas, known: Known<'_>, values: &Values, output: StillOutput) -> Result<Still, NotDrawable> {
    let StillOutput { workspace, format, scale } = output;
    let named: HashSet<&str> = canvas.placeholders().into_iter().collect();
    if let Some(unknown) = values.keys().find(|name| !named.contains(name.as_str())) {
        return Err(NotDrawable::NoPlaceholder(unknown.clone()));
    }
    let size = size_of(canvas, scale)?;
    let background = canvas.background.as_ref();
    let still = Still {
        workspace,
        format,
        canvas: [canvas.width, canvas.height],
        size,
        background: background.map(|color| kit_color("background", color, known.kit)).transpose()?,
        layers: canvas.layers.iter().map(|layer| drawn(canvas, layer, known, values)).collect::<Result<_, _>>()?,
    };
    let letters = still.letters();
    if letters > MOST_LETTERS {
        return Err(NotDrawable::ManyLetters(letters));
    }
    match (still.source_pixels(), still.drawn_pixels(), still.unwieldy_layer()) {
        (many, ..) if many > MOST_SOURCE_PIXELS => Err(NotDrawable::ManySourcePixels(many)),
        (_, many, _) if many > MOST_DRAWN_PIXELS => Err(NotDrawable::ManyPixels(many)),
        (_, _, Some(number)) => Err(NotDrawable::Unwieldy(canvas.layers[number].id.clone())),
        _ => Ok(still),
    }
}

impl Canvas {
    /// Returns a warning of letters of this plan of it that the font lacks, if there are any.
    pub fn undrawn(&self, still: &Still) -> Option<String> {
        let texts = self.layers.iter().zip(&still.layers).filter_map(|(layer, drawn)| match &drawn.picture {
            StillPicture::Text(text) => Some((format!("`{}`", layer.id), text.text.as_str())),
            _ => None,
        });
        undrawn("the layers", texts)
    }
}

/// The width and the height of the picture.
fn size_of(canvas: &Canvas, scale: Milli) -> Result<[u32; 2], NotDrawable> {
    let [width, height] = [canvas.width, canvas.height].map(|side| {
        let thousandths = u64::from(side) * u64::from(scale.0.unsigned_abs());
        ((thousandths + 500) / 1_000).max(1)
    });
    if width > u64::from(LONGEST_SIDE) || height > u64::from(LONGEST_SIDE) || width * height > MOST_PIXELS {
        return Err(NotDrawable::TooLarge(width, height));
    }
    Ok([width, height].map(|side| u32::try_from(side).unwrap_or(LONGEST_SIDE)))
}

fn drawn(canvas: &Canvas, layer: &Layer, known: Known<'_>, values: &Values) -> Result<StillLayer, NotDrawable> {
    let color = |color: &String| kit_color(&layer.id, color, known.kit);
    let picture = match &layer.content {
        Content::Image { item, at, fit } => {
            let kind = shown(layer, *item, MediaUse::Picture, known)?;
            let at_us = (kind != ItemType::Image).then_some(at.0);
            StillPicture::Image { item: *item, at_us, cover: *fit == Fit::Cover }
        }
        Content::Logo { logo, fit } => {
            let item = known.kit.logo(logo).ok_or_else(|| not_in_kit(&layer.id, "the logo", logo))?;
            shown(layer, item, MediaUse::Still, known)?;
            StillPicture::Image { item, at_us: None, cover: *fit == Fit::Cover }
        }
        Content::Text(words) => StillPicture::Text(written(&layer.id, words, known.kit, values)?),
        Content::Rect { color: of } => StillPicture::Rect { color: color(of)? },
        Content::Ellipse { color: of } => StillPicture::Ellipse { color: color(of)? },
        Content::Gradient { colors, shape, angle } => StillPicture::Gradient {
            colors: colors.iter().map(color).collect::<Result<_, _>>()?,
            shape: *shape,
            angle: angle.0,
        },
    };
    let extent = |given: Option<Milli>, whole: u32| given.unwrap_or(Milli::whole(whole)).0;
    let is_text = matches!(picture, StillPicture::Text(_));
    let (width, height) = (extent(layer.width, canvas.width), extent(layer.height, canvas.height));
    let shadow = layer.shadow.as_ref().map(|shadow| {
        let (offset, blur) = ([shadow.x.0, shadow.y.0], shadow.blur.0);
        Ok(StillShadow { color: color(&shadow.color)?, offset, blur })
    });
    Ok(StillLayer {
        picture,
        place: [layer.x.0, layer.y.0, if is_text { 0 } else { width }, if is_text { 0 } else { height }],
        rotation: layer.rotation.0,
        opacity: layer.opacity.0,
        radius: layer.radius.0,
        shadow: shadow.transpose()?,
    })
}

fn written(layer: &str, words: &Words, kit: &KitNames<'_>, values: &Values) -> Result<StillText, NotDrawable> {
    let value = |name: &str| values.get(name).map(String::as_str);
    let text = filled(&words.text, MOST_TEXT_CHARACTERS, value).map_err(|why| match why {
        Unfilled::NoValue(name) => NotDrawable::NoValue(name.to_owned()),
        Unfilled::TooLong => NotDrawable::TooLong(layer.to_owned()),
    })?;
    let family = family_of(&words.family, kit).ok_or_else(|| not_in_kit(layer, "the font", &words.family))?;
    Ok(StillText {
        text,
        family: family.to_owned(),
        size: words.size.0,
        weight: words.weight,
        color: kit_color(layer, &words.color, kit)?,
        align: words.align,
        max_width: words.max_width.map(|width| width.0),
        line_height: words.line_height.0,
    })
}

fn kit_color(layer: &str, color: &str, kit: &KitNames<'_>) -> Result<Rgba, NotDrawable> {
    rgba(color, kit).ok_or_else(|| not_in_kit(layer, "the colour", color))
}

/// Returns the type of an item that a layer shows.
fn shown(layer: &Layer, item: ItemId, usage: MediaUse, known: Known<'_>) -> Result<ItemType, NotDrawable> {
    let id = || layer.id.clone();
    let facts = known.sources.get(&item).ok_or_else(|| NotDrawable::Gone { layer: id(), item })?;
    facts.media.suits(usage).map_err(|why| NotDrawable::Unfit { layer: id(), item, why })?;
    Ok(facts.media.kind)
}

fn not_in_kit(layer: &str, what: &'static str, name: &str) -> NotDrawable {
    NotDrawable::NotInKit { layer: layer.to_owned(), what, name: name.to_owned() }
}
