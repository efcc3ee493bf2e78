//! What the lists of the operators' pages read of full tables: the rows that they show, or as many as a page looks
//! through. `plans`, `verdict`, `console_lists`, `console_overview` and the webhooks' `plans` hold the same of jobs, of
//! the overview, of traces and of an endpoint's deliveries.

use crate::console::signed_in;
use crate::operators::work::deliveries as ended_deliveries;
use crate::operators::{ANNA, BO, get, stage};
use anyhow::Context;
use chrono::{DateTime, TimeDelta, Utc};
use domain::ids::{DeliveryId, EndpointId, ItemId, WorkspaceId};
use domain::read::Read;
use domain::series::DeliveryStatus;
use domain::task::Task;
use domain::verdict::{Backlog, COUNTED_OF_A_TASK, LOOKED_AT};
use mws_tests::plans::rows_read;
use mws_tests::world::{Tenant, World};
use reqwest::StatusCode;
use sqlx::types::Uuid;
use sqlx::{Connection, PgConnection};
use std::time::Duration;
use store::audit::{self, AuditFilter};
use store::deliveries::{self, DeliveryFilter, DeliverySearchFilter, SearchScope, UnsentFilter};
use store::{accounts, endpoints, footage, items, verdict};

/// Fills an endpoint's log with deliveries a second apart until now, of which one failed. Returns that one, and when it
/// began.
async fn fill_log(world: &World, tenant: &Tenant, endpoint: EndpointId) -> anyhow::Result<(DeliveryId, DateTime<Utc>)> {
    let rows = "INSERT INTO deliveries (id, endpoint_id, account_id, event_id, event_type, job_id, status, created_at,
             finished_at, response_status, error)
         SELECT (left(mws_first_id(at)::text, 24) || lpad(to_hex(n), 12, '0'))::uuid, $1, $2, 'evt_' || n,
             'job.succeeded', gen_random_uuid(), CASE n WHEN 40000 THEN 'failed' ELSE 'succeeded' END, at, at,
             CASE n WHEN 40000 THEN NULL ELSE 200 END, CASE n WHEN 40000 THEN 'tls_failed' END
         FROM (SELECT n, mws_now() - (100000 - n) * interval '1 s' AS at FROM generate_series(1, 100000) AS n) AS rows";
    sqlx::query(rows).bind(endpoint).bind(tenant.account).execute(world.pool()).await?;
    sqlx::raw_sql("ANALYZE deliveries").execute(world.pool()).await?;
    let failed = "SELECT id, created_at FROM deliveries WHERE status = 'failed'";
    Ok(sqlx::query_as(failed).fetch_one(world.pool()).await?)
}

