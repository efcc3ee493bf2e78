//! Edit decision lists and captions that come in: as we write them, as others do, and as nobody should.

use super::super::*;
use super::{done, item, sources};
use crate::captions::{Timed, srt};
use crate::ducking::GainPoint;
use crate::film::{FilmFormat, FilmOutput, FilmQuality};
use crate::media_time::Span;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fmt::Write;
use std::time::{Duration, Instant};

/// The timeline that a decision list makes, and the warnings about it.
fn of_list(content: &str, fps: Option<f64>, named: &NamedItems) -> Result<(Timeline, Vec<String>), String> {
    let (document, warnings) = DecisionList::read(content, fps)?.document(named);
    let imported = import(&document, &sources())?;
    Ok((done(imported.ops.into())?, warnings.and(imported.warnings).into_sentences()))
}

fn one_event(event: &str) -> String {
    format!("TITLE: x\n{event}\n* FROM CLIP: mws:{}\n", item(1))
}

#[test]
fn what_is_exported_as_an_edl_comes_back_with_its_cuts_and_dissolves() {
    let scenes = json!([
        { "op": "set_format", "fps": 29.97 },
        { "op": "add_scene", "item_id": item(1), "start": 1, "duration": 3 },
        { "op": "add_scene", "item_id": item(4), "duration": 3, "transition": { "kind": "crossfade", "seconds": 1 } },
        { "op": "add_scene", "color": "#000000", "duration": 2 },
        { "op": "add_scene", "item_id": item(2), "duration": 2, "transition": { "kind": "crossfade", "seconds": 0.5 } },
    ]);
    let timeline = done(scenes).unwrap();
    let list = edl("River", &timeline, &HashMap::new()).unwrap();
    let (back, warnings) = of_list(&list, Some(29.97), &NamedItems::new()).unwrap();
    assert_eq!(warnings, Vec::<String>::new(), "{list}");
    assert_eq!(edl("River", &back, &HashMap::new()).unwrap(), list);
    let near = |one: Micros, other: Micros| (one.0 - other.0).abs() <= 33_367;
    for (scene, was) in back.scenes.iter().zip(&timeline.scenes) {
        assert_eq!((scene.item, scene.kind), (was.item, was.kind));
        assert!(near(scene.start, was.start) && near(scene.duration, was.duration), "{scene:?} {was:?}");
        assert!(near(scene.crossfade, was.crossfade), "{scene:?} {was:?}");
    }
}

#[test]
fn timecodes_are_counted_with_and_without_frames_that_are_dropped() {
    let list = |from: &str, until: &str| one_event(&format!("1 AX V C {from} {until} 01:00:00:00 01:00:01:00"));
    let start = |content: &str, fps| of_list(content, fps, &NamedItems::new()).unwrap().0.scenes[0].start;
    assert_eq!(start(&list("00:00:02:12", "00:00:03:12"), None), Micros(2_480_000));
    // At 29.97 each minute but every tenth begins with frame number 2: 00:01:00;02 is frame 1,800.
    let dropping = |code: &str| one_event(&format!("1 AX V C {code} {code} 00:00:00;00 00:00:01;00"));
    let of = |code: &str| {
        let list = DecisionList::read(&dropping(code), None).unwrap().document(&NamedItems::new()).0;
        list["tracks"]["children"][0]["children"][0]["source_range"]["start_time"]["value"].clone()
    };
    assert_eq!([of("00:01:00;02"), of("00:10:00;00"), of("01:00:00;00")], [1_800, 17_982, 107_892].map(Value::from));
    let said = "FCM: DROP FRAME\n1 AX V C 00:01:00:02 00:01:00:02 00:00:00:00 00:00:01:00";
    let said = DecisionList::read(said, None).unwrap().document(&NamedItems::new()).0;
    let clip = &said["tracks"]["children"][0]["children"][0];
    assert_eq!(clip["source_range"]["start_time"], json!({ "value": 1_800, "rate": 30_000.0 / 1_001.0 }));
    assert!(start(&list("00:00:02:29", "00:00:03:29"), Some(30.0)) > Micros(2_960_000));
    let refused = of_list(&list("00:00:02:29", "00:00:03:29"), None, &NamedItems::new()).unwrap_err();
    assert!(refused.contains("line 2") && refused.contains("say `fps`"), "{refused}");
}

