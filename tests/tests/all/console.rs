//! The operators' pages: who may see and send what, that names are plain text, and what a browser makes of them.

use crate::operators::{ANNA, BO, done, log, stage, text};
use anyhow::Context;
use domain::ids::{DeliveryId, JobId};
use domain::read::Read;
use mws_tests::clients;
use mws_tests::world::{Browser, Client, Media, Receiver, Tenant, World, runners, until};
use reqwest::{Method, StatusCode, header};
use scheduler::check_invariants;
use serde_json::{Value, json};
use std::process::Command;
use std::time::Duration;
use worker::readers::ReadError;

/// A browser that is signed in as the operator with this token.
pub async fn signed_in(world: &World, token: &str) -> anyhow::Result<Browser> {
    Browser::signed_in_by(world, "/console/in", &[("code", &link(world, token).await?)]).await
}

/// A one-time link's code.
async fn link(world: &World, token: &str) -> anyhow::Result<String> {
    let made =
        done(&world.client(Some(token.to_owned())), "POST", "/operator/console-links", &Value::Null, 201).await?;
    Ok(text(&made, "/path").rsplit('/').next().context("no code")?.to_owned())
}

/// What a job leaves: the job, its delivery, its endpoint.
pub struct Traces {
    pub job: String,
    pub delivery: String,
    pub endpoint: String,
    pub item: String,
}

/// A tenant whose names are markup, and one job of theirs that succeeded and was told of.
pub async fn traces(world: &World, tenant: &Tenant, receiver: &Receiver) -> anyhow::Result<Traces> {
    world.work(runners::instant()).await?;
    let endpoint = world.endpoint(tenant, &format!("{}/hook?token=hidden-in-the-url", receiver.url)).await?;
    let item = world.item(tenant, Media::audio(60)).await?;
    let job = tenant.client.prepare(&[item], &["levels"]).await?.job_ids()?.remove(0);
    tenant.client.reaches(&job, "succeeded").await?;
    receiver.gets(1).await?;
    let delivered = "SELECT id FROM deliveries WHERE status = 'succeeded'";
    let delivery: DeliveryId =
        until("it is recorded", async || Ok(sqlx::query_scalar(delivered).fetch_optional(world.pool()).await?)).await?;
    Ok(Traces { job, delivery: delivery.to_string(), endpoint: endpoint.to_string(), item: item.to_string() })
}

/// Every page there is.
pub fn pages(traces: &Traces, account: &str) -> Vec<String> {
    let Traces { job, delivery, endpoint, item } = traces;
    [
        String::new(),
        "/jobs".to_owned(),
        "/jobs?status=succeeded&read=levels&since=2001-01-01T00:00:00.000Z".to_owned(),
        format!("/jobs/{job}"),
        format!("/jobs/{job}/change"),
        "/deliveries".to_owned(),
        format!("/deliveries?endpoint_id={endpoint}&since=2001-01-01T00:00:00.000Z"),
        format!("/deliveries/{delivery}"),
        "/errors".to_owned(),
        "/rerun?read=levels".to_owned(),
        "/unsent".to_owned(),
        format!("/unsent?endpoint_id={endpoint}&status=failed"),
        "/bulk".to_owned(),
        "/bulk?state=running".to_owned(),
        "/endpoints".to_owned(),
        format!("/endpoints/{endpoint}"),
        format!("/endpoints/{endpoint}/change"),
        format!("/endpoints/{endpoint}/ping"),
        "/accounts".to_owned(),
        format!("/accounts/{account}"),
        format!("/accounts/{account}/minutes"),
        format!("/accounts/{account}/minutes?kind=hold&job_id={job}&since=2001-01-01T00:00:00.000Z"),
        "/items".to_owned(),
        format!("/items/{item}"),
        "/fleet".to_owned(),
        "/audit".to_owned(),
        "/audit?action=read.pause".to_owned(),
        "/find?id=nothing".to_owned(),
        format!("/deliveries/{delivery}/resend"),
        "/reads/levels".to_owned(),
    ]
    .map(|path| format!("/console{path}"))
    .to_vec()
}

