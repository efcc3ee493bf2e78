//! Which brand kits and caption styles are taken, and what an operation leaves open.

use super::*;

fn color(name: &str, hex: &str) -> Color {
    Color { name: name.to_owned(), hex: hex.to_owned() }
}

#[test]
fn a_kit_is_found_by_its_names_and_drawn_with_what_there_is() {
    let kit = |colors: Vec<Color>| BrandKit { colors, ..BrandKit::default() };
    assert_eq!(kit(vec![color("Ink", "#112233"), color("\u{85cd}", "#00FFaa")]).check(), Ok(()));
    for (wrong, said) in [
        (kit(vec![color("Ink", "#12345")]), "`colors[0].hex`"),
        (kit(vec![color("Ink", "#12345\u{e9}")]), "`colors[0].hex`"),
        (kit(vec![color("Ink", "red;}")]), "`colors[0].hex`"),
        (kit(vec![color(" ", "#112233")]), "`colors[0].name`"),
        (kit(vec![color("Ink", "#112233"), color("ink ", "#112233")]), "`colors[1].name`: another"),
        (kit(vec![color("a", "#112233"); MOST_ENTRIES + 1]), "`colors`: expected at most"),
        (
            BrandKit {
                fonts: vec![Font { name: "Head".to_owned(), family: "Comic Sans".to_owned() }],
                ..BrandKit::default()
            },
            "`fonts[0].family`: expected one of `DejaVu Sans`",
        ),
        (BrandKit { voice: Some("x".repeat(MOST_VOICE_CHARACTERS + 1)), ..BrandKit::default() }, "`voice`"),
        (
            BrandKit {
                caption_style: Some(CaptionStyle { size: Some(0.5), ..CaptionStyle::default() }),
                ..BrandKit::default()
            },
            "`caption_style.size`",
        ),
    ] {
        let found = wrong.check().expect_err("wrong");
        assert!(found.starts_with(said), "{found}");
    }
}

#[test]
fn a_style_says_what_an_operation_leaves_open_and_nothing_else() {
    let own = CaptionStyle { color: Some("#ff0000".to_owned()), ..CaptionStyle::default() };
    let brand = CaptionStyle {
        color: Some("#00ff00".to_owned()),
        background: Some("#101010".to_owned()),
        family: Some(FAMILIES[2].to_owned()),
        position: Some(CaptionPosition::Top),
        ..CaptionStyle::default()
    };
    let style = own.or(brand);
    let filled = |captions: Value| {
        let mut captions = captions.as_object().cloned().unwrap_or_default();
        style.fill(&mut captions);
        Value::Object(captions)
    };
    let look = json!({ "family": "DejaVu Serif", "background": "#101010", "color": "#ff0000" });
    assert_eq!(filled(json!({ "burn": true })), json!({ "burn": true, "position": "top", "style": look }));
    let said = json!({ "position": "middle", "style": { "family": "DejaVu Sans", "color": "#0000ff", "size": 0.1 } });
    assert_eq!(filled(said.clone()), said);
    let bare = filled(json!({ "style": { "background": "" } }));
    assert_eq!((&bare["style"]["background"], &bare["style"]["color"]), (&Value::Null, &json!("#ff0000")));
    let nothing = CaptionStyle::default();
    let mut captions = Map::new();
    nothing.fill(&mut captions);
    assert_eq!(Value::Object(captions), json!({ "style": {} }));
}
