//! Suspended accounts, revoked keys, disabled users, members who go; and the log of it that the account's owner reads.

use super::{ANNA, done, get, log, refusal, send, stage, text};
use mws_tests::world::{AuthorizationServer, Client, Feed, Media, World, runners, until};
use runtime::config::Signup;
use serde_json::{Value, json};
use sqlx::Connection;
use std::time::Duration;
use store::{accounts, audit};

/// The status and the code that a caller gets for a small request.
async fn told(client: &Client) -> anyhow::Result<(u16, String)> {
    let answer = client.send("GET", "/workspaces", &[], None).await?;
    Ok((answer.status, answer.code().to_owned()))
}

/// The status and the code of a refusal.
fn refused(status: u16, code: &str) -> (u16, String) {
    (status, code.to_owned())
}

/// Opens the event stream, and reads past its first message, which says where it begins.
async fn open_feed(client: &Client) -> anyhow::Result<Feed> {
    let mut feed = Feed::of(client.stream(&[]).await?);
    assert!(feed.next().await?.is_some_and(|first| first.data.is_empty()));
    Ok(feed)
}

/// `action target` of each change that the account's log tells of, the first one first.
async fn own_log(client: &Client) -> anyhow::Result<Vec<String>> {
    let list = get(client, "/audit?limit=100").await?;
    let rows = list["data"].as_array().into_iter().flatten().rev();
    Ok(rows.map(|row| format!("{} {}", text(row, "/action"), text(row, "/target"))).collect())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_suspended_account_is_refused_its_jobs_wait_and_all_goes_on_once_it_is_resumed() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let (tenant, other) = (world.tenant("a").await?, world.tenant("b").await?);
    let session = world.session(&tenant).await?;
    let guest = world.member(&other, &tenant, "editor").await?;
    let endpoint = world.endpoint(&tenant, "http://127.0.0.1:9/").await?;
    let upload = json!({ "filename": "a.wav", "content_type": "audio/wav", "bytes": 4 });
    let upload = done(&tenant.client, "POST", "/uploads", &upload, 201).await?;
    let items = world.items(&tenant, 2, Media::video(60)).await?;
    let jobs = tenant.client.prepare(&items, &["levels"]).await?.job_ids()?;
    let mut feed = open_feed(&tenant.client).await?;

    let path = format!("/operator/accounts/{}", tenant.account);
    let asked = json!({ "reason": "Unpaid since March." });
    let suspended = done(&anna, "POST", &format!("{path}/suspend"), &asked, 200).await?;
    assert_eq!(text(&suspended, "/account/suspended_reason"), "Unpaid since March.");
    assert_eq!(feed.next().await?, None, "the open stream has ended");
    for client in [&tenant.client, &session, &guest] {
        assert_eq!(told(client).await?, refused(403, "account_suspended"));
    }
    let answer = send(&tenant.client, "GET", "/keys", &Value::Null).await?;
    assert!(answer.text.contains("Unpaid since March."), "{}", answer.text);
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }).to_string();
    let mcp = tenant.client.below(world.base_url()).send("POST", "/mcp", &[], Some(call)).await?;
    assert_eq!(mcp.status, 403, "{}", mcp.text);
    let put = world.client(None).put(&text(&upload, "/upload/url"), "audio/wav", b"RIFF".to_vec()).await?;
    assert_eq!(refusal(&put), (403, "account_suspended"));
    assert_eq!(told(&other.client).await?.0, 200, "nobody else is stopped");

    world.work(runners::instant()).await?;
    let scheduler = world.scheduler().await?;
    let theirs = world.item(&other, Media::video(60)).await?;
    let theirs = other.client.prepare(&[theirs], &["levels"]).await?.job_ids()?;
    other.client.ended(&theirs).await?;
    let waiting = "SELECT count(*) FROM jobs WHERE status = 'queued' AND NOT admitted";
    until("its jobs have given up their places", async || Ok((world.count(waiting).await? == 2).then_some(()))).await?;
    let silent = "SELECT count(*) FROM webhook_endpoints WHERE disabled_reason = 'suspended' AND NOT enabled";
    assert_eq!(world.count(silent).await?, 1);
    let again = done(&anna, "POST", &format!("{path}/suspend"), &asked, 200).await?;
    assert_eq!(again["account"]["suspended_at"], suspended["account"]["suspended_at"]);

    let resumed = done(&anna, "POST", &format!("{path}/resume"), &json!({}), 200).await?;
    assert_eq!(resumed["suspended_at"], Value::Null);
    let ended = tenant.client.ended(&jobs).await?;
    assert!(ended.iter().all(|job| job["status"] == "succeeded"), "{ended:?}");
    assert_eq!(get(&tenant.client, "/webhooks").await?["data"][0]["enabled"], true);
    for client in [&session, &guest] {
        assert_eq!(told(client).await?.0, 200);
    }
    scheduler.stop().await?;
    let (suspend, resume) =
        (format!("account.suspend {}", tenant.account), format!("account.resume {}", tenant.account));
    assert_eq!(log(&anna).await?, [suspend.clone(), resume.clone()], "a repeat changes nothing");
    assert_eq!(own_log(&tenant.client).await?, [suspend, resume]);
    assert_eq!(get(&tenant.client, "/audit").await?["data"][0]["actor"], "operator");
    assert!(endpoint.to_string().starts_with("whe_"));
    world.end().await
}

