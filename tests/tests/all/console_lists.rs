//! The lists of the operators' pages: their rows as JSON, the jobs of a trace, and the entries of a statement that a
//! filter shows.

use crate::console::{signed_in, traces};
use crate::operators::{BO, done, get, stage, text};
use crate::plans;
use anyhow::Context;
use mws_tests::plans::{of_last, rows_read};
use mws_tests::world::{Browser, Media, Receiver, Tenant, World, runners};
use reqwest::{Method, StatusCode, header};
use serde_json::{Value, json};
use sqlx::Connection;
use std::collections::BTreeSet;
use store::jobs;
use store::journal::{self, EntryFilter};

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";

/// The rows of a page's list as JSON.
async fn rows(browser: &Browser, path: &str) -> anyhow::Result<Value> {
    let and = if path.contains('?') { '&' } else { '?' };
    let answer = browser.request(Method::GET, &format!("{path}{and}format=json")).send().await?;
    anyhow::ensure!(answer.status() == StatusCode::OK, "{path}: {}", answer.status());
    let kind = answer.headers()[header::CONTENT_TYPE].to_str()?.to_owned();
    anyhow::ensure!(kind.starts_with("application/json"), "{path} is {kind}");
    Ok(answer.json().await?)
}

#[tokio::test]
async fn the_rows_of_a_list_are_there_as_json_and_are_what_programs_get_with_the_same_filters() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let (receiver, tenant) = (Receiver::start()?, world.tenant("a").await?);
    let found = traces(&world, &tenant, &receiver).await?;
    for paused in [true, false] {
        done(&anna, "PATCH", "/operator/reads/levels", &json!({ "paused": paused }), 200).await?;
    }
    let asked = json!({ "name": "a", "kind": "resend_deliveries", "since": "2001-01-01T00:00:00Z" });
    done(&anna, "POST", "/operator/bulk-operations", &asked, 202).await?;
    let browser = signed_in(&world, BO).await?;
    for (list, route, filter) in [
        ("jobs", "jobs", "status=succeeded&read=levels".to_owned()),
        ("deliveries", "deliveries", format!("endpoint_id={}", found.endpoint)),
        ("endpoints", "webhooks", format!("account_id={}", tenant.account)),
        ("accounts", "accounts", "name=a".to_owned()),
        ("bulk", "bulk-operations", String::new()),
        ("audit", "audit", "action=read.pause".to_owned()),
    ] {
        let shown = rows(&browser, &format!("/console/{list}?{filter}")).await?;
        let programs = get(&anna, &format!("/operator/{route}?{filter}")).await?;
        assert_eq!(shown, programs, "{list}");
        assert_eq!(shown["data"].as_array().map(Vec::len), Some(1), "{list}: {shown:#}");
    }
    let endpoints = rows(&browser, "/console/endpoints").await?;
    assert_eq!((text(&endpoints, "/data/0/id"), text(&endpoints, "/data/1/id")), (found.endpoint, String::new()));
    let url = text(&endpoints, "/data/0/url");
    assert!(url.starts_with("http://127.0.0.1:"), "{endpoints:#}");
    assert!(browser.get("/console/endpoints").await?.1.contains(&url), "it is told as on the page: {url}");
    let items = rows(&browser, &format!("/console/items?workspace_id={}", tenant.workspace)).await?;
    let item = json!([items["data"][0]["status"], items["data"][0]["reads"], items["has_more"], items["next_cursor"]]);
    assert_eq!(item, json!(["ready", ["levels"], false, null]), "{items:#}");
    assert_eq!(rows(&browser, "/console/errors").await?["data"], json!([]), "nothing failed");

    let (_, page) = browser.get("/console/jobs?status=succeeded").await?;
    assert!(page.contains("href=\"/console/jobs?status=succeeded&amp;format=json\""), "{page}");
    let single = format!("/console/deliveries/{}?format=json", found.delivery);
    for path in ["/console/jobs?format=xml", "/console/jobs?format=json&colour=red", single.as_str()] {
        assert_eq!(browser.get(path).await?.0, StatusCode::BAD_REQUEST, "{path}");
    }
    assert_eq!(Browser::new(&world)?.get("/console/jobs?format=json").await?.0, StatusCode::UNAUTHORIZED);
    world.end().await
}

