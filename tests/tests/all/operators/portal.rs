//! Links to the portal of any account: who makes one, what it opens, and that both logs say so.

use super::{ANNA, BO, done, get, log, refusal, send, stage, text};
use crate::console::signed_in;
use crate::portal::at;
use mws_tests::world::mcp_call;
use reqwest::StatusCode;
use serde_json::{Value, json};

#[tokio::test]
async fn an_operator_makes_a_link_that_opens_the_accounts_own_pages_and_both_logs_say_so() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let (tenant, other) = (world.tenant("own").await?, world.tenant("other").await?);
    let path = format!("/operator/accounts/{}/portal-sessions", tenant.account);
    let refused = send(&world.client(Some(BO.to_owned())), "POST", &path, &json!({})).await?;
    assert_eq!(refusal(&refused), (403, "role_forbidden"), "it would show the signing secret");
    let refused = send(&anna, "POST", &path, &json!({ "return_url": "javascript:alert(1)" })).await?;
    assert_eq!(refusal(&refused), (400, "invalid_request"), "checked as the account's own");
    assert_eq!(log(&anna).await?, Vec::<String>::new());

    // A newer key of another workspace is not what it stands for.
    let workspace = json!({ "account_id": tenant.account, "name": "second" });
    let workspace = text(&done(&anna, "POST", "/operator/workspaces", &workspace, 201).await?, "/id");
    let elsewhere = done(&tenant.client, "POST", "/keys", &json!({ "workspace_id": workspace }), 201).await?;
    let elsewhere = text(&elsewhere, "/id");
    let made = done(&anna, "POST", &path, &json!({ "pages": ["usage", "keys"] }), 201).await?;
    let browser = at(&world, &text(&made, "/url")).await?;
    let (status, page) = browser.get("/portal/usage").await?;
    assert!(status == StatusCode::OK && page.contains("<span>own</span>"), "{page}");
    assert_eq!(browser.get("/portal/webhooks").await?.0, StatusCode::NOT_FOUND, "it was not asked for");
    let (_, page) = browser.get("/portal/keys").await?;
    assert!(page.contains(&elsewhere) && !page.contains(&other.key_id.to_string()), "{page}");

    assert_eq!(log(&anna).await?.last(), Some(&format!("portal.link {}", tenant.account)));
    let row = get(&anna, "/operator/audit?action=portal.link").await?;
    let key = tenant.key_id.to_string();
    assert_eq!((text(&row, "/data/0/operator"), text(&row, "/data/0/after/key_id")), ("anna".into(), key.clone()));
    let code = text(&made, "/url").rsplit('/').next().unwrap_or_default().to_owned();
    assert!(code.starts_with("epc_") && !row.to_string().contains(&code), "{row}");
    let own = get(&tenant.client, "/audit?action=portal.link").await?;
    assert_eq!((text(&own, "/data/0/actor"), text(&own, "/data/0/target")), ("operator".into(), key));
    let theirs = get(&other.client, "/audit").await?;
    assert_eq!(theirs["data"], json!([]), "{theirs}");

    // It ends with the key that it stands for, as the account's own does.
    done(&anna, "DELETE", &format!("/operator/keys/{}", tenant.key_id), &Value::Null, 200).await?;
    assert_eq!(browser.get("/portal/usage").await?.0, StatusCode::UNAUTHORIZED);
    let second = done(&anna, "POST", &path, &json!({}), 201).await?;
    let browser = at(&world, &text(&second, "/url")).await?;
    assert_eq!(browser.get("/portal/usage").await?.0, StatusCode::OK, "by the key that is left");
    world.end().await
}

#[tokio::test]
async fn no_link_is_made_that_would_let_nobody_in_and_a_tool_and_the_console_make_what_the_route_makes()
-> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let (tenant, keyless) = (world.tenant("a").await?, world.tenant("b").await?);
    let page = format!("/console/accounts/{}", tenant.account);
    let (acts, reads) = (signed_in(&world, ANNA).await?, signed_in(&world, BO).await?);
    let button = format!("{page}/portal");
    assert!(acts.get(&page).await?.1.contains(&button) && !reads.get(&page).await?.1.contains(&button));
    let pressed = acts.post(&button, &[]).await?;
    assert_eq!(pressed.status(), StatusCode::OK);
    let shown = pressed.text().await?;
    let link = shown.split("<code>").filter_map(|rest| rest.split_once("</code>")).map(|(code, _)| code);
    let link = link.filter(|code| code.contains("/portal/in/epc_")).collect::<Vec<_>>();
    assert_eq!(link.len(), 1, "{shown}");
    assert_eq!(at(&world, link[0]).await?.get("/portal/jobs").await?.0, StatusCode::OK);

    let asked = mcp_call("create_portal_link", &json!({ "id": tenant.account, "theme": { "name": "Acme Video" } }));
    let told = anna.mcp("/operator/mcp", &asked).await?;
    let link = text(&told.json, "/result/structuredContent/url");
    assert!(at(&world, &link).await?.get("/portal/jobs").await?.1.contains("Acme Video"), "{}", told.text);

    done(&anna, "DELETE", &format!("/operator/keys/{}", keyless.key_id), &Value::Null, 200).await?;
    let suspend = format!("/operator/accounts/{}/suspend", tenant.account);
    done(&anna, "POST", &suspend, &json!({ "reason": "Unpaid." }), 200).await?;
    let before = world.count("SELECT count(*) FROM portal_passes").await?;
    for (account, refused) in [
        (keyless.account.to_string(), (404, "key_not_found")),
        (tenant.account.to_string(), (403, "account_suspended")),
        ("acc_01J00000000000000000000000".to_owned(), (404, "account_not_found")),
    ] {
        let path = format!("/operator/accounts/{account}/portal-sessions");
        assert_eq!(refusal(&send(&anna, "POST", &path, &json!({})).await?), refused, "{account}");
    }
    assert_eq!(world.count("SELECT count(*) FROM portal_passes").await?, before);
    assert!(!acts.get(&page).await?.1.contains(&button), "a button that is refused");
    world.end().await
}
