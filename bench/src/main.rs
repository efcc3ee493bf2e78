//! Measures this service under load and, in the same run, the bare ceilings: its cost compared with the least possible
//! (docs/benchmarks.md, "What is measured").
//!
//! Every part that is measured is a process of its own, so that its CPU time is its own: the service as `mws up` runs
//! it, the receivers, and the bare loops in the service's place. The database is the embedded one, as durable as a
//! user's. Compared figures are measured in alternating rounds, since other programs share the machine; medians are
//! shown. Trust the ratios.

mod admission;
mod bare;
mod beside;
mod children;
mod condition;
mod conditions;
mod cost;
mod database;
mod deliveries;
mod dispatch;
mod flood;
mod grown;
mod idle;
mod jobs;
mod latency;
mod lists;
mod load;
mod machine;
mod neighbour;
mod pages;
mod parts;
mod receiver;
mod seed;
mod service;
mod slowest;
mod table;
mod tickets;
mod watch;

use anyhow::Context;
use clap::{Parser, Subcommand, ValueEnum};
use condition::Condition;
use database::Server;
use grown::Grown;
use parts::What;
use std::fs::File;
use std::path::PathBuf;
use std::process::ExitCode;
use table::{Bar, Table};

/// Measures the service beside the bare ceilings. A run that misses a bar ends with 1.
#[derive(Debug, Parser)]
#[command(name = "mws-bench")]
struct Cli {
    /// Only these parts (comma-separated).
    #[arg(long, value_delimiter = ',')]
    only: Vec<What>,
    /// The daily run, meant for less than two minutes: a tenth of the work, one round, and the parts that take moments.
    #[arg(long)]
    quick: bool,
    /// Every part again on full tables, with a transaction held open, and while they are pruned. A whole run has it
    /// anyway.
    #[arg(long)]
    grown: bool,
    /// Rows of each kind in full tables.
    #[arg(long, default_value_t = 1_000_000)]
    rows: usize,
    /// Rounds of each comparison: 3, or 1 of a quick run.
    #[arg(long)]
    rounds: Option<usize>,
    /// How much work a round is, in hundredths of the usual: 100, or 10 of a quick run.
    #[arg(long)]
    percent: Option<usize>,
    /// File that the rows are written to as JSON: `[{name, value, unit, ratio, bar, met}]`.
    #[arg(long)]
    json: Option<PathBuf>,
    /// File that what each statement took is written to, with whose processor time it was, and what the server's log
    /// says of checkpoints and vacuums: a line of JSON for each measurement. The ten statements with most time are
    /// printed. It costs a little, so the figures of such a run are not for the table.
    #[arg(long)]
    statements: Option<PathBuf>,
    /// The part that a child process plays.
    #[command(subcommand)]
    part: Option<Part>,
}

impl Cli {
    /// Returns the parts to measure.
    fn wanted(&self) -> Vec<What> {
        let all = What::value_variants().iter().copied();
        let named = !self.only.is_empty();
        all.filter(|part| if named { self.only.contains(part) } else { !self.quick || part.is_quick() }).collect()
    }

    /// Whether full tables are to be measured: by a flag, or in a whole run.
    fn wants_grown(&self) -> bool {
        self.grown || (self.only.is_empty() && !self.quick)
    }
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
    /// Bare tickets.
    #[command(hide = true)]
    Tickets(tickets::Args),
    /// An account that sends far more than it may.
    #[command(hide = true)]
    Flood(flood::Args),
    /// An account that does others harm.
    #[command(hide = true)]
    Neighbour(neighbour::Args),
}

/// The settings and state of a run.
struct Bench {
    server: Server,
    rounds: usize,
    percent: usize,
    /// Rows of each kind in full tables.
    rows: usize,
    condition: Condition,
    /// The file that what statements took is written to, if it is to be told.
    statements: Option<PathBuf>,
    /// The full tables, while they exist.
    grown: Option<Grown>,
}

impl Bench {
    /// Returns this share of the work, as the flags ask for.
    fn share(&self, of: usize) -> usize {
        (of * self.percent / 100).max(1)
    }

    /// Whether tables are empty, so that ceilings are measured too.
    fn is_empty(&self) -> bool {
        self.condition == Condition::Empty
    }
}

fn main() -> anyhow::Result<ExitCode> {
    runtime::process::install_crypto();
    let mut cli = Cli::parse();
    match cli.part.take() {
        Some(Part::Service(args)) => service::run(*args)?,
        Some(Part::Receiver) => receiver::run()?,
        Some(Part::Bare(args)) => bare::run(args)?,
        Some(Part::Tickets(args)) => tickets::run(&args)?,
        Some(Part::Flood(args)) => flood::run(args)?,
        Some(Part::Neighbour(args)) => neighbour::run(args)?,
        None => {
            let (rounds, percent) = if cli.quick { (1, 10) } else { (3, 100) };
            if let Some(file) = &cli.statements {
                File::create(file).with_context(|| format!("{} could not be written", file.display()))?;
            }
            // The server ends with the thread that starts it: this one.
            let mut bench = Bench {
                server: Server::start(cli.statements.is_some())?,
                rounds: cli.rounds.unwrap_or(rounds).max(1),
                percent: cli.percent.unwrap_or(percent).max(1),
                rows: cli.rows,
                condition: Condition::Empty,
                statements: cli.statements.take(),
                grown: None,
            };
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            let missed = runtime.block_on(measure(&mut bench, &cli))?;
            return Ok(if missed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Measures and prints everything that is asked for. Returns how many bars were missed.
async fn measure(bench: &mut Bench, cli: &Cli) -> anyhow::Result<usize> {
    println!("{}\n", machine::words(&bench.server).await?);
    let mut table = Table::default();
    let wanted = cli.wanted();
    for part in &wanted {
        part.measure(bench, &mut table).await;
    }
    if cli.wants_grown() {
        let growing: Vec<What> = wanted.into_iter().filter(|part| part.grows()).collect();
        if let Err(error) = conditions::measure(bench, &growing, &mut table).await {
            eprintln!("  full tables ended with an error: {error:#}");
            table.add_as_is("errors", 1.0, "", None, Bar::AtMost(0.0));
        }
    }
    table.print();
    if let Some(file) = &cli.json {
        table.write(file)?;
    }
    Ok(table.missed())
}