#[tokio::test]
async fn a_list_goes_on_by_the_cursor_of_its_json_here_and_over_the_interface() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let tenant = world.tenant("a").await?;
    let items = world.items(&tenant, 21, Media::audio(60)).await?;
    let (most, last) = items.split_at(20);
    for some in [most, last] {
        tenant.client.prepare(some, &["levels"]).await?.data()?;
    }
    let browser = signed_in(&world, BO).await?;
    let first = rows(&browser, "/console/jobs").await?;
    let cursor = text(&first, "/next_cursor");
    assert_eq!((first["data"].as_array().map(Vec::len), &first["has_more"]), (Some(20), &json!(true)));
    let second = rows(&browser, &format!("/console/jobs?cursor={cursor}")).await?;
    let programs = get(&anna, &format!("/operator/jobs?cursor={cursor}")).await?;
    let ids = |list: &Value| -> Vec<String> {
        list["data"].as_array().into_iter().flatten().map(|row| text(row, "/job/id")).collect()
    };
    assert_eq!((ids(&second).len(), ids(&second)), (1, ids(&programs)));
    assert!(!ids(&first).contains(&ids(&second)[0]), "{first:#}");
    world.end().await
}

/// Starts a read of a new item within a trace, and returns its job.
async fn started(world: &World, tenant: &Tenant, parent: &str) -> anyhow::Result<String> {
    let item = world.item(tenant, Media::audio(60)).await?;
    let body = json!({ "refs": [item], "reads": ["levels"] }).to_string();
    let answer = tenant.client.send("POST", "/tools/prepare_media", &[("traceparent", parent)], Some(body)).await?;
    answer.job_ids()?.pop().context("no job")
}

#[tokio::test]
async fn the_box_leads_from_a_trace_to_the_jobs_that_were_started_within_it() -> anyhow::Result<()> {
    let (world, _) = stage().await?;
    let (tenant, other) = (world.tenant("a").await?, world.tenant("b").await?);
    let parent = format!("00-{TRACE}-b7ad6b7169203331-01");
    let first = started(&world, &tenant, &parent).await?;
    let apart = started(&world, &tenant, "00-1bf7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01").await?;
    let browser = signed_in(&world, BO).await?;
    let find = |asked: &str| browser.request(Method::GET, &format!("/console/find?id={asked}"));
    // As a header is written in a log: with its name.
    let with_name = format!("Traceparent:%20{parent}");
    for asked in [TRACE, TRACE.to_uppercase().as_str(), parent.as_str(), with_name.as_str()] {
        let answer = find(asked).send().await?;
        assert_eq!(answer.status(), StatusCode::SEE_OTHER, "{asked}");
        assert_eq!(answer.headers()[header::LOCATION], format!("/console/jobs/{first}"), "{asked}");
    }
    let (_, own) = browser.get(&format!("/console/jobs/{first}")).await?;
    assert!(own.contains(&format!("href=\"/console/find?id={TRACE}\"")), "{own}");
    let second = started(&world, &other, &parent).await?;
    let page = find(TRACE).send().await?.text().await?;
    assert!(page.contains("Jobs of a trace") && page.contains(&first) && page.contains(&second), "{page}");
    assert!(!page.contains(&apart), "it is of another trace: {page}");
    let nothing = find("ffffffffffffffffffffffffffffffff").send().await?.text().await?;
    assert!(nothing.contains("Nothing was found"), "{nothing}");

    // Twenty to a page, as in other lists.
    let body = json!({ "refs": world.items(&tenant, 20, Media::audio(60)).await?, "reads": ["levels"] }).to_string();
    let answer =
        tenant.client.send("POST", "/tools/prepare_media", &[("traceparent", parent.as_str())], Some(body)).await?;
    assert_eq!(answer.job_ids()?.len(), 20);
    let page = find(TRACE).send().await?.text().await?;
    assert!(!page.contains(&first) && !page.contains(&second), "they are the oldest: {page}");
    let next = page.split("\" rel=\"next\"").next().and_then(|before| before.rsplit("href=\"").next());
    let older = next.context("no page after it")?.replace("&amp;", "&");
    let (_, page) = browser.get(&older).await?;
    assert!(page.contains(&first) && page.contains(&second) && !page.contains("rel=\"next\""), "{older}: {page}");
    let shown = rows(&browser, &older).await?;
    assert_eq!((shown["data"].as_array().map(Vec::len), &shown["has_more"]), (Some(2), &json!(false)), "{shown}");
    world.end().await
}

