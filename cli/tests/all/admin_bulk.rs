//! `mws admin bulk` as an operator runs it: the program itself, beside a real api.

use mws_tests::world::World;
use serde_json::Value;
use std::process::Stdio;
use tokio::process::Command;

const TOKEN: &str = "token-of-anna-who-acts";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bulk_operation_is_started_once_that_is_confirmed_and_then_listed_shown_and_stopped() -> anyhow::Result<()> {
    let world = World::with(|settings| settings.operator_tokens = Some(format!("anna:act:{TOKEN}").into())).await?;
    let bulk = async |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mws"));
        command.args(["admin", "bulk"]).args(arguments).arg("--json").stdin(Stdio::null()).kill_on_drop(true);
        for name in ["MWS_OPERATOR_TOKEN_FILE", "MWS_PROFILE"] {
            command.env_remove(name);
        }
        command.env("MWS_BASE_URL", format!("{}/api/v1", world.base_url())).env("MWS_OPERATOR_TOKEN", TOKEN);
        anyhow::Ok(command.output().await?)
    };
    let asked = ["start", "after Friday", "--since", "6h", "--error", "tls_failed"];
    let counted = bulk(&[asked.as_slice(), &["--dry-run"]].concat()).await?;
    let counts: Value = serde_json::from_slice(&counted.stdout)?;
    assert!(counts["dry_run"] == true && counts["until"].is_string(), "{counted:?}");
    let unconfirmed = bulk(&asked).await?;
    assert_eq!(unconfirmed.status.code(), Some(2), "{unconfirmed:?}");
    assert_eq!(world.count("SELECT count(*) FROM bulk_operations").await?, 0);

    let made = bulk(&[asked.as_slice(), &["--yes"]].concat()).await?;
    let started: Value = serde_json::from_slice(&made.stdout)?;
    let id = started["id"].as_str().unwrap_or_default().to_owned();
    assert!(started["name"] == "after Friday" && started["error"] == "tls_failed", "{made:?}");
    let running: Value = serde_json::from_slice(&bulk(&["list", "--state", "running"]).await?.stdout)?;
    assert_eq!(running["data"][0]["id"], id.as_str(), "{running}");
    let stopped: Value = serde_json::from_slice(&bulk(&["stop", &id]).await?.stdout)?;
    assert_eq!((stopped["state"].as_str(), stopped["stopped_by"].as_str()), (Some("stopped"), Some("anna")));
    let shown: Value = serde_json::from_slice(&bulk(&["get", &id]).await?.stdout)?;
    assert_eq!(shown, stopped);
    let missing = bulk(&["stop", "blk_01J00000000000000000000000"]).await?;
    assert_eq!(missing.status.code(), Some(4), "{missing:?}");
    world.end().await
}
