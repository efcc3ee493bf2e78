//! Work goes on while somebody else's transaction is open and PostgreSQL keeps all that was deleted since.

use domain::ids::JobId;
use domain::job::PLACES;
use domain::read::Read;
use futures_util::FutureExt;
use mws_tests::world::counted;
use mws_tests::world::{Media, World, until};
use runtime::queue::{self, Next, Picked, Picker, Queue, Subject, Ticket};
use runtime::wake::{Wake, Wakes};
use sqlx::{Connection, PgConnection, PgPool};
use std::collections::BTreeSet;
use store::jobs::{self, Freed, Line};
use store::tickets;
use tokio_util::sync::CancellationToken;

const QUEUE: Queue = Queue::Read(Read::Levels);
/// Tickets that were spent while the transaction was open: a look past them takes some milliseconds at least.
const SPENT: i64 = 150_000;
/// Tickets that are picked at once.
const MOST: usize = 16;

/// Pushes and spends so many tickets.
async fn spend_many(pool: &PgPool) -> anyhow::Result<()> {
    let push = "INSERT INTO apalis.jobs (id, job_type, job, status, attempts, max_attempts, run_at, priority, metadata)
        SELECT 'spent-' || n, $1, '{}', 'Pending', 0, 1, now() - interval '1 hour', 0, ''::hstore
        FROM generate_series(1, $2) AS n";
    sqlx::query(push).bind(QUEUE.name()).bind(SPENT).execute(pool).await?;
    sqlx::query("DELETE FROM apalis.jobs WHERE id LIKE 'spent-%'").execute(pool).await?;
    Ok(())
}

async fn push(pool: &PgPool, many: usize) -> anyhow::Result<Vec<Ticket>> {
    let pushed: Vec<Ticket> = (0..many).map(|_| Ticket::new(QUEUE, Subject::Job(JobId::mint()))).collect();
    queue::push(&mut *pool.acquire().await?, &pushed).await?;
    Ok(pushed)
}

/// The wakes of another process on this database.
fn of_another(world: &World, stop: &CancellationToken) -> Wakes {
    if world.settings.database_notify { Wakes::start(world.pool(), stop.clone()) } else { Wakes::within_the_process() }
}

/// Both pick so many at once, and spend them.
async fn spend(pool: &PgPool, pickers: &[Picker; 2]) -> anyhow::Result<Vec<String>> {
    let mut spent = Vec::new();
    let mut picking = Vec::new();
    for picker in pickers {
        let mut tx = pool.begin().await?;
        let picked = picker.pick(&mut tx, MOST).await?;
        assert!(picked.tickets.len() <= MOST && picked.tickets.len() == picked.subjects.len());
        picking.push((tx, picked.tickets));
    }
    for (mut tx, picked) in picking {
        tickets::spend(&mut tx, &picked).await?;
        tx.commit().await?;
        spent.extend(picked);
    }
    Ok(spent)
}

#[tokio::test]
async fn tickets_are_picked_once_each_by_a_few_looks_past_what_an_old_transaction_keeps() -> anyhow::Result<()> {
    let world = World::new().await?;
    let pool = world.pool();
    let mut old = PgConnection::connect(&world.database_url()).await?;
    sqlx::raw_sql("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT pg_current_xact_id()").execute(&mut old).await?;
    spend_many(pool).await?;

    // The first is of the process that names what it pushes, the second of another that serves the same queue.
    let (wakes, stop) = (&world.process.wakes, CancellationToken::new());
    let others = of_another(&world, &stop);
    let named = [wakes, &others].map(|wakes| wakes.tickets_of(&[QUEUE]));
    let pickers = named.map(|named| Picker::new(vec![QUEUE], named));
    let (mut expected, mut spent) = (BTreeSet::new(), Vec::new());
    let picking = async {
        for round in 0..10 {
            let pushed = push(pool, 40).await?;
            if round % 2 == 0 {
                wakes.tickets(&pushed);
            }
            expected.extend(pushed.into_iter().map(|ticket| ticket.id));
            spent.extend(spend(pool, &pickers).await?);
        }
        until("all are picked", async || {
            spent.extend(spend(pool, &pickers).await?);
            Ok((spent.len() >= expected.len()).then_some(()))
        })
        .await
    };
    let (picked, statements) = counted(picking).await;
    picked?;
    let count = |words: &str| statements.iter().filter(|statement| statement.contains(words)).count();
    let (looks, by_ids) = (count("The next"), count("Those of the"));
    assert!(looks > 2 && by_ids > 2, "{looks} looks, and {by_ids} times by ids: {statements:?}");
    assert_eq!(spent.len(), expected.len(), "none is picked twice");
    assert_eq!(spent.into_iter().collect::<BTreeSet<_>>(), expected);
    stop.cancel();
    old.close().await?;
    world.end().await
}

