//! The bytes of an event, field by field.

use super::*;
use serde_json::value::RawValue;
use uuid::Uuid;

fn job() -> JobId {
    JobId::from(Uuid::from_u128(0x0190_0000_0000_7000_8000_0000_0000_0001))
}

#[test]
fn an_id_follows_from_the_job_and_the_type_alone() {
    let id = EventId::of_job(job(), EventType::JobSucceeded);
    // Computed with Python's hashlib and a base32 translated to Crockford's alphabet.
    assert_eq!(id.as_str(), "evt_M8DB96KKJJR5PX2C6SF2ECFZP1", "{}", job());
    assert_eq!(id, EventId::of_job(job(), EventType::JobSucceeded));
    assert_ne!(id, EventId::of_job(job(), EventType::JobFailed));
    assert_ne!(id, EventId::of_job(JobId::mint(), EventType::JobSucceeded));
    assert_ne!(EventId::of_ping(DeliveryId::mint()), EventId::of_ping(DeliveryId::mint()));
    assert_eq!(id.as_str().parse(), Ok(id));
}

#[test]
fn a_text_of_another_form_is_no_event_id() {
    for text in [
        "",
        "evt_",
        "evt_0123456789ABCDEFGHJKMNPQR",
        "evt_0123456789ABCDEFGHJKMNPQRI",
        "job_0123456789ABCDEFGHJKMNPQRS",
    ] {
        assert_eq!(text.parse::<EventId>(), Err(EventIdError), "{text}");
    }
}

#[test]
fn a_type_is_found_by_its_name_in_every_form() {
    for event_type in EventType::ALL {
        assert_eq!(EventType::from_name(event_type.name()), Some(event_type));
        assert_eq!(serde_json::to_value(event_type).ok(), Some(event_type.name().into()));
    }
    assert_eq!(EventType::from_name("job.started"), None);
    assert!(!EventType::SUBSCRIBABLE.contains(&EventType::Ping));
}

#[test]
fn the_body_keeps_its_order_and_the_jobs_own_bytes() {
    let id = EventId::of_job(job(), EventType::JobSucceeded);
    let raw = RawValue::from_string(r#"{"id":"job_x","cloud_minutes":2.50}"#.to_owned()).expect("valid");
    let created_at = DateTime::from_timestamp_millis(1_790_000_000_120).expect("in range");
    let workspace_id = WorkspaceId::from(Uuid::nil());
    let event_type = EventType::JobSucceeded;
    let mut event = JobEvent { id: &id, event_type, created_at, workspace_id, timeline_id: None, job: &*raw };
    let shown = |event: &JobEvent<'_, RawValue>| String::from_utf8(event.to_bytes().expect("serializes"));
    let start = format!(
        r#"{{"id":"{id}","type":"job.succeeded","created_at":"2026-09-21T14:13:20.120Z","workspace_id":"wsp_00000000000000000000000000","#
    );
    let end = r#""data":{"job":{"id":"job_x","cloud_minutes":2.50}}}"#;
    assert_eq!(shown(&event), Ok(format!("{start}{end}")));
    event.timeline_id = Some("tml_1");
    assert_eq!(shown(&event), Ok(format!(r#"{start}"timeline_id":"tml_1",{end}"#)));
}

#[test]
fn a_ping_names_its_endpoint() {
    let id = EventId::of_ping(DeliveryId::from(Uuid::nil()));
    let bytes = ping_bytes(&id, DateTime::UNIX_EPOCH, EndpointId::from(Uuid::nil())).expect("serializes");
    let expected = format!(
        r#"{{"id":"{id}","type":"ping","created_at":"1970-01-01T00:00:00.000Z","data":{{"endpoint_id":"whe_00000000000000000000000000"}}}}"#
    );
    assert_eq!(String::from_utf8(bytes), Ok(expected));
}
