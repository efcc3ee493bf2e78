//! A model's answer, reduced to what is used: its words, and the tools that it asks for.

use serde_json::Value;

/// The most characters of its words that the log shows.
const MOST_SHOWN: usize = 900;
/// The most calls that the log names.
const MOST_NAMED: usize = 16;

/// An answer of `/v1/chat/completions`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reply {
    /// Its words.
    pub text: String,
    /// The calls that it asks for.
    pub calls: Vec<ToolCall>,
}

/// A call that a model asks for, as it was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// The tool's name.
    pub name: String,
    /// The text that stands for its arguments.
    pub arguments: String,
}

impl Reply {
    /// Reads it from an answer's JSON; `None` if that holds no message.
    pub fn parse(answer: &Value) -> Option<Self> {
        let message = answer["choices"].as_array()?.first()?["message"].as_object()?;
        let text = match message.get("content") {
            Some(Value::String(text)) => text.clone(),
            // Some models answer in parts.
            Some(Value::Array(parts)) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
            _ => String::new(),
        };
        let calls = message.get("tool_calls").and_then(Value::as_array).into_iter().flatten();
        let call = |call: &Value| {
            let function = &call["function"];
            let arguments = match &function["arguments"] {
                Value::String(text) => text.clone(),
                Value::Null => String::new(),
                other => other.to_string(),
            };
            ToolCall { name: without_nul(function["name"].as_str().unwrap_or_default()), arguments }
        };
        Some(Self { text: without_nul(&text), calls: calls.map(call).collect() })
    }

    /// Returns its words and the names of its tools, as the log shows them.
    pub fn shown(&self) -> String {
        let names: Vec<String> =
            self.calls.iter().take(MOST_NAMED).map(|call| call.name.chars().take(40).collect()).collect();
        let mut shown: String = self.text.trim().chars().take(MOST_SHOWN).collect();
        if !names.is_empty() {
            let space = if shown.is_empty() { "" } else { " " };
            shown = format!("{shown}{space}[{}]", names.join(", "));
        }
        if shown.is_empty() { "(nothing)".to_owned() } else { shown }
    }
}

/// Returns the text with NUL replaced, which the database refuses.
fn without_nul(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}
