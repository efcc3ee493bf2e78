//! OAuth access tokens that a certified authorization server issued (contract §5.2).

use domain::ids::WorkspaceId;
use futures_util::future::try_join_all;
use hmac::{Hmac, KeyInit, Mac};
use mws_tests::world::{Answer, AuthorizationServer, Client, Media, Tenant, World};
use runtime::config::Signup;
use serde_json::{Value, json};
use sha2::Sha256;
use std::time::Duration;
use store::accounts;

const TEMPORARY: &str = env!("CARGO_TARGET_TMPDIR");

/// A service that takes the tokens of a server.
async fn stage(signup: Signup) -> anyhow::Result<(World, AuthorizationServer)> {
    let server = AuthorizationServer::start(TEMPORARY)?;
    let world = World::with_api(|_, api| api.oauth = server.settings(signup)).await?;
    Ok((world, server))
}

/// Makes `subject` a user of `home` with a role in the workspace of `host`.
async fn member(
    world: &World,
    server: &AuthorizationServer,
    subject: &str,
    home: &Tenant,
    places: &[(&Tenant, &str)],
) -> anyhow::Result<()> {
    let user = world.signed_in(server, subject, home.account).await?;
    let mut conn = world.pool().acquire().await?;
    for (host, role) in places {
        accounts::set_member(&mut conn, host.workspace, user, role).await?;
    }
    Ok(())
}

async fn at(client: &Client, workspace: WorkspaceId, method: &str, path: &str, body: &Value) -> anyhow::Result<Answer> {
    let body = (method != "GET").then(|| body.to_string());
    client.send(method, path, &[("x-workspace-id", &workspace.to_string())], body).await
}

fn refusal(answer: &Answer) -> (u16, &str) {
    (answer.status, answer.code())
}

async fn workspaces(client: &Client) -> anyhow::Result<Vec<(String, String)>> {
    let list = client.send("GET", "/workspaces", &[], None).await?;
    anyhow::ensure!(list.status == 200, "{}", list.text);
    let text = |row: &Value, name: &str| row[name].as_str().unwrap_or_default().to_owned();
    Ok(list.json["data"].as_array().into_iter().flatten().map(|row| (text(row, "id"), text(row, "role"))).collect())
}

#[tokio::test]
async fn somebody_who_signed_in_acts_in_their_own_workspace_and_by_name_in_others_they_are_a_member_of()
-> anyhow::Result<()> {
    let (world, server) = stage(Signup::Refuse).await?;
    let (home, other, strange) = (world.tenant("home").await?, world.tenant("other").await?, world.tenant("c").await?);
    member(&world, &server, "anna", &home, &[(&home, "owner"), (&other, "viewer")]).await?;
    let (mine, theirs) = (world.item(&home, Media::video(60)).await?, world.item(&other, Media::video(60)).await?);
    for algorithm in ["ES256", "RS256"] {
        server.change(&[("alg", algorithm)]).await?;
        let anna = world.client(Some(server.token("anna").await?));
        let reached = workspaces(&anna).await?;
        let own =
            [(home.workspace.to_string(), "owner".to_owned()), (other.workspace.to_string(), "viewer".to_owned())];
        assert_eq!(reached, own, "{algorithm}");
        let got = anna.tool("get_item", &json!({ "ref": mine })).await?;
        assert_eq!(got.status, 200, "{algorithm}: {}", got.text);
        let elsewhere = anna.tool("get_item", &json!({ "ref": theirs })).await?;
        assert_eq!(refusal(&elsewhere), (403, "workspace_forbidden"), "the header names the workspace, not the item");
        let named = at(&anna, other.workspace, "POST", "/tools/get_item", &json!({ "ref": theirs })).await?;
        assert_eq!(named.status, 200, "{algorithm}: {}", named.text);
        let wish = json!({ "refs": [theirs], "reads": ["levels"] });
        let started = at(&anna, other.workspace, "POST", "/tools/prepare_media", &wish).await?;
        assert_eq!(refusal(&started), (403, "role_forbidden"), "a viewer starts nothing");
        for unreached in [strange.workspace, WorkspaceId::mint()] {
            let refused = at(&anna, unreached, "POST", "/tools/get_item", &json!({ "ref": theirs })).await?;
            assert_eq!(refusal(&refused), (403, "workspace_forbidden"), "{}", refused.text);
        }
        let odd = anna.send("GET", "/workspaces", &[("x-workspace-id", "wsp_x")], None).await?;
        assert_eq!(refusal(&odd), (400, "invalid_request"));
    }
    // Who pays is the one who signed in, whoever owns the workspace.
    let user = "UPDATE members SET role = 'editor' WHERE workspace_id = $1";
    sqlx::query(user).bind(other.workspace).execute(world.pool()).await?;
    let anna = world.client(Some(server.token("anna").await?));
    let wish = json!({ "refs": [theirs], "reads": ["levels"] });
    at(&anna, other.workspace, "POST", "/tools/prepare_media", &wish).await?.data()?;
    let paid = "SELECT count(*) FROM jobs j, accounts p, accounts o
        WHERE p.id = j.payer_account_id AND p.name = 'home' AND o.id = j.owner_account_id AND o.name = 'other'";
    assert_eq!(world.count(paid).await?, 1);
    world.end().await
}

