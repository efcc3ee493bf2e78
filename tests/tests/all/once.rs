//! Nothing starts twice, whatever is repeated or raced (contract §4.1, §4.2.8, §4.7).

use crate::dispatch::all_reads;
use api::usecases::dispatch::{DispatchRequest, Dispatched, dispatch};
use domain::credits::Credits;
use domain::ids::{ItemId, JobId, RequestId};
use domain::plan::Candidate;
use domain::read::Read;
use domain::task::Task;
use futures_util::future::try_join_all;
use mws_tests::world::{Media, Tenant, World, counted, let_in, until};
use serde_json::json;
use std::collections::BTreeSet;
use store::idempotency::Key;
use store::jobs::{Call, Owners};
use store::reads;

/// How many jobs all reads of so many items are.
pub fn jobs_of_all(items: i64) -> i64 {
    items * i64::try_from(Read::ALL.len()).unwrap_or_default()
}

/// A call for these reads, below HTTP.
pub fn wish(tenant: &Tenant, items: &[ItemId], reads: &[Read], key: Option<&str>) -> DispatchRequest {
    let owners = Owners { payer: tenant.account, owner: tenant.account, workspace: tenant.workspace };
    let id = RequestId::mint();
    let call =
        Call { id, tool: "prepare_media", request_id: id.to_string(), context: None, traceparent: None, rerun: None };
    let key = key.map(|key| Key {
        account: tenant.account,
        tool: "prepare_media",
        key: key.to_owned(),
        fingerprint: vec![7; 32],
        earlier: Vec::new(),
    });
    DispatchRequest { owners, call, refs: items.iter().map(ToString::to_string).collect(), reads: reads.to_vec(), key }
}

#[tokio::test]
async fn a_repeated_call_starts_nothing_twice() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let items = world.items(&tenant, 3, Media::video(60)).await?;
    let first = tenant.client.prepare(&items, &all_reads()).await?;
    let again = tenant.client.prepare(&items, &all_reads()).await?;
    assert_eq!(again.reads()?, vec![vec!["already_queued"; Read::ALL.len()]; 3]);
    assert_eq!(again.job_ids()?, first.job_ids()?);
    assert_eq!(again.data()?["estimate"]["minutes"], 0);
    assert_eq!(again.data()?["estimate"]["left_minutes"], first.data()?["estimate"]["left_minutes"]);
    assert_eq!(again.json["meta"]["cloud_processing"]["minutes"], 0);
    assert_eq!(world.count("SELECT count(*) FROM jobs").await?, jobs_of_all(3));
    world.end().await
}

#[tokio::test]
async fn the_number_of_statements_does_not_depend_on_the_number_of_reads() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let items = world.items(&tenant, 21, Media::video(60)).await?;
    let compose = |_: &_| "{}".to_owned();
    // Connections that are there.
    drop(try_join_all((0..4).map(|_| world.process.pool.acquire())).await?);
    until("they are at rest", async || Ok((world.process.pool.num_idle() >= 4).then_some(()))).await?;
    let one = wish(&tenant, &items[..1], &[Read::Levels], Some("one"));
    let (answered, of_one) = counted(dispatch(&world.process, &one, &compose)).await;
    assert!(matches!(answered?, Dispatched::Answered(prepared) if prepared.items.len() == 1));
    let all = wish(&tenant, &items[1..], &Read::ALL, Some("all"));
    let (answered, of_all) = counted(dispatch(&world.process, &all, &compose)).await;
    assert!(matches!(answered?, Dispatched::Answered(prepared) if prepared.items.len() == 20));
    assert_eq!(own_of(&of_all), own_of(&of_one));
    // The items, the terms, the key, the reads, the account, its balance, the jobs and the answer.
    assert_eq!(own_of(&of_one).len(), 8, "{of_one:#?}");
    let keyless = wish(&tenant, &items[..1], &[Read::Beats], None);
    let (answered, of_keyless) = counted(dispatch(&world.process, &keyless, &compose)).await;
    assert!(matches!(answered?, Dispatched::Answered(prepared) if prepared.items.len() == 1));
    assert_eq!(own_of(&of_keyless).len(), 6, "{of_keyless:#?}");
    assert_eq!(world.count("SELECT count(*) FROM jobs").await?, jobs_of_all(20) + 2);
    world.end().await
}

