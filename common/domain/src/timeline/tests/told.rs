//! What whoever edits a timeline is told: why something can't be, and what of it nobody sees or hears.

use super::super::*;
use super::{clip, done, item, output, sources};
use crate::film::{FilmFormat, FilmQuality};
use crate::media_use::Unfit;
use serde_json::{Value, json};

#[test]
fn what_can_not_be_is_refused_by_its_name() {
    for (op, said) in [
        (json!({ "op": "add_scene" }), "missing field `ref` or `color`"),
        (json!({ "op": "add_scene", "item_id": item(1), "start": 8, "duration": 2.5 }), "would end at 10.5 s"),
        (json!({ "op": "add_scene", "item_id": item(1), "start": 10 }), "`start`: expected a moment before the end of"),
        (json!({ "op": "add_scene", "item_id": item(1), "start": 70, "duration": 1 }), "the item, which is 10 s long"),
        (json!({ "op": "add_track", "item_id": item(3), "start": 60 }), "`start`: expected a moment before the end of"),
        (json!({ "op": "add_scene", "item_id": item(1), "start": -1 }), "`start`: expected 0"),
        (json!({ "op": "add_scene", "item_id": item(1), "duration": -1 }), "`duration`: expected"),
        (json!({ "op": "add_scene", "item_id": item(1), "duration": 1e308 }), "`duration`: expected 0.01 to 86400"),
        (json!({ "op": "add_scene", "item_id": item(1), "start": -1e308 }), "`start`: expected 0 to 86400"),
        (json!({ "op": "add_scene", "item_id": item(1), "volume": 1e308 }), "`volume`: expected 0 to 4"),
        (json!({ "op": "add_scene", "item_id": item(1), "fade_in": 1e308 }), "`fade_in`, `fade_out`: expected 0"),
        (
            json!({ "op": "add_scene", "item_id": item(1), "transition": { "kind": "crossfade", "seconds": 1e308 } }),
            "`transition.seconds`: expected more than 0 and at most 10",
        ),
        (json!({ "op": "add_overlay", "text": "x", "opacity": -1e308 }), "`opacity`: expected 0 to 1"),
        (json!({ "op": "add_overlay", "text": "x", "style": { "size": 1e308 } }), "`style.size`: expected 0.01"),
        (json!({ "op": "add_track", "item_id": item(3), "duck_under_voice": true, "duck_db": 1e308 }), "`duck_db`"),
        (json!({ "op": "add_scene", "item_id": item(9) }), "not ready, can't be read, or is deleted"),
        (json!({ "op": "add_scene", "item_id": item(2), "type": "clip" }), "`type`: an image"),
        (json!({ "op": "add_scene", "item_id": item(1), "volume": 5 }), "`volume`: expected 0 to 4"),
        (json!({ "op": "add_scene", "color": "red" }), "`color`: expected a colour"),
        (json!({ "op": "add_scene", "item_id": item(1), "fade_in": 6, "fade_out": 6 }), "`fade_in`, `fade_out`"),
        (json!({ "op": "add_scene", "item_id": item(1), "scene_id": "a b" }), "`scene_id`: expected 1 to 64"),
        (json!({ "op": "add_scene", "item_id": item(1), "speed": 2 }), "unknown field `speed`"),
        (json!({ "op": "add_scene", "item_id": item(1), "transition": { "kind": "wipe" } }), "unknown variant `wipe`"),
        (json!({ "op": "remove_scene", "scene_id": "x" }), "no scene `x`"),
        (json!({ "op": "add_track", "item_id": item(4) }), "has no sound"),
        (json!({ "op": "set_audio", "slot": "music", "volume": 1 }), "missing field `ref`"),
        (json!({ "op": "add_track", "item_id": item(3), "duck_db": 3 }), "missing field `duck_under_voice`"),
        (json!({ "op": "add_overlay", "text": "x", "item_id": item(2) }), "of kind `text` has `text`"),
        (json!({ "op": "add_overlay", "item_id": item(1) }), "`ref`: the item is no image"),
        (json!({ "op": "add_overlay", "text": "x", "x": 1.5 }), "`x`: expected 0 to 1"),
        (json!({ "op": "add_overlay", "text": "x\0" }), "`text`: expected a text without NUL"),
        (json!({ "op": "set_format", "width": 640.5 }), "`width`, `height`: expected even"),
        (json!({ "op": "set_format", "width": 1e12 }), "`width`, `height`: expected even"),
        (json!({ "op": "set_format", "width": 1921 }), "`width`, `height`: expected even"),
        (json!({ "op": "set_format", "fps": 1000 }), "`fps`: expected"),
        (json!({ "op": "set_captions", "captions": { "source": "cues" } }), "`captions.cues`: expected with"),
        (json!({ "op": "dance" }), "unknown variant `dance`"),
    ] {
        let error = done(json!([op])).expect_err("wrong");
        assert!(error.contains(said), "{op}: {error}");
    }
    let overlapping = json!([{ "start": 0, "end": 2, "text": "a" }, { "start": 1, "end": 3, "text": "b" }]);
    let captions = json!({ "op": "set_captions", "captions": { "source": "cues", "cues": overlapping } });
    assert!(done(json!([captions])).unwrap_err().contains("`captions.cues[1]`"));
    let captions = json!({ "source": "cues", "cues": [{ "start": 0, "end": 1, "text": "a\0" }] });
    assert!(done(json!([{ "op": "set_captions", "captions": captions }])).unwrap_err().contains("`captions.cues[0]`"));
    let most: Vec<Value> = (0..=MOST_SCENES).map(|_| json!({ "op": "add_scene", "color": "#000000" })).collect();
    assert!(done(most.into()).unwrap_err().contains("at most 2000 scenes"));
}

