//! A few transactions of an account at once: those that wait for one another hold no connections that others need
//! (`runtime::own_turns`).

use crate::floors::{code, is_test, module, root, sources};
use crate::portal;
use crate::public_links::{Visitor, link};
use anyhow::Context;
use domain::ids::{AccountId, ItemId};
use futures_util::future::join_all;
use mws_tests::world::{Answer, Client, Feed, Media, World, until};
use reqwest::StatusCode;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};
use store::PoolSize;
use tokio::task::JoinHandle;

/// Use cases of customers that begin a transaction in no turn of the account, and why.
const WITHOUT_A_TURN: [(&str, &str); 6] = [
    ("calendar_feeds", "taking access away waits for nobody"),
    ("keys", "the same"),
    ("portal", "no account is known before somebody has signed in"),
    ("public_links", "taking access away waits for nobody"),
    ("webhooks::secret", "changing a secret that has leaked waits for nobody"),
    ("workspaces", "removing a member waits for nobody; the others take a turn"),
];

/// How many connections to the test's database wait for a lock.
pub const WAITING: &str = "SELECT count(DISTINCT pid) FROM pg_locks WHERE NOT granted
    AND pid IN (SELECT pid FROM pg_stat_activity WHERE datname = current_database())";

/// Waits for more than half a second, in which no more than `most` connections may wait for a lock: long enough for the
/// service to see that clients hung up, and much shorter than a lock is waited for.
pub async fn no_more_wait(world: &World, most: i64) -> anyhow::Result<()> {
    let looked = Instant::now() + Duration::from_millis(600);
    until("the time is over", async || {
        let waiting = world.count(WAITING).await?;
        anyhow::ensure!(waiting <= most, "{waiting} connections wait");
        Ok((Instant::now() >= looked).then_some(()))
    })
    .await
}

/// Waits for these calls. At least `least` of them are answered, and the others are told to come again: a call waits
/// for its turn for some seconds only, and a busy machine may take longer.
async fn are_answered(calls: Vec<JoinHandle<anyhow::Result<Answer>>>, least: usize) -> anyhow::Result<()> {
    let mut answered = 0;
    for call in calls {
        let answer = call.await??;
        let is_told = !answer.header("retry-after").is_empty();
        anyhow::ensure!(answer.status == 200 || is_told, "{} {}", answer.status, answer.text);
        answered += usize::from(answer.status == 200);
    }
    anyhow::ensure!(answered >= least, "{answered} are answered");
    Ok(())
}

#[test]
fn a_customers_transaction_begins_in_a_turn_of_its_account() -> anyhow::Result<()> {
    let usecases = root().join("api/src/usecases");
    let mut without = BTreeSet::new();
    for file in sources(&usecases)?.into_iter().filter(|file| !is_test(file)) {
        let module = module(&usecases, &file)?.join("::");
        if !module.starts_with("operator") && code(&file)?.contains(".begin()") {
            without.insert(module);
        }
    }
    let named: BTreeSet<String> = WITHOUT_A_TURN.iter().map(|(module, _)| (*module).to_owned()).collect();
    assert_eq!(without, named);
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_that_wait_for_the_account_hold_four_connections_and_all_are_answered() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (busy, other) = (world.tenant("busy").await?, world.tenant("other").await?);
    let items = world.items(&busy, 12, Media::audio(60)).await?;
    let others = world.item(&other, Media::audio(60)).await?;
    let held = world.hold("SELECT FROM accounts WHERE name = 'busy' FOR NO KEY UPDATE").await?;
    let calls: Vec<_> = items
        .into_iter()
        .map(|item| {
            let client = busy.client.clone();
            tokio::spawn(async move { client.prepare(&[item], &["levels"]).await })
        })
        .collect();
    until("four wait", async || Ok((world.count(WAITING).await? >= 4).then_some(()))).await?;
    let prepared = other.client.prepare(&[others], &["levels"]).await?;
    assert_eq!(prepared.status, 200, "{}", prepared.text);
    assert_eq!(world.count(WAITING).await?, 4, "the others wait for a turn, with no connection");
    held.rollback().await?;
    are_answered(calls, 4).await?;
    world.end().await
}

