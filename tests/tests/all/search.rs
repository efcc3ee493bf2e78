//! `search_footage`: what is said is found with its range, its moment and its still; what can't be searched is named
//! (contract §4.4).

use domain::ids::{AccountId, ItemId, WorkspaceId};
use futures_util::future::join_all;
use mws_tests::world::footage::{Script, performing};
use mws_tests::world::{Answer, Client, Media, World, in_line, runners};
use serde_json::{Value, json};
use sqlx::AssertSqlSafe;
use std::time::Duration;

const TALK: &str = "Yes the interview comes first and the music starts after it Then let us do that and look for the part \
                    about the river I will send you the file this evening";

async fn search(client: &Client, query: &str) -> anyhow::Result<Answer> {
    client.tool("search_footage", &json!({ "query": query })).await
}

/// The ranges of the matches.
async fn ranges(client: &Client, query: &str) -> anyhow::Result<Vec<(f64, f64)>> {
    let answer = search(client, query).await?;
    let second = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
    let matches = answer.data()?["matches"].as_array().cloned().unwrap_or_default();
    Ok(matches.iter().map(|one| (second(&one["start"]), second(&one["end"]))).collect())
}

fn scores(answer: &Answer) -> Vec<f64> {
    let matches = answer.json["data"]["matches"].as_array();
    matches.into_iter().flatten().filter_map(|one| one["score"].as_f64()).collect()
}

#[tokio::test]
async fn a_spoken_phrase_is_found_with_its_range_its_moment_and_its_still() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let script = Script { cuts: vec![4.0, 8.5, 20.0], ..Script::saying(TALK) };
    let item = world.footage(&tenant, vec![script]).await?[0];
    let answer = search(&tenant.client, "the part about the river").await?;
    let found = &answer.data()?["matches"][0];
    // The phrase is parted by a cut: it is found all the same, in the moment where it begins.
    assert_eq!((&found["start"], &found["end"], &found["score"]), (&json!(7.6), &json!(9.4), &json!(1.0)));
    assert_eq!(found["moment"], json!({ "id": "m2", "start": 4.0, "end": 8.5 }));
    assert_eq!((&found["ref"], &found["item_id"]), (&json!(item), &json!(item)));
    assert!(found["text"].as_str().is_some_and(|text| text.contains("look for the part about the river I will")));
    assert_eq!((&answer.data()?["unindexed_refs"], &answer.data()?["untranscribed_refs"]), (&json!([]), &json!([])));

    let link = found["thumbnail_url"].as_str().unwrap_or_default().to_owned();
    let path = link.split("/api/v1").nth(1).unwrap_or_default().to_owned();
    let nobody = world.client(None);
    let still = nobody.send("GET", &path, &[], None).await?;
    assert_eq!((still.status, still.header("content-type")), (200, "image/jpeg"), "{link}");
    assert!(still.text.ends_with("m2") && still.header("cache-control").contains("private"), "{}", still.text);
    assert_eq!(world.count("SELECT count(*) FROM jobs").await?, 2, "a search starts nothing");
    world.end().await
}

#[tokio::test]
async fn forms_slips_and_signs_are_understood_and_what_fits_better_comes_first() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    world
        .footage(&tenant, vec![Script::saying(TALK), Script::saying("a river has two banks and every river a source")])
        .await?;
    let client = &tenant.client;
    assert_eq!(ranges(client, "interviews").await?, [(0.8, 1.0)], "in another form");
    for slip in ["intreview", "interveiw comes frist", "the musik strats", "part of the rivver", "lok for the prat"] {
        let answer = search(client, slip).await?;
        let scores = scores(&answer);
        assert!(scores.len() == 1 && scores[0] > 0.1 && scores[0] < 0.5, "{slip}: {}", answer.text);
    }
    let river = search(client, "river").await?;
    assert_eq!(scores(&river), [1.0, 1.0, 1.0], "each time that it is said: {}", river.text);
    let both = search(client, "river source").await?;
    assert_eq!(scores(&both).len(), 1, "all words have to be there: {}", both.text);
    assert_eq!(ranges(client, "river -source").await?.len(), 1);
    assert_eq!(ranges(client, "\"river a source\"").await?, [(2.8, 3.8)]);
    assert_eq!(ranges(client, "\"river source\"").await?.len(), 0, "they do not stand together");
    assert_eq!(ranges(client, "banks or evening").await?.len(), 2);
    let best_first = search(client, "music after").await?;
    assert!(scores(&best_first)[0] > 0.5 && scores(&best_first)[0] < 1.0, "not as it was asked: {}", best_first.text);
    for nothing in ["helicopter", "zebra crossing", "quantum physics lecture", "submarine"] {
        let answer = search(client, nothing).await?;
        assert_eq!(answer.data()?["matches"], json!([]), "{nothing}");
    }
    world.end().await
}