#[test]
fn what_can_not_be_rendered_says_why() {
    let film = |timeline: &Timeline, sources: &Sources, format| {
        film_of(timeline, sources, &Speech::new(), &[], output(format, FilmQuality::Draft)).map(drop)
    };
    assert_eq!(film(&Timeline::new(), &sources(), FilmFormat::Mp4), Err(NotRenderable::Empty));
    let short = done(json!([{ "op": "add_scene", "item_id": item(1), "duration": 0.01 }])).unwrap();
    assert_eq!(film(&short, &sources(), FilmFormat::Mp4), Err(NotRenderable::TooShort));
    let color = done(json!([{ "op": "add_scene", "color": "#000000" }])).unwrap();
    assert_eq!(film(&color, &sources(), FilmFormat::Mp4), Err(NotRenderable::NoItem("`scene-1`".to_owned())));
    let sound = done(json!([{ "op": "add_track", "item_id": item(3) }])).unwrap();
    assert_eq!(film(&sound, &sources(), FilmFormat::Mov), Err(NotRenderable::NoPicture));
    assert_eq!(film(&sound, &sources(), FilmFormat::Wav), Ok(()));
    assert_eq!(film(&sound, &Sources::new(), FilmFormat::Wav), Err(NotRenderable::Gone(item(3))));
    let over = |start: usize| json!({ "op": "add_overlay", "item_id": item(2), "start": start, "duration": 3 });
    let apart = done(json!([clip(1), over(0), over(0), over(0), over(0), over(3), over(3)])).unwrap();
    assert_eq!(film(&apart, &sources(), FilmFormat::Mp4), Ok(()));
    let mut with_svg = sources();
    with_svg.get_mut(&item(2)).unwrap().media.is_svg = true;
    assert_eq!(film(&apart, &with_svg, FilmFormat::Mp4), Err(NotRenderable::Unfit(item(2), Unfit::Svg)));
    let crowded = done(json!([clip(1), over(0), over(1), over(2), over(2), over(2)])).unwrap();
    assert_eq!(film(&crowded, &sources(), FilmFormat::Mp4), Err(NotRenderable::Crowded(2.0)));
    assert_eq!(film(&crowded, &sources(), FilmFormat::Wav), Ok(()), "nothing is seen");
}

/// What a film of this timeline, in this format, lacks of it.
fn lacks(ops: Value, format: FilmFormat) -> Vec<String> {
    let timeline = done(ops).unwrap();
    let cues = timeline.captions.iter().flat_map(|captions| captions.cues.clone()).collect::<Vec<_>>();
    let film = film_of(&timeline, &sources(), &Speech::new(), &cues, output(format, FilmQuality::Standard));
    timeline.lacks(&film.unwrap())
}

