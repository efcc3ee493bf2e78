//! Reads from tools' answers what the agent uses of them.

use super::moments::WordHit;
use serde_json::Value;

/// The most characters that are kept of the words of a place.
const MOST_TEXT: usize = 200;

/// Jobs that a call started or joined.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Started {
    /// The ids of all of them.
    pub jobs: Vec<String>,
    /// The ids of those that this call started, with the hundredths of a minute held for each.
    pub own: Vec<(String, i64)>,
    /// Why other reads did not start, each reason once.
    pub why_not: Vec<String>,
}

/// Returns the jobs that `prepare_media` started or joined.
pub fn started_reads(answer: &Value) -> Started {
    let mut started = Started { jobs: texts(&answer["data"]["job_ids"]), ..Started::default() };
    let items = answer["data"]["items"].as_array().into_iter().flatten();
    for read in items.flat_map(|item| item["reads"].as_array().into_iter().flatten()) {
        if let (Some(job), Some(false)) = (read["job_id"].as_str(), read["already_queued"].as_bool()) {
            started.own.push((job.to_owned(), hundredths(&read["estimated_minutes"])));
        }
        let is_refused = ["refused", "held"].iter().any(|status| read["status"] == *status);
        if let Some(message) = read["reason"]["message"].as_str().filter(|_| is_refused)
            && !started.why_not.iter().any(|why| why == message)
        {
            started.why_not.push(message.to_owned());
        }
    }
    started
}

/// Returns the places where `search_footage` found the word of this index.
pub fn found(answer: &Value, word: usize) -> Vec<WordHit> {
    let matches = answer["data"]["matches"].as_array().into_iter().flatten();
    let one = |one: &Value| {
        let moment = &one["moment"];
        Some(WordHit {
            item: one["item_id"].as_str()?.to_owned(),
            start: ms(&one["start"])?,
            end: ms(&one["end"])?,
            shot: ms(&moment["start"]).zip(ms(&moment["end"])),
            score: hundredths(&one["score"]),
            word,
            text: one["text"].as_str().unwrap_or_default().chars().take(MOST_TEXT).collect(),
        })
    };
    matches.filter_map(one).collect()
}

/// Returns the ids of the items whose transcripts these jobs have stored.
pub fn transcribed(jobs: &[Value]) -> Vec<&str> {
    let done = jobs.iter().filter(|job| job["read"] == "transcript" && job["status"] == "succeeded");
    done.filter_map(|job| job["item_id"].as_str()).collect()
}

/// Returns the cloud minutes that a call holds, or would hold, in hundredths.
pub fn held(answer: &Value) -> i64 {
    hundredths(&answer["meta"]["cloud_processing"]["minutes"])
}

/// Returns a number in hundredths, rounded; 0 if it is no number.
pub fn hundredths(number: &Value) -> i64 {
    #[expect(clippy::cast_possible_truncation, reason = "a cast of a float saturates")]
    number.as_f64().map_or(0, |number| (number * 100.0).round() as i64)
}

/// Converts seconds of JSON to milliseconds; `None` if they are no number or negative.
pub fn ms(seconds: &Value) -> Option<i64> {
    #[expect(clippy::cast_possible_truncation, reason = "a cast of a float saturates, and no media lasts so long")]
    seconds.as_f64().filter(|seconds| *seconds >= 0.0).map(|seconds| (seconds * 1000.0).round() as i64)
}

/// Returns the strings of a list.
pub fn texts(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(|text| text.as_str().map(str::to_owned)).collect()
}

/// Whether a job of an answer has ended.
pub fn has_ended(job: &Value) -> bool {
    ["succeeded", "failed", "cancelled"].iter().any(|status| job["status"] == *status)
}

/// Returns why a job did not succeed.
pub fn why_not(job: &Value) -> &str {
    job["error"]["message"].as_str().unwrap_or("it was cancelled.")
}
