//! The neighbour: a process that does one thing which the service allows, as often as it is allowed, until it is told
//! to end. What is refused it tries again a little later, as a malicious client would.

use crate::children::{ready, until_told_to_end};
use anyhow::{Context, ensure};
use clap::ValueEnum;
use domain::read::Read;
use reqwest::{Client, RequestBuilder};
use runtime::outbound::trusted_client;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{interval, sleep};

/// The pause after a refusal.
const REFUSED: Duration = Duration::from_millis(100);
/// Guesses of a key per second: more costs this machine more than it costs the service.
const GUESSES: u32 = 1_000;
/// Connections of the attacks that have many.
const MANY: usize = 100;

/// An attack of the neighbour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Attack {
    /// Thirty-two imports of two accounts from a server that sends a byte per second.
    DrippingImports,
    /// A hundred uploads that send a little faster than the least rate.
    SlowPuts,
    /// A hundred readers of a 20 MB read that receive hardly anything.
    SlowGets,
    /// Starting 120 jobs and cancelling them, with ten endpoints.
    StartsAndCancels,
    /// Changes of a project of 0.9 MB each.
    ProjectFlood,
    /// Invented keys.
    BadKeys,
    /// Imports and endpoints by names whose servers never answer.
    HangingNames,
    /// Webhooks to an endpoint that answers with a hundred megabytes.
    LargeAnswers,
}

impl Attack {
    /// Returns it in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::DrippingImports => "dripping imports",
            Self::SlowPuts => "slow PUTs",
            Self::SlowGets => "slow GETs of 20 MB",
            Self::StartsAndCancels => "starts and cancels",
            Self::ProjectFlood => "a flood of project changes",
            Self::BadKeys => "made-up keys",
            Self::HangingNames => "names that hang",
            Self::LargeAnswers => "an endpoint that answers 100 MB",
        }
    }

    /// Returns how many accounts it uses.
    pub fn accounts(self) -> usize {
        match self {
            Self::DrippingImports | Self::StartsAndCancels | Self::HangingNames => 2,
            Self::BadKeys => 0,
            Self::SlowPuts | Self::SlowGets | Self::ProjectFlood | Self::LargeAnswers => 1,
        }
    }

    /// Returns the receiver's paths that each of its accounts has endpoints at.
    pub fn endpoints(self) -> Vec<&'static str> {
        match self {
            Self::StartsAndCancels => vec!["/well"; 10],
            Self::LargeAnswers => vec!["/flood"],
            _ => Vec::new(),
        }
    }
}

/// The part that a neighbour plays.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// The attack.
    #[arg(long)]
    kind: Attack,
    /// The service's URL, without a path.
    #[arg(long)]
    url: String,
    /// The receiver's URL, without a path.
    #[arg(long)]
    receiver: String,
    /// Its accounts: a key, and the items that it has.
    #[arg(long = "account")]
    accounts: Vec<String>,
}

/// An account of the neighbour.
#[derive(Clone)]
struct Own {
    key: String,
    items: Vec<String>,
}

/// A neighbour at work.
struct Neighbour {
    http: Client,
    args: Args,
    accounts: Vec<Own>,
    /// The number of 2xx answers, and of others.
    taken: AtomicU64,
    refused: AtomicU64,
}

/// Attacks until it is told to end, and prints then how often it was allowed and how often refused.
pub fn run(args: Args) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let own = |text: &String| {
            let (key, items) = text.split_once(':').unwrap_or((text, ""));
            Own { key: key.to_owned(), items: items.split(',').map(str::to_owned).collect() }
        };
        let accounts = args.accounts.iter().map(own).collect();
        let (taken, refused) = (AtomicU64::new(0), AtomicU64::new(0));
        let neighbour = Arc::new(Neighbour { http: trusted_client(&[])?, args, accounts, taken, refused });
        let mut work = neighbour.work();
        ready("at work");
        tokio::select! {
            () = until_told_to_end() => {}
            // A neighbour's work may fail or end: that is the service's defence.
            () = async { while work.join_next().await.is_some() {} std::future::pending().await } => {}
        }
        let count = |number: &AtomicU64| number.load(Ordering::Relaxed);
        println!("let {} times, refused {} times", count(&neighbour.taken), count(&neighbour.refused));
        Ok(())
    })
}

