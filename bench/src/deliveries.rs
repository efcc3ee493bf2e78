//! Deliveries a second, and what a thousand of them cost: the service beside a bare loop, and beside bare requests.

use crate::Bench;
use crate::bare::TABLES;
use crate::children::Running;
use crate::load::{BODY, Scene};
use crate::table::{Bar, Table, median};

/// Deliveries of a measurement.
const MANY: usize = 20_000;
/// Deliveries before it, so that pools and plans are warm.
const WARM: usize = 600;
/// Svix with one endpoint and with ten, as webhooks.md has them, and how far above them the bars are.
const SVIX_ONE: f64 = 8.0 * 686.0;
const SVIX_TEN: f64 = 4.0 * 2_357.0;

/// What a round came to.
#[derive(Debug, Clone, Copy)]
struct Round {
    per_second: f64,
    cpu_per_thousand: f64,
    /// Of that, the database's.
    database: f64,
}

/// The middle of what the rounds came to.
struct Middle {
    per_second: f64,
    cpu_per_thousand: f64,
    database: f64,
}

/// Measures, in alternating rounds.
pub async fn measure(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    eprintln!("deliveries:");
    let (mut one, mut ten, mut bare_one, mut bare_ten, mut posts) = (vec![], vec![], vec![], vec![], vec![]);
    for _ in 0..bench.rounds {
        bare_one.push(bare(bench, 1).await?);
        one.push(ours(bench, 1).await?);
        bare_ten.push(bare(bench, 10).await?);
        ten.push(ours(bench, 10).await?);
        posts.push(requests(bench).await?);
    }
    let (one, ten, bare_one, bare_ten) = (middle(&one), middle(&ten), middle(&bare_one), middle(&bare_ten));
    table.add("bare signed requests, 64 in flight", median(&posts), "/s", None, Bar::None);
    table.add("bare loop, one endpoint", bare_one.per_second, "/s", None, Bar::None);
    table.add("bare loop, ten endpoints", bare_ten.per_second, "/s", None, Bar::None);
    let beside = Some(bare_one.per_second);
    table.add("deliveries, one endpoint", one.per_second, "/s", beside, Bar::AtLeast(SVIX_ONE));
    let beside = Some(bare_ten.per_second);
    table.add("deliveries, ten endpoints", ten.per_second, "/s", beside, Bar::AtLeast(SVIX_TEN));
    let cpu = "CPU seconds a thousand deliveries, with the database";
    table.add(format!("bare loop: {cpu}"), bare_one.cpu_per_thousand, "s", None, Bar::None);
    let beside = Some(bare_one.cpu_per_thousand);
    table.add(format!("one endpoint: {cpu}"), one.cpu_per_thousand, "s", beside, Bar::AtMost(0.5));
    let beside = Some(bare_ten.cpu_per_thousand);
    table.add(format!("ten endpoints: {cpu}"), ten.cpu_per_thousand, "s", beside, Bar::AtMost(0.5));
    table.add("one endpoint: of that the database's", one.database, "s", None, Bar::None);
    table.add("ten endpoints: of that the database's", ten.database, "s", None, Bar::None);
    Ok(())
}

fn middle(rounds: &[Round]) -> Middle {
    let of = |part: fn(&Round) -> f64| median(&rounds.iter().map(part).collect::<Vec<_>>());
    Middle {
        per_second: of(|round| round.per_second),
        cpu_per_thousand: of(|round| round.cpu_per_thousand),
        database: of(|round| round.database),
    }
}

/// The service sends a backlog: from its commit until the last attempt is recorded.
async fn ours(bench: &Bench, endpoints: usize) -> anyhow::Result<Round> {
    const LEFT: &str = "SELECT count(*) FROM deliveries WHERE status = 'pending' AND finished_at IS NULL";
    let scene = Scene::new(bench).await?;
    let account = scene.account().await?;
    scene.healthy(&account, endpoints).await?;
    let service = scene.service(&[]).await?;
    scene.backlog(&[&account], WARM / endpoints).await?;
    scene.until_none(LEFT).await?;
    let events = bench.share(MANY) / endpoints;
    let many = events * endpoints;
    let began = scene.backlog(&[&account], events).await?;
    let used = cpu(bench, &service)?;
    scene.receives(WARM / endpoints * endpoints + many).await?;
    scene.until_none(LEFT).await?;
    let round = round(many, began.elapsed().as_secs_f64(), cpu(bench, &service)?.since(used));
    scene.end(service).await?;
    Ok(round)
}

async fn bare(bench: &Bench, endpoints: usize) -> anyhow::Result<Round> {
    const LEFT: &str = "SELECT count(*) FROM bare_deliveries WHERE status <> 'succeeded'";
    let scene = Scene::new(bench).await?;
    for statement in TABLES {
        sqlx::query(statement).execute(&scene.database.pool).await?;
    }
    let arguments = ["bare".to_owned(), format!("--database-url={}", scene.database.url)];
    let loops = Running::start(&arguments).await?;
    insert(&scene, WARM, endpoints).await?;
    scene.until_none(LEFT).await?;
    let many = bench.share(MANY);
    insert(&scene, many, endpoints).await?;
    let (began, used) = (std::time::Instant::now(), cpu(bench, &loops)?);
    scene.receives(WARM + many).await?;
    scene.until_none(LEFT).await?;
    let round = round(many, began.elapsed().as_secs_f64(), cpu(bench, &loops)?.since(used));
    scene.end(loops).await?;
    Ok(round)
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

/// Signed requests and nothing else, a second.
async fn requests(bench: &Bench) -> anyhow::Result<f64> {
    let scene = Scene::new(bench).await?;
    let many = bench.share(MANY) * 2;
    let arguments = ["bare".to_owned(), format!("--url={}", scene.url("/e/0")), format!("--requests={many}")];
    let mut requests = Running::start(&arguments).await?;
    let rate = requests.line().await?.parse()?;
    scene.end(requests).await?;
    Ok(rate)
}

/// CPU time in seconds.
#[derive(Debug, Clone, Copy)]
struct Cpu {
    part: f64,
    database: f64,
}

impl Cpu {
    fn since(self, earlier: Self) -> Self {
        Self { part: self.part - earlier.part, database: self.database - earlier.database }
    }
}

/// The CPU time of the part and of the database.
fn cpu(bench: &Bench, part: &Running) -> anyhow::Result<Cpu> {
    Ok(Cpu { part: part.cpu_seconds()?, database: bench.server.cpu_seconds()? })
}

#[expect(clippy::cast_precision_loss, reason = "a count of deliveries")]
fn round(many: usize, seconds: f64, cpu: Cpu) -> Round {
    let many = many as f64;
    let thousand = |seconds: f64| seconds * 1_000.0 / many;
    Round {
        per_second: many / seconds,
        cpu_per_thousand: thousand(cpu.part + cpu.database),
        database: thousand(cpu.database),
    }
}
