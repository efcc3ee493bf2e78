//! Public links under strangers and against their makers: what a page may cost, who may guess, and whose links live on.

use crate::dubs::stored;
use crate::public_links::{Visitor, link};
use anyhow::{Context, ensure};
use api::app::link_pages::LONG_READS;
use api::http::answers::Taker;
use domain::ids::{AccountId, ItemId, JobId, PublicLinkId, UserId};
use domain::read::Read;
use futures_util::FutureExt as _;
use mws_tests::world::{Media, World, until};
use poem::Endpoint;
use reqwest::StatusCode;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::iter::from_fn;
use std::net::IpAddr;
use std::time::Duration;
use store::reads_on_ready;

#[tokio::test]
async fn a_page_is_bounded_however_much_is_said() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::video(60)).await?;
    let (id, visitor) = link(&tenant, item, json!({ "rights": ["comment"] })).await?;
    let many = "INSERT INTO comments (id, item_id, workspace_id, text, link_id, guest_name)
         SELECT gen_random_uuid(), $1, $2, repeat($3, 5000), l.id, 'Ada' FROM public_links l, generate_series(1, $4)";
    let add = async |text: &str, times: i32| {
        let rows = sqlx::query(many).bind(item).bind(tenant.workspace).bind(text).bind(times);
        rows.execute(world.pool()).await
    };
    add("😀", 500).await?;
    let (status, page) = visitor.page().await?;
    assert!(status == StatusCode::OK && page.len() < 300_000, "{} bytes", page.len());
    let shown = page.matches("<p class=\"text\" dir=\"auto\">").count();
    assert_eq!(shown, 10, "as many as have 200,000 bytes");
    assert!(page.contains("The newest 10 comments are shown; there are 490 older ones."));
    // A comment that is not taken shows the page too.
    let again = visitor.send("/comments", &[("name", "Ada"), ("text", "kept"), ("at", "soon")]).await?;
    let again = again.text().await?;
    assert!(again.len() < 300_000 && again.contains("kept</textarea>"), "{} bytes", again.len());
    let views = tenant.client.tool("list_public_links", &json!({})).await?.data()?["links"][0]["views"].clone();
    assert!(visitor.page().await?.0 == StatusCode::OK && views == 1, "{id}: {views}");
    // Escaped, an ampersand is five times as long.
    sqlx::query("DELETE FROM comments").execute(world.pool()).await?;
    add("&", 500).await?;
    let (_, visitor) = link(&tenant, item, json!({ "rights": ["comment"] })).await?;
    let page = visitor.page().await?.1;
    assert!(page.len() < 300_000 && page.contains("there are 492 older ones"), "{} bytes", page.len());
    world.end().await
}

#[tokio::test]
async fn what_is_drawn_is_drawn_once_for_those_who_come_together() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::video(60)).await?;
    let speech = |end: u32| json!({ "duration_seconds": 60, "data": { "segments": [{ "start": 0.5, "end": end }] } });
    let stored = "INSERT INTO item_reads (item_id, read, job_id, engine, engine_version, result)
         VALUES ($1, 'speech', $2, 'test', '1', $3)";
    sqlx::query(stored).bind(item).bind(JobId::mint()).bind(speech(2)).execute(world.pool()).await?;
    let (_, visitor) = link(&tenant, item, json!({})).await?;
    let drawn_of = async |end: u32| {
        sqlx::query("UPDATE item_reads SET result = $1").bind(speech(end)).execute(world.pool()).await?;
        anyhow::Ok(visitor.get("/lanes.svg").await?.text().await?)
    };
    let drawn = until("what was drawn a moment ago is shown again", async || {
        let first = drawn_of(2).await?;
        Ok((drawn_of(40).await? == first).then_some(first))
    });
    let drawn = drawn.await?;
    assert!(drawn.contains("class=\"speech\""), "{drawn}");
    world.end().await
}

