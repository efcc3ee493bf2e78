//! Transcript, search index and speakers of one item: whichever ends first, what is read of them is the same.

use domain::credits::Credits;
use domain::footage::Rows;
use domain::ids::{ItemId, JobId};
use domain::job::JobKind;
use domain::minutes::Minutes;
use domain::read::Read;
use mws_tests::world::footage::{Script, performing};
use mws_tests::world::{Client, Media, World};
use runtime::ending::{self, Product};
use serde_json::{Value, json};
use store::jobs::{self, End, Outcome};
use store::reads::{NewRead, ReadBody};

const READS: [&str; 3] = ["transcript", "search_index", "speakers"];

fn script() -> Script {
    Script {
        words: "one two three four five six seven eight".to_owned(),
        cuts: vec![1.0, 2.4],
        turns: vec![(0.0, 1.5, "B"), (1.5, 3.2, "A")],
        ..Script::default()
    }
}

/// A stored read's `data`, without the links, whose time is in them.
async fn read(client: &Client, item: ItemId, read: &str) -> anyhow::Result<Value> {
    let answer = client.send("GET", &format!("/library/items/{item}/reads/{read}"), &[], None).await?;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let mut data = answer.json["data"].clone();
    for moment in data.pointer_mut("/moments").and_then(Value::as_array_mut).into_iter().flatten() {
        assert!(moment["thumbnail"].as_str().is_some_and(|link| link.contains("/api/v1/thumbnails/itm_")), "{moment}");
        moment["thumbnail"] = Value::Null;
    }
    Ok(data)
}

fn moment(id: &str, start: f64, end: f64, text: &str, speakers: &[&str]) -> Value {
    json!({ "id": id, "start": start, "end": end, "thumbnail": null, "text": text, "speakers": speakers })
}

fn expected_moments() -> Value {
    json!([
        moment("m1", 0.0, 1.0, "one two three", &["B"]),
        moment("m2", 1.0, 2.4, "four five six", &["A", "B"]),
        moment("m3", 2.4, 62.4, "seven eight", &["A"]),
    ])
}

fn orders() -> Vec<[&'static str; 3]> {
    let places = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    places.into_iter().map(|order| order.map(|place| READS[place])).collect()
}

#[tokio::test]
async fn reads_that_end_in_any_order_give_the_same_moments_and_the_same_transcript() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let orders = orders();
    let items = world.items(&tenant, orders.len(), Media::video(60)).await?;
    let scripts: Vec<(ItemId, Script)> = items.iter().map(|item| (*item, script())).collect();
    world.work(performing(scripts)).await?;
    for (item, order) in items.into_iter().zip(orders) {
        for (place, name) in order.into_iter().enumerate() {
            let jobs = tenant.client.prepare(&[item], &[name]).await?.job_ids()?;
            tenant.client.ended(&jobs).await?;
            // What is not read yet is null, which is not the same as nothing.
            if order[..=place].contains(&"search_index") {
                let first = read(&tenant.client, item, "search_index").await?["moments"][0].clone();
                let stored = |read: &str| order[..=place].contains(&read);
                assert_eq!(
                    (first["text"].is_null(), first["speakers"].is_null()),
                    (!stored("transcript"), !stored("speakers"))
                );
            }
        }
        assert_eq!(read(&tenant.client, item, "search_index").await?["moments"], expected_moments(), "{order:?}");
        let transcript = read(&tenant.client, item, "transcript").await?;
        let segments = transcript["segments"].as_array().cloned().unwrap_or_default();
        let speakers: Vec<&Value> = segments.iter().map(|segment| &segment["speaker"]).collect();
        assert_eq!(speakers, ["B", "A"], "{order:?}");
        assert_eq!(transcript["words"][7]["word"], "eight");
        // A tool shows the same.
        let shown = tenant.client.tool("transcribe_media", &json!({ "ref": item })).await?;
        assert_eq!(shown.data()?["transcript"]["data"], transcript);
    }
    world.end().await
}

