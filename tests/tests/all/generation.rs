//! Generations: what is built in and made here, what models cost, and that a call pays once and in the right unit.

use anyhow::Context;
use domain::credits::Credits;
use mws_tests::world::{Answer, Client, Media, PIXEL, Provider, Receiver, Reply, World, let_in, runners, until};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;
use store::generations::MakerOffer;
use worker::Engines;

/// The file of two models of this provider, in a folder that is to outlive the service.
pub fn models(folder: &Path, url: &str) -> anyhow::Result<std::path::PathBuf> {
    let path = folder.join("providers.toml");
    std::fs::write(
        &path,
        format!(
            "[[model]]\nid = \"painter\"\nkind = \"image\"\ndialect = \"cog\"\nurl = \"{url}\"\n\
             price = {{ per = \"call\", credits = 2.5 }}\ntimeout = 20\nlimits = {{ output_bytes = 100000 }}\n\
             defaults = {{ steps = 4 }}\n\
             [[model]]\nid = \"once\"\nkind = \"image\"\ndialect = \"openai\"\nurl = \"{url}\"\n\
             price = {{ per = \"megapixel\", credits = 1 }}\ntimeout = 20\n"
        ),
    )?;
    Ok(path)
}

/// The job that an answer names.
pub fn job(answer: &Answer) -> anyhow::Result<String> {
    Ok(answer.data()?["job_id"].as_str().context("no job")?.to_owned())
}

