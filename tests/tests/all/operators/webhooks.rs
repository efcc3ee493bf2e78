//! Endpoints of any account: disabling, enabling and testing them.

use super::{BO, done, get, log, refusal, send, stage, text};
use mws_tests::world::{Receiver, runners};
use serde_json::{Value, json};

#[tokio::test]
async fn an_endpoint_of_any_account_is_disabled_enabled_and_pinged_and_both_logs_say_so() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let (receiver, tenant) = (Receiver::start()?, world.tenant("a").await?);
    world.work(runners::instant()).await?;
    let endpoint = world.endpoint(&tenant, &format!("{}/hook?token=hidden", receiver.url)).await?;
    let path = format!("/operator/webhooks/{endpoint}");
    let reads = world.client(Some(BO.to_owned()));
    assert_eq!(send(&reads, "PATCH", &path, &json!({ "enabled": false })).await?.status, 403);

    for _ in 0..2 {
        let off = done(&anna, "PATCH", &path, &json!({ "enabled": false }), 200).await?;
        assert_eq!((&off["enabled"], &off["disabled_reason"]), (&json!(false), &json!("operator")));
        assert_eq!(text(&off, "/account_id"), tenant.account.to_string());
        assert!(!off.to_string().contains("hidden"), "its URL is its owner's: {off}");
    }
    let own = format!("/webhooks/{endpoint}");
    assert_eq!(get(&tenant.client, &own).await?["disabled_reason"], "operator", "its owner is told");
    sqlx::query("UPDATE webhook_endpoints SET consecutive_failures = 12").execute(world.pool()).await?;
    let on = done(&anna, "PATCH", &path, &json!({ "enabled": true, "test": true }), 200).await?;
    assert_eq!((&on["enabled"], &on["consecutive_failures"]), (&json!(true), &json!(0)));
    let sent = receiver.gets(1).await?;
    assert_eq!(sent[0].json()["type"], "ping");
    let shown = get(&tenant.client, &format!("{own}/deliveries")).await?;
    assert_eq!(shown["data"][0]["delivery_id"], on["ping"]["delivery_id"]);

    let did = |verb: &str| format!("webhook.{verb} {endpoint}");
    assert_eq!(log(&anna).await?, [did("disable"), did("enable"), did("ping")], "what was so already is no change");
    let noted = get(&tenant.client, "/audit").await?;
    let noted: Vec<(String, String)> =
        noted["data"].as_array().into_iter().flatten().map(|row| (text(row, "/action"), text(row, "/actor"))).collect();
    let by = |action: &str| (action.to_owned(), "operator".to_owned());
    assert_eq!(noted, [by("webhook.enable"), by("webhook.disable")]);
    let told = get(&anna, "/operator/audit?limit=100").await?.to_string();
    assert!(!told.contains("127.0.0.1:") && !told.contains("hidden"), "no URL in the operators' log: {told}");

    let change = Some(r#"{"enabled":false}"#.to_owned());
    let off = tenant.client.send("PATCH", &own, &[], change).await?;
    assert_eq!(off.json["disabled_reason"], "user", "what an operator did before is over");
    let rows = log(&anna).await?.len();
    for _ in 0..2 {
        let off = done(&anna, "PATCH", &path, &json!({ "enabled": false }), 200).await?;
        assert_eq!(off["disabled_reason"], "operator", "it is disabled by them now");
        assert_eq!(log(&anna).await?.len(), rows + 1, "which is logged once");
    }
    assert_eq!(log(&anna).await?.last(), Some(&did("disable")));
    let noted = get(&tenant.client, "/audit").await?;
    let newest = &noted["data"][0];
    assert_eq!((text(newest, "/action"), text(newest, "/actor")), by("webhook.disable"));
    let change = Some(r#"{"enabled":true}"#.to_owned());
    let on = tenant.client.send("PATCH", &own, &[], change).await?;
    assert_eq!(on.json["enabled"], true, "its owner can enable it");

    let newer = world.endpoint(&tenant, &format!("{}/b", receiver.url)).await?;
    assert_eq!(tenant.client.send("DELETE", &own, &[], None).await?.status, 200);
    let list = format!("/operator/webhooks?account_id={}&limit=1", tenant.account);
    let first = get(&reads, &list).await?;
    let seen = (text(&first, "/data/0/id"), &first["data"][0]["removed_at"], &first["has_more"]);
    assert_eq!(seen, (newer.to_string(), &Value::Null, &json!(true)), "the newest first: {first}");
    let second = get(&reads, &format!("{list}&cursor={}", text(&first, "/next_cursor"))).await?;
    let shown = &second["data"][0];
    assert_eq!((text(shown, "/id"), shown["removed_at"].is_string()), (endpoint.to_string(), true), "{second}");
    let cut = receiver.url.split('?').next().map(|url| format!("{url}?…"));
    assert_eq!(Some(text(shown, "/url")), cut, "without its query");
    let other = get(&reads, &format!("/operator/webhooks?account_id={}", world.tenant("b").await?.account)).await?;
    assert_eq!(other["data"], json!([]), "{other}");
    world.end().await
}

#[tokio::test]
async fn an_endpoint_of_a_suspended_account_is_not_enabled_and_one_that_is_gone_is_not_found() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let tenant = world.tenant("a").await?;
    let endpoint = world.endpoint(&tenant, "http://127.0.0.1:9/a").await?;
    let gone = world.endpoint(&tenant, "http://127.0.0.1:9/b").await?;
    let other = world.endpoint(&tenant, "http://127.0.0.1:9/c").await?;
    assert_eq!(tenant.client.send("DELETE", &format!("/webhooks/{gone}"), &[], None).await?.status, 200);
    let suspend = format!("/operator/accounts/{}/suspend", tenant.account);
    done(&anna, "POST", &suspend, &json!({ "reason": "Unpaid." }), 200).await?;
    let path = format!("/operator/webhooks/{endpoint}");
    let refused = send(&anna, "PATCH", &path, &json!({ "enabled": true })).await?;
    assert_eq!(refusal(&refused), (409, "illegal_transition"));
    assert_eq!(world.count("SELECT count(*) FROM webhook_endpoints WHERE enabled AND deleted_at IS NULL").await?, 0);
    let off = done(&anna, "PATCH", &path, &json!({ "enabled": false }), 200).await?;
    assert_eq!(off["disabled_reason"], "operator", "it was so already, and is disabled by them now");
    for missing in [gone.to_string(), "whe_01J00000000000000000000000".to_owned()] {
        let refused = send(&anna, "PATCH", &format!("/operator/webhooks/{missing}"), &json!({ "test": true })).await?;
        assert_eq!(refusal(&refused), (404, "webhook_not_found"), "{missing}");
    }
    let did = [format!("account.suspend {}", tenant.account), format!("webhook.disable {endpoint}")];
    assert_eq!(log(&anna).await?, did);
    let resume = format!("/operator/accounts/{}/resume", tenant.account);
    done(&anna, "POST", &resume, &json!({}), 200).await?;
    let enabled = "SELECT count(*) FROM webhook_endpoints WHERE enabled AND deleted_at IS NULL";
    assert_eq!(world.count(enabled).await?, 1, "the other one alone");
    let shown = get(&tenant.client, &format!("/webhooks/{endpoint}")).await?;
    assert_eq!((&shown["enabled"], &shown["disabled_reason"]), (&json!(false), &json!("operator")));
    let shown = get(&tenant.client, &format!("/webhooks/{other}")).await?;
    assert_eq!((&shown["enabled"], &shown["disabled_reason"]), (&json!(true), &json!(null)));
    done(&anna, "PATCH", &path, &json!({ "enabled": true }), 200).await?;
    assert_eq!(world.count(enabled).await?, 2);
    world.end().await
}

#[tokio::test]
async fn an_operator_pings_an_endpoint_no_more_often_than_its_owner() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    // However long the pings take, all are of one minute.
    world.stop_clock().await?;
    let tenant = world.tenant("a").await?;
    let endpoint = world.endpoint(&tenant, "http://127.0.0.1:9/a").await?;
    let path = format!("/operator/webhooks/{endpoint}");
    for _ in 0..10 {
        done(&anna, "PATCH", &path, &json!({ "test": true }), 200).await?;
    }
    let refused = send(&anna, "PATCH", &path, &json!({ "test": true })).await?;
    assert_eq!(refusal(&refused), (429, "rate_limited"));
    assert_eq!(world.count("SELECT count(*) FROM deliveries WHERE trigger = 'test'").await?, 10);
    assert_eq!(log(&anna).await?.len(), 10);
    world.end().await
}
