//! What operators ask and do over MCP: for them alone, by their role, and the same as by their routes (contract §11).

use crate::operators::work::deliveries;
use crate::operators::{ANNA, BO, done, get, log, stage, text};
use domain::read::Read;
use mws_tests::world::{Client, Media, World, mcp_call};
use serde_json::{Value, json};

const MIA: &str = "token-of-mia-who-counts";

fn list() -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" })
}

/// The names of the tools that this operator is shown.
pub async fn tools(operator: &Client) -> anyhow::Result<Vec<String>> {
    let listed = operator.mcp("/operator/mcp", &list()).await?;
    let tools = listed.json["result"]["tools"].as_array().cloned().unwrap_or_default();
    anyhow::ensure!(!tools.is_empty(), "{}", listed.text);
    Ok(tools.iter().map(|tool| text(tool, "/name")).collect())
}

/// What a call of a tool returns; it must not be refused.
async fn did(operator: &Client, tool: &str, arguments: &Value) -> anyhow::Result<Value> {
    let answer = operator.mcp("/operator/mcp", &mcp_call(tool, arguments)).await?;
    let result = &answer.json["result"];
    anyhow::ensure!(result["isError"] == false, "{tool}: {}", answer.text);
    Ok(result["structuredContent"].clone())
}

/// The error with which a call of a tool is refused, which must say what helps next.
async fn error(operator: &Client, tool: &str, arguments: &Value) -> anyhow::Result<Value> {
    let answer = operator.mcp("/operator/mcp", &mcp_call(tool, arguments)).await?;
    let (result, error) = (&answer.json["result"], &answer.json["result"]["structuredContent"]["error"]);
    anyhow::ensure!(result["isError"] == true && !text(error, "/suggested_action").is_empty(), "{}", answer.text);
    Ok(error.clone())
}

/// The code with which a call of a tool is refused.
async fn refused(operator: &Client, tool: &str, arguments: &Value) -> anyhow::Result<String> {
    Ok(text(&error(operator, tool, arguments).await?, "/code"))
}

#[tokio::test]
async fn an_operator_gets_the_verdict_that_the_route_answers() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    // Bo may only read.
    let bo = world.client(Some(BO.to_owned()));
    let listed = bo.mcp("/operator/mcp", &list()).await?;
    let tools = listed.json["result"]["tools"].as_array().cloned().unwrap_or_default();
    assert_eq!((&tools[0]["name"], &tools[0]["annotations"]["readOnlyHint"]), (&json!("get_health"), &json!(true)));

    let told = bo.mcp("/operator/mcp", &mcp_call("get_health", &json!({}))).await?;
    let result = &told.json["result"];
    assert_eq!((told.status, &result["isError"]), (200, &json!(false)), "{}", told.text);
    assert_eq!(result["structuredContent"], get(&anna, "/operator/report").await?);
    assert_eq!(result["structuredContent"]["state"], "failing", "no worker lives");

    for (name, arguments, code) in
        [("get_jobs", json!({}), "tool_not_found"), ("get_health", json!({ "more": 1 }), "invalid_request")]
    {
        let refused = bo.mcp("/operator/mcp", &mcp_call(name, &arguments)).await?;
        let result = &refused.json["result"];
        assert_eq!((&result["isError"], &result["structuredContent"]["error"]["code"]), (&json!(true), &json!(code)));
    }
    world.end().await
}

#[tokio::test]
async fn nobody_else_gets_it_and_operators_get_nothing_of_the_customers_tools() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let tenant = world.tenant("a").await?;
    for credential in [None, Some("nonsense"), Some(tenant.key.expose())] {
        let refused = anna.as_one_with(credential).mcp("/operator/mcp", &list()).await?;
        assert_eq!((refused.status, refused.code()), (401, "unauthenticated"), "{}", refused.text);
        assert_eq!(refused.header("www-authenticate"), "Bearer", "no issuer gives operators a token");
    }
    let refused = anna.below(world.base_url()).mcp("/mcp", &list()).await?;
    assert_eq!((refused.status, refused.code()), (401, "unauthenticated"), "{}", refused.text);
    let read = anna.as_one_with(Some(ANNA)).send("GET", "/operator/mcp", &[], None).await?;
    assert_eq!((read.status, read.header("allow")), (405, "POST"), "{}", read.text);
    world.end().await
}