/// A job that was claimed by hand, and its result.
async fn claimed(world: &World, item: ItemId, job: &str, read: Read, data: Value) -> anyhow::Result<(End, NewRead)> {
    let job: JobId = job.parse()?;
    let claim = jobs::claim(&mut *world.pool().acquire().await?, &[job], "a test", &[]).await?.claimed.remove(0);
    let outcome = Outcome::Succeeded { charge: Minutes::ZERO, credits: Credits::ZERO, result: json!({}) };
    let end = End { job, claim_no: claim.claim_no, item: Some(item), outcome, error: None };
    let (engine, rows) = (("test".to_owned(), "1".to_owned()), Rows::of(read, &data));
    let body = ReadBody::Inline(json!({ "kind": read.name(), "data": {} }));
    Ok((end, NewRead { item, read, job, engine, quality: None, body, bytes: 0, rows }))
}

#[tokio::test]
async fn reads_that_end_at_the_same_time_in_two_transactions_give_them_too() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let items = world.items(&tenant, 2, Media::video(60)).await?;
    for (item, first_commits) in items.into_iter().zip([true, false]) {
        let ids = tenant.client.prepare(&[item], &["transcript", "search_index"]).await?.job_ids()?;
        let words: Vec<Value> = (0..8_i32)
            .zip(["one", "two", "three", "four", "five", "six", "seven", "eight"])
            .map(|(place, word)| json!({ "word": word, "start": f64::from(place) * 0.4, "end": f64::from(place) * 0.4 + 0.2 }))
            .collect();
        let moments =
            json!([{ "start": 0.0, "end": 1.0 }, { "start": 1.0, "end": 2.4 }, { "start": 2.4, "end": 62.4 }]);
        let transcript = claimed(&world, item, &ids[0], Read::Transcript, json!({ "words": words })).await?;
        let index = claimed(&world, item, &ids[1], Read::SearchIndex, json!({ "moments": moments })).await?;
        // Each has done all that it will before either commits: neither waits for the other, and neither sees it.
        let (mut one, mut other) = (world.pool().begin().await?, world.pool().begin().await?);
        let ended = jobs::end(&mut one, &[transcript.0]).await?;
        let first = ending::end_jobs(&mut one, &ended, &[Product::Read(Box::new(transcript.1))], &JobKind::ALL).await?;
        let ended = jobs::end(&mut other, &[index.0]).await?;
        let second = ending::end_jobs(&mut other, &ended, &[Product::Read(Box::new(index.1))], &JobKind::ALL).await?;
        if first_commits {
            one.commit().await?;
            other.commit().await?;
        } else {
            other.commit().await?;
            one.commit().await?;
        }
        first.join(second).run(world.pool(), &world.process.wakes).await;
        let answer = tenant.client.send("GET", &format!("/library/items/{item}/reads/search_index"), &[], None).await?;
        let texts: Vec<&Value> =
            answer.json["data"]["moments"].as_array().into_iter().flatten().map(|moment| &moment["text"]).collect();
        assert_eq!(texts, ["one two three", "four five six", "seven eight"]);
    }
    world.end().await
}

#[tokio::test]
async fn a_transcript_too_large_for_its_row_is_joined_and_found_as_any_other() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let words: Vec<String> = (0..20_000).map(|n| format!("word{n}")).collect();
    let turns = vec![(0.0, 4_000.0, "A"), (4_000.0, 9_000.0, "B")];
    let long = Script { words: words.join(" "), cuts: vec![4_000.0], turns, ..Script::default() };
    let item = world.footage(&tenant, vec![long]).await?[0];
    let stored = "SELECT count(*) FROM item_reads WHERE read = 'transcript' AND object_key IS NOT NULL";
    assert_eq!(world.count(stored).await?, 1);
    let moments = read(&tenant.client, item, "search_index").await?["moments"].clone();
    // Compared, not shown: they are long.
    assert!(moments[0]["text"] == words[..10_000].join(" ") && moments[1]["text"] == words[10_000..].join(" "));
    let found = tenant.client.tool("search_footage", &json!({ "query": "word12345 word12346" })).await?;
    let first = &found.data()?["matches"][0];
    assert_eq!((&first["start"], &first["moment"]["id"]), (&json!(4_938.0), &json!("m2")));
    world.end().await
}
