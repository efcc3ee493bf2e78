//! What the agent notes of the jobs that its calls started: what is held for them and what they were charged, and which
//! items and timelines were made.

use super::{Chat, PendingCall, PendingJob};
use crate::agent::reading::{has_ended, held, hundredths, started_reads, texts};
use crate::credits::Credits;
use crate::minutes::Minutes;
use serde_json::Value;

/// The most timelines, and the most items, that are remembered.
pub(super) const MOST_MADE: usize = 20;

impl Chat {
    /// Notes the jobs that a call started or joined, what is held for them, and what it made at once.
    pub(super) fn note_started(&mut self, call: &PendingCall, answer: &Value) {
        if call.arguments["dry_run"] == true {
            return;
        }
        let data = &answer["data"];
        let is_render = call.tool.starts_with("render_");
        let ms = hundredths(&data["duration_seconds"]) * 10;
        let (minutes, credits) = (held(answer), hundredths(&answer["meta"]["cost"]["credits"]));
        let mut jobs: Vec<(String, Option<i64>)> = Vec::new();
        if call.tool == "prepare_media" {
            let started = started_reads(answer);
            let own = |id: &String| started.own.iter().find(|(job, _)| job == id).map(|(_, held)| *held);
            jobs.extend(started.jobs.iter().map(|id| (id.clone(), own(id))));
        } else {
            let ids = data["job_id"].as_str().map(str::to_owned).into_iter().chain(texts(&data["job_ids"]));
            let is_own = minutes > 0 || credits > 0;
            jobs.extend(ids.map(|id| (id, is_own.then_some(0))));
            if let Some((_, Some(held))) = jobs.first_mut() {
                *held = minutes;
            }
        }
        for (place, (id, held)) in jobs.into_iter().enumerate() {
            if self.jobs.iter().any(|job| job.id == id) {
                continue;
            }
            let credits = if place == 0 && held.is_some() { credits } else { 0 };
            let minutes = held.unwrap_or(0);
            self.spent += minutes;
            self.credits += credits;
            self.jobs.push(PendingJob { id, is_own: held.is_some(), minutes, credits, is_render, ms });
        }
        if let Some(item) = data["output_item_id"].as_str() {
            self.note_item(item, ms, is_render || call.tool == "dub");
        }
        let timeline = match call.tool.as_str() {
            "create_timeline" | "edit_timeline" | "import_timeline" => &data["timeline"]["id"],
            "render_timeline" | "remove_silence" | "duck_music" | "dub" | "render_dub" => &data["timeline_id"],
            _ => &Value::Null,
        };
        if let Some(timeline) = timeline.as_str() {
            self.note_timeline(timeline);
        }
    }

    /// Notes which jobs have ended, by an answer of `get_jobs`: what they were charged, and what they made.
    pub(super) fn note_ended(&mut self, answer: &Value) {
        let ended = answer["data"]["jobs"].as_array().into_iter().flatten().filter(|job| has_ended(job));
        for job in ended {
            let Some(place) = self.jobs.iter().position(|own| job["id"] == *own.id) else { continue };
            let own = self.jobs.remove(place);
            if own.is_own {
                self.spent += hundredths(&job["cloud_minutes"]) - own.minutes;
                self.credits += hundredths(&job["credits"]) - own.credits;
            }
            if let Some(item) = job["result"]["item_id"].as_str() {
                // A dub is a film as well; the jobs before it, for its reads, make no item.
                self.note_item(item, own.ms, own.is_render || job["kind"] == "dub");
            }
            if let Some(timeline) = job["result"]["timeline_id"].as_str() {
                self.note_timeline(timeline);
            }
        }
    }

    /// Counts what its own jobs that have ended were charged, in place of what was held for them.
    pub fn settle(&mut self, charged: &dyn Fn(&str) -> Option<(Minutes, Credits)>) {
        let (spent, credits_spent) = (&mut self.spent, &mut self.credits);
        self.jobs.retain(|job| {
            let Some((minutes, credits)) = charged(&job.id).filter(|_| job.is_own) else { return true };
            *spent += minutes.hundredths() - job.minutes;
            *credits_spent += credits.hundredths() - job.credits;
            false
        });
    }

