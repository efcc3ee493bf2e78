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

#[tokio::test]
async fn a_ticket_lives_while_it_waits_for_anybody_or_its_holder_is_seen() -> anyhow::Result<()> {
    let world = World::new().await?;
    let worker = "INSERT INTO apalis.workers (id, worker_type, storage_name, last_seen)
        VALUES ($1, 'w', 's', now() - make_interval(secs => $2))";
    // One is seen for as long as the test lasts.
    for (holder, seconds) in [("seen", -3_600.0), ("lost", 21.0)] {
        sqlx::query(worker).bind(holder).bind(seconds).execute(world.pool()).await?;
    }
    let states = [
        ("Pending", None, true),
        ("Pending", Some("seen"), true),
        ("Pending", Some("lost"), false),
        ("Queued", None, false),
        ("Queued", Some("seen"), true),
        ("Queued", Some("lost"), false),
        ("Running", Some("seen"), true),
        ("Running", Some("nobody"), false),
        ("Done", Some("seen"), false),
        ("Failed", Some("seen"), false),
        ("Killed", Some("seen"), false),
    ];
    let ticket =
        "INSERT INTO apalis.jobs (id, job_type, job, status, lock_by, attempts, max_attempts, run_at, priority,
            metadata)
        VALUES ('one', 'none', '', $1, $2, 0, 1, now(), 0, ''::hstore)";
    for (status, holder, lives) in states {
        sqlx::query(ticket).bind(status).bind(holder).execute(world.pool()).await?;
        let found = world.count("SELECT count(*) FROM live_tickets WHERE id = 'one'").await?;
        assert_eq!(found == 1, lives, "{status}, held by {holder:?}");
        sqlx::query("DELETE FROM apalis.jobs WHERE id = 'one'").execute(world.pool()).await?;
    }
    sqlx::query("DELETE FROM apalis.workers").execute(world.pool()).await?;
    world.end().await
}
