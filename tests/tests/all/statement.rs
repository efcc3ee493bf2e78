//! The statement of a month: what was before it and its entries are what is after it, over the interface, on the
//! customers' and the operators' pages and in their files; and a balance that was changed by hand is told.

use crate::console::signed_in;
use crate::operators::{ANNA, done, get, stage};
use crate::portal;
use domain::credits::Credits;
use domain::minutes::Minutes;
use futures_util::future::try_join_all;
use mws_tests::world::{Browser, Media, Tenant, World, runners};
use reqwest::{StatusCode, header};
use serde_json::{Value, json};
use std::time::Duration;
use store::journal::{self, EntryRow};

async fn statement(tenant: &Tenant, query: &str) -> anyhow::Result<Value> {
    done(&tenant.client, "GET", &format!("/statement{query}"), &Value::Null, 200).await
}

/// `kind minutes bought credits` of each entry.
fn entries(statement: &Value) -> Vec<String> {
    let rows = statement["data"].as_array().into_iter().flatten();
    let of = |row: &Value, name: &str| row[name].to_string().replace('"', "");
    rows.map(|row| ["kind", "minutes", "bought_minutes", "credits"].map(|name| of(row, name)).join(" ")).collect()
}

fn sums(before: f64, change: f64, after: f64) -> Value {
    json!([before, change, after])
}

/// The sums of a statement: of the month's minutes, the bought ones and the credits.
fn all_sums(statement: &Value) -> [Value; 3] {
    let of = |name: &str| ["before", "change", "after"].map(|part| json!(statement[name][part].as_f64()));
    ["minutes", "bought_minutes", "credits"].map(|name| json!(of(name)))
}

/// A month with an allowance, a purchase of minutes and one of credits, a charge and a job that was cancelled.
async fn a_month(world: &World, tenant: &Tenant) -> anyhow::Result<String> {
    world.buy(tenant, Minutes::from_whole(5)).await?;
    world.credit(tenant, Credits::from_whole(2)).await?;
    let items = world.items(tenant, 2, Media::audio(60)).await?;
    let gone = tenant.client.prepare(&items[1..], &["beats"]).await?.job_ids()?;
    tenant.client.tool("cancel_jobs", &json!({ "job_ids": gone })).await?;
    tenant.client.reaches(&gone[0], "cancelled").await?;
    world.work(runners::instant()).await?;
    let job = tenant.client.prepare(&items[..1], &["levels"]).await?.job_ids()?.remove(0);
    tenant.client.reaches(&job, "succeeded").await?;
    Ok(job)
}

const NEWEST_FIRST: [&str; 5] =
    ["charge -0.1 0 0", "release 0 0 0", "purchase 0 0 2", "purchase 0 5 0", "grant 1000 0 0"];

