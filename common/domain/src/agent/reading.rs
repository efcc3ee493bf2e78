//! What tools answer, as far as the agent looks at it.

use super::library::ms;
use super::moments::Found;
use serde_json::Value;

/// Characters of what is said that are kept of a place.
const MOST_TEXT: usize = 200;

/// Jobs that a call started or joined.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Started {
    /// All of them.
    pub jobs: Vec<String>,
    /// Those that this call started, with what is held for each.
    pub own: Vec<(String, i64)>,
    /// Why others did not start, each reason once.
    pub why_not: Vec<String>,
}

/// What `prepare_media` started.
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

/// Where `search_footage` found the word of this place.
pub fn found(answer: &Value, word: usize) -> Vec<Found> {
    let matches = answer["data"]["matches"].as_array().into_iter().flatten();
    let one = |one: &Value| {
        let moment = &one["moment"];
        Some(Found {
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

/// The minutes that a call holds, or would hold, in hundredths.
pub fn held(answer: &Value) -> i64 {
    hundredths(&answer["meta"]["cloud_processing"]["minutes"])
}

/// A number with two decimals in hundredths.
pub fn hundredths(number: &Value) -> i64 {
    #[expect(clippy::cast_possible_truncation, reason = "a cast of a float saturates")]
    number.as_f64().map_or(0, |number| (number * 100.0).round() as i64)
}

/// The texts of a list.
pub fn texts(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(|text| text.as_str().map(str::to_owned)).collect()
}

/// Whether a job has ended.
pub fn has_ended(job: &Value) -> bool {
    ["succeeded", "failed", "cancelled"].iter().any(|status| job["status"] == *status)
}
