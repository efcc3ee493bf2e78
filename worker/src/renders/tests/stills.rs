//! Canvases rendered: every layer where it was planned, letters of each direction, shadows, turned and round ones, and
//! the same bytes for the same plan.

use super::Darkroom;
use crate::readers::ReadError;
use crate::readers::tests::an_hour;
use crate::renders::{ItemMedia, draw};
use domain::canvas::{Align, GradientShape, Rgba};
use domain::ids::{ItemId, WorkspaceId};
use domain::still::{Still, StillFormat, StillLayer, StillPicture, StillShadow, StillText};
use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;

const RED: Rgba = [255, 0, 0, 255];
const BLUE: Rgba = [0, 0, 255, 255];
const WHITE: Rgba = [255; 4];

/// A picture of 100 × 100 pixels on white.
fn still(format: StillFormat, layers: Vec<StillLayer>) -> Still {
    let (canvas, workspace) = ([100, 100], WorkspaceId::mint());
    Still { workspace, format, canvas, size: canvas, background: Some(WHITE), layers }
}

fn layer(picture: StillPicture, place: [i32; 4]) -> StillLayer {
    let place = place.map(|pixels| pixels * 1_000);
    StillLayer { picture, place, rotation: 0, opacity: 1_000_000, radius: 0, shadow: None }
}

fn text(text: &str, size: i32) -> StillText {
    StillText {
        text: text.to_owned(),
        family: "DejaVu Sans".to_owned(),
        size: size * 1_000,
        weight: 400,
        color: [0, 0, 0, 255],
        align: None,
        max_width: None,
        line_height: 1_200_000,
    }
}

impl Darkroom {
    /// Draws a picture of these media. Returns what is in the file.
    async fn still(&self, still: &Still, media: &[(ItemId, PathBuf)]) -> Result<Vec<u8>, ReadError> {
        let (ctx, mut sources) = (an_hour(), HashMap::new());
        for (item, path) in media {
            let media = self.studio.open(path, &ctx).await?;
            sources.insert(*item, ItemMedia { media, duration_ms: 0 });
        }
        let layers = self.renderer.decode(&sources, still, &ctx).await?;
        let rendered = draw(&self.studio.tools(), still, layers, 1 << 30, &ctx).await?;
        let letters: usize = still.texts().map(|text| text.text.chars().count()).sum();
        assert_eq!(rendered.duration_ms, 1_000 + 1_000 * i64::try_from(letters / 2_000).unwrap());
        assert!(rendered.media.picture.as_ref().is_some_and(|cover| cover.starts_with(b"\xff\xd8")), "a cover");
        let facts = self.save(rendered, "still");
        let [width, height] = still.size.map(|side| i32::try_from(side).unwrap());
        assert_eq!(facts.width.zip(facts.height), Some((width, height)));
        assert_eq!(fs::read_dir(self.scratch.path()).unwrap().count(), 0, "something was left behind");
        Ok(fs::read(self.studio.path("still")).unwrap())
    }

    /// The pixels of the picture that was drawn last.
    fn pixels(&self) -> Pixels {
        let arguments = ["-v", "error", "-y", "-i", "still", "-pix_fmt", "rgba", "-f", "rawvideo", "pixels"];
        self.studio.run("ffmpeg", &arguments);
        Pixels(fs::read(self.studio.path("pixels")).unwrap())
    }
}

/// Pixels of a picture that is 100 wide.
struct Pixels(Vec<u8>);

impl Pixels {
    fn at(&self, x: usize, y: usize) -> Rgba {
        let at = (y * 100 + x) * 4;
        self.0[at..at + 4].try_into().unwrap()
    }

    /// How dark each column is, as the number of dark pixels in it.
    fn dark(&self) -> Vec<usize> {
        let is_dark = |x: usize, y: usize| self.at(x, y)[0] < 128;
        (0..100).map(|x| (0..100).filter(|y| is_dark(x, *y)).count()).collect()
    }

    /// The first and the last column that has something dark in it.
    fn span(&self) -> (usize, usize) {
        let dark = self.dark();
        let first = dark.iter().position(|count| *count > 0).unwrap_or(0);
        (first, dark.iter().rposition(|count| *count > 0).unwrap_or(0))
    }
}

