//! What whoever edits a timeline is told: why something can't be, and what of it nobody sees or hears.

use super::super::*;
use super::{clip, done, item, output, sources};
use crate::film::{FilmFormat, FilmQuality};
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
        (json!({ "op": "add_overlay", "item_id": item(1) }), "an overlay shows an image"),
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
    assert_eq!(film(&color, &sources(), FilmFormat::Mp4), Err(NotRenderable::NoItem));
    let sound = done(json!([{ "op": "add_track", "item_id": item(3) }])).unwrap();
    assert_eq!(film(&sound, &sources(), FilmFormat::Mov), Err(NotRenderable::NoPicture));
    assert_eq!(film(&sound, &sources(), FilmFormat::Wav), Ok(()));
    assert_eq!(film(&sound, &Sources::new(), FilmFormat::Wav), Err(NotRenderable::Gone(item(3))));
    let over = |start: usize| json!({ "op": "add_overlay", "item_id": item(2), "start": start, "duration": 3 });
    let apart = done(json!([clip(1), over(0), over(0), over(0), over(0), over(3), over(3)])).unwrap();
    assert_eq!(film(&apart, &sources(), FilmFormat::Mp4), Ok(()));
    let crowded = done(json!([clip(1), over(0), over(1), over(2), over(2), over(2)])).unwrap();
    assert_eq!(film(&crowded, &sources(), FilmFormat::Mp4), Err(NotRenderable::Crowded(2.0)));
    assert_eq!(film(&crowded, &sources(), FilmFormat::Wav), Ok(()), "nothing is seen");
}