#[tokio::test]
async fn what_was_before_a_month_and_its_entries_are_what_is_after_it() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, other) = (world.tenant("a").await?, world.tenant("b").await?);
    let job = a_month(&world, &tenant).await?;
    let first = statement(&tenant, "").await?;
    assert_eq!(entries(&first), NEWEST_FIRST);
    let first_sums = [sums(0.0, 999.9, 999.9), sums(0.0, 5.0, 5.0), sums(0.0, 2.0, 2.0)];
    assert_eq!((all_sums(&first), &first["adds_up"]), (first_sums.clone(), &json!(true)));
    assert_eq!((&first["data"][0]["job_id"], &first["data"][0]["held_minutes"]), (&json!(job), &json!(0.1)));
    assert_eq!(first["data"][1]["held_minutes"], 0.25, "what a job that was cancelled could have cost");
    let theirs = statement(&other, "").await?;
    assert_eq!((entries(&theirs).len(), all_sums(&theirs)[1].clone()), (0, sums(0.0, 0.0, 0.0)), "it is another's");

    // Page by page, and once the check of the ledger has added the journal up.
    let (mut paged, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = statement(&tenant, &format!("?limit=2{cursor}")).await?;
        paged.extend(entries(&page));
        let Some(next) = page["next_cursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    assert_eq!(paged, NEWEST_FIRST);
    for _ in 0..2 {
        scheduler::check_ledger::run_once(&world.process).await?;
        world.advance(Duration::from_mins(1)).await?;
    }
    assert!(world.count("SELECT count(*) FROM ledger_tallies").await? > 0);
    assert_eq!(all_sums(&statement(&tenant, "").await?), first_sums);

    // The next month begins with what is left of what never lapses.
    let month = first["month"].as_str().unwrap_or_default();
    world.advance_to_next_month().await?;
    assert_eq!(entries(&statement(&tenant, "").await?).len(), 0, "nothing was written in it yet");
    world.buy(&tenant, Minutes::from_whole(1)).await?;
    let second = statement(&tenant, "").await?;
    assert_eq!(entries(&second), ["purchase 0 1 0", "grant 1000 0 0"]);
    assert_eq!(all_sums(&second), [sums(0.0, 1000.0, 1000.0), sums(5.0, 1.0, 6.0), sums(2.0, 0.0, 2.0)]);
    let again = statement(&tenant, &format!("?month={month}")).await?;
    assert_eq!((entries(&again), all_sums(&again)), (NEWEST_FIRST.map(str::to_owned).to_vec(), first_sums));
    for (query, code) in [(format!("?limit=1{cursor}"), "invalid_cursor"), ("?month=2026-13".into(), "invalid_request")]
    {
        let refused = tenant.client.send("GET", &format!("/statement{query}"), &[], None).await?;
        assert_eq!((refused.status, refused.code()), (400, code), "{query}");
    }
    world.end().await
}

/// What the entries of the journal change adds up to what is left: of the bought minutes, of the month, and of the AI
/// credits. Returns the kinds of the entries, the oldest first.
async fn changes_add_up(world: &World, tenant: &Tenant) -> anyhow::Result<Vec<String>> {
    let mut conn = world.pool().acquire().await?;
    let mut entries = journal::entries(&mut conn, tenant.account, None, 100).await?;
    entries.reverse();
    let sum = |of: fn(&EntryRow) -> i64| entries.iter().map(of).sum::<i64>();
    let changed = [sum(|entry| entry.bought_change.hundredths()), sum(|entry| entry.month_change.hundredths())];
    let left = journal::left(&mut conn, tenant.account).await?;
    assert_eq!(left.iter().map(|one| one.left.hundredths()).collect::<Vec<_>>(), changed);
    let since = journal::changed_since(&mut conn, tenant.account, 0, 1_000).await?;
    let since: Vec<[i64; 2]> =
        since.iter().map(|one| [one.bought_change.hundredths(), one.month_change.hundredths()]).collect();
    assert_eq!(since, [changed]);
    assert_eq!(sum(|entry| entry.credit_change.hundredths()), Credits::from_whole(2).hundredths());
    Ok(entries.into_iter().map(|entry| entry.kind).collect())
}

#[tokio::test]
async fn what_the_journals_entries_change_adds_up_to_what_is_left() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant_with("a", Minutes::from_whole(7)).await?;
    world.buy(&tenant, Minutes::from_whole(5)).await?;
    world.credit(&tenant, Credits::from_whole(2)).await?;
    let items = world.items(&tenant, 2, Media::audio(60)).await?;
    let jobs = tenant.client.prepare(&items, &["levels"]).await?.job_ids()?;
    assert_eq!(changes_add_up(&world, &tenant).await?, ["grant", "adjust", "purchase", "purchase", "hold", "hold"]);
    tenant.client.tool("cancel_jobs", &json!({ "job_ids": [jobs[0]] })).await?;
    tenant.client.reaches(&jobs[0], "cancelled").await?;
    world.work(runners::instant()).await?;
    tenant.client.reaches(&jobs[1], "succeeded").await?;
    assert_eq!(changes_add_up(&world, &tenant).await?[6..], ["release", "settle"]);
    world.end().await
}

/// A file that a browser saves.
async fn saved(browser: &Browser, path: &str) -> anyhow::Result<Vec<String>> {
    let answer = browser.request(reqwest::Method::GET, path).send().await?;
    assert_eq!(answer.status(), StatusCode::OK, "{path}");
    assert_eq!(answer.headers()[header::CONTENT_TYPE], "text/csv; charset=utf-8");
    assert!(answer.headers()[header::CONTENT_DISPOSITION].to_str()?.contains("filename=\"statement-2"), "{path}");
    Ok(answer.text().await?.lines().map(str::to_owned).collect())
}

