//! The effect on a caller of another account that floods the service and is answered 429 (contract §8.1): the time of a
//! cheap read with a credential, alone and beside the flood.
//!
//! The flood is a process of its own, and has a fixed pace: its cost to the service is measured, not the machine's cost
//! of making it. It is answered more slowly than it asks: refusals beyond the fiftieth come late. Limits are a
//! deployment's defaults, so the measured accounts take turns, and none of them exceeds its burst.

use crate::Bench;
use crate::children::{Running, ready, until_told_to_end};
use crate::load::Scene;
use crate::seed::Account;
use crate::table::{Bar, Table, median, percentile};
use anyhow::{Context, ensure};
use reqwest::{Client, StatusCode};
use runtime::outbound::trusted_client;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::time::{MissedTickBehavior, interval};

/// The reads of a round, and the time between two of them.
const SAMPLES: usize = 500;
const PACE: Duration = Duration::from_millis(20);
/// Reads of each measured account in a round: fewer than its burst.
const EACH: usize = 50;
/// Requests per second of the flood: two hundred times an account's rate.
const FLOOD: u32 = 2_000;
/// Its connections.
const CONNECTIONS: u32 = 16;
/// The default limits of a deployment.
const SETTINGS: [&str; 2] = ["--rate-per-minute=600", "--rate-burst=60"];

/// The part that floods.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The URL that it asks for.
    #[arg(long)]
    url: String,
    /// Its key.
    #[arg(long)]
    key: String,
}

/// Measures in alternating rounds.
pub async fn measure(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    eprintln!("a read beside another account's flood:");
    let scene = Scene::new(bench).await?;
    let flooder = scene.account().await?;
    let service = scene.service(&SETTINGS).await?;
    let url = format!("http://{}/api/v1/balances", service.said);
    let samples = bench.share(SAMPLES);
    let (mut alone, mut beside, mut refusals) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..bench.rounds {
        alone.push(percentile(&times(&scene, &url, samples).await?, 95));
        let arguments = ["flood".to_owned(), format!("--url={url}"), format!("--key={}", flooder.key.expose())];
        let flood = Running::start(&arguments).await?;
        let began = Instant::now();
        beside.push(percentile(&times(&scene, &url, samples).await?, 95));
        let lasted = began.elapsed();
        refusals.push(refused(&flood.last_words().await?, lasted)?);
    }
    scene.end(service).await?;
    table.add("another account's flood: answered 429", median(&refusals), "/s", None, Bar::None);
    let alone = median(&alone);
    table.add("GET /balances, p95", alone, "ms", None, Bar::None);
    table.add("the same beside the flood, p95", median(&beside), "ms", Some(alone), Bar::TimesAtMost(1.2));
    Ok(())
}

/// Returns the refusals per second of a flood, or an error if too few were refused.
fn refused(told: &str, lasted: Duration) -> anyhow::Result<f64> {
    let (refused, let_in) = told.split_once(' ').context("two numbers")?;
    let (refused, let_in): (f64, f64) = (refused.parse()?, let_in.parse()?);
    // The burst, and then ten per second.
    let may = 60.0 + 10.0 * (lasted.as_secs_f64() + 1.0);
    ensure!(refused > let_in && let_in <= may, "of the flood {let_in} were let in, and {refused} refused");
    Ok(refused / lasted.as_secs_f64())
}

/// Returns the milliseconds that each read took, by new accounts.
async fn times(scene: &Scene<'_>, url: &str, samples: usize) -> anyhow::Result<Vec<f64>> {
    let mut accounts: Vec<Account> = Vec::new();
    for _ in 0..samples.div_ceil(EACH) {
        accounts.push(scene.account().await?);
    }
    let mut ticks = interval(PACE);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut times = Vec::new();
    for account in accounts.iter().cycle().take(samples) {
        ticks.tick().await;
        let began = Instant::now();
        let answer = scene.http.get(url).bearer_auth(account.key.expose()).send().await?.error_for_status()?;
        answer.bytes().await?;
        times.push(began.elapsed().as_secs_f64() * 1_000.0);
    }
    Ok(times)
}

/// Floods until it is told to end, and prints then how many requests were refused, and how many were not.
pub fn run(args: Args) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(flood(args))
}

async fn flood(args: Args) -> anyhow::Result<()> {
    let counts = Arc::new((AtomicU64::new(0), AtomicU64::new(0)));
    let (http, args) = (trusted_client(&[])?, Arc::new(args));
    let mut connections = tokio::task::JoinSet::new();
    for _ in 0..CONNECTIONS {
        connections.spawn(connection(http.clone(), Arc::clone(&args), Arc::clone(&counts)));
    }
    ready("flooding");
    tokio::select! {
        () = until_told_to_end() => {}
        Some(broken) = connections.join_next() => match broken?? {},
    }
    println!("{} {}", counts.0.load(Ordering::Relaxed), counts.1.load(Ordering::Relaxed));
    Ok(())
}

/// Sends one connection's share of the pace, or as fast as it is answered.
async fn connection(http: Client, args: Arc<Args>, counts: Arc<(AtomicU64, AtomicU64)>) -> anyhow::Result<Infallible> {
    let mut ticks = interval(Duration::from_secs(1) * CONNECTIONS / FLOOD);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    loop {
        ticks.tick().await;
        let answer = http.get(&args.url).bearer_auth(&args.key).send().await?;
        let refused = answer.status() == StatusCode::TOO_MANY_REQUESTS;
        answer.bytes().await?;
        let count = if refused { &counts.0 } else { &counts.1 };
        count.fetch_add(1, Ordering::Relaxed);
    }
}
