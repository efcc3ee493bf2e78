//! Bulk operations that run failed reads again: each read once, at the expense of whoever paid, whatever is killed,
//! stopped, paused or run again by others meanwhile.

use super::{ANNA, BO, done, get, log, refusal, send, stage, text};
use crate::console::signed_in;
use domain::ids::ItemId;
use mws_tests::world::{Client, Media, Tenant, World, runners, until};
use reqwest::header;
use serde_json::{Value, json};
use store::accounts;
use worker::readers::ReadError;

const ROUTE: &str = "/operator/bulk-operations";
const SINCE: &str = "2001-01-01T00:00:00Z";
const RERUN: &str = "SELECT count(*) FROM jobs j JOIN calls c ON c.id = j.call_id WHERE c.rerun_of IS NOT NULL";

/// Reads of these items that fail as not supported.
async fn failed(world: &World, tenant: &Tenant, many: usize) -> anyhow::Result<Vec<ItemId>> {
    let items = world.items(tenant, many, Media::audio(60)).await?;
    let worker = world.worker(runners::failing(|| ReadError::Unsupported("it takes too long"))).await?;
    let jobs = tenant.client.prepare(&items, &["levels"]).await?.job_ids()?;
    tenant.client.ended(&jobs).await?;
    worker.stop().await?;
    Ok(items)
}

fn asking(name: &str, filters: &Value) -> Value {
    let mut body = json!({ "name": name, "kind": "rerun_reads", "since": SINCE });
    body.as_object_mut().into_iter().for_each(|all| all.extend(filters.as_object().cloned().unwrap_or_default()));
    body
}

async fn finished(operator: &Client, id: &str) -> anyhow::Result<Value> {
    until("the operation has come to its end", async || {
        let operation = get(operator, &format!("{ROUTE}/{id}")).await?;
        Ok((operation["state"] == "finished").then_some(operation))
    })
    .await
}

#[tokio::test]
async fn failed_reads_are_counted_with_their_price_and_run_again_once_by_who_paid() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let (one, two) = (world.tenant("one").await?, world.tenant("two").await?);
    let items = failed(&world, &one, 3).await?;
    failed(&world, &two, 2).await?;
    let path = format!("/operator/failed-reads?since={SINCE}&error_code=not_supported&read=levels");
    let counted = get(&world.client(Some(BO.to_owned())), &path).await?;
    assert_eq!((&counted["count"], counted["estimated_minutes"].as_f64()), (&json!(5), Some(0.5)), "{counted}");
    assert_eq!(text(&counted, "/accounts/0/account_id"), one.account.to_string());
    assert_eq!(counted["accounts"][0]["estimated_minutes"].as_f64(), Some(0.3), "{counted}");
    let of_two = get(&anna, &format!("{path}&account_id={}", two.account)).await?;
    assert_eq!((&of_two["count"], of_two["accounts"].as_array().map(Vec::len)), (&json!(2), Some(1)));
    assert_eq!(send(&anna, "GET", &format!("{path}x"), &Value::Null).await?.status, 400, "there is no such read");

    // Of one account; one of its reads is run again by the account itself before the operation's turn.
    let body = asking("of one", &json!({ "account_id": one.account, "until": counted["until"] }));
    let started = done(&anna, "POST", ROUTE, &body, 202).await?;
    assert_eq!((&started["total"], started["estimated_minutes"].as_f64()), (&json!(3), Some(0.3)), "{started}");
    one.client.prepare(&items[..1], &["levels"]).await?.job_ids()?;
    let reruns = world.reruns();
    let ended = finished(&anna, &text(&started, "/id")).await?;
    assert_eq!((&ended["done"], &ended["skipped"]), (&json!(2), &json!(1)), "{ended}");
    assert_eq!(ended["skipped_for"], json!([{ "reason": "matched_no_longer", "count": 1 }]));
    assert_eq!(world.count(RERUN).await?, 2);
    let payers = "SELECT count(DISTINCT payer_account_id) FROM jobs WHERE status = 'queued'";
    assert_eq!(world.count(payers).await?, 1, "nothing of the other account was started");
    assert_eq!(done(&anna, "POST", ROUTE, &body, 202).await?, ended, "a request that is sent again starts nothing");

    // What could not start is skipped, with the reason.
    done(&anna, "PATCH", "/operator/reads/levels", &json!({ "paused": true }), 200).await?;
    let second = done(&anna, "POST", ROUTE, &asking("paused", &json!({})), 202).await?;
    let ended = finished(&anna, &text(&second, "/id")).await?;
    assert_eq!((&ended["total"], &ended["done"], &ended["skipped"]), (&json!(2), &json!(0), &json!(2)), "{ended}");
    assert_eq!(ended["skipped_for"], json!([{ "reason": "reads_paused", "count": 2 }]));
    let told = log(&anna).await?;
    assert!(told.contains(&format!("bulk.start {}", text(&started, "/id"))), "{told:?}");
    assert!(told.contains(&format!("bulk.finish {}", text(&started, "/id"))), "{told:?}");
    reruns.abort();
    world.end().await
}