#[tokio::test]
async fn what_can_not_be_searched_is_named_and_refs_narrow_the_search() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let [one, other] = world.footage(&tenant, vec![Script::saying(TALK); 2]).await?[..] else { unreachable!() };
    let plain = world.item(&tenant, Media::video(60)).await?;
    let sound = world.item(&tenant, Media::audio(60)).await?;
    let mute = world.item(&tenant, Media::video(60)).await?;
    world.work(runners::instant()).await?;
    let jobs = tenant.client.prepare(&[mute], &["search_index"]).await?.job_ids()?;
    tenant.client.ended(&jobs).await?;

    let everywhere = search(&tenant.client, "river").await?;
    assert_eq!(everywhere.data()?["matches"].as_array().map(Vec::len), Some(2));
    assert_eq!(everywhere.data()?["unindexed_refs"], json!([plain]), "a sound has no use for one");
    assert_eq!(everywhere.data()?["untranscribed_refs"], json!([mute, sound, plain]));
    let asked = json!({ "query": "river", "refs": [other, sound, plain], "limit": 1 });
    let narrowed = tenant.client.tool("search_footage", &asked).await?;
    assert_eq!(narrowed.data()?["matches"][0]["item_id"], json!(other));
    assert_eq!(narrowed.data()?["unindexed_refs"], json!([plain]), "a read would not help a sound");
    assert_eq!(narrowed.data()?["untranscribed_refs"], json!([sound, plain]));
    let none = tenant.client.tool("search_footage", &json!({ "query": "helicopter", "refs": [plain] })).await?;
    assert_eq!((&none.data()?["matches"], &none.data()?["unindexed_refs"]), (&json!([]), &json!([plain])));

    // What was read of an item goes with it, at once for callers and then for good.
    let deleted = tenant.client.tool("delete_item", &json!({ "ref": one })).await?;
    assert_eq!(deleted.data()?["deleted"], true);
    let left = search(&tenant.client, "river").await?;
    assert_eq!(left.data()?["matches"].as_array().map(Vec::len), Some(1));
    assert_eq!(scheduler::purge_items::run_once(&world.process).await?, 1);
    for table in ["moments", "passages", "item_reads"] {
        let rows: i64 = sqlx::query_scalar(AssertSqlSafe(format!("SELECT count(*) FROM {table} WHERE item_id = $1")))
            .bind(one)
            .fetch_one(world.pool())
            .await?;
        assert_eq!(rows, 0, "{table}");
    }
    world.end().await
}

#[tokio::test]
async fn sound_and_videos_without_an_index_are_searched_by_their_transcripts() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let sound = world.item(&tenant, Media::audio(60)).await?;
    let film = world.item(&tenant, Media::video(60)).await?;
    let silent = world.item(&tenant, Media::silent(60)).await?;
    let scripts = [sound, film].map(|item| (item, Script::saying(TALK))).to_vec();
    let worker = world.worker(performing(scripts)).await?;
    let jobs = tenant.client.prepare(&[sound, film], &["transcript"]).await?.job_ids()?;
    tenant.client.ended(&jobs).await?;
    worker.stop().await?;
    let answer = search(&tenant.client, "the part about the river").await?;
    let found = answer.data()?;
    let items: Vec<&Value> = found["matches"].as_array().into_iter().flatten().map(|one| &one["item_id"]).collect();
    assert_eq!(items, [&json!(film), &json!(sound)]);
    for one in found["matches"].as_array().into_iter().flatten() {
        assert_eq!((&one["start"], &one["end"], &one["score"]), (&json!(7.6), &json!(9.4), &json!(1.0)));
        assert!(one.get("moment").is_none() && one.get("thumbnail_url").is_none(), "{one}");
    }
    let slip = search(&tenant.client, "part of the rivver").await?;
    assert_eq!(slip.data()?["matches"].as_array().map(Vec::len), Some(2), "{}", slip.text);
    assert_eq!(found["unindexed_refs"], json!([silent, film]), "what says nothing may show words; a sound does not");
    assert_eq!(found["untranscribed_refs"], json!([]), "no transcript would help {silent}");
    world.end().await
}

