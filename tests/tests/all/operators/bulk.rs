//! Operators' bulk operations: what is counted is sent again once, whatever is repeated, stopped, killed or disabled
//! meanwhile.

use super::work::deliveries;
use super::{BO, done, get, log, refusal, send, stage, text};
use domain::bulk::MOST_RUNNING;
use futures_util::future::try_join_all;
use mws_tests::world::{Receiver, runners, until};
use scheduler::advance_bulk_operations::run_once;
use serde_json::{Value, json};
use std::time::Duration;

const ROUTE: &str = "/operator/bulk-operations";
const SINCE: &str = "2001-01-01T00:00:00Z";
const RESENT: &str = "SELECT count(*) FROM deliveries WHERE trigger = 'resend'";

/// The body of a request that starts an operation with this name and these filters.
fn asking(name: &str, filters: &Value) -> Value {
    let mut body = json!({ "name": name, "kind": "resend_deliveries", "since": SINCE });
    body.as_object_mut().into_iter().for_each(|all| all.extend(filters.as_object().cloned().unwrap_or_default()));
    body
}

/// An operation's state, and its counts `total`, `done` and `skipped`.
fn counts(operation: &Value) -> (String, [i64; 3]) {
    let count = |name: &str| operation[name].as_i64().unwrap_or(-1);
    (text(operation, "/state"), [count("total"), count("done"), count("skipped")])
}

#[tokio::test]
async fn an_operation_sends_again_what_its_filters_matched_and_is_kept_with_its_counts() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let (one, two) = (world.tenant("one").await?, world.tenant("two").await?);
    let (open, other, closed) = (
        world.endpoint(&one, "http://127.0.0.1:9/a").await?,
        world.endpoint(&two, "http://127.0.0.1:9/b").await?,
        world.endpoint(&two, "http://127.0.0.1:9/c").await?,
    );
    let (tls, answered) = (("failed", "tls_failed"), ("failed", "http_status"));
    deliveries(&world, &one, open, &[tls, answered, ("succeeded", ""), ("skipped", "endpoint_disabled")]).await?;
    deliveries(&world, &two, other, &[tls, tls]).await?;
    deliveries(&world, &two, closed, &[tls]).await?;
    let disabled = Some(r#"{"enabled":false}"#.to_owned());
    assert_eq!(two.client.send("PATCH", &format!("/webhooks/{closed}"), &[], disabled).await?.status, 200);

    let body = asking("after Friday", &json!({ "error": "tls_failed" }));
    let count = json!({ "since": SINCE, "error": "tls_failed", "dry_run": true });
    let counted = done(&anna, "POST", "/operator/deliveries/resend", &count, 202).await?;
    assert_eq!((&counted["resent"], &counted["disabled"]), (&json!(3), &json!(1)), "{counted}");
    let started = done(&anna, "POST", ROUTE, &body, 202).await?;
    assert_eq!(counts(&started), ("running".to_owned(), [3, 0, 0]));
    assert_eq!((&started["started_by"], &started["ended_at"]), (&json!("anna"), &Value::Null));
    // What fails after the start is left to another operation, although it matches.
    deliveries(&world, &one, open, &[tls]).await?;
    assert_eq!(run_once(&world.process).await?, 4, "three deliveries, and the end");
    let path = format!("{ROUTE}/{}", text(&started, "/id"));
    let ended = get(&anna, &path).await?;
    assert_eq!(counts(&ended), ("finished".to_owned(), [3, 3, 0]));
    assert!(ended["ended_at"].is_string() && ended["error"] == "tls_failed", "{ended}");
    let ready = "SELECT count(*) FROM deliveries
         WHERE trigger = 'resend' AND status = 'pending' AND ticket_id IS NOT NULL AND resend_of IS NOT NULL";
    assert_eq!(world.count(ready).await?, 3);
    let slow = "SELECT count(*) FROM apalis.jobs WHERE job_type = 'webhook:slow'";
    assert_eq!(world.count(slow).await?, 3, "they wait behind new events, as every resend does");
    assert_eq!(run_once(&world.process).await?, 0, "it is over");

    let again = done(&anna, "POST", ROUTE, &body, 202).await?;
    assert_eq!(again, ended, "a request that is sent again starts nothing");
    let id = text(&started, "/id");
    assert_eq!(log(&anna).await?, [format!("bulk.start {id}"), format!("bulk.finish {id}")]);
    world.end().await
}