impl Neighbour {
    fn work(self: &Arc<Self>) -> JoinSet<anyhow::Result<()>> {
        let mut work = JoinSet::new();
        let kind = self.args.kind;
        let connections = match kind {
            Attack::DrippingImports | Attack::BadKeys | Attack::HangingNames => 16,
            Attack::SlowPuts | Attack::SlowGets => MANY,
            Attack::StartsAndCancels => 4,
            Attack::ProjectFlood => 2,
            Attack::LargeAnswers => 1,
        };
        let accounts: Vec<Option<Own>> = match kind {
            Attack::BadKeys => vec![None],
            _ => self.accounts.iter().cloned().map(Some).collect(),
        };
        for account in accounts {
            for n in 0..connections {
                let (own, account) = (Arc::clone(self), account.clone());
                work.spawn(async move { own.one(kind, account.as_ref(), n).await });
            }
        }
        work
    }

    /// Runs one connection of the attack. `n` is its number within its account.
    async fn one(&self, kind: Attack, account: Option<&Own>, n: usize) -> anyhow::Result<()> {
        let Some(account) = account else { return self.guesses().await };
        match kind {
            Attack::DrippingImports => self.import(account, &format!("{}/dripping/{n}.wav", self.args.receiver)).await,
            Attack::SlowPuts => self.slow_put(account).await,
            Attack::SlowGets => self.slow_get(account).await,
            Attack::StartsAndCancels => self.start_and_cancel(account).await,
            Attack::ProjectFlood => self.project(account).await,
            Attack::BadKeys => self.guesses().await,
            Attack::HangingNames => self.hanging(account, n).await,
            Attack::LargeAnswers => self.large_answers(account).await,
        }
    }

    fn url(&self, path: &str) -> String {
        format!("{}/api/v1{path}", self.args.url)
    }

    fn post(&self, account: &Own, path: &str, body: &Value) -> RequestBuilder {
        self.http.post(self.url(path)).bearer_auth(&account.key).json(body)
    }

    /// Returns the answer of a request that was allowed; otherwise pauses and returns none.
    async fn asked(&self, request: RequestBuilder) -> anyhow::Result<Option<Value>> {
        let answered = request.send().await;
        if let Ok(answer) = answered
            && answer.status().is_success()
        {
            self.taken.fetch_add(1, Ordering::Relaxed);
            return Ok(serde_json::from_slice(&answer.bytes().await?).ok());
        }
        self.refused.fetch_add(1, Ordering::Relaxed);
        sleep(REFUSED).await;
        Ok(None)
    }

