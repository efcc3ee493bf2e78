//! Timelines: what operations do and refuse, what holds whatever is done, and what a plan has in which frame.

mod list;
mod told;

use super::*;
use crate::captions::Timed;
use crate::film::{FilmFormat, FilmOutput, FilmPicture, FilmQuality};
use crate::ids::ItemId;
use crate::item::ItemType;
use crate::media_time::{FrameRate, Span};
use crate::pixels::PictureSize;
use proptest::prelude::*;
use serde_json::{Value, json};
use uuid::Uuid;

/// Items with fixed ids: a film of 10 s, a picture, 60 s of music, a film of 4 s without sound.
fn item(number: u128) -> ItemId {
    ItemId::from(Uuid::from_u128(number))
}

fn sources() -> Sources {
    let facts = |kind, seconds: Option<i64>, has_audio, has_video| SourceFacts {
        media: Media { kind, has_audio, has_video, is_svg: false },
        duration: seconds.map(|seconds| Micros(seconds * 1_000_000)),
        seekable: false,
        pictures: Pictures::default(),
    };
    Sources::from([
        (item(1), facts(ItemType::Video, Some(10), true, true)),
        (item(2), facts(ItemType::Image, None, false, false)),
        (item(3), facts(ItemType::Audio, Some(60), true, false)),
        (item(4), facts(ItemType::Video, Some(4), false, true)),
    ])
}

fn done(ops: Value) -> Result<Timeline, String> {
    let mut timeline = Timeline::new();
    for op in serde_json::from_value::<Vec<TimelineOp>>(ops).map_err(|error| error.to_string())? {
        timeline.apply(op, &sources())?;
    }
    Ok(timeline)
}

fn clip(number: u128) -> Value {
    json!({ "op": "add_scene", "item_id": item(number) })
}

fn output(format: FilmFormat, quality: FilmQuality) -> FilmOutput {
    FilmOutput { format, quality }
}

#[test]
fn a_scene_lasts_to_the_end_of_its_item_and_what_is_moved_follows() {
    let timeline = done(json!([
        { "op": "add_scene", "item_id": item(1), "start": 7.5, "scene_id": "a" },
        { "op": "add_scene", "item_id": item(2), "scene_id": "b" },
        { "op": "add_scene", "color": "#102030", "duration": 1, "scene_id": "c" },
        { "op": "move_scene", "scene_id": "c", "position": 0 },
        { "op": "split_scene", "scene_id": "a", "at": 1.0, "new_scene_id": "d" },
        { "op": "update_scene", "scene_id": "b", "transition": { "kind": "crossfade", "seconds": 0.5 } },
    ]))
    .unwrap();
    let seen: Vec<(&str, f64, f64)> = timeline
        .scenes
        .iter()
        .map(|scene| (scene.id.as_str(), scene.start.seconds(), scene.duration.seconds()))
        .collect();
    assert_eq!(seen, [("c", 0.0, 1.0), ("a", 7.5, 1.0), ("d", 8.5, 1.5), ("b", 0.0, 5.0)]);
    assert_eq!(timeline.duration(), Micros::ms(8_000));
    assert_eq!(timeline.placed()[3].start, Micros::ms(3_000));
}

#[test]
fn a_format_is_said_by_size_or_by_proportions() {
    let of = |op: Value| done(json!([op])).map(|timeline| (timeline.width, timeline.height, timeline.aspect_ratio()));
    assert_eq!(of(json!({ "op": "set_format", "aspect_ratio": "9:16" })), Ok((1080, 1920, "9:16".to_owned())));
    assert_eq!(of(json!({ "op": "set_format", "aspect_ratio": "1:1" })), Ok((1080, 1080, "1:1".to_owned())));
    assert_eq!(of(json!({ "op": "set_format", "width": 640, "height": 480 })), Ok((640, 480, "4:3".to_owned())));
    let ntsc = done(json!([{ "op": "set_format", "fps": 29.97 }])).unwrap();
    assert_eq!((ntsc.fps.frames(), ntsc.fps.seconds()), (30_000, 1_001));
}