#[tokio::test]
async fn one_failed_delivery_among_a_hundred_thousand_is_found_by_the_filters_of_the_list() -> anyhow::Result<()> {
    let (world, _) = stage().await?;
    let tenant = world.tenant("a").await?;
    let endpoint = world.endpoint(&tenant, "http://127.0.0.1:9/a").await?;
    let (failed, at) = fill_log(&world, &tenant, endpoint).await?;
    let until = at + TimeDelta::minutes(1);
    let text = |at: DateTime<Utc>| at.format("%Y-%m-%dT%H:%M:%SZ").to_string();
    let (since_text, until_text) = (text(at - TimeDelta::minutes(1)), text(until));
    let browser = signed_in(&world, BO).await?;
    for filter in [
        format!("status=failed&until={until_text}"),
        format!("endpoint_id={endpoint}&error=tls_failed&until={until_text}"),
        format!("account_id={}&status=failed&since={since_text}&until={until_text}", tenant.account),
    ] {
        let (status, page) = browser.get(&format!("/console/deliveries?{filter}")).await?;
        let is_there = page.contains(&format!("href=\"/console/deliveries/{failed}\""));
        assert!(status == StatusCode::OK && is_there, "{filter}: {page}");
        assert_eq!(page.matches("href=\"/console/deliveries/dlv_").count(), 1, "{filter}: {page}");
    }
    // Without a time each page looks through two thousand, says so, and leads on.
    let (mut path, mut looks) = ("/console/deliveries?status=failed".to_owned(), 1);
    loop {
        let (_, page) = browser.get(&path).await?;
        if page.contains(&failed.to_string()) {
            break;
        }
        assert!(page.contains("None among the newest 2,000 deliveries that were looked at"), "{path}: {page}");
        let before = page.split("\" rel=\"next\"").next().and_then(|before| before.rsplit("href=\"").next());
        path = before.unwrap_or_default().replace("&amp;", "&");
        looks += 1;
    }
    assert!((30..=31).contains(&looks), "behind sixty thousand it is on page 31, not {looks}");

    let mut conn = world.pool().acquire().await?;
    let mut look = conn.begin().await?;
    let filter = DeliveryFilter { until: Some(until), ..DeliveryFilter::default() };
    let every = DeliverySearchFilter {
        filter: DeliveryFilter { status: Some(DeliveryStatus::Failed), ..filter },
        error: Some("tls_failed".to_owned()),
    };
    for place in [SearchScope::All, SearchScope::Endpoints(vec![endpoint])] {
        let before = rows_read(&mut look, "deliveries").await?;
        let seen = deliveries::search(&mut look, &place, &every, None, 21).await?;
        let read = rows_read(&mut look, "deliveries").await? - before;
        assert_eq!(seen.rows, [failed], "{place:?}");
        assert!(read <= 2_000, "{place:?}: {read} rows were read");
    }
    an_event_that_failed_often_is_looked_up_once(&mut look, &tenant, endpoint).await?;
    look.rollback().await?;
    drop(conn);
    sqlx::raw_sql("TRUNCATE deliveries, delivery_attempts").execute(world.pool()).await?;
    world.end().await
}

/// What stands for deliveries that failed is looked up by their events: of one that was sent again 300 times the rows
/// are read once, for the page of errors and for a list.
async fn an_event_that_failed_often_is_looked_up_once(
    look: &mut PgConnection,
    tenant: &Tenant,
    endpoint: EndpointId,
) -> anyhow::Result<()> {
    let often = "INSERT INTO deliveries (id, endpoint_id, account_id, event_id, event_type, status, finished_at, error)
        SELECT (left(mws_first_id(mws_now())::text, 24) || lpad(to_hex(1000000 + n), 12, '0'))::uuid, $1, $2, 'evt_again',
            'job.succeeded', 'failed', mws_now(), 'timeout'
        FROM generate_series(1, 300) AS n RETURNING id";
    let mut ids: Vec<DeliveryId> =
        sqlx::query_scalar(often).bind(endpoint).bind(tenant.account).fetch_all(&mut *look).await?;
    ids.sort_unstable();
    // Without its figures the planner takes two indexes for one event's rows.
    sqlx::raw_sql("ANALYZE deliveries").execute(&mut *look).await?;
    let shown = &ids[200..];
    for (arrived, counts, marked) in [(false, [300, 299, 0, 1], 99), (true, [299, 299, 299, 0], 100)] {
        if arrived {
            let one = "UPDATE deliveries SET status = 'succeeded', error = NULL WHERE id = $1";
            sqlx::query(one).bind(ids[0]).execute(&mut *look).await?;
        }
        let before = rows_read(look, "deliveries").await?;
        let kinds = deliveries::failures(look, 24, 20_000, 101).await?;
        let read = rows_read(look, "deliveries").await? - before;
        let told: Vec<_> =
            kinds.iter().map(|kind| [kind.deliveries, kind.sent_again, kind.arrived, kind.unsent]).collect();
        assert_eq!(told, [counts]);
        assert!(read <= 21_000, "{read} rows were read");
        let before = rows_read(look, "deliveries").await?;
        let again = deliveries::sent_again(look, shown).await?;
        let read = rows_read(look, "deliveries").await? - before;
        let (by, status) =
            if arrived { (ids[0], DeliveryStatus::Succeeded) } else { (ids[299], DeliveryStatus::Failed) };
        assert!(again.iter().all(|one| one.stands_in == by && one.status == status), "{again:?}");
        assert_eq!(again.len(), marked);
        assert!(read <= 450, "{read} rows were read");
    }
    Ok(())
}

