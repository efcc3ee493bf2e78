//! The parts of a timeline that operations name: slots, types, transitions, styles of texts, captions.

use crate::http::text::Text;
use crate::resources::tools::caption_style::CaptionPosition;
use poem_openapi::{Enum, Object};

/// The tracks of which a timeline has one each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum AudioSlot {
    /// The voice over the whole film.
    Voiceover,
    /// The music under the whole film.
    Music,
}

/// The types of scenes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum SceneType {
    /// A part of a video, or of a sound, which has no picture.
    Clip,
    /// A still picture.
    Image,
    /// One colour.
    Color,
}

/// The types of overlays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum OverlayType {
    /// A picture.
    Image,
    /// A text.
    Text,
    /// A picture that is a logo.
    Logo,
}

/// How a picture with another aspect ratio is fitted into the timeline's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum SceneFit {
    /// All of it is shown, with black bars.
    Contain,
    /// It fills the picture, and what does not fit is cut off.
    Cover,
}

/// The kinds of transitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum TransitionKind {
    /// The next scene begins at once.
    Cut,
    /// One scene dissolves into the next; both are seen and heard meanwhile.
    Crossfade,
}

/// The transition from one scene to the next.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields, skip_serializing_if_is_none)]
pub struct SceneTransition {
    /// Its kind.
    pub kind: TransitionKind,
    /// The duration of a crossfade in seconds, at most 10 and at most half of the shorter scene.
    pub seconds: Option<f64>,
}

/// The style of a text.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields, skip_serializing_if_is_none)]
pub struct TextLook {
    /// The letters' colour, such as `#ffffff`, which is the default.
    pub color: Option<Text>,
    /// The colour behind the letters; none when absent. For captions without a `color`, it is the settings' or the
    /// brand kit's when absent, and none when it is empty.
    pub background: Option<Text>,
    /// The height of a line, 0.01 to 0.5 of the picture's height; 0.06 when absent.
    pub size: Option<f64>,
    /// One of the `families` that `get_brand_kit` lists; the first of them when absent, or where the text has letters
    /// that the others lack.
    pub family: Option<Text>,
}

/// The sources of captions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum CaptionOrigin {
    /// The stored transcripts of the speech that is heard in the scenes and the voiceover.
    Transcripts,
    /// The cues in `cues`.
    Cues,
}

/// The captions of a timeline.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields, skip_serializing_if_is_none)]
pub struct CaptionText {
    /// Their source.
    pub source: CaptionOrigin,
    /// The cues, when `source` is `cues`: at most 2,000, in order, without overlaps.
    #[oai(validator(max_items = 2000))]
    pub cues: Option<Vec<CueText>>,
    /// Whether a render draws them into its picture.
    pub burn: Option<bool>,
    /// The style in which they are drawn. Absent fields have the value of the settings' `caption_style`, or else of the
    /// brand kit's.
    pub style: Option<TextLook>,
    /// Their position in the picture; when absent that of the settings or the brand kit, or else `bottom`.
    pub position: Option<CaptionPosition>,
    /// Their language, such as `en`.
    pub language: Option<Text>,
}

/// A caption. Times are seconds.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct CueText {
    /// When it appears.
    pub start: f64,
    /// When it disappears.
    pub end: f64,
    /// Its text, 1 to 500 characters. Line feeds are the only control characters that it may have.
    pub text: Text,
}