/// These statements without COMMIT (sqlx does not tell BEGIN), without what a connection that rested for a second is
/// asked, and without the settings of one that is opened.
fn own_of(statements: &[String]) -> Vec<&str> {
    let others = ["COMMIT", "SELECT transaction_timestamp()", "SET lock_timeout"];
    let is_own = |statement: &&str| !others.iter().any(|other| statement.starts_with(other));
    statements.iter().map(String::as_str).filter(is_own).collect()
}

#[tokio::test]
async fn a_key_answers_again_byte_for_byte_even_after_its_jobs_moved_on() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let items = world.items(&tenant, 2, Media::video(60)).await?;
    let first = tenant.client.prepare_once("k 1", &items, &all_reads()).await?;
    assert_eq!((first.status, first.header("idempotent-replayed")), (200, ""));
    tenant.client.tool("cancel_jobs", &json!({ "job_ids": first.job_ids()? })).await?.data()?;
    let again = tenant.client.prepare_once("k 1", &items, &all_reads()).await?;
    assert_eq!((again.status, again.header("idempotent-replayed")), (200, "true"));
    assert_eq!(again.text, first.text);
    assert_ne!(again.header("x-request-id"), first.header("x-request-id"));
    assert_eq!(world.count("SELECT count(*) FROM jobs").await?, jobs_of_all(2));
    // Without the key the cancelled reads start anew.
    assert_eq!(tenant.client.prepare(&items, &all_reads()).await?.reads()?, vec![vec!["queued"; Read::ALL.len()]; 2]);
    world.end().await
}

#[tokio::test]
async fn a_key_of_another_request_is_refused_and_starts_nothing() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, other) = (world.tenant("a").await?, world.tenant("b").await?);
    let items = world.items(&tenant, 2, Media::video(60)).await?;
    tenant.client.prepare_once("k", &items[..1], &["levels"]).await?.data()?;
    for (refs, reads) in [(&items[1..], vec!["levels"]), (&items[..1], vec!["beats"]), (&items[..], vec!["levels"])] {
        let refused = tenant.client.prepare_once("k", refs, &reads).await?;
        assert_eq!((refused.status, refused.code()), (422, "idempotency_key_reused"));
        assert_eq!(refused.json["error"]["retryable"], false);
    }
    assert_eq!(world.count("SELECT count(*) FROM jobs").await?, 1);
    // A key belongs to its account alone, and an answer that started nothing is not kept under it.
    let theirs = world.item(&other, Media::video(60)).await?;
    assert_eq!(other.client.prepare_once("k", &[theirs], &["levels"]).await?.header("idempotent-replayed"), "");
    let nothing = tenant.client.prepare_once("n", &items[..1], &["levels"]).await?;
    assert_eq!(nothing.reads()?, [["already_queued"]]);
    assert_eq!(tenant.client.prepare_once("n", &items[1..], &["levels"]).await?.reads()?, [["queued"]]);
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fifty_calls_at_once_for_the_same_items_start_each_read_once() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let items = world.items(&tenant, 4, Media::video(60)).await?;
    let backwards: Vec<ItemId> = items.iter().rev().copied().collect();
    let deadlocks = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()";
    let before = world.count(deadlocks).await?;
    // Half of them ask the other way round: whoever locks in the order asked would lock each other out.
    let calls =
        (0..50).map(|n| {
            let (client, items, turned) = (tenant.client.clone(), items.clone(), backwards.clone());
            async move {
                let_in(async || client.prepare(if n % 2 == 0 { &items } else { &turned }, &all_reads()).await).await
            }
        });
    let answers = try_join_all(calls).await?;
    let mut jobs = BTreeSet::new();
    let mut started = 0;
    for answer in &answers {
        jobs.extend(answer.job_ids()?);
        started += answer.reads()?.iter().flatten().filter(|status| *status == "queued").count();
        assert_eq!(answer.job_ids()?.len(), 4 * Read::ALL.len());
    }
    assert_eq!((jobs.len(), started), (4 * Read::ALL.len(), 4 * Read::ALL.len()));
    assert_eq!(world.count("SELECT count(*) FROM jobs").await?, jobs_of_all(4));
    assert_eq!(world.count(deadlocks).await?, before, "who is locked out is told to come again, and does");
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn thirty_calls_at_once_with_one_key_get_one_answer() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let items = world.items(&tenant, 5, Media::video(60)).await?;
    let calls = (0..30).map(|_| {
        let (client, items) = (tenant.client.clone(), items.clone());
        async move { let_in(async || client.prepare_once("same", &items, &all_reads()).await).await }
    });
    let answers = try_join_all(calls).await?;
    let texts: BTreeSet<&str> = answers.iter().map(|answer| answer.text.as_str()).collect();
    assert_eq!(texts.len(), 1, "{texts:?}");
    let replayed = answers.iter().filter(|answer| answer.header("idempotent-replayed") == "true").count();
    assert_eq!(replayed, 29);
    assert_eq!(world.count("SELECT count(*) FROM calls").await?, 1);
    world.end().await
}