/// What the account has of credits: left, held, used.
pub async fn credits(client: &Client) -> anyhow::Result<Value> {
    Ok(client.send("GET", "/balances", &[], None).await?.json["credits"].clone())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_built_in_speaks_enlarges_and_cuts_out_for_minutes_and_no_credits() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let receiver = Receiver::start()?;
    world.endpoint(&tenant, &receiver.url).await?;
    world.work(Engines::found(&world.process)).await?;
    let client = &tenant.client;
    let spoken = client.tool("generate_audio", &json!({ "text": "Welcome back to the show, everybody." })).await?;
    let data = spoken.data()?;
    assert_eq!(
        (&data["model"], &data["quality"], &data["synthetic"]),
        (&json!("flite"), &json!("draft"), &json!(true))
    );
    assert_eq!(spoken.json["meta"]["cost"], json!({ "credits": 0, "held_credits": 0, "left_credits": 0 }));
    let ended = client.reaches(&job(&spoken)?, "succeeded").await?;
    assert_eq!((&ended["kind"], &ended["credits"]), (&json!("generation"), &json!(0)));
    assert!(ended["cloud_minutes"].as_f64() <= ended["estimated_minutes"].as_f64(), "{ended}");
    assert!(ended["cloud_minutes"].as_f64() > Some(0.0), "{ended}");
    let output = ended["result"]["item_id"].as_str().unwrap_or_default().to_owned();
    let item = client.tool("get_item", &json!({ "ref": output })).await?.data()?["item"].clone();
    assert_eq!((&item["type"], &item["name"]), (&json!("audio"), &json!("Welcome back to the show, everybody.")));
    let made_by = json!({ "job_id": ended["id"], "tool": "generate_audio", "engine": "flite", "source_item_ids": [],
        "synthetic": true, "quality": "draft" });
    assert_eq!(item["made_by"], made_by);
    println!("spoken: {} s, {} minutes", item["duration_seconds"], ended["cloud_minutes"]);
    let told = receiver.gets(1).await?[0].json();
    assert_eq!((&told["data"]["job"]["kind"], &told["data"]["job"]["credits"]), (&json!("generation"), &json!(0)));

    let pixel = base64(PIXEL)?;
    let upload = client.announce(pixel.len(), &json!({ "filename": "a.png", "content_type": "image/png" })).await?;
    let url = upload["upload"]["url"].as_str().context("no URL")?;
    client.put(url, "image/png", pixel).await?;
    let complete = format!("/uploads/{}/complete", upload["id"].as_str().unwrap_or_default());
    client.send("POST", &complete, &[], None).await?;
    let picture = upload["item_id"].as_str().context("no item")?.to_owned();
    client.looked_at(&picture).await?;
    for (tool, body, wanted) in [
        ("upscale_media", json!({ "ref": picture, "factor": 4 }), (4, "lanczos")),
        ("cut_out", json!({ "ref": picture, "color": "#00ff00" }), (1, "chroma-key")),
    ] {
        let started = client.tool(tool, &body).await?;
        let ended = client.reaches(&job(&started)?, "succeeded").await?;
        let made = client.tool("get_item", &json!({ "ref": ended["result"]["item_id"] })).await?;
        let made = &made.data()?["item"];
        assert_eq!((&made["width"], &made["content_type"]), (&json!(wanted.0), &json!("image/png")), "{tool}");
        assert_eq!((&made["made_by"]["engine"], &made["made_by"]["synthetic"]), (&json!(wanted.1), &json!(false)));
        assert_eq!(made["made_by"]["source_item_ids"], json!([picture]));
        // The same is there: nothing starts until its item is gone.
        let ready = client.tool(tool, &body).await?;
        assert_eq!((&ready.data()?["status"], &ready.data()?["output_item_id"]), (&json!("ready"), &made["id"]));
        assert_eq!(ready.json["media"][0]["item_id"], made["id"]);
    }
    assert_eq!(scheduler::check_ledger::run_once(&world.process).await?, 0);
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_text_that_a_voice_has_no_sounds_for_is_refused_and_what_only_the_engine_knows_costs_nothing()
-> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let client = &tenant.client;
    world.work(Engines::found(&world.process)).await?;
    for body in [
        json!({ "text": "你好世界" }),
        json!({ "text": "   ", "dry_run": true }),
        json!({ "text": "!!!" }),
        json!({ "text": "\u{200b}\u{2060}" }),
        json!({ "text": "Привет.", "model": "flite" }),
        json!({ "text": "٣٤", "model": "espeak-ng" }),
        json!({ "text": "你好世界", "language": "es" }),
        json!({ "text": "¡…!", "voice": "es+f3" }),
    ] {
        let refused = client.tool("generate_audio", &body).await?;
        assert_eq!((refused.status, refused.code()), (400, "invalid_request"), "{body}: {}", refused.text);
        assert!(refused.text.contains("`text`: the voice has no sounds"), "{}", refused.text);
    }
    assert_eq!(world.count("SELECT count(*) FROM jobs").await?, 0);
    // What is spoken of a text is spoken, and what is not is told.
    let mixed = client.tool("generate_audio", &json!({ "text": "Hello 你好, everybody!" })).await?;
    assert_eq!(mixed.data()?["warnings"].as_array().map(Vec::len), Some(1), "{}", mixed.text);
    assert!(mixed.text.contains("no sounds for `你`, `好`."), "{}", mixed.text);
    let ended = client.reaches(&job(&mixed)?, "succeeded").await?;
    assert!(ended["cloud_minutes"].as_f64() > Some(0.0), "{ended}");
    let spoken = client.tool("generate_audio", &json!({ "text": "你好", "language": "cmn", "dry_run": true })).await?;
    assert_eq!((&spoken.data()?["status"], spoken.data()?.get("warnings")), (&json!("startable"), None));
    // Only the engine knows that it does not read these.
    let silent = client.tool("generate_audio", &json!({ "text": "①②", "model": "espeak-ng" })).await?;
    let ended = client.reaches(&job(&silent)?, "failed").await?;
    assert_eq!((&ended["error"]["code"], &ended["cloud_minutes"]), (&json!("not_supported"), &json!(0)), "{ended}");
    world.end().await
}

