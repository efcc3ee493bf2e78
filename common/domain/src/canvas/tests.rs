//! What can be done to a canvas, what can't, and what plan comes of it.

use super::*;
use crate::brand_kit::{Color, Font, Logo};
use crate::decoding::Material;
use crate::document::{OpList, edited};
use crate::ids::WorkspaceId;
use crate::item::ItemType;
use crate::media_time::FrameRate;
use crate::media_use::{Media, Unfit};
use crate::pixels::Pictures;
use crate::render::RenderPlan;
use crate::still::{Still, StillFormat, StillLayer, StillPicture, StillShadow, StillText};
use crate::timeline::SourceFacts;
use serde_json::{Value, json};

/// A workspace with an image, a film and a sound, whose brand kit has one of each.
struct Studio {
    image: ItemId,
    film: ItemId,
    sound: ItemId,
    sources: Sources,
    kit: BrandKit,
    workspace: WorkspaceId,
}

impl Studio {
    fn new() -> Self {
        let [image, film, sound] = [ItemId::mint(), ItemId::mint(), ItemId::mint()];
        let facts = |kind, duration, has_audio, has_video| {
            let media = Media { kind, has_audio, has_video, is_svg: false };
            SourceFacts { media, duration, seekable: false, pictures: Pictures::default() }
        };
        let sources = Sources::from([
            (image, facts(ItemType::Image, None, false, false)),
            (film, facts(ItemType::Video, Some(Micros::ms(9_000)), true, true)),
            (sound, facts(ItemType::Audio, Some(Micros::ms(9_000)), true, false)),
        ]);
        let kit = BrandKit {
            colors: vec![Color { name: "Deep Ink".to_owned(), hex: "#102030".to_owned() }],
            fonts: vec![Font { name: "Headlines".to_owned(), family: "DejaVu Serif".to_owned() }],
            logos: vec![Logo { name: "Mark".to_owned(), item: image }],
            ..BrandKit::default()
        };
        Self { image, film, sound, sources, kit, workspace: WorkspaceId::mint() }
    }

    fn known<'a>(&'a self, kit: &'a KitNames<'a>) -> Known<'a> {
        Known { sources: &self.sources, kit }
    }

    fn edited(&self, ops: &Value) -> Result<Canvas, String> {
        let canvas = Canvas::new(1_200.0, 630.0, None, &self.kit)?;
        let ops = ops.as_array().cloned().unwrap_or_default();
        let names = KitNames::of(&self.kit);
        edited(&canvas, OpList::Ops, &ops, |canvas: &mut Canvas, op| canvas.apply(op, self.known(&names)))
            .map_err(|why| why.to_string())
    }

    fn still(&self, canvas: &Canvas, values: &[(&str, &str)], scale: i32) -> Result<Still, NotDrawable> {
        let values = values.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let output = StillOutput { workspace: self.workspace, format: StillFormat::Png, scale: Milli(scale) };
        still_of(canvas, self.known(&KitNames::of(&self.kit)), &values, output)
    }
}

#[test]
fn a_picture_of_many_sources_costs_what_decoding_them_is_worth() {
    let image = |item, at_us| StillLayer {
        picture: StillPicture::Image { item, at_us, cover: true },
        place: [0, 0, 10_000, 10_000],
        rotation: 0,
        opacity: 1_000_000,
        radius: 0,
        shadow: None,
    };
    let item = ItemId::mint();
    let still = |layers: Vec<StillLayer>| Still {
        workspace: WorkspaceId::mint(),
        format: StillFormat::Png,
        canvas: [100, 100],
        size: [100, 100],
        background: None,
        layers,
    };
    let hd = Pictures::of(Some(1_920), Some(1_080), FrameRate::new(30, 1));
    let known = |seeks, pictures| move |_| Material { seeks, pictures };
    let late = Some(590_000_000);
    let price = |layers: usize, at_us, seeks, pictures| {
        still((0..layers).map(|_| image(item, at_us)).collect()).priced_ms(known(seeks, pictures))
    };
    assert_eq!(
        [price(0, None, true, hd), price(3, Some(0), true, hd)],
        [1_000; 2],
        "a logo or three cost nothing more"
    );
    let text = |letters: usize| StillText {
        text: "a".repeat(letters),
        family: "DejaVu Sans".to_owned(),
        size: 1_000,
        weight: 400,
        color: [0, 0, 0, 255],
        align: None,
        max_width: None,
        line_height: 1_200_000,
    };
    let written = |layers, letters| {
        let layer = StillLayer { picture: StillPicture::Text(text(letters)), ..image(item, None) };
        still(vec![layer; layers]).priced_ms(known(true, hd))
    };
    assert_eq!([written(1, 1_999), written(20, 2_000)], [1_000, 21_000], "letters are drawn one by one");
    let of_8k = Pictures { pixels: 7_680 * 4_320, rate: None };
    assert_eq!(price(50, None, false, of_8k), 50 * (250 + 88 + 1_050));
    assert_eq!(price(20, late, true, hd), 20 * (250 + 1_666), "from key picture to key picture");
    assert_eq!(price(20, late, false, hd), 20 * (250 + 98_333), "from the start where it can't be begun later");
}

