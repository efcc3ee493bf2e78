//! What is refused, how, and with which headers (contract §5.4, §7, §8).

use domain::credential::ApiKey;
use mws_tests::world::{Answer, Client, Media, World};
use serde_json::json;

const TOOL: &str = "/tools/prepare_media";

/// The headers of every answer, refusal or not. The numbers of a rate are a known caller's: all of them, or none.
fn assert_headers(answer: &Answer, what: &str) {
    assert!(answer.header("x-request-id").starts_with("req_"), "{what}: no X-Request-Id");
    let numbers = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"].map(|name| answer.header(name));
    let all = numbers.iter().all(|number| number.parse::<u64>().is_ok());
    assert!(all || numbers == [""; 3], "{what}: {numbers:?}");
    assert_eq!(answer.header("ratelimit-policy").is_empty(), !all, "{what}");
    assert!(answer.header("content-type").starts_with("application/json"), "{what}");
}

/// The status, the code, and the whole of the envelope that the path takes.
fn assert_refused(answer: &Answer, path: &str, wanted: (u16, &str), what: &str) {
    assert_eq!((answer.status, answer.code()), wanted, "{what}: {}", answer.text);
    assert_headers(answer, what);
    let error = &answer.json["error"];
    assert!(error["message"].as_str().is_some_and(|text| text.ends_with('.')), "{what}: {error}");
    if path.starts_with("/tools/") {
        assert_eq!(answer.json["ok"], false, "{what}");
        assert!(error["retryable"].is_boolean() && error["status"].is_null(), "{what}: {error}");
    } else {
        assert!(answer.json["ok"].is_null(), "{what}");
        assert_eq!(error["status"], wanted.0, "{what}");
    }
    let waits = !answer.header("retry-after").is_empty();
    assert_eq!(waits, wanted.0 == 429 || wanted.0 == 503, "{what}: Retry-After");
}

async fn post(client: &Client, path: &str, body: &str) -> anyhow::Result<Answer> {
    client.send("POST", path, &[], Some(body.to_owned())).await
}

