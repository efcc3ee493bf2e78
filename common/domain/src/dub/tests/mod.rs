//! Dubs: languages, voices, segments, their operations and the plan of the job that speaks them.

mod variants;

use super::*;
use crate::document::{OpList, edited};
use proptest::prelude::*;
use serde_json::json;

fn seconds(seconds: f64) -> Micros {
    serde_json::from_value(json!(seconds)).unwrap()
}

fn language(tag: &str) -> Language {
    tag.parse().unwrap()
}

fn word(word: &str, start: f64, end: f64) -> SaidWord {
    SaidWord { word: word.to_owned(), start: seconds(start), end: seconds(end) }
}

fn said_in_a_minute(words: &[SaidWord], turns: &[SaidTurn]) -> Dub {
    let (item, english) = (ItemId::mint(), language("en"));
    said(Recording { item, duration: seconds(60.0), language: &english, words, turns }, &language("es"))
}

fn turn(speaker: &str, start: f64, end: f64) -> SaidTurn {
    SaidTurn { speaker: speaker.to_owned(), start: seconds(start), end: seconds(end) }
}

fn segment(start: f64, end: f64, translation: &str) -> Segment {
    Segment {
        id: String::new(),
        start: seconds(start),
        end: seconds(end),
        speaker: "anna".to_owned(),
        source: None,
        translation: translation.to_owned(),
        voice: "es".to_owned(),
    }
}

fn dub(segments: Vec<Segment>) -> Dub {
    Dub {
        source: ItemId::mint(),
        timeline: None,
        source_language: None,
        target_language: language("es"),
        keep_background: false,
        segments,
    }
}

fn said_of(words: &[SaidWord], turns: &[SaidTurn]) -> Dub {
    let mut dub = said_in_a_minute(words, turns);
    dub.settle(seconds(60.0)).unwrap();
    dub
}

#[test]
fn a_language_has_one_name_here_whatever_it_is_called() {
    for tag in ["es", "spa", "ES", "es-MX"] {
        assert_eq!((language(tag).code(), language(tag).three()), ("es", "spa"), "{tag}");
    }
    assert_eq!(language("eng").pair(&language("es")), "eng-spa");
    assert_eq!((language("jbo").code(), language("jbo").three()), ("jbo", "jbo"));
    for wrong in ["", "e", "spanish", "e5", "es_MX", "-es", "es-", "\u{e9}s", &"es-".repeat(20)] {
        assert!(wrong.parse::<Language>().is_err(), "{wrong}");
    }
}

#[test]
fn each_speaker_has_a_voice_of_a_name_that_is_no_option() {
    let (english, spanish) = (language("en"), language("es"));
    for number in 0..20 {
        for language in [&english, &spanish] {
            assert!(is_voice(&usual_voice(language, number)));
        }
    }
    assert_ne!(usual_voice(&spanish, 0), usual_voice(&spanish, 1));
    assert_eq!((engine_of("slt", &english).name(), engine_of("slt", &spanish).name()), ("flite", "espeak-ng"));
    for wrong in ["", "-w", "../x", "a b", "\u{e9}s", &"x".repeat(33)] {
        assert!(!is_voice(wrong), "{wrong}");
    }
}

#[test]
fn a_pause_another_voice_and_the_end_of_a_sentence_end_a_segment() {
    let words = [
        word("good", 0.0, 0.3),
        word("morning.", 0.4, 0.8),
        word("and", 0.9, 1.1),
        word("now", 1.2, 1.5),
        word("music", 2.3, 2.8),
        word("\u{200b}\u{3164}", 2.8, 2.9),
        word("yes", 2.9, 3.2),
    ];
    let turns = [turn("S1", 0.0, 2.85), turn("S2", 2.85, 3.3)];
    let segments = said_of(&words, &turns).segments;
    let told: Vec<(&str, &str)> =
        segments.iter().map(|one| (one.speaker.as_str(), one.source.as_deref().unwrap())).collect();
    assert_eq!(told, [("S1", "good morning."), ("S1", "and now"), ("S1", "music"), ("S2", "yes")]);
    assert_eq!((segments[0].start, segments[0].end), (seconds(0.0), seconds(0.8)));
    assert_eq!((segments[0].voice.as_str(), segments[3].voice.as_str()), ("es", "es+f3"));
    let ids: Vec<&str> = segments.iter().map(|one| one.id.as_str()).collect();
    assert_eq!(ids, ["segment-1", "segment-2", "segment-3", "segment-4"]);
}

