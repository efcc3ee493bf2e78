//! The `levels` read against the cases of EBU Tech 3341 and 3342 that can be synthesised, and against ffmpeg.

use super::{Studio, assert_near};
use crate::readers::ReadOutcome;
use base64::Engine;
use domain::read::Read;
use serde_json::{Value, json};
use std::fmt::Write;

impl Studio {
    async fn levels(&self, name: &str, source: &str, arguments: &[&str]) -> ReadOutcome {
        let path = self.make(name, source, arguments);
        self.read(Read::Levels, &path).await.unwrap()
    }

    /// Levels of a 1 kHz sine in both channels of a stereo file, at each level (dBFS) for its seconds.
    async fn levels_of_tones(&self, tones: &[(f64, f64)]) -> Value {
        self.levels("tones.wav", &tones_source(tones, 2), &["-c:a", "pcm_s24le"]).await.stored.data
    }
}

/// A lavfi source of 1 kHz tones one after the other, the same in all channels.
fn tones_source(tones: &[(f64, f64)], channels: usize) -> String {
    let mut amplitude = String::new();
    let mut end = 0.0;
    for (decibels, seconds) in tones {
        end += seconds;
        write!(amplitude, "if(lt(t,{end}),pow(10,{decibels}/20),").unwrap();
    }
    amplitude.push('0');
    amplitude.push_str(&")".repeat(tones.len()));
    let tone = format!("sin(2*PI*1000*t)*{amplitude}").replace(',', "\\,");
    let all = vec![tone; channels].join("|");
    format!("aevalsrc=exprs={all}:s=48000:d={end}")
}

fn pairs(data: &Value) -> Vec<(i8, i8)> {
    let bytes = base64::engine::general_purpose::STANDARD.decode(data["peaks"].as_str().unwrap()).unwrap();
    bytes.chunks_exact(2).map(|pair| (pair[0].cast_signed(), pair[1].cast_signed())).collect()
}

#[tokio::test]
async fn a_stereo_sine_reads_its_own_level() {
    let studio = Studio::new();
    for level in [-23.0, -33.0] {
        let data = studio.levels_of_tones(&[(level, 20.0)]).await;
        assert_near(&data["integrated_lufs"], level, 0.1);
        assert_near(&data["max_momentary_lufs"], level, 0.1);
        assert_near(&data["max_short_term_lufs"], level, 0.1);
        assert_near(&data["short_term"][10], level, 0.1);
        assert_near(&data["true_peak_dbtp"], level, 0.2);
        assert_near(&data["sample_peak_dbfs"], level, 0.1);
        assert_near(&data["loudness_range_lu"], 0.0, 0.1);
        assert_eq!(data["short_term"].as_array().unwrap().len(), 20);
    }
}

#[tokio::test]
async fn quiet_parts_are_gated_as_in_cases_3_to_5_of_tech_3341() {
    let studio = Studio::new();
    for tones in [
        &[(-36.0, 10.0), (-23.0, 60.0), (-36.0, 10.0)][..],
        &[(-72.0, 10.0), (-36.0, 10.0), (-23.0, 60.0), (-36.0, 10.0), (-72.0, 10.0)],
        &[(-26.0, 20.0), (-20.0, 20.1), (-26.0, 20.0)],
    ] {
        assert_near(&studio.levels_of_tones(tones).await["integrated_lufs"], -23.0, 0.1);
    }
}

#[tokio::test]
async fn surround_counts_more_and_low_frequency_nothing() {
    let studio = Studio::new();
    let channel = |decibels: f64| format!("sin(2*PI*1000*t)*pow(10\\,{decibels}/20)");
    // Case 6: a 5.0 file reads -23 with -28, -28, -24, -30, -30 dBFS.
    let five: Vec<_> = [-28.0, -28.0, -24.0, -30.0, -30.0].map(channel).into();
    for layout in ["5.0", "5.0(side)"] {
        let source = format!("aevalsrc=exprs={}:s=48000:d=20:c={layout}", five.join("|"));
        let data = studio.levels("five.wav", &source, &["-c:a", "pcm_s24le"]).await.stored.data;
        assert_near(&data["integrated_lufs"], -23.0, 0.1);
    }
    // The same with a loud low-frequency channel, in a file that says where its channels are and in one that does not.
    let mut six = five.clone();
    six.insert(3, channel(-6.0));
    for (name, codec) in [("six.wav", "pcm_s24le"), ("six.flac", "flac"), ("six.mka", "pcm_f32le")] {
        let source = format!("aevalsrc=exprs={}:s=48000:d=20:c=5.1", six.join("|"));
        let data = studio.levels(name, &source, &["-c:a", codec]).await.stored.data;
        assert_near(&data["integrated_lufs"], -23.0, 0.1);
        assert_near(&data["sample_peak_dbfs"], -6.0, 0.1);
    }
}

