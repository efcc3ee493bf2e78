//! What operators do, and that nobody else does it (interface.md, "Operators").

use api::access::{ACCESS, Needs};
use common::config::Signup;
use common::domain::minutes::Minutes;
use common::domain::operator::OperatorRole;
use common::domain::read::Read;
use common::ids::{AccountId, DeliveryId, EndpointId};
use futures_util::future::try_join_all;
use mws_tests::world::runners::{self, Gate};
use mws_tests::world::{Answer, AuthorizationServer, Client, Media, Tenant, World, until};
use serde_json::{Value, json};

const ANNA: &str = "token-of-anna-who-acts";
const BO: &str = "token-of-bo-who-reads";

/// A service with two operators beside the nameless one.
async fn stage() -> anyhow::Result<(World, Client)> {
    let world =
        World::with(|settings| settings.operator_tokens = Some(format!("anna:act:{ANNA},bo:read:{BO}").into())).await?;
    let anna = world.client(Some(ANNA.to_owned()));
    Ok((world, anna))
}

async fn send(client: &Client, method: &str, path: &str, body: &Value) -> anyhow::Result<Answer> {
    let body = (method != "GET" && method != "DELETE").then(|| body.to_string());
    client.send(method, path, &[], body).await
}

/// The answer's body; the status must be the one wanted.
async fn done(client: &Client, method: &str, path: &str, body: &Value, status: u16) -> anyhow::Result<Value> {
    let answer = send(client, method, path, body).await?;
    anyhow::ensure!(answer.status == status, "{method} {path} answered {}: {}", answer.status, answer.text);
    Ok(answer.json)
}

async fn get(client: &Client, path: &str) -> anyhow::Result<Value> {
    done(client, "GET", path, &Value::Null, 200).await
}

fn text(value: &Value, pointer: &str) -> String {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn refusal(answer: &Answer) -> (u16, &str) {
    (answer.status, answer.code())
}

/// `action target` of every change, the first one first.
async fn log(client: &Client) -> anyhow::Result<Vec<String>> {
    let list = get(client, "/operator/audit?limit=100").await?;
    let rows = list["data"].as_array().into_iter().flatten().rev();
    Ok(rows.map(|row| format!("{} {}", text(row, "/action"), text(row, "/target"))).collect())
}

#[tokio::test]
async fn each_operation_takes_a_token_of_its_role_and_no_customers_credential_and_the_other_way_round()
-> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let tenant = world.tenant("a").await?;
    let bo = world.client(Some(BO.to_owned()));
    let nameless = world.client(Some("operator-token-of-the-tests".to_owned()));
    for (operation, needs) in ACCESS {
        let (method, template) = operation.split_once(' ').unwrap_or_default();
        let path = ["{id}", "{keyId}", "{workspaceId}", "{userId}", "{read}"]
            .iter()
            .fold(template.to_owned(), |path, name| path.replace(name, "x"));
        let Needs::Operator(role) = needs else {
            if *needs != Needs::Nothing {
                let answer = send(&anna, method, &path, &json!({})).await?;
                assert_eq!(refusal(&answer), (401, "unauthenticated"), "{operation} with an operator's token");
            }
            continue;
        };
        for other in [world.client(None), tenant.client.clone(), world.client(Some("token-of-anna-who-act".to_owned()))]
        {
            let answer = send(&other, method, &path, &json!({})).await?;
            assert_eq!(refusal(&answer), (401, "unauthenticated"), "{operation}: {}", answer.text);
        }
        for operator in [&anna, &nameless] {
            let answer = send(operator, method, &path, &json!({ "no such field": 1 })).await?;
            assert!(!matches!(answer.status, 401 | 403), "{operation}: {}", answer.text);
        }
        let answer = send(&bo, method, &path, &json!({})).await?;
        let forbidden = refusal(&answer) == (403, "role_forbidden");
        assert_eq!(forbidden, *role == OperatorRole::Act, "{operation} with a token that reads: {}", answer.text);
    }
    assert_eq!(log(&anna).await?, Vec::<String>::new(), "nothing was changed");
    world.end().await
}