#[tokio::test]
async fn an_operation_whose_api_dies_goes_on_where_it_was_and_starts_nothing_twice() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let tenant = world.tenant("a").await?;
    failed(&world, &tenant, 5).await?;
    // The connection ends when the third job is written and before it is counted, as that of a killed api does.
    sqlx::raw_sql(
        "CREATE SEQUENCE deaths;
         CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS $$
         BEGIN PERFORM nextval('deaths'), pg_terminate_backend(pg_backend_pid()); RETURN NEW; END $$;
         CREATE TRIGGER killed BEFORE UPDATE OF done ON bulk_operations FOR EACH ROW
             WHEN (NEW.done = 3) EXECUTE FUNCTION die()",
    )
    .execute(world.pool())
    .await?;
    let made = done(&anna, "POST", ROUTE, &asking("killed", &json!({})), 202).await?;
    let reruns = world.reruns();
    let deaths = "SELECT count(*) FROM deaths WHERE is_called";
    until("its connection is gone", async || Ok((world.count(deaths).await? == 1).then_some(()))).await?;
    assert_eq!(world.count(RERUN).await?, 2, "what was not counted was not started");
    sqlx::raw_sql("DROP TRIGGER killed ON bulk_operations; DROP FUNCTION die").execute(world.pool()).await?;
    let ended = finished(&anna, &text(&made, "/id")).await?;
    assert_eq!((&ended["done"], &ended["skipped"]), (&json!(5), &json!(0)), "{ended}");
    assert_eq!(world.count(RERUN).await?, 5);
    assert_eq!(world.count("SELECT count(DISTINCT rerun_of) FROM calls").await?, 5, "none was started twice");
    reruns.abort();
    world.end().await
}

#[tokio::test]
async fn an_account_whose_own_changes_hold_it_up_keeps_no_others_reads_from_being_run_again() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let (locked, full, other) =
        (world.tenant("locked").await?, world.tenant("full").await?, world.tenant("other").await?);
    // Were each of the twelve waited for, the operation would take a minute.
    for (tenant, many) in [(&locked, 1), (&full, 12), (&other, 1)] {
        failed(&world, tenant, many).await?;
    }
    let mut locks = world.pool().begin().await?;
    assert!(accounts::lock(&mut locks, locked.account).await?);
    // Its calls have been answered, and their connections may be on their way back.
    let mut turns = Vec::new();
    for _ in 0..4 {
        turns.push(world.process.own_turns.turn(full.account).await?);
    }
    assert!(world.process.own_turns.turn_now(full.account).is_none(), "all turns of the account");
    let made = done(&anna, "POST", ROUTE, &asking("beside", &json!({})), 202).await?;
    let reruns = world.reruns();
    let ended = finished(&anna, &text(&made, "/id")).await?;
    assert_eq!((&ended["done"], &ended["skipped"]), (&json!(1), &json!(13)), "{ended}");
    assert_eq!(ended["skipped_for"], json!([{ "reason": "rate_limited", "count": 13 }]));
    locks.rollback().await?;
    drop(turns);
    let made = done(&anna, "POST", ROUTE, &asking("later", &json!({})), 202).await?;
    let ended = finished(&anna, &text(&made, "/id")).await?;
    assert_eq!((&ended["total"], &ended["done"]), (&json!(13), &json!(13)), "what was skipped is taken: {ended}");
    reruns.abort();
    world.end().await
}

#[tokio::test]
async fn an_operation_of_reads_is_refused_what_it_can_not_take_and_is_stopped_before_its_turn() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let tenant = world.tenant("a").await?;
    failed(&world, &tenant, 2).await?;
    let reads = world.client(Some(BO.to_owned()));
    assert_eq!(send(&reads, "POST", ROUTE, &asking("a", &json!({}))).await?.status, 403);
    for wrong in [json!({ "error": "timeout" }), json!({ "kind": "resend_deliveries", "read": "levels" })] {
        let answer = send(&anna, "POST", ROUTE, &asking("a", &wrong)).await?;
        assert_eq!(refusal(&answer), (400, "invalid_request"), "{wrong}: {}", answer.text);
    }
    // The console counts with the price, and its button starts the same.
    let browser = signed_in(&world, ANNA).await?;
    let page = "/console/rerun?read=levels&error_code=not_supported";
    let (_, shown) = browser.get(page).await?;
    assert!(shown.contains("Run all 2 in the background") && shown.contains("pay again"), "{shown}");
    let (_, older) = browser.get(&format!("{page}&before=job_00000000000000000000000001")).await?;
    assert!(older.contains("Run all 2 in the background") && !older.contains("Run 0 again"), "{older}");
    let (_, none) = browser.get("/console/rerun?read=beats").await?;
    assert!(!none.contains("Run all"), "{none}");
    let pressed = browser.post(page, &[("bulk", "yes"), ("name", "from the console")]).await?;
    let place = pressed.headers()[header::LOCATION].to_str()?.to_owned();
    let (_, shown) = browser.get(&place).await?;
    assert!(shown.contains("from the console") && shown.contains("failed reads"), "{shown}");
    browser.post(&place, &[]).await?;
    let (_, shown) = browser.get(&place).await?;
    let rest = shown.split_once("The rest can be done by another operation: <a href=\"").unwrap_or_default().1;
    let left = rest.split('"').next().unwrap_or_default().replace("&amp;", "&");
    let (_, counted) = browser.get(&left).await?;
    let is_same = left.starts_with("/console/rerun?") && left.contains("read=levels&error_code=not_supported");
    assert!(is_same && counted.contains("Run all 2 in the background"), "{left}: {counted}");
    let reruns = world.reruns();
    let other = done(&anna, "POST", ROUTE, &asking("none", &json!({ "read": "beats" })), 202).await?;
    assert_eq!(finished(&anna, &text(&other, "/id")).await?["total"], 0);
    assert_eq!(world.count(RERUN).await?, 0, "what was stopped starts nothing");
    reruns.abort();
    world.end().await
}