#[test]
fn who_speaks_without_turns_is_one_and_speech_without_a_breath_is_cut_after_a_while() {
    let words: Vec<SaidWord> =
        (0..150_u32).map(|n| word("word", f64::from(n) * 0.3, f64::from(n) * 0.3 + 0.3)).collect();
    let segments = said_of(&words, &[]).segments;
    assert!(segments.len() > 2 && segments.iter().all(|one| one.span() <= seconds(15.4)), "{}", segments.len());
    assert!(segments.iter().all(|one| one.speaker == ONE_SPEAKER));
}

#[test]
fn what_can_not_be_segments_is_refused_in_words() {
    for (segments, words) in [
        (vec![], "expected 1 to 2000 segments"),
        (vec![segment(0.0, 1.0, "x"); 2_001], "expected 1 to 2000 segments"),
        (vec![segment(-1.0, 1.0, "x")], "`start` from 0"),
        (vec![segment(1.0, 1.05, "x")], "at least 0.1 s"),
        (vec![segment(2.0, 1.0, "x")], "at least 0.1 s"),
        (vec![segment(59.0, 61.0, "x")], "at most 60"),
        (vec![segment(0.0, 2.0, "x"), segment(1.9, 3.0, "y")], "begins before the segment before it ends"),
        (vec![segment(0.0, 2.0, &"x".repeat(1_001))], "at most 1000 characters"),
        (vec![Segment { voice: "-w".to_owned(), ..segment(0.0, 2.0, "x") }], "`voice`"),
        (vec![Segment { speaker: "a\nb".to_owned(), ..segment(0.0, 2.0, "x") }], "`speaker`"),
    ] {
        let why = dub(segments).settle(seconds(60.0)).unwrap_err();
        assert!(why.contains(words), "{why}");
    }
}

#[test]
fn operations_change_what_is_spoken_and_nothing_else() {
    let mut before = dub(vec![segment(0.0, 2.0, "uno"), segment(3.0, 4.0, "dos")]);
    before.settle(seconds(60.0)).unwrap();
    let keys =
        |dub: &Dub| -> Vec<String> { dub.segments.iter().map(|segment| segment.key(&dub.target_language)).collect() };
    let after = |ops: Value| {
        edited(&before, OpList::Ops, ops.as_array().unwrap(), |dub: &mut Dub, op| dub.apply(op, seconds(60.0)))
    };
    let said = after(json!([{ "op": "update_segment", "segment_id": "segment-2", "translation": " tres\n" }])).unwrap();
    assert_eq!(said.segments[1].translation, "tres");
    assert_eq!(keys(&said)[0], keys(&before)[0]);
    assert_ne!(keys(&said)[1], keys(&before)[1]);
    let added = json!([{ "op": "add_segment", "start": 2.0, "end": 2.9, "translation": "entre" }]);
    let added = after(added).unwrap();
    assert_eq!((added.segments[1].id.as_str(), added.segments[1].voice.as_str()), ("segment-3", "es"));
    let voiced = after(json!([{ "op": "set_voice", "speaker": "anna", "voice": "es+f3" }])).unwrap();
    assert!(voiced.segments.iter().all(|segment| segment.voice == "es+f3"));
    assert!(keys(&voiced).iter().all(|key| !keys(&before).contains(key)));
    let quiet = after(json!([{ "op": "set_background", "keep": true }])).unwrap();
    assert_eq!((quiet.keep_background, keys(&quiet)), (true, keys(&before)));
    for (wrong, words) in [
        (json!([{ "op": "remove_segment", "segment_id": "x" }]), "no segment `x`"),
        (json!([{ "op": "update_segment", "segment_id": "segment-2", "start": 1.0 }]), "begins before the segment"),
        (json!([{ "op": "set_voice", "speaker": "nobody", "voice": "es" }]), "nobody of the dub"),
        (json!([{ "op": "update_segment", "segment_id": "segment-1", "text": "x" }]), "unknown field `text`"),
        (json!([{ "op": "add_segment", "start": 5, "end": 6, "translation": "x", "to": 1 }]), "unknown field `to`"),
    ] {
        let why = after(wrong).unwrap_err().to_string();
        assert!(why.starts_with("`ops[0]`: ") && why.contains(words), "{why}");
    }
}

