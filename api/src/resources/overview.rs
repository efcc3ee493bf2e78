//! The state of a workspace at a glance: `GET /overview` and the tool `get_overview` (contract §4.3, §4.4), which an
//! agent calls first.

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
use store::overview::{self, COUNTED, Count};

/// The error codes of these operations, besides those that any operation may return.
pub const ERRORS: Refusals = &[("GET /overview", &[]), ("POST /tools/get_overview", &[])];

/// The number of newest items that are shown.
const NEWEST: i64 = 5;

/// The overview.
pub struct Overview(pub App);

/// The state of the workspace in which the call acts, and what its account has left.
#[derive(Debug, Object)]
pub struct OverviewAnswer {
    /// The number of items by status, among the newest 10,000.
    pub items: BTreeMap<String, i64>,
    /// The number of ready items by type, among the newest 10,000.
    pub ready: BTreeMap<String, i64>,
    /// Whether `items` and `ready` count 10,000 items, the most: older ones are left out.
    pub counts_are_partial: bool,
    /// The five newest items.
    pub newest_items: Vec<Item>,
    /// For each read, how many of the newest 2,000 items are ready, suit the read and lack it.
    pub missing_reads: BTreeMap<String, i64>,
    /// The number of jobs that have not ended, by kind; at most 1,000 are counted for each.
    pub live_jobs: BTreeMap<String, i64>,
    /// The number of those jobs that are running.
    pub running_jobs: i64,
    /// The number of projects by status, among the newest 10,000.
    pub projects: BTreeMap<String, i64>,
    /// The minutes that the account has left: the month's and the purchased ones.
    pub left_minutes: MinuteCount,
    /// The minutes that are held for work that has not ended.
    pub held_minutes: MinuteCount,
    /// The AI credits that the account has left.
    pub left_credits: CreditCount,
    /// The account's webhook endpoints that are disabled, or have failed at least ten times in a row.
    pub troubled_endpoints: Vec<TroubledEndpoint>,
}

/// An endpoint that its owner should check.
#[derive(Debug, Object)]
pub struct TroubledEndpoint {
    /// Its id.
    pub id: Text,
    /// Whether events are sent to it.
    pub enabled: bool,
    /// The number of failed attempts since the last success.
    pub consecutive_failures: i32,
}

#[OpenApi(tag = "Tag::Workspace")]
impl Overview {
    /// Get an overview
    ///
    /// What the workspace contains, which work is under way, the minutes that are left, and the endpoints in trouble.
    #[oai(path = "/overview", method = "get", operation_id = "read_overview")]
    async fn read(&self, auth: Auth) -> Answer<Json<OverviewAnswer>> {
        let Auth(caller) = auth;
        Ok(Json(overview(&self.0, &caller).await?.0))
    }

    /// Get an overview
    ///
    /// What the workspace contains, which work is under way, the minutes that are left, and the endpoints in trouble.
    #[oai(path = "/tools/get_overview", method = "post", operation_id = "get_overview")]
    async fn get(&self, auth: Auth, _arguments: Json<Option<NoArguments>>) -> Answer<Json<ToolAnswer<OverviewAnswer>>> {
        let Auth(caller) = auth;
        let (answer, media) = overview(&self.0, &caller).await?;
        Ok(ToolAnswer::new(&caller.request_id, answer).showing(media).json())
    }
}

/// Returns the overview, and links to the newest items.
async fn overview(app: &App, caller: &Caller) -> Answer<(OverviewAnswer, Vec<MediaLink>)> {
    let (workspace, settings) = (caller.workspace.id, &app.process.settings);
    // It counts as much as a list with a filter looks at.
    let permit = app.item_searches.take(caller.account_id).await?;
    let mut conn = app.process.conn_among(caller.account_id, Some(permit.few())).await?;
    let counted = overview::items(&mut conn, workspace).await?;
    let newest = items::page(&mut conn, workspace, None, NEWEST).await?;
    let jobs = overview::live_jobs(&mut conn, workspace).await?;
    let projects = overview::projects(&mut conn, workspace).await?;
    let missing_reads = overview::missing_reads(&mut conn, workspace).await?;
    let balance = balance(settings, &mut conn, caller.account_id).await?;
    let endpoints = endpoints::list(&mut conn, caller.account_id, None, MOST_ENDPOINTS).await?;
    drop(conn);
    let ready = counted.iter().filter(|count| count.status == ItemStatus::Ready.name()).cloned().collect::<Vec<_>>();
    let media = newest.iter().filter_map(|row| Item::of(row.clone(), &app.links).media()).collect();
    let answer = OverviewAnswer {
        items: sums(&counted, |count| Some(count.status.clone())),
        ready: sums(&ready, |count| count.of.clone()),
        counts_are_partial: counted.iter().map(|count| count.many).sum::<i64>() >= COUNTED,
        newest_items: newest.into_iter().map(|row| Item::listed(row, &app.links, WithMedia::No)).collect(),
        missing_reads: missing_reads.iter().map(|missing| (missing.read.name().to_owned(), missing.many)).collect(),
        live_jobs: sums(&jobs, |count| count.of.clone()),
        running_jobs: running(&jobs),
        projects: sums(&projects, |count| Some(count.status.clone())),
        left_minutes: (balance.left() + balance.bought).into(),
        held_minutes: balance.held_in_all.into(),
        left_credits: balance.credits.left().into(),
        troubled_endpoints: endpoints.iter().filter_map(troubled).collect(),
    };
    Ok((answer, media))
}

/// Returns the number of these jobs that are running.
fn running(jobs: &[Count]) -> i64 {
    jobs.iter().filter(|count| count.status == JobStatus::Running.name()).map(|count| count.many).sum()
}

/// Returns the sums of the counts by this word; counts without a word are left out.
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