#[tokio::test]
async fn a_page_of_a_trace_reads_what_it_shows_however_many_jobs_the_trace_has() -> anyhow::Result<()> {
    let world = World::new().await?;
    plans::fill(world.pool(), 10_000).await?;
    let mut conn = world.pool().acquire().await?;
    // One call has some of them, and each other call one.
    let joined = "SET session_replication_role = replica;
        UPDATE jobs SET call_id = md5('call1')::uuid WHERE id IN (SELECT id FROM jobs ORDER BY id LIMIT 50);
        DELETE FROM calls WHERE NOT EXISTS (SELECT FROM jobs WHERE call_id = calls.id);
        RESET session_replication_role";
    sqlx::raw_sql(joined).execute(&mut *conn).await?;
    let traced = "UPDATE calls SET traceparent = '00-' || $1 || '-b7ad6b7169203331-01'";
    sqlx::query(traced).bind(TRACE).execute(&mut *conn).await?;
    sqlx::raw_sql("VACUUM ANALYZE calls, jobs").execute(&mut *conn).await?;
    let (mut found, mut last) = (Vec::new(), None);
    loop {
        let page = jobs::of_trace(&mut conn, TRACE, last, 101).await?;
        let Some(end) = page.last() else { break };
        last = Some(end.job);
        found.extend(page.iter().map(|one| one.job));
    }
    let distinct: BTreeSet<_> = found.iter().collect();
    assert_eq!((found.len(), distinct.len()), (10_000, 10_000), "each is on one page");
    let mut look = conn.begin().await?;
    for (table, most) in [("calls", 25), ("jobs", 120)] {
        let before = rows_read(&mut look, table).await?;
        assert_eq!(jobs::of_trace(&mut look, TRACE, Some(found[5_000]), 21).await?.len(), 21);
        let read = rows_read(&mut look, table).await? - before;
        assert!(read <= most, "{read} rows of {table} were read");
    }
    look.rollback().await?;
    drop(conn);
    plans::empty(world.pool()).await?;
    world.end().await
}

