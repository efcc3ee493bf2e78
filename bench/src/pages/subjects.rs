//! What the pages are about: an account's jobs and deliveries of the last hour, of which some failed, an item with an
//! hour's transcript, a job of another account that waits, its endpoints that thousands of deliveries did not
//! reach, failed reads, and a bulk operation. The account is the large one of full tables.

use crate::grown::Large;
use crate::load::{COMPUTED, Scene};
use crate::seed::{self, Account, Ended};
use anyhow::Context;
use domain::ids::{AccountId, BulkOperationId, DeliveryId, ItemId, JobId};
use domain::read::Read;
use serde_json::{Value, json};
use sqlx::{PgConnection, PgPool};

/// Items whose reads ended in the last hour: with four reads each, more than the overview looks at.
const ITEMS: usize = 600;
/// Items of a call.
const CALL: usize = 20;
/// Jobs that another account has queued, and their reads, which nobody computes here.
const QUEUED: usize = 500;
const QUEUED_READS: [Read; 2] = [Read::Transcript, Read::SearchIndex];
/// Items whose deliveries failed, and failed reads of each of two accounts, with their errors.
const FAILED: usize = 60;
const ERRORS: [&str; 2] = ["media_unreadable", "reader_timeout"];
/// Deliveries of a day that failed and were not sent again, and the endpoints of another account that they were for.
const UNSENT: i32 = 20_000;
const UNSENT_ENDPOINTS: i32 = 200;
/// Words of the transcript, an hour at 150 a minute, and those of a segment.
const SAID: u32 = 9_000;
const SEGMENT: u32 = 10;
const WORD_MS: u32 = 400;
const VOCABULARY: &str = "the river runs below an old bridge and boats come back at noon with what fishermen found \
     before sunrise while people who live beside water mend their nets talk about weather or wait for somebody \
     whose name nobody remembers until evening when lamps are lit along every quay";
/// Times before and after everything that exists.
const TIMES: [&str; 2] = ["2000-01-01T00:00:00Z", "2999-01-01T00:00:00Z"];

/// The ids that paths and filters name.
pub struct Subjects {
    /// The account whose portal is asked for.
    pub account: Account,
    ids: Vec<(&'static str, String)>,
    /// The month that most of the account's entries are of, such as `2026-10`.
    month: String,
}

impl Subjects {
    /// Makes what is missing of it. The service must not run yet.
    pub async fn make(scene: &Scene<'_>, large: &Large) -> anyhow::Result<Self> {
        let (pool, account) = (&scene.database.pool, large.account.clone());
        let mut conn = scene.direct().await?;
        let items = ended(scene, &mut conn, large).await?;
        let (lost, arrived) = items.split_at(FAILED);
        lose(&mut conn, lost).await?;
        let (_, unsent) = job_of(&mut conn, *lost.first().context("some are lost")?).await?;
        let item = *arrived.first().context("some arrive")?;
        let (job, delivery) = job_of(&mut conn, item).await?;
        let spoken = scene.items(&account, 1).await?.pop().context("one was made")?;
        say(pool, &account, spoken).await?;
        let (other, waiting) = queued(scene, &mut conn, QUEUED / QUEUED_READS.len(), &QUEUED_READS).await?;
        leave_unsent(&mut conn, other).await?;
        let failed = failed(scene, &mut conn).await?;
        let month =
            "SELECT to_char(month, 'YYYY-MM') FROM minute_buckets WHERE account_id = $1 ORDER BY used DESC LIMIT 1";
        let month: String = sqlx::query_scalar(month).bind(account.id).fetch_one(pool).await?;
        let ids = vec![
            ("account", account.id.to_string()),
            ("workspace", account.workspace.to_string()),
            ("endpoint", large.endpoint.to_string()),
            ("item", item.to_string()),
            ("spoken", spoken.to_string()),
            ("job", job.to_string()),
            ("delivery", delivery.to_string()),
            ("unsent", unsent.to_string()),
            ("failed", failed.to_string()),
            ("other", other.to_string()),
            ("waiting", waiting.to_string()),
            ("bulk", bulk_operation(pool).await?.to_string()),
            ("read", Read::Levels.name().to_owned()),
            ("trace", "0af7651916cd43dd8448eb211c80319c".to_owned()),
        ];
        Ok(Self { account, ids, month })
    }

