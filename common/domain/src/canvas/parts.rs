//! Applies an operation's fields to layers. Each type of content takes its own fields; a field that is left over is
//! refused.

use super::names::KitNames;
use super::ops::{LayerFields, LayerKind};
use super::{
    Content, GradientShape, Known, LINE_HEIGHTS, Layer, MOST_TEXT_CHARACTERS, Milli, SIZES, WEIGHTS, Words, fields,
};
use crate::brand_kit::FAMILIES;
use crate::ids::ItemId;
use crate::item::ItemType;
use crate::media_use::MediaUse;
use crate::timeline::{Fit, Micros, Ratio, Sources};

/// The default height of letters: 48 pixels.
const USUAL_SIZE: Milli = Milli(48_000);
/// The default distance between lines: 1.2 heights of letters.
const USUAL_LINE_HEIGHT: Ratio = Ratio(1_200_000);
/// The default colour of letters and shapes.
const USUAL_COLOR: &str = "#000000";

impl Content {
    /// Returns the type of this content.
    pub(super) const fn kind(&self) -> LayerKind {
        match self {
            Self::Image { .. } => LayerKind::Image,
            Self::Logo { .. } => LayerKind::Logo,
            Self::Text(_) => LayerKind::Text,
            Self::Rect { .. } => LayerKind::Rect,
            Self::Ellipse { .. } => LayerKind::Ellipse,
            Self::Gradient { .. } => LayerKind::Gradient,
        }
    }

    /// Returns this content with its own fields replaced by those that are given.
    fn with(self, given: &mut LayerFields, known: Known<'_>) -> Result<Self, String> {
        let color = |given: Option<String>, kept: String| match given {
            Some(given) => fields::color("color", given, known.kit),
            None => Ok(kept),
        };
        Ok(match self {
            Self::Image { item, at, fit } => {
                let (is_new, asked) = (given.item_id.is_some() || given.at.is_some(), given.item_id.take());
                let usual = if asked.is_some_and(|asked| asked != item) { Micros::ZERO } else { at };
                let (item, at) = (asked.unwrap_or(item), given.at.take().unwrap_or(usual));
                if is_new {
                    check_picture(item, at, known.sources)?;
                }
                Self::Image { item, at, fit: given.fit.take().unwrap_or(fit) }
            }
            Self::Logo { logo, fit } => {
                let logo = given.logo.take().map_or(Ok(logo), |name| named_logo(name, known.kit))?;
                Self::Logo { logo, fit: given.fit.take().unwrap_or(fit) }
            }
            Self::Text(words) => Self::Text(words.with(given, known.kit)?),
            Self::Rect { color: kept } => Self::Rect { color: color(given.color.take(), kept)? },
            Self::Ellipse { color: kept } => Self::Ellipse { color: color(given.color.take(), kept)? },
            Self::Gradient { colors, shape, angle } => Self::Gradient {
                colors: given.colors.take().map_or(Ok(colors), |colors| fields::colors(colors, known.kit))?,
                shape: given.shape.take().unwrap_or(shape),
                angle: given.angle.take().map_or(Ok(angle), |angle| fields::angle("angle", angle))?,
            },
        })
    }
}

impl LayerFields {
    /// Returns the content of a new layer, from the given fields.
    pub(super) fn new_content(&mut self, known: Known<'_>) -> Result<Content, String> {
        let missing = |field: &str| format!("missing field `{field}`");
        let empty = match self.kind.take().ok_or_else(|| missing("type"))? {
            LayerKind::Image => {
                let item = self.item_id.ok_or_else(|| missing("ref"))?;
                Content::Image { item, at: Micros::ZERO, fit: Fit::Contain }
            }
            LayerKind::Logo => {
                let logo = self.logo.clone().ok_or_else(|| missing("logo"))?;
                Content::Logo { logo, fit: Fit::Contain }
            }
            LayerKind::Text => Content::Text(Words::plain(self.text.clone().ok_or_else(|| missing("text"))?)),
            LayerKind::Rect => Content::Rect { color: USUAL_COLOR.to_owned() },
            LayerKind::Ellipse => Content::Ellipse { color: USUAL_COLOR.to_owned() },
            LayerKind::Gradient => {
                let colors = self.colors.clone().ok_or_else(|| missing("colors"))?;
                Content::Gradient { colors, shape: GradientShape::Linear, angle: Milli::ZERO }
            }
        };
        empty.with(self, known)
    }
}

impl Words {
    /// A text of which no more is said.
    fn plain(text: String) -> Self {
        Self {
            text,
            family: FAMILIES[0].to_owned(),
            size: USUAL_SIZE,
            weight: 400,
            color: USUAL_COLOR.to_owned(),
            align: None,
            max_width: None,
            line_height: USUAL_LINE_HEIGHT,
        }
    }

