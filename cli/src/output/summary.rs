//! Shows a stored read in one line, or as text.

use domain::read::Read;
use serde_json::Value;
use std::fmt::Write;

/// Characters of a transcript in a line.
const SHOWN_CHARS: usize = 60;

/// Returns a stored read's result in one line. Of a read that only later versions know, it says that it is stored.
pub fn summary(read: &str, stored: &Value) -> String {
    let data = &stored["data"];
    let count = |name: &str| data[name].as_array().map_or(0, Vec::len);
    let number = |name: &str, unit: &str| data[name].as_f64().map(|value| format!("{value:.1} {unit}"));
    let found = match Read::from_name(read) {
        Some(Read::Transcript) if said(data).trim().is_empty() => "no words".to_owned(),
        Some(Read::Transcript) => {
            let text = said(data);
            let shown: String = text.chars().take(SHOWN_CHARS).collect();
            let more = if text.chars().count() > SHOWN_CHARS { "…" } else { "" };
            format!("{}: “{shown}{more}”", counted(text.split_whitespace().count(), "word"))
        }
        Some(Read::SearchIndex) if count("written") > 0 => {
            format!("{}, text in {}", counted(count("moments"), "moment"), counted(count("written"), "picture"))
        }
        Some(Read::SearchIndex) => counted(count("moments"), "moment"),
        Some(Read::Speech) => {
            let ratio = data["speech_ratio"].as_f64().unwrap_or_default() * 100.0;
            format!("{}, {ratio:.0} % speech", counted(count("segments"), "segment"))
        }
        Some(Read::Speakers) => {
            format!("{}, {}", counted(count("speakers"), "speaker"), counted(count("segments"), "turn"))
        }
        Some(Read::Beats) => {
            let tempo = data["tempo"].as_f64().map_or_else(|| "no tempo".to_owned(), |bpm| format!("{bpm:.1} BPM"));
            format!("{tempo}, {}", counted(count("beat_times"), "beat"))
        }
        Some(Read::Levels) => {
            let loudness = number("integrated_lufs", "LUFS").unwrap_or_else(|| "silence".to_owned());
            let parts = [Some(loudness), number("loudness_range_lu", "LU range"), number("true_peak_dbtp", "dBTP")];
            parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
        }
        None => "stored".to_owned(),
    };
    if stored["quality"] == "draft" { format!("{found} (draft)") } else { found }
}

/// The text of a transcript.
fn said(data: &Value) -> &str {
    data["text"].as_str().unwrap_or_default()
}

/// A number with its noun: `1 turn`, `2 turns`.
pub fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// Returns a stored read as text: its words, or a line for each segment. Text in pictures follows the moments, in
/// brackets.
pub fn text(read: &str, stored: &Value) -> String {
    let data = &stored["data"];
    let mut text = String::new();
    let times = |row: &Value| (row["start"].as_f64().unwrap_or_default(), row["end"].as_f64().unwrap_or_default());
    let rows = |name: &str| data[name].as_array().map_or(&[][..], Vec::as_slice);
    match Read::from_name(read) {
        Some(Read::Transcript) => said(data).clone_into(&mut text),
        Some(Read::Speech | Read::Speakers) => {
            for row in rows("segments") {
                let (start, end) = times(row);
                let _infallible =
                    writeln!(text, "{start:9.2} {end:9.2} {}", row["speaker"].as_str().unwrap_or("speech"));
            }
        }
        Some(Read::SearchIndex) => {
            for row in rows("moments") {
                let (start, end) = times(row);
                let _infallible = writeln!(text, "{start:9.2} {end:9.2} {}", row["text"].as_str().unwrap_or_default());
            }
            for row in rows("written") {
                let (start, end) = times(row);
                let words = row["words"].as_array().into_iter().flatten().filter_map(|word| word["text"].as_str());
                let words = words.collect::<Vec<_>>().join(" ");
                let _infallible = writeln!(text, "{start:9.2} {end:9.2} [{words}]");
            }
        }
        Some(Read::Beats) => {
            for time in rows("beat_times") {
                let _infallible = writeln!(text, "{:9.3}", time.as_f64().unwrap_or_default());
            }
        }
        Some(Read::Levels) | None => {
            let single =
                data.as_object().into_iter().flatten().filter(|(_, value)| value.is_number() || value.is_null());
            for (name, value) in single {
                let _infallible = writeln!(text, "{name} {value}");
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_read_says_what_it_found_in_one_line() {
        let levels = json!({ "data": { "integrated_lufs": -23.04, "loudness_range_lu": 3.2, "true_peak_dbtp": -1.0 } });
        assert_eq!(summary("levels", &levels), "-23.0 LUFS, 3.2 LU range, -1.0 dBTP");
        let silence = json!({ "data": { "integrated_lufs": null } });
        assert_eq!(summary("levels", &silence), "silence");
        let speech = json!({ "data": { "segments": [{}], "speech_ratio": 0.934 } });
        assert_eq!(summary("speech", &speech), "1 segment, 93 % speech");
        let draft = json!({ "quality": "draft", "data": { "text": "go forward ten metres" } });
        assert_eq!(summary("transcript", &draft), "4 words: “go forward ten metres” (draft)");
        let silent = json!({ "quality": "draft", "data": { "text": " ", "words": [] } });
        assert_eq!(summary("transcript", &silent), "no words (draft)");
        let beats = json!({ "data": { "tempo": 120.0, "beat_times": [0.5, 1.0] } });
        assert_eq!(summary("beats", &beats), "120.0 BPM, 2 beats");
        let index = json!({ "data": { "moments": [{}, {}], "written": [{}] } });
        assert_eq!(summary("search_index", &index), "2 moments, text in 1 picture");
    }

    #[test]
    fn text_has_a_line_a_segment_and_a_transcript_its_words_alone() {
        let speakers = json!({ "data": { "segments": [{ "start": 0.0, "end": 1.5, "speaker": "A" }] } });
        assert_eq!(text("speakers", &speakers), "     0.00      1.50 A\n");
        assert_eq!(text("transcript", &json!({ "data": { "text": "hello" } })), "hello");
        let written = json!({ "start": 0.5, "end": 2.0, "words": [{ "text": "Lisbon" }, { "text": "grew" }] });
        let moments = json!([{ "start": 0.0, "end": 2.0, "text": "so" }]);
        let index = json!({ "data": { "moments": moments, "written": [written] } });
        assert_eq!(text("search_index", &index), "     0.00      2.00 so\n     0.50      2.00 [Lisbon grew]\n");
        let levels = json!({ "data": { "integrated_lufs": -23.0, "short_term": [1, 2] } });
        assert_eq!(text("levels", &levels), "integrated_lufs -23.0\n");
    }
}