#[tokio::test]
async fn what_an_operation_can_not_be_is_refused() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let reads = world.client(Some(BO.to_owned()));
    let body = asking("one", &json!({}));
    assert_eq!(send(&reads, "POST", ROUTE, &body).await?.status, 403);
    let made = done(&anna, "POST", ROUTE, &body, 202).await?;
    let path = format!("{ROUTE}/{}", text(&made, "/id"));
    assert_eq!(send(&reads, "POST", &format!("{path}/stop"), &json!({})).await?.status, 403);
    assert_eq!(get(&reads, &path).await?, made);
    let other = send(&anna, "POST", ROUTE, &asking("one", &json!({ "error": "timeout" }))).await?;
    assert_eq!(refusal(&other), (409, "name_taken"));
    assert!(other.text.contains("`one (2)` is free"), "{}", other.text);
    for wrong in [json!({ "name": " " }), json!({ "name": "a\u{7}" }), json!({ "until": "2999-01-01T00:00:00Z" })] {
        let answer = send(&anna, "POST", ROUTE, &asking("two", &wrong)).await?;
        assert_eq!(refusal(&answer), (400, "invalid_request"), "{wrong}: {}", answer.text);
    }
    // One runs already, so that not all of these may start.
    let bodies: Vec<Value> = (0..=MOST_RUNNING).map(|number| asking(&number.to_string(), &json!({}))).collect();
    world.wait_for_locks().await?;
    let answers = try_join_all(bodies.iter().map(|body| send(&anna, "POST", ROUTE, body))).await?;
    let refused: Vec<(u16, &str)> = answers.iter().filter(|answer| answer.status != 202).map(refusal).collect();
    assert_eq!(refused, [(409, "quota_reached"); 2]);
    let running = "SELECT count(*) FROM bulk_operations WHERE state = 'running'";
    assert_eq!(world.count(running).await?, MOST_RUNNING);
    run_once(&world.process).await?;
    assert_eq!(world.count(running).await?, 0, "nothing matches, so that all of them are over");
    let missing = send(&anna, "POST", &format!("{ROUTE}/blk_01J00000000000000000000000/stop"), &json!({})).await?;
    assert_eq!(refusal(&missing), (404, "bulk_operation_not_found"));
    world.end().await
}

