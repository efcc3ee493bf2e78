//! What a workspace's settings and brand kit are to its tools and pages.

use super::renders::speaks;
use anyhow::Context;
use domain::brand_kit::FAMILIES;
use mws_tests::world::{Client, Media, Tenant, World};
use serde_json::{Value, json};

async fn set(client: &Client, change: Value) -> anyhow::Result<Value> {
    Ok(client.tool("update_settings", &change).await?.data()?["settings"].clone())
}

/// Stores speech from 1 s to 2 s and from 3 s to 5 s on an item of ten seconds.
async fn spoken(world: &World, tenant: &Tenant) -> anyhow::Result<String> {
    let item = world.item(tenant, Media::audio(10)).await?;
    speaks(world, item, &[(1.0, 2.0), (3.0, 5.0)]).await?;
    Ok(item.to_string())
}

#[tokio::test]
async fn settings_are_the_defaults_of_silence_and_ducking_until_a_call_says_otherwise() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, other) = (world.tenant("a").await?, world.tenant("b").await?);
    let own = tenant.client.tool("get_settings", &json!({})).await?.data()?["settings"].clone();
    assert_eq!((&own["revision"], &own["min_silence_ms"], &own["duck_db"]), (&json!(0), &json!(500), &json!(12.0)));
    let (voice, music) = (spoken(&world, &tenant).await?, world.item(&tenant, Media::audio(10)).await?);
    let kept = async |more: Value| {
        let mut asked = json!({ "ref": voice });
        asked.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
        anyhow::Ok(tenant.client.tool("remove_silence", &asked).await?.data()?["keep"].clone())
    };
    let lowest = async |more: Value| {
        let mut asked = json!({ "voice_ref": voice, "music_ref": music });
        asked.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
        let points = tenant.client.tool("duck_music", &asked).await?.data()?["envelope"].clone();
        let gains = points.as_array().into_iter().flatten().filter_map(|point| point["gain_db"].as_f64());
        anyhow::Ok(gains.fold(0.0, f64::min))
    };
    let (cut, down) = (kept(json!({})).await?, lowest(json!({})).await?);
    assert_eq!((cut.as_array().map(Vec::len), down), (Some(2), -12.0));

    let change = json!({ "if_revision": 0, "min_silence_ms": 2_000, "padding_ms": 100, "duck_db": 20 });
    assert_eq!(set(&tenant.client, change).await?["revision"], 1);
    let (joined, lower) = (kept(json!({})).await?, lowest(json!({})).await?);
    assert_eq!((joined.as_array().map(Vec::len), lower), (Some(1), -20.0), "a second of silence is short now");
    assert_eq!((&joined[0]["start"], &joined[0]["end"]), (&json!(0.0), &json!(5.1)), "so is the one before");
    assert_eq!(kept(json!({ "min_silence_ms": 500, "padding_ms": 50 })).await?, cut, "a call says otherwise");
    assert!((lowest(json!({ "duck_db": 12 })).await? + 12.0).abs() < 0.01);

    let late = tenant.client.tool("update_settings", &json!({ "if_revision": 0, "duck_db": 3 })).await?;
    assert_eq!((late.status, late.code()), (409, "revision_conflict"));
    for wrong in [
        json!({ "min_silence_ms": 1 }),
        json!({ "duck_db": 99 }),
        json!({ "default_language": "not a language" }),
        json!({ "name": " " }),
        json!({ "caption_style": { "family": "Comic Sans" } }),
        json!({ "reads_on_import": ["thoughts"] }),
        json!({ "colour": "red" }),
    ] {
        assert_eq!(tenant.client.tool("update_settings", &wrong).await?.code(), "invalid_request", "{wrong}");
    }
    let back = set(&tenant.client, json!({ "min_silence_ms": null, "padding_ms": null, "duck_db": null })).await?;
    assert_eq!((&back["min_silence_ms"], &back["revision"]), (&json!(500), &json!(2)));
    assert_eq!(kept(json!({})).await?, cut);
    let theirs = other.client.tool("get_settings", &json!({})).await?.data()?["settings"].clone();
    assert_eq!(theirs["revision"], 0, "another's are another's");
    world.end().await
}

