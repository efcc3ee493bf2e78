//! What is saved by its name: skills, which MCP has as prompts, and templates, whose runs are calls of their tools.

use mws_tests::world::{Answer, Client, Media, World};
use serde_json::{Value, json};

async fn by_mcp(world: &World, client: &Client, method: &str, params: Value) -> anyhow::Result<Value> {
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    Ok(client.below(world.base_url()).mcp("/mcp", &message).await?.json)
}

async fn save(client: &Client, more: Value) -> anyhow::Result<Answer> {
    let mut skill = json!({ "name": "How we cut", "text": "# Cut\n\n<b>Short.</b>" });
    for (name, value) in more.as_object().into_iter().flatten() {
        skill[name] = value.clone();
    }
    client.tool("save_skill", &skill).await
}

#[tokio::test]
async fn a_skill_is_found_by_its_name_and_is_a_prompt_over_mcp() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, other) = (world.tenant("a").await?, world.tenant("b").await?);
    let first = save(&tenant.client, json!({ "description": "Read first.", "if_revision": 0 })).await?;
    assert_eq!(first.data()?["skill"]["revision"], 1);
    for (more, code) in [
        (json!({ "if_revision": 0 }), "name_taken"),
        (json!({ "if_revision": 7 }), "revision_conflict"),
        (json!({ "text": "x".repeat(20_001) }), "invalid_request"),
        (json!({ "text": " " }), "invalid_request"),
        (json!({ "name": "a\nb" }), "invalid_request"),
        (json!({ "description": "two\nlines" }), "invalid_request"),
    ] {
        assert_eq!(save(&tenant.client, more.clone()).await?.code(), code, "{more}");
    }
    let second = save(&tenant.client, json!({ "text": "Shorter.", "if_revision": 1 })).await?;
    assert_eq!(
        (&second.data()?["skill"]["revision"], &second.data()?["skill"]["description"]),
        (&json!(2), &Value::Null)
    );
    for name in ["\u{5c71}\u{306e}\u{6d41}\u{5100}", "<script>alert(1)</script>", "\u{1f3ac} \u{627}\u{644}"] {
        save(&tenant.client, json!({ "name": name })).await?.data()?;
        let found = tenant.client.tool("get_skill", &json!({ "name": name })).await?;
        assert_eq!(found.data()?["skill"]["text"], "# Cut\n\n<b>Short.</b>", "as it was written");
    }
    let page = tenant.client.tool("list_skills", &json!({ "limit": 3 })).await?.data()?.clone();
    assert_eq!(page["skills"].as_array().map(Vec::len), Some(3));
    let rest = tenant.client.tool("list_skills", &json!({ "cursor": page["next_cursor"] })).await?.data()?.clone();
    assert_eq!((&rest["skills"][0]["name"], &rest["skills"][0]["bytes"]), (&json!("How we cut"), &json!(8)));
    let wrong = tenant.client.tool("list_templates", &json!({ "cursor": page["next_cursor"] })).await?;
    assert_eq!(wrong.code(), "invalid_cursor", "of another list");

    let prompts = by_mcp(&world, &tenant.client, "prompts/list", json!({})).await?;
    assert_eq!(prompts["result"]["prompts"].as_array().map(Vec::len), Some(4), "{prompts}");
    let prompt = by_mcp(&world, &tenant.client, "prompts/get", json!({ "name": "How we cut" })).await?;
    assert_eq!(prompt["result"]["messages"][0]["content"]["text"], "Shorter.", "{prompt}");
    let none = by_mcp(&world, &other.client, "prompts/list", json!({})).await?;
    assert_eq!(none["result"]["prompts"], json!([]), "{none}");
    let refused = by_mcp(&world, &other.client, "prompts/get", json!({ "name": "How we cut" })).await?;
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    let theirs = other.client.tool("get_skill", &json!({ "name": "How we cut" })).await?;
    assert_eq!((theirs.status, theirs.code()), (404, "skill_not_found"));

    tenant.client.tool("delete_skill", &json!({ "name": "How we cut" })).await?.data()?;
    let gone = tenant.client.tool("delete_skill", &json!({ "name": "How we cut" })).await?;
    assert_eq!(gone.code(), "skill_not_found");
    world.end().await
}

