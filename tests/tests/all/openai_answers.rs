//! Servers with OpenAI's interface that answer oddly, and sound whose header lies. Each oddity has an error of its own,
//! nothing is asked for twice, lengths are measured instead of believed, and an account pays at most what was held.
//! Prompts of a megabyte start nothing.

use super::generation::{credits, job};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::credits::Credits;
use mws_tests::world::{PIXEL, Provider, Reply, Tenant, World, until};
use poem::http::Method;
use serde_json::{Value, json};
use worker::Engines;

const MODELS: &str = r#"
[[model]]
id = "draws"
kind = "image"
dialect = "openai"
url = "URL"
price = { per = "call", credits = 1 }
timeout = 120

[[model]]
id = "speaks"
kind = "speech"
dialect = "openai"
url = "URL"
price = { per = "1k_chars", credits = 10 }
timeout = 120

[[model]]
id = "plays"
kind = "audio"
dialect = "cog"
url = "URL"
price = { per = "second", credits = 1 }
timeout = 120

[[model]]
id = "films"
kind = "video"
dialect = "cog"
url = "URL"
price = { per = "second", credits = 1 }
timeout = 120
limits = { seconds = 10, megapixels = 2 }
"#;

/// A service with a provider of these models, and an account that can pay for many calls.
struct Counter {
    world: World,
    tenant: Tenant,
    provider: Provider,
    _folder: tempfile::TempDir,
}

impl Counter {
    async fn new() -> anyhow::Result<Self> {
        let (folder, provider) = (tempfile::tempdir()?, Provider::start(|_, _, _| Reply::Silence)?);
        let path = folder.path().join("providers.toml");
        std::fs::write(&path, MODELS.replace("URL", &provider.url))?;
        let world = World::with(|settings| settings.providers = Some(path)).await?;
        let tenant = world.tenant("a").await?;
        world.credit(&tenant, Credits::from_whole(100)).await?;
        world.work(Engines::found(&world.process)).await?;
        Ok(Self { world, tenant, provider, _folder: folder })
    }

    /// Starts a generation, once a worker has said that its model is available, and returns its job when that is so.
    async fn reaches(&self, tool: &str, body: &Value, status: &str) -> anyhow::Result<Value> {
        let started = until("it starts", async || {
            let answer = self.tenant.client.tool(tool, body).await?;
            (answer.status == 200).then(|| job(&answer)).transpose()
        });
        self.tenant.client.reaches(&started.await?, status).await
    }

    async fn item(&self, ended: &Value) -> anyhow::Result<Value> {
        let item = self.tenant.client.tool("get_item", &json!({ "ref": ended["result"]["item_id"] })).await?;
        Ok(item.data()?["item"].clone())
    }
}

/// Two seconds of sound in a file that claims to have an hour of it.
fn lying() -> Vec<u8> {
    let (rate, claimed) = (16_000_u32, 16_000_u32 * 2 * 3_600);
    let shorts = |pair: [u16; 2]| pair.into_iter().flat_map(u16::to_le_bytes);
    let mut wav = b"RIFF".to_vec();
    wav.extend((claimed + 36).to_le_bytes());
    wav.extend(b"WAVEfmt ");
    wav.extend(16_u32.to_le_bytes());
    wav.extend(shorts([1, 1]));
    wav.extend(rate.to_le_bytes());
    wav.extend((rate * 2).to_le_bytes());
    wav.extend(shorts([2, 16]));
    wav.extend(b"data");
    wav.extend(claimed.to_le_bytes());
    let level = |at: i32| -> i16 { if at / 20 % 2 == 0 { 4_000 } else { -4_000 } };
    wav.extend((0..32_000).flat_map(|at| level(at).to_le_bytes()));
    wav
}

