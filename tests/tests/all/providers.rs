//! Providers that misbehave, and workers that die between asking one and recording what came of it: nothing is charged
//! for what did not come, nothing is charged twice, and what may have been done is not asked for again.

use super::generation::{credits, job, models};
use domain::credits::Credits;
use mws_tests::world::{Media, PIXEL, Provider, Reply, Tenant, World, runners, until};
use poem::http::Method;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use worker::Engines;

/// A service with a provider of two models, and an account that can pay for many calls.
struct Bench {
    world: World,
    tenant: Tenant,
    provider: Provider,
    _folder: tempfile::TempDir,
}

impl Bench {
    async fn new() -> anyhow::Result<Self> {
        // The models' own time is not to end first, however busy the machine is.
        Self::with_timeout(120).await
    }

    /// The same with models that may take so many seconds.
    async fn with_timeout(seconds: u32) -> anyhow::Result<Self> {
        let (folder, provider) = (tempfile::tempdir()?, Provider::start(|_, _, _| Reply::Silence)?);
        let path = models(folder.path(), &provider.url)?;
        let file = std::fs::read_to_string(&path)?.replace("timeout = 20", &format!("timeout = {seconds}"));
        std::fs::write(&path, file)?;
        let world = World::with(|settings| settings.providers = Some(path)).await?;
        let tenant = world.tenant("a").await?;
        world.credit(&tenant, Credits::from_whole(100)).await?;
        Ok(Self { world, tenant, provider, _folder: folder })
    }

    /// Has a worker that asks the provider.
    async fn works(&self) -> anyhow::Result<()> {
        self.world.work(Engines::found(&self.world.process)).await
    }