#[test]
fn a_plan_has_every_frame_once_and_sound_where_its_scene_begins() {
    let timeline = done(json!([
        { "op": "add_scene", "item_id": item(1), "start": 1, "duration": 2, "volume": 0.5 },
        { "op": "split_scene", "scene_id": "scene-1", "at": 0.8 },
        { "op": "add_scene", "item_id": item(4), "duration": 3, "transition": { "kind": "crossfade", "seconds": 1 } },
        { "op": "set_audio", "slot": "music", "item_id": item(3), "duck_under_voice": true, "duck_db": 10 },
    ]))
    .unwrap();
    let speech = Speech::from([(item(1), vec![Span::new(1_500_000, 2_500_000)])]);
    let film = film_of(&timeline, &sources(), &speech, &[], output(FilmFormat::Mp4, FilmQuality::Standard)).unwrap();
    assert_eq!((film.frames(), film.duration_us), (110, 4_400_000));
    let places: Vec<_> = film.scenes.iter().map(|scene| (scene.first, scene.frames, scene.overlap)).collect();
    assert_eq!(places, [(0, 20, 0), (20, 30, 0), (35, 75, 15)]);
    assert_eq!(film.scenes[1].picture, FilmPicture::Clip { item: item(1), from: 45 });
    // The two halves are one sound, which goes down as the next scene comes.
    let [scene, music] = &film.sounds[..] else { panic!("{:?}", film.sounds) };
    assert_eq!((scene.from_us, scene.at_us, scene.len_us, scene.volume), (1_000_000, 0, 2_000_000, 500_000));
    assert_eq!(scene.fade_out_us, 600_000);
    assert_eq!((music.len_us, music.envelope[1].gain, music.envelope[1].t_us), (4_400_000, 0, 300_000));
    assert_eq!(film.items(), [item(1), item(4), item(3)]);
}

#[test]
fn a_body_comes_back_from_its_json() {
    let timeline = done(json!([
        clip(1), clip(2),
        { "op": "add_overlay", "text": "hello", "style": { "color": "#ff0000" } },
        { "op": "set_captions", "captions": { "source": "transcripts", "burn": true } },
        { "op": "set_details", "language": "eng", "skills": ["calm"] },
    ]))
    .unwrap();
    let json = serde_json::to_value(&timeline).unwrap();
    assert_eq!(serde_json::from_value::<Timeline>(json).unwrap(), timeline);
}

#[test]
fn what_is_kept_becomes_scenes_and_a_voice_has_music_under_it() {
    let picture = Picture { size: Some(PictureSize { width: 641, height: 360 }), rate: FrameRate::new(30_000, 1_001) };
    let keep = [Span::new(1_000_000, 2_000_000), Span::new(9_000_000, 10_004_000)];
    let cut = cut_down(item(1), &keep, picture, &sources()).unwrap();
    assert_eq!((cut.width, cut.height, cut.fps.frames(), cut.duration()), (640, 360, 30_000, Micros::ms(2_000)));
    let ducked = Ducked { duck_db: 9.0, attack_ms: 100, release_ms: 300 };
    let film = under_voice(item(1), item(3), ducked, picture, &sources()).unwrap();
    assert_eq!((film.scenes.len(), film.duration()), (1, Micros::ms(10_000)));
    let music = film.audio.music.unwrap();
    assert_eq!((music.duration, music.duck.unwrap().down), (Micros::ms(10_000), 900));
    let talk = under_voice(item(3), item(1), ducked, Picture { size: None, rate: None }, &sources()).unwrap();
    assert_eq!((talk.scenes.len(), talk.duration()), (0, Micros::ms(60_000)));
}

