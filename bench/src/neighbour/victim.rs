//! The customer whose times are measured: a call, an upload until its item is ready, a read until it is stored, and its
//! webhook.

use crate::load::Scene;
use crate::seed::Account;
use anyhow::{Context, ensure};
use domain::ids::ItemId;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, sleep};

/// Turns in a round, and the time between two of them.
pub const ROUNDS: usize = 80;
const PACE: Duration = Duration::from_millis(200);
/// The first turns, which are not counted: connections and plans are made for them.
const WARM: usize = 10;
/// Accounts that take turns, so that none of them exceeds its rate.
const ACCOUNTS: usize = 6;
/// The time limit after which something has failed.
const TIMEOUT: Duration = Duration::from_secs(20);
/// The pause between the harness's checks.
const LOOK: Duration = Duration::from_millis(2);

/// Returns one kind of a round's times.
pub type Times = fn(&Felt) -> &[f64];

/// The times of a round, in milliseconds.
#[derive(Debug, Default)]
pub struct Felt {
    calls: Vec<f64>,
    uploads: Vec<f64>,
    reads: Vec<f64>,
    webhooks: Vec<f64>,
    /// The number of turns and webhooks that failed or did not end in time.
    pub failed: f64,
}

impl Felt {
    /// The kinds of times, with their names.
    pub const PARTS: [(&'static str, Times); 4] = [
        ("a call", |felt| &felt.calls),
        ("an upload, until ready", |felt| &felt.uploads),
        ("a read, until stored", |felt| &felt.reads),
        ("a read's webhook, from its end", |felt| &felt.webhooks),
    ];
}

/// The times of one turn, in milliseconds.
#[derive(Default)]
struct Done {
    call: f64,
    upload: f64,
    read: f64,
}

/// The victim's accounts, each with an endpoint.
pub struct Victim(Vec<Account>);

impl Victim {
    /// Makes new accounts.
    pub async fn new(scene: &Scene<'_>) -> anyhow::Result<Self> {
        let mut accounts = Vec::new();
        for _ in 0..ACCOUNTS {
            let account = scene.account().await?;
            scene.healthy(&account, 1).await?;
            accounts.push(account);
        }
        Ok(Self(accounts))
    }

    /// Takes `rounds` turns, at a fixed pace.
    pub async fn round(&self, scene: &Scene<'_>, address: &str, rounds: usize) -> anyhow::Result<Felt> {
        let base = format!("http://{address}/api/v1");
        let mut ticks = interval(PACE);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut running = JoinSet::new();
        for (n, account) in self.0.iter().cycle().take(WARM + rounds).enumerate() {
            ticks.tick().await;
            let turn = Turn {
                http: scene.http.clone(),
                pool: scene.database.pool.clone(),
                base: base.clone(),
                key: account.key.expose().to_owned(),
            };
            running.spawn(async move { (n, tokio::time::timeout(TIMEOUT, turn.taken()).await) });
        }
        let mut felt = Felt::default();
        while let Some(ended) = running.join_next().await {
            let (n, ended) = ended?;
            match ended {
                Ok(Ok(done)) if n >= WARM => {
                    felt.calls.push(done.call);
                    felt.uploads.push(done.upload);
                    felt.reads.push(done.read);
                }
                Ok(Ok(_)) => {}
                Ok(Err(error)) => {
                    eprintln!("    failed: {error:#}");
                    felt.failed += 1.0;
                }
                Err(_) => {
                    eprintln!("    not done within {} s", TIMEOUT.as_secs());
                    felt.failed += 1.0;
                }
            }
        }
        felt.webhooks = self.webhooks(scene, &mut felt.failed).await?;
        Ok(felt)
    }