fn is_near(found: Rgba, wanted: Rgba, by: u8) -> bool {
    found.iter().zip(wanted).all(|(found, wanted)| found.abs_diff(wanted) <= by)
}

#[tokio::test]
async fn layers_stand_where_they_were_planned_and_hide_as_much_as_they_should() {
    let room = Darkroom::new();
    let (image, film) = (ItemId::mint(), ItemId::mint());
    let picture = room.studio.make("image.png", "color=lime:s=64x32:d=1", &["-frames:v", "1"]);
    let moving = "color=black:s=64x64:r=10:d=3,drawbox=c=red:t=fill:enable='gte(t,1.45)'";
    let moving = room.studio.make("film.mp4", moving, &["-c:v", "libx264", "-qp", "0", "-pix_fmt", "yuv444p"]);
    let of = |item, at_us, cover| StillPicture::Image { item, at_us, cover };
    let mut half = layer(StillPicture::Rect { color: BLUE }, [60, 0, 40, 20]);
    half.opacity = 500_000;
    let mut turned = layer(StillPicture::Rect { color: RED }, [60, 60, 40, 10]);
    turned.rotation = 90_000;
    let mut round = layer(StillPicture::Rect { color: BLUE }, [0, 60, 40, 40]);
    round.radius = 20_000;
    let plan = still(
        StillFormat::Png,
        vec![
            layer(of(image, None, false), [0, 0, 40, 40]),
            layer(of(film, Some(2_000_000), true), [40, 0, 20, 20]),
            half,
            turned,
            round,
            layer(StillPicture::Ellipse { color: RED }, [40, 25, 20, 20]),
        ],
    );
    room.still(&plan, &[(image, picture), (film, moving)]).await.unwrap();
    let pixels = room.pixels();
    // All of the image, in the middle of its place, on what is behind it.
    assert!(is_near(pixels.at(20, 20), [0, 255, 0, 255], 3), "{:?}", pixels.at(20, 20));
    assert_eq!((pixels.at(20, 5), pixels.at(20, 35)), (WHITE, WHITE));
    assert!(is_near(pixels.at(50, 10), [254, 0, 0, 255], 4), "a frame of its moment: {:?}", pixels.at(50, 10));
    assert!(is_near(pixels.at(80, 10), [127, 127, 255, 255], 2), "{:?}", pixels.at(80, 10));
    assert_eq!((pixels.at(80, 50), pixels.at(62, 65)), (RED, WHITE), "turned about its middle");
    assert_eq!((pixels.at(20, 80), pixels.at(1, 61), pixels.at(38, 98)), (BLUE, WHITE, WHITE), "round");
    assert_eq!((pixels.at(50, 35), pixels.at(41, 26)), (RED, WHITE), "an ellipse");
}

#[tokio::test]
async fn shadows_fall_where_they_should_and_gradients_go_their_way() {
    let room = Darkroom::new();
    let mut over = layer(StillPicture::Rect { color: RED }, [10, 10, 20, 20]);
    over.shadow = Some(StillShadow { color: [0, 0, 0, 255], offset: [30_000, 0], blur: 0 });
    let mut soft = over.clone();
    soft.place = [10_000, 60_000, 20_000, 20_000];
    soft.shadow = Some(StillShadow { color: [0, 0, 0, 255], offset: [30_000, 0], blur: 12_000 });
    let gradient = |angle, shape| StillPicture::Gradient { colors: vec![RED, BLUE], shape, angle };
    let down = layer(gradient(90_000, GradientShape::Linear), [80, 0, 10, 100]);
    room.still(&still(StillFormat::Png, vec![over, soft, down]), &[]).await.unwrap();
    let pixels = room.pixels();
    assert_eq!((pixels.at(20, 20), pixels.at(50, 20), pixels.at(65, 20)), (RED, [0, 0, 0, 255], WHITE));
    let edge: Vec<u8> = (50..75).map(|x| pixels.at(x, 70)[0]).collect();
    assert!(edge[0] < 90 && (60..200).contains(&edge[10]) && edge[24] > 250, "{edge:?}");
    assert!(edge.windows(2).all(|pair| pair[0] <= pair[1]), "{edge:?}");
    let (top, bottom) = (pixels.at(85, 1), pixels.at(85, 98));
    assert!(is_near(top, RED, 6) && is_near(bottom, BLUE, 6), "{top:?} {bottom:?}");
}

