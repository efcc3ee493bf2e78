//! Who operates, accounts, people, minutes, and the log of what was done.

use super::{ANNA, BO, done, get, log, refusal, send, stage, text};
use api::contract::access::Needs;
use api::contract::table::{Row, TABLE};
use domain::ids::AccountId;
use domain::minutes::Minutes;
use domain::operator::OperatorRole;
use futures_util::future::try_join_all;
use mws_tests::world::{AuthorizationServer, World};
use runtime::config::Signup;
use serde_json::{Value, json};

#[tokio::test]
async fn each_operation_takes_a_token_of_its_role_and_no_customers_credential_and_the_other_way_round()
-> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let tenant = world.tenant("a").await?;
    let bo = world.client(Some(BO.to_owned()));
    let nameless = world.client(Some("operator-token-of-the-tests".to_owned()));
    for Row { operation, needs, .. } in TABLE {
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
    // A link to the console takes no body that could be refused.
    let changed: Vec<String> = log(&anna).await?.into_iter().filter(|row| !row.starts_with("console.link ")).collect();
    assert_eq!(changed, Vec::<String>::new(), "nothing was changed");
    world.end().await
}

#[tokio::test]
async fn an_account_is_opened_with_a_key_and_has_one_default_workspace_at_any_time() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
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
        format!("account.update {account}"),
    ];
    assert_eq!(log(&anna).await?, wanted);
    world.end().await
}

#[tokio::test]
async fn people_are_let_in_by_their_subject_and_every_step_is_in_the_log() -> anyhow::Result<()> {
    let server = AuthorizationServer::start(env!("CARGO_TARGET_TMPDIR"))?;
    let world = World::with_api(|settings, api| {
        settings.operator_tokens = Some(format!("anna:act:{ANNA}").into());
        api.oauth = server.settings(Signup::Refuse);
    })
    .await?;
    let anna = world.client(Some(ANNA.to_owned()));
    let tenant = world.tenant_with("a", Minutes::from_hundredths(1250)).await?;
    let (account, first) = (tenant.account.to_string(), tenant.workspace.to_string());
    let second =
        done(&anna, "POST", "/operator/workspaces", &json!({ "account_id": account, "name": "Two" }), 201).await?;
    let second = text(&second, "/id");

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
    let wanted = [
        format!("workspace.create {second}"),
        format!("user.create {user}"),
        format!("member.put {first}"),
        format!("member.put {second}"),
        format!("member.put {first}"),
        format!("user.update {user}"),
        format!("member.delete {first}"),
        format!("user.update {user}"),
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
    let minutes = json!({ "kind": "purchase", "minutes": 5, "reference": "INV-1" });
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
    world.wait_for_locks().await?;
    let purchases = (0..20).map(|_| give("purchase", 100.0, Some("INV-17")));
    let applied = try_join_all(purchases).await?.iter().filter(|given| given["applied"] == true).count();
    assert_eq!(applied, 1, "twenty requests for one invoice");
    assert_eq!(give("purchase", 0.01, Some("INV-18")).await?["balances"]["bought_minutes"], 100.01);
    let again = give("purchase", 7.0, Some("INV-17")).await?;
    assert_eq!((&again["applied"], &again["given_minutes"]), (&json!(false), &json!(100)), "what it gave at first");
    let lowered = give("allowance", 4.0, None).await?;
    assert_eq!(lowered["balances"]["allowance_minutes"], 4, "from the open month on, what was granted included");
    let own = get(&tenant.client, "/balances").await?;
    assert_eq!((&own["left_minutes"], &own["bought_minutes"]), (&json!(4), &json!(100.01)));
    world.advance_to_next_month().await?;
    assert_eq!(get(&tenant.client, "/balances").await?["allowance_minutes"], 4);

    for body in [
        json!({ "kind": "grant", "minutes": 0 }),
        json!({ "kind": "purchase", "minutes": 1 }),
        json!({ "kind": "purchase", "minutes": -1, "reference": "x" }),
        json!({ "kind": "purchase", "minutes": 0.001, "reference": "x" }),
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
