//! A worker's process that is told to stop, or killed with -9, among deliveries (contract §6.3).

use mws_tests::world::Receiver;
use mws_tests::world::processes::WorkerProcess;
use mws_tests::world::{Media, Tenant, World, runners, until};
use std::collections::HashMap;
use std::time::Duration;
use tokio::net::TcpListener;

/// An account of a quarter of the slots of `world/settings.rs` has this many in flight.
const IN_FLIGHT: usize = 3;

struct Scene {
    world: World,
    tenant: Tenant,
    receiver: Receiver,
    worker: WorkerProcess,
}

impl Scene {
    /// A worker's process with so many deliveries to this URL, or to the receiver, which answers none of them.
    async fn new(deliveries: usize, url: Option<String>) -> anyhow::Result<Self> {
        let world = World::new().await?;
        let tenant = world.tenant("one").await?;
        let receiver = Receiver::start()?;
        receiver.hold();
        world.endpoint(&tenant, url.as_deref().unwrap_or(&receiver.url)).await?;
        let items = world.items(&tenant, deliveries, Media::audio(60)).await?;
        let jobs = tenant.client.prepare(&items, &["levels"]).await?.job_ids()?;
        tenant.client.tool("cancel_jobs", &serde_json::json!({ "job_ids": jobs })).await?;
        let worker = world.worker_process(env!("CARGO_BIN_EXE_lone_worker"))?;
        Ok(Self { world, tenant, receiver, worker })
    }

    /// Waits until the worker can send no more, and has claimed what stands in line.
    async fn is_busy(&self, claimed: i64) -> anyhow::Result<()> {
        let leased = "SELECT count(*) FROM deliveries WHERE lease_until IS NOT NULL";
        until("all are claimed and some are in flight", async || {
            let busy = self.receiver.in_flight() == IN_FLIGHT && self.world.count(leased).await? == claimed;
            Ok(busy.then_some(()))
        })
        .await
    }

    /// Lets another worker, and a scheduler, send what is left.
    async fn others_go_on(&self) -> anyhow::Result<()> {
        self.world.work(runners::instant()).await?;
        let left = "SELECT count(*) FROM deliveries WHERE status <> 'succeeded'";
        until("all are delivered", async || {
            scheduler::rescue_deliveries::run_once(&self.world.process).await?;
            scheduler::reissue_deliveries::run_once(&self.world.process).await?;
            Ok((self.world.count(left).await? == 0).then_some(()))
        })
        .await
    }

    /// How often each event came, and under which attempts' numbers.
    fn came(&self) -> HashMap<String, Vec<String>> {
        let mut came: HashMap<String, Vec<String>> = HashMap::new();
        for one in self.receiver.received() {
            came.entry(one.header("service-delivery").to_owned())
                .or_default()
                .push(one.header("service-attempt").to_owned());
        }
        came
    }

    async fn attempts(&self) -> anyhow::Result<Vec<(i16, bool, Option<String>)>> {
        let log =
            sqlx::query_as("SELECT attempt, counted, error FROM delivery_attempts ORDER BY delivery_id, claim_no");
        Ok(log.fetch_all(self.world.pool()).await?)
    }
}

#[tokio::test]
async fn a_worker_that_is_told_to_stop_records_what_is_in_flight_and_hands_back_the_rest() -> anyhow::Result<()> {
    let mut scene = Scene::new(8, None).await?;
    scene.is_busy(8).await?;
    scene.worker.terminate()?;
    scene.receiver.release();
    let status = until("it has ended", async || scene.worker.ended()).await?;
    assert!(status.success(), "{status}");
    let world = &scene.world;
    let recorded = world.count("SELECT count(*) FROM deliveries WHERE status = 'succeeded'").await?;
    assert_eq!(recorded, i64::try_from(scene.receiver.received().len())?, "all that was sent is recorded");
    assert!(recorded >= i64::try_from(IN_FLIGHT)?);
    let not_handed_back = "SELECT count(*) FROM deliveries WHERE status = 'pending'
        AND (lease_until IS NOT NULL OR attempt_count <> 0 OR due_at > mws_now())";
    assert_eq!(world.count(not_handed_back).await?, 0);
    scene.others_go_on().await?;
    let came = scene.came();
    assert_eq!(came.len(), 8);
    assert!(came.values().all(|attempts| attempts == &["1"]), "each once: {came:?}");
    scene.world.end().await
}

