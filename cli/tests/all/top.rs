//! `mws top` where its output is no terminal: one frame, and the end.

use crate::operator::as_operator;
use mws_tests::world::{Media, World, runners, until};
use serde_json::Value;
use std::process::Output;

const TOKEN: &str = "token-of-anna-who-acts";

async fn top(world: &World, arguments: &[&str], token: &str) -> anyhow::Result<Output> {
    as_operator(world, token, &[&["top"][..], arguments].concat()).await
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_plain_frame_shows_what_waits_and_who_works() -> anyhow::Result<()> {
    let world = World::with(|settings| settings.operator_tokens = Some(format!("anna:act:{TOKEN}").into())).await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::audio(60)).await?;
    let jobs = tenant.client.prepare(&[item], &["levels"]).await?.job_ids()?;
    let waits = top(&world, &[], TOKEN).await?;
    assert!(waits.status.success(), "it shows, whatever it shows: {waits:?}");
    let shown = said(&waits);
    assert!(
        shown.starts_with("failing   flow       No worker lives, and one job waits.\nfailing   liveness   "),
        "{shown}"
    );
    let levels = shown.lines().find(|line| line.starts_with("levels")).unwrap_or_default();
    assert!(levels.ends_with("! no worker"), "{shown}");
    let words: Vec<&str> = levels.split_whitespace().collect();
    assert_eq!(words.get(..4), Some(&["levels", "1", "0", "0.0"][..]), "{shown}");
    assert!(shown.contains("deliveries pending  0\n\nNo scheduler lives.\nNo worker lives."), "{shown}");
    assert!(!shown.contains('\u{1b}'), "{shown}");

    world.work(runners::instant()).await?;
    tenant.client.ended(&jobs).await?;
    until("the worker stands there, and has told that its job has ended", async || {
        let document: Value = serde_json::from_slice(&top(&world, &["--json"], TOKEN).await?.stdout)?;
        let worker = &document["load"]["workers"][0];
        Ok((worker["slots"].as_u64().is_some_and(|slots| slots > 0) && worker["busy"] == 0).then_some(()))
    })
    .await?;
    sqlx::raw_sql(
        "UPDATE read_kinds SET paused_at = mws_now() WHERE read IN ('levels', 'beats');
         INSERT INTO workers (name, host, service, version, beat_at)
         VALUES ('dead', 'h', 'scheduler', '1', mws_now() - interval '10 minutes')",
    )
    .execute(world.pool())
    .await?;
    let shown = said(&top(&world, &["--once"], TOKEN).await?);
    assert!(shown.contains("WORKER") && shown.contains("0 of "), "{shown}");
    let line = |name: &str| shown.lines().find(|line| line.starts_with(name)).unwrap_or_default().to_owned();
    assert!(line("dead").ends_with("! silent for 10 min"), "{shown}");
    // One of them has run, and the other is paused without a job.
    assert!(["levels", "beats"].iter().all(|read| line(read).ends_with("! paused")), "{shown}");
    let refused = top(&world, &["--once"], "another-token-of-somebody").await?;
    assert_eq!(refused.status.code(), Some(3), "{refused:?}");
    world.end().await
}