#[tokio::test]
async fn texts_begin_where_their_script_does_break_in_their_room_and_turn_with_it() {
    let room = Darkroom::new();
    let drawn = async |text: StillText, place: [i32; 4]| {
        room.still(&still(StillFormat::Png, vec![layer(StillPicture::Text(text), place)]), &[]).await.unwrap();
        room.pixels()
    };
    let in_room = |of: &str, align| StillText { align, max_width: Some(80_000), ..text(of, 10) };
    let (left, right) = drawn(in_room("river", None), [10, 10, 0, 0]).await.span();
    assert!((9..=13).contains(&left) && right < 50, "{left} {right}");
    let (left, right) = drawn(in_room("גשר", None), [10, 10, 0, 0]).await.span();
    assert!(left > 50 && (86..=90).contains(&right), "{left} {right}");
    let (left, right) = drawn(in_room("river", Some(Align::Center)), [10, 10, 0, 0]).await.span();
    assert!((98..=102).contains(&(left + right)), "{left} {right}");

    // A line that is broken is on two.
    let long = drawn(in_room("the river goes under the bridge", None), [10, 10, 0, 0]).await;
    let rows: Vec<usize> = (0..100).filter(|y| (0..100).any(|x| long.at(x, *y)[0] < 128)).collect();
    assert!(long.span().1 <= 90 && rows.iter().max() > Some(&40), "{rows:?}");
    let one = drawn(in_room(&"W".repeat(20), None), [10, 10, 0, 0]).await;
    assert!(one.span().1 <= 90, "a word that is too wide is broken between letters: {:?}", one.span());

    // An exclamation mark of a line that begins on the right stands on its left.
    let large = |of: &str| StillText { align: Some(Align::Left), ..text(of, 24) };
    for (of, is_first) in [("אא!", true), ("aa!", false)] {
        let dark = drawn(large(of), [5, 10, 0, 0]).await.dark();
        let widths: Vec<usize> =
            dark.split(|count| *count == 0).map(<[usize]>::len).filter(|width| *width > 0).collect();
        let (first, last) = (widths[0], widths[widths.len() - 1]);
        assert_eq!(first < last, is_first, "the mark is the narrowest: {widths:?}");
    }

    let wide = StillText { weight: 700, ..text("HHHH", 20) };
    let bold = drawn(wide.clone(), [5, 5, 0, 0]).await.dark().iter().sum::<usize>();
    let thin = drawn(StillText { weight: 400, ..wide }, [5, 5, 0, 0]).await.dark().iter().sum::<usize>();
    assert!(bold * 10 > thin * 12, "{bold} {thin}");
}