#[tokio::test]
async fn a_call_that_sees_its_keys_first_call_answers_as_that_one() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::video(60)).await?;
    let first = tenant.client.prepare_once("k", &[item], &["levels"]).await?;
    // The moment before the first call's commit, as far as its key goes.
    let keep = "CREATE TABLE kept AS SELECT * FROM idempotency_keys";
    sqlx::query(keep).execute(world.pool()).await?;
    sqlx::query("DELETE FROM idempotency_keys").execute(world.pool()).await?;
    let mut commit = world.hold("LOCK TABLE job_reads IN ACCESS EXCLUSIVE MODE").await?;
    let client = tenant.client.clone();
    let second = tokio::spawn(async move { client.prepare_once("k", &[item], &["levels"]).await });
    until("the second call looks for jobs", async || {
        let waiting = "SELECT count(*) FROM pg_locks WHERE relation = 'job_reads'::regclass AND NOT granted";
        Ok((world.count(waiting).await? == 1).then_some(()))
    })
    .await?;
    sqlx::query("INSERT INTO idempotency_keys SELECT * FROM kept").execute(&mut *commit).await?;
    commit.commit().await?;
    let second = second.await??;
    assert_eq!((second.header("idempotent-replayed"), &second.text), ("true", &first.text));
    world.end().await
}

#[tokio::test]
async fn a_call_that_waits_too_long_for_its_key_is_told_to_try_again() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::video(60)).await?;
    let mut first = world.pool().begin().await?;
    sqlx::query(
        "INSERT INTO idempotency_keys (account_id, tool, key, fingerprint, call_id)
         VALUES ($1, 'prepare_media', 'k', '\\x07', $1)",
    )
    .bind(tenant.account)
    .execute(&mut *first)
    .await?;
    let refused = tenant.client.prepare_once("k", &[item], &["levels"]).await?;
    assert_eq!((refused.status, refused.code()), (409, "idempotency_in_progress"));
    assert_eq!(refused.json["error"]["retryable"], true);
    // The first one died: the second goes ahead.
    first.rollback().await?;
    assert_eq!(tenant.client.prepare_once("k", &[item], &["levels"]).await?.reads()?, [["queued"]]);
    world.end().await
}