/// A statement whose client hung up waits on for its lock, and its connection with it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_begins_calls_and_hangs_up_has_no_more_connections_than_turns() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (busy, other) = (world.tenant("busy").await?, world.tenant("other").await?);
    let items = world.items(&busy, 8, Media::audio(60)).await?;
    let others = world.item(&other, Media::audio(60)).await?;
    let held = world.hold("SELECT FROM accounts WHERE name = 'busy' FOR NO KEY UPDATE").await?;
    let begin = |items: &[ItemId]| -> Vec<_> {
        let calls = items.iter().map(|item| (busy.client.clone(), *item));
        calls.map(|(client, item)| tokio::spawn(async move { client.prepare(&[item], &["levels"]).await })).collect()
    };
    let given_up = begin(&items[..4]);
    until("four wait", async || Ok((world.count(WAITING).await? >= 4).then_some(()))).await?;
    given_up.iter().for_each(JoinHandle::abort);
    let calls = begin(&items[4..]);
    no_more_wait(&world, 4).await?;
    let prepared = other.client.prepare(&[others], &["levels"]).await?;
    assert_eq!(prepared.status, 200, "{}", prepared.text);
    held.rollback().await?;
    are_answered(calls, 0).await?;
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lists_of_an_account_hold_four_connections_and_all_are_answered() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (busy, other) = (world.tenant("busy").await?, world.tenant("other").await?);
    let asked = json!({ "ref": world.item(&busy, Media::audio(60)).await?.to_string() });
    let held = world.hold("LOCK TABLE comments IN ACCESS EXCLUSIVE MODE").await?;
    let calls: Vec<_> = (0..12)
        .map(|_| {
            let (client, asked) = (busy.client.clone(), asked.clone());
            tokio::spawn(async move { client.tool("list_comments", &asked).await })
        })
        .collect();
    until("four wait", async || Ok((world.count(WAITING).await? >= 4).then_some(()))).await?;
    let listed = other.client.tool("list_items", &json!({})).await?;
    assert_eq!(listed.status, 200, "{}", listed.text);
    assert_eq!(world.count(WAITING).await?, 4, "the others wait for a turn, with no connection");
    held.rollback().await?;
    are_answered(calls, 4).await?;
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lists_of_prompts_hold_four_connections_and_all_are_answered() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (busy, other) = (world.tenant("busy").await?, world.tenant("other").await?);
    let asked = json!({ "jsonrpc": "2.0", "id": 1, "method": "prompts/list", "params": {} });
    let held = world.hold("LOCK TABLE documents IN ACCESS EXCLUSIVE MODE").await?;
    let calls: Vec<_> = (0..12)
        .map(|_| {
            let (client, asked) = (busy.client.below(world.base_url()), asked.clone());
            tokio::spawn(async move { client.mcp("/mcp", &asked).await })
        })
        .collect();
    until("four wait", async || Ok((world.count(WAITING).await? >= 4).then_some(()))).await?;
    no_more_wait(&world, 4).await?;
    let balance = other.client.send("GET", "/balances", &[], None).await?;
    assert_eq!(balance.status, 200, "{}", balance.text);
    held.rollback().await?;
    are_answered(calls, 4).await?;
    world.end().await
}

/// A file of a month is up to fifty pages, which are asked for as everybody asks for them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_of_an_account_s_statements_hold_four_connections_and_all_are_answered() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (busy, other) = (world.tenant("busy").await?, world.tenant("other").await?);
    let customer = portal::at(&world, &portal::link(&busy.client, json!({})).await?).await?;
    let held = world.hold("LOCK TABLE ledger_tallies IN ACCESS EXCLUSIVE MODE").await?;
    let files = join_all((0..8).map(|_| customer.get("/portal/usage/statement.csv")));
    let looked_at = async {
        until("four wait", async || Ok((world.count(WAITING).await? >= 4).then_some(()))).await?;
        no_more_wait(&world, 4).await?;
        let balance = other.client.send("GET", "/balances", &[], None).await?;
        assert_eq!(balance.status, 200, "{}", balance.text);
        held.rollback().await?;
        anyhow::Ok(())
    };
    let (files, looked_at) = tokio::join!(files, looked_at);
    looked_at?;
    for file in files {
        let (status, text) = file?;
        // A busy machine may take longer than a call waits for its turn.
        let is_told = [StatusCode::TOO_MANY_REQUESTS, StatusCode::SERVICE_UNAVAILABLE].contains(&status);
        assert!(status == StatusCode::OK || is_told, "{status} {text}");
    }
    world.end().await
}