#[test]
fn a_plan_is_what_it_makes_and_says_what_it_needs() {
    let mut body = dub(vec![segment(0.0, 2.0, "")]);
    body.source_language = Some(language("en"));
    let plan = DubPlan {
        tool: DubTool::Dub,
        workspace: crate::ids::WorkspaceId::mint(),
        dub: None,
        revision: 1,
        name: "Talk.wav".to_owned(),
        body,
        translates: true,
        translator: None,
        before: None,
        original: None,
    };
    assert_eq!(plan.needs().into_iter().collect::<Vec<_>>(), ["apertium:eng-spa", "espeak-ng"]);
    let offered = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let all = ["espeak-ng", "espeak-ng:en,es", "apertium:eng-spa", "flite"];
    assert_eq!(plan.lack(&offered(&all)), None);
    assert_eq!(plan.lack(&offered(&["espeak-ng", "apertium:eng-spa"])), None, "who names no languages may speak any");
    assert_eq!(plan.lack(&offered(&["flite", "espeak-ng:es"])), Some(Lack::Engine("espeak-ng")));
    let (source, target) = (Some(language("en")), language("es"));
    let back = offered(&["spa-eng"]);
    let lack = plan.lack(&offered(&["espeak-ng", "apertium:spa-eng"]));
    assert_eq!(lack, Some(Lack::Pair { source, target: target.clone(), offered: back }));
    let lack = plan.lack(&offered(&["espeak-ng", "espeak-ng:de", "espeak-ng:en,de", "apertium:eng-spa"]));
    assert_eq!(lack, Some(Lack::Voice { language: "es".to_owned(), offered: offered(&["de", "en"]) }));
    for voice in ["en-us+f3", "Afrikaans", "mb-xx1", "es-419"] {
        assert_eq!(lack_of_voices(std::iter::once(voice), &target, &offered(&all)), None, "{voice}");
    }
    assert_eq!(lack_of_voices(std::iter::once("slt"), &language("en"), &offered(&all)), None, "a voice of flite");
    let nobody = Lack::Voice { language: "qqq".to_owned(), offered: offered(&["en", "es"]) };
    assert_eq!(lack_of_voice("qqq+f3", &offered(&all)), Some(nobody));
    assert_eq!(lack_of_voice("qqq", &offered(&["espeak-ng"])), None, "who names no languages may speak any");
    let named = [&all[..], &["espeak-ng-voices:afrikaans,ido"]].concat();
    for (voice, is_there) in [("Afrikaans+f3", true), ("mb-xx1", true), ("es", true), ("nope", false), ("kal16", false)]
    {
        let lack = (!is_there).then(|| Lack::Name(voice.to_owned()));
        assert_eq!(lack_of_voices(std::iter::once(voice), &target, &offered(&named)), lack, "{voice}");
        assert_eq!(lack_of_voice(voice, &offered(&named)), lack, "{voice}");
    }
    let name = offered_voices(&["Afrikaans".to_owned(), "Ido".to_owned()]);
    assert_eq!((name.as_deref(), offered_voices(&[])), (named.last().copied(), None));
    assert_eq!(lack_of_pair(None, &target, &offered(&all)), None);
    assert!(lack_of_pair(None, &language("en"), &offered(&all)).is_some(), "it is translated from alone");
    assert_eq!((plan.item_name(), plan.voice_name()), ("Talk (es)".to_owned(), "Talk (es) voices".to_owned()));
    let spoken = DubPlan { before: Some(Before { voice: ItemId::mint(), pieces: Vec::new() }), ..plan.clone() };
    assert_eq!(spoken.hash(), plan.hash());
    assert!(!plan.is_silent(), "its text is still to come");
    assert!(DubPlan { translates: false, ..plan.clone() }.is_silent());
    assert_ne!(DubPlan { revision: 2, ..plan.clone() }.hash(), plan.hash());
    assert!(serde_json::to_value(&plan).unwrap().get("translator").is_none(), "plans keep their form");
    let written: DubPlan = serde_json::from_value(serde_json::to_value(&plan).unwrap()).unwrap();
    assert_eq!((written.hash(), written), (plan.hash(), plan));
}