#[tokio::test]
async fn an_account_is_opened_with_a_key_and_people_are_let_in_by_their_subject() -> anyhow::Result<()> {
    let server = AuthorizationServer::start(env!("CARGO_TARGET_TMPDIR"))?;
    let world = World::with_api(|settings, api| {
        settings.operator_tokens = Some(format!("anna:act:{ANNA}").into());
        api.oauth = server.settings(Signup::Refuse);
    })
    .await?;
    let anna = world.client(Some(ANNA.to_owned()));
    let asked = json!({ "name": " Example ", "monthly_allowance_minutes": 12.5, "create_key": true });
    let opened = done(&anna, "POST", "/operator/accounts", &asked, 201).await?;
    let (account, first) = (text(&opened, "/account/id"), text(&opened, "/workspace_id"));
    assert_eq!(
        (text(&opened, "/account/name"), &opened["account"]["monthly_allowance_minutes"]),
        ("Example".into(), &json!(12.5))
    );
    let customer = world.client(opened["key"].as_str().map(str::to_owned));
    assert_eq!(get(&customer, "/balances").await?["allowance_minutes"], 12.5);
    assert_eq!(text(&get(&customer, "/workspaces").await?, "/data/0/id"), first);

    let second =
        done(&anna, "POST", "/operator/workspaces", &json!({ "account_id": account, "name": "Two" }), 201).await?;
    assert_eq!(second["is_default"], false);
    let second = text(&second, "/id");
    done(&anna, "PATCH", &format!("/operator/workspaces/{second}"), &json!({ "is_default": true, "name": "2" }), 200)
        .await?;
    let owned = get(&anna, &format!("/operator/workspaces?account_id={account}")).await?;
    let defaults: Vec<&Value> = owned["data"].as_array().into_iter().flatten().map(|row| &row["is_default"]).collect();
    assert_eq!(defaults, [&json!(true), &json!(false)], "the newest first, and one default");

    let asked = json!({ "account_id": account, "name": "Bo", "oauth_subject": "bo" });
    let user = done(&anna, "POST", "/operator/users", &asked, 201).await?;
    assert_eq!(text(&user, "/oauth_issuer"), server.issuer);
    let user = text(&user, "/id");
    let taken = send(&anna, "POST", "/operator/users", &asked).await?;
    assert_eq!(refusal(&taken), (409, "subject_taken"));
    let bo = world.client(Some(server.token("bo").await?));
    assert_eq!(refusal(&send(&bo, "GET", "/workspaces", &Value::Null).await?), (403, "workspace_forbidden"));
    for (workspace, role) in [(&first, "viewer"), (&second, "owner"), (&first, "editor")] {
        let member = json!({ "workspace_id": workspace, "user_id": user, "role": role });
        assert_eq!(done(&anna, "POST", "/operator/members", &member, 201).await?["role"], role);
    }
    let reached = get(&bo, "/workspaces").await?;
    let roles: Vec<String> = reached["data"].as_array().into_iter().flatten().map(|row| text(row, "/role")).collect();
    assert_eq!(roles, ["editor", "owner"]);
    assert_eq!(get(&bo, "/balances").await?["allowance_minutes"], 12.5, "the user's account pays");

    // Another subject stands for them, then none; out of one workspace, and then of all.
    let path = format!("/operator/users/{user}");
    done(&anna, "PATCH", &path, &json!({ "oauth_subject": "bob" }), 200).await?;
    assert_eq!(refusal(&send(&bo, "GET", "/workspaces", &Value::Null).await?), (403, "workspace_forbidden"));
    let bob = world.client(Some(server.token("bob").await?));
    assert_eq!(get(&bob, "/workspaces").await?["data"].as_array().map(Vec::len), Some(2));
    let membership = format!("/operator/members/{first}/{user}");
    done(&anna, "DELETE", &membership, &Value::Null, 200).await?;
    assert_eq!(refusal(&send(&anna, "DELETE", &membership, &Value::Null).await?), (404, "member_not_found"));
    assert_eq!(text(&get(&bob, "/workspaces").await?, "/data/0/id"), second);
    done(&anna, "PATCH", &path, &json!({ "oauth_subject": null, "name": "Robert" }), 200).await?;
    assert_eq!(refusal(&send(&bob, "GET", "/workspaces", &Value::Null).await?), (403, "workspace_forbidden"));
    done(&anna, "PATCH", &format!("/operator/accounts/{account}"), &json!({ "name": "Example Ltd" }), 200).await?;
    assert_eq!(text(&get(&anna, &format!("/operator/accounts/{account}")).await?, "/account/name"), "Example Ltd");
    for (path, found) in [("name=Example", 0), ("name=Example%20Ltd", 1)] {
        let list = get(&anna, &format!("/operator/accounts?{path}")).await?;
        assert_eq!(list["data"].as_array().map(Vec::len), Some(found), "{path}");
    }

    let wanted = [
        format!("account.create {account}"),
        format!("workspace.create {second}"),
        format!("workspace.update {second}"),
        format!("user.create {user}"),
        format!("member.put {first}"),
        format!("member.put {second}"),
        format!("member.put {first}"),
        format!("user.update {user}"),
        format!("member.delete {first}"),
        format!("user.update {user}"),
        format!("account.update {account}"),
    ];
    assert_eq!(log(&anna).await?, wanted);
    let changes = get(&anna, &format!("/operator/audit?target={first}&action=member.put&limit=1")).await?;
    assert_eq!(changes["data"][0]["before"], json!({ "user_id": user, "role": "viewer" }));
    assert_eq!(changes["data"][0]["after"], json!({ "user_id": user, "role": "editor" }));
    assert_eq!(
        (text(&changes, "/data/0/operator"), text(&changes, "/data/0/address")),
        ("anna".into(), "127.0.0.1".into())
    );
    assert!(text(&changes, "/data/0/request_id").starts_with("req_"));
    assert_eq!(changes["has_more"], true);
    let next = get(
        &anna,
        &format!("/operator/audit?target={first}&action=member.put&cursor={}", text(&changes, "/next_cursor")),
    )
    .await?;
    assert_eq!((next["data"].as_array().map(Vec::len), &next["data"][0]["before"]), (Some(1), &Value::Null));
    world.end().await
}

