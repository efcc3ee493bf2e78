//! What operators change on their pages: sending again all that did not arrive, and for each button the command and the
//! tool that do the same.

use crate::console::{Traces, signed_in, traces};
use crate::operator_mcp::tools;
use crate::operators::work::deliveries;
use crate::operators::{ANNA, BO, done, log, stage, text};
use domain::ids::DeliveryId;
use domain::read::Read;
use mws_tests::world::{Browser, Media, Receiver, World, runners};
use reqwest::{StatusCode, header};
use serde_json::json;
use std::path::Path;

#[tokio::test]
async fn all_that_did_not_arrive_is_counted_on_a_page_and_sent_by_who_may() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let tenant = world.tenant("a").await?;
    let open = world.endpoint(&tenant, "http://127.0.0.1:9/a").await?;
    let closed = world.endpoint(&tenant, "http://127.0.0.1:9/b").await?;
    let (tls, answered) = (("failed", "tls_failed"), ("failed", "http_status"));
    deliveries(&world, &tenant, open, &[tls, tls, answered, ("succeeded", "")]).await?;
    deliveries(&world, &tenant, closed, &[tls]).await?;
    let disabled = Some(r#"{"enabled":false}"#.to_owned());
    assert_eq!(tenant.client.send("PATCH", &format!("/webhooks/{closed}"), &[], disabled).await?.status, 200);
    let (acts, reads) = (signed_in(&world, ANNA).await?, signed_in(&world, BO).await?);
    let path = "/console/unsent?error=tls_failed";
    let (_, page) = acts.get(path).await?;
    assert!(
        page.contains("<b>2</b> deliveries to <b>1</b> endpoint failed") && page.contains("Send 2 again"),
        "{page}"
    );
    assert!(page.contains("1 more was for endpoints that are disabled"), "{page}");
    let (status, page) = reads.get(path).await?;
    assert!(
        status == StatusCode::OK && page.contains("<b>2</b> deliveries") && !page.contains("Send 2 again"),
        "{page}"
    );
    assert_eq!(reads.post(path, &[]).await?.status(), StatusCode::FORBIDDEN);
    for wrong in ["status=succeeded", "http_status=99", "since=x", "colour=red"] {
        assert_eq!(acts.get(&format!("/console/unsent?{wrong}")).await?.0, StatusCode::BAD_REQUEST, "{wrong}");
    }
    let (_, page) = acts.get("/console/unsent?until=2001-01-01T00:00:00Z").await?;
    assert!(
        page.contains("Nothing matches these times")
            && !page.contains("<form method=\"post\" action=\"/console/unsent"),
        "{page}"
    );
    assert_eq!(world.count("SELECT count(*) FROM deliveries").await?, 5, "looking sends nothing");

    let found = sqlx::query_scalar("SELECT id FROM deliveries WHERE endpoint_id = $1").bind(closed);
    let delivery: DeliveryId = found.fetch_one(world.pool()).await?;
    let (_, page) = acts.get(&format!("/console/deliveries/{delivery}/resend")).await?;
    assert!(page.contains("Enable it first") && page.contains(&format!("/console/endpoints/{closed}")), "{page}");
    assert!(!page.contains("<button>Send again</button>"), "a button that is refused: {page}");

    let sent = acts.post(path, &[]).await?;
    assert_eq!(sent.status(), StatusCode::SEE_OTHER);
    let (_, page) = acts.get(sent.headers()[header::LOCATION].to_str()?).await?;
    assert!(page.contains("2 were sent again.") && page.contains("<b>0</b> deliveries"), "{page}");
    assert!(page.contains("What comes of them is awaited, and stands with <a href=\"/console/deliveries?"), "{page}");
    assert!(acts.get("/console/unsent?sent=0").await?.1.contains("Nothing was sent again: "));
    let new = sqlx::query_scalar("SELECT id FROM deliveries WHERE trigger = 'resend' LIMIT 1");
    let new: DeliveryId = new.fetch_one(world.pool()).await?;
    let (_, page) = acts.get(&format!("/console/deliveries/{new}")).await?;
    assert!(
        page.contains("None yet: a worker makes the first one") && page.contains("not tried yet this time"),
        "{page}"
    );
    assert_eq!(world.count("SELECT count(*) FROM deliveries WHERE trigger = 'resend'").await?, 2);
    let told: Vec<String> = log(&anna).await?.into_iter().filter(|row| !row.starts_with("console.")).collect();
    assert_eq!(told, [format!("deliveries.resend {open}")]);
    world.end().await
}