#[tokio::test]
async fn another_account_s_footage_never_shows() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, other) = (world.tenant("a").await?, world.tenant("b").await?);
    let theirs = world.footage(&other, vec![Script::saying(TALK); 3]).await?;
    for query in ["river", "rivver", "\"the river\""] {
        let answer = search(&tenant.client, query).await?;
        assert_eq!(
            answer.data()?,
            &json!({ "matches": [], "unindexed_refs": [], "untranscribed_refs": [] }),
            "{query}"
        );
    }
    let asked = |item: ItemId| json!({ "query": "river", "refs": [item] });
    let forbidden = tenant.client.tool("search_footage", &asked(theirs[0])).await?;
    assert_eq!((forbidden.status, forbidden.code()), (403, "workspace_forbidden"));
    let unknown = tenant.client.tool("search_footage", &asked(ItemId::mint())).await?;
    assert_eq!((unknown.status, unknown.code()), (404, "item_not_found"));
    let viewer = world.member(&tenant, &other, "viewer").await?;
    assert_eq!(ranges(&viewer, "river").await?.len(), 3, "whoever may read may search");
    world.end().await
}

#[tokio::test]
async fn a_search_that_asks_for_nothing_or_too_much_is_refused() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let many = vec!["a"; 21];
    for (body, named) in [
        (json!({}), "query"),
        (json!({ "query": "" }), "query"),
        (json!({ "query": " ?! " }), "query"),
        (json!({ "query": "-river" }), "query"),
        (json!({ "query": "é".repeat(501) }), "query"),
        (json!({ "query": "a", "refs": [] }), "refs"),
        (json!({ "query": "a", "refs": many }), "refs"),
        (json!({ "query": "a", "limit": 0 }), "limit"),
        (json!({ "query": "a", "limit": 51 }), "limit"),
        (json!({ "query": "a", "offset": 1 }), "offset"),
    ] {
        let answer = tenant.client.tool("search_footage", &body).await?;
        assert_eq!((answer.status, answer.code()), (400, "invalid_request"), "{body}");
        assert!(answer.text.contains(named), "{body}: {}", answer.text);
    }
    // Whatever is written as a query is words, never an error.
    for odd in ["'", "\"", "a & b | !c:*", "\\", "<->", "((", "é".repeat(500).as_str(), "a ".repeat(250).as_str(), "%_"]
    {
        let answer = search(&tenant.client, odd).await?;
        assert!(answer.status == 200 || answer.code() == "invalid_request", "{odd}: {}", answer.text);
    }
    world.end().await
}

#[tokio::test]
async fn a_link_shows_its_picture_for_an_hour_or_two_and_no_other() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = world.footage(&tenant, vec![Script { cuts: vec![2.0], ..Script::saying(TALK) }]).await?[0];
    let answer = tenant.client.send("GET", &format!("/library/items/{item}/reads/search_index"), &[], None).await?;
    let link = answer.json["data"]["moments"][1]["thumbnail"].as_str().unwrap_or_default().to_owned();
    let path = link.split("/api/v1").nth(1).unwrap_or_default().to_owned();
    let nobody = world.client(None);
    let get = async |path: String| nobody.send("GET", &path, &[], None).await;
    assert_eq!(get(path.clone()).await?.text.as_bytes().last_chunk(), Some(b"m2"));
    let mut later = path.clone();
    later.replace_range(later.find("expires=1").map_or(0..0, |at| at + 8..at + 9), "2");
    for other in
        [path.replace("/m2", "/m1"), path.replace("/m2", "/item"), later, path.replace("signature=", "signature=0")]
    {
        let refused = get(other.clone()).await?;
        assert_eq!((refused.status, refused.code()), (401, "unauthenticated"), "{other}");
    }
    world.advance(Duration::from_hours(2)).await?;
    let ended = get(path.clone()).await?;
    assert_eq!((ended.status, ended.code()), (401, "token_expired"));
    let answer = tenant.client.send("GET", &format!("/library/items/{item}/reads/search_index"), &[], None).await?;
    let link = answer.json["data"]["moments"][1]["thumbnail"].as_str().unwrap_or_default().to_owned();
    let path = link.split("/api/v1").nth(1).unwrap_or_default().to_owned();
    assert_eq!(get(path.clone()).await?.status, 200);
    tenant.client.tool("delete_item", &json!({ "ref": item })).await?.data()?;
    assert_eq!(get(path).await?.code(), "item_not_found");
    world.end().await
}

/// A table as it is in a large deployment: many workspaces, and words that all of them have.
async fn many_passages(world: &World, workspace: WorkspaceId) -> anyhow::Result<()> {
    let mut conn = world.pool().acquire().await?;
    let statements = [
        // Rows of items that are not there are enough for the planner, and much faster made.
        "SET session_replication_role = replica",
        "INSERT INTO passages (item_id, number, workspace_id, text, own_words, times)
         SELECT gen_random_uuid(), 1, CASE n % 400 WHEN 0 THEN $1::uuid ELSE md5((n % 400)::text)::uuid END,
             'the river and the interview word' || n % 997 || ' word' || n % 89 || ' common words of all that is said', 12, '[]'
         FROM generate_series(1, 40000) AS n",
        "INSERT INTO moments (item_id, start_ms, end_ms, number)
         SELECT gen_random_uuid(), n, n + 1, 1 FROM generate_series(1, 40000) AS n",
        "RESET session_replication_role",
        "VACUUM ANALYZE passages, moments",
    ];
    for statement in statements {
        let query = sqlx::query(statement);
        let query = if statement.contains("$1") { query.bind(workspace) } else { query };
        query.execute(&mut *conn).await?;
    }
    Ok(())
}

