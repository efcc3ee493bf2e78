//! What is long is worked on in its account's turn: documents that are read, and documents that are imported.

use crate::dubs::stored;
use crate::renders::speaks;
use anyhow::ensure;
use api::http::answers::Taker;
use domain::ids::{AccountId, ItemId};
use domain::read::Read;
use futures_util::FutureExt as _;
use mws_tests::world::{Answer, Media, Tenant, World, in_line, until};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

/// What comes of a call that is sent while its account's turn is taken. Fails if it does not wait for it.
async fn after_its_turn(world: &World, tenant: &Tenant, tool: &'static str, ask: Value) -> anyhow::Result<Answer> {
    let turns = &world.app().turns.documents;
    let turn = turns.turn(Taker::Account(tenant.account)).await;
    let client = tenant.client.clone();
    let call = tokio::spawn(async move { client.tool(tool, &ask).await });
    in_line(turns, &call, tool).await?;
    drop(turn);
    call.await?
}

/// A timeline of this many scenes, of 300 bytes each.
async fn timeline(tenant: &Tenant, scenes: usize) -> anyhow::Result<Value> {
    let scene = json!({ "op": "add_scene", "color": "#102030", "duration": 2, "description": "x".repeat(250) });
    let new = json!({ "name": "River", "ops": vec![scene; scenes] });
    Ok(tenant.client.tool("create_timeline", &new).await?.data()?["timeline"].clone())
}

#[tokio::test]
async fn a_long_document_is_read_and_exported_in_its_accounts_turn_and_a_short_one_at_once() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let (long, short) = (timeline(&tenant, 400).await?, timeline(&tenant, 2).await?);
    let asks = |timeline: &Value| {
        let id = timeline["id"].clone();
        let export = |format: &str| ("export_timeline", json!({ "timeline_id": id, "format": format }));
        [("get_timeline", json!({ "timeline_id": id })), export("otio"), export("edl")]
    };
    for (tool, ask) in asks(&long) {
        let answer = after_its_turn(&world, &tenant, tool, ask.clone()).await?.data()?.clone();
        if tool == "get_timeline" {
            assert_eq!(answer["timeline"], long, "as it was made");
        } else {
            assert!(answer["content"].as_str().is_some_and(|content| content.len() > 10_000), "{ask}");
        }
    }
    let _turn = world.app().turns.documents.turn(Taker::Account(tenant.account)).await;
    for (tool, ask) in asks(&short) {
        tenant.client.tool(tool, &ask).await?.data()?;
    }
    world.end().await
}

#[tokio::test]
async fn comments_on_a_timeline_look_at_no_more_of_it_than_lists_show() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let id = timeline(&tenant, 2).await?["id"].clone();
    // A body that nobody can read.
    sqlx::query("UPDATE documents SET body = '[]'").execute(world.pool()).await?;
    let comment =
        async |at: f64| tenant.client.tool("add_comment", &json!({ "ref": id, "text": "Too long.", "at": at })).await;
    comment(3.5).await?.data()?;
    let beyond = comment(4.5).await?;
    assert_eq!((beyond.status, beyond.code()), (400, "invalid_request"), "{}", beyond.text);
    let list = tenant.client.tool("list_comments", &json!({ "ref": id })).await?.data()?.clone();
    assert_eq!(list["comments"].as_array().map(Vec::len), Some(1));
    let edited = json!({ "name": "Y", "ops": [{ "op": "set_details", "variant_of": id }] });
    tenant.client.tool("create_timeline", &edited).await?.data()?;
    world.end().await
}

#[tokio::test]
async fn a_document_is_imported_in_its_accounts_turn() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let event = "1 AX V C 00:00:00:00 00:00:01:00 00:00:00:00 00:00:01:00";
    let cue = "1\n00:00:01,000 --> 00:00:02,500\nThe river\n";
    for (format, content) in [("edl", event), ("srt", cue)] {
        let ask = json!({ "content": content, "format": format });
        after_its_turn(&world, &tenant, "import_timeline", ask).await?.data()?;
    }
    world.end().await
}

#[tokio::test]
async fn the_film_of_a_long_timeline_is_planned_in_its_accounts_turn_too() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let id = timeline(&tenant, 400).await?["id"].clone();
    let turns = &world.app().turns.documents;
    let turn = turns.turn(Taker::Account(tenant.account)).await;
    let client = tenant.client.clone();
    let ask = json!({ "timeline_id": id, "dry_run": true });
    let call = tokio::spawn(async move { client.tool("render_timeline", &ask).await });
    in_line(turns, &call, "it is read in a turn").await?;
    // The next turn is for whoever asks first: while it lasts, what was read waits to be planned.
    let mut next = Box::pin(turns.turn(Taker::Account(tenant.account)));
    ensure!(next.as_mut().now_or_never().is_none(), "the turn is taken");
    drop(turn);
    let held = next.await;
    in_line(turns, &call, "its film is planned in a turn").await?;
    drop(held);
    assert_ne!(call.await??.code(), "internal");
    world.end().await
}