#[tokio::test]
async fn more_than_a_thousand_are_sent_by_an_operation_that_starts_once_their_number_is_typed() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let tenant = world.tenant("a").await?;
    let endpoint = world.endpoint(&tenant, "http://127.0.0.1:9/a").await?;
    deliveries(&world, &tenant, endpoint, &vec![("failed", "tls_failed"); 1_001]).await?;
    let browser = signed_in(&world, ANNA).await?;
    let (_, page) = browser.get("/console/unsent").await?;
    assert!(page.contains("type their number") && page.contains("Name of the operation"), "{page}");
    assert!(page.contains("Deliveries a second, 1 to 100 (empty: up to 500)"), "{page}");
    for typed in ["", "1000"] {
        let refused = browser.post("/console/unsent", &[("count", typed)]).await?;
        assert_eq!(refused.status(), StatusCode::BAD_REQUEST, "{typed}");
    }
    for pace in ["0", "101", "fast"] {
        let refused = browser.post("/console/unsent", &[("count", "1001"), ("pace", pace)]).await?;
        assert_eq!(refused.status(), StatusCode::BAD_REQUEST, "{pace}");
    }
    let command = "mws admin bulk start 'What did not arrive from ";
    assert!(page.contains(command) && page.contains("' --since 24h --dry-run"), "{page}");
    let (_, page) = browser.get("/console/unsent?until=2001-01-02T00:00:00Z&event_type=job.failed").await?;
    assert!(page.contains("mws admin deliveries resend --since ") && page.contains("s --until "), "{page}");
    assert!(page.contains("s --dry-run --event-type job.failed"), "{page}");
    let asked = [("count", " 1001 "), ("name", "after <b>Friday</b>"), ("pace", "100")];
    let started = browser.post("/console/unsent?error=tls_failed&status=failed", &asked).await?;
    assert_eq!(started.status(), StatusCode::SEE_OTHER);
    let path = started.headers()[header::LOCATION].to_str()?.to_owned();
    let again = [("count", "1001"), ("name", "after <b>Friday</b>")];
    let taken = browser.post("/console/unsent?status=failed", &again).await?;
    assert_eq!(taken.status(), StatusCode::CONFLICT);
    let page = taken.text().await?;
    for kept in [
        "name=\"name\" value=\"after &lt;b&gt;Friday&lt;/b&gt;\"",
        "required value=\"1001\"",
        "<option value=\"failed\" selected>",
        "`after &lt;b&gt;Friday&lt;/b&gt; (2)` is free",
        "Nothing was done.",
        "<nav aria-label=\"Pages\">",
    ] {
        assert!(page.contains(kept), "{kept}: {page}");
    }
    let resent = "SELECT count(*) FROM deliveries WHERE trigger = 'resend'";
    assert_eq!(world.count(resent).await?, 0, "the button starts, and sends nothing itself");
    assert!(browser.get(&path).await?.1.contains("Nothing was sent yet: a scheduler begins within seconds"));
    scheduler::advance_bulk_operations::run_once(&world.process).await?;
    let (_, page) = browser.get(&path).await?;
    assert!(
        page.contains("What receivers answer to what was sent stands with <a href=\"/console/deliveries\">"),
        "{page}"
    );
    assert!(["after &lt;b&gt;Friday", "Stop it", "100 a second"].iter().all(|told| page.contains(told)), "{page}");
    let of_all = "of <span class=\"number\">1001</span>";
    assert!(page.contains(&format!(">100</span> sent {of_all}")), "{page}");
    let reads = signed_in(&world, BO).await?;
    assert!(!reads.get(&path).await?.1.contains("Stop it"), "who only reads can't stop it");
    assert_eq!(reads.post(&path, &[]).await?.status(), StatusCode::FORBIDDEN);

    assert_eq!(browser.post(&path, &[]).await?.status(), StatusCode::SEE_OTHER);
    scheduler::advance_bulk_operations::run_once(&world.process).await?;
    assert_eq!(world.count(resent).await?, 100, "what it had sent stays sent, and nothing more is");
    the_rest_of_it_is_one_click_away(&world, &browser, &path).await?;
    let id = path.rsplit('/').next().unwrap_or_default();
    let told: Vec<String> = log(&anna).await?.into_iter().filter(|row| !row.starts_with("console.")).collect();
    assert_eq!(told, [format!("bulk.start {id}"), format!("bulk.stop {id}")]);
    world.end().await
}

