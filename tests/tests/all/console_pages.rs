//! What the operators' pages tell: where they refuse, why a job waits, who disabled an endpoint, and on a phone.

use crate::console::signed_in;
use crate::operators::{ANNA, BO, done, stage};
use crate::portal;
use domain::ids::DeliveryId;
use domain::read::Read;
use mws_tests::world::{Browser, Media, Receiver, runners, until};
use reqwest::{Method, RequestBuilder, StatusCode, header};
use serde_json::{Value, json};

#[tokio::test]
async fn a_page_that_refuses_has_the_navigation_and_says_what_an_operator_can_do() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let tenant = world.tenant("a").await?;
    let endpoint = world.endpoint(&tenant, "http://127.0.0.1:9/a").await?;
    let (acts, reads) = (signed_in(&world, ANNA).await?, signed_in(&world, BO).await?);
    let suspend = format!("/operator/accounts/{}/suspend", tenant.account);
    done(&anna, "POST", &suspend, &json!({ "reason": "Unpaid." }), 200).await?;
    let ping = format!("/console/endpoints/{endpoint}/ping");
    let own = |form: RequestBuilder| form.header(header::ORIGIN, world.base_url());
    let get = |browser: &Browser, path: &str| browser.request(Method::GET, path);
    for (asked, path, status, helps) in [
        (
            get(&acts, "/console/jobs/job_01J00000000000000000000000"),
            "a job",
            StatusCode::NOT_FOUND,
            "in the box above",
        ),
        (get(&acts, "/console/nothing/at/all"), "nothing", StatusCode::NOT_FOUND, "The links above lead"),
        (get(&acts, "/console/jobs?colour=red"), "a filter", StatusCode::BAD_REQUEST, "correct what the message names"),
        (get(&acts, "/console/jobs?cursor=x"), "a cursor", StatusCode::BAD_REQUEST, "Open the list anew"),
        (get(&reads, "/console/reads/levels"), "a role", StatusCode::FORBIDDEN, "MWS_OPERATOR_TOKENS"),
        (acts.form(&ping, &[]), "a foreign form", StatusCode::FORBIDDEN, "press its own button"),
        (own(acts.form(&ping, &[])), "a ping", StatusCode::CONFLICT, "how things stand now"),
    ] {
        let answer = asked.header("x-request-id", "req-seen-on-the-page").send().await?;
        assert_eq!(answer.status(), status, "{path}");
        let page = answer.text().await?;
        for words in [helps, "<nav aria-label=\"Pages\">", "Find by id", "req-seen-on-the-page", "Times are UTC"] {
            assert!(page.contains(words), "{path}: {words}: {page}");
        }
        for customers in ["GET /", "POST /", "get_jobs", "/openapi.json"] {
            assert!(!page.contains(customers), "{path}: {customers}: {page}");
        }
    }
    let nobody = Browser::new(&world)?.post("/console/reads/levels", &[("paused", "yes")]).await?;
    assert_eq!(nobody.status(), StatusCode::UNAUTHORIZED);
    let page = nobody.text().await?;
    assert!(page.contains("was not done") && !page.contains("<nav"), "{page}");
    assert!(!Browser::new(&world)?.get("/console").await?.1.contains("not done"), "nothing was asked for");
    world.end().await
}

