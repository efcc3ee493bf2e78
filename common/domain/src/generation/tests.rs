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