#[test]
fn a_picture_is_soon_drawn_by_its_work_and_memory_and_not_by_its_size() {
    let rect = StillLayer {
        picture: StillPicture::Rect { color: [0, 0, 0, 255] },
        place: [0, 0, 1_280_000, 720_000],
        rotation: 0,
        opacity: 1_000_000,
        radius: 0,
        shadow: None,
    };
    let is_soon = |size: [u32; 2], layer: &StillLayer, layers: usize| {
        let layers = vec![layer.clone(); layers];
        let (workspace, format) = (WorkspaceId::mint(), StillFormat::Png);
        Still { workspace, format, canvas: size, size, background: None, layers }.is_soon_drawn()
    };
    let (hd, uhd, small) = ([1_280, 720], [3_840, 2_160], [64, 64]);
    assert!(is_soon(hd, &rect, 10) && is_soon(uhd, &rect, 10) && !is_soon([3_840, 2_161], &rect, 0));
    let letters = |letters: usize, opacity| StillLayer {
        picture: StillPicture::Text(StillText {
            text: "a".repeat(letters),
            family: "DejaVu Sans".to_owned(),
            size: 40_000,
            weight: 400,
            color: [0, 0, 0, 255],
            align: None,
            max_width: Some(1_000_000),
            line_height: 1_200_000,
        }),
        opacity,
        ..rect.clone()
    };
    assert!(is_soon(hd, &letters(199, 500_000), 3) && !is_soon(small, &letters(1_000, 1_000_000), 2), "many letters");
    let blurred = |blur| {
        let shadow = Some(StillShadow { color: [0, 0, 0, 255], offset: [4_000; 2], blur });
        StillLayer { shadow, ..rect.clone() }
    };
    assert!(is_soon(hd, &blurred(12_000), 8) && is_soon(small, &blurred(12_000), 100));
    assert!(!is_soon([800, 800], &blurred(500_000), 12), "shadows far around it");
    let far = StillLayer { place: [0, 0, 16_384_000, 16_384_000], opacity: 500_000, ..rect.clone() };
    assert!(is_soon(hd, &far, 0) && !is_soon(hd, &far, 1), "what is drawn by itself is larger than the picture");
    let image = StillPicture::Image { item: ItemId::mint(), at_us: None, cover: true };
    let image = StillLayer { picture: image, ..far.clone() };
    assert!(!is_soon(small, &StillLayer { opacity: 1_000_000, ..image }, 1), "the pixels of its source");
}

