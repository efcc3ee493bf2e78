//! Load on this service and, in the same run, on the bare ceilings: what it costs beside what it could cost
//! (webhooks.md, "Measured beside"; design.md, "Admission").
//!
//! Every part that is measured is a process of its own, so that its CPU time is its own: the service as `mws up` runs it,
//! the receiver, and the bare loops in the service's place. The database is the embedded one, as durable as a user's. What
//! is compared is measured in alternating rounds, since the machine is not ours alone; medians are shown. Trust the ratios.

mod admission;
mod bare;
mod beside;
mod children;
mod database;
mod deliveries;
mod flood;
mod jobs;
mod latency;
mod load;
mod neighbour;
mod receiver;
mod service;
mod table;

use clap::{Parser, Subcommand};
use database::Server;
use std::process::ExitCode;
use table::Table;

/// Measures the service beside the bare ceilings.
#[derive(Debug, Parser)]
#[command(name = "mws-bench")]
struct Cli {
    /// Only these: deliveries, latency, beside, jobs, admission, flood, neighbour.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Rounds of each comparison.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// How much work a round is, in hundredths of the usual.
    #[arg(long, default_value_t = 100)]
    percent: usize,
    /// The part that a child process plays.
    #[command(subcommand)]
    part: Option<Part>,
}

#[derive(Debug, Subcommand)]
enum Part {
    /// The service.
    #[command(hide = true)]
    Service(Box<service::Args>),
    /// The receiver.
    #[command(hide = true)]
    Receiver,
    /// A bare loop over a table, or bare requests.
    #[command(hide = true)]
    Bare(bare::Args),
    /// An account that sends far more than it may.
    #[command(hide = true)]
    Flood(flood::Args),
    /// An account that does others harm.
    #[command(hide = true)]
    Neighbour(neighbour::Args),
}

/// What a measurement works with.
struct Bench {
    server: Server,
    rounds: usize,
    percent: usize,
}

impl Bench {
    /// This share of the work, as the flags ask for.
    fn share(&self, of: usize) -> usize {
        (of * self.percent / 100).max(1)
    }
}

fn main() -> anyhow::Result<ExitCode> {
    common::process::install_crypto();
    let cli = Cli::parse();
    match cli.part {
        Some(Part::Service(args)) => service::run(*args)?,
        Some(Part::Receiver) => receiver::run()?,
        Some(Part::Bare(args)) => bare::run(args)?,
        Some(Part::Flood(args)) => flood::run(args)?,
        Some(Part::Neighbour(args)) => neighbour::run(args)?,
        None => {
            // The server ends with the thread that starts it: this one.
            let bench = Bench { server: Server::start()?, rounds: cli.rounds.max(1), percent: cli.percent.max(1) };
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            let missed = runtime.block_on(measure(&bench, &cli.only))?;
            return Ok(if missed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Measures and prints everything that is asked for. Answers how many bars were missed.
async fn measure(bench: &Bench, only: &[String]) -> anyhow::Result<usize> {
    let mut table = Table::default();
    let wants = |name: &str| only.is_empty() || only.iter().any(|one| one == name);
    if wants("deliveries") {
        deliveries::measure(bench, &mut table).await?;
    }
    if wants("latency") {
        latency::measure(bench, &mut table).await?;
    }
    if wants("beside") {
        beside::measure(bench, &mut table).await?;
    }
    if wants("jobs") {
        jobs::measure(bench, &mut table).await?;
    }
    if wants("admission") {
        admission::measure(bench, &mut table).await?;
    }
    if wants("flood") {
        flood::measure(bench, &mut table).await?;
    }
    if wants("neighbour") {
        neighbour::measure(bench, &mut table).await?;
    }
    table.print();
    Ok(table.missed())
}