    async fn guesses(&self) -> anyhow::Result<()> {
        let mut ticks = interval(Duration::from_secs(1) * 16 / GUESSES);
        loop {
            ticks.tick().await;
            let key = format!("es_live_{:032x}", u128::from_be_bytes(*domain::ids::ItemId::mint().uuid().as_bytes()));
            self.guess(&key).await?;
            self.refused.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Comes from another address than the victim's, since a guesser does not share it.
    async fn guess(&self, key: &str) -> anyhow::Result<()> {
        let socket = TcpSocket::new_v4()?;
        socket.bind(std::net::SocketAddr::from(([127, 0, 0, 9], 0)))?;
        let mut stream = socket.connect(self.address()?).await?;
        let head = format!(
            "GET /api/v1/balances HTTP/1.1\r\nhost: a\r\nauthorization: Bearer {key}\r\nconnection: close\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).await?;
        stream.read_to_end(&mut Vec::new()).await?;
        Ok(())
    }

    async fn import(&self, account: &Own, url: &str) -> anyhow::Result<()> {
        while self.asked(self.post(account, "/tools/import_media", &json!({ "url": url }))).await?.is_none() {}
        Ok(())
    }

    async fn hanging(&self, account: &Own, n: usize) -> anyhow::Result<()> {
        let mut round = 0;
        loop {
            round += 1;
            let url = format!("https://never-{n}-{round}.example.com/a.wav");
            self.asked(self.post(account, "/tools/import_media", &json!({ "url": url }))).await?;
            self.asked(self.post(account, "/webhooks", &json!({ "url": url }))).await?;
        }
    }

    async fn slow_put(&self, account: &Own) -> anyhow::Result<()> {
        let asked = json!({ "filename": "a.wav", "content_type": "audio/wav", "bytes": 100_000_000 });
        loop {
            let Some(begun) = self.asked(self.post(account, "/uploads", &asked)).await? else { continue };
            let url = begun["upload"]["url"].as_str().context("a URL")?;
            let path = url.strip_prefix(&self.args.url).context("a URL of the service")?;
            let head = format!(
                "PUT {path} HTTP/1.1\r\nhost: a\r\ncontent-type: audio/wav\r\ncontent-length: 100000000\r\n\r\n"
            );
            let mut stream = TcpStream::connect(self.address()?).await?;
            stream.write_all(head.as_bytes()).await?;
            // 1.4 KB a second, until the service hangs up.
            let mut ticks = interval(Duration::from_secs(1));
            while stream.write_all(&[0; 1_400]).await.is_ok() {
                ticks.tick().await;
            }
            self.refused.fetch_add(1, Ordering::Relaxed);
        }
    }

    async fn slow_get(&self, account: &Own) -> anyhow::Result<()> {
        let item = account.items.first().context("an item")?;
        let path = format!("/library/items/{item}/reads/beats");
        let body = json!({ "refs": [item], "reads": ["beats"] });
        while self.asked(self.http.get(self.url(&path)).bearer_auth(&account.key)).await?.is_none() {
            self.asked(self.post(account, "/tools/prepare_media", &body)).await?;
        }
        loop {
            let socket = TcpSocket::new_v4()?;
            socket.set_recv_buffer_size(4_096)?;
            let mut stream = socket.connect(self.address()?).await?;
            let head =
                format!("GET /api/v1{path} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer {}\r\n\r\n", account.key);
            stream.write_all(head.as_bytes()).await?;
            let mut byte = [0; 1];
            while let Ok(1..) = stream.read(&mut byte).await {
                sleep(Duration::from_secs(1)).await;
            }
            self.refused.fetch_add(1, Ordering::Relaxed);
        }
    }

    async fn start_and_cancel(&self, account: &Own) -> anyhow::Result<()> {
        let body = json!({ "refs": account.items, "reads": Read::ALL });
        loop {
            let Some(started) = self.asked(self.post(account, "/tools/prepare_media", &body)).await? else { continue };
            let ids = json!({ "job_ids": started["data"]["job_ids"] });
            self.asked(self.post(account, "/tools/cancel_jobs", &ids)).await?;
        }
    }

    async fn project(&self, account: &Own) -> anyhow::Result<()> {
        let wish =
            json!({ "brief": "a film", "mode": "manual", "webhook_url": format!("{}/projects", self.args.receiver) });
        let made = self.asked(self.post(account, "/projects", &wish)).await?;
        let id = made.and_then(|made| made["id"].as_str().map(str::to_owned)).context("a project")?;
        let assets: Vec<Value> =
            (0..240).map(|n| json!({ "ref": format!("a{n}"), "type": "image", "prompt": "p".repeat(900) })).collect();
        // The assets are sent once, and every later change is reported with them.
        let mut body = json!({ "assets": assets });
        for status in ["generating", "running"].iter().cycle() {
            body["status"] = json!(status);
            if self.asked(self.post(account, &format!("/projects/{id}/status"), &body)).await?.is_some() {
                body = json!({});
            }
        }
        Ok(())
    }

    async fn large_answers(&self, account: &Own) -> anyhow::Result<()> {
        let mut jobs = Vec::new();
        for read in ["levels", "speech", "transcript", "search_index", "speakers"].iter().cycle() {
            for item in &account.items {
                let body = json!({ "refs": [item], "reads": [read] });
                let started = self.asked(self.post(account, "/tools/prepare_media", &body)).await?;
                jobs.extend(started.and_then(|started| started["data"]["job_ids"][0].as_str().map(str::to_owned)));
                sleep(REFUSED).await;
            }
            // Stored reads start no job again, but cancelled ones do; each end is reported to the endpoint.
            self.asked(self.post(account, "/tools/cancel_jobs", &json!({ "job_ids": jobs }))).await?;
            jobs.clear();
        }
        Ok(())
    }

    fn address(&self) -> anyhow::Result<std::net::SocketAddr> {
        let address = self.args.url.strip_prefix("http://").context("a plain URL")?;
        ensure!(!address.contains('/'), "no path");
        Ok(address.parse()?)
    }
}