#[test]
fn a_canvas_comes_back_from_its_json_as_it_was() {
    let studio = Studio::new();
    let ops = json!([
        { "op": "add_layer", "type": "gradient", "colors": ["deep ink", "#ffffff00"], "angle": 90, "radius": 8.5 },
        { "op": "add_layer", "type": "image", "item_id": studio.film, "at": 3.25, "fit": "cover", "x": -10,
          "width": 640, "rotation": -7.5, "opacity": 0.5, "shadow": { "x": 4, "y": 4, "blur": 12 } },
        { "op": "add_layer", "type": "text", "text": "Hi {who}", "family": "Headlines", "max_width": 400, "weight": 700,
          "align": "center", "layer_id": "title" },
        { "op": "add_layer", "type": "ellipse", "color": "#ff0000" },
        { "op": "add_layer", "type": "logo", "logo": "mark", "height": 80 },
        { "op": "update_layer", "layer_id": "title", "position": 0, "size": 72, "max_width": 0,
          "shadow": { "color": "#000000" } },
        { "op": "update_layer", "layer_id": "title", "shadow": { "color": "transparent" } },
        { "op": "move_layer", "layer_id": "layer-1" },
        { "op": "set_canvas", "background": "Deep Ink", "height": 628 },
    ]);
    let canvas = studio.edited(&ops).unwrap();
    let ids: Vec<_> = canvas.layers.iter().map(|layer| layer.id.as_str()).collect();
    assert_eq!(ids, ["title", "layer-2", "layer-3", "layer-4", "layer-1"]);
    let Content::Text(words) = &canvas.layers[0].content else { panic!("{canvas:?}") };
    assert_eq!((words.size, words.max_width, canvas.layers[0].shadow.as_ref()), (Milli(72_000), None, None));
    let json = serde_json::to_string(&canvas).unwrap();
    assert_eq!(serde_json::from_str::<Canvas>(&json).unwrap(), canvas);
    assert_eq!((canvas.items(), canvas.placeholders()), (vec![studio.film], vec!["who"]));
}

#[test]
fn what_a_layer_can_not_be_is_refused_by_its_field() {
    let studio = Studio::new();
    let layer = |kind: &str, fields: Value| {
        let mut op = json!({ "op": "add_layer", "type": kind });
        for (name, value) in fields.as_object().into_iter().flatten() {
            op[name] = value.clone();
        }
        op
    };
    for (op, said) in [
        (json!({ "op": "add_layer", "text": "x" }), "missing field `type`"),
        (layer("text", json!({})), "missing field `text`"),
        (layer("text", json!({ "text": " " })), "`text`: expected 1 to"),
        (layer("text", json!({ "text": "x".repeat(2_001) })), "`text`: expected 1 to"),
        (layer("text", json!({ "text": "x", "family": "Comic Sans" })), "`family`: expected `DejaVu Sans`"),
        (layer("text", json!({ "text": "x", "size": 1e5 })), "`size`: expected 1 to 2000"),
        (layer("text", json!({ "text": "x", "weight": 1_000 })), "`weight`"),
        (layer("text", json!({ "text": "x", "width": 9 })), "`width`: a layer of type `text` has none"),
        (layer("text", json!({ "text": "x", "color": "red;}" })), "`color`: expected a colour"),
        (layer("text", json!({ "text": "x", "color": "#12345é" })), "`color`: expected a colour"),
        (layer("rect", json!({ "angle": 3 })), "`angle`: a layer of type `rect` has none"),
        (layer("ellipse", json!({ "radius": 3 })), "`radius`: a layer of type `ellipse` has none"),
        (layer("rect", json!({ "x": 1e308 })), "`x`: expected -16384 to 16384"),
        (layer("rect", json!({ "rotation": -1e308 })), "`rotation`: expected -360 to 360"),
        (layer("rect", json!({ "shadow": { "x": 1e308 } })), "`shadow.x`, `shadow.y`: expected -500 to 500"),
        (layer("text", json!({ "text": "x", "line_height": 1e308 })), "`line_height`: expected"),
        (layer("image", json!({ "item_id": studio.film, "at": 1e308 })), "`at`: expected a moment before"),
        (layer("rect", json!({ "x": 20_000 })), "`x`: expected -16384 to 16384"),
        (layer("rect", json!({ "width": 0 })), "`width`: expected more than 0"),
        (layer("rect", json!({ "rotation": 361 })), "`rotation`: expected -360 to 360"),
        (layer("rect", json!({ "opacity": 1.5 })), "`opacity`: expected 0 to 1"),
        (layer("rect", json!({ "shadow": { "blur": 501 } })), "`shadow.blur`: expected 0 to 500"),
        (layer("rect", json!({ "shadow": { "spread": 1 } })), "unknown field `spread`"),
        (layer("gradient", json!({ "colors": ["#000000"] })), "`colors`: expected 2 to 8"),
        (layer("gradient", json!({ "colors": ["#000000", "none"] })), "`colors[1]`: expected a colour"),
        (layer("logo", json!({ "logo": "Other" })), "`logo`: expected the name"),
        (layer("image", json!({})), "missing field `ref`"),
        (layer("image", json!({ "item_id": ItemId::mint() })), "`ref`: the item is deleted"),
        (layer("image", json!({ "item_id": studio.sound })), "`ref`: the item has no picture"),
        (layer("image", json!({ "item_id": studio.image, "at": 1 })), "`at`: an image has"),
        (layer("image", json!({ "item_id": studio.film, "at": 9 })), "`at`: expected a moment before"),
        (json!({ "op": "update_layer", "layer_id": "first", "type": "text" }), "`type`: a layer stays"),
        (json!({ "op": "update_layer", "layer_id": "none" }), "has no layer `none`"),
        (json!({ "op": "add_layer", "type": "rect", "layer_id": "first" }), "has a layer `first` already"),
        (json!({ "op": "add_layer", "type": "rect", "layer_id": "a b" }), "`layer_id`: expected 1 to 64"),
        (json!({ "op": "set_canvas", "width": 8_193 }), "`width`, `height`: expected whole numbers"),
        (json!({ "op": "set_canvas", "width": 0.5 }), "`width`, `height`: expected whole numbers"),
    ] {
        let ops = json!([{ "op": "add_layer", "type": "rect", "layer_id": "first" }, op]);
        let refused = studio.edited(&ops).expect_err(&op.to_string());
        assert!(refused.starts_with("`ops[1]`: ") && refused.contains(said), "{op}: {refused}");
    }
    let many = json!(vec![json!({ "op": "add_layer", "type": "rect" }); MOST_LAYERS + 1]);
    assert!(studio.edited(&many).unwrap_err().starts_with("`ops[200]`: a canvas has at most 200 layers"));
}