#[tokio::test]
async fn an_operation_goes_on_step_by_step_until_it_is_stopped() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let tenant = world.tenant("a").await?;
    let endpoint = world.endpoint(&tenant, "http://127.0.0.1:9/a").await?;
    deliveries(&world, &tenant, endpoint, &vec![("failed", "timeout"); 1_100]).await?;
    let made = done(&anna, "POST", ROUTE, &asking("many", &json!({})), 202).await?;
    let path = format!("{ROUTE}/{}", text(&made, "/id"));
    let taken = "UPDATE bulk_operations SET turn_at = mws_now() + interval '1 minute'";
    sqlx::query(taken).execute(world.pool()).await?;
    assert_eq!(run_once(&world.process).await?, 0, "another scheduler has taken the turn");
    world.advance(Duration::from_mins(1)).await?;
    for sent in [500, 1_000] {
        assert_eq!(run_once(&world.process).await?, 500, "a turn is bounded");
        let next = "SELECT count(*) FROM bulk_operations WHERE turn_at >= created_at + interval '60.9 seconds'";
        assert_eq!(world.count(next).await?, 1, "and the next one comes a second later");
        let place = "SELECT count(*) FROM bulk_operation_endpoints WHERE after_id =
             (SELECT resend_of FROM deliveries WHERE trigger = 'resend' ORDER BY resend_of DESC LIMIT 1)";
        assert_eq!(world.count(place).await?, 1, "the next step looks at nothing that this one sent");
        world.advance(Duration::from_secs(1)).await?;
        assert_eq!(counts(&get(&anna, &path).await?), ("running".to_owned(), [1_100, sent, 0]));
    }
    let stopped = done(&anna, "POST", &format!("{path}/stop"), &json!({}), 200).await?;
    assert_eq!(counts(&stopped), ("stopped".to_owned(), [1_100, 1_000, 0]));
    assert_eq!(stopped["stopped_by"], "anna");
    assert_eq!(run_once(&world.process).await?, 0);
    assert_eq!(world.count(RESENT).await?, 1_000);
    assert_eq!(world.count("SELECT count(*) FROM bulk_operation_endpoints").await?, 0);
    let again = done(&anna, "POST", &format!("{path}/stop"), &json!({}), 200).await?;
    assert_eq!(again, stopped, "one that has ended stays as it is");
    assert_eq!(log(&anna).await?.len(), 2, "started and stopped, once each");
    // The oldest were sent first.
    let order = "SELECT count(*) FROM deliveries AS old WHERE trigger = 'event'
         AND NOT EXISTS (SELECT FROM deliveries WHERE resend_of = old.id)
         AND id < (SELECT resend_of FROM deliveries WHERE resend_of IS NOT NULL ORDER BY resend_of DESC LIMIT 1)";
    assert_eq!(world.count(order).await?, 0);

    // Operations that have ended are listed for as long as the audit log is kept.
    assert_eq!(get(&anna, &format!("{ROUTE}?state=stopped")).await?["data"], json!([stopped]));
    assert_eq!(get(&anna, &format!("{ROUTE}?state=running")).await?["data"], json!([]));
    world.advance(Duration::from_hours(399 * 24)).await?;
    scheduler::prune::run_once(&world.process).await?;
    assert_eq!(world.count("SELECT count(*) FROM bulk_operations").await?, 1);
    world.advance(Duration::from_hours(2 * 24)).await?;
    scheduler::prune::run_once(&world.process).await?;
    assert_eq!(world.count("SELECT count(*) FROM bulk_operations").await?, 0);
    world.end().await
}

#[tokio::test]
async fn an_operation_with_a_pace_sends_so_many_a_second_over_all_of_its_endpoints() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let tenant = world.tenant("a").await?;
    for (path, many) in [("a", 2), ("b", 5)] {
        let endpoint = world.endpoint(&tenant, &format!("http://127.0.0.1:9/{path}")).await?;
        deliveries(&world, &tenant, endpoint, &vec![("failed", "timeout"); many]).await?;
    }
    for wrong in [0, 101] {
        let answer = send(&anna, "POST", ROUTE, &asking("gently", &json!({ "pace": wrong }))).await?;
        assert_eq!(answer.status, 400, "{wrong}: {}", answer.text);
    }
    let body = asking("gently", &json!({ "pace": 3 }));
    let made = done(&anna, "POST", ROUTE, &body, 202).await?;
    assert_eq!(made["pace"], 3);
    assert_eq!(done(&anna, "POST", ROUTE, &body, 202).await?, made, "a request that is sent again starts nothing");
    let other = send(&anna, "POST", ROUTE, &asking("gently", &json!({}))).await?;
    assert_eq!(refusal(&other), (409, "name_taken"), "another pace is another operation");
    world.stop_clock().await?;
    for sent in [3, 6, 7] {
        assert!(run_once(&world.process).await? >= 1);
        assert_eq!(run_once(&world.process).await?, 0, "the second is not over");
        assert_eq!(world.count(RESENT).await?, sent);
        world.advance(Duration::from_secs(1)).await?;
    }
    let ended = get(&anna, &format!("{ROUTE}/{}", text(&made, "/id"))).await?;
    assert_eq!(counts(&ended), ("finished".to_owned(), [7, 7, 0]));
    world.end().await
}

