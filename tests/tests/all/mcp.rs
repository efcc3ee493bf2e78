//! The tools over MCP: the same tools, the same callers, the same answers (contract §1, §5, §4.4).

use mws_tests::clients;
use mws_tests::world::{Media, Tenant, World, mcp_call, processes, runners, until};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::process::Command;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use worker::Engines;

/// What an agent saw of its errand, by the reference client.
async fn errand(world: &World, tenant: &Tenant, mode: &str) -> anyhow::Result<Value> {
    let folder = TempDir::new()?;
    let file = folder.path().join("silence.wav");
    processes::write_silence(&file, 3)?;
    let mut agent = Command::new(clients::python()?.join("python"));
    agent.arg(clients::source("mcp_agent.py"));
    agent.args([format!("{}/mcp", world.base_url()), format!("{}/api/v1", world.base_url())]);
    agent.args([tenant.key.expose()]).arg(&file).arg(mode);
    Ok(serde_json::from_str(&clients::run(agent).await?)?)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_reference_client_sends_a_file_prepares_it_and_follows_its_jobs_to_the_end() -> anyhow::Result<()> {
    let world = World::new().await?;
    world.work(Engines::found(&world.process)).await?;
    for (mode, protocol) in [("auto", "2026-07-28"), ("legacy", "2025-11-25")] {
        let tenant = world.tenant(mode).await?;
        let saw = errand(&world, &tenant, mode).await?;
        assert_eq!(saw["protocol"], protocol);
        let listed = tenant.client.send("GET", "/tools", &[], None).await?;
        let registered: BTreeSet<&str> =
            listed.json["data"].as_array().into_iter().flatten().filter_map(|tool| tool["name"].as_str()).collect();
        let tools = saw["tools"].as_object().cloned().unwrap_or_default();
        assert_eq!(tools.keys().map(String::as_str).collect::<BTreeSet<_>>(), registered);
        assert_eq!(tools["delete_item"]["annotations"]["destructiveHint"], true);
        assert_eq!(tools["get_jobs"]["annotations"]["readOnlyHint"], true);

        assert_eq!((&saw["item"]["status"], &saw["item"]["type"]), (&json!("ready"), &json!("audio")));
        let (first, again) = (&saw["prepared"]["envelope"], &saw["again"]["envelope"]);
        assert_eq!(first["data"]["items"][0]["reads"][1]["status"], "queued", "{first}");
        assert_eq!(again, first, "the idempotency key's stored answer, byte for byte");
        for job in saw["jobs"].as_array().into_iter().flatten() {
            assert_eq!((&job["status"], &job["context"]), (&json!("succeeded"), &json!("An agent listens.")), "{job}");
        }
        assert_eq!(saw["jobs"].as_array().map(Vec::len), Some(2));
        // Three seconds: 0.01 minutes for levels and 0.02 for speech, rounded up.
        assert_eq!(saw["balances"]["envelope"]["data"]["used_minutes"], 0.03);
        assert_eq!(saw["listed"]["envelope"]["data"]["items"][0]["id"], saw["item"]["id"]);

        // A refusal is the one of the other interface, word for word.
        for (told, name, arguments) in [
            ("unknown_item", "get_item", json!({ "ref": "nothing" })),
            ("unknown_field", "get_item", json!({ "ref": saw["item"]["id"], "more": 1 })),
        ] {
            let refused = tenant.client.tool(name, &arguments).await?;
            assert_eq!(saw[told], json!({ "is_error": true, "envelope": refused.json }), "{told}");
        }
        assert!(saw["unknown_item"]["envelope"]["error"]["suggested_action"].is_string());
        assert_eq!(saw["unknown_tool"]["envelope"]["error"]["code"], "tool_not_found");
    }
    world.end().await
}

#[tokio::test]
async fn without_a_valid_credential_a_client_is_told_where_to_get_one() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let anyone = world.client(None).below(world.base_url());
    let metadata = format!("{}/.well-known/oauth-protected-resource/mcp", world.base_url());
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    for (credential, error) in [(None, ""), (Some("nonsense"), "error=\"invalid_token\", ")] {
        let refused = anyone.as_one_with(credential).mcp("/mcp", &list).await?;
        assert_eq!((refused.status, refused.code()), (401, "unauthenticated"), "{}", refused.text);
        let challenge = format!("Bearer {error}resource_metadata=\"{metadata}\"");
        assert_eq!(refused.header("www-authenticate"), challenge);
    }
    for path in ["/.well-known/oauth-protected-resource/mcp", "/mcp/.well-known/oauth-protected-resource"] {
        let told = anyone.send("GET", path, &[], None).await?;
        assert_eq!(told.status, 200, "{path}");
        assert_eq!(told.json["resource"], format!("{}/mcp", world.base_url()));
        assert_eq!(told.json["bearer_methods_supported"], json!(["header"]));
        assert!(told.json["authorization_servers"].is_null(), "none is configured");
    }
    // A key's revocation holds here too, and so does the workspace that it is bound to.
    let client = tenant.client.below(world.base_url());
    let elsewhere = domain::ids::WorkspaceId::mint().to_string();
    let headers = [("accept", "application/json, text/event-stream"), ("x-workspace-id", &elsewhere)];
    let refused = client.send("POST", "/mcp", &headers, Some(list.to_string())).await?;
    assert_eq!((refused.status, refused.code()), (403, "key_wrong_workspace"));
    tenant.client.send("DELETE", &format!("/keys/{}", tenant.key_id), &[], None).await?;
    let refused = client.mcp("/mcp", &list).await?;
    assert_eq!((refused.status, refused.code()), (401, "credential_revoked"));
    world.end().await
}

