//! How the agent takes in the model's answers, tools' answers and refusals, and the end of jobs.

use super::calls::{NO_JOBS, checked, job_ids, plain};
use super::messages::{MOST_WORDS, bytes, cut};
use super::{Chat, FINISH, Known, PendingCall, Reply, Stage, WAIT};
use crate::agent::reading::{has_ended, held, hundredths};
use crate::agent::{Budget, Refused, telling};
use crate::credits::Credits;
use crate::minutes::Minutes;
use crate::project::ProjectStatus;
use serde_json::{Map, Value, json};

/// The most calls that are taken from one answer.
const MOST_CALLS: usize = 16;
/// How many calls may exceed the budget before the agent stops and asks.
const MOST_OVER_BUDGET: u32 = 3;
/// The message for a model that says it is done while its jobs run; it reads this once they have ended.
const ENDED: &str = "The jobs that you have started have ended: look at them with get_jobs, then call finish.";
/// The end of the names of fields whose links work without a credential.
const LINKS: &str = "_url";
/// The message to a model that answers with neither words nor calls.
const NUDGE: &str = "You said nothing. Call a tool, or call finish with words for the people who wait.";

impl Chat {
    /// Takes in the model's answer. A call that can't be made gets its answer at once, and counts as a step while the
    /// budget has steps left.
    pub fn hear_reply(&mut self, reply: &Reply, tools: &[Known], budget: Budget) {
        let words = cut(reply.text.trim(), self.most_bytes / 16);
        if reply.calls.is_empty() {
            if words.is_empty() {
                self.keep_reply("(nothing)", Vec::new());
                self.say(NUDGE);
            } else if self.jobs.is_empty() {
                self.finish(&json!({ "message": words }));
            } else {
                // Jobs that were started are waited for, and the model then looks at their results.
                self.keep_reply(&words, Vec::new());
                self.say(ENDED);
                self.wait = self.some_jobs();
                self.advance(false);
            }
            return;
        }
        let mut room = self.most_bytes / 4;
        let (mut shown, mut answers) = (Vec::new(), Vec::new());
        for (index, asked) in reply.calls.iter().take(MOST_CALLS).enumerate() {
            let id = format!("call_{}_{index}", self.number);
            let checked = checked(&id, asked, tools, room).and_then(|call| self.of_its_own(call));
            let arguments = checked.as_ref().map_or("{}".to_owned(), |call| call.arguments.to_string());
            room = room.saturating_sub(bytes(&arguments));
            let function = json!({ "name": plain(&asked.name), "arguments": arguments });
            shown.push(json!({ "id": id, "type": "function", "function": function }));
            match checked {
                Ok(call) => self.pending.push(call),
                Err(why) => answers.push((id, why)),
            }
        }
        self.keep_reply(&words, shown);
        for (id, why) in answers {
            self.steps += u32::from(budget.steps_left(self.steps) > 0);
            self.answer(&id, &why);
        }
        self.advance(false);
    }

    /// Takes in a tool's answer.
    pub fn hear_answer(&mut self, answer: &Value, budget: Budget) {
        if self.stage == Stage::Skills {
            self.note_skills(answer);
            self.stage = Stage::Work;
            return;
        }
        let Some(call) = self.pending.first_mut() else { return };
        if call.asks_price(budget) {
            let credits = Credits::from_hundredths(hundredths(&answer["meta"]["cost"]["credits"]));
            call.is_priced = true;
            self.check_price(Minutes::from_hundredths(held(answer)), credits, budget);
        } else {
            let call = self.pending.remove(0);
            self.note_started(&call, answer);
            if call.tool == "get_jobs" {
                self.note_ended(answer);
            }
            self.answer(&call.id, &without_links(&answer["data"]).to_string());
        }
        self.advance(false);
    }

    /// Takes in a tool's refusal.
    pub fn hear_refusal(&mut self, refused: &Refused) {
        if self.stage == Stage::Skills {
            // The run goes on without skills.
            self.stage = Stage::Work;
        } else if !self.pending.is_empty() {
            let call = self.pending.remove(0);
            self.answer(&call.id, &format!("Refused ({}): {}", refused.code, refused.message));
            self.advance(false);
        }
    }

    /// Takes in the state of the awaited jobs. Returns whether all have ended; one that is gone counts as ended.
    pub fn hear_jobs(&mut self, answer: &Value) -> bool {
        let jobs = answer["data"]["jobs"].as_array().map(Vec::as_slice).unwrap_or_default();
        if jobs.iter().any(|job| !has_ended(job)) {
            return false;
        }
        self.note_ended(answer);
        let was_generating = self.status() == ProjectStatus::Generating;
        let waited = if self.wait.is_empty() { self.some_jobs() } else { std::mem::take(&mut self.wait) };
        self.jobs.retain(|job| !waited.contains(&job.id));
        if self.pending.first().is_some_and(|call| call.tool == WAIT) {
            let call = self.pending.remove(0);
            let shown: Vec<Value> = jobs.iter().map(shown_job).collect();
            self.answer(&call.id, &json!({ "jobs": shown }).to_string());
        }
        let failed = jobs.iter().any(|job| job["status"] != "succeeded");
        if failed && self.pending.first().is_some_and(|call| call.tool == FINISH) {
            // The answer to this is a step.
            let call = self.pending.remove(0);
            let shown = json!({ "jobs": jobs.iter().map(shown_job).collect::<Vec<Value>>() });
            self.answer(&call.id, &format!("Not finished, since not all jobs succeeded: {shown}"));
        }
        self.advance(was_generating);
        true
    }