#[tokio::test]
async fn a_filter_that_is_wrong_is_marked_and_all_that_was_given_stays() -> anyhow::Result<()> {
    let (world, _) = stage().await?;
    let browser = signed_in(&world, ANNA).await?;
    let time = "expected a time such as 2026-11-20T09:30:00Z";
    for (path, given, wrong, said) in [
        ("jobs", "status=failed&error_code=no_audio&since=yesterday", "since", time),
        ("jobs", "read=levels&until=noon", "until", time),
        ("jobs", "status=lost&error_code=no_audio", "status", "`lost` is none that there is"),
        ("deliveries", "error=timeout&since=yesterday&until=2026-11-20T09:30:00Z", "since", time),
        ("deliveries", "error=timeout&http_status=99", "http_status", "`99` is none that there is"),
        ("unsent", "error=timeout&status=skipped&since=yesterday", "since", time),
        ("unsent", "error=timeout&until=noon", "until", time),
        ("rerun", "error_code=no_audio&since=yesterday", "since", time),
        ("endpoints", "account_id=acc_x", "account_id", "`account_id`"),
        ("items", "workspace_id=acc_x", "workspace_id", "`workspace_id`"),
        ("bulk", "state=odd", "state", "`odd` is none that there is"),
    ] {
        let (status, page) = browser.get(&format!("/console/{path}?{given}")).await?;
        assert!(status == StatusCode::BAD_REQUEST && page.contains(said), "{path}?{given}: {status} {page}");
        assert!(page.contains("Nothing was looked for") && !page.contains("id=\"rows\""), "{path}: {page}");
        let form = page.split("<form class=\"filters\"").nth(1).and_then(|rest| rest.split("</form>").next());
        let form = form.unwrap_or_default();
        for (name, value) in given.split('&').filter_map(|pair| pair.split_once('=')) {
            let field = form.split(&format!("id=\"f-{name}\"")).nth(1).and_then(|rest| rest.split("</div>").next());
            let field = field.unwrap_or_default();
            let there = [format!(" value=\"{value}\""), format!("<option value=\"{value}\" selected>")];
            assert!(there.iter().any(|there| field.contains(there)), "{path}: {name}: {form}");
            assert_eq!(field.contains("aria-invalid=\"true\""), name == wrong, "{path}: {name}: {form}");
        }
        assert_eq!(form.matches("not understood").count(), 1, "{path}: {form}");
    }
    let both = "account_id=acc_01J00000000000000000000000&item_id=itm_01J00000000000000000000000";
    let (_, page) = browser.get(&format!("/console/jobs?{both}")).await?;
    assert!(page.contains("Give one of account, workspace and item.") && page.contains("value=\"itm_01J"), "{page}");
    world.end().await
}

#[tokio::test]
async fn a_job_of_a_paused_read_says_so_in_the_list_and_on_its_page() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::audio(60)).await?;
    sqlx::query(
        "INSERT INTO workers (name, host, service, version, reads) VALUES ('w', 'h', 'worker', '1', '{levels}')",
    )
    .execute(world.pool())
    .await?;
    let job = tenant.client.prepare(&[item], &["levels"]).await?.job_ids()?.remove(0);
    let browser = signed_in(&world, ANNA).await?;
    let (list, page) = ("/console/jobs", format!("/console/jobs/{job}"));
    let words = "Its read is paused";
    let (_, shown) = browser.get(list).await?;
    assert!(shown.contains("free slot of a worker") && !shown.contains(words), "{shown}");

    done(&anna, "PATCH", "/operator/reads/levels", &json!({ "paused": true }), 200).await?;
    assert!(browser.get(list).await?.1.contains(words));
    let (_, shown) = browser.get(&page).await?;
    for words in ["Why it waits", words, "mws admin reads resume levels"] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    let customer = portal::at(&world, &portal::link(&tenant.client, json!({})).await?).await?;
    assert!(customer.get("/portal/jobs").await?.1.contains(words), "its account is told");
    assert!(customer.get(&format!("/portal/jobs/{job}")).await?.1.contains("Why it waits"));

    done(&anna, "PATCH", "/operator/reads/levels", &json!({ "paused": false }), 200).await?;
    for path in [list, page.as_str()] {
        assert!(!browser.get(path).await?.1.contains(words), "{path}");
    }
    sqlx::query("DELETE FROM workers").execute(world.pool()).await?;
    let (_, shown) = browser.get(&page).await?;
    assert!(shown.contains("No worker that lives") && shown.contains("mws doctor --only engines"), "{shown}");
    world.end().await
}

