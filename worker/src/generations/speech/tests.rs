//! The voices that engines have, and that a text is spoken as text, whatever is in it.

use super::*;
use crate::readers::tests::{Studio, an_hour};

#[test]
fn the_languages_that_have_voices_are_those_that_the_engine_lists() {
    let list = "Pty Language       Age/Gender VoiceName          File                 Other Languages\n \
                5  cmn             --/M      Chinese_(Mandarin,_latin_as_English) sit/cmn (zh-cmn 5)(zh 5)\n \
                2  en-gb           --/M      English_(Great_Britain) gmw/en               (en 2)\n \
                5  piqd            --/M      Klingon            art/piqd\n";
    assert_eq!(codes(list), ["cmn", "en", "zh"]);
    assert_eq!(names(list), ["Klingon"]);
    assert!(codes("").is_empty() && names("").is_empty());
    let [offered, named] = Speakers::found().voices().map(|offer| offer.name).collect::<Vec<_>>().try_into().unwrap();
    assert!(named.contains(",klingon,") && !named.contains("nope"), "{named}");
    let has = |code: &str| offered.split([':', ',']).any(|one| one == code);
    assert_eq!(["de", "es", "no", "zh", "oc", "qqq"].map(has), [true, true, true, true, false, false], "{offered}");
}

#[test]
fn a_voice_is_a_name_that_can_not_be_taken_for_an_option() {
    let asked = |voice: &str| Asked { voice: Some(voice.to_owned()), ..Asked::default() };
    assert_eq!(voice(BuiltIn::Espeak, &asked("en-us+f3")).unwrap(), "en-us+f3");
    let language = Asked { language: Some("es".to_owned()), ..Asked::default() };
    assert_eq!((voice(BuiltIn::Espeak, &language).unwrap(), voice(BuiltIn::Flite, &language).unwrap()), ("es", "slt"));
    for wrong in ["-w/tmp/x", "", "a b", "../x", "\u{e9}s", "--path=/etc"] {
        assert!(voice(BuiltIn::Espeak, &asked(wrong)).is_err(), "{wrong}");
        assert!(voice(BuiltIn::Flite, &asked(wrong)).is_err(), "{wrong}");
    }
}

#[test]
fn brackets_are_no_phonemes() {
    assert_eq!(as_words("see [1] and [[h@l@U]] and [[[x"), "see [1] and [ [h@l@U]] and [ [[x");
}

#[tokio::test]
async fn both_engines_speak_a_hostile_text_as_text_and_say_how_long_it_is() {
    let (studio, speakers) = (Studio::new(), Speakers::found());
    assert_eq!(speakers.versions().len(), 2, "{:?}", speakers.versions());
    for engine in [BuiltIn::Espeak, BuiltIn::Flite] {
        let text = "-w /tmp/owned. $(id) `id` /etc/passwd <speak>one</speak> &amp; two, three, four.";
        let asked = Asked { text: Some(text.to_owned()), ..Asked::default() };
        let tools = studio.tools();
        let workshop = Workshop::new(&tools).unwrap();
        speakers.speak(engine, &asked, &tools, &workshop, 1 << 30, &an_hour()).await.unwrap();
        let spoken = studio.open(&workshop.path(OUTPUT_FILE), &an_hour()).await.unwrap();
        let ms = spoken.probe().duration_ms.unwrap_or(0);
        println!("{}: {ms} ms", engine.name());
        assert!((3_000..30_000).contains(&ms), "{}: {ms}", engine.name());
    }
    // Each of these is spoken by its name, "Thai letter" and three numbers; a "w" is "double you".
    for (engine, text) in [
        (BuiltIn::Espeak, "แ. ".repeat(80)),
        (BuiltIn::Espeak, format!("{}. ", "แ".repeat(40)).repeat(6)),
        (BuiltIn::Flite, "w".repeat(400)),
    ] {
        let unknown = Asked { text: Some(text), ..Asked::default() };
        let (tools, within) = (studio.tools(), an_hour());
        let workshop = Workshop::new(&tools).unwrap();
        let asking = speakers.speak(engine, &unknown, &tools, &workshop, 1 << 30, &within);
        let refused = asking.await.unwrap_err();
        assert!(matches!(refused, ReadError::Unsupported(TOO_LONG)), "{}: {refused:?}", engine.name());
    }
    // What they have no sounds for is silence, of a fifth of a second by `flite`.
    for (engine, text) in [
        (BuiltIn::Flite, "你好世界"),
        (BuiltIn::Flite, "!!!"),
        (BuiltIn::Espeak, "\u{200b}\u{200b}"),
        (BuiltIn::Espeak, "(...)"),
        (BuiltIn::Espeak, "٣٤"),
    ] {
        let silent = Asked { text: Some(text.to_owned()), ..Asked::default() };
        let (tools, within) = (studio.tools(), an_hour());
        let workshop = Workshop::new(&tools).unwrap();
        let refused = speakers.speak(engine, &silent, &tools, &workshop, 1 << 30, &within).await.unwrap_err();
        assert!(matches!(refused, ReadError::Unsupported(NO_SOUNDS)), "{} {text}: {refused:?}", engine.name());
    }
    let nobody = Asked { text: Some("hola".to_owned()), language: Some("qqq".to_owned()), ..Asked::default() };
    let tools = studio.tools();
    let workshop = Workshop::new(&tools).unwrap();
    let within = an_hour();
    let asking = speakers.speak(BuiltIn::Espeak, &nobody, &tools, &workshop, 1 << 30, &within);
    let refused = asking.await.unwrap_err();
    assert_eq!((refused.job_error_code(), refused.retryable()), ("not_supported", false));
}