/// Follows the link of an operation of 1,001 deliveries that was stopped after a hundred.
async fn the_rest_of_it_is_one_click_away(world: &World, browser: &Browser, path: &str) -> anyhow::Result<()> {
    let (_, page) = browser.get(path).await?;
    let rest = page.split_once("The rest can be done by another operation: <a href=\"").unwrap_or_default().1;
    let left = rest.split('"').next().unwrap_or_default().replace("&amp;", "&");
    assert!(left.contains("status=failed&error=tls_failed"), "what was asked for: {page}");
    let (_, counted) = browser.get(&left).await?;
    assert!(counted.contains("<b>901</b> deliveries to <b>1</b> endpoint failed"), "{left}: {counted}");
    let (_, list) = browser.get("/console/bulk?state=stopped").await?;
    assert!(list.contains(path) && list.contains("of <span class=\"number\">1001</span>"), "{list}");
    assert!(!browser.get("/console/bulk?state=running").await?.1.contains(path));
    sqlx::query("UPDATE bulk_operations SET skipped = 400").execute(world.pool()).await?;
    for place in ["/console/bulk", path] {
        let (_, page) = browser.get(place).await?;
        let told =
            ">100</span> sent and <span class=\"number\">400</span> skipped of <span class=\"number\">1001</span>";
        assert!(page.contains(told), "{place}: {page}");
    }
    sqlx::query("UPDATE bulk_operations SET skipped = 901").execute(world.pool()).await?;
    assert!(!browser.get(path).await?.1.contains("The rest can be done"), "nothing is left");
    Ok(())
}

#[tokio::test]
async fn whatever_a_page_asks_before_it_changes_something_a_command_and_a_tool_do_too() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let (receiver, tenant) = (Receiver::start()?, world.tenant("a").await?);
    world.can_run(&[Read::Beats]).await?;
    let item = world.item(&tenant, Media::audio(60)).await?;
    let cancelled = tenant.client.prepare(&[item], &["beats"]).await?.job_ids()?.remove(0);
    done(&anna, "POST", &format!("/operator/jobs/{cancelled}/cancel"), &json!({}), 202).await?;
    let Traces { job, delivery, endpoint, .. } = traces(&world, &tenant, &receiver).await?;
    let (browser, reads) = (signed_in(&world, ANNA).await?, signed_in(&world, BO).await?);
    let asked = json!({ "name": "a", "kind": "resend_deliveries", "since": "2001-01-01T00:00:00Z" });
    let bulk = text(&done(&anna, "POST", "/operator/bulk-operations", &asked, 202).await?, "/id");
    let asking = [
        (format!("jobs/{cancelled}/retry"), format!("mws admin jobs retry {cancelled}"), "retry_job"),
        // It is a call of the account's own tool (decision 511), so it is at `/mcp` with the account's key.
        (format!("jobs/{cancelled}/change"), "mws tools call prepare_media --input -".to_owned(), "prepare_media"),
        (format!("jobs/{job}/cancel"), format!("mws admin jobs cancel {job}"), "cancel_job"),
        ("rerun".into(), "mws admin jobs list --status failed --since 24h --all --ids | xargs".into(), "retry_job"),
        (format!("deliveries/{delivery}/resend"), format!("mws admin deliveries resend {delivery}"), "resend_delivery"),
        (format!("endpoints/{endpoint}/change"), format!("mws admin webhooks disable {endpoint}"), "update_webhook"),
        (format!("endpoints/{endpoint}/ping"), format!("mws admin webhooks ping {endpoint}"), "update_webhook"),
        ("unsent".into(), "mws admin deliveries resend --since 24h --dry-run".into(), "resend_deliveries"),
        (format!("bulk/{bulk}"), format!("mws admin bulk stop {bulk}"), "stop_bulk_operation"),
        (
            format!("accounts/{}/portal", tenant.account),
            format!("mws admin accounts portal {}", tenant.account),
            "create_portal_link",
        ),
        ("reads/levels".into(), "mws admin reads pause levels".to_owned(), "update_read"),
    ];
    let mut offered = tools(&anna).await?;
    let listed = tenant.client.send("GET", "/tools", &[], None).await?;
    let of_accounts = listed.json["data"].as_array().cloned().unwrap_or_default();
    offered.extend(of_accounts.iter().map(|tool| text(tool, "/name")));
    for (page, command, tool) in &asking {
        assert!(offered.iter().any(|name| name == tool), "{page}: no tool does it");
        let (status, shown) = browser.get(&format!("/console/{page}")).await?;
        assert!(status == StatusCode::OK && shown.contains(command), "{page}: {shown}");
        let refused = reads.post(&format!("/console/{page}"), &[]).await?.status();
        assert_eq!(refused, StatusCode::FORBIDDEN, "{page}: who only reads presses no button");
    }
    // Whoever adds a form that changes something adds its command and its tool here.
    let routes =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../api/src/resources/console/mod.rs"))?;
    assert_eq!(routes.matches(".post(act(").count(), asking.len());
    world.end().await
}

