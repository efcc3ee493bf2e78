//! The limits and defaults that the document names.

use super::*;
use crate::openapi::document;
use domain::ducking::MOST_POINTS;

/// What the document says of a parameter: least, most, and its words.
fn documented(tool: &str, field: &str) -> (f64, f64, String) {
    let schema = &document().json["components"]["schemas"][tool]["properties"][field];
    let number = |key: &str| schema[key].as_f64().unwrap_or_else(|| panic!("{field} has no {key}: {schema}"));
    (number("minimum"), number("maximum"), schema["description"].to_string())
}

#[test]
fn the_document_has_the_limits_and_defaults_of_the_rules() {
    type Silence = SilenceRule;
    type Duck = DuckRule;
    let of = |number: u32| f64::from(number);
    let ramp = (of(Duck::LEAST_RAMP_MS), of(Duck::MOST_RAMP_MS));
    for (tool, field, least, most, default) in [
        (
            "RemoveSilence",
            "min_silence_ms",
            of(Silence::LEAST_SILENCE_MS),
            of(Silence::MOST_SILENCE_MS),
            of(Silence::MIN_SILENCE_MS),
        ),
        ("RemoveSilence", "padding_ms", 0.0, of(Silence::MOST_PADDING_MS), of(Silence::PADDING_MS)),
        ("DuckMusic", "duck_db", 0.0, Duck::MOST_DUCK_DB, Duck::DUCK_DB),
        ("DuckMusic", "attack_ms", ramp.0, ramp.1, of(Duck::ATTACK_MS)),
        ("DuckMusic", "release_ms", ramp.0, ramp.1, of(Duck::RELEASE_MS)),
    ] {
        let (found_least, found_most, words) = documented(tool, field);
        assert!((found_least - least).abs() < 1e-9 && (found_most - most).abs() < 1e-9, "{field}: {words}");
        let said = [
            format!("{least} to {most}; {default} when not given"),
            format!("{least} to {most}; when not given, the value of the settings, or else {default}"),
        ];
        assert!(said.iter().any(|said| words.contains(said)), "{field}: {words}");
    }
    let envelope = &document().json["components"]["schemas"]["DuckAnswer"]["properties"]["envelope"];
    assert!(envelope["description"].to_string().contains(&format!("at most {MOST_POINTS} points")));
}
