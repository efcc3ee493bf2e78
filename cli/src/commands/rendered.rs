//! What commands about timelines and canvases share: operations from an argument or a file, renders that are followed,
//! and warnings.

use super::Context;
use crate::failure::Failure;
use crate::output::{Column, document, follow};
use clap::ValueEnum;
use serde_json::Value;
use std::path::Path;

const RENDER: [Column; 4] = [
    Column::new("status", "/status"),
    Column::new("job", "/job_id"),
    Column::new("minutes", "/estimated_minutes"),
    Column::new("item", "/output_item_id"),
];

/// Renders with this tool; with `wait` it follows the job until the item is there.
pub(super) async fn render(context: &Context, tool: &str, ask: &Value, wait: bool) -> Result<(), Failure> {
    let mut answer = context.client.tool(tool, ask).await?;
    warn(context, &answer);
    if let Some(job) = answer["job_id"].as_str().filter(|_| wait) {
        let followed = follow(&context.client, &context.out.without_data(), &[job.to_owned()]).await?;
        if followed.jobs.first().is_none_or(|ended| ended["status"] != "succeeded") {
            return Err(Failure::Work(format!("{job} did not succeed")));
        }
        answer = context.client.tool(tool, ask).await?;
    }
    if context.out.json {
        return document(&answer);
    }
    context.out.record(&answer, "output_item_id", &RENDER)
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