#[tokio::test]
async fn a_suspension_that_ends_work_cancels_what_the_account_pays_for_and_nobody_elses() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let (tenant, other) = (world.tenant("a").await?, world.tenant("b").await?);
    let guest = world.member(&other, &tenant, "editor").await?;
    let items = world.items(&tenant, 25, Media::video(60)).await?;
    tenant.client.prepare(&items[..20], &["levels"]).await?.data()?;
    let kept = guest.prepare(&items[20..], &["levels"]).await?.job_ids()?;
    let import = json!({ "url": "https://93.184.216.34/a.wav" });
    tenant.client.tool("import_media", &import).await?.data()?;
    let path = format!("/operator/accounts/{}/suspend", tenant.account);
    let ended = done(&anna, "POST", &path, &json!({ "reason": "Abuse.", "end_work": true }), 200).await?;
    assert_eq!((&ended["ended_jobs"], &ended["ended_uploads"]), (&json!(20), &json!(1)), "{ended}");
    assert_eq!(world.count("SELECT count(*) FROM jobs WHERE status = 'cancelled' AND charged = 0").await?, 20);
    assert_eq!(world.count("SELECT count(*) FROM jobs WHERE status = 'queued'").await?, 5);
    assert_eq!(kept.len(), 5);
    let failed = "SELECT count(*) FROM items WHERE status = 'failed' AND error_code = 'account_suspended'";
    assert_eq!(world.count(failed).await?, 1);
    world.end().await
}

#[tokio::test]
async fn a_revoked_keys_stream_ends_at_once_and_its_sessions_with_it() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let tenant = world.tenant("a").await?;
    let made = done(&tenant.client, "POST", "/keys", &json!({ "name": "ci" }), 201).await?;
    let client = world.client(made["key"].as_str().map(str::to_owned));
    let second = done(&client, "POST", "/keys", &json!({}), 201).await?;
    assert_eq!(
        (text(&made, "/created_by"), text(&second, "/created_by")),
        (tenant.key_id.to_string(), text(&made, "/id"))
    );
    let other = world.client(second["key"].as_str().map(str::to_owned));
    let (mut by_owner, mut by_operator) = (open_feed(&client).await?, open_feed(&other).await?);
    let mut stays = open_feed(&tenant.client).await?;

    done(&tenant.client, "DELETE", &format!("/keys/{}", text(&made, "/id")), &Value::Null, 200).await?;
    assert_eq!(by_owner.next().await?, None);
    assert_eq!(told(&client).await?, refused(401, "credential_revoked"));
    let path = format!("/operator/keys/{}", text(&second, "/id"));
    done(&anna, "DELETE", &path, &Value::Null, 200).await?;
    assert_eq!(by_operator.next().await?, None);
    assert_eq!(refusal(&send(&anna, "DELETE", &path, &Value::Null).await?), (404, "key_not_found"));
    assert_eq!(told(&tenant.client).await?.0, 200);
    let item = world.item(&tenant, Media::video(60)).await?;
    let job = tenant.client.prepare(&[item], &["levels"]).await?.job_ids()?;
    tenant.client.tool("cancel_jobs", &json!({ "job_ids": job })).await?.data()?;
    assert_eq!(stays.next().await?.map(|message| message.event), Some("job.cancelled".to_owned()));

    let listed = get(&anna, &format!("/operator/keys?account_id={}", tenant.account)).await?;
    let revoked: Vec<bool> =
        listed["data"].as_array().into_iter().flatten().map(|key| key["revoked_at"].is_string()).collect();
    assert_eq!(revoked, [true, true, false]);
    let wanted = [
        format!("key.create {}", text(&made, "/id")),
        format!("key.create {}", text(&second, "/id")),
        format!("key.revoke {}", text(&made, "/id")),
        format!("key.revoke {}", text(&second, "/id")),
    ];
    assert_eq!(own_log(&tenant.client).await?, wanted);
    let actors = get(&tenant.client, "/audit").await?;
    let actors: Vec<String> = actors["data"].as_array().into_iter().flatten().map(|row| text(row, "/actor")).collect();
    let key = tenant.key_id.to_string();
    assert_eq!(actors, ["operator".to_owned(), key.clone(), text(&made, "/id"), key]);
    world.end().await
}