#[tokio::test]
async fn running_again_is_offered_where_it_can_be_done_and_else_the_page_says_why_not() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::audio(60)).await?;
    world.can_run(&[Read::Levels]).await?;
    let first = tenant.client.prepare(&[item], &["levels"]).await?.job_ids()?.remove(0);
    let browser = signed_in(&world, ANNA).await?;
    let (page, button) = (|job: &str| format!("/console/jobs/{job}"), "<button>Run again</button>");
    let again = |job: &str| format!("/console/jobs/{job}/retry");
    let (_, asks) = browser.get(&again(&first)).await?;
    assert!(asks.contains("It has not ended") && !asks.contains(button), "{asks}");
    done(&anna, "POST", &format!("/operator/jobs/{first}/cancel"), &json!({}), 202).await?;
    let (_, asks) = browser.get(&again(&first)).await?;
    assert!(asks.contains(button) && asks.contains("mws admin jobs retry"), "{asks}");

    world.work(runners::instant()).await?;
    let second = tenant.client.prepare(&[item], &["levels"]).await?.job_ids()?.remove(0);
    tenant.client.reaches(&second, "succeeded").await?;
    let instead = format!("/console/items/{item}");
    for job in [&first, &second] {
        for path in [page(job), again(job)] {
            let (status, shown) = browser.get(&path).await?;
            assert!(status == StatusCode::OK && shown.contains("What it computes is stored"), "{path}: {shown}");
            assert!(shown.contains(&instead) && !shown.contains(button) && !shown.contains("Run again…"), "{shown}");
        }
    }
    let pressed = browser.post(&again(&first), &[]).await?;
    assert_eq!(pressed.status(), StatusCode::OK);
    let shown = pressed.text().await?;
    assert!(shown.contains("Nothing was started") && shown.contains("What it computes is stored"), "{shown}");
    assert_eq!(browser.post(&again(&second), &[]).await?.status(), StatusCode::CONFLICT);
    let deleted = tenant.client.send("DELETE", &format!("/library/items/{item}"), &[], None).await?;
    assert_eq!(deleted.status, 200, "{}", deleted.text);
    assert!(browser.get(&page(&first)).await?.1.contains("Its item was deleted"));
    world.end().await
}

