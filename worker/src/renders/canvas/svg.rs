//! Describes a picture as SVG: its pixels are drawn from it, and it is the result where shapes are wanted.
//!
//! It consists of whole numbers and colours of a plan that was checked, and of escaped letters; it names no file, no
//! address and no font of the reader's. Lengths are pixels of the canvas.

use super::ink::{LayerPicture, PackedPicture, escaped_line, font, number_of};
use super::words;
use domain::canvas::{Align, GradientShape, Rgba};
use domain::still::{Still, StillLayer, StillPicture, StillShadow, StillText};
use std::fmt::Write;

/// How far letters of these fonts reach above the baseline, as a multiple of the font size.
const ASCENT: f64 = 0.928;
/// The distance from their highest to their lowest point, as a multiple of the font size.
const EXTENT: f64 = 1.164;
/// The size of a blur as a multiple of its standard deviation, as in CSS.
const DEVIATIONS: f64 = 2.0;

/// A point of the canvas.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Point {
    x: f64,
    y: f64,
}

/// A rectangle of the canvas: left side, upper side, width, height.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Bounds {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

impl Bounds {
    fn corner(self) -> Point {
        Point { x: self.x, y: self.y }
    }

    fn middle(self) -> Point {
        Point { x: self.x + self.width / 2.0, y: self.y + self.height / 2.0 }
    }

    /// Returns it as SVG attributes.
    fn attributes(self) -> String {
        let [x, y, width, height] = [self.x, self.y, self.width, self.height].map(number_of);
        format!("x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"")
    }
}

/// Returns a document with these layers.
pub(super) fn document(still: &Still, layers: &[LayerPicture]) -> String {
    let [width, height] = still.canvas;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\">"
    );
    for LayerPicture { number, picture } in layers {
        if let Some(layer) = still.layers.get(*number) {
            svg.push_str(&drawn(still, layer, *number, picture.as_ref()).unwrap_or_default());
        }
    }
    svg.push_str("</svg>");
    svg
}

/// Returns a rectangle over all of the canvas, in its colour.
pub(super) fn background(still: &Still) -> String {
    let [width, height] = still.canvas;
    let fill = still.background.map(fill).unwrap_or_default();
    if fill.is_empty() { fill } else { format!("<rect width=\"{width}\" height=\"{height}\" {fill}/>") }
}

/// A layer's content, before it is turned, and its rectangle.
struct Element {
    svg: String,
    bounds: Bounds,
}

/// Returns one layer; none if it is invisible.
fn drawn(still: &Still, layer: &StillLayer, number: usize, picture: Option<&PackedPicture>) -> Option<String> {
    let [x, y, width, height] = layer.place.map(thousandths);
    let room = Bounds { x, y, width, height };
    let Element { svg: content, bounds } = match &layer.picture {
        StillPicture::Image { cover, .. } => image(layer, room, *cover, number, picture?),
        StillPicture::Text(text) => text_lines(text, room.corner()),
        StillPicture::Rect { color } => {
            let (radius, fill) = (thousandths_text(layer.radius), fill(*color));
            Element { svg: format!("<rect {} rx=\"{radius}\" {fill}/>", room.attributes()), bounds: room }
        }
        StillPicture::Ellipse { color } => {
            let (middle, rx, ry) = (room.middle(), number_of(width / 2.0), number_of(height / 2.0));
            let (cx, cy) = (number_of(middle.x), number_of(middle.y));
            let svg = format!("<ellipse cx=\"{cx}\" cy=\"{cy}\" rx=\"{rx}\" ry=\"{ry}\" {}/>", fill(*color));
            Element { svg, bounds: room }
        }
        StillPicture::Gradient { colors, shape, angle } => {
            let id = format!("g{number}");
            let defined = gradient(&id, colors, *shape, thousandths(*angle), room);
            let radius = thousandths_text(layer.radius);
            let svg = format!("{defined}<rect {} rx=\"{radius}\" fill=\"url(#{id})\"/>", room.attributes());
            Element { svg, bounds: room }
        }
    };
    let mut svg = String::new();
    let middle = bounds.middle();
    let turned = if layer.rotation == 0 {
        content
    } else {
        let (cx, cy) = (number_of(middle.x), number_of(middle.y));
        format!("<g transform=\"rotate({} {cx} {cy})\">{content}</g>", thousandths_text(layer.rotation))
    };
    let opacity = f64::from(layer.opacity) / 1e6;
    match layer.shadow {
        None => {
            let _ = write!(svg, "<g opacity=\"{}\">{turned}</g>", number_of(opacity));
        }
        Some(shadow) => {
            let id = format!("s{number}");
            // Letters may reach beyond their lines when line height is small.
            let around = if let StillPicture::Text(text) = &layer.picture { thousandths(text.size) } else { 0.0 };
            svg.push_str(&shadow_filter(&id, shadow, region(still, layer, bounds, shadow, around)?));
            let _ = write!(svg, "<g opacity=\"{}\" filter=\"url(#{id})\">{turned}</g>", number_of(opacity));
        }
    }
    Some(svg)
}

