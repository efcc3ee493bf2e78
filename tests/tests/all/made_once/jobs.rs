//! Jobs that are started: reads, renders, generations and dubs, and the timelines that come of a stored read instead.

use super::bench::{Case, case};

const JOBS: &str = "SELECT count(*) FROM jobs";
const TIMELINES: &str = "SELECT count(*) FROM documents WHERE kind = 'timeline'";

/// The cases.
pub const CASES: &[Case] = &[
    case("POST /tools/prepare_media", r#"{"refs":["{item}"],"reads":["levels"]}"#, r#"{"reads":["beats"]}"#, JOBS),
    case("POST /tools/transcribe_media", r#"{"ref":"{item}"}"#, r#"{"ref":"{second}"}"#, JOBS),
    case("POST /tools/speakers", r#"{"ref":"{item}"}"#, r#"{"ref":"{second}"}"#, JOBS),
    case("POST /tools/detect_beats", r#"{"ref":"{item}"}"#, r#"{"ref":"{second}"}"#, JOBS),
    // The read that it needs, what is made of a stored one by a job, and the timeline of that.
    case("POST /tools/remove_silence", r#"{"ref":"{item}"}"#, r#"{"padding_ms":51}"#, JOBS),
    case("POST /tools/remove_silence", r#"{"ref":"{talk}","render":true}"#, r#"{"padding_ms":51}"#, JOBS),
    case("POST /tools/remove_silence", r#"{"ref":"{talk}","timeline":true}"#, r#"{"padding_ms":51}"#, TIMELINES),
    case("POST /tools/duck_music", r#"{"voice_ref":"{item}","music_ref":"{second}"}"#, r#"{"duck_db":9}"#, JOBS),
    case(
        "POST /tools/duck_music",
        r#"{"voice_ref":"{talk}","music_ref":"{item}","render":true}"#,
        r#"{"duck_db":9}"#,
        JOBS,
    ),
    case(
        "POST /tools/duck_music",
        r#"{"voice_ref":"{talk}","music_ref":"{item}","timeline":true}"#,
        r#"{"duck_db":9}"#,
        TIMELINES,
    ),
    case("POST /tools/render_timeline", r#"{"timeline_id":"{timeline}"}"#, r#"{"quality":"draft"}"#, JOBS),
    case("POST /tools/render_canvas", r#"{"canvas_id":"{canvas}"}"#, r#"{"scale":2}"#, JOBS),
    case("POST /tools/generate_image", r#"{"prompt":"a kite"}"#, r#"{"prompt":"a boat"}"#, JOBS),
    case("POST /tools/generate_video", r#"{"prompt":"a kite"}"#, r#"{"prompt":"a boat"}"#, JOBS),
    case("POST /tools/generate_audio", r#"{"text":"a kite"}"#, r#"{"text":"a boat"}"#, JOBS),
    case("POST /tools/upscale_media", r#"{"ref":"{item}","factor":2}"#, r#"{"factor":4}"#, JOBS),
    case("POST /tools/cut_out", r#"{"ref":"{item}"}"#, r##"{"color":"#00ff00"}"##, JOBS),
    // The read that it needs, and the dub itself.
    case("POST /tools/dub", r#"{"ref":"{item}","target_language":"es"}"#, r#"{"keep_background":true}"#, JOBS),
    case(
        "POST /tools/dub",
        r#"{"ref":"{item}","target_language":"es","script":[{"start":0,"end":2,"text":"Hola."}]}"#,
        r#"{"keep_background":true}"#,
        JOBS,
    ),
    case("POST /tools/render_dub", r#"{"dub_id":"{dub}"}"#, "", JOBS),
];