#[tokio::test]
async fn a_body_that_is_not_what_the_document_says_is_refused_and_names_the_field() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::video(60)).await?.to_string();
    let bodies = [
        ("{", "invalid_json", "JSON"),
        ("", "invalid_request", ""),
        ("[]", "invalid_request", ""),
        (r#"{"reads":["levels"]}"#, "invalid_request", "refs"),
        (r#"{"refs":["a"]}"#, "invalid_request", "reads"),
        (r#"{"refs":[false],"reads":["levels"]}"#, "invalid_request", "refs"),
        (r#"{"refs":[1],"reads":["levels"]}"#, "invalid_request", "refs"),
        (r#"{"refs":[null],"reads":["levels"]}"#, "invalid_request", "refs"),
        (r#"{"refs":"a","reads":["levels"]}"#, "invalid_request", "refs"),
        (r#"{"refs":[],"reads":["levels"]}"#, "invalid_request", "refs"),
        (r#"{"refs":["a"],"reads":[]}"#, "invalid_request", "reads"),
        (r#"{"refs":["a"],"reads":["colours"]}"#, "invalid_request", "reads"),
        (r#"{"refs":["a"],"reads":["Levels"]}"#, "invalid_request", "reads"),
        (r#"{"refs":["a"],"reads":["levels"],"context":7}"#, "invalid_request", "context"),
        (r#"{"refs":["a"],"reads":["levels"],"priority":1}"#, "invalid_request", "priority"),
        (r#"{"refs":["a"],"reads":["levels"],"refs":["b"]}"#, "invalid_request", "refs"),
    ];
    for (body, code, named) in bodies {
        let answer = post(&tenant.client, TOOL, body).await?;
        assert_refused(&answer, TOOL, (400, code), body);
        assert!(
            answer.json["error"]["message"].as_str().is_some_and(|text| text.contains(named)),
            "{body}: {}",
            answer.text
        );
    }
    // A media type is the same in any case.
    let loud = [("content-type", "APPLICATION/JSON")];
    let doubled = Some(r#"{"refs":["a"],"reads":["levels"],"refs":["b"]}"#);
    let answer = tenant.client.send("POST", TOOL, &loud, doubled.map(str::to_owned)).await?;
    assert_refused(&answer, TOOL, (400, "invalid_request"), "in capitals");
    let many: Vec<&str> = vec![&item; 21];
    let long = "é".repeat(601);
    for (body, named) in [
        (json!({ "refs": many, "reads": ["levels"] }), "refs"),
        (json!({ "refs": [item], "reads": ["levels"], "context": long }), "context"),
    ] {
        let answer = post(&tenant.client, TOOL, &body.to_string()).await?;
        assert_refused(&answer, TOOL, (400, "invalid_request"), named);
        assert!(answer.text.contains(named), "{}", answer.text);
    }
    // Twenty-one are too many even where they are one item, twice twenty.
    assert_eq!(tenant.client.prepare(&many[..20], &["levels"]).await?.reads()?, [["queued"]]);
    assert_eq!(world.count("SELECT count(*) FROM jobs").await?, 1);
    world.end().await
}

#[tokio::test]
async fn a_query_that_is_unknown_or_there_twice_is_refused_but_one_that_is_a_list() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    for query in ["limits=1", "limit=1&limit=2", "limit=1&%6cimit=1"] {
        let path = format!("/library/items?{query}");
        let answer = tenant.client.send("GET", &path, &[], None).await?;
        assert_refused(&answer, &path, (400, "invalid_request"), query);
        assert!(answer.text.contains("`limit"), "{}", answer.text);
    }
    let operator = world.client(Some("operator-token-of-the-tests".to_owned()));
    let several = operator.send("GET", "/operator/jobs?status=queued&status=running", &[], None).await?;
    assert_eq!(several.status, 200, "{}", several.text);
    world.end().await
}

#[tokio::test]
async fn a_body_over_a_mebibyte_and_one_of_another_type_are_refused() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let large = format!(r#"{{"refs":["{}"],"reads":["levels"]}}"#, "x".repeat(2 << 20));
    assert_refused(&post(&tenant.client, TOOL, &large).await?, TOOL, (413, "request_too_large"), "2 MiB");
    let chunked = tenant.client.send_chunked(TOOL, large).await?;
    assert_refused(&chunked, TOOL, (413, "request_too_large"), "2 MiB in chunks");
    for (media_type, body) in [("text/plain", "{}"), ("application/x-yaml", "refs: []"), ("application/xml", "<refs/>")]
    {
        let header = [("content-type", media_type)];
        let answer = tenant.client.send("POST", TOOL, &header, Some(body.to_owned())).await?;
        assert_refused(&answer, TOOL, (415, "unsupported_media_type"), media_type);
    }
    world.end().await
}

#[tokio::test]
async fn an_idempotency_key_is_1_to_255_printable_characters() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::video(60)).await?;
    for key in ["", &"k".repeat(256), "tab\there", "é"] {
        let answer = tenant.client.prepare_once(key, &[item], &["levels"]).await?;
        assert_refused(&answer, TOOL, (400, "invalid_request"), key);
    }
    assert_eq!(tenant.client.prepare_once(&"k".repeat(255), &[item], &["levels"]).await?.reads()?, [["queued"]]);
    world.end().await
}

#[tokio::test]
async fn what_is_not_there_is_said_in_the_envelope_of_its_path() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let unknown = [
        ("GET", "/nothing", 404, "route_not_found", ""),
        ("POST", "/tools/nothing", 404, "tool_not_found", ""),
        ("GET", TOOL, 405, "method_not_allowed", "POST"),
        ("DELETE", TOOL, 405, "method_not_allowed", "POST"),
        ("PUT", "/keys", 405, "method_not_allowed", "POST, GET, HEAD"),
        ("POST", "/balances", 405, "method_not_allowed", "GET, HEAD"),
        ("GET", "/operator/deliveries/resend", 405, "method_not_allowed", "POST"),
    ];
    for (method, path, status, code, allow) in unknown {
        for client in [&tenant.client, &world.client(None)] {
            let answer = client.send(method, path, &[], Some("{}".to_owned())).await?;
            assert_refused(&answer, path, (status, code), &format!("{method} {path}"));
            assert_eq!(answer.header("allow"), allow, "{method} {path}");
        }
    }
    world.end().await
}

#[tokio::test]
async fn a_caller_without_a_valid_credential_is_told_before_anything_of_the_body_is_judged() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, other) = (world.tenant("a").await?, world.tenant("b").await?);
    let unknown = ApiKey::from_random([9; 16]);
    let credentials = [None, Some("nonsense"), Some(""), Some("es_live_short"), Some(unknown.expose()), Some("a.b.c")];
    for path in [TOOL, "/keys"] {
        for credential in credentials {
            let answer = post(&world.client(credential.map(str::to_owned)), path, "not json").await?;
            assert_refused(&answer, path, (401, "unauthenticated"), &format!("{path} with {credential:?}"));
            assert_eq!(answer.header("www-authenticate"), "Bearer");
        }
    }
    // Nor is what it names: who may not call learns nothing of the rest.
    for credential in ["eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.c2lnbmF0dXJl", unknown.expose()] {
        let stranger = world.client(Some(credential.to_owned()));
        let answer = stranger.send("GET", "/keys", &[("x-workspace-id", "wsp_x")], None).await?;
        assert_refused(&answer, "/keys", (401, "unauthenticated"), credential);
    }
    // A key works in its own workspace only, whether the one named exists or not.
    let own = tenant.workspace.to_string();
    let (theirs, none) = (other.workspace.to_string(), domain::ids::WorkspaceId::mint().to_string());
    for (workspace, status, code) in [
        (&theirs, 403, "key_wrong_workspace"),
        (&none, 403, "key_wrong_workspace"),
        (&"wsp_x".to_owned(), 400, "invalid_request"),
    ] {
        let answer = tenant.client.send("POST", TOOL, &[("x-workspace-id", workspace)], Some("{}".to_owned())).await?;
        assert_refused(&answer, TOOL, (status, code), workspace);
    }
    let session = world.session(&tenant).await?;
    let answer = session.send("POST", TOOL, &[("x-workspace-id", &theirs)], Some("{}".to_owned())).await?;
    assert_refused(&answer, TOOL, (403, "workspace_forbidden"), "a session elsewhere");
    let listed = tenant.client.send("GET", "/workspaces", &[("x-workspace-id", &own)], None).await?;
    assert_eq!(listed.status, 200);
    assert_headers(&listed, "an answer");

    // Revoking a key revokes its sessions too.
    let revoked = tenant.client.send("DELETE", &format!("/keys/{}", tenant.key_id), &[], None).await?;
    assert_eq!((revoked.status, &revoked.json), (200, &json!({ "deleted": true })));
    for client in [&tenant.client, &session] {
        assert_refused(&post(client, TOOL, "{}").await?, TOOL, (401, "credential_revoked"), "revoked");
    }
    world.end().await
}

#[tokio::test]
async fn a_session_ends_after_thirty_minutes_and_may_not_touch_keys() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let session = world.session(&tenant).await?;
    for (method, path) in
        [("GET", "/keys".to_owned()), ("POST", "/keys".to_owned()), ("DELETE", format!("/keys/{}", tenant.key_id))]
    {
        let answer = session.send(method, &path, &[], Some("{}".to_owned())).await?;
        assert_refused(&answer, &path, (403, "session_not_allowed"), method);
    }
    world.advance(std::time::Duration::from_mins(29)).await?;
    assert_eq!(post(&session, "/tools/get_jobs", "{}").await?.status, 200);
    world.advance(std::time::Duration::from_secs(61)).await?;
    let answer = post(&session, "/tools/get_jobs", "{}").await?;
    assert_refused(&answer, "/tools/get_jobs", (401, "token_expired"), "after 30 minutes");
    world.end().await
}

#[tokio::test]
async fn a_burst_over_the_rate_is_refused_until_its_time_and_counts_down_on_every_answer() -> anyhow::Result<()> {
    let world = World::with(|settings| (settings.rate_per_minute, settings.rate_burst) = (1, 3)).await?;
    let (tenant, other) = (world.tenant("a").await?, world.tenant("b").await?);
    for remaining in ["2", "1", "0"] {
        let answer = post(&tenant.client, "/tools/get_jobs", "{}").await?;
        assert_eq!((answer.status, answer.header("x-ratelimit-remaining")), (200, remaining));
        assert_eq!(answer.header("x-ratelimit-limit"), "3");
        assert_eq!(answer.header("ratelimit-policy"), r#""account";q=3;w=180"#);
    }
    for path in ["/tools/get_jobs", TOOL, "/keys"] {
        let answer = post(&tenant.client, path, "{}").await?;
        assert_refused(&answer, path, (429, "rate_limited"), path);
        let wait: u64 = answer.header("retry-after").parse()?;
        assert!((1..=60).contains(&wait), "{wait}");
        assert_eq!(answer.header("x-ratelimit-remaining"), "0");
    }
    assert_eq!(post(&other.client, "/tools/get_jobs", "{}").await?.status, 200, "the rate is an account's own");
    world.end().await
}

#[tokio::test]
async fn a_database_that_is_away_is_a_503_that_says_when_to_try_again() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    world.process.pool.close().await;
    for path in [TOOL, "/keys"] {
        let answer = post(&tenant.client, path, "{}").await?;
        assert_refused(&answer, path, (503, "database_unavailable"), path);
    }
    world.end().await
}
