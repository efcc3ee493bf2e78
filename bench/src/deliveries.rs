//! Deliveries per second, and the cost of each: the service beside a bare loop, and beside bare requests.
//!
//! A backlog is timed by the database, from its commit to the last attempt's record; the harness checks every 100 ms
//! whether a delivery is left.

use crate::Bench;
use crate::bare::TABLES;
use crate::children::Running;
use crate::cost::{self, Cost};
use crate::load::Scene;
use crate::receiver::now_us;
use crate::seed::BODY;
use crate::table::{Bar, Table, median};

/// The number of deliveries in a measurement.
const MANY: usize = 40_000;
/// The number of deliveries sent before a measurement, so that pools and plans are warm.
const WARM: usize = 4_000;
/// The number of deliveries in a measurement of a service that has just started, however short the run.
const FIRST: usize = 10_000;

/// The result of a round.
#[derive(Debug, Clone, Copy)]
struct Round {
    per_second: f64,
    each: Cost,
}

/// The rounds of one kind.
#[derive(Default)]
struct Rounds(Vec<Round>);

impl Rounds {
    fn per_second(&self) -> f64 {
        median(&self.0.iter().map(|round| round.per_second).collect::<Vec<_>>())
    }

    /// Returns the milliseconds of CPU per delivery, including the database's.
    fn cpu(&self) -> f64 {
        median(&self.0.iter().map(|round| round.each.cpu() * 1_000.0).collect::<Vec<_>>())
    }

    fn tell(&self, table: &mut Table, what: &str) {
        cost::tell(table, what, &self.0.iter().map(|round| round.each).collect::<Vec<_>>());
    }
}

/// Measures in alternating rounds.
pub async fn measure(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    eprintln!("deliveries:");
    let (mut one, mut ten, mut first_one, mut first_ten) =
        (Rounds::default(), Rounds::default(), Rounds::default(), Rounds::default());
    let (mut bare_one, mut bare_ten, mut posts) = (Rounds::default(), Rounds::default(), Vec::new());
    for _ in 0..bench.rounds {
        if bench.is_empty() {
            bare_one.0.push(bare(bench, 1).await?);
            bare_ten.0.push(bare(bench, 10).await?);
            posts.push(requests(bench).await?);
        }
        one.0.push(ours(bench, 1, bench.share(WARM), bench.share(MANY)).await?);
        ten.0.push(ours(bench, 10, bench.share(WARM), bench.share(MANY)).await?);
        first_one.0.push(ours(bench, 1, 0, FIRST).await?);
        first_ten.0.push(ours(bench, 10, 0, FIRST).await?);
    }
    let beside = |rounds: &Rounds, part: fn(&Rounds) -> f64| bench.is_empty().then(|| part(rounds));
    if bench.is_empty() {
        table.add("bare signed requests, 64 in flight", median(&posts), "/s", None, Bar::None);
        table.add("bare loop, one endpoint", bare_one.per_second(), "/s", None, Bar::None);
        table.add("bare loop, ten endpoints", bare_ten.per_second(), "/s", None, Bar::None);
        bare_ten.tell(table, "a delivery of the bare loop");
    }
    let (rate, cpu) = (Rounds::per_second, Rounds::cpu);
    table.add("deliveries, one endpoint", one.per_second(), "/s", beside(&bare_one, rate), Bar::ShareAtLeast(0.45));
    table.add("deliveries, ten endpoints", ten.per_second(), "/s", beside(&bare_ten, rate), Bar::ShareAtLeast(0.5));
    let what = "the first 10,000 after a start";
    let bar = Bar::ShareAtLeast(0.8);
    table.add(format!("{what}, one endpoint"), first_one.per_second(), "/s", beside(&one, rate), bar);
    table.add(format!("{what}, ten endpoints"), first_ten.per_second(), "/s", beside(&ten, rate), bar);
    let what = "CPU of a delivery, database included";
    let bar = Bar::TimesAtMost(3.5);
    table.add(format!("{what}, one endpoint"), one.cpu(), "ms", beside(&bare_one, cpu), bar);
    table.add(format!("{what}, ten endpoints"), ten.cpu(), "ms", beside(&bare_ten, cpu), bar);
    one.tell(table, "a delivery to one endpoint");
    ten.tell(table, "a delivery to ten endpoints");
    Ok(())
}