#[tokio::test]
async fn an_endpoint_that_an_operator_disabled_is_told_of_as_theirs() -> anyhow::Result<()> {
    let (world, _) = stage().await?;
    let tenant = world.tenant("a").await?;
    let endpoint = world.endpoint(&tenant, "http://127.0.0.1:9/a").await?;
    let browser = signed_in(&world, ANNA).await?;
    let customer = portal::at(&world, &portal::link(&tenant.client, json!({})).await?).await?;
    let (page, own) = (format!("/console/endpoints/{endpoint}"), format!("/portal/webhooks/{endpoint}"));
    let words = "the operators of this service disabled it";
    for (disables, reason, is_operators) in [("operator", "operator", true), ("owner", "user", false)] {
        if is_operators {
            let changed = browser.post(&format!("{page}/change"), &[("enabled", "no")]).await?;
            assert_eq!(changed.status(), StatusCode::SEE_OTHER);
        } else {
            assert_eq!(customer.post(&own, &[("do", "pause")]).await?.status(), StatusCode::SEE_OTHER);
        }
        for path in [page.as_str(), "/console/endpoints"] {
            let (_, shown) = browser.get(path).await?;
            assert!(shown.contains(&format!("<span class=\"soft\">{reason}</span>")), "{disables}: {shown}");
        }
        let document = format!("&quot;disabled_reason&quot;: &quot;{reason}&quot;");
        assert!(browser.get(&page).await?.1.contains(&document), "{disables}: its JSON");
        for path in [own.as_str(), "/portal/webhooks"] {
            let (_, shown) = customer.get(path).await?;
            assert_eq!(shown.contains(words), is_operators, "{disables}, {path}: {shown}");
            assert_eq!(shown.contains("it was paused here"), !is_operators, "{disables}, {path}: {shown}");
        }
        assert_eq!(customer.post(&own, &[("do", "enable")]).await?.status(), StatusCode::SEE_OTHER);
    }
    // One that its owner has paused is kept disabled by a form of its own.
    assert_eq!(customer.post(&own, &[("do", "pause")]).await?.status(), StatusCode::SEE_OTHER);
    let keep = format!("{page}/change?to=disabled");
    assert!(browser.get(&page).await?.1.contains(&keep), "{keep}");
    let (_, asks) = browser.get(&keep).await?;
    assert!(asks.contains("Keep it disabled?") && asks.contains("name=\"enabled\" value=\"no\""), "{asks}");
    let kept = browser.post(&keep, &[("enabled", "no")]).await?;
    let (_, shown) = browser.get(kept.headers()[header::LOCATION].to_str()?).await?;
    assert!(shown.contains("It is disabled by operators") && !shown.contains(&keep), "{shown}");
    assert!(customer.get(&own).await?.1.contains(words), "its owner is told");
    world.end().await
}

#[tokio::test]
async fn what_narrow_windows_have_no_column_for_stands_in_another_cell_there() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let tenant = world.tenant("a").await?;
    let account = tenant.account;
    done(&anna, "PATCH", "/operator/reads/levels", &json!({ "paused": true }), 200).await?;
    done(&anna, "PATCH", "/operator/reads/levels", &json!({ "paused": false }), 200).await?;
    let bought = json!({ "kind": "purchase", "minutes": 5, "reference": "INV-7", "note": "By invoice." });
    done(&anna, "POST", &format!("/operator/accounts/{account}/minutes"), &bought, 200).await?;
    let browser = signed_in(&world, ANNA).await?;
    let below =
        |window: &str, title: &str| format!("<div class=\"instead {window}\"><span class=\"soft\">{title}: </span>");
    let (_, audit) = browser.get("/console/audit?action=read.pause").await?;
    for words in [format!("{}levels</div>", below("medium", "To what")), below("medium", "Before and after")] {
        assert!(audit.contains(&words), "{words}: {audit}");
    }
    let (_, statement) = browser.get(&format!("/console/accounts/{account}/minutes")).await?;
    for words in [
        format!("{}INV-7</div>", below("medium", "About")),
        below("medium", "Left of the month"),
        format!("{}<span class=\"number\">+5", below("wide", "Changes bought by")),
        format!("{}By invoice.</div>", below("wide", "Note")),
    ] {
        assert!(statement.contains(&words), "{words}: {statement}");
    }
    let customer = portal::at(&world, &portal::link(&tenant.client, json!({})).await?).await?;
    let (_, statement) = customer.get("/portal/usage/statement").await?;
    for words in [format!("{}INV-7</div>", below("medium", "About")), below("medium", "Bought minutes")] {
        assert!(statement.contains(&words), "{words}: {statement}");
    }
    world.end().await
}