#[tokio::test]
async fn a_change_that_can_not_be_logged_is_not_made_and_what_is_logged_stays() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    done(&anna, "POST", "/operator/accounts", &json!({ "name": "First" }), 201).await?;
    for change in
        ["UPDATE operator_audit SET operator = 'nobody'", "DELETE FROM operator_audit", "TRUNCATE operator_audit"]
    {
        assert!(sqlx::query(change).execute(world.pool()).await.is_err(), "{change}");
    }
    sqlx::query("ALTER TABLE operator_audit ADD CONSTRAINT full_disk CHECK (false) NOT VALID")
        .execute(world.pool())
        .await?;
    let tenant = world.tenant("a").await?;
    let user = json!({ "account_id": tenant.account, "name": "Bo" });
    let minutes = json!({ "kind": "purchase", "minutes": 5 });
    let account = tenant.account;
    for (method, path, body) in [
        ("POST", "/operator/accounts".to_owned(), json!({ "name": "Second" })),
        ("PATCH", format!("/operator/accounts/{account}"), json!({ "name": "Other" })),
        ("POST", "/operator/users".to_owned(), user),
        ("POST", "/operator/workspaces".to_owned(), json!({ "account_id": account, "name": "Other" })),
        ("PATCH", format!("/operator/workspaces/{}", tenant.workspace), json!({ "name": "Other" })),
        ("POST", format!("/operator/accounts/{account}/minutes"), minutes),
        ("PATCH", "/operator/reads/levels".to_owned(), json!({ "paused": true })),
    ] {
        let answer = send(&anna, method, &path, &body).await?;
        assert_eq!(refusal(&answer), (500, "internal"), "{method} {path}: {}", answer.text);
    }
    let changed = "SELECT (SELECT count(*) FROM accounts WHERE name IN ('Second', 'Other') OR bought > 0)
        + (SELECT count(*) FROM users) + (SELECT count(*) FROM workspaces WHERE name = 'Other')
        + (SELECT count(*) FROM read_kinds WHERE paused_at IS NOT NULL)";
    assert_eq!(world.count(changed).await?, 0);
    assert_eq!(world.count("SELECT count(*) FROM operator_audit").await?, 1);
    world.end().await
}