fn base64(text: &str) -> anyhow::Result<Vec<u8>> {
    use ::base64::Engine as _;
    Ok(::base64::engine::general_purpose::STANDARD.decode(text)?)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_model_is_held_and_charged_in_credits_once_and_nothing_starts_that_they_do_not_reach_for()
-> anyhow::Result<()> {
    let (folder, provider) = (tempfile::tempdir()?, Provider::start(|_, _, _| Reply::pixel())?);
    let path = models(folder.path(), &provider.url)?;
    let world = World::with(|settings| settings.providers = Some(path)).await?;
    let tenant = world.tenant("a").await?;
    let client = &tenant.client;
    let body = json!({ "prompt": "a red kite", "model": "painter" });
    let early = client.tool("generate_image", &body).await?;
    assert_eq!((early.status, early.code()), (422, "engine_not_configured"), "no worker has said that it can");
    world.work(Engines::found(&world.process)).await?;
    until("the worker has said so", async || {
        let listed = client.tool("list_models", &json!({})).await?;
        let all = listed.data()?["models"].as_array().cloned().unwrap_or_default();
        Ok(all.iter().any(|one| one["id"] == "painter" && one["available"] == true).then_some(()))
    })
    .await?;

    let poor = client.tool("generate_image", &body).await?;
    assert_eq!((poor.status, poor.code()), (402, "insufficient_credits"));
    assert_eq!(poor.json["error"]["cost"], json!({ "credits": 2.5, "held_credits": 0, "left_credits": 0 }));
    world.credit(&tenant, Credits::from_hundredths(600)).await?;
    let asked = json!({ "tool": "generate_image", "arguments": body });
    let estimate = client.tool("estimate_cost", &asked).await?;
    assert_eq!((&estimate.data()?["credits"], &estimate.data()?["minutes"]), (&json!(2.5), &json!(0)));
    let mut dry = body.clone();
    dry["dry_run"] = true.into();
    assert_eq!(client.tool("generate_image", &dry).await?.data()?["status"], "startable");
    assert_eq!((credits(client).await?["held"].clone(), provider.asked(&poem::http::Method::PUT).len()), (json!(0), 0));

    let key = [("idempotency-key", "first")];
    let first = client.send("POST", "/tools/generate_image", &key, Some(body.to_string())).await?;
    assert_eq!(first.json["meta"]["cost"]["credits"], 2.5);
    let id = job(&first)?;
    let ended = client.reaches(&id, "succeeded").await?;
    assert_eq!((&ended["credits"], &ended["cloud_minutes"], &ended["item_id"]), (&json!(2.5), &json!(0), &Value::Null));
    let again = client.send("POST", "/tools/generate_image", &key, Some(body.to_string())).await?;
    assert_eq!((again.text == first.text, again.header("idempotent-replayed")), (true, "true"));
    let same = client.tool("generate_image", &body).await?;
    assert_eq!((&same.data()?["status"], &same.json["meta"]["cost"]["credits"]), (&json!("ready"), &json!(0)));
    assert_eq!(credits(client).await?, json!({ "left": 3.5, "held": 0, "used": 2.5 }));
    // What was sent is what was asked, by the job's id, over what the operator has set.
    let sent = provider.asked(&poem::http::Method::PUT);
    let lower = id.trim_start_matches("job_").to_lowercase();
    assert_eq!((sent.len(), sent[0].path.as_str()), (1, format!("/predictions/{lower}").as_str()));
    assert_eq!(sent[0].json()["input"], json!({ "prompt": "a red kite", "steps": 4 }));
    // Another seed is another picture, and the last that the credits reach for.
    let seeds = [1, 2].map(|seed| json!({ "prompt": "a red kite", "model": "painter", "seed": seed }));
    let second = client.tool("generate_image", &seeds[0]).await?;
    client.reaches(&job(&second)?, "succeeded").await?;
    assert_eq!(client.tool("generate_image", &seeds[1]).await?.code(), "insufficient_credits");
    assert_eq!(scheduler::check_ledger::run_once(&world.process).await?, 0);
    world.end().await
}

#[tokio::test]
async fn what_is_asked_wrongly_or_of_the_wrong_thing_is_refused_in_words_and_starts_nothing() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, other) = (world.tenant("a").await?, world.tenant("b").await?);
    let (film, sound) = (world.item(&tenant, Media::video(60)).await?, world.item(&tenant, Media::audio(60)).await?);
    // Twice as wide and as high it is as large as a film that is made may be.
    sqlx::query("UPDATE items SET width = 2048, height = 1080 WHERE id = $1").bind(film).execute(world.pool()).await?;
    let twice = json!({ "ref": film, "factor": 2, "dry_run": true });
    assert_eq!(tenant.client.tool("upscale_media", &twice).await?.status, 200);
    let viewer = world.member(&other, &tenant, "viewer").await?;
    assert_eq!(viewer.tool("generate_audio", &json!({ "text": "x" })).await?.code(), "role_forbidden");
    let asking_viewer = json!({ "tool": "generate_audio", "arguments": { "text": "x" } });
    assert_eq!(viewer.tool("estimate_cost", &asking_viewer).await?.code(), "role_forbidden");
    for (tool, body, code) in [
        ("generate_image", json!({ "prompt": "x" }), "engine_not_configured"),
        ("generate_image", json!({ "prompt": "x", "model": "nobody" }), "invalid_request"),
        ("generate_audio", json!({ "text": "x", "prompt": "y" }), "invalid_request"),
        ("generate_audio", json!({}), "invalid_request"),
        ("generate_audio", json!({ "text": "x", "model": "lanczos" }), "invalid_request"),
        ("generate_audio", json!({ "text": "x".repeat(5_001) }), "invalid_request"),
        ("generate_audio", json!({ "text": "hola", "language": "es", "model": "flite" }), "invalid_request"),
        ("upscale_media", json!({ "ref": film, "factor": 4 }), "invalid_request"),
        ("upscale_media", json!({ "ref": film, "factor": 3 }), "invalid_request"),
        ("upscale_media", json!({ "ref": sound, "factor": 2 }), "read_not_applicable"),
        ("cut_out", json!({ "ref": film, "color": "green99" }), "invalid_request"),
        ("cut_out", json!({ "ref": "nothing" }), "item_not_found"),
        ("estimate_cost", json!({ "tool": "no_such", "arguments": {} }), "tool_not_found"),
        ("estimate_cost", json!({ "tool": "run_template", "arguments": {} }), "tool_not_found"),
        ("estimate_cost", json!({ "tool": "cut_out", "arguments": { "ref": "nothing" } }), "item_not_found"),
    ] {
        let refused = tenant.client.tool(tool, &body).await?;
        assert_eq!(refused.code(), code, "{tool} {body}: {}", refused.text);
    }
    let stranger = other.client.tool("upscale_media", &json!({ "ref": film, "factor": 2 })).await?;
    assert_eq!((stranger.status, stranger.code()), (403, "workspace_forbidden"));
    let free = json!({ "tool": "list_items", "arguments": {} });
    assert_eq!(tenant.client.tool("estimate_cost", &free).await?.data()?["minutes"], 0);
    let read = json!({ "tool": "prepare_media", "arguments": { "refs": [film], "reads": ["levels"] } });
    assert_eq!(tenant.client.tool("estimate_cost", &read).await?.data()?["minutes"], 0.1);
    assert_eq!(world.count("SELECT count(*) FROM jobs").await?, 0);
    world.end().await
}

