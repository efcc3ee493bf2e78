//! What media may be used as: the one rule for the scenes, tracks and overlays of timelines, the layers of canvases,
//! logos, dubs, music, and what generations are made from. Which media a read suits is in `plan`.

use crate::item::ItemType;

/// The media type of an SVG. A canvas is rendered into one for other programs; no decoder here reads it.
pub const SVG: &str = "image/svg+xml";

/// What an item is used as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MediaUse {
    /// A scene of a timeline: a picture, a film or a sound.
    Scene,
    /// A picture that stands still: an overlay, a logo, or what a film begins with.
    Still,
    /// A picture or a film: a layer, or what is enlarged or cut out.
    Picture,
    /// Something to hear: a track, music, or what is dubbed.
    Sound,
}

/// What decides which uses media have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Media {
    /// The item's type.
    pub kind: ItemType,
    /// Whether it has sound.
    pub has_audio: bool,
    /// Whether it has moving pictures.
    pub has_video: bool,
    /// Whether it is an SVG.
    pub is_svg: bool,
}

/// Why media can't be used so. As a sentence it follows the field that names the item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// It can't be heard.
    #[error("the item has no sound")]
    NoSound,
    /// It can't be seen.
    #[error("the item has no picture")]
    NoPicture,
    /// It is no picture that stands still.
    #[error("the item is no image")]
    NoImage,
    /// It is an SVG.
    #[error("the item is an SVG, which is made for other programs: render its canvas as `png`, and name that item")]
    Svg,
}

/// Whether an item of this media type is an SVG.
pub fn is_svg(content_type: Option<&str>) -> bool {
    content_type == Some(SVG)
}

impl Media {
    /// Checks that it can be used so.
    ///
    /// # Errors
    /// Why it can't.
    pub fn suits(self, usage: MediaUse) -> Result<(), Unfit> {
        let is_image = self.kind == ItemType::Image;
        let unfit = match usage {
            MediaUse::Sound => (!self.has_audio).then_some(Unfit::NoSound),
            _ if self.is_svg => Some(Unfit::Svg),
            MediaUse::Still => (!is_image).then_some(Unfit::NoImage),
            MediaUse::Picture => (!is_image && !self.has_video).then_some(Unfit::NoPicture),
            MediaUse::Scene => None,
        };
        unfit.map_or(Ok(()), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_are_used_as_what_they_are_and_an_svg_as_nothing() {
        let media = |kind, has_audio, has_video| Media { kind, has_audio, has_video, is_svg: false };
        let (film, sound) = (media(ItemType::Video, true, true), media(ItemType::Audio, true, false));
        let (image, mute) = (media(ItemType::Image, false, false), media(ItemType::Video, false, true));
        let svg = Media { is_svg: true, ..image };
        let uses = [MediaUse::Scene, MediaUse::Still, MediaUse::Picture, MediaUse::Sound];
        let suits = |media: Media| uses.map(|usage| media.suits(usage).err());
        assert_eq!(suits(film), [None, Some(Unfit::NoImage), None, None]);
        assert_eq!(suits(mute), [None, Some(Unfit::NoImage), None, Some(Unfit::NoSound)]);
        assert_eq!(suits(sound), [None, Some(Unfit::NoImage), Some(Unfit::NoPicture), None]);
        assert_eq!(suits(image), [None, None, None, Some(Unfit::NoSound)]);
        let svg = suits(svg);
        assert_eq!(svg, [Some(Unfit::Svg), Some(Unfit::Svg), Some(Unfit::Svg), Some(Unfit::NoSound)]);
        assert_eq!([is_svg(Some("image/svg+xml")), is_svg(Some("image/png")), is_svg(None)], [true, false, false]);
    }
}
