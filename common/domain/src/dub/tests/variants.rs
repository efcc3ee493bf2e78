//! The timeline of a dub: its picture, how loud it is, how long, and what becomes of it when the dub is spoken again.

use super::super::*;
use super::{dub, seconds, segment};
use crate::timeline::{Audio, CaptionSource, LOUDEST, Ratio, Timeline};
use serde_json::json;

/// Voices that are heard at half their volume, over what is kept at this one.
fn voices(item: ItemId, lasts: f64, background: Option<Ratio>) -> Voices {
    Voices { item, duration: seconds(lasts), volumes: Volumes { voices: Ratio(500_000), background } }
}

#[test]
fn a_gain_is_a_volume_that_a_timeline_can_have() {
    for (db, volume) in [(0.0, Ratio::ONE), (-20.0, Ratio(100_000)), (-18.6, Ratio(117_490)), (40.0, LOUDEST)] {
        assert_eq!(Volumes::of_gain(db), volume, "{db} dB");
    }
    assert!(Volumes::of_gain(MOST_GAIN_DB) <= LOUDEST && Volumes::of_gain(MOST_GAIN_DB).number() > 3.999);
}

#[test]
fn a_variant_has_the_picture_of_the_item_and_the_voices_over_it_as_loud_as_they_are_mixed() {
    let (body, voice) = (dub(vec![segment(0.0, 2.0, "uno")]), ItemId::mint());
    let made = variant(&body, &voices(voice, 61.0, None), seconds(60.0), Timeline::new());
    assert_eq!((made.language.as_deref(), made.scenes[0].duration), (Some("es"), seconds(60.0)));
    assert_eq!((made.scenes[0].volume.number(), made.audio.tracks.len()), (0.0, 0));
    assert_eq!(made.items(), [body.source, voice]);
    assert_eq!(made.audio.voiceover.as_ref().map(|track| track.volume), Some(Ratio(500_000)));
    let made = variant(&body, &voices(voice, 61.0, Some(Ratio(800_000))), seconds(60.0), Timeline::new());
    let background = &made.audio.tracks[0];
    assert_eq!((background.duck.map(|duck| duck.down), background.volume), (Some(DOWN), Ratio(800_000)));
}

#[test]
fn the_variant_of_a_timeline_keeps_its_scenes_and_has_the_voices_for_its_sound() {
    let (film, voice, music, timeline) = (ItemId::mint(), ItemId::mint(), ItemId::mint(), TimelineId::mint());
    let scene = |place: u32| json!({ "id": format!("s{place}"), "type": "color", "color": "#000000", "duration": 5.0 });
    let cue = json!({ "start": 0.0, "end": 1.0, "text": "Titel" });
    let original = json!({
        "width": 640, "height": 360, "fps": Timeline::new().fps, "language": "de", "skills": ["calm"],
        "scenes": [scene(1), scene(2)], "audio": { "music": { "id": "music", "item": music, "duration": 10.0 } },
        "captions": { "source": "cues", "cues": [cue] },
    });
    let mut original: Timeline = serde_json::from_value(original).unwrap();
    let body = Dub { source: film, timeline: Some(timeline), ..dub(vec![segment(0.0, 2.0, "uno")]) };
    let made = variant_of(&original, &body, &voices(voice, 9.0, None), seconds(10.0));
    assert_eq!((made.variant_of, made.language.as_deref()), (Some(timeline), Some("es")));
    assert_eq!((made.width, made.skills.len(), made.scenes.len()), (640, 1, 2));
    assert!(made.scenes.iter().all(|scene| scene.volume == Ratio(0)));
    assert_eq!(made.items(), [voice], "the music is heard no more");
    assert!(made.captions.is_some(), "its own captions stay");
    original.captions.as_mut().unwrap().source = CaptionSource::Transcripts;
    let made = variant_of(&original, &body, &voices(voice, 9.0, Some(Ratio::ONE)), seconds(10.0));
    assert_eq!((made.items(), made.captions), (vec![voice, film], None));
}

