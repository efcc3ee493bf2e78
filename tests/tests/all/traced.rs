//! A client's trace context, from its request into the rows of what it starts: where no traces are sent, as here, it is
//! stored for whoever sends them. `secrets` looks at the spans.

use mws_tests::world::{Media, Receiver, World, runners};
use serde_json::json;

const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

#[tokio::test]
async fn a_clients_context_and_its_state_reach_the_job_and_the_webhook() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, receiver) = (world.tenant("a").await?, Receiver::start()?);
    world.endpoint(&tenant, &receiver.url).await?;
    world.work(runners::instant()).await?;
    let too_long = format!("a={}", "x".repeat(511));
    let state = "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE";
    for (sent, state, stored) in [
        (1, state, format!("{PARENT};tracestate={state}")),
        (2, too_long.as_str(), PARENT.to_owned()),
        (3, "not a list", PARENT.to_owned()),
    ] {
        let item = world.item(&tenant, Media::audio(60)).await?;
        let body = json!({ "refs": [item], "reads": ["levels"] }).to_string();
        let headers = [("traceparent", PARENT), ("tracestate", state)];
        let answer = tenant.client.send("POST", "/tools/prepare_media", &headers, Some(body)).await?;
        let jobs = answer.job_ids()?;
        tenant.client.ended(&jobs).await?;
        receiver.gets(sent).await?;
        let newest = "SELECT (SELECT traceparent FROM calls ORDER BY id DESC LIMIT 1),
                             (SELECT traceparent FROM deliveries ORDER BY id DESC LIMIT 1)";
        let rows: (Option<String>, Option<String>) = sqlx::query_as(newest).fetch_one(world.pool()).await?;
        assert_eq!(rows, (Some(stored.clone()), Some(stored)), "{state}");
    }
    world.end().await
}