/// Fills, until the transaction is undone, the tables of items and of what is seen in them, of accounts, endpoints and
/// the audit log. One item has many moments and much that is written in it.
async fn fill(conn: &mut PgConnection) -> sqlx::Result<()> {
    let rows = "SET LOCAL session_replication_role = replica;
        INSERT INTO items (id, workspace_id, account_id, ref, name, type, status, duration_ms, has_audio, has_video, object_key)
        SELECT md5('item' || n)::uuid, md5((n % 40)::text)::uuid, md5((n % 40)::text)::uuid, n::text, 'a', 'video', 'ready',
            1, true, true, 'none'
        FROM generate_series(1, 30000) AS n;
        INSERT INTO moments (item_id, start_ms, end_ms, number)
        SELECT CASE WHEN n <= 2000 THEN md5('item1')::uuid ELSE md5('item' || n)::uuid END, n * 1000, n * 1000 + 1000, n
        FROM generate_series(1, 30000) AS n;
        INSERT INTO passages (item_id, shown, number, workspace_id, text, own_words, times)
        SELECT CASE WHEN n <= 500 THEN md5('item1')::uuid ELSE md5('item' || n)::uuid END, true, n, md5('1')::uuid, 'exit', 1,
            json_build_array(json_build_array(n * 1000, n * 1000 + 500))
        FROM generate_series(1, 5000) AS n;
        INSERT INTO accounts (id, name) SELECT md5('account' || n)::uuid, n::text FROM generate_series(1, 30000) AS n;
        INSERT INTO webhook_endpoints (id, account_id, url, event_types)
        SELECT md5('endpoint' || n)::uuid, md5((n % 3000)::text)::uuid, 'http://127.0.0.1:9/', '{}'
        FROM generate_series(1, 30000) AS n;
        INSERT INTO operator_audit (id, operator, action, target, request_id)
        SELECT md5('entry' || n)::uuid, 'anna', 'view', n::text, 'r' FROM generate_series(1, 30000) AS n;
        ANALYZE operator_audit; ANALYZE items; ANALYZE moments; ANALYZE passages; ANALYZE accounts; ANALYZE webhook_endpoints";
    sqlx::raw_sql(rows).execute(conn).await?;
    Ok(())
}

/// The statements of lists read at most twice as many rows of their table as a page of 21 shows: on the first page and
/// on one in the middle.
#[tokio::test]
async fn a_page_of_items_accounts_endpoints_moments_or_the_audit_log_reads_what_it_shows_in_full_tables()
-> anyhow::Result<()> {
    let world = World::new().await?;
    let mut conn = world.pool().acquire().await?;
    let mut look = conn.begin().await?;
    fill(&mut look).await?;
    let (item, workspace): (ItemId, WorkspaceId) =
        sqlx::query_as("SELECT md5('item1')::uuid, md5('1')::uuid").fetch_one(&mut *look).await?;
    let middle: Uuid =
        sqlx::query_scalar("SELECT '80000000-0000-0000-0000-000000000000'::uuid").fetch_one(&mut *look).await?;
    for after in [None, Some(middle)] {
        let before = rows_read(&mut look, "items").await?;
        assert_eq!(items::newest(&mut look, None, after.map(ItemId::from), 21).await?.len(), 21);
        assert_eq!(items::newest(&mut look, Some(workspace), after.map(ItemId::from), 21).await?.len(), 21);
        let read = rows_read(&mut look, "items").await? - before;
        assert!(read <= 84, "{after:?}: {read} items were read for two pages");
        let before = rows_read(&mut look, "accounts").await?;
        assert_eq!(accounts::list(&mut look, None, after, 21).await?.len(), 21);
        let read = rows_read(&mut look, "accounts").await? - before;
        assert!(read <= 42, "{after:?}: {read} accounts were read");
        let before = rows_read(&mut look, "webhook_endpoints").await?;
        assert_eq!(endpoints::every(&mut look, None, None, after.map(EndpointId::from), 21).await?.len(), 21);
        let read = rows_read(&mut look, "webhook_endpoints").await? - before;
        assert!(read <= 42, "{after:?}: {read} endpoints were read");
        let before = rows_read(&mut look, "operator_audit").await?;
        assert_eq!(audit::list(&mut look, AuditFilter::default(), after, 21).await?.len(), 21);
        let read = rows_read(&mut look, "operator_audit").await? - before;
        assert!(read <= 42, "{after:?}: {read} entries were read");
    }
    let before = rows_read(&mut look, "moments").await?;
    let starts: Vec<i32> =
        footage::moments_from(&mut look, item, 1_500_000, 3).await?.iter().map(|moment| moment.start_ms).collect();
    assert_eq!(starts, [1_500_000, 1_501_000, 1_502_000]);
    let read = rows_read(&mut look, "moments").await? - before;
    assert!(read <= 3, "{read} moments were read");
    let before = rows_read(&mut look, "passages").await?;
    let written = footage::written_between(&mut look, item, (9_000, 11_000), 10).await?;
    let times: Vec<_> = written.iter().map(|passage| passage.times[0]).collect();
    assert_eq!(times, [(9_000, 9_500), (10_000, 10_500)]);
    let read = rows_read(&mut look, "passages").await? - before;
    assert!(read <= 500, "{read} passages were read: those of the item are 500");
    look.rollback().await?;
    drop(conn);
    world.end().await
}