#[tokio::test]
async fn searches_go_by_the_indexes_and_look_at_no_other_workspace() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    many_passages(&world, tenant.workspace).await?;
    let statements = [
        (include_str!("../../../common/store/src/footage/said.sql"), "passages_lexemes"),
        (include_str!("../../../common/store/src/footage/alike.sql"), "passages_text"),
    ];
    for (statement, index) in statements {
        // The macro's notes on types are not SQL.
        let statement = statement.split('"').enumerate().map(|(place, part)| if place % 2 == 1 { "x" } else { part });
        let statement = statement.collect::<String>().replace(" AS x", "");
        for mode in ["force_custom_plan", "force_generic_plan"] {
            let mut explain = world.pool().begin().await?;
            let prepare = format!(
                "SET LOCAL plan_cache_mode = {mode}; PREPARE asked (uuid, text, uuid[], bigint) AS {statement}"
            );
            sqlx::raw_sql(AssertSqlSafe(prepare)).execute(&mut *explain).await?;
            let ask = format!("EXPLAIN EXECUTE asked ('{}', 'word17 river', NULL, 40)", tenant.workspace.uuid());
            let plan: Vec<String> = sqlx::query_scalar(AssertSqlSafe(ask)).fetch_all(&mut *explain).await?;
            let plan = plan.join("\n");
            sqlx::raw_sql("DEALLOCATE asked").execute(&mut *explain).await?;
            explain.rollback().await?;
            assert!(plan.contains(&format!("Bitmap Index Scan on {index}")), "{mode}:\n{plan}");
            assert!(plan.contains("Index Cond: ((workspace_id = "), "{mode}:\n{plan}");
            assert!(!plan.contains("Seq Scan"), "{mode}:\n{plan}");
        }
    }
    // They were no one's, as the invariants would say.
    sqlx::raw_sql("TRUNCATE passages, moments").execute(world.pool()).await?;
    world.end().await
}

#[tokio::test]
async fn words_that_were_shown_are_found_as_well_as_words_that_were_said_and_told_apart() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, other) = (world.tenant("a").await?, world.tenant("b").await?);
    let script = |written: &'static str| Script {
        words: "the revenue of the harbour grew".to_owned(),
        cuts: vec![10.0],
        written: vec![(12.0, 30.0, written)],
        ..Script::default()
    };
    let items = world.footage(&tenant, vec![script("Revenue by quarter in Lisbon")]).await?;
    world.footage(&other, vec![script("a secret of theirs")]).await?;

    let found = search(&tenant.client, "revenue").await?.data()?.clone();
    let told: Vec<Value> =
        found["matches"].as_array().into_iter().flatten().map(|one| json!([one["source"], one["start"]])).collect();
    assert_eq!(told.len(), 2, "{found}");
    assert!(told.contains(&json!(["said", 0.4])) && told.contains(&json!(["shown", 12.0])), "{found}");

    let shown = search(&tenant.client, "\"quarter in lisbon\"").await?.data()?["matches"][0].clone();
    assert_eq!(
        (&shown["source"], &shown["end"], &shown["moment"]["id"]),
        (&json!("shown"), &json!(30.0), &json!("m2"))
    );
    assert_eq!((&shown["score"], shown["thumbnail_url"].is_string()), (&json!(1.0), true));
    assert_eq!(search(&tenant.client, "secret").await?.data()?["matches"], json!([]));

    // What is read of the item has the words with their places, and what is said stays what was said.
    let path = format!("/library/items/{}/reads/search_index", items[0]);
    let read = tenant.client.send("GET", &path, &[], None).await?.json;
    assert_eq!(read["data"]["written"][0]["words"][3]["text"], json!("in"), "{read}");
    assert_eq!(read["data"]["moments"][1]["text"], json!(""), "{read}");
    world.end().await
}

#[tokio::test]
async fn what_searches_of_all_accounts_found_is_scored_four_at_a_time() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let turns = &world.app().turns.scores;
    let mut held = join_all((0..4).map(|_| turns.turn(AccountId::mint()))).await;
    let client = tenant.client.clone();
    let call = tokio::spawn(async move { search(&client, "river").await });
    in_line(turns, &call, "it waits until one has been scored").await?;
    held.pop();
    call.await??.data()?;
    world.end().await
}