    /// Starts a picture, once a worker has said that the model is available.
    async fn starts(&self, model: &str, words: &str) -> anyhow::Result<String> {
        let body = json!({ "prompt": words, "model": model });
        until("it starts", async || {
            let answer = self.tenant.client.tool("generate_image", &body).await?;
            (answer.status == 200).then(|| job(&answer)).transpose()
        })
        .await
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_provider_that_lies_fails_or_leads_astray_is_told_apart_and_nothing_is_charged() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    bench.works().await?;
    let head = format!("data:image/png;base64,{}", &PIXEL[..44]);
    let html = "data:image/png;base64,PGh0bWw+PC9odG1sPg==".to_owned();
    let large = format!("data:image/png;base64,{}", "A".repeat(200_000));
    let cases: Vec<(&str, &str, Reply, &str)> = vec![
        ("refuses", "painter", Reply::Json(422, json!({ "detail": "no" })), "provider_refused"),
        (
            "fails",
            "painter",
            Reply::Json(200, json!({ "status": "failed", "error": "secret path" })),
            "provider_failed",
        ),
        ("says nothing known", "painter", Reply::Json(200, json!({ "status": "who knows" })), "provider_bad_output"),
        ("sends no JSON", "painter", Reply::Bytes(b"<html>".to_vec(), "application/json"), "provider_bad_output"),
        ("names no output", "painter", Reply::predicted(json!({ "files": [] })), "provider_bad_output"),
        (
            "goes on with what others asked for",
            "painter",
            Reply::Json(200, json!({ "id": "01jother", "status": "processing" })),
            "provider_bad_output",
        ),
        ("sends a page", "painter", Reply::predicted(html), "media_unreadable"),
        ("sends a head", "painter", Reply::predicted(head), "media_unreadable"),
        ("sends too much", "painter", Reply::predicted(large), "file_too_large"),
        ("leads inward", "painter", Reply::predicted("http://169.254.169.254/latest/meta-data"), "provider_bad_output"),
        ("leads to a file", "painter", Reply::predicted("file:///etc/passwd"), "provider_bad_output"),
        ("leads nowhere", "painter", Reply::Redirect("http://127.0.0.1:1/".to_owned()), "provider_bad_output"),
        ("refuses", "once", Reply::Json(400, json!({})), "provider_refused"),
        ("sends no picture", "once", Reply::Json(200, json!({ "data": [] })), "provider_bad_output"),
    ];
    for (words, model, reply, code) in cases {
        bench.provider.answer(move |_, _, _| reply.clone());
        let id = bench.starts(model, words).await?;
        let ended = bench.tenant.client.reaches(&id, "failed").await?;
        assert_eq!((&ended["error"]["code"], &ended["credits"]), (&json!(code), &json!(0)), "{words}: {ended}");
        assert!(!ended.to_string().contains("127.0.0.1") && !ended.to_string().contains("secret"), "{ended}");
    }
    let whole = json!({ "left": 100, "held": 0, "used": 0 });
    assert_eq!(credits(&bench.tenant.client).await?, whole);
    // One that is busy is asked again later; the answer of the second attempt counts.
    bench.provider.answer(|_, _, before| if before == 0 { Reply::Json(409, json!({})) } else { Reply::pixel() });
    let id = bench.starts("painter", "busy").await?;
    until("the first attempt failed", async || {
        Ok((bench.tenant.client.job(&id).await?["attempt"] == 1
            && bench.tenant.client.job(&id).await?["status"] == "queued")
            .then_some(()))
    })
    .await?;
    bench.world.advance(Duration::from_secs(11)).await?;
    until("it is done", async || {
        bench.world.duties().await?;
        Ok((bench.tenant.client.job(&id).await?["status"] == "succeeded").then_some(()))
    })
    .await?;
    assert_eq!(credits(&bench.tenant.client).await?["used"], 2.5);
    // One that is slow is looked at until it is done, and told of by the same id where it has no way to look.
    bench.provider.answer(|method, _, before| match (method.as_str(), before) {
        ("PUT", 0) => Reply::Json(202, json!({ "status": "processing" })),
        ("GET", 0) => Reply::Json(200, json!({ "status": "processing" })),
        ("GET", _) => Reply::Json(404, json!({})),
        _ => Reply::predicted(json!([format!("data:image/png;base64,{PIXEL}")])),
    });
    let id = bench.starts("painter", "slow").await?;
    bench.tenant.client.reaches(&id, "succeeded").await?;
    let told = bench.provider.asked(&Method::PUT);
    assert_eq!((told.len(), &told[0].path), (2, &told[1].path));
    let Bench { world, .. } = bench;
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_look_that_fails_is_done_again_and_what_goes_on_there_is_not_given_up() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    bench.works().await?;
    bench.provider.answer(|method, _, before| match (method.as_str(), before) {
        ("PUT", _) => Reply::Json(202, json!({ "status": "processing" })),
        ("GET", 0 | 1) => Reply::Json(502, json!({})),
        _ => Reply::pixel(),
    });
    let id = bench.starts("painter", "a kite").await?;
    let ended = bench.tenant.client.reaches(&id, "succeeded").await?;
    let asked = [&Method::PUT, &Method::GET].map(|method| bench.provider.asked(method).len());
    assert_eq!((&ended["attempt"], asked, &ended["credits"]), (&json!(1), [1, 3], &json!(2.5)), "{ended}");
    let Bench { world, .. } = bench;
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_provider_that_refuses_the_operators_key_is_asked_again_and_never_told_as_the_callers_fault()
-> anyhow::Result<()> {
    let bench = Bench::new().await?;
    bench.works().await?;
    let client = &bench.tenant.client;
    for (model, method, status) in [("painter", Method::PUT, 401), ("once", Method::POST, 403)] {
        bench.provider.answer(move |_, _, _| Reply::Json(status, json!({ "error": "bad key" })));
        let id = bench.starts(model, "a kite").await?;
        for (attempt, seconds) in [(1, 11), (2, 61)] {
            until("an attempt failed", async || {
                bench.world.duties().await?;
                let job = client.job(&id).await?;
                Ok((job["attempt"] == attempt && job["status"] == "queued").then_some(()))
            })
            .await?;
            bench.world.advance(Duration::from_secs(seconds)).await?;
        }
        let ended = until("it has failed", async || {
            bench.world.duties().await?;
            let job = client.job(&id).await?;
            Ok((job["status"] == "failed").then_some(job))
        })
        .await?;
        let told = (&ended["error"]["code"], &ended["credits"]);
        assert_eq!(told, (&json!("provider_unavailable"), &json!(0)), "{model}: {ended}");
        assert_eq!(bench.provider.asked(&method).len(), 3, "{model}");
    }
    assert_eq!(credits(client).await?, json!({ "left": 100, "held": 0, "used": 0 }));
    let Bench { world, .. } = bench;
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_picture_by_a_url_is_fetched_and_one_of_the_other_dialect_is_taken_out_of_its_answer() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    bench.works().await?;
    let url = bench.provider.url.clone();
    let pixel = {
        use base64::Engine as _;
        base64::engine::general_purpose::STANDARD.decode(PIXEL)?
    };
    bench.provider.answer(move |method, _, _| match method.as_str() {
        "PUT" => Reply::predicted(format!("{url}/out.png")),
        // The type is a lie, and no one believes it.
        "GET" => Reply::Bytes(pixel.clone(), "video/mp4"),
        _ => Reply::Json(200, json!({ "data": [{ "b64_json": PIXEL }] })),
    });
    for (model, cost) in [("painter", json!(2.5)), ("once", json!(0.01))] {
        let id = bench.starts(model, "a kite").await?;
        let ended = bench.tenant.client.reaches(&id, "succeeded").await?;
        assert_eq!(ended["credits"], cost, "{model}: what was made, and not what was asked for");
        let item = bench.tenant.client.tool("get_item", &json!({ "ref": ended["result"]["item_id"] })).await?;
        let item = &item.data()?["item"];
        assert_eq!((&item["type"], &item["content_type"]), (&json!("image"), &json!("image/png")));
        assert_eq!((&item["made_by"]["model"], &item["made_by"]["synthetic"]), (&json!(model), &json!(true)));
    }
    let asked = bench.provider.asked(&Method::POST).remove(0);
    assert_eq!((asked.path.as_str(), &asked.json()["size"]), ("/v1/images/generations", &json!("1024x1024")));
    let Bench { world, .. } = bench;
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_kill_an_idempotent_provider_is_asked_again_by_the_same_id_and_any_other_never() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    let client = &bench.tenant.client;
    for (model, method, wanted) in [("painter", Method::PUT, "succeeded"), ("once", Method::POST, "failed")] {
        bench.provider.answer(|_, _, _| Reply::Silence);
        let doomed = bench.world.worker(Engines::found(&bench.world.process)).await?;
        let id = bench.starts(model, "killed in between").await?;
        let first = bench.provider.gets(&method, 1).await?.remove(0);
        doomed.kill().await;
        bench.provider.answer(|method, _, _| match method.as_str() {
            "PUT" => Reply::pixel(),
            _ => Reply::Json(200, json!({ "data": [{ "b64_json": PIXEL }] })),
        });
        bench.world.advance(Duration::from_secs(31)).await?;
        let second = bench.world.worker(Engines::found(&bench.world.process)).await?;
        let ended = until("it has ended elsewhere", async || {
            bench.world.duties().await?;
            let job = client.job(&id).await?;
            Ok(job["finished_at"].is_string().then_some(job))
        })
        .await?;
        assert_eq!(ended["status"], wanted, "{ended}");
        let asked = bench.provider.asked(&method);
        if wanted == "succeeded" {
            assert_eq!((asked.len(), &asked[0].path, &ended["credits"]), (1, &first.path, &json!(2.5)));
        } else {
            assert_eq!(
                (asked.len(), &ended["error"]["code"], &ended["credits"]),
                (0, &json!("outcome_unknown"), &json!(0))
            );
        }
        second.stop().await?;
    }
    assert_eq!(credits(client).await?, json!({ "left": 97.5, "held": 0, "used": 2.5 }));
    assert_eq!(scheduler::check_ledger::run_once(&bench.world.process).await?, 0);
    let Bench { world, .. } = bench;
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_provider_that_never_answers_is_given_up_in_its_time_asked_once_and_paid_nothing() -> anyhow::Result<()> {
    let bench = Bench::with_timeout(4).await?;
    bench.works().await?;
    let at_work = Reply::Json(202, json!({ "status": "processing" }));
    for (model, method, reply) in [
        ("painter", Method::PUT, Reply::Silence),
        ("once", Method::POST, Reply::Silence),
        ("painter", Method::PUT, at_work),
    ] {
        let words = format!("in time or never: {reply:?}");
        bench.provider.answer(
            move |_, path, _| {
                if path.ends_with("/cancel") { Reply::Json(200, Value::Null) } else { reply.clone() }
            },
        );
        let id = bench.starts(model, &words).await?;
        let ended = bench.tenant.client.reaches(&id, "failed").await?;
        assert_eq!((&ended["error"]["code"], &ended["credits"]), (&json!("provider_timeout"), &json!(0)), "{ended}");
        assert_eq!((&ended["attempt"], bench.provider.asked(&method).len()), (&json!(1), 1), "{model}: {ended}");
        let posted = bench.provider.gets(&Method::POST, 1).await?;
        let is_told = posted.iter().any(|request| request.path.ends_with("/cancel"));
        assert_eq!((posted.len(), is_told), (1, model == "painter"), "whoever can be told is told");
    }
    assert_eq!(credits(&bench.tenant.client).await?, json!({ "left": 100, "held": 0, "used": 0 }));
    let Bench { world, .. } = bench;
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_way_inward_by_a_detour_costs_nothing_and_an_answer_counts_once() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    bench.works().await?;
    let client = &bench.tenant.client;
    let url = bench.provider.url.clone();
    bench.provider.answer(move |method, _, _| match method.as_str() {
        "PUT" => Reply::predicted(format!("{url}/out.png")),
        _ => Reply::Redirect("http://169.254.169.254/latest/meta-data".to_owned()),
    });
    let ended = client.reaches(&bench.starts("painter", "a way to a way inward").await?, "failed").await?;
    assert_eq!((&ended["error"]["code"], &ended["credits"]), (&json!("provider_bad_output"), &json!(0)), "{ended}");
    assert_eq!((bench.provider.asked(&Method::PUT).len(), bench.provider.asked(&Method::GET).len()), (1, 1));

    // Whoever looks again would get another picture, and pay for it.
    let at_work = || Reply::Json(202, json!({ "status": "processing" }));
    bench.provider.answer(move |method, _, _| if *method == Method::PUT { at_work() } else { Reply::pixel() });
    let ended = client.reaches(&bench.starts("painter", "done twice").await?, "succeeded").await?;
    assert_eq!((&ended["credits"], bench.provider.asked(&Method::GET).len()), (&json!(2.5), 1), "{ended}");
    assert_eq!(credits(client).await?["used"], 2.5);
    let Bench { world, .. } = bench;
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cancelled_picture_is_called_off_at_the_provider_and_its_credits_come_back() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    bench.works().await?;
    bench
        .provider
        .answer(|method, _, _| if method == Method::PUT { Reply::Silence } else { Reply::Json(200, Value::Null) });
    let id = bench.starts("painter", "never mind").await?;
    let asked = bench.provider.gets(&Method::PUT, 1).await?.remove(0);
    assert_eq!(credits(&bench.tenant.client).await?["held"], 2.5);
    bench.tenant.client.tool("cancel_jobs", &json!({ "job_ids": [id] })).await?.data()?;
    let ended = bench.tenant.client.reaches(&id, "cancelled").await?;
    assert_eq!(ended["credits"], 0);
    let called_off = bench.provider.gets(&Method::POST, 1).await?.remove(0);
    assert_eq!(called_off.path, format!("{}/cancel", asked.path));
    assert_eq!(credits(&bench.tenant.client).await?, json!({ "left": 100, "held": 0, "used": 0 }));
    let Bench { world, .. } = bench;
    world.end().await
}

impl Bench {
    /// Reads that are done at once, and generations by the provider.
    fn engines(&self) -> Engines {
        let Engines { makers, generate, call_off, .. } = Engines::found(&self.world.process);
        Engines { makers, generate, call_off, ..runners::instant() }
    }

    /// Has the provider go on with a prediction until the flag is set.
    fn goes_on_until(&self, done: &Arc<AtomicBool>) {
        let done = Arc::clone(done);
        let on = Reply::Json(200, json!({ "status": "processing" }));
        self.provider.answer(move |_, _, _| if done.load(Ordering::SeqCst) { Reply::pixel() } else { on.clone() });
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_waits_for_a_provider_has_no_slot_and_comes_before_what_waits_for_one() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    let (client, done) = (&bench.tenant.client, Arc::new(AtomicBool::new(false)));
    bench.goes_on_until(&done);
    let worker = bench.world.worker_with(bench.engines(), |settings| settings.worker_reads = Some(1)).await?;
    let mut waiting = Vec::new();
    for words in ["a kite", "a boat", "a tree"] {
        waiting.push(bench.starts("painter", words).await?);
    }
    bench.provider.gets(&Method::PUT, 3).await?;
    // All of one account, so that no slot is lent.
    let item = bench.world.item(&bench.tenant, Media::video(60)).await?;
    let read = client.prepare(&[item], &["levels"]).await?.job_ids()?;
    assert_eq!(client.ended(&read).await?[0]["status"], "succeeded");
    for job in &waiting {
        assert_eq!(client.job(job).await?["status"], "running", "its claim and its lease are kept");
    }
    done.store(true, Ordering::SeqCst);
    for job in &waiting {
        client.reaches(job, "succeeded").await?;
    }
    worker.stop().await?;
    let Bench { world, .. } = bench;
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_stops_while_a_provider_is_slow_records_what_comes_in_time_and_hands_the_rest_back() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    let (client, done) = (&bench.tenant.client, Arc::new(AtomicBool::new(false)));
    for (words, comes) in [("in time", true), ("too late", false)] {
        done.store(false, Ordering::SeqCst);
        bench.goes_on_until(&done);
        let worker = bench
            .world
            .worker_with(bench.engines(), |settings| {
                settings.worker_reads = Some(1);
                settings.drain_seconds = if comes { 120 } else { 1 };
            })
            .await?;
        let id = bench.starts("painter", words).await?;
        bench.provider.gets(&Method::GET, 1).await?;
        worker.tell_to_stop();
        done.store(comes, Ordering::SeqCst);
        worker.stop().await?;
        let status = if comes { "succeeded" } else { "queued" };
        assert_eq!(client.job(&id).await?["status"], status, "{words}");
        if !comes {
            bench.goes_on_until(&Arc::new(AtomicBool::new(true)));
            bench.works().await?;
            client.reaches(&id, "succeeded").await?;
        }
    }
    let Bench { world, .. } = bench;
    world.end().await
}