#[tokio::test]
async fn customers_and_operators_see_the_statement_and_save_it_and_one_that_is_wrong_says_so() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let tenant = world.tenant("a").await?;
    let job = a_month(&world, &tenant).await?;
    let of_any = format!("/operator/accounts/{}/statement", tenant.account);
    let as_the_account = statement(&tenant, "?limit=2").await?;
    // An account whose own calls have all of its turns does not keep operators from it, nor do looks at their pages,
    // whose short statements are not enough for an old month of a long journal.
    let (own_turns, pages) = (&world.app().process.own_turns, &world.app().pages);
    let taken: Vec<_> = (0..40).map_while(|_| own_turns.turn_now(tenant.account)).collect();
    let looks = try_join_all((0..pages.options().get_max_connections()).map(|_| pages.acquire())).await?;
    assert_eq!(get(&anna, &format!("{of_any}?limit=2")).await?, as_the_account);
    drop((taken, looks));
    let nobody = anna.send("GET", "/operator/accounts/acc_01J00000000000000000000000/statement", &[], None).await?;
    assert_eq!((nobody.status, nobody.code()), (404, "account_not_found"), "{}", nobody.text);
    let customer = portal::at(&world, &portal::link(&tenant.client, json!({})).await?).await?;
    let (status, page) = customer.get("/portal/usage/statement").await?;
    assert_eq!(status, StatusCode::OK, "{page}");
    for words in ["✓ adds up", "999.9", "the month's allowance", "failed or cancelled: costs nothing", job.as_str()] {
        assert!(page.contains(words) || page.contains(&words.replace('\'', "&#39;")), "{words}: {page}");
    }
    assert!(customer.get("/portal/usage").await?.1.contains("/portal/usage/statement"));
    let without_jobs = portal::link(&tenant.client, json!({ "pages": ["usage"] })).await?;
    let (_, page) = portal::at(&world, &without_jobs).await?.get("/portal/usage/statement").await?;
    assert!(page.contains(&job) && !page.contains("/portal/jobs"), "{page}");
    let other_pages = portal::link(&tenant.client, json!({ "pages": ["keys"] })).await?;
    let elsewhere = portal::at(&world, &other_pages).await?;
    for path in ["/portal/usage/statement", "/portal/usage/statement.csv"] {
        assert_eq!(elsewhere.get(path).await?.0, StatusCode::NOT_FOUND, "{path}");
    }

    let file = saved(&customer, "/portal/usage/statement.csv").await?;
    assert_eq!((file.len(), file[1].as_str()), (8, ",before,,,,,,0.00,0.00,0.00"));
    assert!(file[6].ends_with(&format!(",charge,{job},,-0.10,0.00,0.00,999.90,5.00,2.00")), "{file:?}");
    assert_eq!(file[7], ",after,,,,,,999.90,5.00,2.00");
    let operator = signed_in(&world, ANNA).await?;
    let path = format!("/console/accounts/{}/minutes", tenant.account);
    assert_eq!(saved(&operator, &format!("{path}.csv")).await?, file, "both are given the same");
    assert!(operator.get(&path).await?.1.contains("Download as CSV"));
    assert_eq!(operator.get(&format!("{path}.csv?month=x")).await?.0, StatusCode::BAD_REQUEST);
    let stranger = Browser::new(&world)?.get(&format!("{path}.csv")).await?;
    assert!(stranger.0 == StatusCode::UNAUTHORIZED && !stranger.1.contains(&job));

    sqlx::query("UPDATE minute_buckets SET used = used + 1").execute(world.pool()).await?;
    assert_eq!(statement(&tenant, "").await?["adds_up"], false);
    let (_, page) = customer.get("/portal/usage/statement").await?;
    assert!(page.contains("not what the journal adds up to") && !page.contains("✓ adds up"), "{page}");
    sqlx::query("UPDATE minute_buckets SET used = used - 1").execute(world.pool()).await?;
    world.end().await
}

#[tokio::test]
async fn a_long_journal_is_not_added_up_for_a_page_and_is_compared_with_its_tallies() -> anyhow::Result<()> {
    let (world, _) = stage().await?;
    let tenant = world.tenant("a").await?;
    a_month(&world, &tenant).await?;
    let operator = signed_in(&world, ANNA).await?;
    let path = format!("/console/accounts/{}/minutes", tenant.account);
    let first = world.count("SELECT min(id) FROM minute_journal").await?;
    let oldest = format!("{path}?cursor={}", first + 2);
    let (whole, not_shown) = ("its whole journal adds up to", "what was left after each is not shown");
    assert!(operator.get(&path).await?.1.contains(whole));
    assert!(!operator.get(&oldest).await?.1.contains(not_shown));

    let many = "INSERT INTO minute_journal (account_id, month, kind, note)
         SELECT $1, date_trunc('month', mws_now() AT TIME ZONE 'UTC')::date, 'adjust', 'by none'
         FROM generate_series(1, 20001)";
    sqlx::query(many).bind(tenant.account.uuid()).execute(world.pool()).await?;
    let (_, page) = operator.get(&path).await?;
    assert!(page.contains("✓ adds up") && page.contains("tallies") && !page.contains(whole), "{page}");
    assert!(!page.contains(not_shown) && page.contains("by none"), "the newest have their balances: {page}");
    let (_, page) = operator.get(&oldest).await?;
    assert!(page.contains(not_shown) && page.contains("grant") && !page.contains("by none"), "{page}");
    sqlx::query("UPDATE minute_buckets SET used = used + 1").execute(world.pool()).await?;
    let (_, page) = operator.get(&path).await?;
    assert!(page.contains("It does not add up") && !page.contains("✓ adds up"), "{page}");
    sqlx::query("UPDATE minute_buckets SET used = used - 1").execute(world.pool()).await?;
    world.end().await
}