#[tokio::test]
async fn a_short_tone_reaches_full_momentary_and_short_term_loudness() {
    let studio = Studio::new();
    let silence = (-120.0, 2.0);
    let data = studio.levels_of_tones(&[silence, (-23.0, 3.0), silence]).await;
    assert_near(&data["max_short_term_lufs"], -23.0, 0.1);
    // Cases 10 and 13: wherever the tone begins.
    for step in 0..20_u32 {
        let lead = (-120.0, f64::from(step) * 0.02 + 0.001);
        let data = studio.levels_of_tones(&[lead, (-23.0, 0.4), silence]).await;
        assert_near(&data["max_momentary_lufs"], -23.0, 0.1);
    }
    let data = studio.levels_of_tones(&[silence, (-23.0, 0.4), silence]).await;
    assert_near(&data["max_momentary_lufs"], -23.0, 0.1);
    assert_near(&data["max_short_term_lufs"], -23.0 + 10.0 * (0.4_f64 / 3.0).log10(), 0.1);
}

#[tokio::test]
async fn the_series_keeps_to_the_clock_at_a_rate_that_hundredths_do_not_divide() {
    let studio = Studio::new();
    let source = "aevalsrc=exprs=sin(2*PI*1000*t)*if(lt(t\\,300)\\,0.01\\,0.1):s=11025:d=400";
    let data = studio.levels("odd.wav", source, &[]).await.stored.data;
    let series = data["short_term"].as_array().unwrap();
    assert_eq!(series.len(), 400);
    assert!(series[299].as_f64().unwrap() < -42.0 && series[302].as_f64().unwrap() > -24.0, "{series:?}");
}

#[tokio::test]
async fn loudness_range_is_as_in_tech_3342() {
    let studio = Studio::new();
    for (tones, expected) in [
        (&[(-20.0, 20.0), (-30.0, 20.0)][..], 10.0),
        (&[(-20.0, 20.0), (-15.0, 20.0)], 5.0),
        (&[(-40.0, 20.0), (-20.0, 20.0)], 20.0),
        (&[(-50.0, 20.0), (-35.0, 20.0), (-20.0, 20.0), (-35.0, 20.0), (-50.0, 20.0)], 15.0),
    ] {
        assert_near(&studio.levels_of_tones(tones).await["loudness_range_lu"], expected, 1.0);
    }
}

#[tokio::test]
async fn a_peak_between_the_samples_is_found() {
    let studio = Studio::new();
    // A quarter of the sample rate at 45 degrees: every sample is 3 dB below the wave's own peak.
    let tone = "0.5*sin(2*PI*12000*t+PI/4)";
    let source = format!("aevalsrc=exprs={tone}|{tone}:s=48000:d=2");
    let data = studio.levels("between.wav", &source, &["-c:a", "pcm_s24le"]).await.stored.data;
    assert_near(&data["sample_peak_dbfs"], -9.03, 0.1);
    let true_peak = data["true_peak_dbtp"].as_f64().unwrap();
    assert!((-6.4..=-5.8).contains(&true_peak), "{true_peak}");
}

#[tokio::test]
async fn silence_has_no_level_and_is_no_error() {
    let studio = Studio::new();
    let outcome = studio.levels("silence.wav", "anullsrc=r=44100:cl=stereo:d=5", &[]).await;
    let mut data = outcome.stored.data;
    assert_eq!(pairs(&data), vec![(0, 0); 2000]);
    data.as_object_mut().unwrap().remove("peaks");
    assert_eq!(
        data,
        json!({
            "integrated_lufs": null,
            "loudness_range_lu": 0.0,
            "true_peak_dbtp": null,
            "sample_peak_dbfs": null,
            "max_momentary_lufs": null,
            "max_short_term_lufs": null,
            "short_term_interval_seconds": 1.0,
            "sound_seconds": 5.0,
            "short_term": [null, null, null, null, null],
        })
    );
    assert_eq!(outcome.duration_ms, 5_000);
}