#[tokio::test]
async fn a_language_that_no_worker_speaks_is_refused_at_the_call_with_those_that_there_are() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let client = &tenant.client;
    let call = async |more: Value| {
        let mut body = json!({ "text": "Bonjorn." });
        body.as_object_mut().context("a body")?.extend(more.as_object().cloned().unwrap_or_default());
        client.tool("generate_audio", &body).await
    };
    assert_eq!(call(json!({ "language": "xx" })).await?.status, 200, "no worker has said what it speaks");
    let voices = MakerOffer { name: "espeak-ng:en,es".to_owned(), version: "1".to_owned() };
    store::generations::announce(&mut *world.pool().acquire().await?, &[voices]).await?;
    for more in [
        json!({ "language": "oc" }),
        json!({ "voice": "oc+f3" }),
        json!({ "language": "es", "voice": "oc" }),
        json!({ "language": "oc-FR", "dry_run": true }),
    ] {
        let refused = call(more.clone()).await?;
        assert_eq!((refused.status, refused.code()), (422, "engine_not_configured"), "{more}: {}", refused.text);
        assert!(refused.text.contains("a voice for `oc`. There are voices for en, es."), "{}", refused.text);
    }
    assert_eq!(call(json!({ "language": "xx" })).await?.status, 200, "what was started is told as it stands");
    for more in [json!({ "language": "es" }), json!({ "language": "es-419" }), json!({ "voice": "Spanish" })] {
        assert_eq!(call(more.clone()).await?.data()?["status"], "queued", "{more}");
    }
    assert_eq!(world.count("SELECT count(*) FROM jobs").await?, 4);
    world.end().await
}