    fn with(mut self, given: &mut LayerFields, kit: &KitNames<'_>) -> Result<Self, String> {
        if let Some(text) = given.text.take() {
            if text.trim().is_empty() || text.chars().count() > MOST_TEXT_CHARACTERS {
                return Err(format!("`text`: expected 1 to {MOST_TEXT_CHARACTERS} characters"));
            }
            self.text = text;
        }
        if let Some(family) = given.family.take() {
            if fields::family_of(&family, kit).is_none() {
                let families = FAMILIES.map(|family| format!("`{family}`")).join(", ");
                return Err(format!("`family`: expected {families}, or the name of a font of the brand kit"));
            }
            self.family = family;
        }
        if let Some(color) = given.color.take() {
            self.color = fields::color("color", color, kit)?;
        }
        self.size = given.size.take().unwrap_or(self.size);
        if !SIZES.contains(&self.size) {
            return Err(format!("`size`: expected {} to {} pixels", SIZES.start().number(), SIZES.end().number()));
        }
        self.weight = given.weight.take().unwrap_or(self.weight);
        if !WEIGHTS.contains(&self.weight) {
            return Err(format!("`weight`: expected {} to {}", WEIGHTS.start(), WEIGHTS.end()));
        }
        self.line_height = given.line_height.take().unwrap_or(self.line_height);
        if !LINE_HEIGHTS.contains(&self.line_height) {
            let (least, most) = (LINE_HEIGHTS.start().number(), LINE_HEIGHTS.end().number());
            return Err(format!("`line_height`: expected {least} to {most} heights of letters"));
        }
        self.align = given.align.take().or(self.align);
        if let Some(width) = given.max_width.take() {
            let width = Some(width).filter(|width| *width != Milli::ZERO);
            self.max_width = width.map(|width| fields::extent("max_width", width)).transpose()?;
        }
        Ok(self)
    }
}

impl Layer {
    /// Returns this layer with the given fields.
    pub(super) fn with(mut self, mut given: LayerFields, known: Known<'_>) -> Result<Self, String> {
        self.content = self.content.with(&mut given, known)?;
        self.x = given.x.take().map_or(Ok(self.x), |x| fields::coordinate("x", x))?;
        self.y = given.y.take().map_or(Ok(self.y), |y| fields::coordinate("y", y))?;
        self.take_extents(&mut given)?;
        self.rotation = given.rotation.take().map_or(Ok(self.rotation), |angle| fields::angle("rotation", angle))?;
        self.opacity = given.opacity.take().unwrap_or(self.opacity);
        if !(Ratio(0)..=Ratio::ONE).contains(&self.opacity) {
            return Err("`opacity`: expected 0 to 1".to_owned());
        }
        if let Some(shadow) = given.shadow.take() {
            self.shadow = fields::shadow(&shadow, known.kit)?;
        }
        match given.left() {
            None => Ok(self),
            Some(field) => Err(format!("`{field}`: a layer of type `{}` has none", self.content.word())),
        }
    }

    /// Takes what is given of the size and the radius, where such a layer has them.
    fn take_extents(&mut self, given: &mut LayerFields) -> Result<(), String> {
        if self.content.kind() != LayerKind::Text {
            let some = |field, given: Option<Milli>, kept| match given {
                Some(given) => fields::extent(field, given).map(Some),
                None => Ok(kept),
            };
            self.width = some("width", given.width.take(), self.width)?;
            self.height = some("height", given.height.take(), self.height)?;
        }
        if !matches!(self.content.kind(), LayerKind::Text | LayerKind::Ellipse)
            && let Some(radius) = given.radius.take()
        {
            let is_none = radius == Milli::ZERO;
            self.radius = if is_none { radius } else { fields::extent("radius", radius)? };
        }
        Ok(())
    }
}

/// Checks that the item shows a picture at this time.
fn check_picture(item: ItemId, at: Micros, sources: &Sources) -> Result<(), String> {
    let facts = sources.get(&item).ok_or("`ref`: the item is deleted or not ready")?;
    facts.media.suits(MediaUse::Picture).map_err(|unfit| format!("`ref`: {unfit}"))?;
    if facts.media.kind == ItemType::Image {
        return if at == Micros::ZERO { Ok(()) } else { Err("`at`: an image has no other moments".to_owned()) };
    }
    let duration = facts.duration.unwrap_or_default();
    if at < Micros::ZERO || (at >= duration && at != Micros::ZERO) {
        return Err(format!(
            "`at`: expected a moment before the end of the item, which is {} s long",
            duration.seconds()
        ));
    }
    Ok(())
}

fn named_logo(name: String, kit: &KitNames<'_>) -> Result<String, String> {
    if kit.logo(&name).is_some() {
        return Ok(name);
    }
    Err("`logo`: expected the name of a logo of the brand kit".to_owned())
}