#[tokio::test]
async fn what_is_kept_of_a_long_talk_is_found_in_one_turn_and_told_in_another() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::audio(3_600)).await?;
    let spans: Vec<(f64, f64)> = (0..1_100).map(|at| (f64::from(at * 3), f64::from(at * 3 + 1))).collect();
    speaks(&world, item, &spans).await?;
    let turns = &world.app().turns.documents;
    let turn = turns.turn(Taker::Account(tenant.account)).await;
    let (client, ask) = (tenant.client.clone(), json!({ "ref": item }));
    let call = tokio::spawn(async move { client.tool("remove_silence", &ask).await });
    in_line(turns, &call, "it is found in a turn").await?;
    let mut next = Box::pin(turns.turn(Taker::Account(tenant.account)));
    ensure!(next.as_mut().now_or_never().is_none(), "the turn is taken");
    drop(turn);
    let held = next.await;
    in_line(turns, &call, "it is told in a turn").await?;
    drop(held);
    let kept = call.await??.data()?["keep"].as_array().map(Vec::len);
    assert_eq!(kept, Some(1_100));
    world.end().await
}

/// An item in which 2,500 words are said, and a timeline of it with these as its captions.
async fn captioned(world: &World, tenant: &Tenant) -> anyhow::Result<(ItemId, Value)> {
    let item = world.item(tenant, Media::video(3_600)).await?;
    let word = |at: u32| json!({ "word": "river", "start": f64::from(at), "end": f64::from(at) + 0.5 });
    let words: Vec<Value> = (0..2_500).map(word).collect();
    stored(world, item, Read::Transcript, json!({ "language": "en", "words": words, "segments": [] })).await?;
    let captions = json!({ "op": "set_captions", "captions": { "source": "transcripts", "burn": true } });
    let ops = json!([{ "op": "add_scene", "ref": item, "duration": 10 }, captions]);
    let made = tenant.client.tool("create_timeline", &json!({ "name": "River", "ops": ops })).await?;
    Ok((item, made.data()?["timeline"]["id"].clone()))
}

/// Whether the account holds no room of the process's memory for answers, where nobody else holds any.
fn holds_none(world: &World, tenant: &Tenant) -> bool {
    world.app().answers.hold(tenant.account, 256 << 20).is_ok()
}

/// Waits until the account holds none: room that a call has may outlive its answer for a moment.
async fn gives_all_back(world: &World, tenant: &Tenant) -> anyhow::Result<()> {
    until("all is given back", async || Ok(holds_none(world, tenant).then_some(()))).await
}

#[tokio::test]
async fn what_is_said_in_a_film_has_its_room_for_as_long_as_its_dry_run_waits() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let (_, id) = captioned(&world, &tenant).await?;
    let turns = &world.app().turns.documents;
    let turn = turns.turn(Taker::Account(tenant.account)).await;
    let (client, ask) = (tenant.client.clone(), json!({ "timeline_id": id, "dry_run": true }));
    let call = tokio::spawn(async move { client.tool("render_timeline", &ask).await });
    in_line(turns, &call, "the transcript is parsed in a turn").await?;
    ensure!(!holds_none(&world, &tenant), "the document waits in its room");
    let mut next = Box::pin(turns.turn(Taker::Account(tenant.account)));
    ensure!(next.as_mut().now_or_never().is_none(), "the turn is taken");
    drop(turn);
    let held = next.await;
    in_line(turns, &call, "the film is planned in a turn").await?;
    ensure!(!holds_none(&world, &tenant), "the words wait in their room");
    drop(held);
    assert_ne!(call.await??.code(), "internal");
    gives_all_back(&world, &tenant).await?;
    world.end().await
}

#[tokio::test]
async fn as_many_dry_runs_of_films_wait_as_there_is_room_for_what_is_said_in_them() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let (_, id) = captioned(&world, &tenant).await?;
    let answers = &world.app().answers;
    // Others hold half, and the account all of its share but a megabyte.
    let others = answers.hold(AccountId::mint(), (128 << 20) + (16 << 10)).ok();
    let own = answers.hold(tenant.account, 31 << 20).ok();
    ensure!(others.is_some() && own.is_some(), "so much is free");
    let turn = world.app().turns.documents.turn(Taker::Account(tenant.account)).await;
    let calls: Vec<_> = (0..6)
        .map(|_| {
            let (client, ask) = (tenant.client.clone(), json!({ "timeline_id": id, "dry_run": true }));
            tokio::spawn(async move { client.tool("render_timeline", &ask).await })
        })
        .collect();
    until("those without room are refused", async || {
        Ok((calls.iter().filter(|call| call.is_finished()).count() >= 2).then_some(()))
    })
    .await?;
    let (ended, waiting): (Vec<_>, Vec<_>) = calls.into_iter().partition(JoinHandle::is_finished);
    for call in ended {
        let answer = call.await??;
        assert_eq!((answer.status, answer.code()), (429, "rate_limited"), "{}", answer.text);
    }
    drop(turn);
    let mut waited = 0;
    for call in waiting {
        let answer = call.await??;
        assert_ne!(answer.code(), "internal", "{}", answer.text);
        waited += usize::from(answer.code() != "rate_limited");
    }
    assert!(waited > 0, "those with room wait for the turn");
    drop((others, own));
    gives_all_back(&world, &tenant).await?;
    world.end().await
}

#[tokio::test]
async fn long_reads_are_parsed_and_written_in_their_accounts_turn() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let (item, id) = captioned(&world, &tenant).await?;
    let spans: Vec<(f64, f64)> = (0..3_000).map(|at| (f64::from(at), f64::from(at) + 0.5)).collect();
    speaks(&world, item, &spans).await?;
    for (tool, ask) in [
        ("transcribe_media", json!({ "ref": item, "format": "vtt" })),
        ("export_timeline", json!({ "timeline_id": id, "format": "srt" })),
        ("remove_silence", json!({ "ref": item })),
    ] {
        after_its_turn(&world, &tenant, tool, ask).await?.data()?;
    }
    world.end().await
}
