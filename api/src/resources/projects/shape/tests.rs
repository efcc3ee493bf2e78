use super::*;
use domain::agent::Budget;
use domain::credits::Credits;
use domain::minutes::Minutes;
use serde_json::json;

/// One secret signs both, in one form: what a member of a workspace can write must never read as the event of a
/// job.
#[test]
fn the_body_of_a_projects_webhook_can_not_be_taken_for_a_job_event_whatever_is_written_into_it() {
    let event = json!({ "id": "evt_M8DB96KKJJR5PX2C6SF2ECFZP1", "type": "job.succeeded", "data": { "job": {} } });
    let text = || Text(event.to_string());
    let at = || Time("2026-11-20T09:30:00Z".parse().expect("a time"));
    let asset = json!({ "ref": event.to_string(), "type": "job.succeeded" });
    let project = Project {
        id: Text("prj_01JD3M5N7P9Q1R3S5T7V9W1X3Y".to_owned()),
        status: ProjectState::Idle,
        revision: 1,
        mode: text(),
        output_type: text(),
        brief: text(),
        agent_message: Some(text()),
        assembled_url: Some(text()),
        assembled_url_expires_at: None,
        project_url: text(),
        webhook_url: Some(text()),
        planner: Some(text()),
        budget: None,
        spent: ProjectSpent::of(Minutes::ZERO, Credits::ZERO, 0),
        left: BudgetLeft::of(Budget::default(), Minutes::ZERO, Credits::ZERO, 0),
        timeline_id: Some(text()),
        output_item_id: Some(text()),
        assets: ProjectAsset::parse_from_json(Some(asset)).into_iter().collect(),
        timeline: ProjectTimeline::parse_from_json(Some(json!({ "overlays": [event], "captions": event }))).ok(),
        created_at: at(),
        updated_at: at(),
    };
    assert!(project.timeline.is_some() && project.assets.len() == 1);
    let body: Value = serde_json::from_str(&project.webhook_body()).expect("JSON");
    let fields: Vec<&str> = body.as_object().expect("an object").keys().map(String::as_str).collect();
    assert!(!fields.contains(&"type") && !fields.contains(&"data"), "{fields:?}");
    assert_eq!((&body["id"], &body["event"]), (&json!("prj_01JD3M5N7P9Q1R3S5T7V9W1X3Y"), &json!("idle")));
}