#[tokio::test]
async fn a_client_is_told_where_to_get_a_credential_whatever_its_address_has_sent() -> anyhow::Result<()> {
    let world = World::with_api(|_, api| api.wrong_credentials_per_minute = 1).await?;
    let anyone = world.client(None).below(world.base_url());
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    // The second may come when a busy machine has let the first one's minute pass.
    let refused = loop {
        let refused = anyone.as_one_with(Some("nonsense")).mcp("/mcp", &list).await?;
        if refused.status != 401 {
            break refused;
        }
    };
    assert_eq!((refused.status, refused.code()), (429, "rate_limited"), "{}", refused.text);
    let metadata = format!("{}/.well-known/oauth-protected-resource/mcp", world.base_url());
    assert_eq!(refused.header("www-authenticate"), format!("Bearer resource_metadata=\"{metadata}\""));
    world.end().await
}

#[tokio::test]
async fn a_call_is_one_request_of_the_account_and_carries_its_id_and_its_rate() -> anyhow::Result<()> {
    let world = World::with(|settings| (settings.rate_per_minute, settings.rate_burst) = (1, 3)).await?;
    let tenant = world.tenant("a").await?;
    let client = tenant.client.below(world.base_url());
    for remaining in ["2", "1", "0"] {
        let answer = client.mcp("/mcp", &mcp_call("get_balances", &json!({}))).await?;
        assert_eq!((answer.status, answer.header("x-ratelimit-remaining")), (200, remaining), "{}", answer.text);
        let meta = &answer.json["result"]["structuredContent"]["meta"];
        assert_eq!(meta["request_id"], answer.header("x-request-id"), "{}", answer.text);
    }
    let refused = client.mcp("/mcp", &mcp_call("get_balances", &json!({}))).await?;
    assert_eq!((refused.status, refused.code()), (429, "rate_limited"));
    assert!(!refused.header("retry-after").is_empty());
    world.end().await
}

/// Sends a message and takes no more of its answer than its status.
async fn begun(world: &World, tenant: &Tenant, body: &str) -> anyhow::Result<(String, TcpStream)> {
    let head = format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\nmcp-protocol-version: 2025-06-18\r\ncontent-length: {}\r\n\r\n",
        tenant.key.expose(),
        body.len()
    );
    let mut socket = TcpStream::connect(world.address()).await?;
    socket.write_all(head.as_bytes()).await?;
    socket.write_all(body.as_bytes()).await?;
    let mut head = [0; 12];
    socket.read_exact(&mut head).await?;
    Ok((String::from_utf8_lossy(&head[9..]).into_owned(), socket))
}

