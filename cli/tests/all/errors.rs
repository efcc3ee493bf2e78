//! `mws errors` as an operator runs it: the program itself, beside a real api.

use crate::operator::as_operator;
use mws_tests::world::{Media, World, runners, until};
use serde_json::{Value, json};
use std::process::Output;
use worker::readers::ReadError;

const TOKENS: [&str; 2] = ["token-of-bo-who-reads", "token-of-mia-who-counts"];

async fn errors(world: &World, arguments: &[&str], token: &str) -> anyhow::Result<Output> {
    as_operator(world, token, &[&["errors"][..], arguments].concat()).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn jobs_that_failed_alike_are_a_line_with_how_many_they_are_and_the_newest() -> anyhow::Result<()> {
    let [bo, mia] = TOKENS;
    let tokens = format!("bo:read:{bo},mia:metadata:{mia}");
    let world = World::with(|settings| settings.operator_tokens = Some(tokens.into())).await?;
    let none = errors(&world, &[], bo).await?;
    let said = String::from_utf8_lossy(&none.stderr).into_owned();
    assert!(none.status.success() && none.stdout.is_empty() && said.starts_with("There are none."), "{none:?}");

    let tenant = world.tenant("a").await?;
    world.work(runners::failing(|| ReadError::Corrupt("it ends after 12 bytes"))).await?;
    let jobs =
        tenant.client.prepare(&world.items(&tenant, 2, Media::audio(60)).await?, &["levels"]).await?.job_ids()?;
    for job in &jobs {
        tenant.client.reaches(job, "failed").await?;
    }
    let newest = jobs.iter().max().map(String::as_str).unwrap_or_default();
    let shown = errors(&world, &[], bo).await?;
    let lines = String::from_utf8_lossy(&shown.stdout).into_owned();
    let lines: Vec<Vec<&str>> = lines.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!(lines.len(), 2, "a heading and one kind: {shown:?}");
    assert_eq!(lines[1][..6], ["read", "levels", "media_unreadable", "2", "1", "true"], "{lines:?}");
    assert_eq!(lines[1][9], newest, "{lines:?}");
    assert!(lines[1][10].contains("after # bytes"), "{lines:?}");
    let document: Value = serde_json::from_slice(&errors(&world, &["--json"], bo).await?.stdout)?;
    assert_eq!((&document["data"][0]["jobs"], &document["left_out"]), (&json!(2), &json!(false)), "{document}");
    let ids = errors(&world, &["--ids"], bo).await?;
    assert_eq!(String::from_utf8_lossy(&ids.stdout).trim(), newest);
    let sent = errors(&world, &["--deliveries"], bo).await?;
    let said = String::from_utf8_lossy(&sent.stderr).into_owned();
    assert!(sent.status.success() && sent.stdout.is_empty() && said.starts_with("There are none."), "{sent:?}");
    world.endpoint(&tenant, "http://127.0.0.1:9/hook").await?;
    let item = world.item(&tenant, Media::audio(60)).await?;
    tenant.client.prepare(&[item], &["levels"]).await?;
    let tried = "SELECT count(*) FROM deliveries WHERE error = 'connect_failed'";
    until("nobody is there to be told", async || Ok((world.count(tried).await? == 1).then_some(()))).await?;
    let sent = errors(&world, &["--deliveries"], bo).await?;
    let lines = String::from_utf8_lossy(&sent.stdout).into_owned();
    let line: Vec<&str> = lines.lines().nth(1).unwrap_or_default().split('\t').collect();
    assert_eq!(line[..2], ["127.0.0.1:9", "connect_failed"], "{sent:?}");
    assert_eq!(line[3..10], ["1", "1", "0", "0", "0", "1", "1"], "one, which is tried again: {sent:?}");
    let said = String::from_utf8_lossy(&errors(&world, &[], bo).await?.stderr).into_owned();
    assert!(said.contains("mws errors --deliveries shows them."), "{said}");
    let refused = errors(&world, &[], mia).await?;
    assert_eq!(refused.status.code(), Some(3), "it has messages: {refused:?}");
    world.end().await
}
