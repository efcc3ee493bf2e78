//! `mws admin bulk` as an operator runs it: the program itself, beside a real api.

use crate::operator::as_operator;
use mws_tests::world::World;
use serde_json::{Value, json};

const TOKEN: &str = "token-of-anna-who-acts";

/// Has a delivery that failed.
async fn one_failed(world: &World) -> anyhow::Result<()> {
    let tenant = world.tenant("a").await?;
    let endpoint = world.endpoint(&tenant, "http://127.0.0.1:9/a").await?;
    for row in [
        "INSERT INTO events (id, account_id, workspace_id, type, body)
         SELECT 'evt_1', $1::uuid, $2::uuid, 'job.failed', '{}' WHERE $3::uuid IS NOT NULL",
        "INSERT INTO deliveries (id, endpoint_id, account_id, workspace_id, event_id, event_type, status, error, finished_at)
         VALUES (gen_random_uuid(), $3, $1, $2, 'evt_1', 'job.failed', 'failed', 'tls_failed', mws_now())",
    ] {
        let row = sqlx::query(row).bind(tenant.account).bind(tenant.workspace).bind(endpoint);
        row.execute(world.pool()).await?;
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bulk_operation_is_started_once_that_is_confirmed_and_then_listed_shown_and_stopped() -> anyhow::Result<()> {
    let world = World::with(|settings| settings.operator_tokens = Some(format!("anna:act:{TOKEN}").into())).await?;
    let run =
        async |arguments: &[&str]| as_operator(&world, TOKEN, &[&["admin", "bulk"][..], arguments].concat()).await;
    let bulk = async |arguments: &[&str]| run(&[arguments, &["--json"]].concat()).await;
    let asked = ["start", "after Friday", "--since", "6h", "--error", "tls_failed"];
    let counted = bulk(&[asked.as_slice(), &["--dry-run"]].concat()).await?;
    let counts: Value = serde_json::from_slice(&counted.stdout)?;
    assert!(counts["dry_run"] == true && counts["until"].is_string(), "{counted:?}");
    let nothing = bulk(&[asked.as_slice(), &["--yes"]].concat()).await?;
    let said: Value = serde_json::from_slice(&nothing.stdout)?;
    assert_eq!((nothing.status.code(), &said["resent"]), (Some(0), &json!(0)), "{nothing:?}");
    let told = run(&asked).await?;
    let said = String::from_utf8_lossy(&told.stderr);
    assert!(told.status.success() && said.contains("No delivery matches, and nothing was started."), "{told:?}");
    assert!(said.contains("with the error tls_failed."), "what was looked for: {told:?}");
    let none = run(&["rerun", "--since", "6h", "--error", "reader_timeout", "--until", "1m"]).await?;
    let said = String::from_utf8_lossy(&none.stderr);
    assert!(none.status.success() && said.contains("No failed read matches, and nothing was started."), "{none:?}");
    let none: Value = serde_json::from_slice(&bulk(&["rerun", "--since", "6h", "--dry-run"]).await?.stdout)?;
    assert_eq!((&none["count"], &none["accounts"]), (&json!(0), &json!([])), "{none}");
    one_failed(&world).await?;
    let unconfirmed = bulk(&asked).await?;
    assert_eq!(unconfirmed.status.code(), Some(2), "{unconfirmed:?}");
    assert_eq!(world.count("SELECT count(*) FROM bulk_operations").await?, 0);

    let too_fast = bulk(&[asked.as_slice(), &["--pace", "101", "--yes"]].concat()).await?;
    assert_eq!(too_fast.status.code(), Some(2), "{too_fast:?}");
    let made = bulk(&[asked.as_slice(), &["--pace", "20", "--yes"]].concat()).await?;
    let started: Value = serde_json::from_slice(&made.stdout)?;
    let id = started["id"].as_str().unwrap_or_default().to_owned();
    assert!(started["name"] == "after Friday" && started["error"] == "tls_failed", "{made:?}");
    assert_eq!(started["pace"], 20, "{made:?}");
    let again = run(&["start", "after Friday", "--since", "7h", "--yes"]).await?;
    let said = String::from_utf8_lossy(&again.stderr);
    assert!(again.status.code() == Some(5) && said.contains("`mws admin bulk get ID`"), "{again:?}");
    assert!(said.contains("`after Friday (2)` is free"), "{again:?}");
    let running: Value = serde_json::from_slice(&bulk(&["list", "--state", "running"]).await?.stdout)?;
    assert_eq!(running["data"][0]["id"], id.as_str(), "{running}");
    let stopped: Value = serde_json::from_slice(&bulk(&["stop", &id]).await?.stdout)?;
    assert_eq!((stopped["state"].as_str(), stopped["stopped_by"].as_str()), (Some("stopped"), Some("anna")));
    let shown: Value = serde_json::from_slice(&bulk(&["get", &id]).await?.stdout)?;
    assert_eq!(shown, stopped);
    let table = String::from_utf8(run(&["get", &id]).await?.stdout)?;
    assert!(table.lines().any(|line| line.starts_with("stopped by") && line.contains("anna")), "{table}");
    // Without a name it is called by its times, so that the same command can be given again.
    let named = bulk(&["start", "--since", "6h", "--yes"]).await?;
    let named: Value = serde_json::from_slice(&named.stdout)?;
    let (since, until) = (named["since"].as_str().unwrap_or_default(), named["until"].as_str().unwrap_or_default());
    assert_eq!(named["name"], format!("What did not arrive from {since} to {until}"), "{named}");
    let missing = bulk(&["stop", "blk_01J00000000000000000000000"]).await?;
    assert_eq!(missing.status.code(), Some(4), "{missing:?}");
    world.end().await
}