/// Of sixty thousand deliveries that did not arrive a page looks at ten thousand, and pages go through all endpoints.
/// One endpoint's events were sent again, another's deliveries are all of one event, and a third was removed.
#[tokio::test]
async fn a_page_of_what_is_unsent_looks_at_ten_thousand_and_pages_count_each_endpoint_whole() -> anyhow::Result<()> {
    let world = World::new().await?;
    let mut conn = world.pool().acquire().await?;
    let mut look = conn.begin().await?;
    let rows = "SET LOCAL session_replication_role = replica;
        INSERT INTO webhook_endpoints (id, account_id, url, event_types, deleted_at)
        SELECT md5('endpoint' || n)::uuid, md5('a')::uuid, 'http://127.0.0.1:9/', '{}', CASE n WHEN 3 THEN mws_now() END
        FROM generate_series(1, 300) AS n;
        INSERT INTO deliveries (id, endpoint_id, account_id, event_id, event_type, status, created_at, finished_at, error)
        SELECT (left(mws_first_id(at)::text, 24) || lpad(to_hex(n), 12, '0'))::uuid,
            md5('endpoint' || n % 300 + 1)::uuid, md5('a')::uuid,
            CASE n % 300 WHEN 1 THEN 'evt_one' ELSE 'evt_' || n END, 'job.failed', 'failed', at, at, 'timeout'
        FROM (SELECT n, mws_now() - n * interval '1 s' AS at FROM generate_series(1, 60000) AS n) AS rows;
        INSERT INTO deliveries (id, endpoint_id, account_id, event_id, event_type, trigger, status)
        SELECT gen_random_uuid(), endpoint_id, account_id, event_id, event_type, 'resend', 'pending'
        FROM deliveries WHERE endpoint_id = md5('endpoint1')::uuid;
        ANALYZE webhook_endpoints; ANALYZE deliveries";
    sqlx::raw_sql(rows).execute(&mut *look).await?;
    let since = UnsentFilter::since(DateTime::<Utc>::UNIX_EPOCH);
    let before = rows_read(&mut look, "deliveries").await?;
    let first = deliveries::unsent_page(&mut look, None, &since, None, 10_000, i64::MAX).await?;
    let read = rows_read(&mut look, "deliveries").await? - before;
    assert!(first.has_more && (48..=52).contains(&first.endpoints.len()), "{first:?}");
    assert!(read <= 21_000, "{read} rows were read: each of ten thousand, and what stands for it");
    let (mut counts, mut after) = (Vec::new(), None);
    loop {
        let before = rows_read(&mut look, "deliveries").await?;
        let page = deliveries::unsent_page(&mut look, None, &since, after, 10_000, 20).await?;
        let read = rows_read(&mut look, "deliveries").await? - before;
        assert!(page.endpoints.len() <= 20 && page.cut.is_none() && read <= 10_000, "{read} rows were read: {page:?}");
        counts.extend(page.endpoints.iter().map(|one| (one.endpoint_id, one.count)));
        after = page.whole;
        if !page.has_more {
            break;
        }
    }
    let all = deliveries::unsent_of(&mut look, None, None, &since).await?;
    assert_eq!(counts, all.iter().map(|one| (one.endpoint_id, one.count)).collect::<Vec<_>>());
    let mut different: Vec<i64> = counts.iter().map(|(_, count)| *count).collect();
    different.sort_unstable();
    assert_eq!((different.len(), different[0], different[1]), (298, 1, 200));
    let (one, _) = *counts.iter().find(|(_, count)| *count == 200).context("most have so many")?;
    let large = deliveries::unsent_page(&mut look, Some(&[one]), &since, None, 100, i64::MAX).await?;
    assert_eq!((large.cut, large.whole, large.endpoints[0].count), (Some(one), None, 100));
    look.rollback().await?;
    drop(conn);
    world.end().await
}

