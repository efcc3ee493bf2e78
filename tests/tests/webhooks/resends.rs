//! Sending again what is pending, and what an endpoint that is disabled half-way makes of it (contract §6.3).

use crate::bench::Bench;
use crate::routes::post;
use anyhow::Context;
use chrono::{DateTime, Utc};
use domain::ids::{DeliveryId, JobId};
use domain::series::DeliveryStatus;
use mws_tests::world::{Tenant, until};
use poem::http::StatusCode;
use serde_json::json;
use sqlx::Acquire;
use store::deliveries::{self, UnsentFilter};
use store::events::EndedEvent;

#[tokio::test]
async fn a_second_resend_of_a_delivery_takes_the_place_of_the_first() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    let endpoint = bench.endpoint().await;
    bench.end_jobs(1).await;
    bench.work().await;
    let delivery = bench.only_delivery(endpoint).await.id.to_string();
    let path = format!("/webhooks/{endpoint}/deliveries");
    for _ in 0..3 {
        let (status, resent) = post(&bench, &path, json!({ "delivery_id": delivery })).await;
        assert_eq!(status, StatusCode::ACCEPTED, "{resent}");
    }
    let statuses: Vec<_> = bench.deliveries(endpoint).await.into_iter().map(|row| row.status).collect();
    let (ended, pending) = (DeliveryStatus::Cancelled, DeliveryStatus::Pending);
    assert_eq!(statuses, [DeliveryStatus::Succeeded, ended, ended, pending]);
    bench.work().await;
    assert_eq!(bench.receiver.received().len(), 2, "the event, and the last resend");
    bench.end().await
}

#[tokio::test]
async fn a_disabling_half_way_through_a_resend_does_not_hide_what_was_begun() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    let endpoint = bench.endpoint().await;
    let path = format!("/webhooks/{endpoint}/deliveries");
    let ended = bench.end_jobs(1_001).await;
    bench.tickets().await;
    let changes = "UPDATE deliveries SET status = 'failed', finished_at = mws_now();
        CREATE FUNCTION disable() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            UPDATE webhook_endpoints SET enabled = false, disabled_reason = 'user', disabled_at = mws_now();
            RETURN NULL;
        END $$;
        CREATE TRIGGER disable AFTER INSERT ON deliveries EXECUTE FUNCTION disable()";
    sqlx::raw_sql(changes).execute(&bench.process.pool).await?;
    let since = json!({ "since": "2020-01-01T00:00:00Z" });
    let (status, begun) = post(&bench, &path, since.clone()).await;
    assert_eq!((status, begun), (StatusCode::ACCEPTED, json!({ "resent": 1_000, "has_more": true })));
    let (status, refused) = post(&bench, &path, since).await;
    assert_eq!((status, &refused["error"]["code"]), (StatusCode::CONFLICT, &json!("endpoint_disabled")));
    assert_eq!(ended.len(), 1_001);
    bench.end().await
}

#[tokio::test]
async fn a_resend_whose_commit_is_not_answered_half_way_says_so() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    let endpoint = bench.endpoint().await;
    bench.end_jobs(1_001).await;
    bench.tickets().await;
    // The commit of the second batch is refused as by a server that ends.
    let changes = "UPDATE deliveries SET status = 'failed', finished_at = mws_now();
        CREATE SEQUENCE begun;
        CREATE FUNCTION ends() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            IF nextval('begun') > 1000 THEN RAISE 'it ends' USING ERRCODE = '57P01'; END IF;
            RETURN NULL;
        END $$;
        CREATE CONSTRAINT TRIGGER ends AFTER INSERT ON deliveries DEFERRABLE INITIALLY DEFERRED
            FOR EACH ROW EXECUTE FUNCTION ends()";
    sqlx::raw_sql(changes).execute(&bench.process.pool).await?;
    let path = format!("/webhooks/{endpoint}/deliveries");
    let (status, refused) = post(&bench, &path, json!({ "since": "2020-01-01T00:00:00Z" })).await;
    assert_eq!((status, &refused["error"]["code"]), (StatusCode::SERVICE_UNAVAILABLE, &json!("database_unavailable")));
    bench.end().await
}

#[tokio::test]
async fn what_did_not_arrive_is_looked_for_while_nobody_waits_for_the_endpoint() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    let (endpoint, pool) = (bench.endpoint().await, &bench.process.pool);
    bench.end_jobs(3).await;
    bench.tickets().await;
    sqlx::raw_sql("UPDATE deliveries SET status = 'failed', finished_at = mws_now()").execute(pool).await?;
    let since = UnsentFilter::since(DateTime::<Utc>::UNIX_EPOCH);
    let mut conn = bench.conn().await;
    let found = deliveries::unsent(&mut conn, endpoint, &since, 10).await?;
    let found: Vec<DeliveryId> = found.into_iter().map(|unsent| unsent.id).collect();
    assert_eq!(found.len(), 3);

    // As if the endpoint's log were so long that the look takes its time.
    bench.wait_for_locks().await?;
    let mut long = conn.begin().await?;
    sqlx::query("LOCK TABLE deliveries IN ACCESS EXCLUSIVE MODE").execute(&mut *long).await?;
    let path = format!("/webhooks/{endpoint}/deliveries");
    let resend = post(&bench, &path, json!({ "since": "2020-01-01T00:00:00Z" }));
    let meanwhile = async {
        let waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'deliveries'::regclass
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
        until("it looks", async || {
            let many: i64 = sqlx::query_scalar(waiting).fetch_one(pool).await?;
            Ok((many > 0).then_some(()))
        })
        .await?;
        // Whoever records attempts of this endpoint and of others takes this lock.
        sqlx::query("SELECT id FROM webhook_endpoints FOR NO KEY UPDATE NOWAIT").execute(pool).await?;
        long.rollback().await?;
        anyhow::Ok(())
    };
    let ((status, resent), free) = tokio::join!(resend, meanwhile);
    free?;
    assert_eq!((status, resent), (StatusCode::ACCEPTED, json!({ "resent": 3, "has_more": false })));
    // What another call has found before that is not sent twice.
    assert_eq!(deliveries::still_unsent(&mut conn, endpoint, &found).await?.len(), 0);
    drop(conn);
    bench.end().await
}

