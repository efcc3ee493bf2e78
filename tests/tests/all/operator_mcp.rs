//! The verdict over MCP: for operators alone, and the same as `GET /operator/report` (contract §11).

use crate::operators::{ANNA, BO, get, stage};
use mws_tests::world::mcp_call;
use serde_json::{Value, json};

fn list() -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" })
}

#[tokio::test]
async fn an_operator_gets_the_verdict_that_the_route_answers() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    // Bo may only read.
    let bo = world.client(Some(BO.to_owned()));
    let listed = bo.mcp("/operator/mcp", &list()).await?;
    let tools = listed.json["result"]["tools"].as_array().cloned().unwrap_or_default();
    assert_eq!(tools.len(), 1, "{}", listed.text);
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