#[test]
fn a_plan_has_what_the_kit_says_now_and_what_fills_its_placeholders() {
    let mut studio = Studio::new();
    let canvas = studio
        .edited(&json!([
            { "op": "add_layer", "type": "text", "text": "{who}: {{x}}", "color": "deep ink", "family": "headlines" },
            { "op": "add_layer", "type": "logo", "logo": "Mark", "x": 1.5, "width": 100, "height": 50 },
        ]))
        .unwrap();
    let still = studio.still(&canvas, &[("who", "Ada {who}")], 2_000).unwrap();
    let StillPicture::Text(text) = &still.layers[0].picture else { panic!("{still:?}") };
    assert_eq!(
        (text.text.as_str(), text.family.as_str(), text.color),
        ("Ada {who}: {x}", "DejaVu Serif", [16, 32, 48, 255])
    );
    assert_eq!((still.size, still.layers[1].place), ([2_400, 1_260], [1_500, 0, 100_000, 50_000]));
    assert_eq!((still.items(), still.source_size(still.layers[1].place)), (vec![studio.image], [200, 100]));

    studio.kit.colors[0].hex = "#ffffff".to_owned();
    let other = studio.still(&canvas, &[("who", "Ada {who}")], 2_000).unwrap();
    let hash = |still: &Still| RenderPlan::RenderCanvas { still: Box::new(still.clone()) }.hash();
    assert_ne!(hash(&still), hash(&other), "the kit's colour is another");
    let elsewhere = Still { workspace: WorkspaceId::mint(), ..other.clone() };
    assert_ne!(hash(&elsewhere), hash(&other), "a picture of one workspace is none of another's");
    let json = serde_json::to_value(&other).unwrap();
    assert_eq!(serde_json::from_value::<Still>(json).unwrap(), other);
}