#[tokio::test]
async fn keys_and_sessions_go_with_the_member_or_the_user_who_made_them() -> anyhow::Result<()> {
    let server = AuthorizationServer::start(env!("CARGO_TARGET_TMPDIR"))?;
    let world = World::with_api(|settings, api| {
        settings.operator_tokens = Some(format!("anna:act:{ANNA}").into());
        api.oauth = server.settings(Signup::Refuse);
    })
    .await?;
    let anna = world.client(Some(ANNA.to_owned()));
    let tenant = world.tenant("a").await?;
    let mut people = Vec::new();
    for name in ["leaver", "stayer"] {
        let user = world.signed_in(&server, name, tenant.account).await?;
        accounts::set_member(&mut *world.pool().acquire().await?, tenant.workspace, user, "viewer").await?;
        let client = world.client(Some(server.token(name).await?));
        let first = done(&client, "POST", "/keys", &json!({}), 201).await?;
        assert_eq!(text(&first, "/created_by"), user.to_string());
        let first = world.client(first["key"].as_str().map(str::to_owned));
        let second = done(&first, "POST", "/keys", &json!({}), 201).await?;
        let second = world.client(second["key"].as_str().map(str::to_owned));
        let code = done(&client, "POST", "/tools/get_api_session", &json!({}), 200).await?;
        let code = json!({ "code": code["data"]["code"] });
        let token = done(&world.client(None), "POST", "/sessions/redeem", &code, 200).await?;
        let session = world.client(token["token"].as_str().map(str::to_owned));
        people.push((user, client, [first, second], session));
    }
    let (leaver, client, keys, session) = &people[0];
    let mut feed = open_feed(&keys[1]).await?;
    let membership = format!("/operator/members/{}/{leaver}", tenant.workspace);
    done(&anna, "DELETE", &membership, &Value::Null, 200).await?;
    assert_eq!(feed.next().await?, None, "the stream of a key that a key of theirs made");
    for key in keys {
        assert_eq!(told(key).await?, refused(401, "credential_revoked"));
    }
    assert_eq!(told(session).await?, refused(401, "unauthenticated"));
    assert_eq!(told(client).await?, refused(403, "workspace_forbidden"));
    let removed = get(&anna, "/operator/audit?action=member.delete").await?;
    assert_eq!(removed["data"][0]["after"], json!({ "revoked_keys": 2 }));

    let (stayer, client, keys, session) = &people[1];
    assert_eq!((told(client).await?.0, told(&keys[1]).await?.0, told(session).await?.0), (200, 200, 200));
    let path = format!("/operator/users/{stayer}");
    let disabled = done(&anna, "PATCH", &path, &json!({ "disabled": true }), 200).await?;
    assert!(disabled["disabled_at"].is_string());
    assert_eq!(told(client).await?, refused(403, "user_disabled"));
    assert_eq!(told(&keys[0]).await?, refused(401, "credential_revoked"));
    assert_eq!(told(session).await?, refused(401, "unauthenticated"));
    done(&anna, "PATCH", &path, &json!({ "disabled": false }), 200).await?;
    assert_eq!((told(client).await?.0, told(&keys[0]).await?.0), (200, 401), "what was revoked stays so");
    let revoked = get(&tenant.client, "/audit?action=key.revoke&limit=100").await?;
    assert_eq!(revoked["data"].as_array().map(Vec::len), Some(4), "the owner sees all four: {revoked}");
    world.end().await
}