    /// Returns a page's path with the ids that it names.
    pub fn path(&self, page: &str) -> String {
        self.ids.iter().fold(page.to_owned(), |path, (name, id)| path.replace(&format!("{{{name}}}"), id))
    }

    /// Returns what is written into a filter without words, one request for each.
    pub fn values(&self, filter: &str) -> Vec<String> {
        let subject = filter.strip_suffix("_id");
        if let Some((_, id)) = self.ids.iter().find(|(name, _)| Some(*name) == subject) {
            return vec![id.clone()];
        }
        match filter {
            "month" => vec![self.month.clone()],
            "since" | "until" => TIMES.map(str::to_owned).to_vec(),
            "http_status" => vec!["200".to_owned(), "500".to_owned()],
            "action" => vec!["view".to_owned()],
            "name" => vec!["bench".to_owned()],
            _ => vec!["none".to_owned()],
        }
    }
}

/// Makes jobs of the account that ended just now, with their deliveries. Returns their items.
async fn ended(scene: &Scene<'_>, conn: &mut PgConnection, large: &Large) -> anyhow::Result<Vec<ItemId>> {
    let Large { account, endpoint, .. } = large;
    let items = scene.items(account, ITEMS).await?;
    seed::open_month(conn, &[account], 0).await?;
    let calls = items.chunks(CALL).map(|items| Ended { account, endpoint: *endpoint, items });
    seed::ended(conn, &calls.collect::<Vec<_>>(), &COMPUTED, 0).await?;
    Ok(items)
}

/// Returns a job of this item, and its delivery.
async fn job_of(conn: &mut PgConnection, item: ItemId) -> sqlx::Result<(JobId, DeliveryId)> {
    sqlx::query_as(
        "SELECT j.id, d.id FROM jobs AS j JOIN deliveries AS d ON d.job_id = j.id WHERE j.item_id = $1 LIMIT 1",
    )
    .bind(item)
    .fetch_one(conn)
    .await
}

/// Makes the deliveries of these items' jobs failed ones.
async fn lose(conn: &mut PgConnection, items: &[ItemId]) -> sqlx::Result<()> {
    sqlx::query(
        "WITH failed AS (
             UPDATE deliveries SET status = 'failed', response_status = NULL, error = 'timeout'
             WHERE job_id = ANY (ARRAY(SELECT id FROM jobs WHERE item_id = ANY ($1)))
             RETURNING id
         )
         UPDATE delivery_attempts SET response_status = NULL, error = 'timeout'
         WHERE delivery_id = ANY (ARRAY(SELECT id FROM failed))",
    )
    .bind(items.to_vec())
    .execute(conn)
    .await
    .map(drop)
}

/// Makes endpoints of this account, and deliveries to each that failed.
async fn leave_unsent(conn: &mut PgConnection, account: AccountId) -> sqlx::Result<()> {
    sqlx::query(
        "INSERT INTO webhook_endpoints (id, account_id, url, event_types)
         SELECT md5('unsent' || n)::uuid, $1, 'http://127.0.0.1:9/' || n, '{}' FROM generate_series(1, $2) AS n",
    )
    .bind(account)
    .bind(UNSENT_ENDPOINTS)
    .execute(&mut *conn)
    .await?;
    sqlx::query(
        "INSERT INTO deliveries (id, endpoint_id, account_id, event_id, event_type, status, created_at, finished_at, error)
         SELECT (left(mws_first_id(at)::text, 24) || lpad(to_hex(n), 12, '0'))::uuid,
             md5('unsent' || n % $2 + 1)::uuid, $1, 'evt_unsent' || n, 'job.succeeded', 'failed', at, at, 'timeout'
         FROM (SELECT n, mws_now() - n * interval '4 s' AS at FROM generate_series(1, $3) AS n) AS rows",
    )
    .bind(account)
    .bind(UNSENT_ENDPOINTS)
    .bind(UNSENT)
    .execute(&mut *conn)
    .await?;
    sqlx::raw_sql("ANALYZE webhook_endpoints; ANALYZE deliveries").execute(conn).await.map(drop)
}