#[tokio::test]
async fn a_client_that_acts_for_itself_is_somebody_too() -> anyhow::Result<()> {
    let (world, server) = stage(Signup::Refuse).await?;
    let home = world.tenant("home").await?;
    member(&world, &server, "machine", &home, &[(&home, "editor")]).await?;
    let item = world.item(&home, Media::video(60)).await?;
    let machine = world.client(Some(server.machine_token().await?));
    assert_eq!(machine.prepare(&[item], &["levels"]).await?.reads()?, [["queued"]]);
    world.end().await
}

/// A token with this header, the claims of `token`, and the signature that `sign` makes.
fn forged(token: &str, header: &Value, sign: impl FnOnce(&str) -> Vec<u8>) -> String {
    let claims = token.split('.').nth(1).unwrap_or_default();
    let message = format!("{}.{claims}", base64url(header.to_string().as_bytes()));
    format!("{message}.{}", base64url(&sign(&message)))
}

fn base64url(bytes: &[u8]) -> String {
    use base64::Engine;
    base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(bytes)
}

#[tokio::test]
async fn a_token_that_is_not_for_us_or_not_as_it_was_issued_is_401_and_one_whose_time_is_over_says_so()
-> anyhow::Result<()> {
    let (world, server) = stage(Signup::Refuse).await?;
    let home = world.tenant("home").await?;
    member(&world, &server, "anna", &home, &[(&home, "owner")]).await?;
    let good = server.token("anna").await?;
    let elsewhere = server.sign_in("anna", "https://else.example/api").await?;
    let both = server.sign_in("anna", "https://mws.example/api/v1").await?;
    let other_issuer = AuthorizationServer::start(TEMPORARY)?.token("anna").await?;
    let text = |answer: &Value, name: &str| answer[name].as_str().unwrap_or_default().to_owned();
    let keys = server.keys().await?;
    let modulus = keys["keys"].as_array().and_then(|keys| keys.iter().find_map(|key| key["n"].as_str()));
    let modulus = modulus.unwrap_or_default().to_owned();
    let hmac = |message: &str| {
        let mac = <Hmac<Sha256> as KeyInit>::new_from_slice(modulus.as_bytes()).expect("a key of any length");
        mac.chain_update(message).finalize().into_bytes().to_vec()
    };
    let kid = json!("ES256-1");
    let (head, _) = good.rsplit_once('.').expect("three parts");
    let wrong = [
        ("for another service", text(&elsewhere, "access_token")),
        ("an ID token", text(&both, "id_token")),
        ("another issuer's", other_issuer),
        ("unsigned", forged(&good, &json!({ "alg": "none", "typ": "at+jwt" }), |_| Vec::new())),
        (
            "signed by the public key",
            forged(&good, &json!({ "alg": "HS256", "typ": "at+jwt", "kid": "RS256-1" }), hmac),
        ),
        ("of another type", forged(&good, &json!({ "alg": "ES256", "typ": "JWT", "kid": kid }), |_| vec![0; 64])),
        (
            "with a signature of zeros",
            forged(&good, &json!({ "alg": "ES256", "typ": "at+jwt", "kid": kid }), |_| vec![0; 64]),
        ),
        (
            "by a key that nobody has",
            forged(&good, &json!({ "alg": "ES256", "typ": "at+jwt", "kid": "x" }), |_| vec![1; 64]),
        ),
        (
            "with another's claims",
            format!("{}.{}.{}", part(&good, 0), part(&text(&elsewhere, "access_token"), 1), part(&good, 2)),
        ),
        ("cut short", head.to_owned() + "."),
    ];
    for (what, token) in wrong {
        for path in ["/tools/get_jobs", "/webhooks"] {
            let method = if path == "/webhooks" { "GET" } else { "POST" };
            let answer = world.client(Some(token.clone())).send(method, path, &[], None).await?;
            assert_eq!(refusal(&answer), (401, "unauthenticated"), "{what}: {}", answer.text);
            assert!(!answer.text.contains(&token) && answer.header("www-authenticate").starts_with("Bearer"), "{what}");
        }
    }
    let anna = world.client(Some(good));
    assert_eq!(workspaces(&anna).await?.len(), 1, "the one that they were made of");
    // Those that were refused may have taken long.
    let anna = world.client(Some(server.token("anna").await?));
    // Ten minutes, and the half minute that clocks may differ, by the database's clock.
    world.advance(Duration::from_secs(601)).await?;
    assert_eq!(workspaces(&anna).await?.len(), 1);
    world.advance(Duration::from_mins(1)).await?;
    let late = anna.tool("get_jobs", &json!({})).await?;
    assert_eq!(refusal(&late), (401, "token_expired"), "{}", late.text);
    assert!(late.json["error"]["suggested_action"].as_str().is_some_and(|action| action.contains(&server.issuer)));
    world.end().await
}