#[tokio::test]
async fn thirty_calls_at_once_for_the_same_words_make_one_item_and_a_deleted_one_is_made_anew() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let body = json!({ "text": "the same words" });
    let calls = (0..30).map(|_| let_in(async || tenant.client.tool("generate_audio", &body).await));
    let answers = futures_util::future::try_join_all(calls).await?;
    let ids: std::collections::BTreeSet<String> = answers.iter().map(job).collect::<anyhow::Result<_>>()?;
    assert_eq!((ids.len(), world.count("SELECT count(*) FROM jobs").await?), (1, 1));
    world.work(runners::instant()).await?;
    let id = ids.into_iter().next().context("no job")?;
    let ended = tenant.client.reaches(&id, "succeeded").await?;
    assert_eq!(tenant.client.tool("generate_audio", &body).await?.data()?["status"], "ready");
    tenant.client.tool("delete_item", &json!({ "ref": ended["result"]["item_id"] })).await?.data()?;
    let anew = tenant.client.tool("generate_audio", &body).await?;
    assert_ne!(job(&anew)?, id);
    tenant.client.reaches(&job(&anew)?, "succeeded").await?;
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_one_worker_has_nothing_to_make_with_waits_uncounted_for_another() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let client = &tenant.client;
    let lacking = Engines { makers: Vec::new(), ..Engines::found(&world.process) };
    let first = world.worker(lacking).await?;
    let flite = MakerOffer { name: "flite".to_owned(), version: "2.2".to_owned() };
    store::generations::announce(&mut *world.pool().acquire().await?, &[flite]).await?;
    let id = job(&client.tool("generate_audio", &json!({ "text": "Welcome back." })).await?)?;
    until("it was put back twice", async || {
        world.advance(Duration::from_secs(5)).await?;
        world.duties().await?;
        Ok((world.count("SELECT max(claim_no)::bigint FROM jobs").await? > 2).then_some(()))
    })
    .await?;
    assert_eq!(world.count("SELECT max(failures)::bigint FROM jobs").await?, 0);
    first.stop().await?;
    world.work(Engines::found(&world.process)).await?;
    world.advance(Duration::from_secs(31)).await?;
    until("it was made", async || {
        world.duties().await?;
        Ok((client.job(&id).await?["status"] == "succeeded").then_some(()))
    })
    .await?;
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_provider_is_asked_only_while_there_is_room_for_the_largest_thing_that_it_may_make() -> anyhow::Result<()> {
    let (folder, provider) = (tempfile::tempdir()?, Provider::start(|_, _, _| Reply::pixel())?);
    let path = models(folder.path(), &provider.url)?;
    let world = World::with(|settings| {
        settings.providers = Some(path);
        settings.storage_quota_bytes = 1_000_000;
    })
    .await?;
    let tenant = world.tenant("a").await?;
    let client = &tenant.client;
    world.credit(&tenant, Credits::from_whole(100)).await?;
    world.item(&tenant, Media::audio(60)).await?;
    let painter = MakerOffer { name: "painter".to_owned(), version: "provider".to_owned() };
    store::generations::announce(&mut *world.pool().acquire().await?, &[painter]).await?;
    let keeps = |bytes: i64| sqlx::query("UPDATE items SET bytes = $1").bind(bytes).execute(world.pool());
    let asks = |words: &str| json!({ "prompt": words, "model": "painter" });

    // What it makes may have 100,000 bytes.
    keeps(900_000).await?;
    let paid = job(&client.tool("generate_image", &asks("a tree")).await?)?;
    sqlx::query("UPDATE job_renders SET asked_claim = 1").execute(world.pool()).await?;
    let id = job(&client.tool("generate_image", &asks("a kite")).await?)?;
    keeps(900_001).await?;
    let refused = client.tool("generate_image", &asks("a boat")).await?;
    assert_eq!((refused.status, refused.code()), (413, "file_too_large"), "{}", refused.text);
    world.work(Engines::found(&world.process)).await?;
    let failed = client.reaches(&id, "failed").await?;
    assert_eq!((&failed["error"]["code"], &failed["credits"]), (&json!("file_too_large"), &json!(0)), "{failed}");
    client.reaches(&paid, "succeeded").await?;
    let asked = provider.asked(&poem::http::Method::PUT);
    assert_eq!(asked.len(), 1, "whoever asks a provider pays it, and what is paid is asked for again by its id");
    // There are two items now.
    keeps(450_000).await?;
    let id = job(&client.tool("generate_image", &asks("a boat")).await?)?;
    client.reaches(&id, "succeeded").await?;

    // The three items fill the storage as soon as it is asked: what it makes is kept and charged all the same.
    keeps(250_000).await?;
    let fills = "CREATE FUNCTION fills() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
             UPDATE items SET bytes = 333333;
             RETURN NEW;
         END $$;
         CREATE TRIGGER fills AFTER UPDATE ON job_renders FOR EACH ROW
             WHEN (OLD.asked_claim IS NULL AND NEW.asked_claim IS NOT NULL) EXECUTE FUNCTION fills()";
    sqlx::raw_sql(fills).execute(world.pool()).await?;
    let id = job(&client.tool("generate_image", &asks("a bird")).await?)?;
    let paid = client.reaches(&id, "succeeded").await?;
    assert_ne!(paid["credits"], json!(0), "{paid}");
    let refused = client.tool("generate_image", &asks("a fish")).await?;
    assert_eq!((refused.status, refused.code()), (413, "file_too_large"), "{}", refused.text);
    world.end().await
}