#[tokio::test]
async fn pages_of_short_reads_and_those_of_long_ones_wait_for_none_of_each_other() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let turns = &world.app().turns;
    // No page shows a search index, so that one that is long makes no page long.
    for (long, others) in [(Read::SearchIndex, LONG_READS + 1), (Read::Transcript, LONG_READS)] {
        let item = world.item(&tenant, Media::video(60)).await?;
        let said = json!({ "start": 0.5, "end": 2, "text": "Good morning." });
        stored(&world, item, Read::Transcript, json!({ "words": [], "segments": [said] })).await?;
        stored(&world, item, Read::Speech, json!({ "segments": [{ "start": 0.5, "end": 2 }] })).await?;
        stored(&world, item, Read::SearchIndex, json!({})).await?;
        let longer = "UPDATE item_reads SET bytes = $1 WHERE item_id = $2 AND read = $3";
        sqlx::query(longer).bind(LONG_READS + 1).bind(item).bind(long.name()).execute(world.pool()).await?;
        let (_, visitor) = link(&tenant, item, json!({})).await?;
        let held = from_fn(|| turns.pages(others).turn_soon(AccountId::mint()).now_or_never());
        let held: Vec<_> = held.collect::<Result<_, _>>()?;
        ensure!(!held.is_empty(), "other accounts have all turns of the other kind");
        for path in ["", "/lanes.svg", "/captions.vtt"] {
            assert_eq!(visitor.get(path).await?.status(), StatusCode::OK, "{path} of a long {long}");
        }
    }
    world.end().await
}

#[tokio::test]
async fn a_link_works_for_as_long_as_its_maker_might_make_it() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::video(60)).await?;
    let (id, visitor) = link(&tenant, item, json!({})).await?;
    let live = async || -> anyhow::Result<(bool, Value)> {
        let listed = tenant.client.tool("list_public_links", &json!({})).await?.data()?["links"][0]["live"].clone();
        Ok((visitor.page().await?.0 == StatusCode::OK, listed))
    };
    let user = UserId::mint();
    let id: PublicLinkId = id.parse()?;
    let run = async |statement: &'static str| {
        let rows = sqlx::query(statement).bind(user).bind(tenant.workspace).bind(tenant.account).bind(id);
        rows.execute(world.pool()).await
    };
    assert_eq!(live().await?, (true, json!(true)));
    for (change, works) in [
        (
            "WITH made AS (INSERT INTO users (id, account_id, name) SELECT $1, $3, 'Ada' WHERE $2::uuid IS NOT NULL)
             UPDATE public_links SET user_id = $1, key_id = NULL WHERE id = $4",
            false,
        ),
        ("INSERT INTO members SELECT $2, $1, 'editor' WHERE $3::uuid IS NOT NULL AND $4::uuid IS NOT NULL", true),
        (
            "UPDATE members SET role = 'viewer' WHERE user_id = $1 AND num_nonnulls($2::uuid, $3::uuid, $4::uuid) = 3",
            false,
        ),
        (
            "UPDATE members SET role = 'owner' WHERE user_id = $1 AND num_nonnulls($2::uuid, $3::uuid, $4::uuid) = 3",
            true,
        ),
        (
            "UPDATE users SET disabled_at = mws_now() WHERE id = $1 AND num_nonnulls($2::uuid, $3::uuid, $4::uuid) = 3",
            false,
        ),
        ("UPDATE users SET disabled_at = NULL WHERE id = $1 AND num_nonnulls($2::uuid, $3::uuid, $4::uuid) = 3", true),
        ("DELETE FROM members WHERE user_id = $1 AND num_nonnulls($2::uuid, $3::uuid, $4::uuid) = 3", false),
    ] {
        run(change).await?;
        assert_eq!(live().await?, (works, json!(works)), "{change}");
    }
    let (_, of_key) = link(&tenant, item, json!({})).await?;
    assert_eq!(of_key.page().await?.0, StatusCode::OK);
    let revoke = "UPDATE api_keys SET revoked_at = mws_now() WHERE id = $1";
    sqlx::query(revoke).bind(tenant.key_id).execute(world.pool()).await?;
    assert_eq!(of_key.page().await?.0, StatusCode::NOT_FOUND, "its key is revoked");
    world.end().await
}

#[tokio::test]
async fn a_script_session_makes_no_link() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::video(60)).await?;
    let refused = world.session(&tenant).await?.tool("create_public_link", &json!({ "ref": item })).await?;
    assert_eq!((refused.status, refused.code()), (403, "session_not_allowed"), "{}", refused.text);
    world.end().await
}