fn part(token: &str, index: usize) -> &str {
    token.split('.').nth(index).unwrap_or_default()
}

#[tokio::test]
async fn rotated_keys_are_found_and_while_the_issuer_is_away_those_at_hand_go_on() -> anyhow::Result<()> {
    let (world, server) = stage(Signup::Refuse).await?;
    let home = world.tenant("home").await?;
    member(&world, &server, "anna", &home, &[(&home, "owner")]).await?;
    let before = world.client(Some(server.token("anna").await?));
    server.away(true).await?;
    let never = before.tool("get_jobs", &json!({})).await?;
    assert_eq!(refusal(&never), (503, "unavailable"), "no key was ever fetched: {}", never.text);
    assert!(never.header("retry-after").parse::<u64>().is_ok_and(|seconds| seconds > 0));

    let world = {
        world.end().await?;
        server.away(false).await?;
        World::with_api(|_, api| api.oauth = server.settings(Signup::Refuse)).await?
    };
    let home = world.tenant("home").await?;
    member(&world, &server, "anna", &home, &[(&home, "owner")]).await?;
    let before = world.client(Some(server.token("anna").await?));
    assert_eq!(workspaces(&before).await?.len(), 1);
    server.away(true).await?;
    assert_eq!(workspaces(&before).await?.len(), 1, "its key is at hand");
    server.away(false).await?;
    server.rotate().await?;
    let after = world.client(Some(server.token("anna").await?));
    assert_eq!(workspaces(&after).await?.len(), 1, "the new key is fetched for it");
    let withdrawn = before.tool("get_jobs", &json!({})).await?;
    assert_eq!(refusal(&withdrawn), (401, "unauthenticated"), "the old one is not published any more");
    world.end().await
}