#[tokio::test]
async fn a_change_to_a_key_a_secret_or_an_endpoint_that_can_not_be_logged_is_not_made() -> anyhow::Result<()> {
    let (world, _) = stage().await?;
    let tenant = world.tenant("a").await?;
    let client = &tenant.client;
    let key = text(&done(client, "POST", "/keys", &json!({}), 201).await?, "/id");
    done(client, "POST", "/webhook-secret", &json!({}), 200).await?;
    done(client, "POST", "/webhook-secret", &json!({}), 200).await?;
    let hook = json!({ "url": "https://93.184.216.34/hidden?key=hidden" });
    let hook = text(&done(client, "POST", "/webhooks", &hook, 201).await?, "/id");
    let hook = format!("/webhooks/{hook}");
    for change in [json!({ "enabled": false }), json!({ "enabled": true, "description": "x" }), json!({ "test": true })]
    {
        done(client, "PATCH", &hook, &change, 200).await?;
    }
    let rows = get(client, "/audit").await?;
    let rows: Vec<&Value> = rows["data"].as_array().into_iter().flatten().collect();
    let actions: Vec<String> = rows.iter().rev().map(|row| text(row, "/action")).collect();
    let wanted = ["key.create", "webhook_secret.create", "webhook.create", "webhook.disable", "webhook.update"]
        .map(str::to_owned);
    assert_eq!(actions, wanted, "what was there already, and a ping, change nothing");
    for row in &rows {
        let at = (text(row, "/actor"), text(row, "/address"), text(row, "/credential"));
        assert_eq!(at, (tenant.key_id.to_string(), "127.0.0.1".to_owned(), "api_key".to_owned()));
        assert!(text(row, "/request_id").starts_with("req_") && !row.to_string().contains("hidden"), "{row}");
    }
    assert!(sqlx::query("UPDATE account_audit SET actor = 'x'").execute(world.pool()).await.is_err());

    sqlx::query("ALTER TABLE account_audit ADD CONSTRAINT full_disk CHECK (false) NOT VALID")
        .execute(world.pool())
        .await?;
    let before = (get(client, "/keys").await?, get(client, "/webhooks").await?, get(client, "/webhook-secret").await?);
    for (method, path, body) in [
        ("POST", "/keys", json!({})),
        ("DELETE", &*format!("/keys/{key}"), Value::Null),
        ("POST", "/webhook-secret", json!({ "rotate": true })),
        ("DELETE", "/webhook-secret", Value::Null),
        ("POST", "/webhooks", json!({ "url": "https://93.184.216.34/" })),
        ("PATCH", &*hook, json!({ "enabled": false })),
        ("DELETE", &*hook, Value::Null),
    ] {
        let answer = send(client, method, path, &body).await?;
        assert_eq!(refusal(&answer), (500, "internal"), "{method} {path}: {}", answer.text);
    }
    let after = (get(client, "/keys").await?, get(client, "/webhooks").await?, get(client, "/webhook-secret").await?);
    assert_eq!(before, after);
    world.end().await
}

#[tokio::test]
async fn the_accounts_log_is_bounded_by_the_day_and_ends_with_its_time() -> anyhow::Result<()> {
    let (world, _) = stage().await?;
    let tenant = world.tenant("a").await?;
    let key = text(&done(&tenant.client, "POST", "/keys", &json!({}), 201).await?, "/id");
    sqlx::query(
        "INSERT INTO account_audit (id, account_id, actor, credential, action, target, request_id)
         SELECT (lpad(to_hex((extract(epoch FROM mws_now()) * 1000)::bigint), 12, '0') || lpad(to_hex(n), 20, '0'))::uuid,
             $1, 'x', 'api_key', 'key.create', 'x', 'x'
         FROM generate_series(1, 999) AS n",
    )
    .bind(tenant.account)
    .execute(world.pool())
    .await?;
    let refused = send(&tenant.client, "POST", "/keys", &json!({})).await?;
    assert_eq!(refusal(&refused), (429, "rate_limited"));
    assert_eq!(refused.header("retry-after"), "600");
    done(&tenant.client, "DELETE", &format!("/keys/{key}"), &Value::Null, 200).await?;
    world.advance(Duration::from_hours(25)).await?;
    done(&tenant.client, "POST", "/keys", &json!({}), 201).await?;
    world.advance(Duration::from_hours(24 * 400)).await?;
    scheduler::prune::run_once(&world.process).await?;
    assert_eq!(world.count("SELECT count(*) FROM account_audit").await?, 0);
    world.end().await
}

