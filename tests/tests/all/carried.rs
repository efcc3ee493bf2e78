//! Edit decision lists and captions that come in over the service: by name and by id, in bounds, and told what to do.

use domain::ids::ItemId;
use mws_tests::world::{Client, Media, Tenant, World};
use serde_json::{Value, json};

/// An item that is called so.
async fn called(world: &World, tenant: &Tenant, name: &str) -> anyhow::Result<ItemId> {
    let item = world.item(tenant, Media::video(60)).await?;
    sqlx::query("UPDATE items SET name = $1 WHERE id = $2").bind(name).bind(item).execute(world.pool()).await?;
    Ok(item)
}

async fn imported(client: &Client, content: &str, format: &str) -> anyhow::Result<Value> {
    let ask = json!({ "content": content, "format": format });
    Ok(client.tool("import_timeline", &ask).await?.data()?.clone())
}

#[tokio::test]
async fn clips_of_a_list_are_the_items_that_are_called_so() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, other) = (world.tenant("a").await?, world.tenant("b").await?);
    let talk = called(&world, &tenant, "Talk.mp4").await?;
    for _ in 0..2 {
        called(&world, &tenant, "twice.mp4").await?;
    }
    called(&world, &other, "theirs.mp4").await?;
    let event = |(number, name): (usize, &&str)| {
        let (from, until) = (number * 2, number * 2 + 2);
        let times = format!("00:00:04:00 00:00:06:00 01:00:{from:02}:00 01:00:{until:02}:00");
        format!("{:03}  AX V C {times}\n* FROM CLIP NAME: {name}\n", number + 1)
    };
    let events: String = ["talk.MP4", "twice.mp4", "theirs.mp4"].iter().enumerate().map(event).collect();
    let list = format!("TITLE: Day one\nFCM: NON-DROP FRAME\n{events}");
    let answer = imported(&tenant.client, &list, "edl").await?;
    let timeline = &answer["timeline"];
    assert_eq!((&timeline["name"], &timeline["duration_seconds"]), (&json!("Day one"), &json!(6.0)));
    let items: Vec<&Value> =
        timeline["scenes"].as_array().into_iter().flatten().map(|scene| &scene["item_id"]).collect();
    assert_eq!(items, [&json!(talk), &Value::Null, &Value::Null], "{answer}");
    let warnings = answer["warnings"].to_string();
    assert!(warnings.contains("several items are called so") && warnings.contains("`theirs.mp4`"), "{warnings}");
    // The id says which of the two.
    let id = world.item(&tenant, Media::video(60)).await?;
    let by_id = list.replace("* FROM CLIP NAME: twice.mp4", &format!("* FROM CLIP: mws:{id}"));
    let answer = imported(&tenant.client, &by_id, "edl").await?;
    assert_eq!(answer["timeline"]["scenes"][1]["item_id"], json!(id), "{answer}");
    world.end().await
}

#[tokio::test]
async fn captions_become_the_cues_of_a_timeline_and_come_out_as_they_came_in() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let srt = "1\n00:00:01,000 --> 00:00:02,500\nThe river\nis wide\n\n2\n00:00:03,000 --> 00:00:04,000\nand deep\n";
    let vtt =
        "WEBVTT\n\n00:00:01.000 --> 00:00:02.500\nThe river\nis wide\n\n00:00:03.000 --> 00:00:04.000\nand deep\n";
    for (format, content) in [("srt", srt), ("vtt", vtt)] {
        let answer = imported(&tenant.client, content, format).await?;
        let (timeline, warnings) = (&answer["timeline"], &answer["warnings"]);
        assert_eq!((&timeline["captions"]["source"], warnings), (&json!("cues"), &json!([])), "{answer}");
        let ask = json!({ "timeline_id": timeline["id"], "format": format });
        assert_eq!(tenant.client.tool("export_timeline", &ask).await?.data()?["content"], content);
    }
    world.end().await
}

#[tokio::test]
async fn what_is_no_document_of_its_format_is_refused_with_what_to_do() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let long = "1 AX V C 00:00:00:00 00:00:00:01 00:00:00:00 00:00:00:01\n".repeat(9_000);
    let scenes: String = (0..2_100)
        .map(|number| {
            let code = |frame: i32| format!("00:{:02}:{:02}:{:02}", frame / 1_500, frame / 25 % 60, frame % 25);
            format!("1 AX V C 00:00:00:00 00:00:00:01 {} {}\n", code(number), code(number + 1))
        })
        .collect();
    for (content, format, fps, said) in [
        ("hello", "edl", None, "expected events of CMX 3600"),
        ("1 AX V C 00:00:00:00 00:00:00:29 00:00:00:00 00:00:00:29", "edl", None, "say `fps`"),
        ("1 AX V C 00:00:00:00 00:00:01:00 00:00:00:00 00:00:01:00", "edl", Some(12.5), "`fps`"),
        ("1 AX V C 99:99:00:00 00:00:01:00 00:00:00:00 00:00:01:00", "edl", None, "line 1"),
        (&scenes, "edl", None, "at most 2000 scenes"),
        ("hello", "srt", None, "expected cues"),
        ("hello", "vtt", None, "WEBVTT"),
        ("{}", "otio", None, "OTIO"),
        ("{}", "otio", Some(25.0), "leave it out"),
    ] {
        let ask = json!({ "content": content, "format": format, "fps": fps });
        let refused = tenant.client.tool("import_timeline", &ask).await?;
        assert_eq!((refused.status, refused.code()), (400, "invalid_request"), "{}", refused.text);
        assert!(refused.text.contains(said), "{format}: {}", refused.text);
    }
    // Nine thousand that begin together are one.
    let answer = imported(&tenant.client, &long, "edl").await?;
    assert_eq!(answer["timeline"]["scenes"].as_array().map(Vec::len), Some(1), "{}", answer["warnings"]);
    assert_eq!(answer["warnings"].as_array().map(Vec::len), Some(51));
    world.end().await
}

#[tokio::test]
async fn a_document_that_names_many_items_in_its_overlays_is_refused_as_one_of_many_clips_is() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let overlays: Vec<Value> = (0..=100).map(|_| json!({ "item_id": ItemId::mint() })).collect();
    let document = json!({ "OTIO_SCHEMA": "Timeline.1", "metadata": { "mws": { "overlays": overlays } } });
    let refused = tenant.client.tool("import_timeline", &json!({ "content": document.to_string() })).await?;
    assert_eq!((refused.status, refused.code()), (400, "invalid_request"), "{}", refused.text);
    assert!(refused.text.contains("it names more than 100 items"), "{}", refused.text);
    world.end().await
}