#[tokio::test]
async fn whom_nobody_has_added_is_told_to_ask_and_gets_an_account_where_that_is_the_setting() -> anyhow::Result<()> {
    let (world, server) = stage(Signup::Refuse).await?;
    let stranger = world.client(Some(server.token("bo").await?));
    let refused = stranger.tool("get_jobs", &json!({})).await?;
    assert_eq!(refusal(&refused), (403, "workspace_forbidden"), "signing in again would change nothing");
    assert!(refused.text.contains("`bo`"), "whom the operator has to add: {}", refused.text);
    assert_eq!(world.count("SELECT count(*) FROM users").await?, 0);
    world.end().await?;

    let world = World::with_api(|_, api| {
        api.oauth = server.settings(Signup::Create);
        api.oauth.signups_a_day = 1;
    })
    .await?;
    world.wait_for_locks().await?;
    let token = server.token("bo").await?;
    let first = (0..20).map(|_| {
        let client = world.client(Some(token.clone()));
        async move { workspaces(&client).await }
    });
    let seen = try_join_all(first).await?;
    assert!(seen.iter().all(|one| *one == seen[0] && one.len() == 1 && one[0].1 == "owner"), "{seen:?}");
    for table in ["SELECT count(*) FROM users", "SELECT count(*) FROM accounts", "SELECT count(*) FROM workspaces"] {
        assert_eq!(world.count(table).await?, 1, "{table}");
    }
    let bo = world.client(Some(token));
    assert_eq!(bo.send("POST", "/keys", &[], Some("{}".to_owned())).await?.status, 201);
    let second = world.client(Some(server.token("eve").await?));
    let refused = second.send("GET", "/workspaces", &[], None).await?;
    assert_eq!(refusal(&refused), (429, "rate_limited"), "one a day: {}", refused.text);
    assert!(refused.text.contains("`eve`"), "whom the operator can add: {}", refused.text);
    assert_eq!(workspaces(&bo).await?, seen[0], "who is known is let in");
    world.end().await
}

#[tokio::test]
async fn who_signs_up_again_and_again_from_one_network_uses_up_its_part_of_the_day_alone() -> anyhow::Result<()> {
    let server = AuthorizationServer::start(TEMPORARY)?;
    let world = World::with_api(|_, api| {
        api.trusted_proxies = "127.0.0.0/8".parse().into_iter().collect();
        api.oauth = server.settings(Signup::Create);
        api.oauth.signups_a_day = 20;
    })
    .await?;
    let arrives = async |subject: &str, address: &str| {
        let client = world.client(Some(server.token(subject).await?));
        client.send("GET", "/workspaces", &[("x-forwarded-for", address)], None).await
    };
    for (subject, address) in [("a", "2001:db8:1::1"), ("b", "2001:db8:1:2::1")] {
        assert_eq!(arrives(subject, address).await?.status, 200, "{subject}: a tenth of the day's");
    }
    let refused = arrives("c", "2001:db8:1:ffff::9").await?;
    assert_eq!(refusal(&refused), (429, "rate_limited"), "a /48 is one network: {}", refused.text);
    assert!(refused.text.contains("network") && refused.text.contains("`c`"), "{}", refused.text);
    let wait: u64 = refused.header("retry-after").parse()?;
    assert!((43_100..=43_200).contains(&wait), "{wait} s: two a day");
    assert_eq!(arrives("a", "2001:db8:1::1").await?.status, 200, "who is known is let in");
    assert_eq!(arrives("c", "203.0.113.9").await?.status, 200, "others have their own part");
    assert_eq!(arrives("d", "2001:db8:2::1").await?.status, 200);
    world.advance(Duration::from_secs(wait)).await?;
    server.change(&[("ttl", "90000")]).await?;
    assert_eq!(arrives("e", "2001:db8:1::1").await?.status, 200, "later another can");
    world.end().await
}