/// Has the service send a backlog: from its commit until the last attempt is recorded.
async fn ours(bench: &Bench, endpoints: usize, warm: usize, many: usize) -> anyhow::Result<Round> {
    let scene = Scene::new(bench).await?;
    let account = scene.account().await?;
    scene.healthy(&account, endpoints).await?;
    let service = scene.service(&[]).await?;
    let warm = warm / endpoints * endpoints;
    scene.backlog(&[&account], warm / endpoints).await?;
    until_all_ended(&scene).await?;
    let events = many / endpoints;
    let many = events * endpoints;
    scene.backlog(&[&account], events).await?;
    let (began_us, watch) = (now_us(), scene.watch(&[("the service", &service)]).await?);
    let before = scene.reading(&service).await?;
    scene.receives(warm + many).await?;
    until_all_ended(&scene).await?;
    let cost = before.until(&scene.reading(&service).await?);
    let begun = if warm == 0 { "the first deliveries after a start" } else { "deliveries" };
    scene.told(watch, &format!("{begun}, endpoints: {endpoints}"), many).await?;
    let last = "SELECT extract(epoch FROM max(d.finished_at))::float8 * 1e6 FROM deliveries AS d
                JOIN webhook_endpoints AS w ON w.id = d.endpoint_id WHERE w.account_id = $1";
    let ended_us: f64 = sqlx::query_scalar(last).bind(account.id).fetch_one(&scene.database.pool).await?;
    service.stop().await?;
    let commits = before.commits_since(bench, &scene.database).await?;
    scene.close().await?;
    Ok(round(many, began_us, ended_us, Cost { commits, ..cost }))
}

/// Waits until no delivery is free to be sent, and then until none is being sent.
pub async fn until_all_ended(scene: &Scene<'_>) -> anyhow::Result<()> {
    const FREE: &str = "SELECT FROM deliveries
        WHERE status = 'pending' AND finished_at IS NULL AND lease_until IS NULL LIMIT 1";
    const LEASED: &str = "SELECT FROM deliveries
        WHERE status = 'pending' AND finished_at IS NULL AND lease_until IS NOT NULL LIMIT 1";
    scene.until_none(FREE).await?;
    scene.until_none(LEASED).await
}

async fn bare(bench: &Bench, endpoints: usize) -> anyhow::Result<Round> {
    const LEFT: &str = "SELECT FROM bare_deliveries WHERE status = 'pending' LIMIT 1";
    const SENT: &str = "SELECT FROM bare_deliveries WHERE status = 'sending' LIMIT 1";
    let scene = Scene::new(bench).await?;
    for statement in TABLES {
        sqlx::query(statement).execute(&scene.database.pool).await?;
    }
    let arguments = ["bare".to_owned(), format!("--database-url={}", scene.database.url)];
    let loops = Running::start(&arguments).await?;
    let warm = bench.share(WARM);
    insert(&scene, warm, endpoints).await?;
    scene.until_none(LEFT).await?;
    scene.until_none(SENT).await?;
    let many = bench.share(MANY);
    insert(&scene, many, endpoints).await?;
    let (began_us, before) = (now_us(), scene.reading(&loops).await?);
    scene.receives(warm + many).await?;
    scene.until_none(LEFT).await?;
    scene.until_none(SENT).await?;
    let cost = before.until(&scene.reading(&loops).await?);
    let last = "SELECT extract(epoch FROM max(at))::float8 * 1e6 FROM bare_log";
    let ended_us: f64 = sqlx::query_scalar(last).fetch_one(&scene.database.pool).await?;
    loops.stop().await?;
    let commits = before.commits_since(bench, &scene.database).await?;
    scene.close().await?;
    Ok(round(many, began_us, ended_us, Cost { commits, ..cost }))
}

async fn insert(scene: &Scene<'_>, many: usize, endpoints: usize) -> anyhow::Result<()> {
    sqlx::query(
        "INSERT INTO bare_deliveries (url, event_id, body)
         SELECT $1 || n % $2, 'evt_' || n, $3 || n || '}' FROM generate_series(1, $4) AS n",
    )
    .bind(scene.url("/e/"))
    .bind(i32::try_from(endpoints)?)
    .bind(BODY)
    .bind(i32::try_from(many)?)
    .execute(&scene.database.pool)
    .await?;
    Ok(())
}

/// Returns how many signed requests are sent per second, by a part that does nothing else.
async fn requests(bench: &Bench) -> anyhow::Result<f64> {
    let scene = Scene::new(bench).await?;
    let many = bench.share(MANY) * 2;
    let arguments = ["bare".to_owned(), format!("--url={}", scene.url("/e/0")), format!("--requests={many}")];
    let mut requests = Running::start(&arguments).await?;
    let rate = requests.line().await?.parse()?;
    scene.end(requests).await?;
    Ok(rate)
}

#[expect(clippy::cast_precision_loss, reason = "a count of deliveries, and microseconds of this century")]
fn round(many: usize, began_us: i64, ended_us: f64, cost: Cost) -> Round {
    let seconds = (ended_us - began_us as f64) / 1e6;
    Round { per_second: many as f64 / seconds, each: cost.each(many as f64) }
}