#[tokio::test]
async fn a_plan_comes_out_as_the_same_bytes_in_every_format_and_an_svg_refers_to_nothing() {
    let room = Darkroom::new();
    let item = ItemId::mint();
    let picture = room.studio.make("image.png", "testsrc=s=64x48:d=1", &["-frames:v", "1"]);
    let mut shown = layer(StillPicture::Image { item, at_us: None, cover: true }, [10, 10, 50, 50]);
    (shown.radius, shown.rotation) = (8_000, 12_345);
    shown.shadow = Some(StillShadow { color: [0, 0, 0, 128], offset: [3_000, 3_000], blur: 6_000 });
    let letters = StillText { max_width: Some(90_000), ..text("Grüße & <נהר> \"نهر\" 河", 12) };
    for (format, magic) in [
        (StillFormat::Png, &b"\x89PNG"[..]),
        (StillFormat::Jpeg, b"\xff\xd8\xff"),
        (StillFormat::Webp, b"RIFF"),
        (StillFormat::Svg, b"<svg"),
    ] {
        let layers = vec![shown.clone(), layer(StillPicture::Text(letters.clone()), [5, 60, 0, 0])];
        let plan = still(format, layers);
        let first = room.still(&plan, &[(item, picture.clone())]).await.unwrap();
        let again = room.still(&plan, &[(item, picture.clone())]).await.unwrap();
        assert!(first.starts_with(magic), "{format:?}");
        assert!(first == again, "{format:?}: {} and {} bytes", first.len(), again.len());
        if format == StillFormat::Svg {
            let svg = String::from_utf8(first).unwrap();
            assert!(svg.contains("data:image/png;base64,") && svg.contains("<path"), "{}", &svg[..400]);
            assert!(!svg.contains("<text") && !svg.contains("font-family"), "letters are shapes");
            let mut referred = svg.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap_or_default());
            assert!(referred.all(|to| to.starts_with("data:image/png;base64,") || to.starts_with('#')));
            assert!(!svg.replace("http://www.w3.org/", "").contains("://"), "no address");
        }
    }
}

#[tokio::test]
async fn letters_of_every_kind_and_enormous_numbers_are_drawn_or_left_out() {
    let room = Darkroom::new();
    let all: String = ('\u{0}'..='\u{10ffff}').step_by(611).filter(|letter| *letter != '\r').take(1_800).collect();
    let marks = format!("a{}", "\u{301}\u{489}".repeat(400));
    let odd = "\u{202e}\u{2066}\u{feff}\u{fffe}]]><script>&#0;&lt;\u{200d}\u{e0041}";
    let mut layers = Vec::new();
    for of in [all.as_str(), &marks, odd, "\n\n\n", "{x}"] {
        for max_width in [None, Some(1), Some(60_000)] {
            layers.push(layer(StillPicture::Text(StillText { max_width, ..text(of, 9) }), [0, 0, 0, 0]));
        }
    }
    let mut huge = layer(StillPicture::Rect { color: RED }, [-16_384, -16_384, 16_384, 16_384]);
    (huge.rotation, huge.radius) = (45_000, 16_384_000);
    huge.shadow = Some(StillShadow { color: RED, offset: [500_000, -500_000], blur: 500_000 });
    let far = StillLayer { place: [16_384_000, 0, 1, 1], ..huge.clone() };
    layers.extend([huge, far, layer(StillPicture::Text(text("W", 2_000)), [-1_000, -1_000, 0, 0])]);
    let colors = vec![RED; 8];
    let gradient = StillPicture::Gradient { colors, shape: GradientShape::Radial, angle: -360_000 };
    layers.push(StillLayer { place: [0, 0, 1, 16_384_000], ..layer(gradient, [0, 0, 0, 0]) });
    for format in [StillFormat::Png, StillFormat::Svg] {
        room.still(&still(format, layers.clone()), &[]).await.unwrap();
    }
}

#[tokio::test]
async fn an_item_that_is_gone_or_shows_nothing_is_an_error_and_no_picture() {
    let room = Darkroom::new();
    let item = ItemId::mint();
    let of = layer(StillPicture::Image { item, at_us: None, cover: false }, [0, 0, 50, 50]);
    let plan = still(StillFormat::Png, vec![of]);
    assert!(matches!(room.still(&plan, &[]).await, Err(ReadError::Missing)));
    let sound = room.studio.make("sound.wav", "sine=d=1", &[]);
    assert!(matches!(room.still(&plan, &[(item, sound)]).await, Err(ReadError::Corrupt(_))));
}

#[tokio::test]
async fn a_plan_of_earlier_with_a_layer_that_takes_too_much_memory_is_refused_before_it_is_drawn() {
    let room = Darkroom::new();
    let mut huge = layer(StillPicture::Rect { color: RED }, [0, 0, 16_384, 16_384]);
    huge.opacity = 500_000;
    let plan = Still { canvas: [512, 256], size: [4_096, 2_048], ..still(StillFormat::Png, vec![huge]) };
    assert!(matches!(room.still(&plan, &[]).await, Err(ReadError::Unsupported(_))));
}
