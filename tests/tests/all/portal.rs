//! The customers' pages: who may see and send what, that they show one account's rows alone, and what a browser makes
//! of them.

use anyhow::{Context, ensure};
use api::http::error::Code;
use api::http::scope::{Scope, ScopeState};
use api::usecases::portal;
use domain::credential::{PortalCode, PortalSession};
use mws_tests::clients;
use mws_tests::world::{Browser, Client, Media, Receiver, Tenant, World, counted, runners, until};
use reqwest::{Method, StatusCode, header};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

/// A browser that has followed this link.
pub async fn at(world: &World, link: &str) -> anyhow::Result<Browser> {
    Browser::signed_in_by(world, &path(link), &[]).await
}

/// What follows the host of a link.
fn path(link: &str) -> String {
    let below = link.split_once("/portal").map_or("", |(_, below)| below);
    format!("/portal{below}")
}

pub async fn link(client: &Client, asked: Value) -> anyhow::Result<String> {
    let made = client.post("/portal-sessions", &asked).await?;
    ensure!(made.status == 201, "{}", made.text);
    Ok(made.json["url"].as_str().context("no link")?.to_owned())
}

/// An account that has one of everything that the pages show.
struct Stage {
    endpoint: String,
    delivery: String,
    job: String,
    key: String,
}

async fn one_of_everything(world: &World, tenant: &Tenant, receiver: &Receiver) -> anyhow::Result<Stage> {
    let before = receiver.received().len();
    let endpoint = world.endpoint(tenant, &receiver.url).await?.to_string();
    let item = world.item(tenant, Media::audio(60)).await?;
    let job = tenant.client.prepare(&[item], &["levels"]).await?.job_ids()?.remove(0);
    tenant.client.reaches(&job, "succeeded").await?;
    receiver.gets(before + 1).await?;
    let path = format!("/webhooks/{endpoint}/deliveries");
    let list = until("what was sent is recorded", async || {
        let list = tenant.client.send("GET", &path, &[], None).await?.json;
        Ok((list["data"][0]["status"] == "succeeded").then_some(list))
    })
    .await?;
    let keys = tenant.client.send("GET", "/keys", &[], None).await?.json;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (delivery, key) = (text(&list["data"][0]["delivery_id"]), text(&keys["data"][0]["id"]));
    Ok(Stage { endpoint, delivery, job, key })
}

/// Every page there is.
fn pages(stage: &Stage) -> Vec<String> {
    let Stage { endpoint, delivery, job, .. } = stage;
    [
        "/webhooks".to_owned(),
        format!("/webhooks/{endpoint}"),
        format!("/webhooks/{endpoint}?status=succeeded"),
        format!("/webhooks/{endpoint}/{delivery}"),
        "/jobs".to_owned(),
        "/jobs?status=succeeded&kind=read".to_owned(),
        format!("/jobs/{job}"),
        "/usage".to_owned(),
        "/usage/statement".to_owned(),
        "/keys".to_owned(),
    ]
    .map(|path| format!("/portal{path}"))
    .to_vec()
}

#[tokio::test]
async fn a_browser_changes_to_another_account_only_when_it_was_asked() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (own, other) = (world.tenant("a").await?, world.tenant("b").await?);
    let browser = at(&world, &link(&own.client, json!({})).await?).await?;
    let foreign = link(&other.client, json!({})).await?;
    // Followed from another site the link comes without the cookie, and its form comes with it.
    let asked = browser.post(&path(&foreign), &[]).await?;
    assert_eq!((asked.status(), asked.headers().get(header::SET_COOKIE)), (StatusCode::OK, None));
    let page = asked.text().await?;
    assert!(page.contains("another account") && page.contains("name=\"sure\"") && !page.contains("<script"), "{page}");
    assert_eq!(browser.get("/portal/usage").await?.0, StatusCode::OK, "it is where it was");
    assert_eq!(browser.post(&path(&foreign), &[("sure", "yes")]).await?.status(), StatusCode::SEE_OTHER);
    // To its own account nobody is asked.
    let again = link(&own.client, json!({})).await?;
    assert!(browser.get(&path(&again)).await?.1.contains("<script"));
    assert_eq!(browser.post(&path(&again), &[]).await?.status(), StatusCode::SEE_OTHER);
    world.end().await
}

