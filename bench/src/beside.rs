//! Nine healthy endpoints, alone and beside ones that are not: how many deliveries the nine get, and how late
//! (docs/benchmarks.md, "What is measured").
//!
//! An account has ten endpoints. So the first troubled endpoint is of the same account as the nine, where it hurts
//! most, and a second one is of another account whose jobs end at the same pace.

use crate::Bench;
use crate::load::{Scene, until};
use crate::receiver::now_us;
use crate::seed::Account;
use crate::table::{Bar, Table, median, percentile};
use std::net::TcpListener;

/// Events of the backlog, each with nine deliveries.
const EVENTS: usize = 2_000;
/// Events before it.
const WARM: usize = 200;
/// Events per second of the steady load, and their number.
const PACE: u64 = 100;
const STEADY: usize = 500;

/// The least number of events, so that there is a p99.
const LEAST: usize = 200;
/// Events of each account whose endpoints are slow, while the nine's lateness is measured: more than are answered in
/// that time.
const SLOW_EVENTS: usize = 100;

/// The endpoints beside the nine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Beside {
    Nobody,
    /// Two that are healthy too: what sharing a machine costs the nine.
    TwoMore,
    /// One that hangs twelve seconds, and one that drips a byte a second.
    HangsAndDrips,
    /// One that answers with a hundred megabytes.
    Floods,
    /// One that refuses connections.
    Refuses,
    /// Forty of four other accounts that answer successfully, after five seconds.
    Slow,
}

impl Beside {
    const fn words(self) -> &'static str {
        match self {
            Self::Nobody => "nobody",
            Self::TwoMore => "two more",
            Self::HangsAndDrips => "one that hangs 12 s and one that drips",
            Self::Floods => "one that answers 100 MB",
            Self::Refuses => "one that refuses",
            Self::Slow => "forty that answer after 5 s",
        }
    }
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
            late[which].push(lateness(bench, ALL[which]).await?);
        }
    }
    let (alone, alone_late) = (median(&rates[0]), median(&late[0]));
    table.add("nine alone: deliveries", alone, "/s", None, Bar::None);
    table.add("nine alone: accepted → received, p99", alone_late, "ms", None, Bar::None);
    for (which, beside) in ALL.iter().enumerate().skip(1) {
        let what = beside.words();
        // Two healthy endpoints may cost what they cost.
        let bar = |bar| if *beside == Beside::TwoMore { Bar::None } else { bar };
        let (rate, times) = (median(&rates[which]), Bar::TimesAtMost(1.2));
        // On full tables, too, the figure is compared with that of the nine alone.
        table.add_as_is(
            format!("nine beside {what}: deliveries"),
            rate,
            "/s",
            Some(alone),
            bar(Bar::ShareAtLeast(0.9)),
        );
        let late = median(&late[which]);
        table.add_as_is(format!("nine beside {what}: p99"), late, "ms", Some(alone_late), bar(times));
        if *beside == Beside::Floods {
            let what = format!("nine beside {what}: CPU of the nine's receiver, a thousand deliveries");
            table.add_as_is(what, median(&receiver[which]), "s", Some(median(&receiver[0])), Bar::None);
        }
    }
    Ok(())
}

/// Makes the accounts of the nine and of the endpoints beside them.
async fn accounts(scene: &Scene<'_>, beside: Beside) -> anyhow::Result<Vec<Account>> {
    let nine = scene.account().await?;
    scene.healthy(&nine, 9).await?;
    let closed = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
    let (own, others) = match beside {
        Beside::Nobody => (None, None),
        Beside::TwoMore => (Some(scene.troubled_url("/well")), Some(scene.troubled_url("/well"))),
        Beside::HangsAndDrips => (Some(scene.troubled_url("/hang")), Some(scene.troubled_url("/drip"))),
        Beside::Floods => (Some(scene.troubled_url("/flood")), None),
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
        scene.endpoints(&account, &vec![scene.troubled_url("/slow"); 10]).await?;
        accounts.push(account);
    }
    Ok(accounts)
}

/// Returns the nine's deliveries per second, out of a backlog, and the receiver's CPU seconds for a thousand of them.
#[expect(clippy::cast_precision_loss, reason = "a count of deliveries")]
async fn rate(bench: &Bench, beside: Beside) -> anyhow::Result<(f64, f64)> {
    let scene = Scene::new(bench).await?;
    let accounts = accounts(&scene, beside).await?;
    let service = scene.service(&[]).await?;
    // Connections and plans are there before anything counts.
    let warm = bench.share(WARM);
    scene.backlog(&[&accounts[0]], warm).await?;
    scene.receives(warm * 9).await?;
    let events = bench.share(EVENTS);
    let mut told: Vec<&Account> = accounts.iter().collect();
    if beside == Beside::Slow {
        // There are many of them, and they are queued first.
        scene.backlog(&told.split_off(1), events / 20).await?;
    }
    scene.backlog(&told, events).await?;
    let (began_us, used) = (now_us(), scene.receiver.cpu_seconds()?);
    let watch = scene.watch(&[("the service", &service)]).await?;
    scene.receives((warm + events) * 9).await?;
    let last_us = scene.take().await?.iter().map(|came| came.at_us).max().unwrap_or_default();
    let rate = (events * 9) as f64 / ((last_us - began_us) as f64 / 1e6);
    let cpu_seconds = (scene.receiver.cpu_seconds()? - used) * 1_000.0 / (events * 9) as f64;
    scene.told(watch, &format!("nine beside {}", beside.words()), events * 9).await?;
    scene.end(service).await?;
    Ok((rate, cpu_seconds))
}

/// Returns the p99 of the nine's milliseconds from an event's commit to its webhook, under a steady load.
async fn lateness(bench: &Bench, beside: Beside) -> anyhow::Result<f64> {
    let scene = Scene::new(bench).await?;
    let accounts = accounts(&scene, beside).await?;
    let mut told: Vec<&Account> = accounts.iter().collect();
    let service = scene.service(&[]).await?;
    let mut events = bench.share(STEADY).max(LEAST);
    if beside == Beside::Slow {
        keep_busy(&scene, &told.split_off(1)).await?;
        // As long as the slow ones take to answer, so that the moment when many of them do is always a part of it.
        events = events.max(STEADY);
    }
    let watch = scene.watch(&[("the service", &service)]).await?;
    let times = scene.lateness(&told, PACE, events, 9).await?;
    scene.told(watch, &format!("nine beside {}, at {PACE}/s", beside.words()), events * 9).await?;
    scene.end(service).await?;
    Ok(percentile(&times, 99))
}

/// Gives the slow endpoints of these accounts a backlog, and waits until each has answered once: from then on the
/// service knows that they are slow, and has as many attempts in flight to them as it allows. Events at the pace of the
/// nine's would be two hundred times as many as they answer, so that the load would grow all the while.
async fn keep_busy(scene: &Scene<'_>, slow: &[&Account]) -> anyhow::Result<()> {
    scene.backlog(slow, SLOW_EVENTS).await?;
    let silent = "SELECT FROM webhook_endpoints AS w
        WHERE w.account_id = ANY ($1)
            AND (SELECT count(*) FROM deliveries AS d WHERE d.endpoint_id = w.id AND d.status = 'succeeded') = 0
        LIMIT 1";
    let (ids, pool) = (slow.iter().map(|account| account.id).collect::<Vec<_>>(), &scene.database.pool);
    until("the slow endpoints' first answers", async || {
        Ok(sqlx::query(silent).bind(&ids).fetch_optional(pool).await?.is_none())
    })
    .await
}
