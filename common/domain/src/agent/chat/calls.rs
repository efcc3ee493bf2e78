//! Checks the calls that a model asks for, before anything is done with them.

use super::messages::bytes;
use super::{FINISH, Known, MOST_JOBS, PendingCall, ToolCall, WAIT};
use crate::agent::reading::texts;
use crate::ids::JobId;
use serde_json::{Map, Value};

/// The answer to a wait for nothing.
pub(super) const NO_JOBS: &str = "`job_ids`: expected ids of jobs, as tools answer them.";
/// The most levels of lists and objects in a call's arguments.
const MOST_LEVELS: usize = 32;

/// Returns the call that a model asks for, with at most `room` bytes of arguments, or what is wrong with it.
pub(super) fn checked(id: &str, asked: &ToolCall, tools: &[Known], room: usize) -> Result<PendingCall, String> {
    let name = asked.name.as_str();
    let known = tools.iter().find(|known| known.name == name);
    if known.is_none() && ![WAIT, FINISH].contains(&name) {
        return Err(format!("There is no tool `{}`.", plain(name)));
    }
    let text = asked.arguments.trim();
    let arguments = if text.is_empty() { Ok(Map::new()) } else { serde_json::from_str::<Map<String, Value>>(text) };
    let Ok(arguments) = arguments.map(Value::Object) else {
        return Err("Its arguments are no JSON object.".to_owned());
    };
    // Kept arguments are read by a parser with its own limit of depth, and stored in a database that refuses NUL.
    if levels(&arguments) > MOST_LEVELS || arguments.to_string().contains("\\u0000") {
        return Err("Its arguments are nested too deeply, or hold a NUL.".to_owned());
    }
    if bytes(&arguments.to_string()) > room {
        return Err("Its arguments are too long: do it in several answers.".to_owned());
    }
    if name == WAIT && job_ids(&arguments).is_empty() {
        return Err(NO_JOBS.to_owned());
    }
    let has_price = known.is_some_and(|known| known.has_price) && arguments["dry_run"] != true;
    Ok(PendingCall { id: id.to_owned(), tool: name.to_owned(), arguments, has_price, is_priced: false })
}

/// Returns how deeply lists and objects are nested: 0 for anything else.
fn levels(value: &Value) -> usize {
    match value {
        Value::Array(all) => 1 + all.iter().map(levels).max().unwrap_or(0),
        Value::Object(fields) => 1 + fields.values().map(levels).max().unwrap_or(0),
        _ => 0,
    }
}

/// Returns the name reduced to letters that every provider accepts, at most 64 of them.
pub(super) fn plain(name: &str) -> String {
    let is_plain = |letter: &char| letter.is_ascii_alphanumeric() || ['_', '-'].contains(letter);
    let plain: String = name.chars().filter(is_plain).take(64).collect();
    if plain.is_empty() { "unnamed".to_owned() } else { plain }
}

/// Returns the ids of the jobs that a wait names, each once, at most `MOST_JOBS`.
pub(super) fn job_ids(arguments: &Value) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    for id in texts(&arguments["job_ids"]) {
        if ids.len() < MOST_JOBS && id.parse::<JobId>().is_ok() && !ids.contains(&id) {
            ids.push(id);
        }
    }
    ids
}
