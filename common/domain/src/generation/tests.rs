//! The rules of generations, one by one.

use super::*;
use crate::credits::Credits;
use crate::model::{Per, Price};

fn plan(maker: Maker, kind: ModelKind, asked: Asked) -> GenerationPlan {
    let tool = GenerationTool::GenerateAudio;
    GenerationPlan { tool, workspace: WorkspaceId::mint(), maker, kind, source: None, asked }
}

#[test]
fn the_same_words_are_one_plan_in_a_workspace_and_another_seed_is_another() {
    let asked = Asked { prompt: Some("a red kite".to_owned()), ..Asked::default() };
    let one = plan(Maker::Model("painter".to_owned()), ModelKind::Image, asked);
    let mut others = [one.clone(), one.clone(), one.clone()];
    others[0].asked.seed = Some(2);
    others[1].workspace = WorkspaceId::mint();
    others[2].maker = Maker::Model("other".to_owned());
    assert_eq!(one.hash(), one.clone().hash());
    assert!(others.iter().all(|other| other.hash() != one.hash()));
    let json = serde_json::to_value(&one).unwrap();
    assert_eq!(json["asked"], serde_json::json!({ "prompt": "a red kite" }));
    assert_eq!(serde_json::from_value::<GenerationPlan>(json).unwrap(), one);
}

#[test]
fn engines_are_paid_for_in_minutes_and_models_in_credits() {
    let text = Asked { text: Some("x".repeat(100)), ..Asked::default() };
    let engine = plan(Maker::Engine(BuiltIn::Espeak), ModelKind::Speech, text.clone());
    assert_eq!(engine.minutes_for_ms(SourceFacts::default()), Some(15_000));
    let model = plan(Maker::Model("voice".to_owned()), ModelKind::Speech, text);
    assert_eq!(model.minutes_for_ms(SourceFacts::default()), None);
    let amount = model.amount(SourceFacts::default());
    assert_eq!(
        Price { per: Per::ThousandChars, credits: Credits::from_whole(5) }.of(amount),
        Credits::from_hundredths(50)
    );
}

#[test]
fn a_larger_picture_is_counted_by_the_pixels_that_it_will_have() {
    let asked = Asked { factor: Some(4), ..Asked::default() };
    let larger = plan(Maker::Model("big".to_owned()), ModelKind::Upscale, asked);
    let source = SourceFacts { size: Some((100, 50)), ..SourceFacts::default() };
    assert_eq!(larger.amount(source).pixels, 80_000);
}

#[test]
fn what_an_engine_draws_is_worth_its_length_or_its_pixels() {
    let asked = Asked { factor: Some(4), ..Asked::default() };
    let engine = plan(Maker::Engine(BuiltIn::Lanczos), ModelKind::Upscale, asked);
    let film = |size, rate| SourceFacts { size: Some(size), duration_ms: Some(10_000), rate: FrameRate::new(rate, 1) };
    assert_eq!(engine.minutes_for_ms(film((320, 180), 30)), Some(10_000));
    assert_eq!(engine.minutes_for_ms(film((1_024, 540), 60)), Some(56_888));
    let key = plan(Maker::Engine(BuiltIn::ChromaKey), ModelKind::Cutout, Asked::default());
    assert_eq!(key.minutes_for_ms(film((3_840, 2_160), 30)), Some(26_666));
    let image = SourceFacts { size: Some((7_680, 8_000)), ..SourceFacts::default() };
    assert_eq!(key.minutes_for_ms(image), Some(8_000), "a second for each 3840 × 2160");
}