#[tokio::test]
async fn a_delivery_that_was_sent_again_stands_beside_the_one_before() -> anyhow::Result<()> {
    let (world, _) = stage().await?;
    let (receiver, tenant) = (Receiver::start()?, world.tenant("a").await?);
    receiver.answer(500);
    world.work(runners::instant()).await?;
    world.endpoint(&tenant, &format!("{}/hook", receiver.url)).await?;
    let item = world.item(&tenant, Media::audio(60)).await?;
    tenant.client.prepare(&[item], &["levels"]).await?.data()?;
    let failed = "SELECT id FROM deliveries WHERE attempt_count > 0 AND error IS NOT NULL";
    let first: DeliveryId =
        until("it has failed", async || Ok(sqlx::query_scalar(failed).fetch_optional(world.pool()).await?)).await?;
    let browser = signed_in(&world, ANNA).await?;
    let (_, page) = browser.get(&format!("/console/deliveries/{first}")).await?;
    assert!(!page.contains("Before and this time"), "it repeats none: {page}");

    receiver.answer(200);
    let sent = browser.post(&format!("/console/deliveries/{first}/resend"), &[]).await?;
    assert_eq!(sent.status(), StatusCode::SEE_OTHER);
    let arrived = "SELECT id FROM deliveries WHERE status = 'succeeded'";
    let second: DeliveryId =
        until("it has arrived", async || Ok(sqlx::query_scalar(arrived).fetch_optional(world.pool()).await?)).await?;
    let (_, page) = browser.get(&format!("/console/deliveries/{second}")).await?;
    for words in ["It failed before, and arrived this time.", "> failed</span> 500", "> succeeded</span> 200"] {
        assert!(page.contains(words), "{words}: {page}");
    }
    assert!(page.contains("How a receiver verifies it") && page.contains("hmac.compare_digest("), "{page}");
    assert!(page.contains("HTTP/1.1 200\n") && page.contains("content-length: 5\n"), "what it answered: {page}");
    let document = format!("&quot;resend_of&quot;: &quot;{first}&quot;");
    assert!(page.contains(&document), "its JSON: {page}");
    assert!(page.contains("Both send the same ") && page.contains(&first.to_string()), "{page}");
    assert!(!page.contains("How the answer changed"), "each time it was the same: {page}");

    let told = "UPDATE delivery_attempts SET response_excerpt = '{\"ok\":false}' WHERE delivery_id = $1";
    sqlx::query(told).bind(first).execute(world.pool()).await?;
    let again = "INSERT INTO delivery_attempts
             (delivery_id, claim_no, attempt, counted, worker, at, duration_ms, response_status, response_excerpt)
         SELECT delivery_id, claim_no + 1, 2, false, worker, at, 1, 200, 'heard <twice>' FROM delivery_attempts
         WHERE delivery_id = $1";
    sqlx::query(again).bind(second).execute(world.pool()).await?;
    let (_, page) = browser.get(&format!("/console/deliveries/{second}")).await?;
    // Against the delivery before, and at the second attempt against the first.
    assert_eq!(page.matches("How the answer changed").count(), 2, "{page}");
    for line in ["<del>− &quot;ok&quot;:false\n</del>", "<del>− heard\n</del>", "<ins>+ heard &lt;twice&gt;\n</ins>"]
    {
        assert!(page.contains(line), "{line}: {page}");
    }
    sqlx::query("DELETE FROM delivery_attempts WHERE response_excerpt LIKE '%twice%'").execute(world.pool()).await?;
    world.end().await
}

#[tokio::test]
async fn the_fleet_page_tells_of_an_upgrade_under_way_and_of_a_schema_that_is_older() -> anyhow::Result<()> {
    let (world, _) = stage().await?;
    let browser = signed_in(&world, BO).await?;
    let (_, page) = browser.get("/console/fleet").await?;
    assert!(page.contains("The schema is at migration") && !page.contains("releases run"), "{page}");
    let apis = "this process</span></td><td class=\"number\">1</td>";
    assert!(page.contains(apis), "the api that draws it counts itself: {page}");
    sqlx::query("INSERT INTO workers (name, host, service, version) VALUES ('w', 'h', 'worker', '0.0.1')")
        .execute(world.pool())
        .await?;
    let (_, page) = browser.get("/console/fleet").await?;
    assert!(page.contains("Processes of 2 releases run") && page.contains("0.0.1"), "{page}");
    // As a release finds it whose newest migration was not applied.
    sqlx::query("UPDATE _sqlx_migrations SET success = version < 124").execute(world.pool()).await?;
    let (_, page) = browser.get("/console/fleet").await?;
    assert!(page.contains(" not applied.") && page.contains("mws migrate"), "{page}");
    sqlx::query("UPDATE _sqlx_migrations SET success = true").execute(world.pool()).await?;
    world.end().await
}

#[tokio::test]
async fn a_read_is_live_where_a_worker_that_lives_can_run_it_and_else_has_no_worker() -> anyhow::Result<()> {
    let (world, _) = stage().await?;
    // Whoever announced it has stopped.
    world.can_run(&[Read::Levels]).await?;
    let browser = signed_in(&world, BO).await?;
    let made =
        "INSERT INTO workers (name, host, service, version, reads) VALUES ('w', 'h', 'worker', '0.0.1', '{levels}')";
    let silent = "UPDATE workers SET beat_at = mws_now() - interval '31 seconds'";
    let held = "UPDATE read_kinds SET paused_at = mws_now() WHERE read = 'levels'";
    let (none, live, paused) = (("warn", "!", "no worker"), ("good", "✓", "live"), ("warn", "!", "paused"));
    for (change, (class, mark, word)) in [("SELECT 1", none), (made, live), (silent, none), (held, paused)] {
        sqlx::query(change).execute(world.pool()).await?;
        let state = format!("<td><span class=\"state {class}\"><span aria-hidden=\"true\">{mark}</span> {word}</span>");
        for (path, levels) in [("/console", "levels</a></td>"), ("/console/fleet", "<td>levels</td>")] {
            let (_, page) = browser.get(path).await?;
            assert!(page.contains(&format!("{levels}{state}")), "{path} after {change}: {word}: {page}");
        }
    }
    world.end().await
}

