//! The style of captions in the settings and the brand kit.

use crate::http::text::Text;
use domain::brand_kit;
use poem_openapi::{Enum, Object};

/// The style of captions. An absent field has the renderer's default.
#[derive(Debug, Clone, Object)]
#[oai(deny_unknown_fields, skip_serializing_if_is_none)]
pub struct CaptionStyle {
    /// One of the `families` that `get_brand_kit` lists.
    pub family: Option<Text>,
    /// The font size, as a part of the picture's height: 0.01 to 0.25.
    pub size: Option<f64>,
    /// The letters' colour, such as `#ffffff`.
    pub color: Option<Text>,
    /// The colour behind the letters, such as `#000000`.
    pub background: Option<Text>,
    /// The captions' position in the picture.
    pub position: Option<CaptionPosition>,
}

/// The position of captions in the picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum CaptionPosition {
    /// At the top.
    Top,
    /// In the middle.
    Middle,
    /// At the bottom.
    Bottom,
}

impl From<CaptionPosition> for brand_kit::CaptionPosition {
    fn from(position: CaptionPosition) -> Self {
        match position {
            CaptionPosition::Top => Self::Top,
            CaptionPosition::Middle => Self::Middle,
            CaptionPosition::Bottom => Self::Bottom,
        }
    }
}

impl From<brand_kit::CaptionPosition> for CaptionPosition {
    fn from(position: brand_kit::CaptionPosition) -> Self {
        match position {
            brand_kit::CaptionPosition::Top => Self::Top,
            brand_kit::CaptionPosition::Middle => Self::Middle,
            brand_kit::CaptionPosition::Bottom => Self::Bottom,
        }
    }
}

impl From<CaptionStyle> for brand_kit::CaptionStyle {
    fn from(asked: CaptionStyle) -> Self {
        let text = |text: Option<Text>| text.map(|text| text.0);
        Self {
            family: text(asked.family),
            size: asked.size,
            color: text(asked.color),
            background: text(asked.background),
            position: asked.position.map(Into::into),
        }
    }
}

impl From<brand_kit::CaptionStyle> for CaptionStyle {
    fn from(style: brand_kit::CaptionStyle) -> Self {
        Self {
            family: style.family.map(Text),
            size: style.size,
            color: style.color.map(Text),
            background: style.background.map(Text),
            position: style.position.map(Into::into),
        }
    }
}
