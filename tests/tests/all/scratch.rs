//! Room on a worker's disk for copies of media from a bucket: an account that needs all it may have keeps nobody
//! waiting. What is taken and given back is tested in `worker/src/scratch`.

use mws_tests::world::processes::silence;
use mws_tests::world::{BucketAddress, Media, Tenant, World, until};
use poem::http::StatusCode;
use poem::listener::TcpAcceptor;
use poem::{Endpoint, Request, Response, Server};
use runtime::config::Settings;
use serde_json::json;
use std::collections::BTreeSet;
use std::net::TcpListener;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Semaphore;
use worker::Engines;

/// Seconds of the media that the bucket holds back.
const LONG: u32 = 60;

/// A bucket that has a recording of nothing under each key, as long as the key says.
struct Recordings {
    /// The long ones that it was asked for.
    asked: Mutex<BTreeSet<String>>,
    /// Lets these through.
    passes: Semaphore,
}

impl Recordings {
    fn asked(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Endpoint for Recordings {
    type Output = Response;

    async fn call(&self, request: Request) -> poem::Result<Response> {
        let path = request.uri().path().to_owned();
        let Some(ms) = path.rsplit('/').next().and_then(|ms| ms.parse::<u32>().ok()) else {
            return Ok(Response::builder().status(StatusCode::NOT_FOUND).finish());
        };
        if ms / 1_000 == LONG {
            self.asked().insert(path);
            let _pass = self.passes.acquire().await.map_err(poem::error::InternalServerError)?;
        }
        let bytes = silence(ms / 1_000);
        let failed = |error: anyhow::Error| poem::Error::from_string(error.to_string(), StatusCode::NOT_FOUND);
        Ok(Response::builder().body(bytes.map_err(failed)?))
    }
}

/// Starts reads of so many new items, which have so many seconds and bytes. Returns their jobs.
async fn reads(
    world: &World,
    tenant: &Tenant,
    count: usize,
    seconds: u32,
    bytes: usize,
) -> anyhow::Result<Vec<String>> {
    let items = world.items(tenant, count, Media::audio(seconds.into())).await?;
    for item in &items {
        let sizing = sqlx::query("UPDATE items SET bytes = $2 WHERE id = $1").bind(*item).bind(i64::try_from(bytes)?);
        sizing.execute(world.pool()).await?;
    }
    tenant.client.prepare(&items, &["levels"]).await?.job_ids()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_account_that_needs_all_room_for_copies_keeps_no_other_accounts_read_waiting() -> anyhow::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    listener.set_nonblocking(true)?;
    let address = BucketAddress::at(format!("http://{}", listener.local_addr()?));
    let bucket = Arc::new(Recordings { asked: Mutex::default(), passes: Semaphore::new(0) });
    let server = Server::new_with_acceptor(TcpAcceptor::from_std(listener)?);
    let serving = tokio::spawn(server.run(Arc::clone(&bucket)));
    let world = World::in_bucket(address).await?;
    let (long, short) = (silence(LONG)?.len(), silence(3)?.len());
    // An account has room for one of the long ones.
    let scratch_bytes = Some(u64::try_from(2 * long)?);
    let mut process = world.process.clone();
    process.settings = Arc::new(Settings { scratch_bytes, ..world.settings.clone() });
    let worker = world.worker_with(Engines::found(&process), |settings| {
        settings.worker_reads = Some(2);
        settings.drain_seconds = 1;
    });
    let worker = worker.await?;

    let (hog, other) = (world.tenant("hog").await?, world.tenant("b").await?);
    let held = reads(&world, &hog, 2, LONG, long).await?;
    let put_back = "SELECT count(DISTINCT job_id) FROM job_claims
                    WHERE outcome = 'handed_back' AND error_code = 'reader_timeout'";
    until("one of them is put back", async || Ok((world.count(put_back).await? == 1).then_some(()))).await?;
    until("the other is copied", async || Ok((bucket.asked().len() == 1).then_some(()))).await?;
    let read = reads(&world, &other, 1, 3, short).await?;
    assert_eq!(other.client.ended(&read).await?[0]["status"], "succeeded");
    assert_eq!(bucket.asked().len(), 1, "what has no room is not copied");

    let never = reads(&world, &other, 1, 3, 2 * long + 1).await?;
    let ended = other.client.ended(&never).await?;
    assert_eq!((&ended[0]["status"], &ended[0]["error"]["code"]), (&json!("failed"), &json!("not_supported")));

    bucket.passes.add_permits(2);
    for job in &held {
        world.brings(&hog.client, job, "succeeded").await?;
    }
    worker.stop().await?;
    serving.abort();
    world.end().await
}