#[tokio::test]
async fn a_step_that_is_killed_leaves_nothing_behind_and_is_taken_again_once() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let tenant = world.tenant("a").await?;
    let endpoint = world.endpoint(&tenant, "http://127.0.0.1:9/a").await?;
    deliveries(&world, &tenant, endpoint, &vec![("failed", "timeout"); 600]).await?;
    let made = done(&anna, "POST", ROUTE, &asking("killed", &json!({})), 202).await?;
    let path = format!("{ROUTE}/{}", text(&made, "/id"));
    assert_eq!(run_once(&world.process).await?, 500);
    world.advance(Duration::from_secs(1)).await?;
    // A scheduler loses its connection after it has sent and before it has counted, as one that is killed does.
    sqlx::raw_sql(
        "CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS $$
         BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END $$;
         CREATE TRIGGER killed BEFORE UPDATE OF done ON bulk_operations FOR EACH ROW EXECUTE FUNCTION die()",
    )
    .execute(world.pool())
    .await?;
    assert!(run_once(&world.process).await.is_err(), "its connection is gone");
    sqlx::raw_sql("DROP TRIGGER killed ON bulk_operations; DROP FUNCTION die").execute(world.pool()).await?;
    assert_eq!(world.count(RESENT).await?, 500, "what was not counted was not sent");
    assert_eq!(counts(&get(&anna, &path).await?), ("running".to_owned(), [600, 500, 0]));

    // Several schedulers try at once, and one takes the turn.
    world.advance(Duration::from_secs(1)).await?;
    let runs = try_join_all((0..4).map(|_| run_once(&world.process))).await?;
    assert_eq!(runs.iter().sum::<u64>(), 101, "the last hundred, and the end");
    assert_eq!(counts(&get(&anna, &path).await?), ("finished".to_owned(), [600, 600, 0]));
    assert_eq!(world.count(RESENT).await?, 600);
    assert_eq!(world.count("SELECT count(DISTINCT resend_of) FROM deliveries").await?, 600, "none was sent twice");
    world.end().await
}

#[tokio::test]
async fn an_endpoint_that_is_disabled_meanwhile_or_was_sent_to_by_others_is_skipped() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let tenant = world.tenant("a").await?;
    let (open, shut) = (
        world.endpoint(&tenant, "http://127.0.0.1:9/a").await?,
        world.endpoint(&tenant, "http://127.0.0.1:9/b").await?,
    );
    deliveries(&world, &tenant, open, &[("failed", "timeout"); 3]).await?;
    deliveries(&world, &tenant, shut, &[("failed", "timeout"); 4]).await?;
    let made = done(&anna, "POST", ROUTE, &asking("partly", &json!({})), 202).await?;
    let disabled = Some(r#"{"enabled":false}"#.to_owned());
    assert_eq!(tenant.client.send("PATCH", &format!("/webhooks/{shut}"), &[], disabled).await?.status, 200);
    let list = get(&anna, &format!("/operator/deliveries?endpoint_id={open}")).await?;
    let first = text(&list["data"][0], "/delivery_id");
    done(&anna, "POST", &format!("/operator/deliveries/{first}/resend"), &json!({}), 202).await?;
    // A scheduler that has passed an endpoint without sending anything does not rest: more may be before it.
    assert_eq!(run_once(&world.process).await?, 4, "two deliveries, an endpoint without any, and the end");
    let ended = get(&anna, &format!("{ROUTE}/{}", text(&made, "/id"))).await?;
    assert_eq!(counts(&ended), ("finished".to_owned(), [7, 2, 5]));
    assert_eq!(world.count(RESENT).await?, 3);
    world.end().await
}