#[tokio::test]
async fn who_guesses_at_links_is_refused_and_those_that_work_go_on() -> anyhow::Result<()> {
    let world = World::with_api(|_, api| api.wrong_credentials_per_minute = 6).await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::video(60)).await?;
    let (_, visitor) = link(&tenant, item, json!({})).await?;
    let (base, _) = visitor.url.rsplit_once('/').unwrap_or_default();
    assert_eq!(visitor.page().await?.0, StatusCode::OK);
    let guessed = async |guess: u32| anyhow::Ok(Visitor::of(&format!("{base}/{guess:040}"))?.page().await?.0.as_u16());
    for guess in 0..6 {
        assert_eq!(guessed(guess).await?, 404);
    }
    // One more may be looked at each ten seconds.
    let mut guess = 6;
    let refused = until("who guesses is refused", async || {
        guess += 1;
        anyhow::ensure!(guess < 26, "so many are more than six a minute");
        let status = guessed(guess).await?;
        Ok((status != 404).then_some(status))
    });
    assert_eq!(refused.await?, 429);
    assert_eq!(visitor.page().await?.0, StatusCode::OK, "it was right before");
    world.end().await
}

#[tokio::test]
async fn what_a_key_keeps_tells_no_passphrase_and_a_replay_says_where_the_link_is_now() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::video(60)).await?;
    let request = json!({ "ref": item, "expires_in": null, "rights": null, "passphrase": "tulip7" });
    let make = async || {
        let (path, body) = ("/tools/create_public_link", Some(request.to_string()));
        tenant.client.send("POST", path, &[("idempotency-key", "k")], body).await
    };
    let first = make().await?;
    let kept: Vec<u8> = sqlx::query_scalar("SELECT fingerprint FROM idempotency_keys").fetch_one(world.pool()).await?;
    let bare = Sha256::digest(json!(["create_public_link", tenant.workspace, request]).to_string());
    assert_ne!(kept, bare.as_slice(), "whoever has the table can try passphrases");
    // Stored as the release before this one stores it.
    let before = "UPDATE idempotency_keys SET fingerprint = $1, answer = replace(answer, 'http://', 'http://old.')";
    sqlx::query(before).bind(bare.as_slice()).execute(world.pool()).await?;
    let again = make().await?;
    assert_eq!((again.status, &again.text), (200, &first.text));
    world.end().await
}

#[tokio::test]
async fn reads_that_are_due_go_round_by_account_and_wait_by_account() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (one, other) = (world.tenant("one").await?, world.tenant("other").await?);
    let mut tx = world.pool().begin().await?;
    for (tenant, times) in [(&one, 3), (&other, 1)] {
        for item in world.items(tenant, times, Media::video(60)).await? {
            let row = "INSERT INTO reads_on_ready (item_id, reads, payer_account_id, owner_account_id, workspace_id, tool,
                 request_id, due_at) VALUES ($1, ARRAY['levels'], $2, $2, $3, 'x', 'r', mws_now() - interval '1 minute')";
            sqlx::query(row).bind(item).bind(tenant.account).bind(tenant.workspace).execute(&mut *tx).await?;
        }
    }
    let nobody = AccountId::from(sqlx::types::Uuid::nil());
    let (mut served, mut last) = (Vec::new(), nobody);
    for _ in 0..3 {
        let due = match reads_on_ready::take(&mut tx, last.uuid(), &[]).await? {
            Some(due) => Some(due),
            None => reads_on_ready::take(&mut tx, nobody.uuid(), &[]).await?,
        };
        last = due.context("there are four")?.by.account_id;
        served.push(last);
    }
    assert_eq!(served[0], served[2]);
    assert_ne!(served[0], served[1], "one has three, and takes turns with the other's one");
    let item: ItemId = sqlx::query_scalar("SELECT item_id FROM reads_on_ready WHERE payer_account_id = $1 LIMIT 1")
        .bind(one.account)
        .fetch_one(&mut *tx)
        .await?;
    reads_on_ready::defer(&mut tx, item, one.account, Duration::from_mins(1)).await?;
    let waits: Vec<f64> = sqlx::query_scalar(
        "SELECT extract(epoch FROM due_at - mws_now())::double precision FROM reads_on_ready
         WHERE payer_account_id = $1 ORDER BY due_at",
    )
    .bind(one.account)
    .fetch_all(&mut *tx)
    .await?;
    assert!(waits.iter().all(|wait| *wait > 59.0), "{waits:?}");
    assert!((waits[2] - waits[0] - 0.2).abs() < 0.01, "spread: {waits:?}");
    tx.rollback().await?;
    world.end().await
}