#[test]
fn a_timeline_comes_back_from_otio_as_it_was() {
    let timeline = done(json!([
        { "op": "set_format", "width": 640, "height": 360, "fps": 29.97 },
        { "op": "add_scene", "item_id": item(1), "start": 1.234_567, "duration": 3.000_001, "volume": 0.25 },
        { "op": "add_scene", "item_id": item(2), "duration": 4, "transition": { "kind": "crossfade", "seconds": 1 } },
        { "op": "add_scene", "color": "#102030", "fade_in": 0.5, "prompt": "dusk" },
        { "op": "add_scene", "item_id": item(4), "fit": "cover",
          "transition": { "kind": "crossfade", "seconds": 0.5 } },
        { "op": "set_audio", "slot": "music", "item_id": item(3), "duration": 9, "offset": 1.5,
          "duck_under_voice": true },
        { "op": "add_track", "item_id": item(1), "volume": 2, "fade_out": 1 },
        { "op": "add_overlay", "item_id": item(2), "x": 0.1, "width": 0.2, "duration": 3 },
        { "op": "set_captions", "captions": { "source": "transcripts", "burn": true } },
        { "op": "set_details", "language": "eng", "skills": ["calm"] },
    ]))
    .unwrap();
    let document = otio("River", &timeline, &HashMap::new());
    assert_eq!(named_items(&document).len(), 4);
    let imported = import(&document, &sources()).unwrap();
    assert_eq!((imported.name.as_deref(), imported.warnings.into_sentences()), (Some("River"), vec![]));
    assert_eq!(done(imported.ops.into()).unwrap(), timeline);
}

#[test]
fn what_otio_has_that_is_not_here_leaves_its_place_and_is_named() {
    let range = json!({ "start_time": { "value": 0, "rate": 25 }, "duration": { "value": 50, "rate": 25 } });
    let foreign = json!({ "OTIO_SCHEMA": "Clip.2", "name": "b-roll", "source_range": range,
        "effects": [{ "OTIO_SCHEMA": "Effect.1" }],
        "media_references": { "DEFAULT_MEDIA": { "target_url": "file:///etc/passwd" } } });
    let ours = json!({ "OTIO_SCHEMA": "Clip.1", "source_range": range,
        "media_reference": { "target_url": format!("mws:{}", item(1)) } });
    let tracks = json!({ "OTIO_SCHEMA": "Stack.1", "children": [
        { "OTIO_SCHEMA": "Track.1", "kind": "Video", "children": [foreign, ours] },
        { "OTIO_SCHEMA": "Track.1", "kind": "Video", "name": "V2", "children": [] },
    ] });
    let imported = import(&json!({ "OTIO_SCHEMA": "Timeline.1", "tracks": tracks }), &sources()).unwrap();
    let told = imported.warnings.into_sentences();
    assert!(told.len() == 3 && told[0].contains("`b-roll` is no item of this workspace"), "{told:?}");
    let timeline = done(imported.ops.into()).unwrap();
    assert_eq!((timeline.scenes[0].kind, timeline.scenes[1].item), (SceneKind::Color, Some(item(1))));
    for wrong in [json!({}), json!([]), json!({ "OTIO_SCHEMA": "Clip.2" })] {
        assert!(import(&wrong, &sources()).is_err(), "{wrong}");
    }
    let endless = json!({ "OTIO_SCHEMA": "Timeline.1", "tracks": { "children": [{ "OTIO_SCHEMA": "Track.1",
        "kind": "Video", "children": [{ "OTIO_SCHEMA": "Gap.1",
        "source_range": { "start_time": { "value": 0, "rate": 0 },
            "duration": { "value": 1e300, "rate": 1e-9 } } }] }] } });
    assert!(import(&endless, &sources()).unwrap_err().contains("no number of seconds"));
}

#[test]
fn what_an_editor_put_before_the_others_or_made_too_long_fits_in() {
    let timeline = done(json!([{ "op": "add_scene", "item_id": item(1), "start": 1, "duration": 3 }])).unwrap();
    let mut document = otio("River", &timeline, &HashMap::new());
    let clips = document["tracks"]["children"][0]["children"].as_array_mut().unwrap();
    let mut new = clips[0].clone();
    new["metadata"] = json!({});
    new["source_range"]["duration"] = json!({ "value": 25.0 * 3600.0, "rate": 25.0 });
    clips.insert(0, new);
    let imported = import(&document, &sources()).unwrap();
    assert_eq!(imported.warnings.into_sentences().len(), 1);
    let changed = done(imported.ops.into()).unwrap();
    let ids: Vec<&str> = changed.scenes.iter().map(|scene| scene.id.as_str()).collect();
    assert_eq!((ids, changed.duration()), (vec!["scene-2", "scene-1"], Micros::ms(9_000 + 3_000)));
}

