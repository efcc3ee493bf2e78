//! The plan of a render of a canvas: its names looked up in the brand kit, its placeholders filled, its numbers whole.

use super::fields::{family_of, rgba};
use super::parts::logo_of;
use super::words::filled;
use super::{Canvas, Content, Known, Layer, MOST_TEXT_CHARACTERS, Milli, Rgba, Words};
use crate::brand_kit::BrandKit;
use crate::ids::{ItemId, WorkspaceId};
use crate::item::ItemType;
use crate::still::{
    LONGEST_SIDE, MOST_DRAWN_PIXELS, MOST_LETTERS, MOST_PIXELS, MOST_SOURCE_PIXELS, Still, StillFormat, StillLayer,
    StillPicture, StillShadow, StillText,
};
use crate::timeline::Fit;
use std::collections::BTreeMap;

/// What placeholders stand for, by their names.
pub type Values = BTreeMap<String, String>;

/// Why a canvas can't be rendered as it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotDrawable {
    /// An item is gone.
    #[error("the layer `{layer}` shows {item}, which is deleted or not ready")]
    Gone {
        /// Which.
        layer: String,
        /// What it shows.
        item: ItemId,
    },
    /// The brand kit has it no more.
    #[error("the layer `{layer}` names {what} `{name}`, which the brand kit does not have any more")]
    NotInKit {
        /// Which; nothing of the background.
        layer: String,
        /// What is named.
        what: &'static str,
        /// Its name.
        name: String,
    },
    /// A placeholder without a value.
    #[error("`values`: the placeholder `{{{0}}}` has none")]
    NoValue(String),
    /// A value without a placeholder.
    #[error("`values`: no text of the canvas has the placeholder `{{{0}}}`")]
    NoPlaceholder(String),
    /// A text that has become too long.
    #[error("the text of the layer `{0}` would have more than {MOST_TEXT_CHARACTERS} characters")]
    TooLong(String),
    /// Too many pixels, or too long a side.
    #[error(
        "it would be {0} × {1} pixels; a picture has at most {LONGEST_SIDE} on a side and {MOST_PIXELS} in all: ask \
         for a smaller `scale`"
    )]
    TooLarge(u64, u64),
    /// Sources in more pixels than are decoded.
    #[error("its images would be decoded into {0} pixels, and {MOST_SOURCE_PIXELS} is the most")]
    ManySourcePixels(u64),
    /// More to draw than is drawn.
    #[error("its layers would be drawn on {0} pixels, shadows counted again, and {MOST_DRAWN_PIXELS} is the most")]
    ManyPixels(u64),
    /// It has more to read than is drawn.
    #[error("its texts have {0} letters, and {MOST_LETTERS} is the most that is drawn")]
    ManyLetters(usize),
}

/// What is made of a canvas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StillOutput {
    /// Whose it is.
    pub workspace: WorkspaceId,
    /// What it is written as.
    pub format: StillFormat,
    /// Pixels of the picture for each of the canvas.
    pub scale: Milli,
}

/// What a canvas looks like as the plan of a render.
///
/// # Errors
/// Why it can't be rendered.
pub fn still_of(canvas: &Canvas, known: Known<'_>, values: &Values, output: StillOutput) -> Result<Still, NotDrawable> {
    let StillOutput { workspace, format, scale } = output;
    let named = canvas.placeholders();
    if let Some(unknown) = values.keys().find(|name| !named.contains(&name.as_str())) {
        return Err(NotDrawable::NoPlaceholder(unknown.clone()));
    }
    let [width, height] = [canvas.width, canvas.height].map(|side| {
        let thousandths = u64::from(side) * u64::from(scale.0.unsigned_abs());
        ((thousandths + 500) / 1_000).max(1)
    });
    if width > u64::from(LONGEST_SIDE) || height > u64::from(LONGEST_SIDE) || width * height > MOST_PIXELS {
        return Err(NotDrawable::TooLarge(width, height));
    }
    let side = |side: u64| u32::try_from(side).unwrap_or(LONGEST_SIDE);
    let background = canvas.background.as_ref();
    let still = Still {
        workspace,
        format,
        canvas: [canvas.width, canvas.height],
        size: [side(width), side(height)],
        background: background.map(|color| kit_color("background", color, known.kit)).transpose()?,
        layers: canvas.layers.iter().map(|layer| drawn(canvas, layer, known, values)).collect::<Result<_, _>>()?,
    };
    let letters = still.letters();
    if letters > MOST_LETTERS {
        return Err(NotDrawable::ManyLetters(letters));
    }
    match (still.source_pixels(), still.drawn_pixels()) {
        (many, _) if many > MOST_SOURCE_PIXELS => Err(NotDrawable::ManySourcePixels(many)),
        (_, many) if many > MOST_DRAWN_PIXELS => Err(NotDrawable::ManyPixels(many)),
        _ => Ok(still),
    }
}

fn drawn(canvas: &Canvas, layer: &Layer, known: Known<'_>, values: &Values) -> Result<StillLayer, NotDrawable> {
    let color = |color: &String| kit_color(&layer.id, color, known.kit);
    let picture = match &layer.content {
        Content::Image { item, at, fit } => {
            let facts = known.sources.get(item).ok_or_else(|| gone(layer, *item))?;
            let at_us = (facts.kind != ItemType::Image).then_some(at.0);
            StillPicture::Image { item: *item, at_us, cover: *fit == Fit::Cover }
        }
        Content::Logo { logo, fit } => {
            let item = logo_of(logo, known.kit).ok_or_else(|| not_in_kit(&layer.id, "the logo", logo))?;
            if !known.sources.get(&item).is_some_and(|facts| facts.kind == ItemType::Image) {
                return Err(gone(layer, item));
            }
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

fn written(layer: &str, words: &Words, kit: &BrandKit, values: &Values) -> Result<StillText, NotDrawable> {
    let value = |name: &str| values.get(name).map(String::as_str);
    let text = filled(&words.text, value).map_err(|name| NotDrawable::NoValue(name.to_owned()))?;
    if text.chars().count() > MOST_TEXT_CHARACTERS {
        return Err(NotDrawable::TooLong(layer.to_owned()));
    }
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

fn kit_color(layer: &str, color: &str, kit: &BrandKit) -> Result<Rgba, NotDrawable> {
    rgba(color, kit).ok_or_else(|| not_in_kit(layer, "the colour", color))
}

fn gone(layer: &Layer, item: ItemId) -> NotDrawable {
    NotDrawable::Gone { layer: layer.id.clone(), item }
}

fn not_in_kit(layer: &str, what: &'static str, name: &str) -> NotDrawable {
    NotDrawable::NotInKit { layer: layer.to_owned(), what, name: name.to_owned() }
}
