//! Lists of every route and tool, by every filter that they take, as a client of the large account and an operator see
//! them.
//!
//! The requests are derived from the OpenAPI document, so that a new list or filter is measured without a line here.

mod asks;

use crate::Bench;
use crate::grown::Large;
use crate::load::{self, Scene};
use crate::seed;
use crate::table::{Bar, Table, percentile};
use anyhow::{Context, ensure};
use asks::{Ask, Names};
use domain::ids::{ItemId, JobId};
use domain::read::Read;
use serde_json::{Value, json};
use std::time::Instant;

/// How often each request is made, and at least.
const TIMES: usize = 200;
const LEAST: usize = 40;
/// Requests before that, so that connections and plans are warm.
const WARM: usize = 5;
/// The bars on full tables: this multiple of the time on empty ones, and never more than these milliseconds.
const TIMES_EMPTY: f64 = 2.0;
const MOST_MS: f64 = 50.0;
/// Items of the account on empty tables: more than the largest page.
const ITEMS: usize = 120;
const READS: [Read; 4] = [Read::Speech, Read::Speakers, Read::Beats, Read::Levels];

/// Measures once: what is compared is minutes apart, and each request is made often.
pub async fn measure(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    eprintln!("lists:");
    let scene = Scene::new(bench).await?;
    let made;
    let large = if let Some(grown) = &bench.grown {
        grown.large()
    } else {
        made = small(&scene).await?;
        &made
    };
    let service = scene.service(&[]).await?;
    let asker = Asker { scene: &scene, base: format!("http://{}/api/v1", service.said), large };
    let (asks, refused) = asker.all().await?;
    for name in &refused {
        eprintln!("  refused: {name}");
    }
    #[expect(clippy::cast_precision_loss, reason = "a count of lists")]
    table.add_as_is("lists that were refused", refused.len() as f64, "", None, Bar::AtMost(0.0));
    for ask in asks {
        let name = format!("{}, p95", ask.name);
        let p95 = percentile(&asker.times(&ask, bench.share(TIMES).max(LEAST)).await?, 95);
        match table.on_empty(&name).filter(|_| !bench.is_empty()) {
            Some(empty) => {
                let bar = Bar::AtMost((TIMES_EMPTY * empty).min(MOST_MS));
                table.add_as_is(name, p95, "ms", Some(empty), bar);
            }
            // A second page that did not exist on empty tables exists here.
            None if bench.is_empty() => table.add(name, p95, "ms", None, Bar::AtMost(MOST_MS)),
            None => table.add_as_is(name, p95, "ms", None, Bar::AtMost(MOST_MS)),
        }
    }
    scene.end(service).await
}

/// Makes an account with a page or two of everything.
pub async fn small(scene: &Scene<'_>) -> anyhow::Result<Large> {
    let pool = &scene.database.pool;
    let account = scene.account().await?;
    let endpoint = load::endpoint(pool, &account, &scene.url("/well")).await?;
    let items: Vec<ItemId> = (0..ITEMS).map(|_| ItemId::mint()).collect();
    let owned: Vec<_> = items.iter().map(|item| (*item, &account)).collect();
    seed::items(pool, &owned).await?;
    let mut conn = scene.direct().await?;
    seed::open_month(&mut conn, &[&account], 1).await?;
    seed::ended(&mut conn, &[seed::Ended { account: &account, endpoint, items: &items }], &READS, 1).await?;
    let item = *items.first().context("it has items")?;
    Ok(Large { account, endpoint, item })
}

/// Makes the requests.
struct Asker<'a> {
    scene: &'a Scene<'a>,
    base: String,
    large: &'a Large,
}

impl Asker<'_> {
    /// Returns all requests, with second pages where there are any, and the refusals.
    async fn all(&self) -> anyhow::Result<(Vec<Ask>, Vec<String>)> {
        let (project, board) = (self.project().await?, self.board().await?);
        let month: String = sqlx::query_scalar("SELECT to_char(mws_now() AT TIME ZONE 'UTC', 'YYYY-MM')")
            .fetch_one(&self.scene.database.pool)
            .await?;
        let job: Option<JobId> =
            sqlx::query_scalar("SELECT id FROM jobs WHERE workspace_id = $1 ORDER BY id DESC LIMIT 1")
                .bind(self.large.account.workspace)
                .fetch_optional(&self.scene.database.pool)
                .await?;
        // All jobs may have been pruned.
        let names = Names { large: self.large, job: job.unwrap_or_else(JobId::mint), project, board, month };
        let (mut asks, mut refused) = (Vec::new(), Vec::new());
        for ask in asks::all(&names)? {
            match self.answer(&ask).await {
                Ok(answer) => {
                    let second = ask.second_page(&answer);
                    asks.push(ask);
                    asks.extend(second);
                }
                Err(error) if ask.needs_a_filter(&error.to_string()) => {}
                Err(error) => refused.push(error.to_string()),
            }
        }
        Ok((asks, refused))
    }

    /// Makes a project, for the list of its webhooks.
    async fn project(&self) -> anyhow::Result<String> {
        let request = self.scene.http.post(format!("{}/projects", self.base));
        let made = request.bearer_auth(self.large.account.key.expose()).json(&json!({ "brief": "a film" }));
        let made: Value = made.send().await?.error_for_status()?.json().await?;
        made["id"].as_str().map(str::to_owned).context("a project has an id")
    }

    /// Makes a board with one of the account's items on it, for the list of a board's items.
    async fn board(&self) -> anyhow::Result<String> {
        let made = self.tool("create_board", json!({ "name": "bench" })).await?;
        let board = made["data"]["board"]["id"].as_str().context("a board has an id")?;
        let ops = json!([
            { "op": "add_column", "column_id": "all", "name": "All" },
            { "op": "add_card", "column_id": "all", "ref": self.large.item },
        ]);
        self.tool("edit_board", json!({ "board_id": board, "ops": ops })).await?;
        Ok(board.to_owned())
    }

    async fn tool(&self, name: &str, body: Value) -> anyhow::Result<Value> {
        self.answer(&Ask { name: name.to_owned(), path: format!("/tools/{name}"), body: Some(body) }).await
    }

    /// Returns the milliseconds that each of `many` answers took.
    async fn times(&self, ask: &Ask, many: usize) -> anyhow::Result<Vec<f64>> {
        let mut times = Vec::with_capacity(many);
        for n in 0..WARM + many {
            let began = Instant::now();
            self.answer(ask).await?;
            if n >= WARM {
                times.push(began.elapsed().as_secs_f64() * 1_000.0);
            }
        }
        Ok(times)
    }

    async fn answer(&self, ask: &Ask) -> anyhow::Result<Value> {
        let url = format!("{}{}", self.base, ask.path);
        let request = match &ask.body {
            Some(body) => self.scene.http.post(url).json(body),
            None => self.scene.http.get(url),
        };
        let token = if ask.path.starts_with("/operator") { load::OPERATOR } else { self.large.account.key.expose() };
        let answer = request.bearer_auth(token).send().await?;
        let status = answer.status();
        let text = answer.text().await?;
        ensure!(status.is_success(), "{} answered {status}: {text}", ask.name);
        Ok(serde_json::from_str(&text)?)
    }
}
