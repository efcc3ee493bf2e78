//! Tickets are disposable, also those that nobody can read (glossary.md).

use mws_tests::world::{Media, World, runners, until};

#[tokio::test]
async fn a_ticket_that_can_not_be_read_is_spent_and_its_job_gets_a_new_one() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("one").await?;
    let items = world.items(&tenant, 2, Media::video(60)).await?;
    tenant.client.prepare(&items, &["levels"]).await?;
    let spoil = "UPDATE apalis.jobs SET job = convert_to('{\"of\":\"another version\"}', 'UTF8')
        WHERE id = (SELECT min(ticket_id) FROM jobs)";
    assert_eq!(sqlx::query(spoil).execute(world.pool()).await?.rows_affected(), 1);
    let scheduler = world.scheduler().await?;
    world.work(runners::instant()).await?;
    let over = "SELECT count(*) FROM jobs WHERE status = 'succeeded'";
    until("both jobs are over", async || Ok((world.count(over).await? == 2).then_some(()))).await?;
    let unspent = "SELECT count(*) FROM apalis.jobs
        WHERE convert_from(job, 'UTF8') LIKE '%another version%' AND status <> 'Done'";
    assert_eq!(world.count(unspent).await?, 0);
    scheduler.stop().await?;
    world.end().await
}
