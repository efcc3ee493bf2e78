//! What a probe makes of what `ffprobe` says, right or wrong.

use super::*;

fn rate(base: &str, average: &str) -> String {
    let stream = serde_json::json!({ "index": 0, "r_frame_rate": base, "avg_frame_rate": average });
    serde_json::from_value::<Stream>(stream).unwrap().frame_rate().to_string()
}

#[test]
fn cuts_stand_on_the_frames_that_a_picture_has() {
    assert_eq!(rate("30000/1001", "30000/1001"), "30000/1001");
    // A telephone's frames come nearly every thirtieth of a second.
    assert_eq!(rate("30/1", "2983000/100003"), "30/1");
    // A screen that is recorded when it changes, on a clock of milliseconds; a slide show; one that says nothing.
    assert_eq!(rate("1000/1", "14277/1000"), "14/1");
    assert_eq!(rate("1/5", "1/5"), "1/1");
    assert_eq!(rate("90000/1", "0/0"), "120/1");
    assert_eq!(rate("0/0", "0/0"), "25/1");
}

#[test]
fn a_picture_is_as_wide_as_it_is_shown_and_a_cover_is_not_the_film() {
    let cover = serde_json::json!({
        "index": 0, "codec_type": "video", "width": 500, "height": 500, "disposition": { "attached_pic": 1 },
    });
    let film = |rotation: i32| {
        let film = serde_json::json!({
            "index": 1, "codec_type": "video", "width": 128, "height": 64, "side_data_list": [{}, { "rotation": rotation }],
        });
        let described = serde_json::json!({ "format": { "format_name": "mov" }, "streams": [cover, film] });
        let probe = serde_json::from_value::<Described>(described).unwrap().checked(&MediaLimits::default()).unwrap();
        (probe.width, probe.height)
    };
    for degrees in [90, -90, 270] {
        assert_eq!(film(degrees), (Some(64), Some(128)), "{degrees}");
    }
    for degrees in [0, 180, -180] {
        assert_eq!(film(degrees), (Some(128), Some(64)), "{degrees}");
    }
}

#[test]
fn a_frame_rate_is_a_fraction_and_never_nonsense() {
    assert_eq!(Fraction::of("30000/1001").map(to_three_places), Some(29.97));
    assert_eq!(Fraction::of("25/1").map(to_three_places), Some(25.0));
    for nonsense in ["0/0", "1/0", "-1/1", "x/y", "25", "nan/1"] {
        assert!(Fraction::of(nonsense).is_none(), "{nonsense}");
    }
}