#[test]
fn sound_on_lines_of_its_own_is_that_of_its_picture_or_a_track_and_pictures_alone_are_silent() {
    let named = NamedItems::from([("talk.mp4".to_owned(), item(1)), ("SONG".to_owned(), item(3))]);
    let list = "001  TALK V     C        00:00:00:00 00:00:02:00 01:00:00:00 01:00:02:00\n\
                * FROM CLIP NAME: talk.mp4\n\
                002  TALK A     C        00:00:00:00 00:00:02:00 01:00:00:00 01:00:02:00\n\
                * FROM CLIP NAME: talk.mp4\n\
                003  TALK V     C        00:00:04:00 00:00:06:00 01:00:03:00 01:00:05:00\n\
                * FROM CLIP NAME: talk.mp4\n\
                004  SONG A2    C        00:00:10:00 00:00:14:00 01:00:01:00 01:00:05:00\n\
                005  TALK AA/V  C        00:00:07:00 00:00:08:00 01:00:05:00 01:00:06:00\n\
                * FROM CLIP NAME: talk.mp4\n";
    let (timeline, warnings) = of_list(list, None, &named).unwrap();
    let seen: Vec<_> = timeline.scenes.iter().map(|scene| (scene.item, scene.start, scene.volume.number())).collect();
    let talk = Some(item(1));
    let wanted = [
        (talk, Micros::ZERO, 1.0),
        (None, Micros::ZERO, 1.0),
        (talk, Micros::ms(4_000), 0.0),
        (talk, Micros::ms(7_000), 1.0),
    ];
    assert_eq!((seen, warnings), (wanted.to_vec(), vec![]));
    let [track] = &timeline.audio.tracks[..] else { panic!("{:?}", timeline.audio) };
    assert_eq!((track.item, track.start, track.offset), (item(3), Micros::ms(10_000), Micros::ms(1_000)));
}

#[test]
fn what_a_list_has_that_is_not_here_leaves_its_place_and_is_named() {
    let list = "TITLE: Cut\n\
                001  A001 V  W001 024 00:00:00:00 00:00:02:00 00:00:00:00 00:00:02:00\n\
                M2   A001       048.0                00:00:00:00\n\
                * FROM CLIP NAME: b-roll.mov\n\
                * SOURCE FILE: file:///etc/passwd\n\
                002  A001 V  K B 000 00:00:00:00 00:00:02:00 00:00:02:00 00:00:04:00\n\
                003  A001 NONE C    00:00:00:00 00:00:02:00 00:00:02:00 00:00:04:00\n\
                SPLIT:    AUDIO DELAY=  00:00:00:05\n\
                004  A001 V  C      00:00:00:00 00:00:04:00 00:00:01:00 00:00:03:00\n";
    let list = DecisionList::read(list, Some(25.0)).unwrap();
    assert_eq!(list.names(), ["A001", "b-roll.mov", "file:///etc/passwd"]);
    let (document, warnings) = list.document(&NamedItems::new());
    let imported = import(&document, &sources()).unwrap();
    let warnings = warnings.and(imported.warnings).into_sentences();
    for said in
        ["wipe of line 2", "Line 6 is left out", "Line 7", "Line 8", "Line 9 changes the speed", "Line 2 ends where"]
    {
        assert!(warnings.iter().any(|one| one.contains(said)), "{said}: {warnings:?}");
    }
    let timeline = done(imported.ops.into()).unwrap();
    assert_eq!(timeline.scenes[0].description.as_deref(), Some("b-roll.mov"));
    assert_eq!((timeline.scenes[0].fade_in, timeline.duration()), (Micros::ms(960), Micros::ms(3_000)));
}

