//! Footage with a transcript of megabytes: it is cut as any other is, and nobody is sent the whole of it.

use super::films::is_between_sentences;
use super::models::Thinking;
use super::{BRIEF, Studio, get};
use anyhow::Context;
use bytes::Bytes;
use futures_util::stream;
use mws_tests::world::Reply;
use mws_tests::world::footage::STEP;
use serde_json::{Value, json};
use std::convert::Infallible;

/// Has the interview read, and puts a transcript of some six megabytes in place of the stored one: the same words, and
/// many more that are said after the film's end.
async fn read_at_length(studio: &Studio) -> anyhow::Result<()> {
    let client = &studio.tenant.client;
    let jobs = client.prepare(&[studio.interview], &["transcript", "search_index"]).await?.job_ids()?;
    client.ended(&jobs).await?;
    let mut stored = get(client, &format!("/library/items/{}/reads/transcript", studio.interview)).await?;
    let said = stored["data"]["words"].as_array_mut().context("it has no words")?;
    said.extend((0..120_000_u32).map(|place| {
        let start = 60.0 + f64::from(place) * STEP;
        json!({ "word": "later", "start": start, "end": start + STEP / 2.0 })
    }));
    let key = format!("items/{}/reads/transcript/long.json", studio.interview);
    let bytes = stream::iter([Ok::<Bytes, Infallible>(serde_json::to_vec(&stored)?.into())]);
    let written = studio.world.process.media.write(&key, bytes, u64::MAX).await?;
    anyhow::ensure!(written.bytes > 4 << 20, "it has {} bytes", written.bytes);
    let replace = "UPDATE item_reads SET result = NULL, object_key = $2, bytes = $3
        WHERE item_id = $1 AND read = 'transcript'";
    let replace = sqlx::query(replace).bind(studio.interview).bind(key).bind(i64::try_from(written.bytes)?);
    replace.execute(studio.world.pool()).await?;
    Ok(())
}

fn transcribed(log: &[Value]) -> anyhow::Result<&Value> {
    log.iter().find(|step| step["tool"] == "transcribe_media").context("it was not looked up")
}

/// Its pauses are known although no answer of so many bytes is taken: the step takes none.
#[tokio::test]
async fn a_film_of_a_long_transcript_is_cut_where_nobody_speaks() -> anyhow::Result<()> {
    let studio = Studio::new().await?;
    read_at_length(&studio).await?;
    let agent = studio.world.agent();
    let brief = "A 30 second film about the river from the interview footage";
    let id = studio.create(json!({ "brief": brief, "output_type": "timeline" })).await?;
    let project = studio.settled(&id).await?;
    assert_eq!(project["status"], "idle", "{}", project["agent_message"]);
    let log = studio.log(&id).await?;
    let looked_up = transcribed(&log)?;
    assert_eq!(
        (&looked_up["status"], &looked_up["arguments"]),
        (&json!("done"), &json!({ "ref": studio.interview, "dry_run": true }))
    );
    let timeline = json!({ "timeline_id": project["timeline_id"] });
    let timeline = studio.tenant.client.tool("get_timeline", &timeline).await?.data()?["timeline"].clone();
    let scenes = timeline["scenes"].as_array().cloned().unwrap_or_default();
    let is_whole = |scene: &Value| {
        let (start, lasts) = (scene["start"].as_f64(), scene["duration"].as_f64());
        let ends = start.zip(lasts).map(|(start, lasts)| (start, start + lasts));
        ends.is_some_and(|(start, end)| is_between_sentences(start) && is_between_sentences(end))
    };
    assert!(!scenes.is_empty() && scenes.iter().all(is_whole), "{scenes:?}");
    agent.abort();
    studio.world.end().await
}

#[tokio::test]
async fn an_answer_that_is_too_long_is_refused_to_a_model_and_its_run_goes_on() -> anyhow::Result<()> {
    let thinking = Thinking::by(|_, before| match before {
        0 => Reply::calling(&[("transcribe_media", json!({ "ref": "interview" }))]),
        _ => Reply::calling(&[("finish", json!({ "message": "Done." }))]),
    })
    .await?;
    let studio = &thinking.studio;
    read_at_length(studio).await?;
    let agent = studio.world.agent();
    let made = studio.create(json!({ "brief": BRIEF })).await?;
    assert_eq!(studio.settled(&made).await?["agent_message"], "Done.");
    let log = studio.log(&made).await?;
    let refused = transcribed(&log)?;
    let why = refused["message"].as_str().unwrap_or_default();
    assert_eq!(refused["status"], "refused", "{why}");
    assert!(why.starts_with("file_too_large: ") && why.contains("search_footage"), "{why}");
    let told = thinking.asked().last().map(Value::to_string).unwrap_or_default();
    assert!(told.contains("Refused (file_too_large)"), "{told}");
    agent.abort();
    thinking.studio.world.end().await
}