#[tokio::test]
async fn to_leave_a_value_to_the_settings_is_another_request_than_to_give_the_services_own() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let [voice, music] = [world.item(&tenant, Media::video(60)).await?, world.item(&tenant, Media::video(60)).await?];
    speaks(&world, voice, &[(1.0, 2.0), (3.0, 5.0)]).await?;
    let cut = json!({ "ref": voice, "timeline": true });
    let duck = json!({ "voice_ref": voice, "music_ref": music, "timeline": true });
    for (tool, left_out, field, default) in
        [("remove_silence", cut, "min_silence_ms", json!(500)), ("duck_music", duck, "duck_db", json!(12))]
    {
        let path = format!("/tools/{tool}");
        let once = async |asked: &Value| {
            tenant.client.send("POST", &path, &[("Idempotency-Key", "once")], Some(asked.to_string())).await
        };
        set(&tenant.client, json!({ "min_silence_ms": 2_000, "duck_db": 20 })).await?;
        let first = once(&left_out).await?;
        first.data()?;
        // The same body is the same request, whatever the settings are by now.
        set(&tenant.client, json!({ "min_silence_ms": null, "duck_db": null })).await?;
        let again = once(&left_out).await?;
        assert_eq!((again.header("idempotent-replayed"), &again.text), ("true", &first.text), "{tool}");
        let mut given = left_out.clone();
        given[field] = default;
        let other = once(&given).await?;
        assert_eq!((other.status, other.code()), (422, "idempotency_key_reused"), "{tool}: {}", other.text);
    }
    assert_eq!(world.count("SELECT count(*) FROM documents WHERE kind = 'timeline'").await?, 2);
    world.end().await
}

#[tokio::test]
async fn captions_look_and_texts_are_spoken_as_the_settings_say_where_a_call_does_not() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let kit = json!({ "caption_style": { "family": FAMILIES[2], "color": "#00ff00", "position": "top" } });
    tenant.client.tool("update_brand_kit", &kit).await?.data()?;
    let style = json!({ "color": "#ff0000", "size": 0.1 });
    set(&tenant.client, json!({ "caption_style": style, "default_language": "es" })).await?;
    let cues = json!([{ "start": 0, "end": 2, "text": "Hello." }]);
    let captions = async |look: Value| {
        let mut captions = json!({ "source": "cues", "cues": cues, "burn": true });
        captions.as_object_mut().expect("an object").extend(look.as_object().cloned().unwrap_or_default());
        let op = json!({ "op": "set_captions", "captions": captions });
        let made = tenant.client.tool("create_timeline", &json!({ "name": "Cut", "ops": [op] })).await?;
        anyhow::Ok(made.data()?["timeline"]["captions"].clone())
    };
    let usual = captions(json!({})).await?;
    let look = json!({ "color": "#ff0000", "size": 0.1, "family": FAMILIES[2] });
    assert_eq!((&usual["style"], &usual["position"]), (&look, &json!("top")), "the settings, then the brand kit");
    let own = captions(json!({ "style": { "color": "#0000ff", "family": FAMILIES[0] }, "position": "middle" })).await?;
    let look = json!({ "color": "#0000ff", "size": 0.1, "family": FAMILIES[0] });
    assert_eq!((&own["style"], &own["position"]), (&look, &json!("middle")));
    let op = json!({ "op": "set_captions",
        "captions": { "source": "cues", "cues": cues, "style": { "family": "Comic Sans" } } });
    let refused = tenant.client.tool("create_timeline", &json!({ "name": "Cut", "ops": [op] })).await?;
    assert_eq!(refused.code(), "invalid_request", "{}", refused.text);

    let speaker = async |more: Value| {
        let mut asked = json!({ "text": "hola", "dry_run": true });
        asked.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
        anyhow::Ok(tenant.client.tool("generate_audio", &asked).await?.data()?["model"].clone())
    };
    assert_eq!(speaker(json!({})).await?, "espeak-ng", "the engine that speaks Spanish");
    for own in [json!({ "language": "en" }), json!({ "model": "flite" }), json!({ "voice": "slt" })] {
        assert_eq!(speaker(own.clone()).await?, "flite", "{own}");
    }
    world.end().await
}

