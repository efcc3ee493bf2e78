//! `mws admin webhooks` as an operator runs it: the program itself, beside a real api.

use crate::operator::as_operator;
use mws_tests::world::World;
use serde_json::Value;

const TOKEN: &str = "token-of-anna-who-acts";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_endpoint_is_disabled_once_that_is_confirmed_and_then_enabled_pinged_and_listed() -> anyhow::Result<()> {
    let world = World::with(|settings| settings.operator_tokens = Some(format!("anna:act:{TOKEN}").into())).await?;
    let tenant = world.tenant("a").await?;
    let endpoint = world.endpoint(&tenant, "http://127.0.0.1:9/a").await?.to_string();
    let admin = async |noun: &str, arguments: &[&str]| {
        as_operator(&world, TOKEN, &[&["admin", noun][..], arguments, &["--json"]].concat()).await
    };
    let enabled = "SELECT count(*) FROM webhook_endpoints WHERE enabled";
    let asked = admin("webhooks", &["disable", &endpoint]).await?;
    assert_eq!((asked.status.code(), world.count(enabled).await?), (Some(2), 1), "it was not confirmed: {asked:?}");
    for (arguments, is_enabled) in
        [(vec!["disable", endpoint.as_str(), "--yes"], 0), (vec!["enable", endpoint.as_str()], 1)]
    {
        let changed = admin("webhooks", &arguments).await?;
        assert_eq!((changed.status.code(), world.count(enabled).await?), (Some(0), is_enabled), "{changed:?}");
    }
    let pinged = admin("webhooks", &["ping", &endpoint]).await?;
    let shown: Value = serde_json::from_slice(&pinged.stdout)?;
    assert!(shown["ping"]["delivery_id"].is_string() && shown["id"] == endpoint.as_str(), "{pinged:?}");
    assert_eq!(world.count("SELECT count(*) FROM deliveries WHERE trigger = 'test'").await?, 1);
    let ping = shown["ping"]["delivery_id"].as_str().unwrap_or_default();
    let sent: Value = serde_json::from_slice(&admin("deliveries", &["get", ping]).await?.stdout)?;
    assert!(sent["trigger"] == "test" && sent["request_body"]["type"] == "ping", "{sent}");
    let listed: Value = serde_json::from_slice(&admin("webhooks", &["list"]).await?.stdout)?;
    let first = &listed["data"][0];
    assert!(first["id"] == endpoint.as_str() && first["url"] == "http://127.0.0.1:9/a", "{listed}");
    let kept: Value = serde_json::from_slice(&admin("retention", &[]).await?.stdout)?;
    assert!(kept["kept"][0]["table"] == "jobs" && kept["tables"][0]["table_bytes"].is_i64(), "{kept}");
    // Its owner's people see it too, by a link.
    let account = tenant.account.to_string();
    let linked = admin("accounts", &["portal", &account, "--pages", "webhooks"]).await?;
    let linked: Value = serde_json::from_slice(&linked.stdout)?;
    assert!(linked["url"].as_str().is_some_and(|url| url.contains("/portal/in/epc_")), "{linked}");
    assert_eq!(world.count("SELECT count(*) FROM portal_passes WHERE look ->> 'pages' = '[\"webhooks\"]'").await?, 1);
    let missing = admin("webhooks", &["ping", "whe_01J00000000000000000000000"]).await?;
    assert_eq!(missing.status.code(), Some(4), "{missing:?}");
    world.end().await
}
