//! The pictures of a made-up talk with music: every sign of them is looked at when it changes.

use super::{Facts, Unread, strip, svg};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A minute: sound that swells, two people in turn, and beats in its second half.
fn stored() -> BTreeMap<String, Value> {
    let peaks: Vec<u8> = (0..2_000_i32)
        .flat_map(|part| {
            let level = i8::try_from((part % 500) * 100 / 500).unwrap();
            [level.wrapping_neg().cast_unsigned(), level.cast_unsigned()]
        })
        .collect();
    let levels: Vec<Value> = (0..60_i32).map(|second| json!(-40.0 + f64::from(second % 15))).collect();
    let turns = [(2.0, 9.5, "A"), (10.0, 18.0, "B"), (18.4, 19.0, "A"), (22.0, 29.0, "B")];
    let segments: Vec<Value> =
        turns.iter().map(|(start, end, who)| json!({"start": start, "end": end, "speaker": who})).collect();
    let beats: Vec<f64> = (0..60).map(|number| 30.0 + f64::from(number) * 0.5).collect();
    let bars: Vec<f64> = beats.iter().copied().step_by(4).collect();
    let reads = [
        (
            "levels",
            json!({"integrated_lufs": -23.4, "short_term_interval_seconds": 1.0, "short_term": levels,
                          "peaks": STANDARD.encode(peaks)}),
        ),
        ("speech", json!({"segments": segments})),
        ("speakers", json!({"speakers": ["A", "B"], "segments": segments})),
        ("beats", json!({"tempo": 120.0, "beat_times": beats, "downbeat_times": bars})),
    ];
    reads.map(|(read, data)| (read.to_owned(), json!({"duration_seconds": 60.0, "data": data}))).into()
}

fn item() -> Value {
    json!({"id": "itm_1", "name": "talk <1> & \"music\".wav", "duration_seconds": 60.0})
}

fn facts(without: &[&str]) -> Facts {
    let mut stored = stored();
    stored.retain(|read, _| !without.contains(&read.as_str()));
    Facts::of(&item(), &stored, Unread::Told)
}

#[test]
fn the_picture_of_a_talk_with_music() {
    insta::assert_snapshot!(svg(&facts(&[])));
}

#[test]
fn the_strip_of_a_talk_with_music() {
    insta::assert_snapshot!(strip(&facts(&[]), 80, false));
}

#[test]
fn what_is_not_read_is_said_in_both() {
    let facts = facts(&["speakers", "beats"]);
    assert_eq!(facts.missing(), ["speakers", "beats"]);
    insta::assert_snapshot!(strip(&facts, 60, false));
    let picture = svg(&facts);
    assert_eq!(picture.matches("not read yet").count(), 2);
    assert!(picture.contains("Not read yet: speakers, beats."));
}

#[test]
fn of_an_item_that_nobody_read_all_that_is_drawn_is_missing() {
    let facts = Facts::of(&json!({}), &BTreeMap::new(), Unread::Told);
    assert_eq!(facts.missing(), super::DRAWN);
    for read in super::DRAWN {
        assert!(strip(&facts, 60, false).lines().any(|line| line.starts_with(read)), "{read} has no lane");
    }
    assert_eq!(svg(&facts).matches("not read yet").count(), super::DRAWN.len());
}

#[test]
fn a_picture_is_told_to_those_who_do_not_see_it() {
    let picture = svg(&facts(&[]));
    assert!(picture.contains(r#"role="img" aria-labelledby="title desc""#));
    assert!(picture.contains("<title id=\"title\">talk &lt;1&gt; &amp; &quot;music&quot;.wav</title>"));
    let told = "1:00 long. Loudness -23.4 LUFS. Speech in 4 stretches, 38 % of the time. \
                2 speakers: A for 0:08.1, B for 0:15. 120.0 beats a minute, 60 beats in 15 bars.";
    assert!(picture.contains(told), "{}", facts(&[]).description());
    // Speakers differ in their pattern and their letter, not in colour alone.
    assert!(picture.contains("url(#voice0)") && picture.contains("url(#voice1)"));
    assert!(picture.contains(">A</text>") && picture.contains(">B</text>"));
}

#[test]
fn a_strip_fits_its_terminal_and_is_the_same_without_its_colours() {
    let facts = facts(&[]);
    for width in [40, 80, 133] {
        let plain = strip(&facts, width, false);
        assert!(!plain.contains('\u{1b}'));
        for line in plain.lines().skip(1) {
            assert!(line.chars().count() <= width, "{width}: {line}");
        }
        let painted = strip(&facts, width, true);
        assert!(painted.contains("\u{1b}[31mB\u{1b}[0m"));
        assert_eq!(console::strip_ansi_codes(&painted), plain);
    }
}

#[test]
fn a_sound_that_ends_before_its_film_is_drawn_over_its_own_time() {
    let loud = STANDARD.encode([0x81_u8, 0x7f].repeat(2_000));
    let levels = |sound: f64| {
        let data = json!({"peaks": loud, "sound_seconds": sound});
        let stored = BTreeMap::from([("levels".to_owned(), json!({"duration_seconds": sound, "data": data}))]);
        let facts = Facts::of(&json!({"name": "film", "duration_seconds": 40.0}), &stored, Unread::Told);
        facts.levels.expect("the levels").outline
    };
    let half = levels(20.0);
    assert_eq!((half.len(), half[999], half[1_000]), (2_000, (-1.0, 1.0), (0.0, 0.0)));
    assert!(levels(40.0).iter().all(|pair| *pair == (-1.0, 1.0)), "to the end");
}

#[test]
fn a_day_makes_no_larger_picture_than_a_minute_and_nothing_breaks_it() {
    let beats: Vec<f64> = (0..172_800).map(|number| f64::from(number) * 0.5).collect();
    let mut stored = stored();
    stored
        .insert("beats".to_owned(), json!({"duration_seconds": 86_400.0, "data": {"tempo": 120, "beat_times": beats}}));
    let day = Facts::of(&json!({"name": "day", "duration_seconds": 86_400.0}), &stored, Unread::Told);
    assert!(svg(&day).len() < 120_000, "{}", svg(&day).len());
    let nonsense = json!({"data": {"segments": [{"start": "x"}, 7], "speakers": 4, "peaks": "%", "beat_times": {}}});
    let broken = super::DRAWN.map(|read| (read.to_owned(), nonsense.clone())).into();
    let facts = Facts::of(&json!({}), &broken, Unread::Told);
    assert!(facts.missing().is_empty());
    assert!(svg(&facts).ends_with("</svg>\n") && !svg(&facts).contains("NaN"));
    assert!(strip(&facts, 10, false).contains("beats"));
}
