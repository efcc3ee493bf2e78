//! Nine healthy endpoints, alone and beside ones that are not: how many deliveries the nine get, and how late
//! (webhooks.md, "nine healthy endpoints beside one that hangs 12 s").
//!
//! An account has ten endpoints. So the first troubled one is of the nine's own account, where it hurts most, and a second
//! one is of another account whose jobs end at the same pace.

use crate::Bench;
use crate::load::{Account, Scene};
use crate::table::{Bar, Table, median, percentile};
use std::net::TcpListener;
use std::time::Instant;

/// Events of the backlog: nine deliveries each.
const EVENTS: usize = 2_000;
/// Events a second of the steady load, and how many.
const PACE: u64 = 100;
const STEADY: usize = 500;

/// What stands beside the nine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Beside {
    Nobody,
    /// Two that are healthy too: what sharing a machine costs the nine.
    TwoMore,
    /// One that hangs twelve seconds, and one that drips a byte a second.
    HangsAndDrips,
    /// One that answers a hundred megabytes.
    Floods,
    /// One that refuses connections.
    Refuses,
    /// Forty of four other accounts that answer well, after five seconds.
    Slow,
}

const ALL: [Beside; 6] =
    [Beside::Nobody, Beside::TwoMore, Beside::HangsAndDrips, Beside::Floods, Beside::Refuses, Beside::Slow];

/// Measures in alternating rounds.
pub async fn measure(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    eprintln!("nine healthy endpoints beside troubled ones:");
    let mut rates: Vec<Vec<f64>> = vec![Vec::new(); ALL.len()];
    let (mut late, mut receiver) = (rates.clone(), rates.clone());
    for round in 0..bench.rounds {
        for turn in 0..ALL.len() {
            // Each comes first once, so that none always follows the same one.
            let which = (turn + round) % ALL.len();
            let (rate, cpu_seconds) = rate(bench, ALL[which]).await?;
            rates[which].push(rate);
            receiver[which].push(cpu_seconds);
            if ALL[which] != Beside::Slow {
                late[which].push(lateness(bench, ALL[which]).await?);
            }
        }
    }
    let (alone, alone_late) = (median(&rates[0]), median(&late[0]));
    table.add("nine alone: deliveries", alone, "/s", None, Bar::None);
    table.add("nine alone: accepted → received, p99", alone_late, "ms", None, Bar::None);
    for (which, beside) in ALL.iter().enumerate().skip(1) {
        let what = match beside {
            Beside::Nobody => continue,
            Beside::TwoMore => "two more",
            Beside::HangsAndDrips => "one that hangs 12 s and one that drips",
            Beside::Floods => "one that answers 100 MB",
            Beside::Refuses => "one that refuses",
            Beside::Slow => "forty that answer after 5 s",
        };
        let bar = || if *beside == Beside::TwoMore { Bar::None } else { Bar::AtMost(1.1) };
        let slower = alone / median(&rates[which]);
        table.add(format!("nine beside {what}: times fewer/s"), slower, "×", None, bar());
        if *beside == Beside::Floods {
            let more = median(&receiver[which]) / median(&receiver[0]);
            table.add(format!("nine beside {what}: times the receiver's own CPU time"), more, "×", None, Bar::None);
        }
        if late[which].is_empty() {
            continue;
        }
        let later = median(&late[which]) / alone_late;
        table.add(format!("nine beside {what}: times later, p99"), later, "×", None, bar());
    }
    Ok(())
}

/// The nine and whoever stands beside them.
async fn accounts(scene: &Scene<'_>, beside: Beside) -> anyhow::Result<Vec<Account>> {
    let nine = scene.account().await?;
    scene.healthy(&nine, 9).await?;
    let closed = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
    let (own, others) = match beside {
        Beside::Nobody => (None, None),
        Beside::TwoMore => (Some(scene.url("/well")), Some(scene.url("/well"))),
        Beside::HangsAndDrips => (Some(scene.url("/hang")), Some(scene.url("/drip"))),
        Beside::Floods => (Some(scene.url("/flood")), None),
        Beside::Refuses => (Some(format!("http://{closed}/")), None),
        Beside::Slow => return slow(scene, nine).await,
    };
    if let Some(url) = own {
        scene.endpoints(&nine, &[url]).await?;
    }
    let Some(url) = others else { return Ok(vec![nine]) };
    let other = scene.account().await?;
    scene.endpoints(&other, &[url]).await?;
    Ok(vec![nine, other])
}

async fn slow(scene: &Scene<'_>, nine: Account) -> anyhow::Result<Vec<Account>> {
    let mut accounts = vec![nine];
    for _ in 0..4 {
        let account = scene.account().await?;
        scene.endpoints(&account, &vec![scene.url("/slow"); 10]).await?;
        accounts.push(account);
    }
    Ok(accounts)
}

/// Deliveries to the nine a second, out of a backlog, and the CPU time of the receiver for a thousand of them.
#[expect(clippy::cast_precision_loss, reason = "a count of deliveries")]
async fn rate(bench: &Bench, beside: Beside) -> anyhow::Result<(f64, f64)> {
    let scene = Scene::new(bench).await?;
    let accounts = accounts(&scene, beside).await?;
    let service = scene.service(&[]).await?;
    let events = bench.share(EVENTS);
    let mut told: Vec<&Account> = accounts.iter().collect();
    if beside == Beside::Slow {
        // There are many of them; and they come first.
        scene.backlog(&told.split_off(1), events / 20).await?;
    }
    let began: Instant = scene.backlog(&told, events).await?;
    scene.receives(events * 9).await?;
    let rate = (events * 9) as f64 / began.elapsed().as_secs_f64();
    let cpu_seconds = scene.receiver.cpu_seconds()? * 1_000.0 / (events * 9) as f64;
    scene.end(service).await?;
    Ok((rate, cpu_seconds))
}

/// Milliseconds from an event's commit to its webhook that one in a hundred of the nine's takes, under a steady load.
async fn lateness(bench: &Bench, beside: Beside) -> anyhow::Result<f64> {
    let scene = Scene::new(bench).await?;
    let accounts = accounts(&scene, beside).await?;
    let accounts: Vec<&Account> = accounts.iter().collect();
    let service = scene.service(&[]).await?;
    let times = scene.lateness(&accounts, PACE, bench.share(STEADY), 9).await?;
    scene.end(service).await?;
    Ok(percentile(&times, 99))
}