#[test]
fn captions_come_in_without_their_markup_and_one_after_the_other() {
    let srt = "\u{feff}1\r\n00:00:01,000 --> 00:00:02,500\r\n<i>It</i> is <b>5</b> < 6 & so\r\non\r\n\r\n\
               2\r\n00:00:02,000 --> 00:00:04,000 X1:10\r\nnext\r\n\r\n3\r\n00:00:09,0 --> 00:00:08,0\r\nback\r\n\r\n\
               4\r\nnever --> 00:00:09,0\r\nlost";
    let (captions, warnings) = captions_of(srt, false).unwrap();
    let cue =
        |start, end, text: &str| CaptionCue { start: Micros::ms(start), end: Micros::ms(end), text: text.to_owned() };
    assert_eq!(captions.cues, [cue(1_000, 2_000, "It is 5 < 6 & so\non"), cue(2_000, 4_000, "next")]);
    assert_eq!(warnings.into_sentences().len(), 3);
    let vtt = "WEBVTT - a talk\nLanguage: en\n\nSTYLE\n::cue { color: red }\n\nNOTE 00:01.000 --> 00:02.000\nno cue\n\n\
               intro\n00:01.000 --> 00:02.000 align:start\n<v.loud Anna>Hello &lt;you&gt;</v>\n\n\
               00:02.000 --> 00:03.000\n<v Anna>and <c.x>you</c></v>\n\n01:00:03.000 --> 01:00:04.000\n<v Ben>Hi";
    let (captions, warnings) = captions_of(vtt, true).unwrap();
    let said: Vec<&str> = captions.cues.iter().map(|cue| cue.text.as_str()).collect();
    assert_eq!(said, ["Anna: Hello <you>", "and you", "Ben: Hi"]);
    assert_eq!((captions.cues[2].start, warnings.into_sentences().len()), (Micros::ms(3_603_000), 1));
}

#[test]
fn documents_with_any_line_ends_are_read_and_a_cue_with_another_arrow_is_named() {
    let vtt = "WEBVTT\n\nSTYLE\n::cue { color: red }\n\n\
               00:01.000 --> 00:02.000\none\ntwo\n\n00:02.000 --> 00:03.000\nthree\n";
    let srt = vtt.split_once("}\n\n").unwrap().1;
    for ends in ["\n", "\r\n", "\r", "\r\r\n"] {
        for (document, is_vtt) in [(vtt, true), (srt, false)] {
            let (captions, _) = captions_of(&document.replace('\n', ends), is_vtt).unwrap();
            let said: Vec<&str> = captions.cues.iter().map(|cue| cue.text.as_str()).collect();
            assert_eq!(said, ["one\ntwo", "three"], "{ends:?}");
        }
        let list = one_event("001  AX  V  C  00:00:01:00 00:00:02:00 00:00:00:00 00:00:01:00").replace('\n', ends);
        let (timeline, _) = of_list(&list, None, &NamedItems::new()).unwrap();
        assert_eq!(timeline.scenes[0].item, Some(item(1)), "{ends:?}");
    }
    for arrow in [" -> ", "->", " \u{2192} ", " --\u{2014}> "] {
        let lost =
            format!("1\n00:00:01,000{arrow}00:00:02,000\nlost\n\n2\n00:00:03,000 --> 00:00:04,000\n10:30 -> 11\n\n");
        let (captions, warnings) = captions_of(&lost, false).unwrap();
        let told = warnings.into_sentences();
        assert_eq!((captions.cues.len(), told.len()), (1, 1), "{told:?}");
        assert!(told[0].starts_with("The cue of line 2 is left out: expected `-->`"), "{told:?}");
    }
}