#[tokio::test]
async fn a_worker_killed_between_send_and_record_leads_to_the_same_event_under_the_same_number() -> anyhow::Result<()> {
    let scene = Scene::new(5, None).await?;
    scene.is_busy(5).await?;
    let Scene { world, tenant, receiver, worker } = scene;
    worker.kill()?;
    receiver.release();
    let seen: Vec<String> = receiver.received().iter().map(|one| one.header("service-delivery").to_owned()).collect();
    assert_eq!(seen.len(), IN_FLIGHT);
    assert_eq!(world.count("SELECT count(*) FROM delivery_attempts").await?, 0, "nothing was recorded");
    world.advance(Duration::from_secs(31)).await?;
    let worker = world.worker_process(env!("CARGO_BIN_EXE_lone_worker"))?;
    let scene = Scene { world, tenant, receiver, worker };
    scene.others_go_on().await?;
    let came = scene.came();
    assert_eq!(came.len(), 5);
    for (event, attempts) in &came {
        let times = if seen.contains(event) { 2 } else { 1 };
        assert_eq!(*attempts, vec!["1".to_owned(); times], "{event}");
    }
    let interrupted = (1, false, Some("interrupted".to_owned()));
    let log: Vec<_> = (0..5).flat_map(|_| [interrupted.clone(), (1, true, None)]).collect();
    assert_eq!(scene.attempts().await?, log);
    let failures: i32 =
        sqlx::query_scalar("SELECT consecutive_failures FROM webhook_endpoints").fetch_one(scene.world.pool()).await?;
    assert_eq!(failures, 0, "a crash of ours is no failure of the receiver's");
    scene.world.end().await
}

#[tokio::test]
async fn a_worker_killed_while_it_tells_of_a_job_that_it_has_ended_leads_to_the_same_event_under_the_same_number()
-> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, receiver) = (world.tenant("one").await?, Receiver::start()?);
    receiver.hold();
    world.endpoint(&tenant, &receiver.url).await?;
    let item = world.recording(&tenant, 10).await?;
    let worker = world.worker_process(env!("CARGO_BIN_EXE_lone_worker"))?;
    tenant.client.prepare(&[item], &["levels"]).await?.data()?;
    until("its webhook is being sent", async || Ok((receiver.in_flight() == 1).then_some(()))).await?;
    let with_its_end = "SELECT count(*) FROM deliveries AS d JOIN jobs AS j ON j.id = d.job_id
        WHERE d.claimed_at = j.finished_at AND d.claim_no = 1 AND d.lease_until > mws_now()";
    assert_eq!(world.count(with_its_end).await?, 1, "it was claimed in the transaction in which it began");
    worker.kill()?;
    receiver.release();
    world.advance(Duration::from_secs(31)).await?;
    let worker = world.worker_process(env!("CARGO_BIN_EXE_lone_worker"))?;
    let scene = Scene { world, tenant, receiver, worker };
    scene.others_go_on().await?;
    assert_eq!(scene.came().into_values().collect::<Vec<_>>(), [["1", "1"]]);
    assert_eq!(scene.attempts().await?, [(1, false, Some("interrupted".to_owned())), (1, true, None)]);
    scene.world.end().await
}

#[tokio::test]
async fn a_worker_killed_before_the_send_leads_to_one_request() -> anyhow::Result<()> {
    // It accepts connections and never speaks TLS: a worker that has claimed waits here, and nothing is sent.
    let mute = TcpListener::bind("127.0.0.1:0").await?;
    let scene = Scene::new(1, Some(format!("https://{}/", mute.local_addr()?))).await?;
    let _connection = mute.accept().await?;
    let Scene { world, tenant, receiver, worker } = scene;
    worker.kill()?;
    receiver.release();
    let endpoint: domain::ids::EndpointId =
        sqlx::query_scalar("SELECT id FROM webhook_endpoints").fetch_one(world.pool()).await?;
    let body = serde_json::json!({ "url": receiver.url }).to_string();
    let changed = tenant.client.send("PATCH", &format!("/webhooks/{endpoint}"), &[], Some(body)).await?;
    assert_eq!(changed.status, 200, "{}", changed.text);
    world.advance(Duration::from_secs(31)).await?;
    let worker = world.worker_process(env!("CARGO_BIN_EXE_lone_worker"))?;
    let scene = Scene { world, tenant, receiver, worker };
    scene.others_go_on().await?;
    assert_eq!(scene.came().into_values().collect::<Vec<_>>(), [["1"]], "to the URL of now");
    assert_eq!(scene.attempts().await?, [(1, false, Some("interrupted".to_owned())), (1, true, None)]);
    scene.world.end().await
}