/// Queues jobs of another account in one call. Returns the account and the last of them.
async fn queued(
    scene: &Scene<'_>,
    conn: &mut PgConnection,
    items: usize,
    reads: &[Read],
) -> anyhow::Result<(AccountId, JobId)> {
    let account = scene.account().await?;
    let items = scene.items(&account, items).await?;
    seed::open_month(conn, &[&account], 0).await?;
    let starts = seed::starts(&[(&account, items.as_slice())], reads);
    seed::queue(conn, &starts).await?;
    Ok((account.id, starts.last().context("jobs are queued")?.job()))
}

/// Makes reads of two more accounts that failed, for a reason each. Returns one of them.
async fn failed(scene: &Scene<'_>, conn: &mut PgConnection) -> anyhow::Result<JobId> {
    let mut one = None;
    for error in ERRORS {
        let (account, job) = queued(scene, conn, FAILED, &[Read::Levels]).await?;
        seed::end(conn, &[account], Some(error)).await?;
        one = Some(job);
    }
    one.context("there are errors")
}

/// Stores a transcript and moments with what is written in them, as an item of an hour has them.
async fn say(pool: &PgPool, account: &Account, item: ItemId) -> sqlx::Result<()> {
    sqlx::query(
        "INSERT INTO item_reads (item_id, read, job_id, engine, engine_version, result)
         VALUES ($1, 'transcript', $2, 'bench', '1', $3)",
    )
    .bind(item)
    .bind(JobId::mint())
    .bind(json!({ "schema": 1, "kind": "transcript", "data": transcript() }))
    .execute(pool)
    .await?;
    sqlx::query(
        "INSERT INTO moments (item_id, start_ms, end_ms, number, thumbnail_key)
         SELECT $1, n * 60000, n * 60000 + 60000, n + 1, 'none' FROM generate_series(0, 59) AS n",
    )
    .bind(item)
    .execute(pool)
    .await?;
    sqlx::query(
        "INSERT INTO passages (item_id, shown, number, workspace_id, text, own_words, times)
         SELECT $1, true, n + 1, $2, 'bridge', 1, json_build_array(json_build_array(n * 60000, n * 60000 + 500))
         FROM generate_series(0, 59) AS n",
    )
    .bind(item)
    .bind(account.workspace)
    .execute(pool)
    .await
    .map(drop)
}

/// Returns a transcript, whose words are the vocabulary's in no order.
fn transcript() -> Value {
    let known: Vec<&str> = VOCABULARY.split_whitespace().collect();
    let word = |n: u32| known[(n.wrapping_mul(2_654_435_761) >> 16) as usize % known.len()];
    let seconds = |n: u32| f64::from(n * WORD_MS) / 1_000.0;
    let timed = |from: u32, to: u32| {
        let text = (from..to).map(word).collect::<Vec<_>>().join(" ");
        json!({ "text": text, "start": seconds(from), "end": seconds(to) })
    };
    let words: Vec<Value> = (0..SAID).map(|n| timed(n, n + 1)).collect();
    let segments: Vec<Value> = (0..SAID / SEGMENT).map(|n| timed(n * SEGMENT, (n + 1) * SEGMENT)).collect();
    json!({ "language": "en", "segments": segments, "words": words })
}

/// Inserts a bulk operation that has come to its end.
async fn bulk_operation(pool: &PgPool) -> sqlx::Result<BulkOperationId> {
    let id = BulkOperationId::mint();
    sqlx::query(
        "INSERT INTO bulk_operations (id, name, kind, state, since, until, operator, request_id, total, done, ended_at)
         VALUES ($1, $2, 'resend_deliveries', 'finished', mws_now() - interval '1 day', mws_now(), 'bench', 'req_bench',
             2000, 2000, mws_now())",
    )
    .bind(id)
    .bind(id.to_string())
    .execute(pool)
    .await?;
    Ok(id)
}