#[test]
fn a_dissolve_of_an_editor_lies_about_its_cut_as_its_offsets_say_and_media_begin_at_their_timecode() {
    let frames = |value: i32| json!({ "value": value, "rate": 24 });
    let clip = |start: i32, name: &str| {
        json!({ "OTIO_SCHEMA": "Clip.1", "name": name, "enabled": name != "off",
            "source_range": { "start_time": frames(start), "duration": frames(48) },
            "media_reference": { "target_url": format!("mws:{}", item(1)),
                "available_range": { "start_time": frames(240), "duration": frames(240) } } })
    };
    let dissolve = json!({ "OTIO_SCHEMA": "Transition.1", "in_offset": frames(2), "out_offset": frames(10) });
    let nested = json!({ "OTIO_SCHEMA": "Stack.1", "name": "both", "children": [
        { "OTIO_SCHEMA": "Track.1", "children": [clip(240, "a"), clip(240, "b")] },
        { "OTIO_SCHEMA": "Track.1", "children": [clip(240, "c")] } ] });
    let children = json!([clip(240, "a"), dissolve, clip(264, "b"), nested, clip(240, "off")]);
    let tracks = json!({ "children": [{ "OTIO_SCHEMA": "Track.1", "kind": "Video", "children": children }] });
    let imported = import(&json!({ "OTIO_SCHEMA": "Timeline.1", "tracks": tracks }), &sources()).unwrap();
    assert_eq!(imported.warnings.into_sentences().len(), 2);
    let timeline = done(imported.ops.into()).unwrap();
    let at = |frame: i64| Micros((frame * 1_000_000 + 12) / 24);
    let scenes: Vec<_> = timeline.scenes.iter().map(|scene| (scene.item, scene.start, scene.duration)).collect();
    assert_eq!(scenes[..2], [(Some(item(1)), at(0), at(58)), (Some(item(1)), at(22), at(50))]);
    assert_eq!((scenes[2].0, scenes[2].2, scenes[3].0), (None, at(96), None), "black stands in their places");
    assert_eq!((timeline.scenes[1].crossfade, timeline.duration()), (at(12), at(48 + 48 + 96 + 48)));
}

#[test]
fn captions_say_what_is_heard_when_it_is_heard() {
    let word = |text: &str, start: f64| Timed { text: text.to_owned(), start, end: start + 0.5 };
    let transcripts = Transcripts::from([
        (item(1), vec![word("cut", 0.2), word("kept", 3.0), word("after", 8.0)]),
        (item(3), vec![word("over", 1.0), word("unheard", 30.0)]),
    ]);
    let timeline = done(json!([
        { "op": "add_scene", "color": "#000000", "duration": 10 },
        { "op": "add_scene", "item_id": item(1), "start": 2, "duration": 4 },
        { "op": "set_audio", "slot": "voiceover", "item_id": item(3), "offset": 3 },
    ]))
    .unwrap();
    let said = timeline.cues(&transcripts);
    let said: Vec<_> = said.iter().map(|cue| (cue.start_ms, cue.end_ms, caption(cue).text)).collect();
    assert_eq!(said, [(4_000, 4_700, "over".to_owned()), (11_000, 11_700, "kept".to_owned())]);
}

#[test]
fn an_edl_counts_in_frames_and_writes_a_dissolve_as_two_events() {
    let timeline = done(json!([
        { "op": "add_scene", "item_id": item(1), "start": 1, "duration": 3 },
        { "op": "add_scene", "item_id": item(4), "duration": 2, "transition": { "kind": "crossfade", "seconds": 1 } },
    ]))
    .unwrap();
    let names = HashMap::from([(item(1), "talk.mp4".to_owned()), (item(4), "r\u{e9}\nx".to_owned())]);
    let list = edl("River", &timeline, &names).unwrap();
    let [one, four] = [item(1), item(4)];
    assert_eq!(
        list,
        format!(
            "TITLE: River\nFCM: NON-DROP FRAME\n\n\
             001  AX       V     C        00:00:01:00 00:00:03:00 00:00:00:00 00:00:02:00\n\
             * FROM CLIP NAME: talk.mp4\n* FROM CLIP: mws:{one}\n\n\
             002  AX       V     C        00:00:03:00 00:00:03:00 00:00:02:00 00:00:02:00\n\
             002  AX       V     D    025 00:00:00:00 00:00:02:00 00:00:02:00 00:00:04:00\n\
             * FROM CLIP NAME: talk.mp4\n* TO CLIP NAME: r__x\n* TO CLIP: mws:{four}\n"
        )
    );
}