#[test]
fn a_mebibyte_of_brackets_or_of_cues_that_begin_together_is_read_in_moments() {
    let cue = "00:00:01,000 --> 00:00:02,000\n";
    let (brackets, together) = ("<".repeat(1 << 20), format!("{cue}{}\n\n", "x".repeat(500)).repeat(1_900));
    let began = Instant::now();
    for (text, is_vtt) in [(format!("{brackets}>"), false), (brackets.clone(), true), (brackets, false)] {
        let head = if is_vtt { "WEBVTT\n\n" } else { "" };
        let (captions, _) = captions_of(&format!("{head}{cue}{text}"), is_vtt).unwrap();
        assert_eq!(captions.cues[0].text, "<".repeat(500));
    }
    assert_eq!(captions_of(&together, false).unwrap().0.cues.len(), 1);
    let mut events = String::new();
    for (channel, at) in ["V", "A"].into_iter().flat_map(|channel| (0..5_000).map(move |at| (channel, at))) {
        let time = |hour: u32, at: u32| format!("{hour:02}:{:02}:{:02}:{:02}", at / 1_500, at / 25 % 60, at % 25);
        let times = [time(0, at), time(0, at + 1), time(1, at), time(1, at + 1)].join(" ");
        writeln!(events, "001 AX {channel} C {times}").unwrap();
    }
    let (document, _) = DecisionList::read(&events, Some(25.0)).unwrap().document(&NamedItems::new());
    assert_eq!(document["tracks"]["children"].as_array().map(Vec::len), Some(1), "each sound is with its picture");
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
}

#[test]
fn captions_that_are_none_or_too_many_are_refused_and_what_is_too_long_is_cut() {
    for (wrong, is_vtt, said) in [
        ("", false, "expected cues"),
        ("", true, "WEBVTT"),
        ("WEBVTT\n\nhello", true, "expected cues"),
        ("00:00:01,000 --> 00:00:02,000\n\n", false, "expected cues"),
        ("99:00:01,000 --> 99:00:02,000\nlate", false, "within a day"),
    ] {
        let refused = captions_of(wrong, is_vtt).unwrap_err();
        assert!(refused.contains(said), "{wrong}: {refused}");
    }
    let cue = |second: usize, text: &str| {
        format!("{:02}:{:02},0 --> {:02}:{:02},9\n{text}\n\n", second / 60, second % 60, second / 60, second % 60)
    };
    let many: String = (0..=MOST_CUES).map(|second| cue(second % 3_600, "x")).collect();
    assert!(captions_of(&many, false).unwrap_err().contains("at most 2000"));
    let (captions, warnings) = captions_of(&cue(1, &"ä".repeat(600)), false).unwrap();
    assert_eq!((captions.cues[0].text.chars().count(), warnings.into_sentences().len()), (500, 1));
}

#[test]
fn cues_have_no_control_characters_but_line_feeds_and_what_was_stored_before_comes_out_without() {
    let with = |text: &str| {
        let first = json!({ "start": 0, "end": 1, "text": "fine\nhere" });
        let cues = json!([first, { "start": 1, "end": 2, "text": text }]);
        done(json!([
            { "op": "add_scene", "color": "#000000", "duration": 5 },
            { "op": "set_captions", "captions": { "source": "cues", "cues": cues } },
        ]))
    };
    for letter in ['\0', '\t', '\r', '\u{b}', '\u{c}', '\u{1b}', '\u{7f}', '\u{85}', '\u{9b}'] {
        let refused = with(&format!("a{letter}b")).unwrap_err();
        assert!(refused.starts_with("`captions.cues[1]`") && refused.contains("no control characters"), "{refused}");
    }
    let mut timeline = with("x").unwrap();
    timeline.captions.as_mut().unwrap().cues[1].text =
        "a\r\nb\r\rc\u{b}d\u{85}\te\u{1b}[2J\r1\r00:00:00,000".to_owned();
    let written = srt(&timeline.cues(&Transcripts::new()));
    let (_, second) = written.split_once("\n\n").unwrap();
    assert_eq!(second, "2\n00:00:01,000 --> 00:00:02,000\na\nb\nc\nd\ne[2J\n1\n00:00:00,000\n");
    let cleaned = timeline.captions.clone().unwrap().cleaned();
    assert_eq!(cleaned.cues[1].text, "a\nb\n\nc\nd\n e[2J\n1\n00:00:00,000");
    let document = otio("River", &timeline, &Names::new());
    let again = done(import(&document, &sources()).unwrap().ops.into()).unwrap();
    assert_eq!(again.captions, Some(cleaned), "what was exported comes back");
}