#[tokio::test]
async fn the_list_has_what_the_role_allows_and_the_operation_refuses_the_rest() -> anyhow::Result<()> {
    let tokens = format!("anna:act:{ANNA},bo:read:{BO},mia:metadata:{MIA}");
    let world = World::with(|settings| settings.operator_tokens = Some(tokens.into())).await?;
    let [anna, bo, mia] = [ANNA, BO, MIA].map(|token| world.client(Some(token.to_owned())));
    let counts =
        ["get_health", "list_jobs", "get_job", "list_deliveries", "get_delivery", "list_webhooks", "list_reads"];
    assert_eq!(tools(&mia).await?, counts);
    let reads = tools(&bo).await?;
    assert!(reads.iter().any(|name| name == "list_errors") && reads.len() == 11, "{reads:?}");
    let acts = tools(&anna).await?;
    for name in ["retry_job", "cancel_job", "resend_delivery", "stop_bulk_operation", "update_webhook", "update_read"] {
        assert!(acts.iter().any(|tool| tool == name) && !reads.iter().any(|tool| tool == name), "{name}");
    }
    assert_eq!(refused(&mia, "list_bulk_operations", &json!({})).await?, "role_forbidden");
    let pause = json!({ "read": "levels", "paused": true });
    assert_eq!(refused(&bo, "update_read", &pause).await?, "role_forbidden");
    assert_eq!(world.count("SELECT count(*) FROM read_kinds WHERE paused_at IS NOT NULL").await?, 0);

    // What a role does not see by the routes it does not see here.
    let tenant = world.tenant("a").await?;
    world.can_run(&[Read::Levels]).await?;
    let item = world.item(&tenant, Media::audio(60)).await?;
    let job = tenant.client.prepare(&[item], &["levels"]).await?.job_ids()?.remove(0);
    for operator in [&bo, &mia] {
        let shown = did(operator, "get_job", &json!({ "id": job })).await?;
        assert_eq!(shown, get(operator, &format!("/operator/jobs/{job}")).await?);
    }
    assert_eq!(did(&mia, "get_job", &json!({ "id": job })).await?["payloads_hidden"], true);
    world.end().await
}