#[tokio::test]
async fn what_visitors_are_slow_to_take_holds_none_of_the_accounts_room() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::video(60)).await?;
    let (_, visitor) = link(&tenant, item, json!({ "rights": ["comment"] })).await?;
    let many = "INSERT INTO comments (id, item_id, workspace_id, text, link_id, guest_name)
         SELECT gen_random_uuid(), $1, $2, repeat('a', 5000), l.id, 'Ada' FROM public_links l, generate_series(1, 30)";
    sqlx::query(many).bind(item).bind(tenant.workspace).execute(world.pool()).await?;
    let at = visitor.url.find("/l/").context("no page")?;
    let router = api::router(world.app().clone());
    let visit = || router.get_response(poem::Request::builder().uri_str(&visitor.url[at..]).finish());
    let answers = &world.app().answers;
    // All visitors of an account's links have a share together, from however many addresses they come.
    let taken = answers.hold(Taker::Visitors(tenant.account), 32 << 20)?;
    assert!(answers.hold(Taker::Visitors(tenant.account), 1 << 20).is_err(), "though nobody else has any");
    assert_eq!(visit().await.status().as_u16(), 429, "they have a quarter of the visitors' room");
    drop(taken);
    // Those of five accounts hold as much as they may.
    let five = (0..5).map(|_| Taker::Visitors(AccountId::mint()));
    let full: Vec<_> = five.flat_map(|taker| from_fn(move || answers.hold(taker, 1 << 20).ok())).collect();
    let page = visit().await;
    assert_eq!(page.status().as_u16(), 200, "some is left for those of the next");
    drop(answers.hold(tenant.account, 256 << 20)?);
    drop(full);
    let network = |last: u8| Taker::Network(IpAddr::from([192, 0, 2, last]));
    let _others: Vec<_> = (1..=6).map(|last| answers.hold(network(last), 32 << 20)).collect::<Result<_, _>>()?;
    // Others are sent much, so that one may have a share and no more.
    answers.hold(tenant.account, 32 << 20)?;
    drop(page);
    world.end().await
}

#[tokio::test]
async fn captions_are_drawn_for_nobody_without_room_and_hold_it_once() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::video(3_600)).await?;
    let said = |word: &str| {
        let said = |at: u32| json!({ "start": at, "end": at + 1, "text": format!("{word} ").repeat(30) });
        json!({ "language": "en", "words": [], "segments": (0..2_000).map(said).collect::<Vec<_>>() })
    };
    stored(&world, item, Read::Transcript, said("before")).await?;
    let (_, visitor) = link(&tenant, item, json!({})).await?;
    let url = format!("{}/captions.vtt", visitor.url);
    let at = url.find("/l/").context("no page")?;
    let router = api::router(world.app().clone());
    let visit = || router.get_response(poem::Request::builder().uri_str(&url[at..]).finish());
    let (answers, visitors) = (&world.app().answers, Taker::Visitors(tenant.account));
    let taken = answers.hold(visitors, 32 << 20)?;
    assert_eq!(visit().await.status().as_u16(), 429);
    drop(taken);
    // Whatever was drawn would be shown for ten seconds.
    let change = "UPDATE item_reads SET result = replace(result::text, 'before', 'after')::json";
    sqlx::query(change).execute(world.pool()).await?;
    // The account's own large answers keep no visitor from captions that are none.
    let own: Vec<_> = from_fn(|| answers.large(tenant.account).ok()).collect();
    let first = visit().await.into_body().into_string().await?;
    assert!(first.contains("after") && first.len() > 300_000, "{} bytes", first.len());
    let mut slow = Vec::new();
    for _ in 0..8 {
        slow.push(visit().await);
    }
    assert!(slow.iter().all(|sent| sent.status().as_u16() == 200));
    drop(answers.hold(visitors, 30 << 20)?);
    assert!(answers.hold(visitors, 32 << 20).is_err(), "it is held once");
    drop((slow, own));
    answers.hold(visitors, 32 << 20)?;
    world.end().await
}