#[tokio::test]
async fn a_link_signs_in_once_for_an_hour_and_ends_with_its_key() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let asked = json!({ "return_url": "https://app.example.com/settings?tab=1", "theme": { "name": "Acme Video" } });
    let made = link(&tenant.client, asked.clone()).await?;
    let mut browser = Browser::new(&world)?;
    // A look at the link uses nothing up.
    for _ in 0..2 {
        let (status, page) = browser.get(&path(&made)).await?;
        assert!(status == StatusCode::OK && page.contains("Continue") && page.contains("Acme Video"), "{page}");
    }
    let answer = browser.post(&path(&made), &[]).await?;
    let cookie = answer.headers()[header::SET_COOKIE].to_str()?.to_owned();
    for part in ["HttpOnly", "SameSite=Strict", "Path=/portal", "Max-Age=90000"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    assert_eq!(browser.post(&path(&made), &[]).await?.status(), StatusCode::FORBIDDEN, "it is good once");
    assert_eq!(browser.get("/portal/usage").await?.0, StatusCode::UNAUTHORIZED, "no cookie");
    browser.cookie = cookie.split(';').next().map(str::to_owned);
    let (status, page) = browser.get("/portal/usage").await?;
    assert!(status == StatusCode::OK && page.contains("Back to app.example.com"), "{page}");
    // Another page's form is none of ours.
    let foreign = browser.form("/portal/out", &[]).header(header::ORIGIN, "https://evil.example").send().await?;
    assert_eq!(foreign.status(), StatusCode::FORBIDDEN);
    // What has ended says where to go, and nothing else works.
    world.advance(Duration::from_secs(3_601)).await?;
    let (status, page) = browser.get("/portal/usage").await?;
    assert_eq!(status, StatusCode::UNAUTHORIZED);
    assert!(page.contains("https://app.example.com/settings?tab=1") && !page.contains("Allowance"), "{page}");

    let second = at(&world, &link(&tenant.client, asked.clone()).await?).await?;
    assert_eq!(second.post("/portal/out", &[]).await?.status(), StatusCode::OK);
    let gone = second.request(Method::GET, "/portal/usage").send().await?;
    assert_eq!(gone.status(), StatusCode::UNAUTHORIZED, "signed out");
    assert!(gone.headers()[header::SET_COOKIE].to_str()?.contains("Max-Age=0"), "what nobody knows is not sent again");
    let third = at(&world, &link(&tenant.client, asked.clone()).await?).await?;
    let late = link(&tenant.client, asked.clone()).await?;
    world.advance(Duration::from_secs(601)).await?;
    assert_eq!(Browser::new(&world)?.get(&path(&late)).await?.0, StatusCode::FORBIDDEN, "ten minutes");
    let unused = link(&tenant.client, asked).await?;
    let keys = tenant.client.send("GET", "/keys", &[], None).await?.json;
    let own = keys["data"][0]["id"].as_str().unwrap_or_default();
    assert_eq!(third.post("/portal/keys", &[("key", own)]).await?.status(), StatusCode::SEE_OTHER);
    assert_eq!(third.get("/portal/usage").await?.0, StatusCode::UNAUTHORIZED, "its key is revoked");
    assert_eq!(Browser::new(&world)?.post(&path(&unused), &[]).await?.status(), StatusCode::FORBIDDEN);
    world.end().await
}

#[tokio::test]
async fn a_session_that_runs_out_leads_a_look_to_where_its_maker_said_and_no_form() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let again = "https://app.example.com/portal?again=1";
    let asked = json!({ "return_url": "https://app.example.com/", "refresh_url": again });
    let browser = at(&world, &link(&tenant.client, asked.clone()).await?).await?;
    let (status, page) = browser.get("/portal/usage").await?;
    assert!(status == StatusCode::OK && !page.contains(again), "{page}");
    world.advance(Duration::from_secs(3_601)).await?;
    let led = browser.request(Method::GET, "/portal/usage").send().await?;
    assert_eq!((led.status(), led.headers()[header::LOCATION].to_str()?), (StatusCode::SEE_OTHER, again));
    let form = browser.post("/portal/keys", &[("key", "key_01J00000000000000000000000")]).await?;
    assert_eq!(form.status(), StatusCode::UNAUTHORIZED);
    let page = form.text().await?;
    assert!(page.contains(&format!("href=\"{again}\"")) && page.contains("Back to app.example.com"), "{page}");
    assert!(page.contains("That was not done") && page.contains("do it once more there"), "{page}");
    assert!(Browser::new(&world)?.post("/portal/keys", &[]).await?.text().await?.contains("That was not done"));

    // Where it comes straight back, it is not led round and round.
    let led = led.headers()[header::SET_COOKIE].to_str()?.to_owned();
    assert!(led.starts_with("mws_portal_led=yes; Path=/portal; Max-Age=60; HttpOnly"), "{led}");
    let own = browser.cookie.clone().context("no cookie")?;
    let mut back = Browser::new(&world)?;
    back.cookie = Some(format!("{own}; mws_portal_led=yes"));
    let (status, page) = back.get("/portal/usage").await?;
    assert_eq!(status, StatusCode::UNAUTHORIZED);
    assert!(page.contains(&format!("href=\"{again}\"")) && !page.contains("not done"), "{page}");
    assert!(page.contains("came back without being signed in"), "{page}");

    let revoked = at(&world, &link(&tenant.client, asked).await?).await?;
    let keys = tenant.client.send("GET", "/keys", &[], None).await?.json;
    let own = keys["data"][0]["id"].as_str().unwrap_or_default();
    assert_eq!(revoked.post("/portal/keys", &[("key", own)]).await?.status(), StatusCode::SEE_OTHER);
    let (status, page) = revoked.get("/portal/usage").await?;
    assert!(status == StatusCode::UNAUTHORIZED && page.contains(again), "it did not run out: {page}");
    world.end().await
}

