//! The operators' page of what did not arrive, where it is much: it shows a page of endpoints, says that there may be
//! more, counts all when it is asked to, and sends nothing before their number is typed.

use crate::console::signed_in;
use crate::operators::{ANNA, stage};
use mws_tests::world::{Tenant, World};
use reqwest::{StatusCode, header};

/// Makes sixty endpoints of the tenant, and this many failed deliveries to each.
async fn fill(world: &World, tenant: &Tenant, each: i32) -> anyhow::Result<()> {
    let endpoints = "INSERT INTO webhook_endpoints (id, account_id, url, event_types)
        SELECT md5('endpoint' || n)::uuid, $1, 'http://127.0.0.1:9/', '{}' FROM generate_series(1, 60) AS n
        ON CONFLICT DO NOTHING";
    sqlx::query(endpoints).bind(tenant.account).execute(world.pool()).await?;
    let rows = "INSERT INTO deliveries (id, endpoint_id, account_id, event_id, event_type, status, finished_at, error)
        SELECT gen_random_uuid(), md5('endpoint' || n % 60 + 1)::uuid, $1, 'evt_' || gen_random_uuid(), 'job.failed',
            'failed', mws_now(), 'timeout'
        FROM generate_series(1, 60 * $2) AS n";
    sqlx::query(rows).bind(tenant.account).bind(each).execute(world.pool()).await?;
    sqlx::raw_sql("ANALYZE deliveries").execute(world.pool()).await?;
    Ok(())
}

/// Returns the link that follows this text on the page.
fn link_after(page: &str, start: &str) -> String {
    let found = page.split_once(start).and_then(|(_, rest)| rest.split('"').next());
    found.unwrap_or_default().replace("&amp;", "&")
}

/// Returns the link to the next page.
fn next(page: &str) -> String {
    let before = page.split_once("\" rel=\"next\"").and_then(|(before, _)| before.rsplit("href=\"").next());
    before.unwrap_or_default().replace("&amp;", "&")
}

fn endpoints(page: &str) -> usize {
    page.matches("href=\"/console/endpoints/").count()
}

#[tokio::test]
async fn endpoints_are_shown_fifty_at_a_time_and_all_that_match_are_sent() -> anyhow::Result<()> {
    let (world, _) = stage().await?;
    let tenant = world.tenant("a").await?;
    fill(&world, &tenant, 2).await?;
    let browser = signed_in(&world, ANNA).await?;
    let (_, page) = browser.get("/console/unsent").await?;
    assert!(page.contains("<b>120</b> deliveries to <b>60</b> endpoints failed"), "{page}");
    assert!(endpoints(&page) == 50 && page.contains("Send 120 again"), "{page}");
    let (status, page) = browser.get(&next(&page)).await?;
    assert!(status == StatusCode::OK && endpoints(&page) == 10 && !page.contains("rel=\"next\""), "{page}");
    assert!(page.contains("Count all that match") && !page.contains(" again</button>"), "{page}");
    let path = format!("/console/unsent?{}", link_after(&page, "action=\"/console/unsent?"));
    let counted = browser.post(&path, &[("count_all", "yes")]).await?;
    assert_eq!(counted.status(), StatusCode::BAD_REQUEST);
    let page = counted.text().await?;
    assert!(page.contains("120 match, counted now.") && page.contains("Send 120 again"), "{page}");
    assert_eq!(world.count("SELECT count(*) FROM deliveries WHERE trigger = 'resend'").await?, 0);
    world.end().await
}

#[tokio::test]
async fn of_more_than_ten_thousand_the_page_says_so_and_counts_all_before_it_sends() -> anyhow::Result<()> {
    let (world, _) = stage().await?;
    let tenant = world.tenant("a").await?;
    fill(&world, &tenant, 201).await?;
    let browser = signed_in(&world, ANNA).await?;
    let (_, page) = browser.get("/console/unsent").await?;
    assert!(page.contains("<b>10000 or more</b> deliveries to <b>50 or more</b> endpoints failed"), "{page}");
    assert!(page.contains("Count all that match") && !page.contains("type their number"), "{page}");
    assert_eq!(endpoints(&page), 49, "the fiftieth was not looked at whole: {page}");
    let path = format!("/console/unsent?{}", link_after(&page, "action=\"/console/unsent?"));
    let (_, last) = browser.get(&next(&page)).await?;
    assert!(endpoints(&last) == 11 && last.contains("201") && !last.contains("rel=\"next\""), "{last}");

    let counted = browser.post(&path, &[("count_all", "yes")]).await?;
    assert_eq!(counted.status(), StatusCode::BAD_REQUEST);
    let page = counted.text().await?;
    assert!(page.contains("12060 match, counted now.") && page.contains("type their number"), "{page}");
    assert!(page.contains("<b>12060</b> deliveries to <b>60</b> endpoints failed"), "{page}");
    assert_eq!(world.count("SELECT count(*) FROM bulk_operations").await?, 0);
    let refused = browser.post(&path, &[("count", "10000")]).await?;
    assert_eq!(refused.status(), StatusCode::BAD_REQUEST);
    let started = browser.post(&path, &[("count", "12060"), ("name", "after the outage")]).await?;
    assert_eq!(started.status(), StatusCode::SEE_OTHER);
    assert!(started.headers()[header::LOCATION].to_str()?.starts_with("/console/bulk/"));
    assert_eq!(world.count("SELECT total::bigint FROM bulk_operations").await?, 12_060);
    world.end().await
}