/// Of an hour the overview reads the newest rows alone, also where they don't lie in the order of their times.
#[tokio::test]
async fn the_newest_of_an_hour_are_read_in_whatever_order_they_lie() -> anyhow::Result<()> {
    let world = World::new().await?;
    let mut conn = world.pool().acquire().await?;
    let mut look = conn.begin().await?;
    let rows = "SET LOCAL session_replication_role = replica;
        INSERT INTO events (id, account_id, workspace_id, job_id, type, body, created_at)
        SELECT 'evt_' || n, md5('a')::uuid, md5('w')::uuid, gen_random_uuid(), 'job.failed', '{}',
            mws_now() - n * interval '150 ms'
        FROM generate_series(1, 20000) AS n ORDER BY md5(n::text);
        INSERT INTO deliveries (id, endpoint_id, account_id, event_id, event_type, job_id, status, created_at, finished_at,
            response_status)
        SELECT (left(mws_first_id(at)::text, 24) || lpad(to_hex(n), 12, '0'))::uuid, md5('e')::uuid, md5('a')::uuid,
            'evt_' || n, 'job.failed', gen_random_uuid(), 'succeeded', at, at, 200
        FROM (SELECT n, mws_now() - n * interval '150 ms' AS at FROM generate_series(1, 20000) AS n) AS rows
        ORDER BY md5(n::text);
        ANALYZE events; ANALYZE deliveries";
    sqlx::raw_sql(rows).execute(&mut *look).await?;
    let before = [rows_read(&mut look, "events").await?, rows_read(&mut look, "deliveries").await?];
    let hours = verdict::by_hour(&mut look).await?;
    let after = [rows_read(&mut look, "events").await?, rows_read(&mut look, "deliveries").await?];
    let last = hours[hours.len() - 1];
    assert_eq!((last.failed, last.has_more_jobs, last.has_more_deliveries), (LOOKED_AT, true, true), "{last:?}");
    for (table, read) in ["events", "deliveries"].into_iter().zip([after[0] - before[0], after[1] - before[1]]) {
        assert!(read <= LOOKED_AT, "{read} {table} were read, of which the newest are counted");
    }
    look.rollback().await?;
    drop(conn);
    world.end().await
}