#[tokio::test]
async fn an_operation_with_nothing_to_send_to_many_endpoints_goes_on_without_a_rest() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let made = done(&anna, "POST", ROUTE, &asking("removed meanwhile", &json!({})), 202).await?;
    let before = "INSERT INTO bulk_operation_endpoints (operation_id, endpoint_id, account_id, counted)
         SELECT id, gen_random_uuid(), gen_random_uuid(), 1 FROM bulk_operations, generate_series(1, 60)";
    sqlx::query(before).execute(world.pool()).await?;
    assert_eq!(run_once(&world.process).await?, 50, "a duty that returns 0 may rest for ten seconds");
    let path = format!("{ROUTE}/{}", text(&made, "/id"));
    assert_eq!(counts(&get(&anna, &path).await?), ("running".to_owned(), [0, 0, 50]));
    world.advance(Duration::from_secs(1)).await?;
    assert_eq!(run_once(&world.process).await?, 11, "the other ten, and the end");
    assert_eq!(counts(&get(&anna, &path).await?), ("finished".to_owned(), [0, 0, 60]));
    world.end().await
}

#[tokio::test]
async fn what_is_to_be_sent_is_looked_for_before_the_endpoint_is_locked_and_held_against_what_others_did()
-> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let tenant = world.tenant("a").await?;
    let endpoint = world.endpoint(&tenant, "http://127.0.0.1:9/a").await?;
    deliveries(&world, &tenant, endpoint, &[("failed", "timeout"), ("failed", "timeout"), ("succeeded", "")]).await?;
    let made = done(&anna, "POST", ROUTE, &asking("beside others", &json!({})), 202).await?;
    let mut theirs = world.hold("SELECT id FROM webhook_endpoints FOR NO KEY UPDATE").await?;
    let step = async { anyhow::Ok(run_once(&world.process).await?) };
    let others = async {
        let waits = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
             AND wait_event_type = 'Lock' AND query LIKE '%webhook_endpoints%'";
        until("the step waits for the endpoint", async || Ok((world.count(waits).await? == 1).then_some(()))).await?;
        // The first has arrived meanwhile, and the third has failed after the step looked.
        let changed = "UPDATE deliveries SET status = CASE status WHEN 'succeeded' THEN 'failed' ELSE 'succeeded' END
             WHERE status = 'succeeded' OR id = (SELECT id FROM deliveries ORDER BY id LIMIT 1)";
        sqlx::query(changed).execute(&mut *theirs).await?;
        theirs.commit().await?;
        anyhow::Ok(())
    };
    let (done_now, ()) = tokio::try_join!(step, others)?;
    assert_eq!(done_now, 2, "the second delivery, and the end");
    let ended = get(&anna, &format!("{ROUTE}/{}", text(&made, "/id"))).await?;
    assert_eq!(counts(&ended), ("finished".to_owned(), [2, 1, 1]));
    world.end().await
}

#[tokio::test]
async fn a_scheduler_takes_an_operation_to_its_end_and_the_receiver_gets_each_event_once() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let (receiver, tenant) = (Receiver::start()?, world.tenant("a").await?);
    let endpoint = world.endpoint(&tenant, &receiver.url).await?;
    deliveries(&world, &tenant, endpoint, &[("failed", "timeout"), ("skipped", "endpoint_disabled")]).await?;
    world.work(runners::instant()).await?;
    let scheduler = world.scheduler().await?;
    let made = done(&anna, "POST", ROUTE, &asking("really", &json!({})), 202).await?;
    let path = format!("{ROUTE}/{}", text(&made, "/id"));
    let ended = until("it has come to its end", async || {
        let operation = get(&anna, &path).await?;
        Ok((operation["state"] == "finished").then_some(operation))
    })
    .await?;
    assert_eq!(counts(&ended), ("finished".to_owned(), [2, 2, 0]));
    let arrived = "SELECT count(DISTINCT event_id) FROM deliveries WHERE status = 'succeeded'";
    until("both have arrived", async || Ok((world.count(arrived).await? == 2).then_some(()))).await?;
    scheduler.stop().await?;
    assert_eq!(receiver.received().len(), 2);
    world.end().await
}