#[tokio::test]
async fn an_endpoint_is_disabled_enabled_and_pinged_on_its_page_by_who_may() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let (receiver, tenant) = (Receiver::start()?, world.tenant("a").await?);
    world.work(runners::instant()).await?;
    let endpoint = world.endpoint(&tenant, &receiver.url).await?;
    let (acts, reads) = (signed_in(&world, ANNA).await?, signed_in(&world, BO).await?);
    let page = format!("/console/endpoints/{endpoint}");
    let (change, ping) = (format!("{page}/change"), format!("{page}/ping"));
    assert!(!reads.get(&page).await?.1.contains("Disable…"), "who only reads is not shown it");
    assert_eq!(reads.post(&change, &[("enabled", "no")]).await?.status(), StatusCode::FORBIDDEN);
    assert_eq!(reads.post(&ping, &[]).await?.status(), StatusCode::FORBIDDEN);
    let elsewhere = acts.form(&ping, &[]).header(header::ORIGIN, "https://elsewhere.example").send().await?;
    assert_eq!(elsewhere.status(), StatusCode::FORBIDDEN);
    assert_eq!(acts.post(&change, &[("enabled", "perhaps")]).await?.status(), StatusCode::BAD_REQUEST);
    assert_eq!(log(&anna).await?.iter().filter(|row| row.starts_with("webhook.")).count(), 0);

    let skipped = format!("/console/unsent?endpoint_id={endpoint}&amp;status=skipped&amp;since=");
    for (asked, said, next) in [("no", "It is disabled", "Enable…"), ("yes", "It is enabled", "Disable…")] {
        let changed = acts.post(&change, &[("enabled", asked)]).await?;
        assert_eq!(changed.status(), StatusCode::SEE_OTHER);
        let to = changed.headers()[header::LOCATION].to_str()?.to_owned();
        let (_, shown) = acts.get(&to).await?;
        assert!(shown.contains(said) && shown.contains(next), "{shown}");
        assert_eq!(shown.contains(&skipped), asked == "yes", "{shown}");
        if let Some((_, since)) = to.split_once("since=") {
            let early = sqlx::query_scalar::<_, bool>("SELECT $1::timestamptz < mws_now() - interval '2 days'");
            assert!(early.bind(since).fetch_one(world.pool()).await?, "what waited for an attempt is among it: {to}");
        }
    }
    let pinged = acts.post(&ping, &[]).await?;
    assert_eq!(pinged.status(), StatusCode::SEE_OTHER);
    assert!(acts.get(pinged.headers()[header::LOCATION].to_str()?).await?.1.contains("this is its delivery"));
    assert_eq!(receiver.gets(1).await?[0].json()["type"], "ping");
    let did: Vec<String> = log(&anna).await?.into_iter().filter(|row| !row.starts_with("console.")).collect();
    assert_eq!(did, ["disable", "enable", "ping"].map(|verb| format!("webhook.{verb} {endpoint}")));
    let removed = tenant.client.send("DELETE", &format!("/webhooks/{endpoint}"), &[], None).await?;
    assert_eq!(removed.status, 200);
    let (status, shown) = acts.get(&page).await?;
    assert!(status == StatusCode::OK && !shown.contains("Enable…") && !shown.contains("Send a ping…"), "{shown}");
    assert_eq!(acts.get(&change).await?.0, StatusCode::NOT_FOUND);
    world.end().await
}

#[tokio::test]
async fn a_delivery_whose_endpoint_was_removed_says_so_and_has_no_button_to_send_it_again() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let tenant = world.tenant("a").await?;
    let endpoint = world.endpoint(&tenant, "http://127.0.0.1:9/a").await?;
    deliveries(&world, &tenant, endpoint, &[("failed", "connect_failed")]).await?;
    let delivery: DeliveryId = sqlx::query_scalar("SELECT id FROM deliveries WHERE endpoint_id = $1")
        .bind(endpoint)
        .fetch_one(world.pool())
        .await?;
    let browser = signed_in(&world, ANNA).await?;
    let page = format!("/console/deliveries/{delivery}");
    let again = format!("{page}/resend");
    let (button, asks) = ("<button>Send again</button>", "Send again…");
    assert!(browser.get(&page).await?.1.contains(asks) && browser.get(&again).await?.1.contains(button));

    let removed = tenant.client.send("DELETE", &format!("/webhooks/{endpoint}"), &[], None).await?;
    assert_eq!(removed.status, 200, "{}", removed.text);
    let pressed = browser.post(&again, &[]).await?;
    let pressed = (pressed.status(), pressed.text().await?);
    for (status, shown) in [browser.get(&page).await?, browser.get(&again).await?, pressed] {
        assert!(status == StatusCode::OK && shown.contains("The endpoint was removed <time"), "{status}: {shown}");
        assert!(shown.contains("can't be sent again"), "{shown}");
        assert!(!shown.contains(button) && !shown.contains(asks) && !shown.contains("deliveries resend"), "{shown}");
    }
    assert_eq!(world.count("SELECT count(*) FROM deliveries WHERE trigger = 'resend'").await?, 0);
    assert!(!log(&anna).await?.iter().any(|row| row.starts_with("delivery.resend")));
    world.end().await
}