#[tokio::test]
async fn what_a_link_asks_for_wrongly_is_refused_and_pages_that_it_has_not_are_not_there() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    for (asked, said) in [
        (json!({ "pages": [] }), "`pages`"),
        (json!({ "return_url": "javascript:alert(1)" }), "`return_url`"),
        (json!({ "return_url": "https://a:b@example.com/" }), "`return_url`"),
        (json!({ "refresh_url": "data:text/html,x" }), "`refresh_url`"),
        (json!({ "refresh_url": format!("{}/portal/keys", world.app().public_url) }), "`refresh_url`"),
        (json!({ "refresh_url": format!("https://example.com/{}", "x".repeat(2_000)) }), "`refresh_url`"),
        (json!({ "theme": { "accent": "red;}" } }), "`theme.accent`"),
        (json!({ "theme": { "logo": "data:image/svg+xml;base64,PHN2Zz4=" } }), "`theme.logo`"),
        (json!({ "theme": { "name": "a\nb" } }), "`theme.name`"),
    ] {
        let refused = tenant.client.post("/portal-sessions", &asked).await?;
        assert!(refused.status == 400 && refused.text.contains(said), "{asked}: {}", refused.text);
    }
    for own in ["/portal", "/portal/", "/portal/usage?a=1", "/portal/../portal/in/x"] {
        let asked = json!({ "refresh_url": format!("{}{own}", world.base_url()) });
        let refused = tenant.client.post("/portal-sessions", &asked).await?;
        assert!(refused.status == 400 && refused.text.contains("`refresh_url`"), "{own}: {}", refused.text);
    }
    link(&tenant.client, json!({ "refresh_url": format!("{}/portals", world.base_url()) })).await?;
    let name = "<script>alert(1)</script>";
    let asked = json!({ "pages": ["usage"], "theme": { "name": name, "scheme": "dark", "accent": "#ffcc00" } });
    let browser = at(&world, &link(&tenant.client, asked).await?).await?;
    let first = browser.get("/portal").await?;
    assert_eq!(first.0, StatusCode::SEE_OTHER);
    let answer = browser.request(Method::GET, "/portal/usage").send().await?;
    let policy = answer.headers()[header::CONTENT_SECURITY_POLICY].to_str()?.to_owned();
    assert!(policy.contains("frame-ancestors 'none'") && policy.contains("default-src 'none'"), "{policy}");
    let page = answer.text().await?;
    assert!(!page.contains(name) && page.contains("--accent:#ffcc00;--on-accent:#000000"), "{page}");
    for other in ["/portal/webhooks", "/portal/jobs", "/portal/keys", "/portal/nothing"] {
        assert_eq!(browser.get(other).await?.0, StatusCode::NOT_FOUND, "{other}");
    }
    let secret = browser.post("/portal/secret", &[("do", "show")]).await?;
    assert_eq!(secret.status(), StatusCode::NOT_FOUND);
    // A session of pages is no bearer, and a script's session makes no link.
    let bearer = browser.cookie.as_deref().and_then(|cookie| cookie.split('=').nth(1)).map(str::to_owned);
    assert_eq!(world.client(bearer).send("GET", "/keys", &[], None).await?.status, 401);
    let script = world.session(&tenant).await?;
    assert_eq!(script.post("/portal-sessions", &json!({})).await?.code(), "session_not_allowed");
    world.end().await
}

