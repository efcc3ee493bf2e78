//! Keys that an operator makes for an account: that they work, who makes them, how many, and that both logs say so.

use super::{ANNA, BO, done, get, log, refusal, send, stage, text};
use crate::console::signed_in;
use crate::portal::at;
use domain::ids::AccountId;
use futures_util::future::try_join_all;
use mws_tests::world::let_in;
use serde_json::{Value, json};

#[tokio::test]
async fn an_account_that_was_opened_without_a_key_gets_one_that_works_and_both_logs_say_so() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let opened = done(&anna, "POST", "/operator/accounts", &json!({ "name": "Example" }), 201).await?;
    let (account, workspace) = (text(&opened, "/account/id"), text(&opened, "/workspace_id"));
    let path = format!("/operator/accounts/{account}");
    let refused = send(&anna, "POST", &format!("{path}/portal-sessions"), &json!({})).await?;
    assert_eq!(refusal(&refused), (404, "key_not_found"));
    let acts = signed_in(&world, ANNA).await?;
    let (page, command) =
        (format!("/console/accounts/{account}"), format!("mws admin keys create --account {account}"));
    assert!(acts.get(&page).await?.1.contains(&command), "the page of an account without a key says how to make one");

    let made = done(&anna, "POST", &format!("{path}/keys"), &json!({ "name": "first" }), 201).await?;
    let (key, secret) = (text(&made, "/id"), text(&made, "/key"));
    assert_eq!((text(&made, "/workspace_id"), &made["created_by"]), (workspace, &Value::Null));
    let customer = world.client(Some(secret.clone()));
    let upload = json!({ "filename": "a.wav", "content_type": "audio/wav", "bytes": 4 });
    done(&customer, "POST", "/uploads", &upload, 201).await?;
    let own = get(&customer, "/keys").await?;
    assert_eq!((text(&own, "/data/0/id"), text(&own, "/data/0/name")), (key.clone(), "first".to_owned()));
    assert_eq!(own["data"][0]["created_by"], Value::Null, "no user and no key of the account");
    let link = done(&anna, "POST", &format!("{path}/portal-sessions"), &json!({}), 201).await?;
    assert!(at(&world, &text(&link, "/url")).await?.get("/portal/keys").await?.1.contains(&key));
    assert!(!acts.get(&page).await?.1.contains(&command));

    let changes = [("account.create", &account), ("key.create", &key), ("portal.link", &account)];
    let changes = changes.map(|(action, target)| format!("{action} {target}"));
    let told: Vec<String> = log(&anna).await?.into_iter().filter(|row| !row.starts_with("console.")).collect();
    assert_eq!(told, changes);
    let operators = get(&anna, "/operator/audit?action=key.create").await?;
    let who = (text(&operators, "/data/0/operator"), text(&operators, "/data/0/after/account_id"));
    assert_eq!(who, ("anna".to_owned(), account));
    let accounts = get(&customer, "/audit?action=key.create").await?;
    let who = (text(&accounts, "/data/0/actor"), text(&accounts, "/data/0/target"));
    assert_eq!(who, ("operator".to_owned(), key.clone()));
    let listed = get(&anna, &format!("/operator/keys?account_id={}", text(&opened, "/account/id"))).await?;
    for shown in [&own, &operators, &accounts, &listed] {
        assert!(!shown.to_string().contains(&secret), "{shown}");
    }

    // Both can revoke what an operator made.
    let second = done(&anna, "POST", &format!("{path}/keys"), &json!({}), 201).await?;
    done(&customer, "DELETE", &format!("/keys/{}", text(&second, "/id")), &Value::Null, 200).await?;
    done(&anna, "DELETE", &format!("/operator/keys/{key}"), &Value::Null, 200).await?;
    assert_eq!(refusal(&send(&customer, "GET", "/workspaces", &Value::Null).await?), (401, "credential_revoked"));
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_acts_makes_keys_within_the_accounts_own_bounds_and_a_call_that_could_be_repeated_makes_none()
-> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let (tenant, other) = (world.tenant("a").await?, world.tenant("b").await?);
    let path = format!("/operator/accounts/{}/keys", tenant.account);
    let live = "SELECT count(*) FROM api_keys WHERE revoked_at IS NULL";
    let bo = world.client(Some(BO.to_owned()));
    assert_eq!(refusal(&send(&bo, "POST", &path, &json!({})).await?), (403, "role_forbidden"));
    assert_eq!(refusal(&send(&tenant.client, "POST", &path, &json!({})).await?), (401, "unauthenticated"));
    for (body, refused) in [
        (json!({ "workspace_id": other.workspace }), (403, "workspace_forbidden")),
        (json!({ "workspace_id": "x" }), (400, "invalid_request")),
        (json!({ "name": "x".repeat(101) }), (400, "invalid_request")),
        (json!({ "account_id": other.account }), (400, "invalid_request")),
    ] {
        assert_eq!(refusal(&send(&anna, "POST", &path, &body).await?), refused, "{body}");
    }
    let nobody = format!("/operator/accounts/{}/keys", AccountId::mint());
    assert_eq!(refusal(&send(&anna, "POST", &nobody, &json!({})).await?), (404, "account_not_found"));
    for _ in 0..2 {
        let refused = anna.send("POST", &path, &[("idempotency-key", "k")], Some("{}".to_owned())).await?;
        assert_eq!(refusal(&refused), (400, "invalid_request"), "its answer can't be kept: {}", refused.text);
    }
    assert_eq!(world.count(live).await?, 2);

    // The account has one key, and makes some itself meanwhile: nine more are made, whoever asks for them.
    let races = (0..12).map(|number| {
        let by_operator = number % 2 == 0;
        let client = if by_operator { anna.clone() } else { tenant.client.clone() };
        let path = if by_operator { path.clone() } else { "/keys".to_owned() };
        async move { let_in(async || client.send("POST", &path, &[], Some("{}".to_owned())).await).await }
    });
    let answers = try_join_all(races).await?;
    let refused: Vec<_> = answers.iter().filter(|answer| answer.status != 201).map(refusal).collect();
    assert_eq!(refused, [(409, "key_limit_reached"); 3]);
    assert_eq!(world.count(live).await?, 11, "ten of this account, and the other's");

    let suspend = format!("/operator/accounts/{}/suspend", other.account);
    done(&anna, "POST", &suspend, &json!({ "reason": "Unpaid." }), 200).await?;
    let theirs = format!("/operator/accounts/{}/keys", other.account);
    assert_eq!(refusal(&send(&anna, "POST", &theirs, &json!({})).await?), (403, "account_suspended"));
    let made = log(&anna).await?.iter().filter(|row| row.starts_with("key.create ")).count();
    let by_operator = "SELECT count(*) FROM api_keys WHERE made_by_key_id IS NULL AND made_by_user_id IS NULL";
    assert_eq!(i64::try_from(made)?, world.count(by_operator).await? - 2, "the tenants' own are none of theirs");
    world.end().await
}