#[tokio::test]
async fn what_an_agent_does_is_what_the_routes_do_and_is_in_the_log_under_its_operators_name() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let tenant = world.tenant("a").await?;
    world.can_run(&[Read::Levels]).await?;
    let item = world.item(&tenant, Media::audio(60)).await?;
    let first = tenant.client.prepare(&[item], &["levels"]).await?.job_ids()?.remove(0);
    assert_eq!(refused(&anna, "retry_job", &json!({ "id": first })).await?, "illegal_transition");
    assert_eq!(did(&anna, "cancel_job", &json!({ "id": first })).await?["job"]["status"], "cancelled");
    let found = did(&anna, "list_jobs", &json!({ "status": ["cancelled"], "read": ["levels"], "limit": 5 })).await?;
    assert_eq!((text(&found, "/data/0/job/id"), &found["has_more"]), (first.clone(), &json!(false)));
    assert_eq!(did(&anna, "retry_job", &json!({ "id": first })).await?["status"], "queued");
    let paused = did(&anna, "update_read", &json!({ "read": "levels", "paused": true })).await?;
    assert!(paused["paused_at"].is_string(), "{paused}");
    did(&anna, "update_read", &json!({ "read": "levels", "paused": false })).await?;
    assert_eq!(refused(&anna, "update_read", &json!({ "read": "levels" })).await?, "invalid_request");
    assert_eq!(refused(&anna, "get_job", &json!({ "id": "job_01J00000000000000000000000" })).await?, "job_not_found");

    let endpoint = world.endpoint(&tenant, "http://127.0.0.1:9/a").await?;
    deliveries(&world, &tenant, endpoint, &[("failed", "tls_failed"), ("failed", "http_status")]).await?;
    let of_tls = did(&anna, "list_deliveries", &json!({ "error": "tls_failed" })).await?;
    let delivery = text(&of_tls, "/data/0/delivery_id");
    let since = "2001-01-01T00:00:00Z";
    let counted = did(&anna, "resend_deliveries", &json!({ "since": since, "dry_run": true })).await?;
    assert_eq!((&counted["dry_run"], &counted["resent"]), (&json!(true), &json!(2)));
    let own = get(&tenant.client, &format!("/webhooks/{endpoint}/deliveries/{delivery}")).await?;
    assert_eq!(did(&anna, "get_delivery", &json!({ "id": delivery })).await?, own, "as its account sees it");
    let again = did(&anna, "resend_delivery", &json!({ "id": delivery })).await?;
    assert_eq!(text(&again, "/resend_of"), delivery);
    let bulk = json!({ "name": "friday", "kind": "resend_deliveries", "since": since, "until": counted["until"] });
    let bulk = text(&did(&anna, "start_bulk_operation", &bulk).await?, "/id");
    assert_eq!(did(&anna, "stop_bulk_operation", &json!({ "id": bulk })).await?["stopped_by"], "anna");
    assert_eq!(did(&anna, "get_bulk_operation", &json!({ "id": bulk })).await?["state"], "stopped");
    for enabled in [false, true] {
        let changed = did(&anna, "update_webhook", &json!({ "id": endpoint, "enabled": enabled })).await?;
        assert_eq!(changed["enabled"], enabled, "{changed}");
    }
    let wanted = [
        format!("job.cancel {first}"),
        format!("job.retry {first}"),
        "read.pause levels".to_owned(),
        "read.resume levels".to_owned(),
        format!("delivery.resend {delivery}"),
        format!("bulk.start {bulk}"),
        format!("bulk.stop {bulk}"),
        format!("webhook.disable {endpoint}"),
        format!("webhook.enable {endpoint}"),
    ];
    assert_eq!(log(&anna).await?, wanted);
    assert_eq!(get(&anna, "/operator/audit?action=job.retry").await?["data"][0]["operator"], "anna");
    world.end().await
}