#[tokio::test]
async fn a_connection_reaches_the_workspaces_that_its_user_let_it_into_and_acts_in_the_first() -> anyhow::Result<()> {
    let (world, server) = stage(Signup::Refuse).await?;
    let (home, other, third) = (world.tenant("home").await?, world.tenant("other").await?, world.tenant("c").await?);
    member(&world, &server, "anna", &home, &[(&home, "owner"), (&other, "editor")]).await?;
    let item = world.item(&other, Media::video(60)).await?;
    server.change(&[("scope", &format!("media workspace:{}", other.workspace))]).await?;
    let anna = world.client(Some(server.token("anna").await?));
    assert_eq!(workspaces(&anna).await?, [(other.workspace.to_string(), "editor".to_owned())]);
    assert_eq!(anna.prepare(&[item], &["levels"]).await?.reads()?, [["queued"]]);
    let own = at(&anna, home.workspace, "POST", "/tools/get_jobs", &json!({})).await?;
    assert_eq!(refusal(&own), (403, "workspace_forbidden"), "she can reach it, but did not let the connection in");
    // A key would outlive the connection, and reach what it does not.
    for body in [json!({}), json!({ "workspace_id": home.workspace })] {
        let refused = anna.send("POST", "/keys", &[], Some(body.to_string())).await?;
        assert_eq!(refusal(&refused), (403, "workspace_forbidden"), "{body}: {}", refused.text);
    }
    // Nor is it shown one that was made there before, by another connection that may.
    let (acting, body) = (other.workspace.to_string(), json!({ "workspace_id": home.workspace }).to_string());
    let headers = [("idempotency-key", "k"), ("x-workspace-id", acting.as_str())];
    server.change(&[("scope", "media")]).await?;
    let wide = world.client(Some(server.token("anna").await?));
    let made = wide.send("POST", "/keys", &headers, Some(body.clone())).await?;
    assert_eq!(made.status, 201, "{}", made.text);
    let repeated = anna.send("POST", "/keys", &headers, Some(body)).await?;
    assert_eq!(refusal(&repeated), (403, "workspace_forbidden"), "{}", repeated.text);
    server.change(&[("scope", &format!("media workspace:{}", home.workspace))]).await?;
    let at_home = world.client(Some(server.token("anna").await?));
    assert_eq!(at_home.send("POST", "/keys", &[], Some("{}".to_owned())).await?.status, 201);
    // Being let in by a scope makes nobody a member.
    server.change(&[("scope", &format!("media workspace:{}", third.workspace))]).await?;
    let anna = world.client(Some(server.token("anna").await?));
    let refused = anna.tool("get_jobs", &json!({})).await?;
    assert_eq!(refusal(&refused), (403, "workspace_forbidden"), "{}", refused.text);
    world.end().await
}

#[tokio::test]
async fn a_session_of_somebody_who_signed_in_has_their_role_for_as_long_as_they_are_a_member() -> anyhow::Result<()> {
    let (world, server) = stage(Signup::Refuse).await?;
    let (home, other) = (world.tenant("home").await?, world.tenant("other").await?);
    member(&world, &server, "anna", &home, &[(&home, "owner"), (&other, "viewer")]).await?;
    let anna = world.client(Some(server.token("anna").await?));
    let code = at(&anna, other.workspace, "POST", "/tools/get_api_session", &json!({})).await?;
    let body = json!({ "code": code.data()?["code"] }).to_string();
    let redeemed = world.client(None).send("POST", "/sessions/redeem", &[], Some(body)).await?;
    assert_eq!((redeemed.status, &redeemed.json["workspace_id"]), (200, &json!(other.workspace)), "{}", redeemed.text);
    let session = world.client(redeemed.json["token"].as_str().map(str::to_owned));
    assert_eq!(workspaces(&session).await?, [(other.workspace.to_string(), "viewer".to_owned())]);
    let refused = session.tool("import_media", &json!({ "url": "https://example.com/a.mp4" })).await?;
    assert_eq!(refusal(&refused), (403, "role_forbidden"));
    sqlx::query("DELETE FROM members WHERE workspace_id = $1").bind(other.workspace).execute(world.pool()).await?;
    for client in [&session, &anna] {
        let gone = at(client, other.workspace, "POST", "/tools/get_jobs", &json!({})).await?;
        assert_eq!(refusal(&gone), (403, "workspace_forbidden"), "{}", gone.text);
    }
    world.end().await
}