#[tokio::test]
async fn a_template_is_checked_when_it_is_saved_and_its_run_is_a_call_of_its_tool() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::video(60)).await?;
    let saved = async |tool: &str, arguments: Value| {
        tenant.client.tool("save_template", &json!({ "name": "t", "tool": tool, "arguments": arguments })).await
    };
    for (tool, arguments, code, said) in [
        ("add_coment", json!({}), "tool_not_found", "add_coment"),
        ("run_template", json!({ "name": "t" }), "invalid_request", "can't run another"),
        ("add_comment", json!({ "words": "x" }), "invalid_request", "`words` is not known"),
        ("remove_silence", json!({ "padding_ms": 9_999 }), "invalid_request", "`padding_ms`"),
        ("add_comment", json!({ "text": 7 }), "invalid_request", "`text`: expected"),
    ] {
        let refused = saved(tool, arguments).await?;
        assert_eq!(refused.code(), code, "{}", refused.text);
        assert!(refused.text.contains(said), "{}", refused.text);
    }
    saved("add_comment", json!({ "text": "Looks good." })).await?.data()?;
    let run = json!({ "name": "t", "overrides": { "ref": item, "at": 2 } });
    let done = tenant.client.tool("run_template", &run).await?.data()?["comment"].clone();
    assert_eq!((&done["text"], done["at"].as_f64()), (&json!("Looks good."), Some(2.0)));

    // A key belongs to the tool: with one key, a run of the template and the same call made by hand are one call.
    let key = [("idempotency-key", "once")];
    let first = tenant.client.send("POST", "/tools/run_template", &key, Some(run.to_string())).await?;
    let again = tenant.client.send("POST", "/tools/run_template", &key, Some(run.to_string())).await?;
    assert_eq!((again.status, &again.text, again.header("idempotent-replayed")), (200, &first.text, "true"));
    let by_hand = json!({ "ref": item, "text": "Looks good.", "at": 2 }).to_string();
    let by_hand = tenant.client.send("POST", "/tools/add_comment", &key, Some(by_hand)).await?;
    assert_eq!((by_hand.status, &by_hand.text), (200, &first.text));

    // What the tool refuses is refused in its words, and who may not call it may not run it.
    for (overrides, code) in [
        (json!({}), "invalid_request"),
        (json!({ "ref": "nothing" }), "item_not_found"),
        (json!({ "ref": item, "text": null }), "invalid_request"),
    ] {
        let refused = tenant.client.tool("run_template", &json!({ "name": "t", "overrides": overrides })).await?;
        assert_eq!(refused.code(), code, "{}", refused.text);
    }
    let viewer = world.member(&tenant, &tenant, "viewer").await?;
    let refused = viewer.tool("run_template", &run).await?;
    assert_eq!((refused.status, refused.code()), (403, "role_forbidden"));
    assert_eq!(viewer.tool("run_template", &json!({ "name": "none" })).await?.code(), "template_not_found");

    // What a run starts is charged and answered as the tool's own.
    saved("prepare_media", json!({ "reads": ["levels"], "refs": [item] })).await?.data()?;
    let dry = json!({ "name": "t", "overrides": { "dry_run": true } });
    assert_eq!(tenant.client.tool("run_template", &dry).await?.status, 200);
    assert_eq!(world.count("SELECT count(*) FROM jobs").await?, 0, "it was only asked what it would cost");
    let started = tenant.client.tool("run_template", &json!({ "name": "t" })).await?;
    assert_eq!(started.job_ids()?.len(), 1, "{}", started.text);
    assert!(started.json["meta"]["cloud_processing"]["held_minutes"].as_f64() > Some(0.0), "{}", started.text);
    let list = tenant.client.tool("list_templates", &json!({})).await?.data()?.clone();
    assert_eq!(
        (&list["templates"][0]["tool"], &list["templates"][0]["revision"]),
        (&json!("prepare_media"), &json!(2))
    );
    world.end().await
}