#[tokio::test]
async fn a_refusal_says_what_an_operator_can_do_next_and_names_no_route_and_nothing_of_the_customers()
-> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let tenant = world.tenant("a").await?;
    let bo = world.client(Some(BO.to_owned()));
    let endpoint = world.endpoint(&tenant, "http://127.0.0.1:9/a").await?;
    deliveries(&world, &tenant, endpoint, &[("failed", "tls_failed")]).await?;
    let of_tls = did(&anna, "list_deliveries", &json!({ "error": "tls_failed" })).await?;
    let delivery = text(&of_tls, "/data/0/delivery_id");
    did(&anna, "update_webhook", &json!({ "id": endpoint, "enabled": false })).await?;
    let keyless = world.tenant("b").await?;
    done(&anna, "DELETE", &format!("/operator/keys/{}", keyless.key_id), &Value::Null, 200).await?;
    let nobody = |kind: &str| format!("{kind}_01J00000000000000000000000");
    let bulk = json!({ "name": "x", "kind": "resend_deliveries", "since": "2001-01-01T00:00:00Z" });
    did(&anna, "start_bulk_operation", &bulk).await?;
    let other = json!({ "name": "x", "kind": "resend_deliveries", "since": "2002-01-01T00:00:00Z" });
    for (operator, tool, arguments, code, step) in [
        (&anna, "get_jobs", json!({}), "tool_not_found", "`tools/list` lists them"),
        (&anna, "get_health", json!({ "more": 1 }), "invalid_request", "`tools/list` says what each tool takes"),
        (&anna, "list_jobs", json!({ "cursor": "x" }), "invalid_cursor", "Call without a cursor"),
        (&anna, "get_job", json!({ "id": nobody("job") }), "job_not_found", "`list_jobs` finds jobs of all accounts"),
        (&anna, "list_jobs", json!({ "account_id": "x" }), "account_not_found", "`mws admin accounts list`"),
        (&anna, "list_jobs", json!({ "item_id": "x" }), "item_not_found", "`list_jobs` names the item"),
        (&anna, "get_delivery", json!({ "id": nobody("dlv") }), "delivery_not_found", "`list_deliveries` finds"),
        (&anna, "resend_delivery", json!({ "id": nobody("dlv") }), "delivery_not_found", "`list_deliveries` finds"),
        (&anna, "resend_delivery", json!({ "id": delivery }), "endpoint_disabled", "`update_webhook` with"),
        (&anna, "update_webhook", json!({ "id": nobody("whe"), "enabled": true }), "webhook_not_found", "removed"),
        (&anna, "create_portal_link", json!({ "id": keyless.account }), "key_not_found", "`mws admin keys create`"),
        (&anna, "update_read", json!({ "read": "odd", "paused": true }), "read_not_found", "`list_reads` lists them"),
        (&anna, "get_bulk_operation", json!({ "id": "x" }), "bulk_operation_not_found", "`list_bulk_operations`"),
        (&anna, "start_bulk_operation", other, "name_taken", "free name that the message offers"),
        (&bo, "cancel_job", json!({ "id": nobody("job") }), "role_forbidden", "`tools/list` lists what yours may call"),
    ] {
        let error = error(operator, tool, &arguments).await?;
        assert_eq!(text(&error, "/code"), code, "{tool} {arguments}");
        assert!(text(&error, "/suggested_action").contains(step), "{tool} {arguments}: {error}");
        let told = error.to_string();
        for theirs in ["GET /", "POST /", "PATCH /", "DELETE /", "`get_jobs`", "`list_items`", "`prepare_media`"] {
            assert!(!told.contains(theirs), "{tool} {arguments}: {theirs}: {error}");
        }
    }
    world.end().await
}

#[tokio::test]
async fn a_refusal_says_how_long_to_wait_and_which_command_undoes_a_suspension() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let tenant = world.tenant("a").await?;
    let endpoint = world.endpoint(&tenant, "http://127.0.0.1:9/a").await?;
    // What comes too often says how long to wait: a tool's answer has no header for it.
    let ping = json!({ "id": endpoint, "test": true });
    for _ in 0..10 {
        did(&anna, "update_webhook", &ping).await?;
    }
    let often = error(&anna, "update_webhook", &ping).await?;
    assert_eq!(text(&often, "/code"), "rate_limited");
    let step = text(&often, "/suggested_action");
    let seconds = step.strip_prefix("Wait ").and_then(|rest| rest.split_once(" s, then make the same call again."));
    assert!(seconds.is_some_and(|(seconds, _)| seconds.parse::<u64>().is_ok_and(|seconds| seconds > 0)), "{step}");

    // Nothing is enabled for an account that is suspended, and resuming it is a command.
    let suspend = json!({ "reason": "unpaid" });
    done(&anna, "POST", &format!("/operator/accounts/{}/suspend", tenant.account), &suspend, 200).await?;
    let suspended = error(&anna, "update_webhook", &json!({ "id": endpoint, "enabled": true })).await?;
    assert_eq!(text(&suspended, "/code"), "illegal_transition");
    assert!(text(&suspended, "/suggested_action").contains("`mws admin accounts resume`"), "{suspended}");
    world.end().await
}
