//! The effect on a customer of another one who does what the service allows: the time of calls, uploads, reads and
//! webhooks, alone and beside each kind of neighbour.
//!
//! The victim (`victim`) is a handful of accounts at an ordinary pace; the neighbour (`attack`) is a process of its
//! own, with accounts of its own. Limits are a deployment's defaults. In turn, the victim is alone, beside a neighbour
//! of another service on this machine, and beside one of its own service, each on a new database: the first neighbour
//! shows the cost of sharing processors, the second what the service adds.

mod attack;
mod victim;

pub use attack::{Args, run};

use crate::Bench;
use crate::children::Running;
use crate::load::Scene;
use crate::seed::Account;
use crate::table::{Bar, Table, median, percentile};
use anyhow::Context;
use attack::Attack;
use clap::ValueEnum;
use std::io::Write;
use std::net::UdpSocket;
use std::time::Duration;
use victim::{Felt, Times, Victim};

/// How long a neighbour is at work before the victim is measured.
const HEAD_START: Duration = Duration::from_secs(3);
/// The default limits of a deployment, and the size of the read that slow readers ask for.
const SETTINGS: [&str; 3] = ["--rate-per-minute=600", "--rate-burst=60", "--beats-bytes=20000000"];
/// How many times as long anything may take beside a neighbour.
const MOST: f64 = 1.2;

/// Measures in alternating rounds.
pub async fn measure(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    eprintln!("a customer beside a neighbour:");
    for attack in Attack::value_variants() {
        let names = match SilentNames::for_attack(*attack) {
            Ok(names) => names,
            Err(error) => {
                eprintln!("  left out: {}: {error:#}", attack.words());
                continue;
            }
        };
        let mut turns =
            [Neighbour::None, Neighbour::Elsewhere(*attack), Neighbour::Here(*attack)].map(|n| (n, Vec::new()));
        for _ in 0..bench.rounds {
            for (neighbour, felt) in &mut turns {
                felt.push(round(bench, *neighbour, names.as_ref()).await?);
            }
        }
        tell(table, *attack, &turns.map(|(_, felt)| felt));
    }
    Ok(())
}

fn tell(table: &mut Table, attack: Attack, [alone, elsewhere, beside]: &[Vec<Felt>; 3]) {
    let p95 = |rounds: &[Felt], times: Times| {
        median(&rounds.iter().map(|felt| percentile(times(felt), 95)).collect::<Vec<_>>())
    };
    for (what, times) in Felt::PARTS {
        let (alone, elsewhere, beside) = (p95(alone, times), p95(elsewhere, times), p95(beside, times));
        let what = format!("{what} beside {}, p95", attack.words());
        table.add(format!("{what}, of another service"), elsewhere, "ms", Some(alone), Bar::None);
        table.add(what, beside, "ms", Some(alone), Bar::TimesAtMost(MOST));
    }
    let failed: Vec<f64> = beside.iter().map(|felt| felt.failed).collect();
    table.add(format!("failures beside {}", attack.words()), median(&failed), "", None, Bar::AtMost(0.0));
}

/// The neighbour of the victim.
#[derive(Clone, Copy)]
enum Neighbour {
    /// Nobody.
    None,
    /// A customer of another service on this machine, with a database of its own on the same server.
    Elsewhere(Attack),
    /// A customer of the same service.
    Here(Attack),
}

/// Returns the victim's times beside this neighbour.
async fn round(bench: &Bench, neighbour: Neighbour, names: Option<&SilentNames>) -> anyhow::Result<Felt> {
    let scene = Scene::new(bench).await?;
    let victim = Victim::new(&scene).await?;
    let service = started(&scene, names).await?;
    let elsewhere = match neighbour {
        Neighbour::Elsewhere(_) => {
            let other = Scene::new(bench).await?;
            let service = started(&other, names).await?;
            Some((other, service))
        }
        Neighbour::None | Neighbour::Here(_) => None,
    };
    let at_work = match (neighbour, &elsewhere) {
        (Neighbour::Here(attack), _) => Some(begun(&scene, &service, attack).await?),
        (Neighbour::Elsewhere(attack), Some((scene, service))) => Some(begun(scene, service, attack).await?),
        (Neighbour::Elsewhere(_) | Neighbour::None, _) => None,
    };
    let felt = victim.round(&scene, &service.said, bench.share(victim::ROUNDS)).await?;
    if let Some(at_work) = at_work {
        let said = at_work.last_words().await?;
        eprintln!("    the neighbour: {said}");
    }
    if let Some((scene, service)) = elsewhere {
        scene.end(service).await?;
    }
    scene.end(service).await?;
    Ok(felt)
}

async fn started(scene: &Scene<'_>, names: Option<&SilentNames>) -> anyhow::Result<Running> {
    match names {
        Some(names) => Running::start_with_names(names.file.path(), &scene.service_arguments(&SETTINGS)?).await,
        None => scene.service(&SETTINGS).await,
    }
}

/// A name server that reads every question and answers none. It also runs without the neighbour, so that only the
/// neighbour differs.
struct SilentNames {
    file: tempfile::NamedTempFile,
    _socket: UdpSocket,
}

impl SilentNames {
    /// Makes one for the attack that needs it; an error where this machine does not allow that.
    fn for_attack(attack: Attack) -> anyhow::Result<Option<Self>> {
        if attack != Attack::HangingNames {
            return Ok(None);
        }
        let socket = UdpSocket::bind("127.0.0.53:53").context("it needs root, for a name server of its own")?;
        let mut file = tempfile::NamedTempFile::new()?;
        writeln!(file, "nameserver 127.0.0.53")?;
        Ok(Some(Self { file, _socket: socket }))
    }
}

/// Starts the neighbour.
async fn begun(scene: &Scene<'_>, service: &Running, attack: Attack) -> anyhow::Result<Running> {
    let mut arguments = vec![
        "neighbour".to_owned(),
        format!("--kind={}", attack.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()),
        format!("--url=http://{}", service.said),
        format!("--receiver=http://{}", scene.troubled.said),
    ];
    for _ in 0..attack.accounts() {
        let account: Account = scene.account().await?;
        let urls: Vec<String> = attack.endpoints().iter().map(|path| scene.troubled_url(path)).collect();
        scene.endpoints(&account, &urls).await?;
        let items: Vec<String> = scene.items(&account, 20).await?.iter().map(ToString::to_string).collect();
        arguments.push(format!("--account={}:{}", account.key.expose(), items.join(",")));
    }
    let neighbour = Running::start(&arguments).await?;
    tokio::time::sleep(HEAD_START).await;
    Ok(neighbour)
}
