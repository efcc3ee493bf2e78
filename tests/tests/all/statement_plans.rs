//! What the proof and the pages of an account's statement read of a full journal: its own entries and their holds.

use domain::ids::AccountId;
use domain::minutes::Minutes;
use mws_tests::plans::rows_read;
use mws_tests::world::World;
use sqlx::Connection;
use store::{journal, minutes};

/// The proof on the page of an account's minutes reads its own entries: twice for minutes of months and twice for the
/// rest, as entries and as the holds of entries.
#[tokio::test]
async fn the_journal_of_one_account_is_added_up_without_the_entries_of_others() -> anyhow::Result<()> {
    let world = World::new().await?;
    let mut conn = world.pool().acquire().await?;
    let mut look = conn.begin().await?;
    let rows = "SET LOCAL session_replication_role = replica;
        INSERT INTO accounts (id, name) SELECT md5('payer' || n)::uuid, n::text FROM generate_series(0, 19) AS n;
        INSERT INTO minute_journal (account_id, month, kind, job_id, bought_amount)
        SELECT md5('payer' || n % 20)::uuid, date '2026-11-01', kind, md5('job' || n)::uuid,
            CASE kind WHEN 'hold' THEN 7 ELSE 0 END
        FROM generate_series(1, 10000) AS n CROSS JOIN unnest('{hold,release}'::text[]) AS kind;
        ANALYZE accounts; ANALYZE minute_journal";
    sqlx::raw_sql(rows).execute(&mut *look).await?;
    let payer: AccountId = sqlx::query_scalar("SELECT md5('payer1')::uuid").fetch_one(&mut *look).await?;
    let before = rows_read(&mut look, "minute_journal").await?;
    let drift = minutes::drift(&mut look, Some(&[payer])).await?;
    let read = rows_read(&mut look, "minute_journal").await? - before;
    assert!(drift.is_empty(), "each release gives back its hold: {drift:?}");
    assert!(read <= 4_000, "{read} entries were read: its own are 1,000");
    look.rollback().await?;
    drop(conn);
    world.end().await
}

/// What later entries changed is added up without the rest of the journal, where nearly all entries that are later are
/// other accounts'.
#[tokio::test]
async fn a_later_page_of_a_statement_reads_the_entries_before_it_and_their_holds() -> anyhow::Result<()> {
    let world = World::new().await?;
    let mut conn = world.pool().acquire().await?;
    let mut look = conn.begin().await?;
    let rows = "SET LOCAL session_replication_role = replica;
        INSERT INTO minute_journal (account_id, month, kind, job_id, month_amount)
        SELECT md5('payer')::uuid, date '2026-11-01', kind, md5('own' || n)::uuid, 7
        FROM generate_series(1, 20000) AS n CROSS JOIN unnest('{hold,settle}'::text[]) AS kind ORDER BY n, kind;
        INSERT INTO minute_journal (account_id, month, kind, job_id, month_amount)
        SELECT md5('other' || n)::uuid, date '2026-11-01', kind, md5('job' || n)::uuid, 7
        FROM generate_series(1, 20000) AS n CROSS JOIN unnest('{hold,settle}'::text[]) AS kind;
        ANALYZE minute_journal";
    sqlx::raw_sql(rows).execute(&mut *look).await?;
    let payer: AccountId = sqlx::query_scalar("SELECT md5('payer')::uuid").fetch_one(&mut *look).await?;
    let newest = journal::entries(&mut look, payer, None, 50).await?;
    let from = newest.last().map(|entry| entry.id).unwrap_or_default();
    let before = rows_read(&mut look, "minute_journal").await?;
    let changes = journal::changed_since(&mut look, payer, from, 40_000).await?;
    let read = rows_read(&mut look, "minute_journal").await? - before;
    let changed = |changes: &[journal::MonthChange]| changes.iter().map(|one| one.month_change).collect::<Vec<_>>();
    let sum: Minutes = newest.iter().map(|entry| entry.month_change).sum();
    assert_eq!(changed(&changes), [sum], "the page before has all entries from its last on");
    assert!(read <= 100, "{read} entries were read: 50, and a hold for some of them");
    look.rollback().await?;
    drop(conn);
    world.end().await
}