/// Returns a picture in its rectangle, with rounded corners.
fn image(layer: &StillLayer, room: Bounds, cover: bool, number: usize, picture: &PackedPicture) -> Element {
    let bounds = if cover {
        room
    } else {
        let (across, down) = (f64::from(picture.width), f64::from(picture.height));
        let scale = (room.width / across).min(room.height / down);
        let (width, height, middle) = (across * scale, down * scale, room.middle());
        Bounds { x: middle.x - width / 2.0, y: middle.y - height / 2.0, width, height }
    };
    let svg = format!("<image {} preserveAspectRatio=\"none\" href=\"{number}\"/>", bounds.attributes());
    if layer.radius == 0 {
        return Element { svg, bounds };
    }
    let radius = thousandths_text(layer.radius);
    let clip = format!("<clipPath id=\"c{number}\"><rect {} rx=\"{radius}\"/></clipPath>", bounds.attributes());
    Element { svg: format!("{clip}<g clip-path=\"url(#c{number})\">{svg}</g>"), bounds }
}

/// Returns a text's lines, from this corner down.
fn text_lines(text: &StillText, corner: Point) -> Element {
    let (words::Lines { lines, widest }, Point { x, y }) = (words::lines(text), corner);
    let (size, step) = (thousandths(text.size), thousandths(text.size) * f64::from(text.line_height) / 1e6);
    let width = text.max_width.map_or(widest, thousandths);
    let first = y + (step - EXTENT * size) / 2.0 + ASCENT * size;
    let mut svg = format!("<g {} {}>", font(text, size), fill(text.color));
    let mut baseline = first;
    for line in &lines {
        let (anchor, at) = match text.align.unwrap_or(if line.is_rtl { Align::Right } else { Align::Left }) {
            Align::Left => ("start", x),
            Align::Center => ("middle", x + width / 2.0),
            Align::Right => ("end", x + width),
        };
        let (at, down) = (number_of(at), number_of(baseline));
        let _ = write!(
            svg,
            "<text text-anchor=\"{anchor}\" x=\"{at}\" y=\"{down}\">{}</text>",
            escaped_line(&line.text, line.is_rtl)
        );
        baseline += step;
    }
    svg.push_str("</g>");
    let count = u32::try_from(lines.len()).unwrap_or(u32::MAX);
    Element { svg, bounds: Bounds { x, y, width, height: step * f64::from(count) } }
}

/// Returns a gradient between these colours.
fn gradient(id: &str, colors: &[Rgba], shape: GradientShape, angle: f64, bounds: Bounds) -> String {
    let stops = stops(colors);
    let Point { x: cx, y: cy } = bounds.middle();
    match shape {
        GradientShape::Linear => {
            let (sin, cos) = angle.to_radians().sin_cos();
            // The first and the last colour are at corners, as in CSS.
            let half = f64::midpoint((bounds.width * cos).abs(), (bounds.height * sin).abs());
            let [x1, y1, x2, y2] = [cx - cos * half, cy - sin * half, cx + cos * half, cy + sin * half].map(number_of);
            format!(
                "<linearGradient id=\"{id}\" gradientUnits=\"userSpaceOnUse\" x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" \
                 y2=\"{y2}\">{stops}</linearGradient>"
            )
        }
        GradientShape::Radial => {
            let radius = number_of(bounds.width.hypot(bounds.height) / 2.0);
            let (cx, cy) = (number_of(cx), number_of(cy));
            format!(
                "<radialGradient id=\"{id}\" gradientUnits=\"userSpaceOnUse\" cx=\"{cx}\" cy=\"{cy}\" \
                 r=\"{radius}\">{stops}</radialGradient>"
            )
        }
    }
}