/// Fills a day of the account's log with what guests changed.
async fn guests_fill_the_day(world: &World, host: &Tenant) -> anyhow::Result<()> {
    let rows = "INSERT INTO account_audit (id, account_id, actor, credential, action, target, details, request_id)
         SELECT overlay(gen_random_uuid()::text PLACING left(a.id::text, 14) FROM 1)::uuid, a.account_id, a.actor,
             a.credential, a.action, a.target, a.details, a.request_id
         FROM account_audit a, generate_series(1, 1000) WHERE a.account_id = $1 AND a.action = 'workspace.rename'";
    sqlx::query(rows).bind(host.account).execute(world.pool()).await?;
    Ok(())
}

#[tokio::test]
async fn a_guest_who_owns_a_workspace_takes_nothing_from_those_who_pay_for_it() -> anyhow::Result<()> {
    let (world, server) = stage(Signup::Refuse).await?;
    let (payer, elsewhere) = (world.tenant("payer").await?, world.tenant("elsewhere").await?);
    member(&world, &server, "anna", &payer, &[(&payer, "owner")]).await?;
    member(&world, &server, "guest", &elsewhere, &[(&payer, "owner"), (&elsewhere, "owner")]).await?;
    member(&world, &server, "other", &elsewhere, &[(&payer, "editor")]).await?;
    let anna = world.client(Some(server.token("anna").await?));
    let guest = world.client(Some(server.token("guest").await?));
    let key = anna.send("POST", "/keys", &[], Some(json!({ "name": "main" }).to_string())).await?;
    let key = world.client(key.json["key"].as_str().map(str::to_owned));
    let here = format!("/workspaces/{}", payer.workspace);
    let listed = async || at(&anna, payer.workspace, "GET", &format!("{here}/members"), &json!({})).await;
    let members = listed().await?;
    let id = |place: usize| members.json["data"][place]["user_id"].as_str().unwrap_or_default().to_owned();
    let path = |user: String| format!("{here}/members/{user}");
    for (method, body) in [("DELETE", json!({})), ("PUT", json!({ "role": "viewer" }))] {
        let refused = at(&guest, payer.workspace, method, &path(id(0)), &body).await?;
        assert_eq!(refusal(&refused), (403, "role_forbidden"), "{}", refused.text);
    }
    assert_eq!(key.send("GET", "/balances", &[], None).await?.status, 200, "the key is untouched");
    assert_eq!(at(&guest, payer.workspace, "DELETE", &path(id(2)), &json!({})).await?.status, 200, "a guest goes");

    // Those who pay see what a guest changes, and it keeps them from no change of their own.
    let renamed = at(&guest, payer.workspace, "PATCH", &here, &json!({ "name": "Ours" })).await?;
    assert_eq!(renamed.status, 200, "{}", renamed.text);
    for (client, told) in [(&key, json!([true, null])), (&guest, json!([null, "127.0.0.1"]))] {
        let log = client.send("GET", &format!("/audit?actor={}", id(1)), &[], None).await?.json;
        let shown = |row: &Value| json!([row["action"], row["target"], row["details"]["guest"], row["address"]]);
        let rows: Vec<Value> = log["data"].as_array().into_iter().flatten().map(shown).collect();
        let row = |action: &str| json!([action, payer.workspace, told[0], told[1]]);
        assert_eq!(rows, [row("workspace.rename"), row("member.delete")]);
    }
    guests_fill_the_day(&world, &payer).await?;
    assert_eq!(anna.send("POST", "/keys", &[], Some(json!({}).to_string())).await?.status, 201);

    // An owner of the account removes another of its users, who keeps what reaches further than the workspace.
    member(&world, &server, "bob", &payer, &[(&payer, "editor")]).await?;
    let bob = listed().await?.json["data"][2]["user_id"].as_str().unwrap_or_default().to_owned();
    let remove = async |user: String| at(&anna, payer.workspace, "DELETE", &path(user), &json!({})).await;
    assert_eq!(remove(bob).await?.status, 200);
    assert_eq!(remove(id(1)).await?.status, 200, "nor does a guest stay");
    world.end().await
}