    /// Returns the milliseconds from each job's end to its webhook; those that did not come have failed.
    async fn webhooks(&self, scene: &Scene<'_>, failed: &mut f64) -> anyhow::Result<Vec<f64>> {
        let accounts: Vec<_> = self.0.iter().map(|account| account.id).collect();
        let ends: Vec<(String, f64)> = sqlx::query_as(
            "SELECT e.id, extract(epoch FROM j.finished_at)::float8 * 1e6
             FROM events AS e JOIN jobs AS j ON j.id = e.job_id WHERE j.payer_account_id = ANY ($1)
             ORDER BY j.finished_at",
        )
        .bind(&accounts)
        .fetch_all(&scene.database.pool)
        .await?;
        let (began, mut came) = (Instant::now(), HashMap::new());
        loop {
            came.extend(scene.take().await?.into_iter().map(|one| (one.event, one.at_us)));
            if ends.iter().all(|(event, _)| came.contains_key(event)) || began.elapsed() > TIMEOUT {
                break;
            }
            sleep(LOOK * 10).await;
        }
        let mut times = Vec::new();
        for (event, ended_us) in ends.iter().skip(WARM) {
            #[expect(clippy::cast_precision_loss, reason = "microseconds of this century fit")]
            match came.get(event) {
                Some(at_us) => times.push((*at_us as f64 - ended_us) / 1_000.0),
                None => *failed += 1.0,
            }
        }
        Ok(times)
    }
}

/// One turn of a victim.
struct Turn {
    http: reqwest::Client,
    pool: sqlx::PgPool,
    base: String,
    key: String,
}

impl Turn {
    async fn taken(self) -> anyhow::Result<Done> {
        let mut done = Done::default();
        let began = Instant::now();
        let answer = self.http.get(format!("{}/balances", self.base)).bearer_auth(&self.key).send().await?;
        answer.error_for_status()?.bytes().await?;
        done.call = ms(began);

        let began = Instant::now();
        let item = self.upload().await.context("an upload")?;
        self.until("SELECT status FROM items WHERE id = $1", item, "ready").await?;
        done.upload = ms(began);

        let began = Instant::now();
        self.post("/tools/prepare_media", &json!({ "refs": [item.to_string()], "reads": ["levels"] })).await?;
        self.until("SELECT status FROM jobs WHERE item_id = $1", item, "succeeded").await?;
        done.read = ms(began);
        Ok(done)
    }

    async fn upload(&self) -> anyhow::Result<ItemId> {
        let media = wav();
        let asked = json!({ "filename": "a.wav", "content_type": "audio/wav", "bytes": media.len() });
        let begun = self.post("/uploads", &asked).await?;
        let text = |value: &Value| value.as_str().map(str::to_owned).context("a text");
        let put = self.http.put(text(&begun["upload"]["url"])?).header("content-type", "audio/wav").body(media);
        put.send().await?.error_for_status()?;
        self.post(&format!("/uploads/{}/complete", text(&begun["id"])?), &json!({})).await?;
        Ok(text(&begun["item_id"])?.parse()?)
    }

    async fn post(&self, path: &str, body: &Value) -> anyhow::Result<Value> {
        let sent = self.http.post(format!("{}{path}", self.base)).bearer_auth(&self.key).json(body).send().await?;
        let status = sent.status();
        let text = sent.text().await?;
        ensure!(status.is_success(), "{path} answered {status}: {text}");
        Ok(serde_json::from_str(&text)?)
    }

    /// Waits until the query returns this status.
    async fn until(&self, query: &'static str, item: ItemId, status: &str) -> anyhow::Result<()> {
        loop {
            let now: Option<String> = sqlx::query_scalar(query).bind(item).fetch_optional(&self.pool).await?;
            match now.as_deref() {
                Some(now) if now == status => return Ok(()),
                Some("failed") => anyhow::bail!("it failed and should be {status}"),
                _ => sleep(LOOK).await,
            }
        }
    }
}

fn ms(began: Instant) -> f64 {
    began.elapsed().as_secs_f64() * 1_000.0
}

/// Returns a WAV file with a second of silence: 8 kHz, one channel, 16 bits.
fn wav() -> Vec<u8> {
    let (rate, bytes) = (8_000_u32, 16_000_u32);
    let mut wav = Vec::with_capacity(44 + 16_000);
    wav.extend(b"RIFF");
    wav.extend((36 + bytes).to_le_bytes());
    wav.extend(b"WAVEfmt ");
    wav.extend(16_u32.to_le_bytes());
    wav.extend([1, 0, 1, 0]);
    wav.extend(rate.to_le_bytes());
    wav.extend((2 * rate).to_le_bytes());
    wav.extend([2, 0, 16, 0]);
    wav.extend(b"data");
    wav.extend(bytes.to_le_bytes());
    wav.resize(44 + 16_000, 0);
    wav
}
