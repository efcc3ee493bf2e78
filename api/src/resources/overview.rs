//! What there is and what goes on: `GET /overview` and the tool `get_overview` (contract §4.3, §4.4), which an agent
//! calls first.

use crate::app::App;
use crate::auth::{Auth, Caller};
use crate::contract::envelope::{MediaLink, NoArguments, ToolAnswer};
use crate::contract::groups::{Refusals, Tag};
use crate::http::error::Answer;
use crate::http::text::{CreditCount, MinuteCount, Text};
use crate::resources::library::{Item, WithMedia};
use crate::usecases::balance::balance;
use domain::item::ItemStatus;
use domain::job::JobStatus;
use domain::series::FAILURES_THAT_WARN;
use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
use std::collections::BTreeMap;
use store::endpoints::{self, Endpoint, MOST_ENDPOINTS};
use store::items;
use store::overview::{self, Count};

/// What these operations refuse with, beside what every operation may.
pub const ERRORS: Refusals = &[("GET /overview", &[]), ("POST /tools/get_overview", &[])];

/// Items that are shown.
const NEWEST: i64 = 5;

/// The overview.
pub struct Overview(pub App);

/// What there is in the workspace that the call acts in, and what its account has.
#[derive(Debug, Object)]
pub struct OverviewAnswer {
    /// Items by status; of at most the newest 10,000.
    pub items: BTreeMap<String, i64>,
    /// Items that are ready, by type; of the same.
    pub ready: BTreeMap<String, i64>,
    /// The newest items.
    pub newest_items: Vec<Item>,
    /// How many of the newest 2,000 items are ready and lack each read that applies to them.
    pub missing_reads: BTreeMap<String, i64>,
    /// Jobs that have not ended, by kind; of at most 1,000 of each.
    pub live_jobs: BTreeMap<String, i64>,
    /// How many of those run.
    pub running_jobs: i64,
    /// Projects by status; of at most the newest 10,000.
    pub projects: BTreeMap<String, i64>,
    /// The account's minutes left, the month's and those bought.
    pub left_minutes: MinuteCount,
    /// What running work holds of its minutes.
    pub held_minutes: MinuteCount,
    /// The account's AI credits left.
    pub left_credits: CreditCount,
    /// The account's webhook endpoints that are disabled, or failed ten times in a row or more.
    pub troubled_endpoints: Vec<TroubledEndpoint>,
}

/// An endpoint that needs its owner.
#[derive(Debug, Object)]
pub struct TroubledEndpoint {
    /// Its id.
    pub id: Text,
    /// Whether events are sent to it.
    pub enabled: bool,
    /// Failed attempts since the last success.
    pub consecutive_failures: i32,
}

#[OpenApi(tag = "Tag::Workspace")]
impl Overview {
    /// Get an overview
    ///
    /// What there is in the workspace, what goes on, what is left of the minutes, and which endpoints are in trouble.
    #[oai(path = "/overview", method = "get", operation_id = "read_overview")]
    async fn read(&self, auth: Auth) -> Answer<Json<OverviewAnswer>> {
        let Auth(caller) = auth;
        Ok(Json(overview(&self.0, &caller).await?.0))
    }

    /// Get an overview
    ///
    /// What there is in the workspace, what goes on, what is left of the minutes, and which endpoints are in trouble.
    #[oai(path = "/tools/get_overview", method = "post", operation_id = "get_overview")]
    async fn get(&self, auth: Auth, _arguments: Json<Option<NoArguments>>) -> Answer<Json<ToolAnswer<OverviewAnswer>>> {
        let Auth(caller) = auth;
        let (answer, media) = overview(&self.0, &caller).await?;
        Ok(ToolAnswer::new(&caller.request_id, answer).showing(media).json())
    }
}

/// The overview, and links to the newest items.
async fn overview(app: &App, caller: &Caller) -> Answer<(OverviewAnswer, Vec<MediaLink>)> {
    let (workspace, settings) = (caller.workspace.id, &app.process.settings);
    let mut conn = app.conn().await?;
    let counted = overview::items(&mut conn, workspace).await?;
    let newest = items::page(&mut conn, workspace, None, NEWEST).await?;
    let jobs = overview::live_jobs(&mut conn, workspace).await?;
    let projects = overview::projects(&mut conn, workspace).await?;
    let missing_reads = overview::missing_reads(&mut conn, workspace).await?;
    let balance = balance(settings, &mut conn, caller.account_id).await?;
    let endpoints = endpoints::list(&mut conn, caller.account_id, None, MOST_ENDPOINTS).await?;
    let ready = counted.iter().filter(|count| count.status == ItemStatus::Ready.name()).cloned().collect::<Vec<_>>();
    let media = newest.iter().filter_map(|row| Item::of(row.clone(), &app.links).media()).collect();
    let answer = OverviewAnswer {
        items: sums(&counted, |count| Some(count.status.clone())),
        ready: sums(&ready, |count| count.of.clone()),
        newest_items: newest.into_iter().map(|row| Item::shown(row, &app.links, WithMedia::No)).collect(),
        missing_reads: missing_reads.iter().map(|missing| (missing.read.name().to_owned(), missing.many)).collect(),
        live_jobs: sums(&jobs, |count| count.of.clone()),
        running_jobs: jobs
            .iter()
            .filter(|count| count.status == JobStatus::Running.name())
            .map(|count| count.many)
            .sum(),
        projects: sums(&projects, |count| Some(count.status.clone())),
        left_minutes: (balance.left() + balance.bought).into(),
        held_minutes: balance.held_in_all.into(),
        left_credits: balance.credits.left().into(),
        troubled_endpoints: endpoints.iter().filter_map(troubled).collect(),
    };
    Ok((answer, media))
}

/// How many there are by this word.
fn sums(counts: &[Count], word: impl Fn(&Count) -> Option<String>) -> BTreeMap<String, i64> {
    let mut sums = BTreeMap::new();
    for count in counts {
        if let Some(word) = word(count) {
            *sums.entry(word).or_default() += count.many;
        }
    }
    sums
}

fn troubled(endpoint: &Endpoint) -> Option<TroubledEndpoint> {
    let Endpoint { id, enabled, consecutive_failures, .. } = *endpoint;
    let is_troubled = !enabled || consecutive_failures >= FAILURES_THAT_WARN;
    is_troubled.then(|| TroubledEndpoint { id: Text::of(id), enabled, consecutive_failures })
}