/// Colours as far from one another as each is from the next.
fn stops(colors: &[Rgba]) -> String {
    let last = f64::from(u32::try_from(colors.len().saturating_sub(1)).unwrap_or(1).max(1));
    let mut stops = String::new();
    for (number, color) in (0_u32..).zip(colors) {
        let [red, green, blue, alpha] = color;
        let (offset, alpha) = (number_of(f64::from(number) / last), number_of(f64::from(*alpha) / 255.0));
        let _ = write!(
            stops,
            "<stop offset=\"{offset}\" stop-color=\"#{red:02x}{green:02x}{blue:02x}\" stop-opacity=\"{alpha}\"/>"
        );
    }
    stops
}

fn shadow_filter(id: &str, shadow: StillShadow, region: Bounds) -> String {
    let [dx, dy] = shadow.offset.map(thousandths_text);
    let deviation = number_of(thousandths(shadow.blur) / DEVIATIONS);
    let [red, green, blue, alpha] = shadow.color;
    let alpha = number_of(f64::from(alpha) / 255.0);
    format!(
        "<filter id=\"{id}\" filterUnits=\"userSpaceOnUse\" color-interpolation-filters=\"sRGB\" {}>\
         <feDropShadow dx=\"{dx}\" dy=\"{dy}\" stdDeviation=\"{deviation}\" \
         flood-color=\"#{red:02x}{green:02x}{blue:02x}\" flood-opacity=\"{alpha}\"/></filter>",
        region.attributes()
    )
}

/// Returns the part of the canvas and its margin in which a layer and its shadow can be seen, however a turned layer is
/// turned about its middle; none where neither can be seen. Several surfaces of this size are made for it, whose memory
/// `domain::still` bounds.
fn region(still: &Still, layer: &StillLayer, bounds: Bounds, shadow: StillShadow, around: f64) -> Option<Bounds> {
    let (reach, middle) = (thousandths(shadow.reach()), bounds.middle());
    let extent =
        if layer.rotation == 0 { [bounds.width, bounds.height] } else { [bounds.width.hypot(bounds.height); 2] };
    let [half_across, half_down] = extent.map(|extent| extent / 2.0 + around + reach);
    let [across, down] = still.canvas.map(f64::from);
    let (left, right) = ((middle.x - half_across).max(-reach), (middle.x + half_across).min(across + reach));
    let (top, bottom) = ((middle.y - half_down).max(-reach), (middle.y + half_down).min(down + reach));
    let is_seen = right > left && bottom > top;
    is_seen.then_some(Bounds { x: left, y: top, width: right - left, height: bottom - top })
}

fn fill([red, green, blue, alpha]: Rgba) -> String {
    format!("fill=\"#{red:02x}{green:02x}{blue:02x}\" fill-opacity=\"{}\"", number_of(f64::from(alpha) / 255.0))
}

fn thousandths(number: i32) -> f64 {
    f64::from(number) / 1e3
}

fn thousandths_text(number: i32) -> String {
    number_of(thousandths(number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ids::WorkspaceId;
    use domain::still::StillFormat;

    #[test]
    fn a_shadow_is_made_where_it_can_be_seen_and_more_of_it_only_if_its_layer_is_turned() {
        let shadow = Some(StillShadow { color: [0, 0, 0, 255], offset: [8_000; 2], blur: 24_000 });
        let (picture, place) = (StillPicture::Rect { color: [0, 0, 0, 255] }, [100_000, 100_000, 800_000, 300_000]);
        let layer = StillLayer { picture, place, rotation: 0, opacity: 1_000_000, radius: 0, shadow };
        let region = |rotation| {
            let (workspace, format, canvas) = (WorkspaceId::mint(), StillFormat::Png, [1_024, 512]);
            let layers = vec![StillLayer { rotation, ..layer.clone() }];
            let still = Still { workspace, format, canvas, size: canvas, background: None, layers };
            document(&still, &[LayerPicture { number: 0, picture: None }])
        };
        let of = |bounds: [i32; 4]| {
            let [x, y, width, height] = bounds.map(f64::from);
            Bounds { x, y, width, height }.attributes()
        };
        assert!(region(0).contains(&of([55, 55, 890, 390])), "{}", region(0));
        assert!(region(90_000).contains("y=\"-45.0000\" width"), "{}", region(90_000));
    }
}