#[tokio::test]
async fn a_name_that_an_operation_has_is_offered_with_a_number_and_what_is_refused_leads_back() -> anyhow::Result<()> {
    let (world, _) = stage().await?;
    let tenant = world.tenant("a").await?;
    let endpoint = world.endpoint(&tenant, "http://127.0.0.1:9/a").await?;
    deliveries(&world, &tenant, endpoint, &vec![("failed", "tls_failed"); 1_001]).await?;
    let browser = signed_in(&world, ANNA).await?;
    let (_, page) = browser.get("/console/bulk").await?;
    assert!(page.contains("There are none yet.") && page.contains("Times are UTC"), "{page}");
    let (_, page) = browser.get("/console/bulk?state=running").await?;
    assert!(page.contains("There are no bulk operations like this. <a href=\"/console/bulk\">Show all</a>"), "{page}");
    let (_, page) = browser.get("/console/unsent").await?;
    // The form's link has the times of the count, and its field the name that goes by them.
    let value = |page: &str, start: &str| -> String {
        let found = page.split_once(start).and_then(|(_, rest)| rest.split('"').next());
        found.unwrap_or_default().replace("&amp;", "&")
    };
    let link = format!("/console/unsent?{}", value(&page, "action=\"/console/unsent?"));
    let offered = |page: &str| value(page, "name=\"name\" value=\"");
    let usual = offered(&page);
    assert!(usual.starts_with("What did not arrive from ") && !usual.ends_with(')'), "{page}");
    let started = browser.post(&link, &[("count", "1001"), ("name", &usual)]).await?;
    assert_eq!(started.status(), StatusCode::SEE_OTHER);

    let other = format!("{link}&status=failed");
    let (_, page) = browser.get(&other).await?;
    assert_eq!(offered(&page), format!("{usual} (2)"), "{page}");
    let taken = browser.post(&other, &[("count", "1001"), ("name", &usual)]).await?;
    assert_eq!(taken.status(), StatusCode::CONFLICT);
    let page = taken.text().await?;
    assert!(page.contains(&format!("`{usual} (2)` is free")) && offered(&page) == usual, "{page}");
    let beside = page.split("id=\"name\"").nth(1).and_then(|rest| rest.split("<label").next()).unwrap_or_default();
    assert!(beside.contains("aria-invalid=\"true\"") && beside.contains("is free"), "beside the name: {page}");
    assert!(!page.split("id=\"count\"").nth(1).unwrap_or_default().contains("aria-invalid"), "{page}");
    let second = browser.post(&other, &[("count", "1001"), ("name", &format!("{usual} (2)"))]).await?;
    assert_eq!(second.status(), StatusCode::SEE_OTHER);
    assert_eq!(world.count("SELECT count(*) FROM bulk_operations").await?, 2);

    let mistyped = browser.post(&link, &[("count", "1"), ("name", "three")]).await?.text().await?;
    let form = format!("<form method=\"post\" action=\"{}\">", link.replace('&', "&amp;"));
    assert!(mistyped.contains(&form) && offered(&mistyped) == "three", "{mistyped}");
    assert!(mistyped.contains("required value=\"1\" aria-invalid=\"true\""), "{mistyped}");
    assert!(mistyped.contains("1001 match now: type this number"), "{mistyped}");
    let odd = browser.post(&link, &[("count", "1001"), ("name", "a\u{7}b")]).await?;
    assert_eq!(odd.status(), StatusCode::BAD_REQUEST);
    let odd = odd.text().await?;
    assert!(odd.contains("no control characters") && odd.contains("required value=\"1001\""), "{odd}");
    let (_, page) = browser.get("/console/unsent?colour=red").await?;
    assert!(page.contains("<a href=\"/console/unsent\">The same without these filters</a>"), "{page}");
    world.end().await
}