#[tokio::test]
async fn calls_that_take_the_same_reads_in_other_orders_never_lock_each_other_out() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let items = world.items(&tenant, 3, Media::video(60)).await?;
    let backwards: Vec<ItemId> = items.iter().rev().copied().collect();
    // Both calls meet a lock in their middle. Taking in the order asked, each would then hold what the other wants
    // next.
    world.wait_for_locks().await?;
    let mut middle = world.pool().begin().await?;
    let taken = "INSERT INTO job_reads (item_id, read, job_id) VALUES ($1, 'levels', $1)";
    sqlx::query(taken).bind(items[1]).execute(&mut *middle).await?;
    let calls = [items, backwards].map(|items| {
        let client = tenant.client.clone();
        tokio::spawn(async move { client.prepare(&items, &["levels"]).await })
    });
    until("both wait", async || {
        let waiting = "SELECT count(*) FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'INSERT INTO job_reads%'";
        Ok((world.count(waiting).await? == 2).then_some(()))
    })
    .await?;
    middle.rollback().await?;
    let mut jobs = BTreeSet::new();
    for call in calls {
        jobs.extend(call.await??.job_ids()?);
    }
    assert_eq!(jobs.len(), 3);
    world.end().await
}

#[tokio::test]
async fn a_read_that_is_stored_while_a_call_waits_for_it_is_ready_and_the_others_start() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let items = world.items(&tenant, 2, Media::video(60)).await?;
    // A job that the call can't see yet owns a read. Its end, which stores the read, is what the call waits for.
    world.wait_for_locks().await?;
    let mut ended = world.pool().begin().await?;
    let owned = "INSERT INTO job_reads (item_id, read, job_id) VALUES ($1, 'levels', $1)";
    sqlx::query(owned).bind(items[0]).execute(&mut *ended).await?;
    let (client, both) = (tenant.client.clone(), items.clone());
    let call = tokio::spawn(async move { client.prepare(&both, &["levels", "beats"]).await });
    until("the call waits", async || {
        let waiting = "SELECT count(*) FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'INSERT INTO job_reads%'";
        Ok((world.count(waiting).await? == 1).then_some(()))
    })
    .await?;
    sqlx::query("DELETE FROM job_reads WHERE item_id = $1").bind(items[0]).execute(&mut *ended).await?;
    let stored = "INSERT INTO item_reads (item_id, read, job_id, engine, engine_version, result)
        VALUES ($1, 'levels', $1, 'a test', '1', '{}')";
    sqlx::query(stored).bind(items[0]).execute(&mut *ended).await?;
    ended.commit().await?;
    let answer = call.await??;
    assert_eq!(answer.reads()?, [["ready", "queued"], ["queued", "queued"]]);
    assert_eq!(answer.job_ids()?.len(), 3);
    assert_eq!(world.count("SELECT count(*) FROM job_reads").await?, 3, "what was taken for nothing is given back");
    // It is of no job that the service ran.
    sqlx::query("DELETE FROM item_reads").execute(world.pool()).await?;
    world.end().await
}

#[tokio::test]
async fn reads_that_nobody_has_are_claimed_all_at_once_or_not_at_all() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let items = world.items(&tenant, 2, Media::video(60)).await?;
    let candidate = |item: ItemId, read: Read| Candidate {
        job: JobId::mint(),
        item: Some(item),
        task: Task::Read(read),
        with_speech: read == Read::Speakers,
        duration_ms: Some(60_000),
        credits: Credits::ZERO,
    };
    let rows = "SELECT count(*) FROM job_reads";
    let mut first = world.pool().begin().await?;
    let free = [candidate(items[0], Read::Levels), candidate(items[1], Read::Speakers)];
    assert!(reads::claim_all(&mut first, &free).await?);
    first.commit().await?;
    assert_eq!(world.count(rows).await?, 3, "who finds out who speaks owns the speech too");
    let mut second = world.pool().begin().await?;
    let other = [candidate(items[0], Read::Beats), candidate(items[1], Read::Speech)];
    assert!(!reads::claim_all(&mut second, &other).await?, "the speech is another's");
    second.rollback().await?;
    assert_eq!(world.count(rows).await?, 3);
    // These rows belong to no job, which the invariants would find.
    sqlx::query("DELETE FROM job_reads").execute(world.pool()).await?;
    world.end().await
}