#[test]
fn a_plan_with_a_providers_model_needs_it_in_place_of_a_pair_and_counts_what_it_translates() {
    let mut one = segment(0.0, 2.0, "");
    one.source = Some("the h\u{f6}use".to_owned());
    let mut body = dub(vec![one]);
    body.source_language = Some(language("en"));
    let plan = DubPlan {
        tool: DubTool::Dub,
        workspace: crate::ids::WorkspaceId::mint(),
        dub: None,
        revision: 1,
        name: "Talk.wav".to_owned(),
        body,
        translates: true,
        translator: Some("polyglot".to_owned()),
        before: None,
        original: None,
    };
    assert_eq!(plan.needs().into_iter().collect::<Vec<_>>(), ["espeak-ng", "polyglot"]);
    let offered = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    assert_eq!(plan.lack(&offered(&["espeak-ng", "polyglot"])), None);
    let lack = plan.lack(&offered(&["espeak-ng", "apertium:eng-spa"]));
    assert_eq!(lack, Some(Lack::Model("polyglot".to_owned())), "nothing takes its place");
    let into_itself =
        lack_of_translation(Some("polyglot"), Some(&language("es")), &language("es"), &offered(&["polyglot"]));
    assert!(matches!(into_itself, Some(Lack::Pair { .. })), "{into_itself:?}");
    assert_ne!(DubPlan { translator: None, ..plan.clone() }.hash(), plan.hash());
    let mut translated = plan.clone();
    assert_eq!(translated.body.untranslated(), ["the h\u{f6}use"]);
    translated.body.take_translations(vec!["la casa".to_owned()]);
    assert_eq!(
        (translated.body.untranslated().len(), translated.body.segments[0].translation.as_str()),
        (0, "la casa")
    );
    assert_eq!((plan.translated().chars, translated.translated().chars), (9, 9));
    assert_eq!(translated.needs().into_iter().collect::<Vec<_>>(), ["espeak-ng"], "its model has done its part");
    let written: DubPlan = serde_json::from_value(serde_json::to_value(&plan).unwrap()).unwrap();
    assert_eq!(written, plan);
}

#[test]
fn it_is_worth_its_item_or_the_time_that_its_words_take() {
    let plan = |segments| DubPlan {
        tool: DubTool::RenderDub,
        workspace: crate::ids::WorkspaceId::mint(),
        dub: None,
        revision: 1,
        name: "Talk.wav".to_owned(),
        body: dub(segments),
        translates: false,
        translator: None,
        before: None,
        original: None,
    };
    assert_eq!(plan(vec![segment(0.0, 2.0, "Buenos días.")]).worth_ms(5_000), 5_000);
    let long = "a".repeat(1_000);
    let crowded = (0..20).map(|place| segment(f64::from(place) * 0.1, f64::from(place) * 0.1 + 0.1, &long)).collect();
    assert_eq!(plan(crowded).worth_ms(5_000), 800_000);
    let by_model = |translation: &str| {
        let source = Some("b".repeat(250));
        let body = dub(vec![Segment { source, ..segment(0.0, 2.0, translation) }]);
        DubPlan { translator: Some("polyglot".to_owned()), body, ..plan(Vec::new()) }
    };
    assert_eq!([by_model("").worth_ms(5_000), by_model(&long).worth_ms(5_000)], [10_000; 2]);
    assert_eq!(by_model(&long).longest_ms(5_000), 40_000, "a model that goes on and on is not spoken for longer");
    assert_eq!(by_model("").bytes_beyond(5_000), 30_000 * 96, "what the voices may last beyond what is reckoned");
}

#[test]
fn a_segment_that_its_voice_has_no_sounds_for_is_not_spoken_and_costs_nothing() {
    let plan = |target: &str, voice: &str, texts: &[&str]| {
        let segment = |text: &&str| Segment { voice: voice.to_owned(), ..segment(0.0, 2.0, text) };
        let body = Dub { target_language: language(target), ..dub(texts.iter().map(segment).collect()) };
        DubPlan {
            tool: DubTool::RenderDub,
            workspace: crate::ids::WorkspaceId::mint(),
            dub: None,
            revision: 1,
            name: "Talk.wav".to_owned(),
            body,
            translates: false,
            translator: None,
            before: None,
            original: None,
        }
    };
    for (target, voice, text, is_spoken) in [
        ("es", "es", "你好世界", false),
        ("es", "es+f3", "hola 你好 amigo", true),
        ("es", "es", "¡…! \u{200b}", false),
        ("es", "cmn", "你好世界", true),
        ("zh", "zh+f3", "你好世界", true),
        ("en", "slt", "Привет.", false),
        ("en", "en+f3", "Привет.", true),
        ("es", "slt", "día", true),
        ("es", "es", "", false),
    ] {
        let one = plan(target, voice, &[text]);
        assert_eq!(one.body.segments[0].is_speakable(&one.body.target_language), is_spoken, "{text} by {voice}");
        assert_eq!(one.is_silent(), !is_spoken, "{text} by {voice}");
    }
    let silent = "你好".repeat(250);
    assert!(!plan("es", "es", &["hola", &silent]).is_silent());
    assert_eq!(plan("es", "es", &["hola", &silent]).worth_ms(5_000), 5_000);
    assert_eq!(plan("es", "cmn", &["hola", &silent]).worth_ms(5_000), (4 + 2_000) * 40);
}