#[tokio::test]
async fn an_upload_starts_the_reads_of_the_settings_where_it_names_none() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    set(&tenant.client, json!({ "reads_on_import": ["levels", "speech", "levels"] })).await?;
    let wanted = async |more: Value| {
        let mut body = json!({ "filename": "a.wav", "content_type": "audio/wav", "bytes": 9 });
        body.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
        let made = tenant.client.send("POST", "/uploads", &[], Some(body.to_string())).await?;
        let item: domain::ids::ItemId = made.json["item_id"].as_str().unwrap_or_default().parse()?;
        let reads: Option<Vec<String>> = sqlx::query_scalar("SELECT reads FROM reads_on_ready WHERE item_id = $1")
            .bind(item)
            .fetch_optional(world.pool())
            .await?;
        anyhow::Ok(reads.unwrap_or_default())
    };
    assert_eq!(wanted(json!({})).await?, ["levels", "speech"]);
    assert_eq!(wanted(json!({ "reads": ["beats"] })).await?, ["beats"]);
    assert!(wanted(json!({ "reads": [] })).await?.is_empty());
    let imported = tenant.client.tool("import_media", &json!({ "url": "https://93.184.216.34/a.wav" })).await?;
    let item: domain::ids::ItemId = imported.data()?["item"]["id"].as_str().unwrap_or_default().parse()?;
    let reads: Vec<String> = sqlx::query_scalar("SELECT reads FROM reads_on_ready WHERE item_id = $1")
        .bind(item)
        .fetch_one(world.pool())
        .await?;
    assert_eq!(reads, ["levels", "speech"]);
    world.end().await
}

/// A renderer that has no such font draws another, or nothing.
#[test]
fn setup_and_the_image_install_the_families_that_a_brand_kit_may_name() -> anyhow::Result<()> {
    for family in FAMILIES {
        let file = format!("/usr/share/fonts/truetype/dejavu/{}.ttf", family.replace(' ', ""));
        let font = std::fs::read(&file).with_context(|| file.clone())?;
        // Its table of names is in UTF-16, big end first, with its length elsewhere.
        let name: Vec<u8> = family.encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert!(font.windows(name.len()).any(|part| part == name), "{file} is no {family}");
    }
    for installs in [include_str!("../../../scripts/setup"), include_str!("../../../deploy/Dockerfile")] {
        assert!(installs.contains("fonts-dejavu-core"), "{}", &installs[..60]);
    }
    Ok(())
}

#[tokio::test]
async fn a_brand_kit_is_kept_whole_and_seen_on_the_pages_of_links() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, other) = (world.tenant("a").await?, world.tenant("b").await?);
    let (image, video) = (world.item(&tenant, Media::image()).await?, world.item(&tenant, Media::video(9)).await?);
    let foreign = world.item(&other, Media::image()).await?;
    let update = async |change: Value| tenant.client.tool("update_brand_kit", &change).await;
    let logo = |item: &dyn std::fmt::Display| json!({ "logos": [{ "name": "Mark", "ref": item.to_string() }] });
    for (wrong, code) in [
        (json!({ "colors": [{ "name": "Ink", "hex": "\"/><script>" }] }), "invalid_request"),
        (json!({ "fonts": [{ "name": "Head", "family": "Comic Sans" }] }), "invalid_request"),
        (logo(&video), "invalid_request"),
        (logo(&"nothing"), "item_not_found"),
        (logo(&foreign), "workspace_forbidden"),
        (json!({ "if_revision": 3, "voice": "Warm." }), "revision_conflict"),
    ] {
        assert_eq!(update(wrong.clone()).await?.code(), code, "{wrong}");
    }
    let kit = tenant.client.tool("get_brand_kit", &json!({})).await?.data()?.clone();
    assert_eq!((&kit["brand_kit"]["revision"], &kit["families"][0]), (&json!(0), &json!("DejaVu Sans")));
    update(json!({ "colors": [{ "name": "Ink", "hex": "#1a2b3c" }], "voice": "Warm." })).await?.data()?;
    let made = update(logo(&image)).await?.data()?["brand_kit"].clone();
    assert_eq!(
        (&made["voice"], &made["logos"][0]["item_deleted"]),
        (&json!("Warm."), &json!(false)),
        "what is absent stays"
    );
    tenant.client.tool("delete_item", &json!({ "ref": image })).await?.data()?;
    let kit = tenant.client.tool("get_brand_kit", &json!({})).await?.data()?["brand_kit"].clone();
    assert_eq!((&kit["logos"][0]["ref"], &kit["logos"][0]["item_deleted"]), (&Value::Null, &json!(true)));

    set(&tenant.client, json!({ "name": "<b>Studio</b>" })).await?;
    let link = tenant.client.tool("create_public_link", &json!({ "ref": video })).await?.data()?["url"].clone();
    let path = link.as_str().and_then(|url| url.split("/l/").nth(1)).unwrap_or_default().to_owned();
    let page = world.client(None).below(world.base_url()).send("GET", &format!("/l/{path}"), &[], None).await?;
    assert!(page.text.contains("fill=\"#1a2b3c\""), "{}", page.text);
    assert!(page.text.contains("&lt;b&gt;Studio&lt;/b&gt;") && !page.text.contains("<b>Studio"), "{}", page.text);
    world.end().await
}
