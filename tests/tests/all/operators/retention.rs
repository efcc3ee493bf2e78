//! What of old rows is deleted next, and how large the tables are.

use super::work::deliveries;
use super::{ANNA, done, get, stage, text};
use crate::console::signed_in;
use chrono::DateTime;
use domain::read::Read;
use mws_tests::world::Media;
use reqwest::StatusCode;
use serde_json::{Value, json};
use std::time::Duration;

#[tokio::test]
async fn operators_see_from_when_the_oldest_rows_are_deleted_and_how_large_tables_are() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let tenant = world.tenant("a").await?;
    world.can_run(&[Read::Levels]).await?;
    let items = world.items(&tenant, 2, Media::audio(60)).await?;
    let jobs = tenant.client.prepare(&items, &["levels"]).await?.job_ids()?;
    let endpoint = world.endpoint(&tenant, "http://127.0.0.1:9/a").await?;
    deliveries(&world, &tenant, endpoint, &[("failed", "tls_failed"), ("succeeded", ""), ("succeeded", "")]).await?;
    sqlx::query("ANALYZE deliveries").execute(world.pool()).await?;

    let told = get(&anna, "/operator/retention").await?;
    let find = |told: &Value, list: &str, field: &str, name: &str| -> Value {
        let mut rows = told[list].as_array().into_iter().flatten();
        rows.find(|row| row[field] == name).cloned().unwrap_or_default()
    };
    let table = find(&told, "tables", "name", "deliveries");
    assert_eq!(table["rows"], 3, "{table}");
    let has = |size: &str| table[size].as_i64().is_some_and(|bytes| bytes > 0 && bytes % 8_192 == 0);
    assert!(has("table_bytes") && has("index_bytes") && table["gathered_at"].is_string(), "{table}");
    assert_ne!(find(&told, "tables", "name", "apalis.jobs"), Value::Null, "those of the queue too");
    let sizes: Vec<i64> = told["tables"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|table| Some(table["table_bytes"].as_i64()? + table["index_bytes"].as_i64()?))
        .collect();
    assert!(sizes.len() > 30 && sizes.is_sorted_by(|one, next| one >= next), "the largest first: {sizes:?}");

    let kept = find(&told, "kept", "table", "jobs");
    assert_eq!((&kept["oldest_at"], &kept["deleted_from"]), (&Value::Null, &Value::Null), "none has ended: {kept}");
    world.advance(Duration::from_hours(1)).await?;
    done(&anna, "POST", &format!("/operator/jobs/{}/cancel", jobs[1]), &json!({}), 202).await?;
    let later = get(&anna, "/operator/retention").await?;
    let time =
        |table: &str, field: &str| DateTime::parse_from_rfc3339(&text(&find(&later, "kept", "table", table), field));
    let kept = time("jobs", "/deleted_from")? - time("jobs", "/oldest_at")?;
    assert_eq!(kept.num_days(), 30, "{later}");
    let apart = time("jobs", "/oldest_at")? - time("deliveries", "/oldest_at")?;
    assert!(apart.num_minutes() >= 60, "a job counts from its end: {later}");
    let logged = find(&later, "kept", "table", "account_audit");
    assert_eq!((&logged["days"], &logged["setting"]), (&json!(400), &json!("MWS_AUDIT_DAYS")), "{logged}");

    let browser = signed_in(&world, ANNA).await?;
    let (status, page) = browser.get("/console/fleet").await?;
    assert_eq!(status, StatusCode::OK, "{page}");
    for shown in ["What is deleted next", "MWS_RETENTION_DAYS", "The largest tables", "mws admin retention"] {
        assert!(page.contains(shown), "{shown}: {page}");
    }

    let migrating = world.hold("LOCK TABLE project_webhooks IN ACCESS EXCLUSIVE MODE").await?;
    let (status, page) = browser.get("/console/fleet").await?;
    migrating.rollback().await?;
    assert_eq!(status, StatusCode::OK, "{page}");
    for shown in ["Releases and the schema", "What is deleted next", "It could not be read within two seconds."] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    world.end().await
}