#[tokio::test]
async fn a_long_look_passes_what_was_sent_again_and_counts_as_requests_of_the_account() -> anyhow::Result<()> {
    let bench = Bench::with(|settings| (settings.rate_per_minute, settings.rate_burst) = (600, 60)).await?;
    bench.world.stop_clock().await?;
    let (endpoint, pool) = (bench.endpoint().await, &bench.process.pool);
    bench.end_jobs(2).await;
    bench.tickets().await;
    let ended = "UPDATE deliveries SET status = 'skipped', finished_at = mws_now(), ticket_id = NULL";
    sqlx::raw_sql(ended).execute(pool).await?;
    // As if the first event had been sent again 20,000 times, each time in vain.
    let again = "INSERT INTO deliveries
        SELECT (jsonb_populate_record(NULL::deliveries, to_jsonb(d)
            || jsonb_build_object('id', gen_random_uuid(), 'resend_of', d.id, 'trigger', 'resend'))).*
        FROM (SELECT * FROM deliveries WHERE resend_of IS NULL ORDER BY id LIMIT 1) AS d, generate_series(1, 2000)";
    for _ in 0..10 {
        sqlx::raw_sql(again).execute(pool).await?;
    }
    let path = format!("/webhooks/{endpoint}/deliveries");
    let (status, resent) = post(&bench, &path, json!({ "since": "2020-01-01T00:00:00Z" })).await;
    assert_eq!((status, resent), (StatusCode::ACCEPTED, json!({ "resent": 2, "has_more": false })));
    // Twenty requests are two seconds of its rate.
    let ahead = "SELECT count(*) FROM rate_limits WHERE theoretical_arrival > mws_now() + interval '1 second'";
    let ahead: i64 = sqlx::query_scalar(ahead).fetch_one(pool).await?;
    assert_eq!(ahead, 1);
    bench.end().await
}

/// Four resends look or send at once in a process, and each of the long ones has three batches.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_short_resend_is_over_while_long_ones_of_four_other_accounts_go_on() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    let mut missed = Vec::new();
    for (name, many) in [("a", 2_001), ("b", 2_001), ("c", 2_001), ("d", 2_001), ("e", 1)] {
        let tenant = bench.world.tenant(name).await?;
        let hook = tenant.client.post("/webhooks", &json!({ "url": "https://93.184.216.34/" })).await?.json;
        let of_tenant =
            || EndedEvent { account_id: tenant.account, workspace_id: tenant.workspace, ..bench.ended(JobId::mint()) };
        let ended: Vec<EndedEvent> = (0..many).map(|_| of_tenant()).collect();
        bench.record(&ended).await;
        missed.push((tenant, format!("/webhooks/{}/deliveries", hook["id"].as_str().context("no id")?)));
    }
    bench.tickets().await;
    let failed = "UPDATE deliveries SET status = 'failed', finished_at = mws_now()";
    sqlx::raw_sql(failed).execute(&bench.process.pool).await?;
    let send = |(tenant, path): &(Tenant, String)| {
        let (client, path) = (tenant.client.clone(), path.clone());
        tokio::spawn(async move { client.post(&path, &json!({ "since": "2020-01-01T00:00:00Z" })).await })
    };
    bench.world.wait_for_locks().await?;
    let mut conn = bench.conn().await;
    let mut held = conn.begin().await?;
    sqlx::query("SELECT id FROM webhook_endpoints FOR UPDATE").execute(&mut *held).await?;
    let long: Vec<_> = missed[..4].iter().map(send).collect();
    let waiting = "SELECT count(DISTINCT pid) FROM pg_locks WHERE NOT granted
        AND pid IN (SELECT pid FROM pg_stat_activity WHERE datname = current_database())";
    until("four have their turns", async || Ok((bench.world.count(waiting).await? >= 4).then_some(()))).await?;
    let short = send(&missed[4]);
    let under_way = || bench.world.app().resends.under_way(missed[4].0.account);
    until("the fifth stands behind them", async || Ok((under_way() == 1).then_some(()))).await?;
    held.rollback().await?;
    let short = short.await??;
    assert_eq!((short.status, short.json), (202, json!({ "resent": 1, "has_more": false })));
    for call in long {
        let long = call.await??;
        assert_eq!((long.status, long.json), (202, json!({ "resent": 2_001, "has_more": false })));
    }
    // Each batch has the time at which its transaction began.
    let after = "SELECT count(DISTINCT account_id) FROM deliveries WHERE trigger = 'resend' AND created_at >
        (SELECT max(created_at) FROM deliveries WHERE trigger = 'resend' AND account_id = $1)";
    let after = sqlx::query_scalar::<_, i64>(after).bind(missed[4].0.account);
    assert_eq!(after.fetch_one(bench.world.pool()).await?, 4, "it waited for a long one");
    drop(conn);
    bench.end().await
}