#[tokio::test]
async fn a_link_signs_in_once_for_twelve_hours_or_until_its_operator_has_another_token() -> anyhow::Result<()> {
    let (world, _) = stage().await?;
    let mut browser = Browser::new(&world)?;
    let code = link(&world, ANNA).await?;
    // A look at the link uses nothing up.
    for _ in 0..2 {
        let (status, page) = browser.get(&format!("/console/in/{code}")).await?;
        assert!(status == StatusCode::OK && page.contains("<button>Sign in</button>"), "{page}");
    }
    let answer = browser.post("/console/in", &[("code", &code)]).await?;
    let cookie = answer.headers()[header::SET_COOKIE].to_str()?.to_owned();
    for part in ["HttpOnly", "SameSite=Strict", "Path=/console", "Max-Age=43200"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    let spent = browser.post("/console/in", &[("code", &code)]).await?;
    assert_eq!(spent.status(), StatusCode::FORBIDDEN, "it is good once");
    assert_eq!(browser.get(&format!("/console/in/{code}")).await?.0, StatusCode::FORBIDDEN);
    assert_eq!(browser.get("/console").await?.0, StatusCode::UNAUTHORIZED, "no cookie");
    browser.cookie = cookie.split(';').next().map(str::to_owned);
    let (status, page) = browser.get("/console").await?;
    assert!(status == StatusCode::OK && page.contains("anna (act)"), "{page}");
    let kept: Vec<u8> = sqlx::query_scalar("SELECT hash FROM console_passes").fetch_one(world.pool()).await?;
    assert!(!cookie.contains(&String::from_utf8_lossy(&kept).into_owned()) && kept.len() == 32, "hashed at rest");

    // As if she had another token since.
    let changed = "UPDATE console_passes SET token_hash = sha256(token_hash) RETURNING token_hash";
    sqlx::query(changed).execute(world.pool()).await?;
    assert_eq!(browser.get("/console").await?.0, StatusCode::UNAUTHORIZED, "her token was changed");
    let browser = signed_in(&world, ANNA).await?;
    let late = link(&world, BO).await?;
    world.advance(Duration::from_mins(11)).await?;
    assert_eq!(browser.post("/console/in", &[("code", &late)]).await?.status(), StatusCode::FORBIDDEN, "too late");
    assert_eq!(browser.get("/console").await?.0, StatusCode::OK);
    let out = signed_in(&world, BO).await?;
    assert_eq!(out.post("/console/out", &[]).await?.status(), StatusCode::SEE_OTHER);
    assert_eq!(out.get("/console").await?.0, StatusCode::UNAUTHORIZED, "signed out");
    world.advance(Duration::from_hours(12)).await?;
    assert_eq!(browser.get("/console").await?.0, StatusCode::UNAUTHORIZED, "twelve hours");
    scheduler::prune::run_once(&world.process).await?;
    assert_eq!(world.count("SELECT count(*) FROM console_passes").await?, 0);
    world.end().await
}

#[tokio::test]
async fn each_page_is_shown_to_operators_alone_and_what_they_do_is_in_the_audit_log() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let (receiver, tenant) = (Receiver::start()?, world.tenant("<b>T</b>").await?);
    let found = traces(&world, &tenant, &receiver).await?;
    sqlx::query("UPDATE items SET name = '<img src=x onerror=alert(1)>'").execute(world.pool()).await?;
    let (stranger, acts, reads) = (Browser::new(&world)?, signed_in(&world, ANNA).await?, signed_in(&world, BO).await?);
    let mut forged = Browser::new(&world)?;
    forged.cookie = Some(format!("mws_console=esp_{}", "0".repeat(64)));
    for path in pages(&found, &tenant.account.to_string()) {
        let (status, page) = acts.get(&path).await?;
        assert_eq!(status, StatusCode::OK, "{path}: {page}");
        assert!(!page.contains("<b>T</b>") && !page.contains("<img src=x"), "{path}: {page}");
        for secret in ["hidden-in-the-url", tenant.key.expose(), ANNA, BO, "whsec_"] {
            assert!(!page.contains(secret), "{path} shows {secret}");
        }
        let is_act = ["/resend", "/change", "/ping"].iter().any(|end| path.ends_with(end)) || path.contains("/reads/");
        let read = if is_act { StatusCode::FORBIDDEN } else { StatusCode::OK };
        assert_eq!(reads.get(&path).await?.0, read, "{path}");
        for nobody in [&stranger, &forged] {
            let (status, page) = nobody.get(&path).await?;
            assert!(status == StatusCode::UNAUTHORIZED && !page.contains(&found.job), "{path}: {page}");
        }
    }
    let answer = acts.request(Method::GET, "/console").send().await?;
    let policy = answer.headers()[header::CONTENT_SECURITY_POLICY].to_str()?.to_owned();
    assert!(policy.starts_with("default-src 'none'; style-src 'sha256-") && !policy.contains("unsafe"), "{policy}");

    let again = format!("/console/deliveries/{}/resend", found.delivery);
    let elsewhere = acts.form(&again, &[]).header(header::ORIGIN, "https://elsewhere.example").send().await?;
    let cross = acts
        .form(&again, &[])
        .header("sec-fetch-site", "same-site")
        .header(header::ORIGIN, world.base_url())
        .send()
        .await?;
    let unsaid = acts.form(&again, &[]).send().await?;
    let refused = [elsewhere.status(), cross.status(), unsaid.status(), reads.post(&again, &[]).await?.status()];
    assert_eq!(refused, [StatusCode::FORBIDDEN; 4]);
    assert_eq!(stranger.post(&again, &[]).await?.status(), StatusCode::UNAUTHORIZED);
    assert_eq!(reads.post("/console/reads/levels", &[("paused", "yes")]).await?.status(), StatusCode::FORBIDDEN);
    assert_eq!(receiver.received().len(), 1, "nothing was sent");

    let sent = acts.post(&again, &[]).await?;
    assert_eq!(sent.status(), StatusCode::SEE_OTHER);
    let to = sent.headers()[header::LOCATION].to_str()?.to_owned();
    receiver.gets(2).await?;
    assert!(acts.get(&to).await?.1.contains("Sent again"));
    assert_eq!(acts.post("/console/reads/levels", &[("paused", "yes")]).await?.status(), StatusCode::SEE_OTHER);
    assert!(acts.get("/console").await?.1.contains("mws admin reads resume levels"));
    assert_eq!(acts.post("/console/reads/levels", &[("paused", "no")]).await?.status(), StatusCode::SEE_OTHER);
    let told: Vec<String> = log(&anna).await?.into_iter().filter(|row| !row.starts_with("console.")).collect();
    assert_eq!(
        told,
        [format!("delivery.resend {}", found.delivery), "read.pause levels".into(), "read.resume levels".into()]
    );
    world.end().await
}

