//! What the service sends, for generated clients: the bodies of job events, pings and project events as schemas, and
//! the requests that carry them under `x-webhooks` (OpenAPI 3.0 has no `webhooks` of its own; contract §6).

use super::examples;
use serde_json::{Value, json};

/// Adds the schemas and the requests. The schemas of job events and pings are those of `GET /events`.
pub fn add(document: &mut Value) {
    let mut project = document["components"]["schemas"]["Project"].clone();
    project["title"] = "ProjectEvent".into();
    project["description"] =
        "The body of a project's webhook: its full state, and the status it came to (contract §6.2).".into();
    project["properties"]["event"] = json!({ "$ref": "#/components/schemas/ReportedStatus" });
    if let Some(required) = project["required"].as_array_mut() {
        required.push("event".into());
    }
    document["components"]["schemas"]["ProjectEvent"] = project;
    let job = ["Service-Signature", "Service-Event", "Service-Delivery", "Service-Attempt"];
    let schemas = document["components"]["schemas"].clone();
    let sent = |summary: &str, schema: &str, headers: &[&str]| sent(&schemas, summary, schema, headers);
    document["x-webhooks"] = json!({
        "jobEvent": sent("A job has ended", "JobEvent", &job),
        "ping": sent("An endpoint is tested", "PingEvent", &job),
        "projectEvent": sent(
            "A project's status has changed",
            "ProjectEvent",
            &["X-Service-Signature", "X-Service-Timestamp"],
        ),
    });
}

fn sent(schemas: &Value, summary: &str, schema: &str, headers: &[&str]) -> Value {
    let header = |name: &&str| json!({ "name": name, "in": "header", "schema": { "type": "string" } });
    json!({ "post": {
        "tags": ["Webhooks"],
        "summary": summary,
        "parameters": headers.iter().map(header).collect::<Vec<_>>(),
        "requestBody": {
            "required": true,
            "content": { "application/json": {
                "schema": { "$ref": format!("#/components/schemas/{schema}") },
                "example": examples::sent_by_us(schemas, schema),
            }},
        },
        "responses": { "2XX": { "description": "Received, within ten seconds; anything else is a failure." } },
    }})
}

#[cfg(test)]
mod tests {
    use crate::contract::schema_errors::explain;
    use crate::openapi::document;
    use chrono::DateTime;
    use domain::credits::Credits;
    use domain::event::{EventId, EventType, JobEvent, ping_bytes};
    use domain::ids::{DeliveryId, EndpointId, JobId, WorkspaceId};
    use domain::job::{Job, JobKind, JobStatus};
    use domain::minutes::Minutes;
    use serde_json::{Value, json};

    fn job(status: JobStatus) -> Job {
        Job {
            id: JobId::mint(),
            workspace_id: WorkspaceId::mint(),
            kind: JobKind::Render,
            read: None,
            item_id: None,
            item_ref: None,
            status,
            progress: 100,
            attempt: 1,
            max_attempts: 3,
            cancel_requested: false,
            waits: None,
            estimated_minutes: Minutes::from_hundredths(231),
            cloud_minutes: Some(Minutes::ZERO),
            estimated_credits: Credits::ZERO,
            credits: Some(Credits::ZERO),
            result: Some(json!({ "item_id": "itm_1" })),
            error: None,
            context: None,
            request_id: None,
            created_at: DateTime::UNIX_EPOCH,
            started_at: None,
            finished_at: Some(DateTime::UNIX_EPOCH),
        }
    }

    #[test]
    fn the_bodies_that_are_sent_fit_their_schemas() {
        let (id, job) = (EventId::of_job(JobId::mint(), EventType::JobSucceeded), job(JobStatus::Succeeded));
        let (event_type, created_at, workspace_id) = (EventType::JobSucceeded, DateTime::UNIX_EPOCH, job.workspace_id);
        for timeline_id in [None, Some("tml_1")] {
            let event = JobEvent { id: &id, event_type, created_at, workspace_id, timeline_id, job: &job };
            let body: Value = serde_json::from_slice(&event.to_bytes().unwrap()).unwrap();
            assert_eq!(explain(&document().inlined("JobEvent"), &body), None, "{body}");
        }
        let ping = ping_bytes(&EventId::of_ping(DeliveryId::mint()), created_at, EndpointId::mint()).unwrap();
        let ping: Value = serde_json::from_slice(&ping).unwrap();
        assert_eq!(explain(&document().inlined("PingEvent"), &ping), None, "{ping}");
    }

    #[test]
    fn each_body_has_its_request_and_a_project_event_is_a_project_with_its_event() {
        let json = &document().json;
        for (name, schema) in [("jobEvent", "JobEvent"), ("ping", "PingEvent"), ("projectEvent", "ProjectEvent")] {
            let content = &json["x-webhooks"][name]["post"]["requestBody"]["content"]["application/json"];
            assert_eq!(content["schema"]["$ref"], format!("#/components/schemas/{schema}"));
            assert_eq!(explain(&document().inlined(schema), &content["example"]), None, "{}", content["example"]);
        }
        let schemas = &json["components"]["schemas"];
        let (project, event) = (&schemas["Project"]["properties"], &schemas["ProjectEvent"]["properties"]);
        assert!(project.as_object().unwrap().iter().all(|(name, schema)| event[name] == *schema));
        assert_eq!(schemas["ProjectEvent"]["required"].as_array().unwrap().last(), Some(&json!("event")));
    }
}