/// Even an answer of a few words repeats the message's id, which may be as long as a message.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_client_has_repeated_to_it_takes_of_the_room_for_answers() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenants = [world.tenant("a").await?, world.tenant("b").await?, world.tenant("c").await?];
    let ping = json!({ "jsonrpc": "2.0", "id": "x".repeat(1_000_000), "method": "ping" }).to_string();
    let mut unread = Vec::new();
    let refused = loop {
        let tenant = &tenants[unread.len() % tenants.len()];
        let (status, socket) = begun(&world, tenant, &ping).await?;
        if status != "200" {
            break (status, socket);
        }
        unread.push(socket);
        // Half of the room is 134 of them; those that the system's buffers take whole hold none of it.
        assert!(unread.len() <= 240, "nobody is refused");
    };
    assert_eq!(refused.0, "429");
    assert!(unread.len() > 90, "each has a share: {}", unread.len());
    drop((unread, refused));
    let client = tenants[0].client.below(world.base_url());
    let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
    until("the room is free", async || Ok((client.mcp("/mcp", &ping).await?.status == 200).then_some(()))).await?;
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_account_is_sent_four_large_results_at_once_and_no_fifth() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    world
        .work(runners::runner(|reading, _| async move {
            let mut outcome = runners::outcome(&reading);
            outcome.stored.data = json!({ "beats": "x".repeat(6 << 20) });
            Ok(outcome)
        }))
        .await?;
    let item = world.item(&tenant, Media::audio(60)).await?;
    let jobs = tenant.client.prepare(&[item], &["beats"]).await?.job_ids()?;
    tenant.client.ended(&jobs).await?;
    let body = mcp_call("detect_beats", &json!({ "ref": item })).to_string();
    let mut slow = Vec::new();
    for _ in 0..4 {
        let (status, socket) = begun(&world, &tenant, &body).await?;
        assert_eq!(status, "200");
        slow.push(socket);
    }
    let client = tenant.client.below(world.base_url());
    let ask = async || client.mcp("/mcp", &mcp_call("detect_beats", &json!({ "ref": item }))).await;
    let refused = ask().await?.json;
    assert_eq!(refused["result"]["structuredContent"]["error"]["code"], "rate_limited");
    slow.pop();
    let told = until("there is room for another", async || {
        let told = ask().await?.json;
        Ok((told["result"]["isError"] == false).then_some(told))
    })
    .await?;
    let (data, text) = (&told["result"]["structuredContent"], told["result"]["content"][0]["text"].as_str());
    let text = text.unwrap_or_default();
    assert!(data["ok"] == true && text.len() > 6 << 20, "{} bytes", text.len());
    assert!(serde_json::from_str::<Value>(text)? == *data, "it is the answer in both forms");
    world.end().await
}

#[tokio::test]
async fn what_the_protocol_does_not_take_is_refused_in_the_routes_envelope() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let client = tenant.client.below(world.base_url());
    let ping = Some(json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" }).to_string());
    let both = ("accept", "application/json, text/event-stream");
    for (method, headers, status, code) in [
        ("GET", vec![both], 405, "method_not_allowed"),
        ("DELETE", vec![both], 405, "method_not_allowed"),
        ("POST", vec![("accept", "text/html")], 400, "invalid_request"),
        ("POST", vec![both, ("content-type", "text/plain")], 415, "unsupported_media_type"),
        ("POST", vec![both, ("host", "rebound.example")], 403, "origin_forbidden"),
        ("POST", vec![both, ("origin", "https://elsewhere.example")], 403, "origin_forbidden"),
    ] {
        let answer = client.send(method, "/mcp", &headers, ping.clone()).await?;
        assert_eq!((answer.status, answer.code()), (status, code), "{method} {headers:?}: {}", answer.text);
        assert_eq!(answer.json["error"]["status"], status);
        assert_eq!(answer.header("allow"), if status == 405 { "POST" } else { "" });
    }
    // What is no message of the protocol is no other type of media for that; batches went with an older protocol.
    let twice = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call",
        "params":{"name":"get_item","arguments":{"ref":"one","ref":"other"}}}"#;
    for body in ["{", "", "null", r#"{"id":1,"method":"ping"}"#, r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, twice]
    {
        let answer = client.send("POST", "/mcp", &[both], Some(body.to_owned())).await?;
        assert_eq!((answer.status, answer.code()), (400, "invalid_request"), "{body}: {}", answer.text);
    }
    let large = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping", "params": { "x": "x".repeat(2 << 20) } });
    assert_eq!(client.mcp("/mcp", &large).await?.code(), "request_too_large");
    // What is JSON-RPC is answered in its own form.
    let unknown = client.mcp("/mcp", &json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/nothing" })).await?;
    assert_eq!((&unknown.json["id"], &unknown.json["error"]["code"]), (&json!(7), &json!(-32601)), "{}", unknown.text);
    world.end().await
}