#[test]
fn what_is_too_long_by_a_fifth_is_told_and_the_next_waits_for_it() {
    assert_eq!([tempo(1_000, 1_000), tempo(1_100, 1_000), tempo(5_000, 1_000)], [1_000, 1_100, 1_200]);
    assert_eq!([tempo(500, 1_000), tempo(900, 1_000), tempo(0, 1_000)], [850, 900, 850]);
    let spoken = |start, end, len| Spoken { start, end, len };
    let placed = fitted(&[spoken(0, 1_000, 1_500), spoken(1_200, 2_000, 700), spoken(3_000, 4_000, 1_010)], 1_000);
    let told: Vec<(i64, i64)> = placed.iter().map(|one| (one.at, one.overflow_ms)).collect();
    assert_eq!(told, [(0, 500), (1_500, 200), (3_000, 0)]);
}

#[test]
fn a_segment_that_ends_with_its_timeline_ends_with_the_film() {
    let mut body = dub(vec![segment(0.0, 2.0, "uno"), segment(2.0, 10.0, "dos"), segment(10.0, 11.0, "tres")]);
    body.end_with_film(seconds(9.98), seconds(10.0));
    let ends: Vec<Micros> = body.segments.iter().map(|segment| segment.end).collect();
    assert_eq!(ends, [2.0, 9.98, 11.0].map(seconds), "what is beyond the timeline is refused, not moved");
}

#[test]
fn a_dub_of_an_item_is_written_as_before_timelines_were_dubbed() {
    let body = dub(vec![segment(0.0, 2.0, "uno")]);
    assert!(serde_json::to_value(&body).unwrap().get("timeline").is_none(), "plans keep their hashes");
    let of_timeline = Dub { timeline: Some(TimelineId::mint()), ..body.clone() };
    let read: Dub = serde_json::from_value(serde_json::to_value(&of_timeline).unwrap()).unwrap();
    assert_eq!(read, of_timeline);
    assert_ne!(read, body);
}

proptest! {
    #[test]
    fn nothing_that_is_spoken_is_heard_with_another_or_before_its_time(
        lens in prop::collection::vec((0_i64..3_000, 1_i64..2_000, 0_i64..500), 1..40)
    ) {
        let (mut at, mut spoken) = (0, Vec::new());
        for (len, span, gap) in lens {
            spoken.push(Spoken { start: at + gap, end: at + gap + span, len });
            at += gap + span;
        }
        let placed = fitted(&spoken, 1_000);
        let mut free = 0;
        for (one, placed) in spoken.iter().zip(&placed) {
            prop_assert!(placed.at >= one.start && placed.at >= free);
            free = placed.at + one.len;
            prop_assert!(placed.overflow_ms == 0 || placed.overflow_ms == free - one.end);
            prop_assert!(placed.overflow_ms > 0 || one.len == 0 || free - one.end <= 20);
        }
    }

    #[test]
    fn segments_of_any_words_can_be_a_dubs(
        words in prop::collection::vec((0.0_f64..100.0, 0.0_f64..5.0, "\\PC{0,9}"), 0..60),
        turns in prop::collection::vec((0.0_f64..100.0, 0.0_f64..9.0), 0..9)
    ) {
        let mut words: Vec<SaidWord> =
            words.iter().map(|(start, len, text)| word(text, *start, start + len)).collect();
        words.sort_by_key(|word| word.start);
        let mut turns: Vec<SaidTurn> = turns.iter().map(|(start, len)| turn("S1", *start, start + len)).collect();
        turns.sort_by_key(|turn| turn.start);
        let mut dub = said_in_a_minute(&words, &turns);
        prop_assert!(dub.segments.is_empty() || dub.settle(seconds(60.0)).is_ok());
    }
}