#[tokio::test]
async fn a_jobs_life_its_delivery_and_the_statement_add_up_on_their_pages() -> anyhow::Result<()> {
    let (world, _) = stage().await?;
    let (receiver, tenant) = (Receiver::start()?, world.tenant("a").await?);
    let found = traces(&world, &tenant, &receiver).await?;
    let browser = signed_in(&world, ANNA).await?;
    let (_, life) = browser.get(&format!("/console/jobs/{}", found.job)).await?;
    for words in [
        "minutes held",
        "waits for a worker",
        "claim 1: succeeded, by",
        "minutes charged",
        "Held: 1 min 0.000 s × 0.10 = 0.10 minutes.",
        "Charged: 1 min 0.000 s × 0.10 = 0.10 minutes.",
        "job.succeeded stored",
        "attempt 1 to",
        "✓ adds up",
    ] {
        assert!(life.contains(words), "{words}: {life}");
    }
    let runs = format!("/console/jobs?item_id={}&read=levels", found.item);
    assert!(life.contains(&runs.replace('&', "&amp;")) && browser.get(&runs).await?.1.contains(&found.job), "{life}");
    let (_, delivery) = browser.get(&format!("/console/deliveries/{}", found.delivery)).await?;
    assert!(
        delivery.contains("made with the account&#39;s current secret")
            || delivery.contains("made with the account's current secret"),
        "{delivery}"
    );
    assert!(delivery.contains("POST /hook") && delivery.contains("service-signature: t="), "{delivery}");
    let host = receiver.url.split('/').nth(2).context("a host")?;
    assert!(
        host.contains(':') && delivery.contains(&format!("host: {host}\n")),
        "as it was sent, with its port: {delivery}"
    );
    assert!(delivery.contains("lookup – · TCP ") && !delivery.contains("TCP –"), "{delivery}");
    let statement = format!("/console/accounts/{}/minutes", tenant.account);
    assert!(browser.get(&statement).await?.1.contains("✓ adds up"));
    sqlx::query("UPDATE minute_buckets SET used = used + 1").execute(world.pool()).await?;
    assert!(browser.get(&statement).await?.1.contains("It does not add up"));
    sqlx::query("UPDATE minute_buckets SET used = used - 1").execute(world.pool()).await?;

    let other = world.tenant("b").await?;
    let theirs = world.item(&other, Media::audio(60)).await?.to_string();
    let (_, library) = browser.get("/console/items").await?;
    assert!(library.contains(&found.item) && library.contains(&theirs) && library.contains("levels"), "{library}");
    let (_, library) = browser.get(&format!("/console/items?workspace_id={}", tenant.workspace)).await?;
    assert!(library.contains(&found.item) && !library.contains(&theirs), "{library}");
    assert_eq!(other.client.send("DELETE", &format!("/library/items/{theirs}"), &[], None).await?.status, 200);
    assert!(!browser.get("/console/items").await?.1.contains(&theirs), "it was deleted");

    let event: String = sqlx::query_scalar("SELECT id FROM events").fetch_one(world.pool()).await?;
    for (id, path) in [(&found.job, "jobs"), (&found.delivery, "deliveries"), (&event, "jobs"), (&found.item, "items")]
    {
        let answer = browser.request(Method::GET, &format!("/console/find?id={id}")).send().await?;
        assert!(answer.headers()[header::LOCATION].to_str()?.starts_with(&format!("/console/{path}/")), "{id}");
    }
    for (path, status) in [
        ("/console/jobs?colour=red", StatusCode::BAD_REQUEST),
        ("/console/jobs?status=odd", StatusCode::BAD_REQUEST),
        ("/console/jobs?since=yesterday", StatusCode::BAD_REQUEST),
        ("/console/jobs?cursor=x", StatusCode::BAD_REQUEST),
        ("/console/jobs/job_x", StatusCode::NOT_FOUND),
        ("/console/accounts/acc_01J00000000000000000000000", StatusCode::NOT_FOUND),
        ("/console/items/itm_x/lanes.svg", StatusCode::NOT_FOUND),
        ("/console/nothing", StatusCode::NOT_FOUND),
    ] {
        assert_eq!(browser.get(path).await?.0, status, "{path}");
    }
    let pages = browser.get("/console/jobs?status=failed").await?.1;
    assert!(pages.contains("There are no jobs like this"), "{pages}");
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_that_is_put_off_and_its_account_say_why_and_what_lets_it_go_on() -> anyhow::Result<()> {
    let world = World::with(|settings| {
        settings.worker_reads = Some(1);
        settings.operator_tokens = Some(format!("anna:act:{ANNA}").into());
    })
    .await?;
    let tenant = world.tenant("a").await?;
    let items = world.items(&tenant, 2, Media::audio(60)).await?;
    world.can_run(&[Read::Levels]).await?;
    tenant.client.prepare(&items, &["levels"]).await?;
    let browser = signed_in(&world, ANNA).await?;
    let account = format!("/console/accounts/{}", tenant.account);
    let forgive = format!("mws admin accounts forgive {}", tenant.account);
    let (_, page) = browser.get(&account).await?;
    assert!(page.contains("0 s of 3600 s a day") && !page.contains(&forgive), "{page}");

    world
        .work(runners::runner(|_, ctx| async move {
            ctx.processor.take(Duration::from_hours(20));
            Err(ReadError::Unsupported("it takes too long"))
        }))
        .await?;
    let put_off = "SELECT id FROM jobs WHERE status = 'queued' AND claim_no = 1 AND due_at > mws_now()";
    let job: JobId = until("the other job is put off", async || {
        Ok(sqlx::query_scalar(put_off).fetch_optional(world.pool()).await?)
    })
    .await?;
    let (_, page) = browser.get(&format!("/console/jobs/{job}")).await?;
    assert!(page.contains("Why it waits") && page.contains("unpaid processor time"), "{page}");
    assert!(page.contains(&forgive) && !page.contains("attempt failed"), "{page}");
    let cancel = format!("/console/jobs/{job}/cancel");
    assert!(page.contains(&cancel) && browser.get(&cancel).await?.1.contains("Cancel the job"), "{page}");
    assert_eq!(browser.post(&cancel, &[]).await?.status(), StatusCode::SEE_OTHER);
    let (_, page) = browser.get(&format!("/console/jobs/{job}?done=cancelled")).await?;
    assert!(page.contains("It is cancelled") && !page.contains(&cancel), "{page}");
    let (_, page) = browser.get(&account).await?;
    assert!(page.contains("Its work waits for ") && page.contains(&forgive), "{page}");
    world.end().await
}

#[tokio::test]
async fn a_browser_finds_nothing_wrong_with_any_page_and_needs_no_script() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let (receiver, tenant) = (Receiver::start()?, world.tenant("a").await?);
    let found = traces(&world, &tenant, &receiver).await?;
    let segment = json!({ "start": 0.5, "end": 2.0, "text": "What is said" });
    let data = json!({ "duration_seconds": 60, "data": { "language": "en", "segments": [segment] } });
    let stored = "INSERT INTO item_reads (item_id, read, job_id, engine, engine_version, result)
        SELECT id, read, id, 'test', '1', $1 FROM items, unnest(ARRAY['speech', 'transcript', 'search_index']) AS read";
    sqlx::query(stored).bind(data).execute(world.pool()).await?;
    let seen = "INSERT INTO moments (item_id, start_ms, end_ms, number) SELECT id, 0, 2000, 1 FROM items;
        INSERT INTO passages (item_id, shown, number, workspace_id, text, own_words, times)
        SELECT id, true, 1, workspace_id, 'EXIT', 1, '[[0,2000]]' FROM items";
    sqlx::raw_sql(seen).execute(world.pool()).await?;
    for paused in [true, false] {
        done(&anna, "PATCH", "/operator/reads/levels", &json!({ "paused": paused }), 200).await?;
    }
    let account = tenant.account.to_string();
    let name = format!("what did not arrive on Friday {}", "x".repeat(100));
    let asked = json!({ "name": name, "kind": "resend_deliveries", "since": "2001-01-01T00:00:00Z" });
    let bulk = text(&done(&anna, "POST", "/operator/bulk-operations", &asked, 202).await?, "/id");
    // Attempts of a delivery stand one below the other.
    let attempts = "INSERT INTO delivery_attempts
        SELECT (jsonb_populate_record(NULL::delivery_attempts,
            to_jsonb(a) || jsonb_build_object('claim_no', 100 + n))).*
        FROM delivery_attempts AS a, generate_series(1, 3) AS n";
    sqlx::raw_sql(attempts).execute(world.pool()).await?;
    // With what the checks found, the table of rules is as wide as it gets.
    check_invariants::run_once(&world.process).await?;
    let mut all = pages(&found, &account);
    all.push(format!("/console/bulk/{bulk}"));
    let seen = look(&world, &anna, &all).await?;
    sqlx::raw_sql("DELETE FROM delivery_attempts WHERE claim_no > 100").execute(world.pool()).await?;
    let narrow = |path: &str| seen["narrow"][path].as_str().unwrap_or_default();
    let audit = narrow("/console/audit?action=read.pause");
    for words in ["To what: levels", "Before and after:"] {
        assert!(audit.contains(words), "{words}: {audit}");
    }
    let own = format!("/console/jobs/{}", found.job);
    let keys = json!({ "helps": true, "row": true, "copied": found.job, "off": own, "kept": false });
    assert_eq!(seen["keys"], keys, "a page of help, a row, its id, and nothing more once they are off");
    let statement = narrow(&format!("/console/accounts/{account}/minutes"));
    assert!(narrow("/console/fleet").contains("Passed: "));
    let item = format!("/console/items/{}", found.item);
    let shown = narrow(&item);
    assert!(shown.contains("What is said") && shown.contains("EXIT"), "{shown}");
    assert_eq!(seen["plays"], json!({ "path": item, "at": 0.5 }), "a click on a word plays from there, on the page");
    let fresh = json!({ "said": "1 new", "held": true, "loaded": true });
    assert_eq!(seen["fresh"], fresh, "what is new is counted, and put in by its link");
    let zone =
        json!({ "utc": "Times: UTC", "local": "Times: Asia/Dubai", "later": 14_400, "kept": true, "back": true });
    assert_eq!(seen["zone"], zone, "four hours later, also after a reload and a refresh");
    assert!(statement.contains("About: job_") && statement.contains("Left of the month: "), "{statement}");
    world.end().await
}

async fn look(world: &World, anna: &Client, pages: &[String]) -> anyhow::Result<Value> {
    let made = done(anna, "POST", "/operator/console-links", &Value::Null, 201).await?;
    let folder = clients::node()?;
    // Where its packages are found from.
    let program = folder.join("console_look.mjs");
    std::fs::copy(clients::source("console_look.mjs"), &program)?;
    let mut node = Command::new("node");
    node.arg(program).arg("/usr/bin/chromium").arg(format!("{}{}", world.base_url(), text(&made, "/path"))).args(pages);
    let seen: Value = serde_json::from_str(clients::run(node).await?.trim())?;
    for kind in ["violations", "elsewhere", "errors"] {
        assert_eq!(seen[kind], json!([]), "{kind}");
    }
    assert_eq!(seen["pages"], pages.len() * 4);
    assert_eq!(seen["without_script"], "/console/jobs?succeeded");
    assert_eq!(seen["live"], "find paused");
    Ok(seen)
}
