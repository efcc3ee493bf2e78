//! The views for SQL tools: what they say is what the interface says, and their columns stay.

use mws_tests::world::{Media, Receiver, World, runners, until};
use serde_json::{Value, json};

/// Every view with its columns, in their order: a contract.
const COLUMNS: [(&str, &str); 4] = [
    (
        "deliveries_daily",
        "day,account_id,endpoint_id,event_type,trigger,status,response_status,error,deliveries,attempts",
    ),
    ("jobs_daily", "day,account_id,kind,read,status,error_code,jobs,minutes,credits,wait_seconds,run_seconds"),
    ("minutes_daily", "day,account_id,kind,entries,month_minutes,bought_minutes,credits"),
    ("queue_now", "kind,read,state,jobs,oldest_seconds"),
];

/// The rows of a query, as JSON.
async fn rows(world: &World, query: &str) -> anyhow::Result<Value> {
    let all = format!("SELECT coalesce(json_agg(one), '[]') FROM ({query}) AS one");
    Ok(sqlx::query_scalar(sqlx::AssertSqlSafe(all)).fetch_one(world.pool()).await?)
}

#[tokio::test]
async fn views_for_sql_tools_say_what_the_interface_says_and_keep_their_columns() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let receiver = Receiver::start()?;
    world.endpoint(&tenant, &receiver.url).await?;
    let found = rows(
        &world,
        "SELECT c.relname AS view, string_agg(a.attname, ',' ORDER BY a.attnum) AS columns
         FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
         WHERE c.relnamespace = 'mws_stats'::regnamespace GROUP BY 1 ORDER BY 1",
    )
    .await?;
    let expected: Vec<Value> =
        COLUMNS.iter().map(|(view, columns)| json!({ "view": view, "columns": columns })).collect();
    assert_eq!(found, json!(expected));

    world.work(runners::instant()).await?;
    let item = world.item(&tenant, Media::audio(60)).await?;
    let jobs = tenant.client.prepare(&[item], &["levels", "beats"]).await?.job_ids()?;
    tenant.client.ended(&jobs).await?;
    receiver.gets(2).await?;
    let used = tenant.client.send("GET", "/balances", &[], None).await?.json["used_minutes"].clone();
    let ours = format!("account_id = '{}'", tenant.account.uuid());
    let seen = rows(
        &world,
        &format!(
            "SELECT sum(jobs) AS jobs, sum(minutes)::float8 AS minutes FROM mws_stats.jobs_daily
             WHERE {ours} AND status = 'succeeded'"
        ),
    )
    .await?;
    assert_eq!(seen[0], json!({ "jobs": 2, "minutes": used }));
    // It may be a new day meanwhile.
    let settled =
        format!("SELECT sum(entries) AS entries FROM mws_stats.minutes_daily WHERE {ours} AND kind = 'settle'");
    assert_eq!(rows(&world, &settled).await?, json!([{ "entries": 2 }]));
    let told = format!(
        "SELECT sum(deliveries) AS deliveries, sum(attempts) AS attempts FROM mws_stats.deliveries_daily WHERE {ours}"
    );
    // An attempt is recorded a moment after the receiver has answered.
    let all = json!({ "deliveries": 2, "attempts": 2 });
    until("both attempts are recorded", async || Ok((rows(&world, &told).await?[0] == all).then_some(()))).await?;
    assert_eq!(rows(&world, "SELECT * FROM mws_stats.queue_now").await?, json!([]));
    world.end().await
}