/// Any operation, with numbers and names that may fit or not.
fn any_op() -> impl Strategy<Value = Value> {
    let seconds = prop_oneof![Just(-1.0), Just(0.0), 0.0..12.0, Just(1e5)];
    let id = prop_oneof![Just("scene-1"), Just("scene-2"), Just("scene-3"), Just("x")];
    let fields = (seconds.clone(), seconds, id, 0_u128..6, 0_usize..9, 0.0..5.0_f64);
    fields.prop_flat_map(|(a, b, id, number, position, volume)| {
        prop_oneof![
            Just(json!({ "op": "add_scene", "item_id": item(number), "start": a, "duration": b, "volume": volume })),
            Just(json!({ "op": "add_scene", "item_id": item(number),
                "transition": { "kind": "crossfade", "seconds": b } })),
            Just(json!({ "op": "update_scene", "scene_id": id, "start": a, "position": position, "fade_in": b })),
            Just(json!({ "op": "move_scene", "scene_id": id, "position": position })),
            Just(json!({ "op": "remove_scene", "scene_id": id })),
            Just(json!({ "op": "split_scene", "scene_id": id, "at": a })),
            Just(json!({ "op": "add_track", "item_id": item(number), "offset": a, "duration": b })),
            Just(json!({ "op": "remove_track", "track_id": "track-1" })),
        ]
    })
}

proptest! {
    #[test]
    fn whatever_is_done_scenes_follow_each_other_in_their_items(ops in prop::collection::vec(any_op(), 0..40)) {
        let (mut timeline, sources) = (Timeline::new(), sources());
        let mut counted = SceneCounts::of(&timeline);
        for op in ops {
            let op: TimelineOp = serde_json::from_value(op).unwrap();
            let (mut edit, mut next, mut kept) = (timeline.clone(), timeline.clone(), counted.clone());
            let done = edit.apply(op.clone(), &sources);
            let kept_on = next.apply_next(op, &sources, &mut kept);
            prop_assert_eq!(&kept_on, &done, "counted anew or kept");
            if done.is_ok() {
                prop_assert_eq!(&next, &edit);
                (timeline, counted) = (edit, kept);
            }
        }
        let mut ids: Vec<&str> = timeline.scenes.iter().map(|scene| scene.id.as_str()).collect();
        ids.sort_unstable();
        prop_assert!(ids.windows(2).all(|pair| pair[0] != pair[1]));
        for scene in &timeline.scenes {
            prop_assert!(scene.start >= Micros::ZERO && scene.duration >= SHORTEST);
            prop_assert!(scene.fade_in.0 + scene.fade_out.0 <= scene.duration.0);
            if let Some(whole) = scene.item.and_then(|item| sources[&item].duration) {
                prop_assert!(scene.start.0 + scene.duration.0 <= whole.0 + 1_000);
            }
        }
        for pair in timeline.placed().windows(3) {
            prop_assert!(pair[1].start.0 == pair[0].end.0 - pair[1].overlap.0 && pair[2].start >= pair[0].end);
        }
        prop_assert!(timeline.duration() <= LONGEST);
        let planned = film_of(&timeline, &sources, &Speech::new(), &[], output(FilmFormat::Mp4, FilmQuality::Draft));
        if let Ok(film) = planned {
            let mut next = 0;
            for scene in &film.scenes {
                prop_assert!(scene.first + scene.overlap == next && scene.overlap >= 0 && scene.frames >= 0);
                next = scene.first + scene.frames;
            }
            prop_assert_eq!(next, film.frames());
        }
    }
}
