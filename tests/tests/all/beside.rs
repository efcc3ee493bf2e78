//! Transactions that meet at one moment, held there step by step: an end beside a dispatch, an end beside a delete. And
//! what waits for too long.

use crate::once::wish;
use anyhow::Context;
use domain::credits::Credits;
use domain::ids::JobId;
use domain::job::{JobKind, JobStatus};
use domain::minutes::Minutes;
use domain::plan::{Candidate, Start};
use domain::read::Read;
use domain::task::Task;
use mws_tests::world::{Media, World, until};
use runtime::ending;
use serde_json::json;
use store::jobs::{self, End, Outcome};
use store::{accounts, documents, items, minutes};

#[tokio::test]
async fn minutes_freed_beside_a_dispatch_are_not_promised_before_they_are_folded() -> anyhow::Result<()> {
    let world = World::new().await?;
    let allowance = Minutes::from_whole(1);
    let tenant = world.tenant_with("a", allowance).await?;
    let item = world.item(&tenant, Media::audio(60)).await?;
    let job: JobId = tenant.client.prepare(&[item], &["transcript"]).await?.job_ids()?.remove(0).parse()?;

    let mut dispatch = world.pool().begin().await?;
    accounts::lock(&mut dispatch, tenant.account).await?;
    let folded = minutes::fold(&mut dispatch, tenant.account, allowance).await?.context("the account")?;
    let mut cancel = world.pool().begin().await?;
    let ended = jobs::cancel(&mut cancel, &[job], tenant.workspace).await?;
    let after_commit = ending::end_jobs(&mut cancel, &ended, &[], &JobKind::ALL).await?;
    cancel.commit().await?;

    let shown = minutes::balance(&mut dispatch, tenant.account, allowance).await?.map(|balance| balance.left());
    assert_eq!((folded.left(), shown), (Minutes::ZERO, Some(allowance)));
    let wish = wish(&tenant, &[item], &[Read::Beats], None);
    let candidate = Candidate {
        job: JobId::mint(),
        item: Some(item),
        task: Task::Read(Read::Beats),
        with_speech: false,
        duration_ms: Some(60_000),
        credits: Credits::ZERO,
    };
    let (held_bought, held_credits) = (Minutes::ZERO, Credits::ZERO);
    let start = Start { candidate, held_month: allowance, held_bought, held_credits, admitted: false };
    let held = jobs::insert(&mut dispatch, &wish.call, wish.owners, folded.month, &[start], &[None]).await?;
    assert!(!held, "only what is folded can be held");
    dispatch.rollback().await?;
    after_commit.run(world.pool(), &world.process.wakes).await;
    world.end().await
}

#[tokio::test]
async fn a_result_that_waited_for_the_delete_of_its_item_is_free_and_kept_nowhere() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::audio(60)).await?;
    let job: JobId = tenant.client.prepare(&[item], &["levels"]).await?.job_ids()?.remove(0).parse()?;
    let claimed = jobs::claim(&mut *world.pool().acquire().await?, &[job], "a test", &[]).await?.claimed.remove(0);

    let mut delete = world.pool().begin().await?;
    items::tombstone(&mut delete, item, tenant.workspace).await?;
    let asked = jobs::cancel_for_items(&mut delete, &[item], None).await?;
    let stopped = ending::end_jobs(&mut delete, &asked, &[], &JobKind::ALL).await?;

    let charge = Minutes::from_hundredths(10);
    let outcome = Outcome::Succeeded { charge, credits: Credits::ZERO, result: json!({ "stored_reads": ["levels"] }) };
    let end = End { job, claim_no: claimed.claim_no, item: Some(item), outcome, error: None };
    let pool = world.pool().clone();
    let finish = tokio::spawn(async move {
        let mut finish = pool.begin().await?;
        let ended = jobs::end(&mut finish, &[end]).await?;
        let after_commit = ending::end_jobs(&mut finish, &ended, &[], &JobKind::ALL).await?;
        finish.commit().await?;
        Ok::<_, sqlx::Error>((ended, after_commit))
    });
    let waits = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    until("the end waits for the delete", async || Ok((world.count(waits).await? > 0).then_some(()))).await?;
    delete.commit().await?;

    let (ended, after_commit) = finish.await??;
    assert_eq!(
        ended.iter().map(|one| (one.status, one.charged)).collect::<Vec<_>>(),
        [(JobStatus::Cancelled, Some(Minutes::ZERO))]
    );
    stopped.join(after_commit).run(world.pool(), &world.process.wakes).await;
    world.end().await
}

#[tokio::test]
async fn a_bound_on_time_before_all_time_is_below_every_id() -> anyhow::Result<()> {
    let world = World::new().await?;
    let bound = "SELECT count(*) FROM (VALUES ('0800-01-01 00:00Z'::timestamptz), ('1970-01-01 00:00Z')) AS t (at)
                 WHERE mws_first_id(at) = '00000000-0000-0000-0000-000000000000'::uuid";
    assert_eq!(world.count(bound).await?, 2);
    world.end().await
}

#[tokio::test]
async fn who_waits_too_long_for_calls_of_its_own_is_told_so_and_the_database_is_not_blamed() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let (client, item) = (&tenant.client, world.item(&tenant, Media::audio(60)).await?.to_string());
    let board = client.tool("create_board", &json!({ "name": "Launch" })).await?.data()?["board"]["id"].clone();
    let edit = json!({ "board_id": board, "name": "Later" });

    let mut other = world.pool().begin().await?;
    documents::lock(&mut other, tenant.account).await?;
    let refused = client.tool("edit_board", &edit).await?;
    assert_eq!((refused.status, refused.code(), refused.header("retry-after")), (429, "rate_limited", "1"));
    other.rollback().await?;
    assert_eq!(client.tool("edit_board", &edit).await?.status, 200);

    let mut other = world.pool().begin().await?;
    accounts::lock(&mut other, tenant.account).await?;
    let refused = client.prepare(std::slice::from_ref(&item), &["levels"]).await?;
    assert_eq!((refused.status, refused.code(), refused.header("retry-after")), (429, "rate_limited", "1"));
    let keyed = client.prepare_once("a key", std::slice::from_ref(&item), &["levels"]).await?;
    assert_eq!(keyed.code(), "idempotency_in_progress", "the same request is safe to send again");
    let (key, hook) = (json!({ "name": "Later" }), json!({ "url": "https://93.184.216.34/" }));
    let (key, hook) = tokio::join!(client.post("/keys", &key), client.post("/webhooks", &hook));
    for refused in [key?, hook?] {
        assert_eq!((refused.status, refused.code(), refused.header("retry-after")), (429, "rate_limited", "1"));
    }
    other.rollback().await?;
    assert_eq!(client.prepare(&[item], &["levels"]).await?.status, 200);
    world.end().await
}
