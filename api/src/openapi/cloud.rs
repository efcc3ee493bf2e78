//! Makes `meta.cloud_processing` required in answers of tools that may start cloud processing (contract §4.2). In the
//! answers of other tools it is optional, and may be null.

use super::refusals;
use serde_json::{Value, json};

const META: &str = "CloudMeta";

/// Gives the answers of tools that may start cloud processing a `meta` whose `cloud_processing` is required.
pub fn require(document: &mut Value) {
    let mut meta = document["components"]["schemas"]["Meta"].clone();
    meta["title"] = META.into();
    meta["description"] = "`meta` of a tool that may start cloud processing (contract §4.2).".into();
    meta["required"] = json!(["request_id", "cost", "cloud_processing"]);
    meta["properties"]["cloud_processing"] = json!({ "$ref": "#/components/schemas/CloudProcessing" });
    let paths = document["paths"].as_object().into_iter().flatten();
    let tools = paths.filter(|(path, _)| refusals::uses_minutes(&format!("POST {path}")));
    let answers: Vec<String> = tools
        .filter_map(|(_, methods)| {
            let schema = methods.pointer("/post/responses/200/content/application~1json/schema/$ref")?.as_str()?;
            Some(schema.rsplit('/').next()?.to_owned())
        })
        .collect();
    for answer in answers {
        document["components"]["schemas"][answer]["properties"]["meta"] =
            json!({ "$ref": format!("#/components/schemas/{META}") });
    }
    document["components"]["schemas"][META] = meta;
}

#[cfg(test)]
mod tests {
    use crate::openapi::document;

    #[test]
    fn a_tool_that_may_start_cloud_processing_promises_to_say_what_it_used() {
        let answer = |tool: &str| {
            let operation = document().operations().iter().find(|one| one.path == format!("/tools/{tool}"));
            operation.and_then(|one| one.answer.clone()).expect("an answer")["properties"]["meta"].clone()
        };
        for tool in ["prepare_media", "transcribe_media", "speakers", "detect_beats", "remove_silence", "duck_music"] {
            let meta = answer(tool);
            assert!(meta["required"].as_array().is_some_and(|all| all.iter().any(|one| one == "cloud_processing")));
            assert!(meta["properties"]["cloud_processing"]["nullable"].is_null(), "{tool}");
        }
        assert_eq!(answer("get_jobs")["allOf"][0]["properties"]["cloud_processing"]["nullable"], true);
    }
}