#[tokio::test]
async fn minutes_are_given_to_the_month_or_for_good_and_a_reference_counts_once() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let tenant = world.tenant_with("a", Minutes::from_whole(10)).await?;
    let path = format!("/operator/accounts/{}/minutes", tenant.account);
    let give = async |kind: &str, minutes: f64, reference: Option<&str>| {
        let body = json!({ "kind": kind, "minutes": minutes, "reference": reference });
        done(&anna, "POST", &path, &body, 200).await
    };
    let given = give("grant", 2.5, Some("goodwill")).await?;
    assert_eq!((&given["applied"], &given["balances"]["allowance_minutes"]), (&json!(true), &json!(12.5)));
    assert_eq!(give("grant", 2.5, Some("goodwill")).await?["applied"], false);
    assert_eq!(give("grant", 1.0, None).await?["balances"]["allowance_minutes"], 13.5);
    let purchases = (0..20).map(|_| give("purchase", 100.0, Some("INV-17")));
    let applied = try_join_all(purchases).await?.iter().filter(|given| given["applied"] == true).count();
    assert_eq!(applied, 1, "twenty requests for one invoice");
    assert_eq!(give("purchase", 0.01, Some("INV-18")).await?["balances"]["bought_minutes"], 100.01);
    let lowered = give("allowance", 4.0, None).await?;
    assert_eq!(lowered["balances"]["allowance_minutes"], 4, "from the open month on, what was granted included");
    let own = get(&tenant.client, "/balances").await?;
    assert_eq!((&own["left_minutes"], &own["bought_minutes"]), (&json!(4), &json!(100.01)));
    world.advance_to_next_month().await?;
    assert_eq!(get(&tenant.client, "/balances").await?["allowance_minutes"], 4);

    for body in [
        json!({ "kind": "grant", "minutes": 0 }),
        json!({ "kind": "purchase", "minutes": -1 }),
        json!({ "kind": "purchase", "minutes": 0.001 }),
        json!({ "kind": "grant", "minutes": 1e12 }),
        json!({ "kind": "allowance", "minutes": 1, "reference": "x" }),
        json!({ "kind": "gift", "minutes": 1 }),
        json!({ "minutes": 1 }),
    ] {
        let answer = send(&anna, "POST", &path, &body).await?;
        assert_eq!(refusal(&answer), (400, "invalid_request"), "{body}: {}", answer.text);
    }
    let nobody = format!("/operator/accounts/{}/minutes", AccountId::mint());
    let answer = send(&anna, "POST", &nobody, &json!({ "kind": "grant", "minutes": 1 })).await?;
    assert_eq!(refusal(&answer), (404, "account_not_found"));
    let given: Vec<String> =
        log(&anna).await?.iter().map(|line| line.split(' ').next().unwrap_or("").to_owned()).collect();
    assert_eq!(given, ["minutes.grant", "minutes.grant", "minutes.purchase", "minutes.purchase", "minutes.allowance"]);
    let granted = get(&anna, "/operator/audit?action=minutes.grant").await?;
    assert_eq!(granted["data"][1]["before"]["allowance_minutes"], 10);
    assert_eq!(granted["data"][1]["after"]["allowance_minutes"], 12.5);
    world.end().await
}

#[tokio::test]
async fn a_paused_read_is_held_and_its_waiting_jobs_give_their_places_to_others_until_it_is_resumed()
-> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let tenant = world.tenant("a").await?;
    let items = world.items(&tenant, 30, Media::video(60)).await?;
    let levels: Vec<String> = [
        tenant.client.prepare(&items[..20], &["levels"]).await?.job_ids()?,
        tenant.client.prepare(&items[20..], &["levels"]).await?.job_ids()?,
    ]
    .concat();
    let beats = tenant.client.prepare(&items[..5], &["beats"]).await?.job_ids()?;
    assert_eq!(world.count("SELECT count(*) FROM jobs WHERE admitted AND read = 'levels'").await?, 20, "all places");
    let paused = done(&anna, "PATCH", "/operator/reads/levels", &json!({ "paused": true }), 200).await?;
    assert_eq!((paused["paused_at"].is_string(), &paused["waiting_jobs"]), (true, &json!(30)));
    let again = done(&anna, "PATCH", "/operator/reads/levels", &json!({ "paused": true }), 200).await?;
    assert_eq!(again["paused_at"], paused["paused_at"], "since when does not change");
    let fresh = world.item(&tenant, Media::video(60)).await?;
    assert_eq!(
        tenant.client.prepare(&[fresh], &["levels", "beats"]).await?.reads()?,
        [["held:reads_paused", "queued"]]
    );

    let gate = Gate::closed();
    gate.open();
    world.work(gate.runner()).await?;
    let scheduler = world.scheduler().await?;
    tenant.client.ended(&beats).await?;
    assert!(gate.entered().iter().all(|(read, _)| *read == Read::Beats), "{:?}", gate.entered());
    let waiting = "SELECT count(*) FROM jobs WHERE read = 'levels' AND status = 'queued' AND NOT admitted";
    until("all of them have given up their places", async || Ok((world.count(waiting).await? == 30).then_some(())))
        .await?;
    world.assert_invariants().await?;

    let resumed = done(&anna, "PATCH", "/operator/reads/levels", &json!({ "paused": false }), 200).await?;
    assert_eq!(resumed["paused_at"], Value::Null);
    let ended = tenant.client.ended(&levels).await?;
    assert!(ended.iter().all(|job| job["status"] == "succeeded"), "none was lost, failed or cancelled");
    scheduler.stop().await?;
    assert_eq!(log(&anna).await?, ["read.pause levels", "read.resume levels"]);
    let odd = send(&anna, "PATCH", "/operator/reads/colours", &json!({ "paused": true })).await?;
    assert_eq!(refusal(&odd), (404, "read_not_found"));
    world.end().await
}

