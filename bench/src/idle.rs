//! Resources used while nothing happens: CPU and memory of the service as one process and as three, and of PostgreSQL.
//!
//! On full tables nothing is due here either, since no worker takes the queued jobs. So what is used there is the
//! duties' cost of looking at them.

use crate::Bench;
use crate::children::{Memory, Running, memory};
use crate::load::Scene;
use crate::table::{Bar, Table};
use std::time::{Duration, Instant};

/// How long it is measured, at least, and how long it rests before: until processes know that nothing happens.
const LOOKED: Duration = Duration::from_mins(1);
const LEAST: Duration = Duration::from_secs(10);
const REST: Duration = Duration::from_secs(25);
/// Percentage of the work below which only the service as one process is measured.
const SHORT: usize = 50;
/// The bars: percent of a core, and megabytes.
const MOST_CPU: Bar = Bar::AtMost(1.0);
const MOST_MEMORY: Bar = Bar::AtMost(150.0);

/// The resources that a process used.
struct Used {
    what: String,
    cpu: f64,
    memory: Memory,
}

/// Measures once: it takes long, and nothing is compared.
pub async fn measure(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    eprintln!("while nothing happens:");
    let all = [&["api,worker,scheduler"][..], &["api", "worker", "scheduler"]];
    // A measurement takes 35 seconds at least, so a short run has only one.
    let some = if bench.percent < SHORT { &all[..1] } else { &all[..] };
    for parts in some {
        let used = used(bench, parts).await?;
        let postgres = if parts.len() == 1 { "beside one process" } else { "beside three processes" };
        for Used { what, cpu, memory } in used {
            let what = if what == "PostgreSQL" { format!("{what} {postgres}") } else { what };
            // A server takes the memory that its settings allow.
            let bar = if what.starts_with("PostgreSQL") { Bar::None } else { MOST_MEMORY };
            table.add_as_is(format!("idle: {what}, CPU"), cpu, "% of a core", None, MOST_CPU);
            table.add_as_is(format!("idle: {what}, resident"), memory.resident / 1e6, "MB", None, bar);
            table.add_as_is(format!("idle: {what}, its share"), memory.share / 1e6, "MB", None, Bar::None);
        }
    }
    Ok(())
}

/// Returns what each process and PostgreSQL use. Each of `parts` is a process.
async fn used(bench: &Bench, parts: &[&str]) -> anyhow::Result<Vec<Used>> {
    let scene = Scene::new(bench).await?;
    let mut running: Vec<(String, Running)> = Vec::new();
    for part in parts {
        let name = if parts.len() == 1 { "mws up".to_owned() } else { (*part).to_owned() };
        running.push((name, scene.service(&[&format!("--parts={part}")]).await?));
    }
    tokio::time::sleep(REST).await;
    let named: Vec<(&str, &Running)> = running.iter().map(|(name, process)| (name.as_str(), process)).collect();
    let watch = scene.watch(&named).await?;
    let began = Instant::now();
    let database = bench.server.cpu_seconds()?;
    let before: anyhow::Result<Vec<f64>> = running.iter().map(|(_, process)| process.cpu_seconds()).collect();
    let before = before?;
    let looked = LOOKED.mul_f64(f64::from(u32::try_from(bench.percent).unwrap_or(100)) / 100.0).max(LEAST);
    tokio::time::sleep(looked).await;
    let seconds = began.elapsed().as_secs_f64();
    let mut used = Vec::new();
    for ((name, process), before) in running.iter().zip(before) {
        let cpu = (process.cpu_seconds()? - before) / seconds * 100.0;
        used.push(Used { what: name.clone(), cpu, memory: memory(process.pid()?)? });
    }
    let cpu = (bench.server.cpu_seconds()? - database) / seconds * 100.0;
    used.push(Used { what: "PostgreSQL".to_owned(), cpu, memory: server_memory(bench)? });
    scene.told(watch, &format!("while nothing happens, processes: {}", parts.len()), 1).await?;
    for (_, process) in running {
        process.stop().await?;
    }
    scene.close().await?;
    Ok(used)
}

/// Returns the memory of all server processes. A shared page counts fully in each as resident, and once in the shares.
fn server_memory(bench: &Bench) -> anyhow::Result<Memory> {
    let mut all = Memory::default();
    // A process that ends meanwhile is left out.
    for one in bench.server.processes()?.into_iter().filter_map(|pid| memory(pid).ok()) {
        all.resident += one.resident;
        all.share += one.share;
    }
    Ok(all)
}