/// What a read is put together from may be the rows of a day of speech.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stored_reads_of_an_account_hold_four_connections_and_all_are_answered() -> anyhow::Result<()> {
    let world = World::new().await?;
    let busy = world.tenant("busy").await?;
    let item = world.item(&busy, Media::audio(60)).await?;
    let held = world.hold("LOCK TABLE item_reads IN ACCESS EXCLUSIVE MODE").await?;
    let path = format!("/library/items/{item}/reads/transcript");
    let reads = join_all((0..12).map(|_| busy.client.send("GET", &path, &[], None)));
    let looked_at = async {
        until("four wait", async || Ok((world.count(WAITING).await? >= 4).then_some(()))).await?;
        no_more_wait(&world, 4).await?;
        held.rollback().await?;
        anyhow::Ok(())
    };
    let (reads, looked_at) = tokio::join!(reads, looked_at);
    looked_at?;
    for read in reads {
        let read = read?;
        // Here too a call may have waited too long for its turn.
        let is_told = !read.header("retry-after").is_empty();
        assert!((read.status, read.code()) == (404, "read_not_found") || is_told, "{} {}", read.status, read.text);
    }
    world.end().await
}

/// The world's process has ten connections.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lists_of_all_accounts_leave_half_of_the_connections_to_other_calls() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (one, two, other) = (world.tenant("one").await?, world.tenant("two").await?, world.tenant("other").await?);
    let held = world.hold("LOCK TABLE documents IN ACCESS EXCLUSIVE MODE").await?;
    let calls: Vec<_> = [&one, &two]
        .into_iter()
        .flat_map(|tenant| (0..4).map(move |_| tenant.client.clone()))
        .map(|client| tokio::spawn(async move { client.tool("list_boards", &json!({})).await }))
        .collect();
    until("five wait", async || Ok((world.count(WAITING).await? >= 5).then_some(()))).await?;
    let balance = other.client.send("GET", "/balances", &[], None).await?;
    assert_eq!(balance.status, 200, "{}", balance.text);
    let item = world.item(&other, Media::audio(60)).await?;
    assert_eq!(
        other.client.prepare(&[item], &["levels"]).await?.reads()?,
        [["queued"]],
        "no transaction waits for lists"
    );
    assert_eq!(world.count(WAITING).await?, 5, "the others wait for one of all lists' turns, with no connection");
    held.rollback().await?;
    are_answered(calls, 5).await?;
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn open_streams_of_an_account_read_two_at_a_time() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (busy, other) = (world.tenant("busy").await?, world.tenant("other").await?);
    let mut streams = Vec::new();
    for _ in 0..12 {
        let mut stream = Feed::of(busy.client.stream(&[]).await?);
        stream.next().await?.context("no place")?;
        streams.push(stream);
    }
    let held = world.hold("LOCK TABLE events IN ACCESS EXCLUSIVE MODE").await?;
    until("two wait", async || Ok((world.count(WAITING).await? == 2).then_some(()))).await?;
    // Each looks every two seconds.
    let looked = Instant::now() + Duration::from_secs(3);
    until("each has looked", async || {
        let waiting = world.count(WAITING).await?;
        anyhow::ensure!(waiting <= 2, "{waiting} streams hold a connection");
        Ok((Instant::now() >= looked).then_some(()))
    })
    .await?;
    let balance = other.client.send("GET", "/balances", &[], None).await?;
    assert_eq!(balance.status, 200, "{}", balance.text);
    held.rollback().await?;
    drop(streams);
    world.end().await
}

/// The api of `mws up` is a part of a process whose own connections are two.
#[tokio::test]
async fn a_part_of_a_process_has_turns_for_its_own_connections() -> anyhow::Result<()> {
    let world = World::new().await?;
    for (connections, turns) in [(2, 1), (16, 12), (40, 30)] {
        let part = world.process.part("part", PoolSize(connections));
        let taken: Vec<_> = (0..40).map_while(|_| part.own_turns.turn_now(AccountId::mint())).collect();
        assert_eq!(taken.len(), turns, "of {connections} connections");
    }
    world.end().await
}