#[tokio::test]
async fn jobs_of_all_accounts_are_found_page_by_page_and_one_that_failed_is_run_again_for_whoever_paid()
-> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let (one, two) = (world.tenant("one").await?, world.tenant("two").await?);
    let mine = world.items(&one, 3, Media::video(60)).await?;
    let theirs = world.items(&two, 4, Media::video(60)).await?;
    let worker = world.worker(runners::failing(|| worker::readers::ReadError::NoAudio)).await?;
    let failed = one.client.prepare(&mine, &["levels"]).await?.job_ids()?;
    one.client.ended(&failed).await?;
    worker.stop().await?;
    two.client.prepare(&theirs, &["levels", "beats"]).await?.data()?;

    let mut seen = Vec::new();
    let mut path = "/operator/jobs?limit=4".to_owned();
    loop {
        let page = get(&anna, &path).await?;
        seen.extend(page["data"].as_array().into_iter().flatten().map(|row| text(row, "/job/id")));
        if page["has_more"] == false {
            break;
        }
        path = format!("/operator/jobs?limit=4&cursor={}", text(&page, "/next_cursor"));
    }
    assert_eq!(seen.len(), 11);
    assert!(seen.is_sorted_by(|before, after| before > after), "newest first, each once: {seen:?}");
    for (query, count) in [
        ("status=failed".to_owned(), 3),
        ("status=failed&status=queued".to_owned(), 11),
        ("status=queued&read=beats".to_owned(), 4),
        ("kind=transcription".to_owned(), 0),
        ("error_code=media_unreadable".to_owned(), 3),
        (format!("account_id={}", two.account), 8),
        (format!("workspace_id={}&read=levels", two.workspace), 4),
        (format!("item_id={}", mine[0]), 1),
        ("until=2001-01-01T00:00:00Z".to_owned(), 0),
        ("since=2001-01-01T00:00:00Z".to_owned(), 11),
    ] {
        let list = get(&anna, &format!("/operator/jobs?limit=100&{query}")).await?;
        assert_eq!(list["data"].as_array().map(Vec::len), Some(count), "{query}: {list}");
        assert_eq!(list["has_more"], false, "{query}");
    }
    let both =
        send(&anna, "GET", &format!("/operator/jobs?account_id={}&item_id={}", two.account, mine[0]), &Value::Null)
            .await?;
    assert_eq!(refusal(&both), (400, "invalid_request"));

    let retry = format!("/operator/jobs/{}/retry", failed[0]);
    let again = done(&anna, "POST", &retry, &json!({}), 202).await?;
    assert_eq!((text(&again, "/status"), &again["already_queued"]), ("queued".into(), &json!(false)));
    assert_ne!(text(&again, "/job_id"), failed[0]);
    let job = get(&anna, &format!("/operator/jobs/{}", text(&again, "/job_id"))).await?;
    assert_eq!(text(&job, "/payer_account_id"), one.account.to_string());
    let twice = done(&anna, "POST", &retry, &json!({}), 202).await?;
    assert_eq!((&twice["job_id"], &twice["already_queued"]), (&again["job_id"], &json!(true)), "nothing starts twice");
    let queued = send(&anna, "POST", &format!("/operator/jobs/{}/retry", text(&again, "/job_id")), &json!({})).await?;
    assert_eq!(refusal(&queued), (409, "illegal_transition"));
    assert_eq!(log(&anna).await?, [format!("job.retry {}", failed[0])], "the second call started nothing");
    world.end().await
}

