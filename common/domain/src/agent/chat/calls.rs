//! The calls that a model asks for, checked before anything is made of them.

use super::messages::bytes;
use super::{Call, FINISH, Known, MOST_JOBS, WAIT};
use crate::agent::reading::texts;
use crate::ids::JobId;
use serde_json::{Map, Value};

/// Levels of lists and objects in a call's arguments.
const MOST_LEVELS: usize = 32;

/// The call that a model asks for, or what is wrong with it.
pub(super) fn checked(id: &str, (name, arguments): (&str, &str), tools: &[Known], room: usize) -> Result<Call, String> {
    let known = tools.iter().find(|known| known.name == name);
    if known.is_none() && ![WAIT, FINISH].contains(&name) {
        return Err(format!("There is no tool `{}`.", plain(name)));
    }
    let text = arguments.trim();
    let arguments = if text.is_empty() { Ok(Map::new()) } else { serde_json::from_str::<Map<String, Value>>(text) };
    let Ok(arguments) = arguments.map(Value::Object) else {
        return Err("Its arguments are no JSON object.".to_owned());
    };
    // What is kept of it is read by a parser that has a bound of its own, and by a database that knows no NUL.
    if levels(&arguments) > MOST_LEVELS || arguments.to_string().contains("\\u0000") {
        return Err("Its arguments are nested too deeply, or hold a NUL.".to_owned());
    }
    if bytes(&arguments.to_string()) > room {
        return Err("Its arguments are too long: do it in several answers.".to_owned());
    }
    let has_price = known.is_some_and(|known| known.has_price) && arguments["dry_run"] != true;
    Ok(Call { id: id.to_owned(), tool: name.to_owned(), arguments, has_price, is_priced: false })
}

/// How deep lists and objects stand in one another.
fn levels(value: &Value) -> usize {
    match value {
        Value::Array(all) => 1 + all.iter().map(levels).max().unwrap_or(0),
        Value::Object(fields) => 1 + fields.values().map(levels).max().unwrap_or(0),
        _ => 0,
    }
}

/// A name of letters that every provider takes.
pub(super) fn plain(name: &str) -> String {
    let is_plain = |letter: &char| letter.is_ascii_alphanumeric() || ['_', '-'].contains(letter);
    let plain: String = name.chars().filter(is_plain).take(64).collect();
    if plain.is_empty() { "unnamed".to_owned() } else { plain }
}

/// The jobs that a wait names, each once.
pub(super) fn job_ids(arguments: &Value) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    for id in texts(&arguments["job_ids"]) {
        if ids.len() < MOST_JOBS && id.parse::<JobId>().is_ok() && !ids.contains(&id) {
            ids.push(id);
        }
    }
    ids
}