#[tokio::test]
async fn one_account_s_pages_show_and_change_nothing_of_another_s() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (own, other) = (world.tenant("own").await?, world.tenant("other").await?);
    let receiver = Receiver::start()?;
    world.work(runners::instant()).await?;
    let mine = one_of_everything(&world, &own, &receiver).await?;
    let theirs = one_of_everything(&world, &other, &receiver).await?;
    let browser = at(&world, &link(&own.client, json!({})).await?).await?;
    let foreign = [&theirs.endpoint, &theirs.delivery, &theirs.job, &theirs.key];
    for page in pages(&mine) {
        let (status, html) = browser.get(&page).await?;
        assert_eq!(status, StatusCode::OK, "{page}");
        assert!(foreign.iter().all(|id| !html.contains(id.as_str())), "{page}");
    }
    // By their own addresses, and by a mixture of both.
    let mixed = Stage { endpoint: mine.endpoint.clone(), ..one_like(&theirs) };
    for page in pages(&theirs).into_iter().chain(pages(&mixed)) {
        let is_theirs = foreign.iter().any(|id| page.contains(id.as_str()));
        let (status, html) = browser.get(&page).await?;
        assert!(!is_theirs || status == StatusCode::NOT_FOUND || status == StatusCode::FORBIDDEN, "{page}: {status}");
        assert!(!html.contains(&receiver.url) || !is_theirs, "{page}");
        assert!(html.contains("<nav aria-label=\"Pages\">") && html.contains("<span>own</span>"), "it goes on: {html}");
    }
    let (endpoint, delivery) = (&theirs.endpoint, &theirs.delivery);
    for (path, fields) in [
        (format!("/portal/webhooks/{endpoint}"), vec![("do", "delete")]),
        (format!("/portal/webhooks/{endpoint}"), vec![("do", "pause")]),
        (format!("/portal/webhooks/{endpoint}"), vec![("do", "ping")]),
        (format!("/portal/webhooks/{endpoint}"), vec![("do", "resend"), ("since", "2020-01-01T00:00")]),
        (format!("/portal/webhooks/{endpoint}/{delivery}"), vec![]),
        (format!("/portal/webhooks/{}/{delivery}", mine.endpoint), vec![]),
        ("/portal/keys".to_owned(), vec![("key", theirs.key.as_str())]),
    ] {
        let status = browser.post(&path, &fields).await?.status();
        assert!([StatusCode::NOT_FOUND, StatusCode::FORBIDDEN].contains(&status), "{path} {fields:?}: {status}");
    }
    let seen = other.client.send("GET", &format!("/webhooks/{endpoint}"), &[], None).await?;
    assert_eq!((seen.status, &seen.json["enabled"]), (200, &json!(true)));
    world.end().await
}

fn one_like(stage: &Stage) -> Stage {
    let Stage { endpoint, delivery, job, key } = stage;
    Stage { endpoint: endpoint.clone(), delivery: delivery.clone(), job: job.clone(), key: key.clone() }
}

#[tokio::test]
async fn where_others_may_show_the_pages_in_a_frame_the_cookie_is_kept_apart_for_each() -> anyhow::Result<()> {
    let world =
        World::with_api(|_, api| api.portal_frame_ancestors = vec!["https://app.example.com".to_owned()]).await?;
    let tenant = world.tenant("a").await?;
    let made = link(&tenant.client, json!({})).await?;
    let browser = Browser::new(&world)?;
    let over_https = world.base_url().replace("http://", "https://");
    let answer = browser.form(&path(&made), &[]).header(header::ORIGIN, over_https).send().await?;
    let cookie = answer.headers()[header::SET_COOKIE].to_str()?;
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=None; Secure; Partitioned"), "{cookie}");
    let answer = browser.request(Method::GET, "/portal/usage").send().await?;
    let policy = answer.headers()[header::CONTENT_SECURITY_POLICY].to_str()?;
    assert!(policy.contains("frame-ancestors https://app.example.com"), "{policy}");
    world.end().await
}