#[tokio::test]
async fn the_box_leads_from_an_upload_to_its_item() -> anyhow::Result<()> {
    let (world, _) = stage().await?;
    let tenant = world.tenant("a").await?;
    let made = tenant.client.announce(4, &json!({})).await?;
    let browser = signed_in(&world, BO).await?;
    let upload = made["id"].as_str().unwrap_or_default();
    let answer = browser.request(Method::GET, &format!("/console/find?id={upload}")).send().await?;
    assert_eq!(answer.status(), StatusCode::SEE_OTHER);
    let item = made["item_id"].as_str().unwrap_or_default();
    assert_eq!(answer.headers()[header::LOCATION], format!("/console/items/{item}"));
    let (status, page) = browser.get("/console/find?id=upl_01J00000000000000000000000").await?;
    assert!(status == StatusCode::OK && page.contains("Nothing was found"), "{page}");
    world.end().await
}

#[tokio::test]
async fn an_account_and_a_bulk_operation_are_shown_as_programs_see_them_too() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let tenant = world.tenant("a").await?;
    let asked = json!({ "name": "a", "kind": "resend_deliveries", "since": "2001-01-01T00:00:00Z" });
    let made = done(&anna, "POST", "/operator/bulk-operations", &asked, 202).await?;
    let browser = signed_in(&world, BO).await?;
    for (page, answer) in [
        (format!("accounts/{}", tenant.account), "unpaid_processor"),
        (format!("bulk/{}", made["id"].as_str().unwrap_or_default()), "resend_deliveries"),
    ] {
        let (status, shown) = browser.get(&format!("/console/{page}")).await?;
        assert!(status == StatusCode::OK && shown.contains(&format!("&quot;{answer}&quot;")), "{page}: {shown}");
    }
    world.end().await
}

#[tokio::test]
async fn a_jobs_life_is_there_as_json_with_the_amounts_that_add_up() -> anyhow::Result<()> {
    let (world, _) = stage().await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::audio(60)).await?;
    let job = tenant.client.prepare(&[item], &["levels"]).await?.job_ids()?.remove(0);
    let browser = signed_in(&world, ANNA).await?;
    let path = format!("/console/jobs/{job}");
    let life = async || -> anyhow::Result<Value> {
        let (status, life) = browser.get(&format!("{path}?format=json")).await?;
        anyhow::ensure!(status == StatusCode::OK, "{status}: {life}");
        Ok(serde_json::from_str(&life)?)
    };
    let live = life().await?;
    assert_eq!((&live["job_id"], live["held_minutes"].as_f64()), (&json!(job), Some(0.1)), "{live}");
    assert_eq!((&live["charged_minutes"], &live["adds_up"]), (&json!(null), &json!(true)), "{live}");
    world.work(runners::instant()).await?;
    tenant.client.reaches(&job, "succeeded").await?;
    let ended = life().await?;
    let amounts = ["held_minutes", "charged_minutes", "freed_minutes"].map(|name| ended[name].as_f64());
    assert_eq!((amounts, &ended["adds_up"]), ([Some(0.1), Some(0.1), Some(0.0)], &json!(true)), "{ended}");
    let steps = ended["steps"].as_array().cloned().unwrap_or_default();
    for (name, kind) in
        [("asked for by prepare_media", "moment"), ("waits for a worker", "waits"), ("claim 1", "succeeded")]
    {
        let is_there = |step: &&Value| step["name"].as_str().is_some_and(|own| own.starts_with(name));
        let step = steps.iter().find(is_there);
        assert!(step.is_some_and(|step| step["kind"] == kind && step["at"].is_string()), "{name}: {ended}");
    }
    let (_, page) = browser.get(&path).await?;
    assert!(page.contains(&format!("<a href=\"{path}?format=json\"")), "the page leads to it: {page}");
    world.end().await
}