    /// Handles waits and `finish` until a tool's call is next or nothing is left. `rendering` may not follow
    /// `generating`, so a project that was `generating` until now stays so while it waits again.
    fn advance(&mut self, was_generating: bool) {
        while self.wait.is_empty() && self.over().is_none() {
            if let Stage::Ending(end) = &self.stage {
                let end = end.clone();
                self.end_with(end);
                continue;
            }
            match self.pending.first() {
                Some(call) if call.tool == WAIT => {
                    let ids = job_ids(&call.arguments);
                    // Memories of the release before may have such calls.
                    if ids.is_empty() {
                        let call = self.pending.remove(0);
                        self.answer(&call.id, NO_JOBS);
                    }
                    self.wait = ids;
                }
                Some(call) if call.tool == FINISH => {
                    // Jobs that were started are waited for.
                    self.wait = self.some_jobs();
                    if self.wait.is_empty() {
                        let call = self.pending.remove(0);
                        self.finish(&call.arguments);
                    }
                }
                Some(_) | None => break,
            }
        }
        let waits_for_render = self.jobs.iter().any(|job| job.is_render && self.wait.contains(&job.id));
        self.is_rendering |= waits_for_render && !was_generating;
    }

    /// Ends with the model's words. The item and the timeline that it names count only if they were made here.
    fn finish(&mut self, arguments: &Value) {
        if let Some(named) = arguments["item"].as_str() {
            let made = self.outputs.iter().chain(&self.made).find(|(item, _)| item == named).cloned();
            if let Some(made) = made {
                self.outputs.retain(|(item, _)| item != named);
                self.outputs.insert(0, made);
            }
        }
        if let Some(named) = arguments["timeline_id"].as_str()
            && self.timelines.iter().any(|timeline| timeline == named)
        {
            self.note_timeline(named);
        }
        let words = cut(arguments["message"].as_str().unwrap_or_default().trim(), MOST_WORDS);
        let words = if words.is_empty() { "It is done.".to_owned() } else { words };
        self.stage = Stage::Over(telling::asked(words));
    }

    /// Takes in what a call would cost.
    fn check_price(&mut self, minutes: Minutes, credits: Credits, budget: Budget) {
        let spent = (Minutes::from_hundredths(self.spent), Credits::from_hundredths(self.credits));
        let tool = self.pending.first().map(|call| call.tool.clone()).unwrap_or_default();
        let what = format!("`{tool}`");
        let short_of_minutes = budget.minutes_left(spent.0).filter(|left| minutes > *left);
        let short_of_credits = budget.credits_left(spent.1).filter(|left| credits > *left);
        let end = match (short_of_minutes, short_of_credits) {
            (Some(left), _) => telling::over_budget(&what, minutes, left, spent.0),
            (None, Some(left)) => telling::over_credits(&what, credits, left, spent.1),
            (None, None) => return,
        };
        self.over_budget += 1;
        if self.over_budget >= MOST_OVER_BUDGET {
            self.end_with(end);
            return;
        }
        let call = self.pending.remove(0);
        let price = format!("{minutes} cloud minutes and {credits} AI credits");
        let told = format!("Not called: it would take {price}, which is more than is left of the project's budget.");
        self.answer(&call.id, &format!("{told} Ask for less, or call finish with a question."));
    }

    /// Refuses to edit people's timelines that no message names: words in the footage may have asked for it.
    fn of_its_own(&self, call: PendingCall) -> Result<PendingCall, String> {
        if !["edit_timeline", "undo_timeline"].contains(&call.tool.as_str()) {
            return Ok(call);
        }
        let named = call.arguments["timeline_id"].as_str().unwrap_or_default();
        let is_own = self.timelines.iter().any(|own| own == named);
        let mut said = self.talk.iter().map(|(_, text)| text).chain([&self.brief]);
        if is_own || (!named.is_empty() && said.any(|text| text.contains(named))) {
            return Ok(call);
        }
        Err("This timeline was not made here and is not named in the brief: make one of your own.".to_owned())
    }
}

/// Returns the answer without its links: they need no credential, and a model may repeat whatever it is told.
fn without_links(answer: &Value) -> Value {
    match answer {
        Value::Array(all) => all.iter().map(without_links).collect(),
        Value::Object(fields) => {
            let kept = fields.iter().filter(|(name, _)| !name.ends_with(LINKS) && *name != "url");
            kept.map(|(name, value)| (name.clone(), without_links(value))).collect::<Map<_, _>>().into()
        }
        other => other.clone(),
    }
}

/// Returns the fields of a job that the model is shown.
fn shown_job(job: &Value) -> Value {
    let mut shown = Map::new();
    for field in ["id", "kind", "read", "item_id", "status", "result"] {
        if let Some(value) = job.get(field).filter(|value| !value.is_null()) {
            shown.insert(field.to_owned(), value.clone());
        }
    }
    if let Some(why) = job["error"]["message"].as_str() {
        shown.insert("error".to_owned(), why.into());
    }
    shown.into()
}
