//! `mws admin jobs` as an operator runs it: the program itself, beside a real api.

use crate::operator::as_operator;
use anyhow::ensure;
use mws_tests::world::{Media, World};
use std::collections::BTreeMap;
use std::process::Stdio;
use tokio::process::Command;

const TOKEN: &str = "token-of-anna-who-acts";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_is_shown_with_why_it_waits_and_until_when() -> anyhow::Result<()> {
    let world = World::with(|settings| settings.operator_tokens = Some(format!("anna:act:{TOKEN}").into())).await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::audio(60)).await?;
    let asked = item.to_string();
    let job = tenant.client.prepare(&[item], &["levels"]).await?.job_ids()?.remove(0);
    // What is shown of the job, by the name of each line.
    let shown = async || {
        let output = as_operator(&world, TOKEN, &["admin", "jobs", "get", &job]).await?;
        ensure!(output.status.success(), "{output:?}");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let lines = text.lines().filter_map(|line| line.split_once('\t'));
        anyhow::Ok(lines.map(|(name, value)| (name.to_owned(), value.to_owned())).collect::<BTreeMap<_, _>>())
    };
    let queued = shown().await?;
    assert_eq!(queued.get("WAITS").map(String::as_str), Some("No worker that lives has an engine for it."));
    assert!(!queued.contains_key("DUE"), "no time is known: {queued:?}");

    // Whoever asks for the read is told so too.
    let mut prepare = Command::new(env!("CARGO_BIN_EXE_mws"));
    prepare.args(["prepare", &asked, "--reads", "levels"]).stdin(Stdio::null()).kill_on_drop(true);
    for name in ["MWS_API_KEY_FILE", "MWS_PROFILE"] {
        prepare.env_remove(name);
    }
    prepare.env("MWS_BASE_URL", format!("{}/api/v1", world.base_url())).env("MWS_API_KEY", tenant.key.expose());
    let prepared = prepare.output().await?;
    let said = String::from_utf8_lossy(&prepared.stderr);
    ensure!(prepared.status.success() && said.contains("No worker that lives can run levels"), "{said}");

    sqlx::raw_sql(
        "UPDATE jobs SET admitted = false, ticket_id = NULL, claim_no = 1, due_at = mws_now() + interval '5 minutes';
         INSERT INTO job_claims (job_id, claim_no, worker, ended_at, outcome, error_code)
             SELECT id, 1, 'w', mws_now(), 'handed_back', 'media_missing' FROM jobs;
         DELETE FROM apalis.jobs",
    )
    .execute(world.pool())
    .await?;
    let put_back = shown().await?;
    let why = "It was put back, uncounted (media_missing), and is tried again when it is due.";
    assert_eq!(put_back.get("WAITS").map(String::as_str), Some(why), "{put_back:?}");
    let due = tenant.client.job(&job).await?["waits"]["until"].clone();
    assert_eq!(put_back.get("DUE").map(String::as_str), due.as_str(), "{put_back:?}");
    assert!(due.is_string(), "{due}");

    tenant.client.tool("cancel_jobs", &serde_json::json!({ "job_ids": [job] })).await?.data()?;
    let ended = shown().await?;
    assert_eq!(ended.get("STATUS").map(String::as_str), Some("cancelled"));
    assert!(!ended.contains_key("WAITS") && !ended.contains_key("DUE"), "it waits for nothing: {ended:?}");
    world.end().await
}