/// Deliveries that ended like this, to an endpoint, each of an event of its own.
async fn deliveries(
    world: &World,
    tenant: &Tenant,
    endpoint: EndpointId,
    ended: &[(&str, &str)],
) -> anyhow::Result<()> {
    for (status, error) in ended {
        let id = DeliveryId::mint();
        let event = format!("evt_{}", id.to_string().trim_start_matches("dlv_"));
        sqlx::query(
            "INSERT INTO events (id, account_id, workspace_id, type, body) VALUES ($1, $2, $3, 'job.failed', '{}')",
        )
        .bind(&event)
        .bind(tenant.account)
        .bind(tenant.workspace)
        .execute(world.pool())
        .await?;
        sqlx::query(
            "INSERT INTO deliveries (id, endpoint_id, account_id, workspace_id, event_id, event_type, status, error, finished_at)
             VALUES ($1, $2, $3, $4, $5, 'job.failed', $6, nullif($7, ''), mws_now())",
        )
        .bind(id)
        .bind(endpoint)
        .bind(tenant.account)
        .bind(tenant.workspace)
        .bind(&event)
        .bind(status)
        .bind(error)
        .execute(world.pool())
        .await?;
    }
    Ok(())
}

#[tokio::test]
async fn what_did_not_arrive_is_counted_first_and_sent_again_once() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let (one, two) = (world.tenant("one").await?, world.tenant("two").await?);
    let (open, other, closed) = (
        world.endpoint(&one, "http://127.0.0.1:9/a").await?,
        world.endpoint(&two, "http://127.0.0.1:9/b").await?,
        world.endpoint(&two, "http://127.0.0.1:9/c").await?,
    );
    let (tls, answered, arrived) = (("failed", "tls_failed"), ("failed", "http_status"), ("succeeded", ""));
    deliveries(&world, &one, open, &[tls, answered, arrived, ("skipped", "endpoint_disabled")]).await?;
    deliveries(&world, &two, other, &[tls, tls, arrived]).await?;
    deliveries(&world, &two, closed, &[tls]).await?;
    let disabled = format!("/webhooks/{closed}");
    assert_eq!(two.client.send("PATCH", &disabled, &[], Some(r#"{"enabled":false}"#.to_owned())).await?.status, 200);

    for (query, count) in [
        (String::new(), 8),
        ("status=failed&error=tls_failed".to_owned(), 4),
        (format!("account_id={}", two.account), 4),
        (format!("endpoint_id={open}&status=skipped"), 1),
    ] {
        let list = get(&anna, &format!("/operator/deliveries?limit=100&{query}")).await?;
        assert_eq!(list["data"].as_array().map(Vec::len), Some(count), "{query}: {list}");
    }
    let route = "/operator/deliveries/resend";
    let since = "2001-01-01T00:00:00Z";
    let would = async |filter: Value| {
        let mut body = json!({ "since": since, "dry_run": true });
        body.as_object_mut().into_iter().for_each(|all| all.extend(filter.as_object().cloned().unwrap_or_default()));
        let answer = done(&anna, "POST", route, &body, 202).await?;
        anyhow::Ok((answer["resent"].as_u64().unwrap_or(99), answer["disabled"].as_u64().unwrap_or(99)))
    };
    assert_eq!(would(json!({})).await?, (5, 1));
    assert_eq!(would(json!({ "error": "tls_failed" })).await?, (3, 1));
    assert_eq!(would(json!({ "status": "skipped" })).await?, (1, 0));
    assert_eq!(would(json!({ "account_id": two.account })).await?, (2, 1));
    assert_eq!(would(json!({ "endpoint_id": open, "event_type": "job.succeeded" })).await?, (0, 0));
    assert_eq!(would(json!({ "until": since })).await?, (0, 0));
    assert_eq!(log(&anna).await?, Vec::<String>::new(), "nothing was sent so far");
    assert_eq!(world.count("SELECT count(*) FROM deliveries").await?, 8);

    let sent = done(&anna, "POST", route, &json!({ "since": since, "error": "tls_failed" }), 202).await?;
    assert_eq!(
        (&sent["resent"], &sent["disabled"], &sent["has_more"]),
        (&json!(3), &json!(1), &json!(false)),
        "{sent}"
    );
    let to: Vec<(String, Value)> = sent["endpoints"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|row| (text(row, "/endpoint_id"), row["resent"].clone()))
        .collect();
    assert_eq!(to, [(open.to_string(), json!(1)), (other.to_string(), json!(2))]);
    let pending =
        "SELECT count(*) FROM deliveries WHERE status = 'pending' AND trigger = 'resend' AND ticket_id IS NOT NULL";
    assert_eq!(world.count(pending).await?, 3);
    assert_eq!(log(&anna).await?, [format!("deliveries.resend {open}"), format!("deliveries.resend {other}")]);
    let twice = done(&anna, "POST", route, &json!({ "since": since, "error": "tls_failed" }), 202).await?;
    assert_eq!(twice["resent"], 0, "they are under way");
    assert_eq!(log(&anna).await?.len(), 2);
    world.end().await
}