#[test]
fn a_voice_has_sounds_for_its_letters_and_none_for_marks_blanks_and_what_can_not_be_seen() {
    let spoken = |engine, language: Option<&str>, text: &str| {
        let (text, language) = (Some(text.to_owned()), language.map(str::to_owned));
        plan(Maker::Engine(engine), ModelKind::Speech, Asked { text, language, ..Asked::default() })
    };
    for silent in ["  \n", "!!!", "\u{200b}\u{feff}", "…¿?—", "(.)", "\u{301}"] {
        for (engine, language) in [(BuiltIn::Flite, None), (BuiltIn::Espeak, Some("es")), (BuiltIn::Espeak, None)] {
            assert!(!spoken(engine, language, silent).is_speakable(), "{silent:?} by {}", engine.name());
        }
    }
    for (engine, language, text, is_speakable, unspoken) in [
        (BuiltIn::Flite, None, "你好世界", false, "你好世界"),
        (BuiltIn::Flite, None, "Привет, мир и все", false, "Приве"),
        (BuiltIn::Flite, None, "hello 你好, 5 % off!", true, "你好"),
        (BuiltIn::Flite, None, "5", true, ""),
        (BuiltIn::Espeak, Some("es"), "¡Qué día! 5 €", true, ""),
        (BuiltIn::Espeak, Some("ru"), "Привет", true, ""),
        (BuiltIn::Espeak, Some("es-419"), "你好", false, "你好"),
        (BuiltIn::Espeak, Some("cmn"), "你好", true, ""),
        (BuiltIn::Espeak, Some("ja+f3"), "さくら", true, ""),
        (BuiltIn::Espeak, Some("de"), "Guten さくら", true, "さくら"),
        (BuiltIn::Espeak, Some("Mandarin"), "你好", true, ""),
        (BuiltIn::Espeak, Some("es"), "กขค", false, "กขค"),
        (BuiltIn::Espeak, Some("th"), "กขค ๓", true, ""),
        (BuiltIn::Espeak, Some("de"), "ᚠᚢᚦ", false, "ᚠᚢᚦ"),
        (BuiltIn::Espeak, Some("es"), "٣٤٥", false, "٣٤٥"),
        (BuiltIn::Espeak, Some("es-419+f3"), "hola ٣", true, "٣"),
        (BuiltIn::Espeak, Some("ar"), "٣٤٥", true, ""),
        (BuiltIn::Espeak, Some("es"), "नमस्ते 한국 გამარჯობა", true, ""),
    ] {
        let plan = spoken(engine, language, text);
        let found = (plan.is_speakable(), plan.unspoken().into_iter().collect::<String>());
        assert_eq!(found, (is_speakable, unspoken.to_owned()), "{text} by {} {language:?}", engine.name());
    }
    let text = Asked { text: Some("!!!".to_owned()), ..Asked::default() };
    assert!(plan(Maker::Model("voice".to_owned()), ModelKind::Speech, text).is_speakable(), "nobody knows");
    assert!(plan(Maker::Engine(BuiltIn::Lanczos), ModelKind::Upscale, Asked::default()).is_speakable());
}

#[test]
fn an_item_is_called_by_the_words_it_is_made_of_or_by_its_source() {
    let words = Asked { prompt: Some(" a red\n kite ".to_owned() + &"over the sea ".repeat(9)), ..Asked::default() };
    let mut one = plan(Maker::Engine(BuiltIn::Lanczos), ModelKind::Upscale, words);
    assert!(one.name("x").starts_with("a red kite over the sea") && one.name("x").chars().count() <= 60);
    (one.tool, one.asked) = (GenerationTool::UpscaleMedia, Asked { factor: Some(4), ..Asked::default() });
    assert_eq!((one.name("face.png"), one.name("v1.5")), ("face (4×)".to_owned(), "v1.5 (4×)".to_owned()));
    one.tool = GenerationTool::CutOut;
    assert_eq!(one.name("face.png"), "face (cut out)");
}

#[test]
fn an_item_says_who_made_it_and_whether_a_machine_drew_or_spoke_it() {
    let job = JobId::mint();
    let text = Asked { text: Some("hello".to_owned()), ..Asked::default() };
    let made = plan(Maker::Engine(BuiltIn::Flite), ModelKind::Speech, text).made_by(job);
    let shown = serde_json::json!({ "job_id": job, "tool": "generate_audio", "engine": "flite", "source_item_ids": [],
        "synthetic": true, "quality": "draft" });
    assert_eq!(serde_json::to_value(&made).unwrap(), shown);
    let larger = plan(Maker::Model("big".to_owned()), ModelKind::Upscale, Asked::default()).made_by(job);
    assert_eq!((larger.synthetic, larger.quality, larger.model.as_deref()), (false, None, Some("big")));
}

#[test]
fn a_colour_is_six_digits_and_nothing_else() {
    assert_eq!("#00Ff7f".parse::<Color>().map(|color| color.to_string()), Ok("#00ff7f".to_owned()));
    for wrong in ["00ff00", "#00ff0", "#00ff000", "#gg0000", "green", "#00ff0é", "", "#+1+1+1"] {
        assert!(wrong.parse::<Color>().is_err(), "{wrong}");
    }
}
