//! Dubs that a provider's model translates: what it is sent and which of its answers count, what it costs, and that a
//! worker that dies has nothing translated or paid for twice.

use crate::dubs::{conversation, dub_of, stored};
use crate::generation::{credits, job};
use crate::provider_outputs::away_twice;
use domain::credits::Credits;
use domain::ids::ItemId;
use domain::read::Read;
use mws_tests::world::{Media, Provider, Received, Reply, Tenant, World, runners, until};
use poem::http::Method;
use serde_json::{Value, json};
use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use tokio::time::Instant;
use worker::readers::{JobCtx, ReadError};
use worker::{Dubbed, Engines};

/// A service with a model that translates for two credits a call, and an account with ten and an item to dub.
struct Booth {
    world: World,
    tenant: Tenant,
    provider: Provider,
    item: ItemId,
    _folder: tempfile::TempDir,
}

impl Booth {
    /// `more` is written into the model's table.
    async fn new(more: &str) -> anyhow::Result<Self> {
        let (folder, provider) = (tempfile::tempdir()?, Provider::start(|_, _, _| Reply::Silence)?);
        let path = folder.path().join("providers.toml");
        let url = &provider.url;
        let table = format!(
            "[[model]]\nid = \"polyglot\"\nkind = \"translate\"\ndialect = \"openai\"\nurl = \"{url}\"\n\
             price = {{ per = \"call\", credits = 2 }}\ntimeout = 120\n{more}"
        );
        std::fs::write(&path, table)?;
        let world = World::with(|settings| settings.providers = Some(path)).await?;
        let tenant = world.tenant("a").await?;
        world.credit(&tenant, Credits::from_whole(10)).await?;
        let item = conversation(&world, &tenant, Media::audio(60)).await?;
        Ok(Self { world, tenant, provider, item, _folder: folder })
    }

    /// Engines whose dubs are translated by the provider and spoken by nobody.
    fn engines(&self) -> Engines {
        let Engines { makers, translate, .. } = Engines::found(&self.world.process);
        Engines { makers, translate, ..runners::instant() }
    }

    fn body(&self) -> Value {
        json!({ "ref": self.item, "target_language": "es" })
    }

    /// Starts the dub, once a worker has said that the model is available.
    async fn starts(&self) -> anyhow::Result<String> {
        until("it starts", async || {
            let answer = self.tenant.client.tool("dub", &self.body()).await?;
            (answer.status == 200).then(|| job(&answer)).transpose()
        })
        .await
    }

    /// Waits until the job has ended, after its first worker was killed.
    async fn ends_elsewhere(&self, id: &str) -> anyhow::Result<Value> {
        self.world.advance(Duration::from_secs(31)).await?;
        self.world.work(self.engines()).await?;
        until("it has ended elsewhere", async || {
            self.world.duties().await?;
            let job = self.tenant.client.job(id).await?;
            Ok(job["finished_at"].is_string().then_some(job))
        })
        .await
    }
}

/// A chat model's answer with this text.
fn said(content: &str) -> Reply {
    let message = json!({ "role": "assistant", "content": content });
    Reply::Json(200, json!({ "choices": [{ "message": message }] }))
}

/// A chat model's answer with these translations.
fn translated(texts: &[&str]) -> Reply {
    said(&json!({ "translations": texts }).to_string())
}

