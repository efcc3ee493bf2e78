//! Codes and keys under a race, and the roles of members in every operation (contract §5, §8).

use api::contract::access::Needs;
use api::contract::table::{Row, TABLE};
use domain::role::Role;
use futures_util::future::try_join_all;
use futures_util::{StreamExt, TryStreamExt, stream};
use mws_tests::world::{Answer, AuthorizationServer, Client, Tenant, World, let_in};
use runtime::config::Signup;
use serde_json::json;

fn refusal(answer: &Answer) -> (u16, &str) {
    (answer.status, answer.code())
}

/// A service that believes the loopback's X-Forwarded-For.
async fn behind_a_proxy() -> anyhow::Result<World> {
    World::with_api(|_, api| api.trusted_proxies = "127.0.0.0/8".parse().into_iter().collect()).await
}

async fn code(tenant: &Tenant) -> anyhow::Result<String> {
    let answer = tenant.client.tool("get_api_session", &json!({})).await?;
    Ok(answer.data()?["code"].as_str().unwrap_or_default().to_owned())
}

async fn redeem(client: &Client, code: &str, address: &str) -> anyhow::Result<Answer> {
    let body = json!({ "code": code }).to_string();
    client.send("POST", "/sessions/redeem", &[("x-forwarded-for", address)], Some(body)).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_hundred_who_redeem_one_code_one_gets_a_token() -> anyhow::Result<()> {
    let world = behind_a_proxy().await?;
    let tenant = world.tenant("a").await?;
    let code = code(&tenant).await?;
    world.wait_for_locks().await?;
    let races = (0..200).map(|number| {
        let (client, code) = (world.client(None), code.clone());
        async move { redeem(&client, &code, &format!("10.0.{}.{}", number / 100, number % 100)).await }
    });
    // As many at once as there are connections: more would wait for these, and nobody is let wait for ever.
    let answers: Vec<Answer> = stream::iter(races).buffer_unordered(10).try_collect().await?;
    let (won, lost): (Vec<&Answer>, Vec<&Answer>) = answers.iter().partition(|answer| answer.status == 200);
    assert_eq!(won.len(), 1);
    assert!(lost.iter().all(|answer| refusal(answer) == (410, "code_not_redeemable")), "{:?}", lost.first());
    assert_eq!(world.count("SELECT count(*) FROM session_tokens").await?, 1);
    let session = world.client(won[0].json["token"].as_str().map(str::to_owned));
    assert_eq!(session.tool("get_jobs", &json!({})).await?.status, 200);
    world.end().await
}

#[tokio::test]
async fn an_address_tries_ten_codes_a_minute_and_a_spent_an_unknown_and_an_old_one_look_alike() -> anyhow::Result<()> {
    let world = behind_a_proxy().await?;
    let tenant = world.tenant("a").await?;
    let (spent, old, good) = (code(&tenant).await?, code(&tenant).await?, code(&tenant).await?);
    let client = world.client(None);
    assert_eq!(redeem(&client, &spent, "10.1.1.1").await?.status, 200);
    world.advance(std::time::Duration::from_mins(10)).await?;
    // An address gets a try back every six seconds.
    world.stop_clock().await?;
    let good_now = code(&tenant).await?;
    let unknown = format!("esx_{}", "0".repeat(32));
    let mut texts = Vec::new();
    for code in [&spent, &old, &good, &unknown] {
        let answer = redeem(&client, code, "10.1.1.2").await?;
        assert_eq!(refusal(&answer), (410, "code_not_redeemable"), "{}", answer.text);
        texts.push(answer.text);
    }
    assert!(texts.windows(2).all(|pair| pair[0] == pair[1]), "{texts:?}");
    for _ in 4..10 {
        assert_eq!(redeem(&client, &unknown, "10.1.1.2").await?.status, 410);
    }
    let refused = redeem(&client, &good_now, "10.1.1.2").await?;
    assert_eq!(refusal(&refused), (429, "rate_limited"), "even a good code");
    assert!(refused.header("retry-after").parse::<u64>().is_ok_and(|seconds| (1..=60).contains(&seconds)));
    assert_eq!(redeem(&client, &good_now, "10.1.1.3").await?.status, 200, "another address, and the code is whole");
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_eleven_keys_created_at_once_ten_are_and_of_eleven_endpoints_ten() -> anyhow::Result<()> {
    let server = AuthorizationServer::start(env!("CARGO_TARGET_TMPDIR"))?;
    // An account whose owner signed in has no key yet.
    let world = World::with_api(|_, api| api.oauth = server.settings(Signup::Create)).await?;
    let client = world.client(Some(server.token("anna").await?));
    let endpoint = json!({ "url": "http://127.0.0.1:9/hook" }).to_string();
    for (path, body, code) in
        [("/keys", "{}".to_owned(), "key_limit_reached"), ("/webhooks", endpoint, "endpoint_limit_reached")]
    {
        let races = (0..11).map(|_| {
            let (client, body) = (client.clone(), body.clone());
            async move { let_in(async || client.send("POST", path, &[], Some(body.clone())).await).await }
        });
        let answers = try_join_all(races).await?;
        assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 10, "{path}");
        let refused: Vec<_> = answers.iter().filter(|answer| answer.status != 201).map(refusal).collect();
        assert_eq!(refused, [(409, code)], "{path}");
    }
    assert_eq!(world.count("SELECT count(*) FROM api_keys WHERE revoked_at IS NULL").await?, 10);
    assert_eq!(world.count("SELECT count(*) FROM webhook_endpoints WHERE deleted_at IS NULL").await?, 10);
    world.end().await
}

#[tokio::test]
async fn each_operation_asks_for_its_role_and_a_session_may_not_touch_keys_or_the_secret() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (home, host) = (world.tenant("home").await?, world.tenant("host").await?);
    let session = world.session(&host).await?;
    let members = [
        (Role::Viewer, world.member(&home, &host, "viewer").await?),
        (Role::Editor, world.member(&home, &host, "editor").await?),
        (Role::Owner, world.member(&home, &host, "owner").await?),
    ];
    for Row { operation, needs, .. } in TABLE {
        let (method, template) = operation.split_once(' ').unwrap_or_default();
        // A stream would not end by itself.
        if template == "/events/stream" {
            continue;
        }
        let path = ["{id}", "{keyId}", "{userId}", "{read}"]
            .iter()
            .fold(template.to_owned(), |path, name| path.replace(name, "x"));
        let body = || (method != "GET").then(|| "{}".to_owned());
        match needs {
            Needs::Nothing | Needs::Operator(_) => {}
            Needs::Account => {
                let answer = session.send(method, &path, &[], body()).await?;
                assert!(!matches!(answer.status, 401 | 403), "{operation}: {}", answer.text);
            }
            Needs::AccountWithoutSession => {
                let answer = session.send(method, &path, &[], body()).await?;
                assert_eq!(refusal(&answer), (403, "session_not_allowed"), "{operation}: {}", answer.text);
            }
            Needs::OwnerWithoutSession => {
                // Members here come by sessions, as the script does.
                for client in members.iter().map(|(_, client)| client).chain([&session]) {
                    let answer = client.send(method, &path, &[], body()).await?;
                    assert_eq!(refusal(&answer), (403, "session_not_allowed"), "{operation}: {}", answer.text);
                }
            }
            Needs::Workspace(needed) => {
                for (role, client) in &members {
                    let answer = client.send(method, &path, &[], body()).await?;
                    let forbidden = refusal(&answer) == (403, "role_forbidden");
                    assert_eq!(forbidden, role < needed, "{operation} as {role}: {}", answer.text);
                    assert_ne!(answer.status, 401, "{operation} as {role}");
                }
            }
        }
    }
    world.end().await
}