#[test]
fn what_can_not_be_drawn_says_why() {
    let mut studio = Studio::new();
    let text =
        studio.edited(&json!([{ "op": "add_layer", "type": "text", "text": "{a}", "color": "Deep Ink" }])).unwrap();
    assert_eq!(studio.still(&text, &[], 1_000), Err(NotDrawable::NoValue("a".to_owned())));
    assert_eq!(studio.still(&text, &[("a", ""), ("b", "")], 1_000), Err(NotDrawable::NoPlaceholder("b".to_owned())));
    let long = "x".repeat(MOST_TEXT_CHARACTERS + 1);
    assert_eq!(studio.still(&text, &[("a", &long)], 1_000), Err(NotDrawable::TooLong("layer-1".to_owned())));
    assert!(matches!(studio.still(&text, &[("a", "")], 8_000), Err(NotDrawable::TooLarge(9_600, 5_040))));
    let wide =
        json!({ "op": "add_layer", "type": "image", "item_id": studio.image, "width": 16_384, "height": 16_384 });
    let wide = studio.edited(&json!([wide])).unwrap();
    assert!(matches!(studio.still(&wide, &[], 1_000), Err(NotDrawable::ManySourcePixels(_))));
    let layer = json!({ "op": "add_layer", "type": "rect", "rotation": 1 });
    let many = studio.edited(&json!(vec![layer; MOST_LAYERS])).unwrap();
    assert!(studio.still(&many, &[], 200).is_ok());
    assert!(matches!(studio.still(&many, &[], 1_000), Err(NotDrawable::ManyPixels(_))));

    let large = json!({ "op": "add_layer", "type": "rect", "width": 16_384, "height": 16_384, "opacity": 0.5 });
    let large = studio.edited(&json!([large])).unwrap();
    assert!(studio.still(&large, &[], 1_000).is_ok());
    assert_eq!(studio.still(&large, &[], 6_500), Err(NotDrawable::Unwieldy("layer-1".to_owned())));

    let logo = json!({ "op": "add_layer", "type": "logo", "logo": "Mark" });
    let logo = studio.edited(&json!([logo])).unwrap();
    assert!(studio.still(&logo, &[], 1_000).is_ok());
    studio.sources.get_mut(&studio.image).unwrap().media.is_svg = true;
    for of_earlier in [&wide, &logo] {
        let refused = studio.still(of_earlier, &[], 10).unwrap_err();
        assert!(matches!(refused, NotDrawable::Unfit { why: Unfit::Svg, .. }), "{refused}");
    }
    studio.sources.remove(&studio.image);
    assert!(matches!(studio.still(&wide, &[], 10), Err(NotDrawable::Gone { .. })));
    studio.kit.colors.clear();
    let refused = studio.still(&text, &[("a", "")], 1_000).unwrap_err();
    assert!(refused.to_string().contains("names the colour `Deep Ink`"), "{refused}");
}

#[test]
fn however_many_placeholders_and_values_there_are_a_plan_takes_as_long_as_they_are() {
    let studio = Studio::new();
    let began = std::time::Instant::now();
    let written = |texts: Vec<String>| {
        let layer = |text: String| json!({ "op": "add_layer", "type": "text", "text": text });
        studio.edited(&texts.into_iter().map(layer).collect()).unwrap()
    };
    // As many names as a canvas holds, each with a value, which is looked for among them.
    let names: Vec<String> = (0..57_000).map(|number| format!("{number:05x}")).collect();
    let braced = |name: &String| format!("{{{name}}}");
    let canvas = written(names.chunks(285).map(|some| some.iter().map(braced).collect()).collect());
    let values: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "")).collect();
    let still = studio.still(&canvas, &values, 1_000).unwrap();
    assert_eq!((canvas.placeholders().len(), still.texts().filter(|text| text.text.is_empty()).count()), (57_000, 200));
    // Braces that nothing closes, and a value of a mebibyte that is named hundreds of times.
    let open = written(vec!["{a".repeat(1_000); MOST_LAYERS]);
    assert_eq!(studio.still(&open, &[], 1_000), Err(NotDrawable::ManyLetters(400_000)));
    let often = written(vec!["{a}".repeat(666)]);
    let long = "x".repeat(1 << 20);
    assert_eq!(studio.still(&often, &[("a", &long)], 1_000), Err(NotDrawable::TooLong("layer-1".to_owned())));
    let took = began.elapsed();
    assert!(took < std::time::Duration::from_secs(10), "no name is looked for among all others: {took:?}");
}