/// The translation of the conversation.
fn spanish() -> Reply {
    translated(&["la casa es grande", "el r\u{ed}o es largo"])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_configured_model_translates_a_dub_at_its_price_and_nothing_else_does() -> anyhow::Result<()> {
    let booth = Booth::new("").await?;
    let (client, body) = (&booth.tenant.client, booth.body());
    let refused = client.tool("dub", &body).await?;
    assert_eq!(refused.code(), "engine_not_configured", "the built-in engine does not take its place");
    assert!(refused.text.contains("`polyglot`"), "{}", refused.text);
    booth.provider.answer(|_, _, _| spanish());
    booth.world.work(booth.engines()).await?;
    let mut dry = body.clone();
    dry["dry_run"] = json!(true);
    let startable = until("the model is available", async || {
        let answer = client.tool("dub", &dry).await?;
        Ok((answer.status == 200).then_some(answer))
    })
    .await?;
    let data = startable.data()?;
    assert_eq!((&data["status"], &data["translator"]), (&json!("startable"), &json!("polyglot")));
    assert_eq!((&data["estimated_credits"], &startable.json["meta"]["cost"]["credits"]), (&json!(2), &json!(2)));
    let estimate = client.tool("estimate_cost", &json!({ "tool": "dub", "arguments": body })).await?;
    assert_eq!((&estimate.data()?["credits"], booth.provider.asked(&Method::POST).len()), (&json!(2), 0));

    let ended = client.reaches(&booth.starts().await?, "succeeded").await?;
    assert_eq!((&ended["kind"], &ended["credits"]), (&json!("dub"), &json!(2)));
    assert_eq!(credits(client).await?, json!({ "left": 8, "held": 0, "used": 2 }));
    let asked = booth.provider.asked(&Method::POST);
    assert_eq!((asked.len(), asked[0].path.as_str()), (1, "/v1/chat/completions"));
    let sent = asked[0].json();
    assert_eq!((&sent["model"], &sent["stream"]), (&json!("polyglot"), &json!(false)));
    let user: Value = serde_json::from_str(sent["messages"][1]["content"].as_str().unwrap_or_default())?;
    let dub = dub_of(client, &ended["result"]["dub_id"]).await?;
    let column = |name: &str| -> Vec<Value> {
        dub["segments"].as_array().into_iter().flatten().map(|segment| segment[name].clone()).collect()
    };
    assert_eq!(user, json!({ "before": [], "texts": column("source"), "after": [] }));
    assert_eq!(column("translation"), [json!("la casa es grande"), json!("el r\u{ed}o es largo")]);
    let item = client.tool("get_item", &json!({ "ref": ended["result"]["item_id"] })).await?.data()?["item"].clone();
    assert_eq!((&item["made_by"]["model"], &item["made_by"]["engine"]), (&json!("polyglot"), &json!("espeak-ng")));

    // A translation that people change afterwards is spoken without asking the model, and costs no credits.
    let op = json!({ "op": "update_segment", "segment_id": dub["segments"][0]["id"], "translation": "la casa" });
    client.tool("edit_dub", &json!({ "dub_id": dub["id"], "ops": [op] })).await?.data()?;
    let again = job(&client.tool("render_dub", &json!({ "dub_id": dub["id"] })).await?)?;
    assert_eq!(client.reaches(&again, "succeeded").await?["credits"], 0);
    assert_eq!(booth.provider.asked(&Method::POST).len(), 1);
    let Booth { world, .. } = booth;
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_has_no_credits_starts_nothing_and_hears_what_is_needed() -> anyhow::Result<()> {
    let booth = Booth::new("").await?;
    let poor = booth.world.tenant("b").await?;
    let item = conversation(&booth.world, &poor, Media::audio(60)).await?;
    booth.provider.answer(|_, _, _| spanish());
    booth.world.work(booth.engines()).await?;
    booth.tenant.client.reaches(&booth.starts().await?, "succeeded").await?;
    let refused = poor.client.tool("dub", &json!({ "ref": item, "target_language": "es" })).await?;
    assert_eq!((refused.status, refused.code()), (402, "insufficient_credits"));
    assert!(refused.text.contains("needs 2"), "{}", refused.text);
    let script = json!([{ "start": 0, "end": 4, "text": "la casa es grande" }]);
    let written = json!({ "ref": item, "target_language": "es", "script": script });
    let started = poor.client.tool("dub", &written).await?;
    assert_eq!((&started.data()?["status"], &started.data()?["translator"]), (&json!("queued"), &Value::Null));
    poor.client.reaches(&job(&started)?, "succeeded").await?;
    let Booth { world, .. } = booth;
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_translator_that_lies_or_fails_fails_the_dub_and_is_paid_nothing() -> anyhow::Result<()> {
    let booth = Booth::new("").await?;
    booth.world.work(booth.engines()).await?;
    let client = &booth.tenant.client;
    for (words, reply, code) in [
        ("translates too few", translated(&["la casa es grande"]), "provider_bad_output"),
        ("translates too many", translated(&["uno", "dos", "tres"]), "provider_bad_output"),
        ("leaves one out", translated(&["la casa", " "]), "provider_bad_output"),
        ("goes on and on", translated(&["la casa", &"a".repeat(1_001)]), "provider_bad_output"),
        ("marks up", translated(&["la casa", "<script>alert(1)</script>"]), "provider_bad_output"),
        ("chats", said("I can't help with that."), "provider_bad_output"),
        ("asks for a tool", Reply::calling(&[("delete_item", json!({}))]), "provider_bad_output"),
        ("says nothing", Reply::Json(200, json!({ "choices": [] })), "provider_bad_output"),
        ("says too much", Reply::Bytes(vec![b' '; 300 << 10], "application/json"), "provider_bad_output"),
        ("leads inward", Reply::Redirect("http://127.0.0.1:1/".to_owned()), "provider_bad_output"),
        ("refuses", Reply::Json(400, json!({ "error": "secret path" })), "provider_refused"),
        ("breaks", Reply::Json(500, json!({})), "outcome_unknown"),
    ] {
        booth.provider.answer(move |_, _, _| reply.clone());
        let ended = client.reaches(&booth.starts().await?, "failed").await?;
        assert_eq!((&ended["error"]["code"], &ended["credits"]), (&json!(code), &json!(0)), "{words}: {ended}");
        assert!(!ended.to_string().contains("127.0.0.1") && !ended.to_string().contains("secret"), "{ended}");
        assert_eq!(booth.provider.asked(&Method::POST).len(), 1, "{words}");
    }
    assert_eq!(credits(client).await?, json!({ "left": 10, "held": 0, "used": 0 }));
    assert_eq!(booth.world.count("SELECT count(*) FROM documents").await?, 0);
    let failing = "SELECT count(*) FROM generation_makers WHERE name = 'polyglot' AND failing_since = failed_at";
    assert_eq!(booth.world.count(failing).await?, 1, "it answered all but the last");
    let Booth { world, .. } = booth;
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_dub_is_several_requests_one_price_and_none_of_them_is_repeated() -> anyhow::Result<()> {
    let mut booth = Booth::new("").await?;
    booth.item = booth.world.item(&booth.tenant, Media::audio(60)).await?;
    // So far apart that each word is a segment.
    let word = |place: u32| {
        let start = f64::from(place);
        json!({ "word": format!("word{place}"), "start": start, "end": start + 0.3, "confidence": 0.5 })
    };
    let words: Vec<Value> = (0..45).map(word).collect();
    let transcript = json!({ "language": "en", "words": words, "segments": [] });
    stored(&booth.world, booth.item, Read::Transcript, transcript).await?;
    let turns = json!({ "speakers": ["A"], "segments": [{ "speaker": "A", "start": 0.0, "end": 60.0 }] });
    stored(&booth.world, booth.item, Read::Speakers, turns).await?;
    booth.world.work(booth.engines()).await?;
    let client = &booth.tenant.client;
    // The provider refuses the second request: the first one is not sent to it again.
    booth.provider.answer(
        |_, _, before| {
            if before == 0 { translated(&["palabra"; 40]) } else { Reply::Json(503, json!({})) }
        },
    );
    let ended = client.reaches(&booth.starts().await?, "failed").await?;
    assert_eq!((&ended["error"]["code"], &ended["credits"]), (&json!("provider_failed"), &json!(0)), "{ended}");
    assert_eq!(booth.provider.asked(&Method::POST).len(), 2);

    booth.provider.answer(|_, _, before| {
        let many = if before == 0 { 40 } else { 5 };
        translated(&["palabra"; 40][..many])
    });
    let ended = client.reaches(&booth.starts().await?, "succeeded").await?;
    assert_eq!(ended["credits"], 2, "per call is per dub");
    let asked = booth.provider.asked(&Method::POST);
    assert_eq!(asked.len(), 2);
    let key = |place: usize| asked[place].headers["idempotency-key"].to_str().unwrap_or_default().to_owned();
    assert_eq!(key(0).strip_suffix("-0"), key(1).strip_suffix("-1"));
    let user = |place: usize| -> Value {
        let sent = asked[place].json();
        serde_json::from_str(sent["messages"][1]["content"].as_str().unwrap_or_default()).unwrap_or_default()
    };
    assert_eq!(user(0)["after"], json!([user(1)["texts"][0], user(1)["texts"][1]]));
    assert_eq!(user(1)["before"], json!([user(0)["texts"][38], user(0)["texts"][39]]));
    let dub = dub_of(client, &ended["result"]["dub_id"]).await?;
    let segments = dub["segments"].as_array().cloned().unwrap_or_default();
    assert_eq!((segments.len(), &segments[44]["translation"]), (45, &json!("palabra")));
    let Booth { world, .. } = booth;
    world.end().await
}

/// Kills a dub's worker while it asks the provider. Returns the request, and the job when it has ended on another
/// worker.
async fn killed_while_asking(booth: &Booth) -> anyhow::Result<(Received, Value)> {
    let doomed = booth.world.worker(booth.engines()).await?;
    let id = booth.starts().await?;
    let first = booth.provider.gets(&Method::POST, 1).await?.remove(0);
    doomed.kill().await;
    booth.provider.answer(|_, _, _| spanish());
    let ended = booth.ends_elsewhere(&id).await?;
    assert_eq!(scheduler::check_ledger::run_once(&booth.world.process).await?, 0);
    Ok((first, ended))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_kill_an_idempotent_translator_is_asked_the_same_by_the_same_key() -> anyhow::Result<()> {
    let booth = Booth::new("idempotent = true\n").await?;
    let (first, ended) = killed_while_asking(&booth).await?;
    let asked = booth.provider.asked(&Method::POST);
    assert_eq!((&ended["status"], &ended["credits"], asked.len()), (&json!("succeeded"), &json!(2), 1), "{ended}");
    assert_eq!(asked[0].headers["idempotency-key"], first.headers["idempotency-key"]);
    assert_eq!(asked[0].json(), first.json());
    let Booth { world, .. } = booth;
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_kill_any_other_translator_is_not_asked_again_and_nothing_is_charged() -> anyhow::Result<()> {
    let booth = Booth::new("").await?;
    let (_, ended) = killed_while_asking(&booth).await?;
    assert_eq!((&ended["error"]["code"], &ended["credits"]), (&json!("outcome_unknown"), &json!(0)), "{ended}");
    assert_eq!(booth.provider.asked(&Method::POST).len(), 0);
    assert_eq!(credits(&booth.tenant.client).await?, json!({ "left": 10, "held": 0, "used": 0 }));
    let Booth { world, .. } = booth;
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dub_that_is_cancelled_while_its_provider_is_asked_costs_nothing_and_leaves_nothing() -> anyhow::Result<()> {
    let booth = Booth::new("").await?;
    booth.world.work(booth.engines()).await?;
    let (client, id) = (&booth.tenant.client, booth.starts().await?);
    booth.provider.gets(&Method::POST, 1).await?;
    assert_eq!(credits(client).await?, json!({ "left": 8, "held": 2, "used": 0 }));
    client.tool("cancel_jobs", &json!({ "job_ids": [id] })).await?.data()?;
    assert_eq!(client.reaches(&id, "cancelled").await?["credits"], 0);
    assert_eq!(credits(client).await?, json!({ "left": 10, "held": 0, "used": 0 }));
    // The same call made again is a new job, which asks the provider anew.
    booth.provider.answer(|_, _, _| spanish());
    assert_eq!(client.reaches(&booth.starts().await?, "succeeded").await?["credits"], 2);
    assert_eq!(booth.world.count("SELECT count(*) FROM documents WHERE kind = 'dub'").await?, 1);
    let Booth { world, .. } = booth;
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_translated_before_a_kill_is_spoken_after_it_and_not_translated_again() -> anyhow::Result<()> {
    let booth = Booth::new("").await?;
    booth.provider.answer(|_, _, _| spanish());
    let speaks = Arc::new(AtomicBool::new(false));
    let begun = Arc::clone(&speaks);
    let hangs = Engines {
        dub: Arc::new(move |_, _| {
            begun.store(true, Ordering::SeqCst);
            Box::pin(pending::<Result<Dubbed, ReadError>>())
        }),
        ..booth.engines()
    };
    let doomed = booth.world.worker(hangs).await?;
    let id = booth.starts().await?;
    until("it is translated", async || Ok(speaks.load(Ordering::SeqCst).then_some(()))).await?;
    assert_eq!(booth.provider.asked(&Method::POST).len(), 1);
    doomed.kill().await;
    booth.provider.answer(|_, _, _| translated(&["otra", "cosa"]));
    let ended = booth.ends_elsewhere(&id).await?;
    assert_eq!((&ended["status"], &ended["credits"]), (&json!("succeeded"), &json!(2)), "{ended}");
    assert_eq!(booth.provider.asked(&Method::POST).len(), 0);
    let dub = dub_of(&booth.tenant.client, &ended["result"]["dub_id"]).await?;
    assert_eq!(dub["segments"][1]["translation"], "el r\u{ed}o es largo");
    assert_eq!(credits(&booth.tenant.client).await?, json!({ "left": 8, "held": 0, "used": 2 }));
    let Booth { world, .. } = booth;
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_translator_is_asked_only_where_the_dub_will_fit_and_its_room_is_held_until_its_job_ends()
-> anyhow::Result<()> {
    let booth = Booth::new("").await?;
    let (world, client) = (&booth.world, &booth.tenant.client);
    let other = world.item(&booth.tenant, Media::audio(60)).await?;
    let quota = i64::try_from(world.settings.storage_quota_bytes)?;
    let taken = async || store::usage::of(&mut *world.pool().acquire().await?, booth.tenant.account).await;
    let before = taken().await?.media_bytes;
    let leaves = |bytes: i64| {
        let update = sqlx::query("UPDATE items SET bytes = $1 WHERE id = $2");
        update.bind(quota - before - bytes).bind(other).execute(world.pool())
    };
    let first = world.worker(booth.engines()).await?;
    let mut dry = booth.body();
    dry["dry_run"] = json!(true);
    until("the model is available", async || Ok((client.tool("dub", &dry).await?.status == 200).then_some(()))).await?;
    first.stop().await?;

    // A minute of voices, uncompressed, and of the mix.
    let needed = 60_000 * (96 + 20);
    leaves(needed - 1).await?;
    let refused = client.tool("dub", &booth.body()).await?;
    assert_eq!((refused.status, refused.code()), (413, "file_too_large"), "{}", refused.text);
    leaves(needed).await?;
    let id = booth.starts().await?;
    leaves(needed - 1).await?;
    let twice_as_long = 60_000 * 96 * 2;
    world.work(Engines { dub: Arc::new(runners::speaking(twice_as_long)), ..booth.engines() }).await?;
    let failed = client.reaches(&id, "failed").await?;
    assert_eq!((&failed["error"]["code"], &failed["credits"]), (&json!("file_too_large"), &json!(0)), "{failed}");
    assert_eq!(booth.provider.asked(&Method::POST).len(), 0, "whoever asks a provider pays it");
    assert_eq!(credits(client).await?, json!({ "left": 10, "held": 0, "used": 0 }));

    leaves(needed).await?;
    let id = booth.starts().await?;
    booth.provider.gets(&Method::POST, 1).await?;
    assert_eq!(taken().await?.media_bytes, quota, "nothing else takes its room while it is translated");
    client.tool("cancel_jobs", &json!({ "job_ids": [id] })).await?.data()?;
    client.reaches(&id, "cancelled").await?;
    assert_eq!(taken().await?.media_bytes, quota - needed);
    booth.provider.answer(|_, _, _| spanish());
    client.reaches(&booth.starts().await?, "succeeded").await?;
    let made = i64::try_from(twice_as_long)? + i64::try_from(runners::RENDERED.len())?;
    assert_eq!(taken().await?.media_bytes, quota - needed + made, "what is paid is kept, and no more is held");
    let Booth { world, .. } = booth;
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_translation_is_kept_as_soon_as_the_database_answers_again() -> anyhow::Result<()> {
    let booth = Booth::new("").await?;
    away_twice(&booth.world, "NEW.plan::text <> OLD.plan::text").await?;
    booth.provider.answer(|_, _, _| spanish());
    let (left, found) = (Arc::new(AtomicU64::new(0)), booth.engines());
    let (seen, translate) = (Arc::clone(&left), Arc::clone(&found.translate));
    let translate = Arc::new(move |request, ctx: JobCtx| {
        seen.store((ctx.deadline - Instant::now()).as_secs(), Ordering::SeqCst);
        translate(request, ctx)
    });
    booth.world.work(Engines { translate, ..found }).await?;
    let ended = booth.tenant.client.reaches(&booth.starts().await?, "succeeded").await?;
    assert_eq!((&ended["attempt"], booth.provider.asked(&Method::POST).len()), (&json!(1), 1), "{ended}");
    // A minute of media may take so many minutes, and ten more are there to store what is paid. Some of these may be
    // gone before the model is asked.
    let least = Duration::from_mins(1).mul_f64(booth.world.settings.render_timeout_factor) + Duration::from_mins(8);
    let left = Duration::from_secs(left.load(Ordering::SeqCst));
    assert!(left > least, "it has time to store what is paid: {left:?}");
    let Booth { world, .. } = booth;
    world.end().await
}
