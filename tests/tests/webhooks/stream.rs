//! `GET /events/stream`: nothing is missed, nothing comes twice, and it ends with its process.

use domain::event::{EventId, EventType};
use domain::ids::JobId;
use domain::job::JobKind;
use mws_tests::world::{Feed, Media, Message, Tenant, World};
use reqwest::{Response, StatusCode};
use runtime::wake::Wake;
use serde_json::{Value, json};
use std::time::Duration;
use store::event_stream::{Cursor, CursorError};
use store::events::{self, EndedEvent};
use tokio::time::timeout;

/// An open stream.
struct Reader(Feed);

async fn open(tenant: &Tenant, last: Option<&str>) -> anyhow::Result<Response> {
    let headers: Vec<_> = last.into_iter().map(|last| ("Last-Event-ID", last)).collect();
    tenant.client.stream(&headers).await
}

impl Reader {
    /// Opens a stream, and answers it with the place that it begins at.
    async fn new(tenant: &Tenant, last: Option<&str>) -> anyhow::Result<(Self, String)> {
        let response = open(tenant, last).await?;
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        let kept: Vec<_> = response.headers().get_all("cache-control").iter().collect();
        assert_eq!(kept, ["no-store"]);
        let mut reader = Self(Feed::of(response));
        let first = reader.next().await?.expect("a place");
        assert_eq!((first.data.as_str(), first.event.as_str()), ("", ""));
        Ok((reader, first.id))
    }

    async fn next(&mut self) -> anyhow::Result<Option<Message>> {
        self.0.next().await
    }

    async fn bodies(&mut self, many: usize) -> anyhow::Result<Vec<String>> {
        let mut bodies = Vec::new();
        while bodies.len() < many {
            bodies.push(self.next().await?.expect("a message").data);
        }
        Ok(bodies)
    }
}

fn ended(tenant: &Tenant, number: usize) -> EndedEvent {
    let job_id = JobId::mint();
    EndedEvent {
        event_id: EventId::of_job(job_id, EventType::JobFailed),
        event_type: EventType::JobFailed,
        job_id,
        kind: JobKind::Read,
        workspace_id: tenant.workspace,
        account_id: tenant.account,
        body: format!("{{\"number\":{number},  \"exact\":\"bytes ✓\"}}"),
        traceparent: None,
    }
}

/// Records events as the end of jobs does, and answers their bodies.
async fn happen(world: &World, tenant: &Tenant, numbers: std::ops::Range<usize>) -> anyhow::Result<Vec<String>> {
    let events: Vec<EndedEvent> = numbers.map(|number| ended(tenant, number)).collect();
    let mut tx = world.pool().begin().await?;
    events::record(&mut tx, &events).await?;
    // Events of no job in the tables: only these tests look at them.
    tx.commit().await?;
    world.process.wakes.send([Wake::Events(tenant.account)]);
    Ok(events.into_iter().map(|event| event.body).collect())
}

#[tokio::test]
async fn a_job_that_ends_is_told_to_its_account_alone_with_the_bytes_that_endpoints_get() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (one, two) = (world.tenant("one").await?, world.tenant("two").await?);
    let (mut of_one, _) = Reader::new(&one, None).await?;
    let (mut of_two, _) = Reader::new(&two, None).await?;
    for tenant in [&one, &two] {
        let item = world.item(tenant, Media::video(60)).await?;
        let jobs = tenant.client.prepare(&[item], &["levels"]).await?.job_ids()?;
        tenant.client.tool("cancel_jobs", &json!({ "job_ids": jobs })).await?;
    }
    for (reader, tenant) in [(&mut of_one, &one), (&mut of_two, &two)] {
        let message = reader.next().await?.expect("a message");
        let stored: String = sqlx::query_scalar("SELECT body FROM events WHERE account_id = $1")
            .bind(tenant.account)
            .fetch_one(world.pool())
            .await?;
        assert_eq!((message.event.as_str(), message.data), ("job.cancelled", stored));
    }
    world.end().await
}

#[tokio::test]
async fn a_stream_resumes_after_the_last_event_that_was_seen() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("one").await?;
    happen(&world, &tenant, 0..2).await?;
    let (mut reader, place) = Reader::new(&tenant, None).await?;
    let sent = happen(&world, &tenant, 2..5).await?;
    assert_eq!(reader.next().await?.expect("a message").data, sent[0], "what was before is not told");
    let second = reader.next().await?.expect("a message");
    assert_eq!(second.data, sent[1]);
    drop(reader);
    let later = happen(&world, &tenant, 5..205).await?;
    let (mut resumed, _) = Reader::new(&tenant, Some(&second.id)).await?;
    assert_eq!(resumed.bodies(201).await?, [&sent[2..], &later[..]].concat());
    // One who saw no message has the place that its stream began at.
    let (mut resumed, _) = Reader::new(&tenant, Some(&place)).await?;
    assert_eq!(resumed.bodies(3).await?, sent);
    forget(&world).await?;
    world.end().await
}

#[tokio::test]
async fn an_event_that_is_committed_late_is_not_passed_over() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("one").await?;
    let (mut reader, _) = Reader::new(&tenant, None).await?;
    let mut late = world.pool().begin().await?;
    events::record(&mut late, &[ended(&tenant, 1)]).await?;
    let second = happen(&world, &tenant, 2..3).await?;
    let early = timeout(Duration::from_millis(300), reader.next()).await;
    assert!(early.is_err(), "the second one waits for the first: {early:?}");
    late.commit().await?;
    assert_eq!(reader.bodies(2).await?, [ended(&tenant, 1).body, second[0].clone()]);
    let third = happen(&world, &tenant, 3..4).await?;
    assert_eq!(reader.bodies(1).await?, third);
    forget(&world).await?;
    world.end().await
}

#[tokio::test]
async fn a_place_that_is_none_is_refused_and_so_is_the_twenty_first_stream() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("one").await?;
    let refused = open(&tenant, Some("evt_1")).await?;
    assert_eq!(refused.status(), StatusCode::BAD_REQUEST);
    assert_eq!(refused.json::<Value>().await?["error"]["code"], "invalid_cursor");
    let mut open_ones = Vec::new();
    for _ in 0..20 {
        open_ones.push(Reader::new(&tenant, None).await?);
    }
    let refused = open(&tenant, None).await?;
    assert_eq!((refused.status(), refused.headers()["retry-after"].to_str()?), (StatusCode::TOO_MANY_REQUESTS, "30"));
    Reader::new(&world.tenant("two").await?, None).await?;
    drop(open_ones);
    world.end().await
}

#[tokio::test]
async fn a_stream_ends_with_its_process() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("one").await?;
    let (mut reader, _) = Reader::new(&tenant, None).await?;
    world.process.shutdown.cancel();
    assert_eq!(reader.next().await?, None);
    world.end().await
}

#[test]
fn a_cursor_writes_back_what_it_read_and_reads_nothing_else() -> anyhow::Result<()> {
    let cursor: Cursor = "7-12".parse()?;
    assert_eq!(cursor.to_string(), "7-12");
    for text in ["", "7", "-", "7-", "-7-1", "7-1-2", "a-1", "evt_1", "9223372036854775808-1"] {
        assert_eq!(text.parse::<Cursor>(), Err(CursorError), "{text}");
    }
    Ok(())
}

/// The events of these tests belong to no job, which the invariants would not have.
async fn forget(world: &World) -> anyhow::Result<()> {
    sqlx::query("DELETE FROM events").execute(world.pool()).await?;
    Ok(())
}
