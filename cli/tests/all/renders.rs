//! `mws timelines render` as a person runs it: what it shows of a render that is waited for, of one that is there
//! already, and of one that would start.

use anyhow::ensure;
use mws_tests::world::{Media, World, runners};
use serde_json::json;
use std::collections::BTreeMap;
use std::process::{Output, Stdio};
use tokio::process::Command;

/// What is shown of a record, by the name of each line.
fn fields(output: &Output) -> anyhow::Result<BTreeMap<String, String>> {
    ensure!(output.status.success(), "{output:?}");
    let text = String::from_utf8_lossy(&output.stdout);
    let lines = text.lines().filter_map(|line| line.split_once('\t'));
    Ok(lines.map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_render_that_is_waited_for_is_shown_with_its_job_and_what_it_cost() -> anyhow::Result<()> {
    let world = World::new().await?;
    world.work(runners::instant()).await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::video(60)).await?;
    let timelines = async |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mws"));
        command.arg("timelines").args(arguments).stdin(Stdio::null()).kill_on_drop(true);
        for name in ["MWS_API_KEY_FILE", "MWS_PROFILE"] {
            command.env_remove(name);
        }
        command.env("MWS_BASE_URL", format!("{}/api/v1", world.base_url()));
        anyhow::Ok(command.env("MWS_API_KEY", tenant.key.expose()).output().await?)
    };
    let ops = json!([{ "op": "add_scene", "ref": item, "duration": 5 }]).to_string();
    let made = timelines(&["create", "River", "--ops", &ops, "--ids"]).await?;
    let id = String::from_utf8_lossy(&made.stdout).trim().to_owned();
    ensure!(id.starts_with("tml_"), "{made:?}");

    let asked = fields(&timelines(&["render", &id, "--dry-run"]).await?)?;
    assert_eq!(asked["status"], "startable");
    assert_eq!(asked.keys().collect::<Vec<_>>(), ["minutes", "status"], "a dry run starts no job");
    assert!(asked["minutes"].parse::<f64>()? > 0.0, "{asked:?}");
    let waited = fields(&timelines(&["render", &id, "--wait"]).await?)?;
    assert!(waited.values().all(|value| !value.is_empty()), "{waited:?}");
    let job = tenant.client.job(&waited["job"]).await?;
    assert_eq!((&job["kind"], &job["result"]["item_id"]), (&json!("render"), &json!(waited["item"])));
    assert_eq!((waited["status"].as_str(), &waited["minutes"]), ("ready", &job["cloud_minutes"].to_string()));

    let again = timelines(&["render", &id, "--wait"]).await?;
    let shown = fields(&again)?;
    assert_eq!(shown.keys().collect::<Vec<_>>(), ["item", "status"]);
    assert_eq!(shown["item"], waited["item"]);
    assert!(String::from_utf8_lossy(&again.stderr).contains("nothing is charged"), "{again:?}");
    world.end().await
}