    fn note_item(&mut self, item: &str, ms: i64, is_render: bool) {
        if !is_render {
            self.made.retain(|(other, _)| other != item);
            self.made.insert(0, (item.to_owned(), ms));
            self.made.truncate(MOST_MADE);
        } else if self.outputs.len() < MOST_MADE && !self.outputs.iter().any(|(other, _)| other == item) {
            self.outputs.push((item.to_owned(), ms));
        }
    }

    pub(super) fn note_timeline(&mut self, timeline: &str) {
        self.timelines.retain(|other| other != timeline);
        self.timelines.insert(0, timeline.to_owned());
        self.timelines.truncate(MOST_MADE);
    }
}

#[cfg(test)]
mod tests {
    use super::super::ChatModel;
    use super::*;
    use crate::project::OutputType;
    use serde_json::json;

    #[test]
    fn of_jobs_that_a_stopped_run_left_what_they_were_charged_counts() {
        let model = ChatModel { id: "thinker", most_bytes: 1 << 20 };
        let mut chat = Chat::new("prj_1".to_owned(), "Draw".to_owned(), OutputType::Assembled, model);
        let call = |tool: &str| PendingCall {
            id: "call_1".to_owned(),
            tool: tool.to_owned(),
            arguments: json!({}),
            has_price: true,
            is_priced: true,
        };
        let held = |credits: f64, minutes: f64, job: &str| {
            let meta = json!({ "cost": { "credits": credits }, "cloud_processing": { "minutes": minutes } });
            json!({ "data": { "job_id": job }, "meta": meta })
        };
        chat.note_started(&call("generate_image"), &held(2.5, 0.0, "job_1"));
        chat.note_started(&call("render_timeline"), &held(0.0, 0.25, "job_2"));
        chat.note_started(&call("render_timeline"), &held(0.0, 0.0, "job_of_others"));
        assert_eq!((chat.spent, chat.credits), (25, 250));
        chat.settle(&|id| (id != "job_2").then_some((Minutes::ZERO, Credits::from_hundredths(40))));
        assert_eq!((chat.spent, chat.credits, chat.own_jobs().collect::<Vec<_>>()), (25, 40, vec!["job_2"]));
        chat.settle(&|_| Some((Minutes::ZERO, Credits::ZERO)));
        assert_eq!((chat.spent, chat.credits, chat.jobs.len()), (0, 40, 1), "those of others stay");
    }

    #[test]
    fn a_dub_is_a_film_that_was_made_whether_it_was_there_or_its_job_has_ended() {
        let arguments = json!({ "ref": "talk", "target_language": "es" });
        let (tool, id) = ("dub".to_owned(), "call_1".to_owned());
        let call = PendingCall { id, tool, arguments, has_price: true, is_priced: true };
        let begun = || {
            let model = ChatModel { id: "thinker", most_bytes: 1 << 20 };
            Chat::new("prj_1".to_owned(), "Dub the talk".to_owned(), OutputType::Assembled, model)
        };
        let (mut there, mut made) = (begun(), begun());
        there.note_started(&call, &json!({ "data": { "output_item_id": "talk_es", "timeline_id": "tml_1" } }));
        made.note_started(&call, &json!({ "data": { "job_id": "job_1" } }));
        let result = json!({ "item_id": "talk_es", "timeline_id": "tml_1" });
        let ended = json!({ "id": "job_1", "kind": "dub", "status": "succeeded", "result": result });
        made.note_ended(&json!({ "data": { "jobs": [ended] } }));
        for chat in [there, made] {
            assert_eq!((chat.outputs.len(), &*chat.outputs[0].0, &*chat.timelines[0]), (1, "talk_es", "tml_1"));
        }
    }
}