#[tokio::test]
async fn the_operators_log_is_a_chain_in_which_a_changed_a_lost_and_a_put_in_row_are_found() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let renames = (0..20).map(|_| world.tenant("a"));
    let tenants = futures_util::future::try_join_all(renames).await?;
    world.wait_for_locks().await?;
    let changes = tenants.iter().map(|tenant| {
        let path = format!("/operator/accounts/{}", tenant.account);
        let anna = &anna;
        async move { done(anna, "PATCH", &path, &json!({ "name": "b" }), 200).await }
    });
    futures_util::future::try_join_all(changes).await?;
    let rows = get(&anna, "/operator/audit?limit=100").await?;
    let numbers: Vec<i64> =
        rows["data"].as_array().into_iter().flatten().filter_map(|row| row["number"].as_i64()).collect();
    assert_eq!(numbers.len(), 20);
    let mut conn = world.pool().acquire().await?;
    let chain = audit::verify(&mut conn).await?;
    assert_eq!((chain.rows, chain.broken_at), (20, None), "those that raced are chained too");
    let last = rows["data"].as_array().into_iter().flatten().find(|row| row["number"] == 20).expect("the last");
    assert_eq!(last["hash"].as_str().map(str::to_owned), chain.last_hash);

    let alone = "ALTER TABLE operator_audit DISABLE TRIGGER USER";
    for (change, broken) in [
        ("UPDATE operator_audit SET operator = 'bo' WHERE number = 7", 7),
        ("UPDATE operator_audit SET after = '{\"name\":\"c\"}' WHERE number = 7", 7),
        ("DELETE FROM operator_audit WHERE number = 7", 8),
        ("UPDATE operator_audit SET number = number + 100 WHERE number >= 7", 107),
    ] {
        let mut owner = conn.begin().await?;
        sqlx::query(alone).execute(&mut *owner).await?;
        sqlx::query(change).execute(&mut *owner).await?;
        assert_eq!(audit::verify(&mut owner).await?.broken_at, Some(broken), "{change}");
        owner.rollback().await?;
    }
    let mut erasure = conn.begin().await?;
    let erased = "UPDATE operator_audit SET before = NULL, after = NULL, erased_at = mws_now() WHERE number = 7";
    sqlx::query(erased).execute(&mut *erasure).await?;
    let chain = audit::verify(&mut erasure).await?;
    assert_eq!((chain.broken_at, chain.erased), (None, 1), "what was changed may be forgotten, and is counted");
    erasure.rollback().await?;
    drop(conn);
    world.end().await
}

#[tokio::test]
async fn a_look_at_what_is_an_accounts_is_noted_once_an_hour_and_without_it_nothing_is_shown() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    world.stop_clock().await?;
    let tenant = world.tenant("a").await?;
    let path = format!("/operator/jobs?account_id={}", tenant.account);
    for query in ["", "&limit=5", ""] {
        get(&anna, &format!("{path}{query}")).await?;
    }
    get(&anna, "/operator/users?oauth_subject=somebody").await?;
    get(&anna, "/operator/reads").await?;
    let rows = get(&anna, "/operator/audit?action=view").await?;
    let seen: Vec<String> = rows["data"].as_array().into_iter().flatten().map(|row| text(row, "/target")).collect();
    assert_eq!(seen, ["/operator/users?oauth_subject=…".to_owned(), path.clone()]);
    world.advance(Duration::from_hours(2)).await?;
    get(&anna, &path).await?;
    assert_eq!(world.count("SELECT count(*) FROM operator_audit").await?, 3);
    sqlx::query("ALTER TABLE operator_audit ADD CONSTRAINT full_disk CHECK (false) NOT VALID")
        .execute(world.pool())
        .await?;
    let refused = send(&anna, "GET", &format!("/operator/accounts/{}", tenant.account), &Value::Null).await?;
    assert_eq!(refusal(&refused), (500, "internal"));
    assert!(!refused.text.contains("balances"));
    world.end().await
}