#[tokio::test]
async fn what_another_process_has_just_pushed_is_picked_by_its_name_and_without_a_look() -> anyhow::Result<()> {
    let world = World::new().await?;
    let pool = world.pool();
    let stop = CancellationToken::new();
    let others = of_another(&world, &stop);
    let mut heard = others.subscribe();
    let woken = others.of_queues(&[QUEUE]);
    let picker = Picker::new(vec![QUEUE], others.tickets_of(&[QUEUE]));
    let pick = async || -> anyhow::Result<Picked> {
        let mut tx = pool.begin().await?;
        let picked = picker.pick(&mut tx, MOST).await?;
        tickets::spend(&mut tx, &picked.tickets).await?;
        tx.commit().await?;
        Ok(picked)
    };
    let mut old = PgConnection::connect(&world.database_url()).await?;
    sqlx::raw_sql("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT pg_current_xact_id()").execute(&mut old).await?;
    spend_many(pool).await?;
    if world.settings.database_notify {
        assert_eq!(heard.recv().await?, Wake::Everything, "it listens");
        woken.next().await;
    }
    until("looks are dear", async || Ok(matches!(pick().await?.next, Next::In(_)).then_some(()))).await?;

    let pushed = push(pool, 3).await?;
    world.process.wakes.tickets(&pushed);
    let expected: BTreeSet<String> = pushed.into_iter().map(|ticket| ticket.id).collect();
    if world.settings.database_notify {
        woken.next().await;
        let (picked, statements) = counted(pick()).await;
        assert_eq!(picked?.tickets.into_iter().collect::<BTreeSet<_>>(), expected);
        assert!(!statements.iter().any(|statement| statement.contains("The next")), "{statements:?}");
    } else {
        // Nobody names them to another process: one of its looks finds them, each once.
        let mut found = Vec::new();
        until("a look finds them", async || {
            found.extend(pick().await?.tickets);
            Ok((found.len() >= expected.len()).then_some(()))
        })
        .await?;
        assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), expected);
        assert!(heard.try_recv().is_err() && woken.next().now_or_never().is_none(), "it was told nothing");
    }
    stop.cancel();
    old.close().await?;
    world.end().await
}

#[tokio::test]
async fn places_go_to_those_from_the_jobs_on_that_had_them_and_from_the_front_to_whoever_waits_first()
-> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let items = world.items(&tenant, 5, Media::video(60)).await?;
    let started = tenant.client.prepare(&items, &Read::ALL.map(Read::name)).await?.job_ids()?;
    let line: Vec<(JobId, i64, bool)> =
        sqlx::query_as("SELECT id, seq, admitted FROM jobs ORDER BY seq").fetch_all(world.pool()).await?;
    assert_eq!(line.len(), started.len());
    let waiting = usize::try_from(PLACES)?;
    assert!(line[..waiting].iter().all(|one| one.2) && line[waiting..].iter().all(|one| !one.2));

    let later = waiting + 3;
    for (line_from, next, others) in [(Line::From(line[later].1), later, PLACES - 3), (Line::Front, waiting, PLACES)] {
        let freed = Freed { account: tenant.account, places: 3, line: line_from };
        let mut tx = world.pool().begin().await?;
        let mut admitted = jobs::leave(&mut tx, &[], &[freed]).await?;
        admitted.sort_unstable_by_key(|one| one.job);
        let mut expected: Vec<JobId> = line[next..next + 3].iter().map(|one| one.0).collect();
        expected.sort_unstable();
        assert_eq!(admitted.iter().map(|one| one.job).collect::<Vec<_>>(), expected, "{line_from:?}");
        assert!(admitted.iter().all(|one| one.others == others), "{line_from:?}: {admitted:?}");
        tx.rollback().await?;
    }
    world.end().await
}