#[tokio::test]
async fn a_statement_shows_the_entries_of_a_job_a_kind_or_a_time_and_adds_up_as_a_whole() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let (tenant, other) = (world.tenant("a").await?, world.tenant("b").await?);
    world.work(runners::instant()).await?;
    for number in [1, 2] {
        let bought = json!({ "kind": "purchase", "minutes": 5, "reference": format!("INV-{number}") });
        done(&anna, "POST", &format!("/operator/accounts/{}/minutes", tenant.account), &bought, 200).await?;
    }
    let items = world.items(&tenant, 2, Media::audio(60)).await?;
    let jobs = tenant.client.prepare(&items, &["levels"]).await?.job_ids()?;
    for job in &jobs {
        tenant.client.reaches(job, "succeeded").await?;
    }
    let browser = signed_in(&world, BO).await?;
    let path = format!("/console/accounts/{}/minutes", tenant.account);
    let kinds = |list: &Value| -> Vec<String> {
        list["data"].as_array().into_iter().flatten().map(|row| text(row, "/kind")).collect()
    };
    let all = rows(&browser, &path).await?;
    assert_eq!(kinds(&all).len(), 7, "{all:#}");
    assert!(all["data"][0]["minutes_left"].is_number(), "{all:#}");
    let later = "2999-01-01T00:00:00Z";
    for (filter, shown) in [
        ("kind=purchase".to_owned(), vec!["purchase", "purchase"]),
        (format!("job_id={}", jobs[0]), vec!["settle", "hold"]),
        (format!("job_id={}&kind=hold", jobs[0]), vec!["hold"]),
        (format!("until={later}&kind=grant"), vec!["grant"]),
        (format!("since={later}"), vec![]),
    ] {
        let list = rows(&browser, &format!("{path}?{filter}")).await?;
        assert_eq!(kinds(&list), shown, "{filter}");
        assert!(list["data"][0]["minutes_left"].is_null(), "{filter}: {list:#}");
        let (_, page) = browser.get(&format!("{path}?{filter}")).await?;
        assert!(page.contains("✓ adds up") && page.contains("Shown are only the entries"), "{filter}: {page}");
        assert!(!page.contains("Before the first entry that is shown"), "{filter}: {page}");
        assert_eq!(page.contains("There are no entries like this"), shown.is_empty(), "{filter}: {page}");
    }
    // Two jobs of one read, of two items.
    let (_, page) = browser.get(&path).await?;
    assert!(page.contains("<td>levels</td><td class=\"number\">2</td>") && page.contains(">0.20<"), "{page}");
    assert!(items.iter().all(|item| page.contains(&format!("/console/items/{item}"))), "{page}");
    let (_, page) = browser.get(&format!("/console/accounts/{}/minutes", other.account)).await?;
    assert!(page.contains("Nothing was charged."), "{page}");
    let (_, page) = browser.get(&format!("{path}?kind=hold")).await?;
    assert!(!page.contains("What was charged for"), "the sums are of all entries: {page}");
    let theirs = format!("/console/accounts/{}/minutes?job_id={}", other.account, jobs[0]);
    assert_eq!(rows(&browser, &theirs).await?["data"], json!([]), "it is another's");
    for wrong in ["kind=odd", "job_id=x", "since=yesterday", "cursor=x", "before=1"] {
        assert_eq!(browser.get(&format!("{path}?{wrong}")).await?.0, StatusCode::BAD_REQUEST, "{wrong}");
    }
    let (_, page) = browser.get(&format!("{path}?kind=grant&since=yesterday")).await?;
    assert!(page.contains("Nothing was looked for") && page.contains("<option value=\"grant\" selected>"), "{page}");

    // A page looks through so many entries, and the next one goes on behind them: the grant is the oldest of seven.
    let mut conn = world.pool().acquire().await?;
    let filter = EntryFilter { kind: Some("grant".to_owned()), ..EntryFilter::default() };
    let (mut before, mut pages) = (None, 0);
    let grants = loop {
        let seen = journal::search(&mut conn, tenant.account, &filter, before, 10, 2).await?;
        pages += 1;
        if seen.last_seen.is_none() || !seen.rows.is_empty() {
            break seen.rows.len();
        }
        before = seen.last_seen;
    };
    assert_eq!((grants, pages), (1, 4));
    sqlx::raw_sql("SET enable_seqscan = off").execute(&mut *conn).await?;
    let newest = journal::charged(&mut conn, tenant.account, 1).await?;
    assert_eq!(newest.iter().map(|row| row.jobs).collect::<Vec<_>>(), [1], "of the newest entry alone");
    let plan = of_last(&mut conn).await?;
    assert!(plan.contains("jobs_pkey") && !plan.contains("Hash Join"), "each job is looked up:\n{plan}");
    drop(conn);
    world.end().await
}
