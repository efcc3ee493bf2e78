//! The surfaces that the drawing library makes beside the picture while it draws one layer, and their memory.
//!
//! The price of a layer goes by what is seen of it, and its surface may be larger: what is outside of the picture is on
//! it too. Neighbour: `still`, the plan.

use crate::still::{Still, StillFormat, StillLayer, StillPicture, StillShadow};

/// The most memory of the surfaces for one layer, in mebibytes: with the largest picture itself it makes some 700 MB.
pub(crate) const MOST_SURFACE_MIB: u64 = 512;
/// The factor by which a surface may be longer than each side of the picture: what is farther away is left out of it.
const SURFACE_SIDES: u64 = 5;
/// The bytes of a pixel of a surface.
const PLAIN: u64 = 4;
/// The same where round corners are cut: the surface, another for their shape, and a mask.
const CUT: u64 = 2 * PLAIN + 1;
/// The same where a shadow is blurred: the surface, and five copies of it.
const BLURRED: u64 = 6 * PLAIN;

/// The pixels of the surfaces for a layer.
struct Surfaces {
    /// The one for its opacity or its shadow.
    whole: u64,
    /// The one on which the corners of its picture are cut, which exists beside the other.
    corners: u64,
    has_shadow: bool,
}

impl Surfaces {
    /// Returns the most bytes that they take at a time: a shadow is made after corners are cut.
    const fn bytes(&self) -> u64 {
        let drawn = self.whole.saturating_mul(PLAIN).saturating_add(self.corners.saturating_mul(CUT));
        let blurred = self.whole.saturating_mul(BLURRED);
        if self.has_shadow && blurred > drawn { blurred } else { drawn }
    }
}

impl Still {
    /// Returns the number of the first layer that takes more memory for its surfaces than one may, if any does. An SVG
    /// is not drawn, only its small cover is.
    pub fn unwieldy_layer(&self) -> Option<usize> {
        let is_unwieldy = |layer: &StillLayer| self.surfaces(layer).bytes() > MOST_SURFACE_MIB << 20;
        if self.format == StillFormat::Svg { None } else { self.layers.iter().position(is_unwieldy) }
    }

    /// Returns about the number of pixels of all layers' surfaces.
    pub(crate) fn surface_pixels(&self) -> u64 {
        let made = self.layers.iter().map(|layer| self.surfaces(layer));
        made.fold(0, |sum, Surfaces { whole, corners, .. }| sum.saturating_add(whole).saturating_add(corners))
    }

    fn surfaces(&self, layer: &StillLayer) -> Surfaces {
        let whole = match layer.shadow {
            Some(shadow) => self.pixels_of(self.shadow_room(layer, shadow)),
            None if layer.opacity == 1_000_000 => 0,
            None => self.pixels_of(turned(layer)),
        };
        let is_cut = layer.radius != 0 && matches!(layer.picture, StillPicture::Image { .. });
        let corners = if is_cut { self.pixels_of(turned(layer)) } else { 0 };
        Surfaces { whole, corners, has_shadow: layer.shadow.is_some() }
    }

    /// Returns the width and height in which a layer and its shadow can be seen, in thousandths of a pixel: not farther
    /// outside of the canvas than the shadow reaches.
    fn shadow_room(&self, layer: &StillLayer, shadow: StillShadow) -> [i64; 2] {
        let reach = i64::from(shadow.reach());
        // Letters may reach beyond their lines.
        let letters = if let StillPicture::Text(text) = &layer.picture { i64::from(text.size) } else { 0 };
        let (extent, turned) = (extent(layer), turned(layer));
        [0, 1].map(|axis: usize| {
            let middle = i64::from(layer.place[axis]) + extent[axis] / 2;
            let half = turned[axis] / 2 + letters + reach;
            let end = i64::from(self.canvas[axis]) * 1_000 + reach;
            ((middle + half).min(end) - (middle - half).max(-reach)).max(0)
        })
    }

    /// Returns the number of pixels of a surface of this width and height.
    fn pixels_of(&self, extent: [i64; 2]) -> u64 {
        let side = |axis: usize| {
            let (size, canvas) = (u64::from(self.size[axis]), u64::from(self.canvas[axis].max(1)));
            let pixels = extent[axis].unsigned_abs().saturating_mul(size).div_ceil(canvas * 1_000);
            pixels.min(SURFACE_SIDES * size)
        };
        side(0).saturating_mul(side(1))
    }
}

/// Returns the width and height of a layer before it is turned, in thousandths of a pixel; of a text those that it
/// takes at most.
fn extent(layer: &StillLayer) -> [i64; 2] {
    let [_, _, width, height] = layer.place;
    let extent = if let StillPicture::Text(text) = &layer.picture { text.room() } else { [width, height] };
    extent.map(i64::from)
}

