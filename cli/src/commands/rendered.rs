//! What commands about timelines and canvases share: operations from an argument or a file, renders that are followed,
//! and warnings.

use super::Context;
use super::edits::wait_for_success;
use crate::failure::Failure;
use crate::output::{Column, document, present};
use clap::ValueEnum;
use serde_json::Value;
use std::path::Path;

const STATUS: Column = Column::new("status", "/status");
const JOB: Column = Column::new("job", "/job_id");
const ITEM: Column = Column::new("item", "/output_item_id");
/// A render that is queued, or that would start.
const TO_COME: [Column; 3] = [STATUS, JOB, Column::new("minutes", "/estimated_minutes")];
/// A render that was waited for.
const MADE: [Column; 4] = [STATUS, JOB, Column::new("minutes", "/cloud_minutes"), ITEM];
/// A render whose item was there before the call.
const THERE: [Column; 2] = [STATUS, ITEM];

/// Renders with this tool; with `wait` it follows the job until the item is there.
pub(super) async fn render(context: &Context, tool: &str, ask: &Value, wait: bool) -> Result<(), Failure> {
    let mut answer = context.client.tool(tool, ask).await?;
    warn(context, &answer);
    let mut job = Value::Null;
    if let Some(id) = answer["job_id"].as_str().filter(|_| wait) {
        job = wait_for_success(id, context).await?;
        answer = context.client.tool(tool, ask).await?;
    }
    if context.out.json {
        return document(&answer);
    }
    if answer["output_item_id"].is_null() {
        // A dry run starts no job.
        return context.out.record(&answer, "output_item_id", &present(&answer, &TO_COME));
    }
    if job.is_null() {
        context.out.say("It was there already: nothing is charged.");
        return context.out.record(&answer, "output_item_id", &THERE);
    }
    context.out.record(&with_its_job(answer, &job), "output_item_id", &MADE)
}

/// Adds to the answer that names the item what the job that made it was, and what it cost: the answer itself is that of
/// a call that starts nothing.
fn with_its_job(mut answer: Value, job: &Value) -> Value {
    answer["job_id"] = job["id"].clone();
    answer["cloud_minutes"] = job["cloud_minutes"].clone();
    answer
}

/// Prints an answer's warnings.
pub(super) fn warn(context: &Context, answer: &Value) {
    for warning in answer["warnings"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        context.out.say(warning);
    }
}

/// The name of a choice, as the tool takes it.
pub(super) fn word(choice: &impl ValueEnum) -> String {
    choice.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

/// Parses JSON that was given, or that is in the file named after an `@`.
pub(super) fn json_of(given: &str) -> Result<Value, Failure> {
    let text = match given.strip_prefix('@') {
        Some(file) => read(Path::new(file))?,
        None => given.to_owned(),
    };
    serde_json::from_str(&text).map_err(|error| Failure::Usage(format!("this is no JSON: {error}")))
}

/// The text of a file.
pub(super) fn read(file: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(file).map_err(|error| Failure::Usage(format!("{}: {error}", file.display())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_was_waited_for_is_shown_with_its_job_and_what_that_was_charged() {
        let again = json!({ "status": "ready", "output_item_id": "itm_1", "warnings": [] });
        let ended = json!({ "id": "job_1", "status": "succeeded", "estimated_minutes": 0.9, "cloud_minutes": 0.5 });
        let shown = with_its_job(again, &ended);
        for column in MADE {
            assert!(shown.pointer(column.pointer).is_some_and(|value| !value.is_null()), "{}", column.title);
        }
        assert_eq!((&shown["job_id"], &shown["cloud_minutes"]), (&json!("job_1"), &json!(0.5)));
    }

    #[test]
    fn a_dry_run_is_shown_without_the_job_that_it_does_not_start() {
        let titles = |answer: &Value| present(answer, &TO_COME).iter().map(|column| column.title).collect::<Vec<_>>();
        let asked = json!({ "status": "startable", "job_id": null, "estimated_minutes": 0.9 });
        assert_eq!(titles(&asked), ["status", "minutes"]);
        let absent = json!({ "status": "startable", "estimated_minutes": 0.9 });
        assert_eq!(titles(&absent), ["status", "minutes"]);
        let queued = json!({ "status": "queued", "job_id": "job_1", "estimated_minutes": 0.9 });
        assert_eq!(titles(&queued), ["status", "job", "minutes"]);
    }
}