/// A timeline of as many scenes as one may have, each of them half a second long and taken from its item 40 s after the
/// one before it, with the facts about its items.
fn of_many_scenes() -> (Timeline, Sources) {
    let mut sources = sources();
    for source in sources.values_mut().filter(|source| source.media.has_audio) {
        source.duration = Some(Micros::ms(80_000_000));
    }
    let mut timeline = Timeline::new();
    let mut counted = SceneCounts::of(&timeline);
    for number in 0..2_000 {
        let (start, duration) = (Some(Micros::ms(40_000 * number)), Some(Micros::ms(500)));
        let scene = SceneFields { item_id: Some(item(1)), start, duration, ..SceneFields::default() };
        timeline.apply_next(TimelineOp::AddScene(Box::new(scene)), &sources, &mut counted).unwrap();
    }
    (timeline, sources)
}

#[test]
fn what_is_heard_in_thousands_of_scenes_is_found_without_a_look_at_a_whole_day_for_each() {
    let (mut timeline, sources) = of_many_scenes();
    let at = |number: u32| f64::from(number) / 4.0;
    let word = |number: u32| Timed { text: number.to_string(), start: at(number), end: at(number + 1) };
    let transcripts = Transcripts::from([(item(1), (0..320_000).map(word).collect())]);
    let spans = (0..320_000).map(|number| Span::new(number * 250_000, number * 250_000 + 100_000)).collect();
    let speech = Speech::from([(item(1), spans)]);
    let began = Instant::now();

    let cues = timeline.cues(&transcripts);
    let lines = cues.iter().flat_map(|cue| &cue.lines);
    let words: Vec<&str> = lines.flat_map(|line| line.split_whitespace()).collect();
    let of_scenes = (0..2_000_u32).flat_map(|scene| [scene * 160, scene * 160 + 1]);
    assert_eq!(words, of_scenes.map(|number| number.to_string()).collect::<Vec<_>>());

    let music = json!({ "op": "set_audio", "slot": "music", "item_id": item(3), "duck_under_voice": true });
    timeline.apply(serde_json::from_value(music).unwrap(), &sources).unwrap();
    let asked = FilmOutput { format: FilmFormat::Wav, quality: FilmQuality::Standard };
    let film = film_of(&timeline, &sources, &speech, &[], asked).unwrap();
    let music = film.sounds.iter().find(|sound| sound.item == item(3)).unwrap();
    let down = |t_us| GainPoint { t_us, gain: -1_200 };
    assert_eq!(music.envelope, [down(0), down(1_000_000_000)], "somebody speaks in each scene");
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
}

proptest! {
    #[test]
    fn whatever_a_list_says_it_is_a_timeline_or_refused(lines in prop::collection::vec(
        "[0-9]{1,3} (AX|BL|A001) (V|A|AA/V|B) (C|D|W001|K) ?(012|[0-9]{3})? \
         00:0[0-2]:0[0-9]:[0-2][0-9] 00:0[0-2]:0[0-9][:;][0-2][0-9] \
         0[01]:00:0[0-9]:[0-2][0-9] 0[01]:00:0[0-9]:[0-2][0-9]|\\* (FROM|TO) CLIP( NAME)?: [a-z0-9_:]{0,9}|\\PC{0,30}", 0..30,
    )) {
        let content = lines.join("\n");
        let named = NamedItems::from([("A001".to_owned(), item(1))]);
        if let Ok(list) = DecisionList::read(&content, None) {
            let document = list.document(&named).0;
            let ops = import(&document, &sources()).unwrap().ops;
            if let Ok(timeline) = done(ops.into()) {
                prop_assert!(timeline.duration() <= LONGEST);
            }
        }
    }

    #[test]
    fn whatever_captions_say_their_cues_follow_each_other(
        content in "(WEBVTT\n\n)?(([0-9]\n)?0[0-9]:0[0-9][,.][0-9]{1,3} --> 0[0-9]:0[0-9][,.][0-9]{3}\n[ -~]{0,20}\n\n\
            |\\PC{0,20}\n){0,20}",
    ) {
        for is_vtt in [false, true] {
            if let Ok((captions, _)) = captions_of(&content, is_vtt) {
                prop_assert!(fields::captions(&captions).is_ok(), "{captions:?}");
            }
        }
    }
}