/// Two accounts' guests are as many as may put pages together at once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn guests_whose_comments_wait_keep_no_page_of_another_account_waiting() -> anyhow::Result<()> {
    let world = World::new().await?;
    let visitor = async |name: &str| -> anyhow::Result<_> {
        let tenant = world.tenant(name).await?;
        let item = world.item(&tenant, Media::video(60)).await?;
        Ok(link(&tenant, item, json!({ "rights": ["comment"] })).await?.1)
    };
    let (one, two, other) = (visitor("one").await?, visitor("two").await?, visitor("other").await?);
    // Comments can be read meanwhile, and not added.
    let held = world.hold("LOCK TABLE comments IN EXCLUSIVE MODE").await?;
    let said = [("name", "Ada"), ("text", "kept"), ("at", "")];
    let page = async {
        until("both wait", async || Ok((world.count(WAITING).await? >= 2).then_some(()))).await?;
        let page = other.page().await;
        held.rollback().await?;
        page
    };
    let (first, second, page) = tokio::join!(one.send("/comments", &said), two.send("/comments", &said), page);
    assert_eq!(page?.0, StatusCode::OK);
    for sent in [first?, second?] {
        assert_eq!(sent.status(), StatusCode::SEE_OTHER);
    }
    world.end().await
}

/// For an account one page or calendar at a time is put together, also while those who asked for others have gone.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn visitors_who_hang_up_leave_no_more_statements_behind_than_there_are_turns() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::video(60)).await?;
    let page = link(&tenant, item, json!({ "rights": ["comment"] })).await?.1;
    let made = tenant.client.tool("create_calendar_feed", &json!({})).await?;
    let feed = Visitor::of(made.data()?["url"].as_str().context("no url")?)?;
    for (lock, visitor) in [
        ("LOCK TABLE comments IN ACCESS EXCLUSIVE MODE", &page),
        ("LOCK TABLE calendar_entries IN ACCESS EXCLUSIVE MODE", &feed),
    ] {
        let held = world.hold(lock).await?;
        tokio::select! {
            answer = visitor.page() => anyhow::bail!("it was answered: {answer:?}"),
            waits = until("it waits", async || Ok((world.count(WAITING).await? >= 1).then_some(()))) => waits?,
        }
        let others = async {
            no_more_wait(&world, 1).await?;
            held.rollback().await?;
            anyhow::Ok(())
        };
        let (again, others) = tokio::join!(visitor.page(), others);
        others?;
        assert_eq!(again?.0, StatusCode::OK, "{lock}");
    }
    world.end().await
}

/// Four searches look at once in a process, and these four have their permits.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn searches_that_wait_for_calls_of_their_own_account_keep_no_search_of_another_waiting() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (one, two, three) = (world.tenant("one").await?, world.tenant("two").await?, world.tenant("three").await?);
    let other = world.tenant("other").await?;
    let mut items = Vec::new();
    for tenant in [&one, &two, &three] {
        items.push(world.item(tenant, Media::audio(60)).await?.to_string());
    }
    let call = |client: &Client, tool: &'static str, asked: Value| {
        let client = client.clone();
        tokio::spawn(async move { client.tool(tool, &asked).await })
    };
    let held = world.hold("LOCK TABLE comments IN ACCESS EXCLUSIVE MODE").await?;
    let mut calls: Vec<_> = (0..4).map(|_| call(&one.client, "list_comments", json!({ "ref": items[0] }))).collect();
    for (tenant, item) in [(&two, &items[1]), (&three, &items[2])] {
        calls.push(call(&tenant.client, "add_comment", json!({ "ref": item, "text": "kept" })));
    }
    until("six wait", async || Ok((world.count(WAITING).await? >= 6).then_some(()))).await?;
    // The first has all further turns of lists, and the others their first turn: none of these has another now.
    let query = json!({ "query": "river" });
    calls.extend([&one, &one, &two, &three].map(|tenant| call(&tenant.client, "search_footage", query.clone())));
    let searches = &world.app().searches;
    let under_way = || [&one, &two, &three].map(|tenant| searches.under_way(tenant.account));
    until("they have their permits", async || Ok((under_way() == [2, 1, 1]).then_some(()))).await?;
    let found = other.client.tool("search_footage", &query).await?;
    assert_eq!(found.status, 200, "{}", found.text);
    assert_eq!(world.count(WAITING).await?, 6, "those before them still wait");
    held.rollback().await?;
    are_answered(calls, 6).await?;
    world.end().await
}