#[tokio::test]
async fn a_browser_that_is_signed_in_is_asked_before_it_is_another_account_s() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (own, other) = (world.tenant("own").await?, world.tenant("other").await?);
    let browser = at(&world, &link(&own.client, json!({})).await?).await?;
    let theirs = link(&other.client, json!({ "theme": { "name": "Acme Video" } })).await?;
    let (_, asked) = browser.get(&path(&theirs)).await?;
    assert!(asked.contains("<strong>other</strong>") && !asked.contains("<script>"), "{asked}");
    let (_, at_once) = Browser::new(&world)?.get(&path(&theirs)).await?;
    assert!(at_once.contains("<strong>other</strong>") && at_once.contains("<script>"), "{at_once}");
    let (_, page) = browser.get("/portal/usage").await?;
    assert!(page.contains("<span>own</span>"), "a page names its account: {page}");
    // What is done is in the account's log, by the key and from the portal.
    let hook = [("url", "https://93.184.216.34/hook"), ("event_types", "job.failed"), ("kinds", "read")];
    assert_eq!(browser.post("/portal/webhooks", &hook).await?.status(), StatusCode::SEE_OTHER);
    let log = own.client.send("GET", "/audit?action=webhook.create", &[], None).await?.json;
    assert_eq!(log["data"][0]["credential"], "portal", "{log}");
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_pages_work_in_a_browser_with_and_without_script() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let receiver = Receiver::start()?;
    world.work(runners::instant()).await?;
    let one = one_of_everything(&world, &tenant, &receiver).await?;
    let theme =
        json!({ "theme": { "name": "Acme Video", "accent": "#0f766e" }, "return_url": "https://app.example.com/" });
    let (first, second) = (link(&tenant.client, theme.clone()).await?, link(&tenant.client, theme).await?);
    let pictures = Path::new(env!("CARGO_TARGET_TMPDIR")).join("portal");
    std::fs::create_dir_all(&pictures)?;
    let program = clients::node()?.join("portal_look.mjs");
    // Where its packages are found from.
    std::fs::copy(clients::source("portal_look.mjs"), &program)?;
    let mut paths = pages(&one);
    paths.extend(["/portal/nowhere".to_owned(), "/portal/jobs?status=failed&kind=odd".to_owned()]);
    let hook = format!("{}/second", receiver.url);
    let mut command = Command::new("node");
    command.arg(program).arg("/usr/bin/chromium").arg(pictures).args([&first, &second, &hook]).args(&paths);
    let seen: Value = serde_json::from_str(clients::run(command).await?.trim())?;
    for kind in ["violations", "elsewhere", "errors"] {
        assert_eq!(seen[kind], json!([]), "{kind}");
    }
    assert_eq!((&seen["pages"], &seen["landed"]), (&json!(paths.len() * 4), &json!("/portal/webhooks")));
    let added = seen["added"].as_str().unwrap_or_default();
    assert!(added.contains("succeeded, failed") && !added.contains("cancelled"), "{added}");
    let narrow = |path: &str| seen["narrow"][format!("/portal{path}")].as_str().unwrap_or_default();
    for (path, words) in [
        ("/jobs".to_owned(), ["Created: ", "Minutes: "]),
        ("/webhooks".to_owned(), ["Last success: ", "Failures in a row: "]),
        (format!("/webhooks/{}", one.endpoint), ["Last answer: 200", "Attempts: 1"]),
        ("/usage/statement".to_owned(), ["About: job_", "At most: "]),
        ("/keys".to_owned(), ["Made: ", "Last used: "]),
    ] {
        assert!(words.iter().all(|words| narrow(&path).contains(words)), "{path}: {words:?}: {}", narrow(&path));
    }
    assert!(seen["pinged"].as_str().is_some_and(|table| table.contains("ping")), "{seen}");
    world.end().await
}

#[tokio::test]
async fn whoever_makes_up_a_code_and_a_cookie_is_refused_without_a_look_as_for_a_guess() -> anyhow::Result<()> {
    let world = World::with_api(|_, api| api.wrong_credentials_per_minute = 2).await?;
    let stranger = Scope(Arc::new(ScopeState { address: "192.0.2.7".parse().ok(), ..ScopeState::default() }));
    let (code, session) = (PortalCode::from_random([1; 20]), PortalSession::from_random([2; 32]));
    let app = world.app();
    ensure!(!portal::is_anothers(app, &stranger, &code, &session).await?, "nobody has them");
    for _ in 0..2 {
        ensure!(portal::waiting(app, &stranger, &code).await?.is_none(), "nobody was given it");
    }
    let (asked, statements) = counted(portal::is_anothers(app, &stranger, &code, &session)).await;
    assert_eq!(asked.err().map(|refusal| refusal.code()), Some(Code::RateLimited));
    assert_eq!(statements, Vec::<String>::new());
    world.end().await
}