/// A picture in the answer's shape.
fn picture(fields: &Value) -> Reply {
    Reply::Json(200, json!({ "created": 1, "data": [fields] }))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn odd_answers_are_told_apart_asked_for_once_and_paid_nothing() -> anyhow::Result<()> {
    let counter = Counter::new().await?;
    let failure = json!({ "error": { "message": "secret path" } });
    let pixel = STANDARD.decode(PIXEL)?;
    let inward = "http://169.254.169.254/latest/meta-data";
    let bad = "provider_bad_output";
    let pictures = [
        ("an error as a success", Reply::Json(200, failure.clone()), bad),
        ("no list", Reply::Json(200, json!({ "data": null })), bad),
        ("a number for a picture", picture(&json!(1)), bad),
        ("a picture of no bytes", picture(&json!({ "revised_prompt": "secret path" })), bad),
        ("nulls", picture(&json!({ "b64_json": null, "url": null })), bad),
        ("nothing in both", picture(&json!({ "b64_json": "", "url": "" })), bad),
        ("no base64", picture(&json!({ "b64_json": "<html>" })), bad),
        ("a page for a picture", picture(&json!({ "b64_json": "PGh0bWw+PC9odG1sPg==" })), "media_unreadable"),
        ("a sound for a picture", picture(&json!({ "b64_json": STANDARD.encode(lying()) })), "media_unreadable"),
        ("a way inward", picture(&json!({ "url": inward })), bad),
        ("half a way", picture(&json!({ "url": "/files/1.png" })), bad),
        ("a way elsewhere", Reply::Redirect("http://127.0.0.1:1/".to_owned()), bad),
        ("a fault", Reply::Json(500, failure.clone()), "outcome_unknown"),
    ];
    let sounds = [
        ("an error as a sound", Reply::Json(200, failure.clone()), "media_unreadable"),
        ("no sound", Reply::Bytes(Vec::new(), "audio/mpeg"), "media_unreadable"),
        ("a picture for a sound", Reply::Bytes(pixel, "audio/mpeg"), "media_unreadable"),
        ("a refusal", Reply::Json(400, failure), "provider_refused"),
    ];
    let asked = |tool: &'static str, word: &'static str, model: &'static str| {
        move |(words, reply, code): (&str, Reply, &'static str)| {
            (tool, json!({ word: words, "model": model }), reply, code)
        }
    };
    let pictures = pictures.into_iter().map(asked("generate_image", "prompt", "draws"));
    let sounds = sounds.into_iter().map(asked("generate_audio", "text", "speaks"));
    for (tool, body, reply, code) in pictures.chain(sounds) {
        counter.provider.answer(move |_, _, _| reply.clone());
        let ended = counter.reaches(tool, &body, "failed").await?;
        assert_eq!((&ended["error"]["code"], &ended["credits"]), (&json!(code), &json!(0)), "{body}: {ended}");
        assert!(!ended.to_string().contains("secret") && !ended.to_string().contains("169.254"), "{ended}");
        assert_eq!(counter.provider.asked(&Method::POST).len(), 1, "{body}");
    }
    assert_eq!(credits(&counter.tenant.client).await?, json!({ "left": 100, "held": 0, "used": 0 }));
    counter.world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_made_is_measured_and_costs_at_most_what_was_held() -> anyhow::Result<()> {
    let counter = Counter::new().await?;
    counter.provider.answer(|_, _, _| Reply::Bytes(lying(), "audio/mpeg"));
    let body = json!({ "text": "Twelve chars", "model": "speaks" });
    let ended = counter.reaches("generate_audio", &body, "succeeded").await?;
    assert_eq!(ended["credits"], 0.12, "ten for a thousand letters");
    let seconds = |item: &Value| item["duration_seconds"].as_f64().unwrap_or_default();
    let item = counter.item(&ended).await?;
    assert!((seconds(&item) - 2.0).abs() < 0.1, "and not the hour that it claims: {item}");
    assert_eq!((&item["type"], &item["made_by"]["synthetic"]), (&json!("audio"), &json!(true)));
    let sent = counter.provider.asked(&Method::POST).remove(0);
    let id = ended["id"].as_str().unwrap_or_default().trim_start_matches("job_").to_lowercase();
    assert_eq!((sent.path.as_str(), sent.header("idempotency-key")), ("/v1/audio/speech", id.as_str()));
    assert_eq!(sent.json(), json!({ "model": "speaks", "input": "Twelve chars", "voice": "alloy" }));

    // The price is by the second: the account pays for what the sound lasts, and at most for what it asked for.
    let sound = format!("data:audio/wav;base64,{}", STANDARD.encode(lying()));
    counter.provider.answer(move |_, _, _| Reply::predicted(sound.clone()));
    for (asked, least, most) in [(5, 1.9, 2.1), (1, 1.0, 1.0)] {
        let body = json!({ "prompt": "rain", "model": "plays", "seconds": asked });
        let ended = counter.reaches("generate_audio", &body, "succeeded").await?;
        let cost = ended["credits"].as_f64().unwrap_or_default();
        assert!((least..=most).contains(&cost), "{asked} s: {ended}");
        assert!((seconds(&counter.item(&ended).await?) - 2.0).abs() < 0.1);
    }

    // This server answers with both fields and fills only one.
    let (url, pixel) = (format!("{}/out.png", counter.provider.url), STANDARD.decode(PIXEL)?);
    counter.provider.answer(move |method, _, _| match method.as_str() {
        "GET" => Reply::Bytes(pixel.clone(), "text/html"),
        _ => picture(&json!({ "b64_json": "", "url": url })),
    });
    let body = json!({ "prompt": "a kite", "model": "draws" });
    let ended = counter.reaches("generate_image", &body, "succeeded").await?;
    assert_eq!((&ended["credits"], &counter.item(&ended).await?["type"]), (&json!(1), &json!("image")));
    assert_eq!(credits(&counter.tenant.client).await?["held"], 0);
    counter.world.end().await
}

#[tokio::test]
async fn prompts_of_a_megabyte_are_refused_and_start_nothing() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    for (length, code) in [(900_000, "invalid_request"), (2 << 20, "request_too_large")] {
        let words = "x".repeat(length);
        for (tool, body) in [
            ("generate_image", json!({ "prompt": words })),
            ("generate_video", json!({ "prompt": words })),
            ("generate_audio", json!({ "prompt": words })),
            ("generate_audio", json!({ "text": words })),
            ("create_timeline", json!({ "name": words })),
            ("create_canvas", json!({ "width": 9, "height": 9, "layers": [{ "type": "text", "text": words }] })),
        ] {
            assert_eq!(tenant.client.tool(tool, &body).await?.code(), code, "{tool}, {length}");
        }
        assert_eq!(tenant.client.post("/projects", &json!({ "brief": words })).await?.code(), code, "{length}");
    }
    assert_eq!(world.count("SELECT count(*) FROM jobs").await?, 0);
    assert_eq!(world.count("SELECT count(*) FROM projects").await?, 0);
    assert_eq!(world.count("SELECT count(*) FROM documents").await?, 0);
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_model_does_not_take_is_refused_and_its_provider_is_not_asked() -> anyhow::Result<()> {
    let counter = Counter::new().await?;
    let client = &counter.tenant.client;
    for (tool, more, said) in [
        ("generate_video", json!({ "seconds": 11 }), "`films` takes at most 10 seconds"),
        ("generate_video", json!({ "width": 8_192, "height": 8_192 }), "`films` makes at most 2000000 pixels"),
        ("generate_image", json!({ "width": 8_192, "height": 8_192 }), "`draws` makes at most 16000000 pixels"),
        ("generate_audio", json!({ "seconds": 61 }), "`plays` takes at most 60 seconds"),
        ("generate_image", json!({ "width": 64 }), "said together"),
        ("generate_image", json!({ "prompt": " \n\t" }), "`prompt`: it says nothing"),
        ("generate_image", json!({ "prompt": "\u{3000}", "dry_run": true }), "`prompt`: it says nothing"),
        ("generate_video", json!({ "prompt": "\u{200b}\u{2060}" }), "`prompt`: it says nothing"),
        ("generate_audio", json!({ "prompt": "\n" }), "`prompt`: it says nothing"),
        ("generate_video", json!({ "seconds": 0 }), "seconds"),
        ("generate_video", json!({ "seconds": -1 }), "seconds"),
        ("generate_video", json!({ "seconds": 1e300 }), "seconds"),
        ("generate_video", json!({ "seconds": 4_294_967_296_u64 }), "seconds"),
        ("generate_image", json!({ "width": 4_294_967_295_u64, "height": 4_294_967_295_u64 }), "width"),
    ] {
        let mut body = json!({ "prompt": "a kite" });
        for (name, value) in more.as_object().into_iter().flatten() {
            body[name] = value.clone();
        }
        let refused = client.tool(tool, &body).await?;
        assert_eq!((refused.status, refused.code()), (400, "invalid_request"), "{body}: {}", refused.text);
        assert!(refused.text.contains(said), "{body}: {}", refused.text);
    }
    for text in [" \n", "\u{3000}\u{200b}"] {
        let refused = client.tool("generate_audio", &json!({ "text": text, "model": "speaks" })).await?;
        assert_eq!((refused.status, refused.code()), (400, "invalid_request"), "{}", refused.text);
        assert!(refused.text.contains("`text`: it says nothing"), "{}", refused.text);
    }
    // As large as may be, as long as may be.
    let body = json!({ "prompt": "a kite", "seconds": 10, "width": 1_920, "height": 1_040 });
    counter.provider.answer(|_, _, _| Reply::Json(422, json!({})));
    let ended = counter.reaches("generate_video", &body, "failed").await?;
    assert_eq!((&ended["error"]["code"], counter.provider.asked(&Method::PUT).len()), (&json!("provider_refused"), 1));
    assert_eq!(counter.world.count("SELECT count(*) FROM jobs").await?, 1);
    assert_eq!(credits(client).await?, json!({ "left": 100, "held": 0, "used": 0 }));
    counter.world.end().await
}