#[test]
fn voices_that_are_spoken_again_are_as_loud_as_the_new_mix_where_nobody_has_changed_that() {
    let (body, old, new) = (dub(vec![segment(0.0, 2.0, "uno")]), ItemId::mint(), ItemId::mint());
    let quiet =
        |background| Voices { volumes: Volumes { voices: Ratio(300_000), background }, ..voices(new, 8.0, None) };
    let made = |voices: &Voices| serde_json::to_value(variant(&body, voices, seconds(60.0), Timeline::new())).unwrap();
    let before = |was: &Voices| OldVoices { voice: was.item, volumes: Some(was.volumes) };
    let again = |stands: &Value, was: OldVoices, now: &Voices| {
        let (whole, _) = revoiced(stands, Some(was), &made(now))?;
        Some(serde_json::from_value::<Timeline>(whole).unwrap().audio)
    };
    let (bare, over) = (voices(old, 9.0, None), voices(old, 9.0, Some(Ratio(800_000))));
    let volumes = |audio: &Audio| {
        let background = audio.tracks.first().map(|track| track.volume);
        (audio.voiceover.as_ref().map(|track| (track.item, track.volume)), background)
    };
    let heard = |volume, background| (Some((new, Ratio(volume))), background);
    let (none, some) = (quiet(None), quiet(Some(Ratio(700_000))));
    for (was, now, background) in [
        (&bare, &none, None),
        (&bare, &some, Some(Ratio(700_000))),
        (&over, &some, Some(Ratio(700_000))),
        (&over, &none, None),
    ] {
        assert_eq!(volumes(&again(&made(was), before(was), now).unwrap()), heard(300_000, background));
    }
    let mut changed = made(&over);
    changed["audio"]["voiceover"]["volume"] = json!(0.6);
    changed["audio"]["tracks"] = json!([]);
    let audio = again(&changed, before(&over), &some).unwrap();
    assert_eq!(volumes(&audio), heard(600_000, None), "what somebody has set or removed stays so");
    let plain = made(&Voices { volumes: Volumes { voices: Ratio::ONE, background: None }, ..bare });
    let unknown = OldVoices { voice: old, volumes: None };
    assert_eq!(volumes(&again(&plain, unknown, &none).unwrap()), heard(300_000, None), "of the release before");
    let others = OldVoices { voice: ItemId::mint(), volumes: None };
    assert!(again(&plain, others, &none).is_none(), "somebody has put other voices there");
}

#[test]
fn nothing_of_the_voices_is_cut_off_where_the_picture_ends_before_them() {
    let (body, old, new) = (dub(vec![segment(0.0, 2.0, "uno")]), ItemId::mint(), ItemId::mint());
    let made = |item, lasts| variant(&body, &voices(item, lasts, None), seconds(60.0), Timeline::new());
    let lasts = |timeline: &Timeline| (timeline.scenes.len(), timeline.duration());
    assert_eq!(lasts(&made(old, 59.0)), (1, seconds(60.0)));
    assert_eq!(lasts(&made(old, 61.5)), (2, seconds(61.5)));
    assert_eq!(made(old, 61.5).scenes[1].color.as_deref(), Some("#000000"));
    let again = |stands: &Timeline, now: f64| {
        let before = OldVoices { voice: old, volumes: None };
        let [stands, fresh] = [stands, &made(new, now)].map(|timeline| serde_json::to_value(timeline).unwrap());
        let (whole, _) = revoiced(&stands, Some(before), &fresh).unwrap();
        serde_json::from_value::<Timeline>(whole).unwrap()
    };
    for (was, now, lasting) in [(61.5, 63.0, (2, 63.0)), (61.5, 50.0, (1, 60.0)), (59.0, 62.0, (2, 62.0))] {
        assert_eq!(lasts(&again(&made(old, was), now)), (lasting.0, seconds(lasting.1)), "{was} s, then {now}");
    }
    let mut cut = made(old, 61.5);
    cut.scenes.pop();
    assert_eq!(lasts(&again(&cut, 62.0)), (1, seconds(60.0)), "somebody has cut them off");
}
