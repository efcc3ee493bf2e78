//! The values that a canvas's fields may have. A field is checked when it is set, and a refusal names it.

use super::names::KitNames;
use super::{COLORS, FARTHEST, FARTHEST_SHADOW, Milli, SIDES, Shadow};
use crate::brand_kit::FAMILIES;
use crate::color::hex_bytes;
use crate::pixels::whole_side;

/// The name of the invisible colour.
const TRANSPARENT: &str = "transparent";

/// Red, green, blue and opacity, 0 to 255 each.
pub type Rgba = [u8; 4];

/// Returns a side in pixels, of any number that calls send; 0, which `size` refuses, if that is not whole or too large.
pub(super) fn side(given: f64) -> u32 {
    whole_side(given, *SIDES.end())
}

/// Checks a canvas's sides, in pixels.
pub(super) fn size(width: u32, height: u32) -> Result<(), String> {
    if SIDES.contains(&width) && SIDES.contains(&height) {
        return Ok(());
    }
    Err(format!("`width`, `height`: expected whole numbers from {} to {}", SIDES.start(), SIDES.end()))
}

/// Checks a coordinate, which may lie outside the canvas.
pub(super) fn coordinate(field: &str, coordinate: Milli) -> Result<Milli, String> {
    let fits = (-FARTHEST.0..=FARTHEST.0).contains(&coordinate.0);
    if fits {
        Ok(coordinate)
    } else {
        Err(format!("`{field}`: expected {0} to {1}", -FARTHEST.number(), FARTHEST.number()))
    }
}

/// Checks a width or a height.
pub(super) fn extent(field: &str, extent: Milli) -> Result<Milli, String> {
    let fits = (1..=FARTHEST.0).contains(&extent.0);
    if fits { Ok(extent) } else { Err(format!("`{field}`: expected more than 0, and at most {}", FARTHEST.number())) }
}

/// Checks an angle, in degrees.
pub(super) fn angle(field: &str, angle: Milli) -> Result<Milli, String> {
    let fits = (-360_000..=360_000).contains(&angle.0);
    if fits { Ok(angle) } else { Err(format!("`{field}`: expected -360 to 360 degrees")) }
}

/// Returns the colour that is meant by `#rrggbb`, `#rrggbbaa`, `transparent` or a name of the brand kit.
pub(super) fn rgba(color: &str, kit: &KitNames<'_>) -> Option<Rgba> {
    // The kit's value is looked up without the kit, so that it can't be a name again.
    plain(color).or_else(|| plain(kit.color(color)?))
}

fn plain(color: &str) -> Option<Rgba> {
    if color == TRANSPARENT {
        return Some([0; 4]);
    }
    if let Some([red, green, blue]) = hex_bytes(color) {
        return Some([red, green, blue, 255]);
    }
    hex_bytes(color)
}

/// Checks that a colour can be drawn now.
pub(super) fn color(field: &str, color: String, kit: &KitNames<'_>) -> Result<String, String> {
    if rgba(&color, kit).is_some() {
        return Ok(color);
    }
    Err(format!("`{field}`: expected a colour as `#1a2b3c` or `#1a2b3c80`, or the name of one of the brand kit"))
}

/// Checks a colour likewise; `None` for `transparent`.
pub(super) fn some_color(field: &str, given: String, kit: &KitNames<'_>) -> Result<Option<String>, String> {
    let color = color(field, given, kit)?;
    Ok(Some(color).filter(|color| color != TRANSPARENT))
}

/// Checks the colours of a gradient.
pub(super) fn colors(given: Vec<String>, kit: &KitNames<'_>) -> Result<Vec<String>, String> {
    if !COLORS.contains(&given.len()) {
        return Err(format!("`colors`: expected {} to {}", COLORS.start(), COLORS.end()));
    }
    given.into_iter().enumerate().map(|(at, one)| color(&format!("colors[{at}]"), one, kit)).collect()
}

/// Returns the family of this name, or of the brand kit's font of this name.
pub(super) fn family_of<'a>(name: &str, kit: &KitNames<'a>) -> Option<&'a str> {
    FAMILIES.into_iter().find(|family| *family == name).or_else(|| kit.family(name))
}

/// Checks a shadow; `None` if its colour is `transparent`.
pub(super) fn shadow(shadow: &Shadow, kit: &KitNames<'_>) -> Result<Option<Shadow>, String> {
    let most = FARTHEST_SHADOW.0;
    if !(-most..=most).contains(&shadow.x.0) || !(-most..=most).contains(&shadow.y.0) {
        let most = FARTHEST_SHADOW.number();
        return Err(format!("`shadow.x`, `shadow.y`: expected -{most} to {most}"));
    }
    if !(0..=most).contains(&shadow.blur.0) {
        return Err(format!("`shadow.blur`: expected 0 to {}", FARTHEST_SHADOW.number()));
    }
    let color = some_color("shadow.color", shadow.color.clone(), kit)?;
    Ok(color.map(|color| Shadow { color, ..shadow.clone() }))
}
