//! Templates: a tool and arguments for it, under a name (contract §4.9).
//!
//! Nothing here knows which tools there are or what they take: it only merges the arguments of a run.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A tool and arguments for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Template {
    /// The tool's name.
    pub tool: String,
    /// The arguments.
    pub arguments: Map<String, Value>,
}

impl Template {
    /// Returns the arguments of a run: each override replaces the argument of its name, and null removes it.
    pub fn arguments_with(self, overrides: Map<String, Value>) -> Map<String, Value> {
        let mut arguments = self.arguments;
        for (name, value) in overrides {
            if value.is_null() {
                arguments.remove(&name);
            } else {
                arguments.insert(name, value);
            }
        }
        arguments
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_override_stands_in_the_place_of_an_argument_and_null_for_none() {
        let object = |value: Value| value.as_object().cloned().unwrap_or_default();
        let template = Template {
            tool: "remove_silence".to_owned(),
            arguments: object(json!({ "ref": "a", "padding_ms": 80, "render": true })),
        };
        let run = template.arguments_with(object(json!({ "ref": "b", "render": null, "min_silence_ms": 900 })));
        assert_eq!(Value::Object(run), json!({ "ref": "b", "padding_ms": 80, "min_silence_ms": 900 }));
    }
}