#[tokio::test]
async fn hours_and_failures_are_counted_once_for_all_who_look_within_seconds() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let tenant = world.tenant("a").await?;
    let endpoint = world.endpoint(&tenant, "http://127.0.0.1:9/a").await?;
    ended_deliveries(&world, &tenant, endpoint, &[("failed", "tls_failed")]).await?;
    let (one, other) = (signed_in(&world, BO).await?, signed_in(&world, ANNA).await?);
    world.stop_clock().await?;
    world.advance(Duration::from_secs(1)).await?;
    let (troubled, tls, dns) = ("1 troubled delivery in the last hour", "error=tls_failed", "error=dns_failed");
    let first = [one.get("/console").await?.1, one.get("/console/errors").await?.1];
    assert!(!first[0].contains(troubled) && first[1].contains(tls), "{first:?}");

    sqlx::query("UPDATE deliveries SET attempt_count = 1, error = 'dns_failed'").execute(world.pool()).await?;
    let kept = tokio::join!(one.get("/console"), other.get("/console"), other.get("/console/errors"));
    let kept = [kept.0?.1, kept.1?.1, kept.2?.1];
    let is_kept = !kept[0].contains(troubled) && !kept[1].contains(troubled) && kept[2].contains(tls);
    assert!(is_kept, "they are counted anew: {kept:?}");
    let told = get(&anna, "/operator/errors").await?;
    assert_eq!(told["deliveries"]["data"][0]["error"], "dns_failed", "a program is told what is now: {told}");

    world.advance(Duration::from_secs(2)).await?;
    let errors = other.get("/console/errors").await?.1;
    assert!(errors.contains(dns) && !errors.contains(tls), "{errors}");
    world.advance(Duration::from_secs(8)).await?;
    let hours = other.get("/console").await?.1;
    assert!(hours.contains(troubled), "{hours}");
    world.end().await
}

/// Where more jobs wait than are looked at together, each read is counted by itself up to its bound, also one whose
/// jobs are behind all others. A count that may be too low says so.
#[tokio::test]
async fn a_backlog_is_counted_for_each_read_and_no_further_than_its_bound() -> anyhow::Result<()> {
    const ROWS: &str = "INSERT INTO jobs (id, call_id, payer_account_id, owner_account_id, workspace_id, kind, read, admitted,
            hold_month, held_month, held_bought)
        SELECT gen_random_uuid(), md5('call')::uuid, $1::uuid, $1::uuid, md5('workspace')::uuid, $2, $3, $4, date '2026-11-01',
            100, 0
        FROM generate_series(1, $5::bigint)";
    const FIRST: &str = "00000000-0000-4000-8000-000000000001";
    const LAST: &str = "ffffffff-ffff-4fff-8fff-ffffffffffff";
    let world = World::new().await?;
    let mut conn = world.pool().acquire().await?;
    let mut look = conn.begin().await?;
    sqlx::raw_sql("SET LOCAL session_replication_role = replica").execute(&mut *look).await?;
    let told = |found: &[Backlog], task: Task| {
        let one = found.iter().find(|one| one.task == task);
        one.map(|one| (one.due, one.without_place, one.put_back, one.has_more_due, one.has_more_unplaced))
    };
    let [transcript, levels, beats] = [Read::Transcript, Read::Levels, Read::Beats].map(Task::Read);
    for (payer, kind, read, admitted, many) in [
        (LAST, "read", "levels", false, 3_i64),
        (LAST, "read", "levels", true, 2),
        (FIRST, "transcription", "transcript", false, 1_000),
    ] {
        let row = sqlx::query(ROWS).bind(payer).bind(kind).bind(read).bind(admitted).bind(many);
        row.execute(&mut *look).await?;
    }
    let few = verdict::backlogs(&mut look).await?;
    assert_eq!(few.len(), 2, "{few:?}");
    assert_eq!(told(&few, transcript), Some((0, 1_000, 0, false, false)));
    assert_eq!(told(&few, levels), Some((2, 3, 0, false, false)));

    let flood = sqlx::query(ROWS).bind(FIRST).bind("transcription").bind("transcript").bind(false).bind(24_000_i64);
    flood.execute(&mut *look).await?;
    sqlx::raw_sql("ANALYZE jobs").execute(&mut *look).await?;
    let before = rows_read(&mut look, "jobs").await?;
    let many = verdict::backlogs(&mut look).await?;
    let read = rows_read(&mut look, "jobs").await? - before;
    assert_eq!(told(&many, transcript), Some((0, COUNTED_OF_A_TASK, 0, false, true)));
    assert_eq!(told(&many, levels), Some((2, 3, 0, false, false)), "they are behind all others");
    assert_eq!(told(&many, beats), None, "none of it waits");
    assert_eq!(told(&many, Task::Render), Some((0, 0, 0, false, true)), "it has no index of its own");
    assert!(read <= LOOKED_AT + COUNTED_OF_A_TASK + 10, "{read} jobs were read");
    look.rollback().await?;
    drop(conn);
    world.end().await
}