#[test]
fn what_nobody_sees_or_hears_is_told_by_its_id_with_what_helps() {
    let over = |fields: Value| {
        let mut op = json!({ "op": "add_overlay", "overlay_id": "o", "text": "x", "start": 0, "duration": 2 });
        op.as_object_mut().unwrap().extend(fields.as_object().cloned().unwrap());
        op
    };
    let short = json!({ "op": "add_scene", "item_id": item(1), "duration": 0.01, "scene_id": "s" });
    let late = json!({ "op": "add_track", "item_id": item(3), "offset": 10, "track_id": "t" });
    let fading = json!({ "op": "update_scene", "scene_id": "scene-1",
        "transition": { "kind": "crossfade", "seconds": 1 } });
    let colored = json!({ "color": "#ffffff", "background": "#ff0000" });
    for (op, said) in [
        (fading, "The scene `scene-1` is the first, so its crossfade has nothing to fade from: give it a `fade_in`"),
        (
            short,
            "The scene `s` can't be seen: it lasts for less than a frame: give it a longer `duration`, or remove it.",
        ),
        (
            late,
            "The track `t` can't be heard: it begins at 10 s, and the film ends at 10 s: give it an earlier `offset`",
        ),
        (over(json!({ "start": 10 })), "it begins at 10 s, and the film ends at 10 s: give it an earlier `start`, or"),
        (
            over(json!({ "start": 0.03, "duration": 0.01 })),
            "it lasts for less than a frame: give it a longer `duration`",
        ),
        (over(json!({ "opacity": 0.003 })), "its opacity is 0.003: give it a higher `opacity`, or remove it."),
        (over(json!({ "x": 1 })), "it lies outside the picture: give it a smaller `x` or `y`, or remove it."),
        (over(json!({ "text": " \u{200b}\n" })), "its text has only blanks: give it another `text`, or remove it."),
        (
            over(json!({ "height": 0.005 })),
            "it has 1920 × 5 pixels: give it a larger `width` and `height`, or remove it.",
        ),
        (
            over(json!({ "text": "x\n".repeat(21) })),
            "The overlay `o` is cut after 20 lines: make it shorter, smaller or",
        ),
        (
            over(json!({ "text": "河" })),
            "The font lacks letters of the overlays `o`, and boxes stand in their place: 河.",
        ),
    ] {
        let told = lacks(json!([clip(1), op]), FilmFormat::Mp4);
        assert!(told.len() == 1 && told[0].contains(said), "{op}: {told:?}");
    }
    let dot = json!({ "op": "add_overlay", "item_id": item(2), "width": 0.001, "height": 0.001 });
    let line = json!({ "op": "add_overlay", "item_id": item(2), "height": 0.001, "duration": 1 });
    let told = lacks(json!([clip(1), dot, line]), FilmFormat::Mp4);
    assert!(told.len() == 1 && told[0].contains("`overlay-1`") && told[0].contains("1 × 1 pixels"), "{told:?}");
    for seen in [over(json!({ "text": " ", "style": colored })), over(json!({ "x": 0.99, "opacity": 0.01 }))] {
        assert_eq!(lacks(json!([clip(1), seen]), FilmFormat::Mp4), Vec::<String>::new(), "{seen}");
    }
    let unseen = json!([clip(1), over(json!({ "opacity": 0 }))]);
    assert_eq!(lacks(unseen, FilmFormat::Wav), Vec::<String>::new(), "it has no picture");
}

#[test]
fn however_much_is_unseen_the_list_is_short_and_says_how_much_more_there_is() {
    let clear = |_| json!({ "op": "add_overlay", "text": "x", "opacity": 0, "width": 0.05 });
    let told = lacks([clip(1)].into_iter().chain((0..60).map(clear)).collect(), FilmFormat::Mp4);
    assert_eq!((told.len(), told[50].as_str()), (51, "10 more of the kind."));
    let cue = |start: usize| json!({ "start": start, "end": start + 1, "text": if start < 10 { "河" } else { " " } });
    let captions = json!({ "source": "cues", "burn": true, "cues": (0..18).map(cue).collect::<Vec<_>>() });
    let told = lacks(json!([clip(1), { "op": "set_captions", "captions": captions }]), FilmFormat::Mp4);
    let [unseen, undrawn] = &told[..] else { panic!("{told:?}") };
    assert!(unseen.starts_with("The captions at 10 s, 11 s, 12 s, 13 s, 14 s and 3 more can't be seen: "), "{unseen}");
    assert!(undrawn.starts_with("The font lacks letters of the captions at 0 s, 1 s, 2 s, 3 s, 4 s and 5 more"));
}