/// Returns the width and height that a layer takes at most, however it is turned about its middle.
fn turned(layer: &StillLayer) -> [i64; 2] {
    let [width, height] = extent(layer);
    if layer.rotation == 0 { [width, height] } else { [(width * width + height * height).isqrt() + 1; 2] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{ItemId, WorkspaceId};
    use crate::still::StillText;

    /// The size of the largest picture.
    const LARGEST: [u32; 2] = [8_192, 4_096];

    /// A layer on a canvas of 1024 × 512 pixels.
    fn rect(place: [i32; 4], opacity: i32) -> StillLayer {
        let (picture, place) = (StillPicture::Rect { color: [0, 0, 0, 255] }, place.map(|pixels| pixels * 1_000));
        StillLayer { picture, place, rotation: 0, opacity, radius: 0, shadow: None }
    }

    /// A half-transparent text in letters of this height in pixels.
    fn text(text: &str, size: i32, max_width: Option<i32>, line_height: i32) -> StillLayer {
        let (text, family, color, size) = (text.to_owned(), "DejaVu Sans".to_owned(), [0, 0, 0, 255], size * 1_000);
        let text = StillText { text, family, size, weight: 400, color, align: None, max_width, line_height };
        StillLayer { picture: StillPicture::Text(text), ..rect([0; 4], 500_000) }
    }

    fn still(size: [u32; 2], layer: StillLayer) -> Still {
        let (workspace, format) = (WorkspaceId::mint(), StillFormat::Png);
        Still { workspace, format, canvas: [1_024, 512], size, background: None, layers: vec![layer] }
    }

    fn is_unwieldy(size: [u32; 2], layer: &StillLayer) -> bool {
        still(size, layer.clone()).unwieldy_layer().is_some()
    }

    #[test]
    fn a_layer_whose_surfaces_take_gigabytes_is_unwieldy_and_one_as_large_as_the_picture_is_not() {
        let half = |place| rect(place, 500_000);
        let (huge, bleeding) = (half([0, 0, 16_384, 16_384]), half([-51, -26, 1_126, 564]));
        assert!(is_unwieldy(LARGEST, &huge) && !is_unwieldy([2_048, 1_024], &huge));
        assert!(!is_unwieldy(LARGEST, &rect([0, 0, 16_384, 16_384], 1_000_000)), "it has no surface");
        assert!(!is_unwieldy(LARGEST, &bleeding) && !is_unwieldy(LARGEST, &StillLayer { rotation: 5, ..bleeding }));
        assert!(is_unwieldy(LARGEST, &StillLayer { rotation: 45_000, ..half([0, 0, 16_384, 64]) }));
        let picture = StillPicture::Image { item: ItemId::mint(), at_us: None, cover: true };
        let round = |opacity| StillLayer { picture: picture.clone(), radius: 9, ..rect([0, 0, 1_024, 512], opacity) };
        assert!(!is_unwieldy(LARGEST, &round(1_000_000)) && !is_unwieldy(LARGEST, &round(500_000)), "cut and faded");
        let long = StillLayer { rotation: 45_000, place: [0, 0, 2_048_000, 256_000], ..round(1_000_000) };
        assert!(is_unwieldy(LARGEST, &long), "corners are cut where nothing is seen, too");
        let document = Still { format: StillFormat::Svg, ..still(LARGEST, huge) };
        assert_eq!(document.unwieldy_layer(), None);
    }

    #[test]
    fn a_shadow_counts_for_what_is_seen_of_it_and_of_its_layer() {
        let shadowed = |place, blur| {
            let shadow = Some(StillShadow { color: [0, 0, 0, 255], offset: [8_000; 2], blur });
            StillLayer { shadow, ..rect(place, 1_000_000) }
        };
        let (all, some) = ([0, 0, 1_024, 512], [100, 100, 800, 300]);
        assert!(!is_unwieldy(LARGEST, &shadowed(some, 24_000)) && is_unwieldy(LARGEST, &shadowed(all, 24_000)));
        assert!(!is_unwieldy([5_600, 2_800], &shadowed(all, 24_000)), "a little smaller");
        assert!(is_unwieldy(LARGEST, &shadowed(some, 500_000)), "it is drawn far around");
        assert!(!is_unwieldy(LARGEST, &shadowed([2_048, 0, 16_384, 16_384], 24_000)), "nothing of it is seen");
        let pixels = still([1_024, 512], shadowed(some, 24_000)).surface_pixels();
        assert_eq!(pixels, (800 + 90) * (300 + 90), "36 of blur, 8 of offset and one on each side");
    }

    #[test]
    fn a_text_counts_for_all_of_its_lines_and_for_letters_larger_than_their_room() {
        assert!(!is_unwieldy(LARGEST, &text("Some words in letters", 100, Some(800_000), 1_200_000)));
        assert!(is_unwieldy(LARGEST, &text("MMMM", 2_000, Some(1), 1_200_000)), "a line has a letter at least");
        assert!(is_unwieldy(LARGEST, &text("MM", 1_000, None, 500_000)), "letters are higher than their line");
        let line = "M".repeat(50);
        for end in ["\n", "\u{2028}", "\u{2029}"] {
            let lines = [line.as_str(); 50].join(end);
            assert!(is_unwieldy(LARGEST, &text(&lines, 100, None, 1_200_000)), "{end:?}");
        }
    }
}