#[tokio::test]
async fn peaks_follow_the_sound_whatever_its_length() {
    let studio = Studio::new();
    for seconds in ["0.02", "1", "100"] {
        let source = format!("aevalsrc=exprs=0.5*lt(t\\,{seconds}/2)|-1*gte(t\\,{seconds}/2):s=8000:d={seconds}");
        let data = studio.levels("halves.wav", &source, &["-c:a", "pcm_f32le"]).await.stored.data;
        let pairs = pairs(&data);
        assert_eq!(pairs.len(), 2000);
        assert!(data["peaks"].as_str().unwrap().len() <= 5_400);
        assert!(pairs[..980].iter().all(|pair| *pair == (0, 64)), "{seconds}");
        assert!(pairs[1020..].iter().all(|pair| *pair == (-127, 0)), "{seconds}");
    }
}

#[tokio::test]
async fn ffmpeg_measures_the_same() {
    let studio = Studio::new();
    let mix = "anoisesrc=d=40:c=pink:r=44100:a=0.4:seed=7[n];sine=f=330:d=40:r=44100[s];\
               [n][s]amix=inputs=2,tremolo=f=0.1:d=0.9,aformat=channel_layouts=stereo";
    for (name, codec) in
        [("mix.wav", "pcm_s16le"), ("mix.mp3", "libmp3lame"), ("mix.m4a", "aac"), ("mix.opus", "libopus")]
    {
        let path = studio.make(name, mix, &["-c:a", codec]);
        let said = studio.run(
            "ffmpeg",
            &["-nostdin", "-hide_banner", "-i", name, "-filter:a", "ebur128=peak=true", "-f", "null", "-"],
        );
        let summary = said.rsplit_once("Summary:").unwrap().1;
        let theirs = |label: &str| {
            let value = summary.split_once(label).unwrap().1.split_whitespace().next().unwrap();
            value.parse::<f64>().unwrap()
        };
        let data = studio.read(Read::Levels, &path).await.unwrap().stored.data;
        assert_near(&data["integrated_lufs"], theirs("I:"), 0.1);
        assert_near(&data["loudness_range_lu"], theirs("LRA:"), 0.3);
        assert_near(&data["true_peak_dbtp"], theirs("Peak:"), 0.3);
    }
}

#[tokio::test]
async fn the_engine_is_the_one_that_is_built_in() {
    let studio = Studio::new();
    let outcome = studio.levels("sine.wav", "sine=d=2", &[]).await;
    let mut stored = serde_json::to_value(&outcome.stored).unwrap();
    stored.as_object_mut().unwrap().remove("data");
    assert_eq!(
        stored,
        json!({
            "schema": 1,
            "kind": "levels",
            "engine": {"name": "ebur128", "version": "0.1", "model": null},
            "duration_seconds": 2.0,
            "quality": "standard",
            "warnings": [],
        })
    );
}

#[tokio::test]
async fn sound_that_starts_late_is_measured_where_it_is() {
    let studio = Studio::new();
    studio.make("tone.wav", &tones_source(&[(-20.0, 3.0)], 2), &[]);
    let late = ["-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc=d=6:s=64x48:r=10", "-itsoffset", "2"];
    let rest = ["-i", "tone.wav", "-c:a", "pcm_s16le", "-c:v", "mpeg4", "late.mkv"];
    studio.run("ffmpeg", &[&late[..], &rest[..]].concat());
    let outcome = studio.read(Read::Levels, &studio.path("late.mkv")).await.unwrap();
    assert_eq!(outcome.stored.data["short_term"][1], Value::Null);
    assert_near(&outcome.stored.data["short_term"][4], -20.0, 0.2);
    assert!((4_990..=5_010).contains(&outcome.duration_ms), "{}", outcome.duration_ms);
}
