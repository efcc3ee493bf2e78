//! Links for people who have no account: what they show, until when, and what guests may send.

use anyhow::Context;
use domain::ids::{ItemId, JobId, UploadId};
use mws_tests::world::processes::silence;
use mws_tests::world::{Media, Tenant, World, runners, until};
use reqwest::redirect::Policy;
use reqwest::{Method, Response, StatusCode, header};
use serde_json::{Value, json};
use std::time::Duration;

/// Somebody with a browser and without an account.
pub struct Visitor {
    http: reqwest::Client,
    pub url: String,
    cookie: Option<String>,
}

impl Visitor {
    pub fn of(url: &str) -> anyhow::Result<Self> {
        #[expect(clippy::disallowed_methods, reason = "a client of the service, not the service as a client")]
        let http = reqwest::Client::builder().redirect(Policy::none()).build()?;
        Ok(Self { http, url: url.to_owned(), cookie: None })
    }

    fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        let request = self.http.request(method, format!("{}{path}", self.url));
        match &self.cookie {
            Some(cookie) => request.header(header::COOKIE, cookie),
            None => request,
        }
    }

    pub async fn get(&self, path: &str) -> anyhow::Result<Response> {
        Ok(self.request(Method::GET, path).send().await?)
    }

    pub async fn page(&self) -> anyhow::Result<(StatusCode, String)> {
        let page = self.get("").await?;
        Ok((page.status(), page.text().await?))
    }

    /// A form, as browsers send it.
    fn form(&self, path: &str, fields: &[(&str, &str)]) -> reqwest::RequestBuilder {
        let body = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        let request = self.request(Method::POST, path).body(body);
        request.header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
    }

    pub async fn send(&self, path: &str, fields: &[(&str, &str)]) -> anyhow::Result<Response> {
        Ok(self.form(path, fields).send().await?)
    }
}

/// Makes a link with these arguments beside the item. Returns its id and a visitor who has it.
pub async fn link(tenant: &Tenant, item: ItemId, more: Value) -> anyhow::Result<(String, Visitor)> {
    let mut body = json!({ "ref": item });
    for (name, value) in more.as_object().into_iter().flatten() {
        body[name] = value.clone();
    }
    let made = tenant.client.tool("create_public_link", &body).await?;
    let data = made.data()?;
    let id = data["link"]["id"].as_str().context("no id")?.to_owned();
    Ok((id, Visitor::of(data["url"].as_str().context("no url")?)?))
}

/// An item that has been uploaded and is ready.
async fn uploaded(world: &World, tenant: &Tenant) -> anyhow::Result<(ItemId, Vec<u8>)> {
    world.work(runners::instant()).await?;
    let bytes = silence(3)?;
    let upload = tenant.client.announce(bytes.len(), &json!({})).await?;
    let url = upload["upload"]["url"].as_str().unwrap_or_default();
    tenant.client.put(url, "audio/wav", bytes.clone()).await?;
    let path = format!("/uploads/{}/complete", upload["id"].as_str().unwrap_or_default());
    tenant.client.send("POST", &path, &[], None).await?;
    let item = upload["item_id"].as_str().unwrap_or_default().to_owned();
    until("it is ready", async || {
        let found = tenant.client.send("GET", &format!("/library/items/{item}"), &[], None).await?.json;
        Ok((found["status"] == "ready").then_some(()))
    })
    .await?;
    Ok((item.parse()?, bytes))
}

#[tokio::test]
async fn a_link_shows_its_item_and_sends_its_bytes_until_it_is_revoked() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let (item, bytes) = uploaded(&world, &tenant).await?;
    let rename = json!({ "name": "<b>Talk</b> & \"music\"" }).to_string();
    tenant.client.send("PATCH", &format!("/library/items/{item}"), &[], Some(rename)).await?;
    let (id, visitor) = link(&tenant, item, json!({})).await?;
    let page = visitor.get("").await?;
    let policy = page.headers()[header::CONTENT_SECURITY_POLICY].to_str()?.to_owned();
    assert!(policy.starts_with("default-src 'none'; style-src 'sha256-") && !policy.contains("unsafe"), "{policy}");
    assert_eq!((page.status(), page.headers()["x-robots-tag"].to_str()?), (StatusCode::OK, "noindex, nofollow"));
    let text = page.text().await?;
    assert!(text.contains("<h1 dir=\"auto\">&lt;b&gt;Talk&lt;/b&gt; &amp; &quot;music&quot;</h1>"), "{text}");
    assert!(!text.contains("Download") && !text.contains("Comments"), "nothing that the link does not allow");

    let whole = visitor.get("/media").await?;
    assert_eq!((whole.status(), whole.bytes().await?.as_ref()), (StatusCode::OK, bytes.as_slice()));
    let part = visitor.request(Method::GET, "/media").header(header::RANGE, "bytes=4-7").send().await?;
    assert_eq!((part.status(), part.bytes().await?.as_ref()), (StatusCode::PARTIAL_CONTENT, &bytes[4..8]));
    assert_eq!(visitor.get("/media?download=1").await?.status(), StatusCode::FORBIDDEN);
    let (_, saving) = link(&tenant, item, json!({ "rights": ["download"] })).await?;
    let saved = saving.get("/media?download=1").await?;
    let disposition = saved.headers()[header::CONTENT_DISPOSITION].to_str()?.to_owned();
    assert!(saved.status() == StatusCode::OK && disposition.starts_with("attachment"), "{disposition}");

    let listed = tenant.client.tool("list_public_links", &json!({ "ref": item })).await?.data()?["links"].clone();
    assert_eq!((&listed[1]["id"], &listed[1]["views"], &listed[1]["live"]), (&json!(id), &json!(1), &json!(true)));
    assert_eq!(listed[0]["rights"], json!(["view", "download"]));
    let revoked = tenant.client.tool("revoke_public_link", &json!({ "link_id": id })).await?;
    assert_eq!(revoked.data()?["link"]["live"], false);
    for path in ["", "/media", "/poster.jpg", "/lanes.svg", "/captions.vtt"] {
        let gone = visitor.get(path).await?;
        assert_eq!(gone.status(), StatusCode::NOT_FOUND, "{path}");
        assert!(gone.text().await?.contains("This link has ended"), "{path}");
    }
    let audit = tenant.client.send("GET", "/audit", &[], None).await?.text;
    assert!(audit.contains("link.create") && audit.contains("link.revoke"), "{audit}");
    world.end().await
}

#[tokio::test]
async fn a_link_ends_by_itself_with_its_item_and_with_its_account() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let (one, other) = (world.item(&tenant, Media::video(60)).await?, world.item(&tenant, Media::video(60)).await?);
    let (_, short) = link(&tenant, one, json!({ "expires_in": 60 })).await?;
    let (_, long) = link(&tenant, one, json!({})).await?;
    let (_, lost) = link(&tenant, other, json!({})).await?;
    for visitor in [&short, &long, &lost] {
        assert_eq!(visitor.page().await?.0, StatusCode::OK);
    }
    world.advance(Duration::from_secs(61)).await?;
    tenant.client.send("DELETE", &format!("/library/items/{other}"), &[], None).await?;
    let answers = [short.page().await?.0, lost.page().await?.0, long.page().await?.0];
    assert_eq!(answers, [StatusCode::NOT_FOUND, StatusCode::NOT_FOUND, StatusCode::OK]);
    sqlx::query("UPDATE accounts SET suspended_at = mws_now(), suspended_reason = 'x' WHERE id = $1")
        .bind(tenant.account)
        .execute(world.pool())
        .await?;
    assert_eq!(long.page().await?.0, StatusCode::NOT_FOUND, "its account is suspended");
    sqlx::query("UPDATE accounts SET suspended_at = NULL, suspended_reason = NULL").execute(world.pool()).await?;

    let (base, token) = long.url.rsplit_once('/').context("no token")?;
    for wrong in [&token[1..], &token.to_uppercase(), &format!("{token}0"), &"0".repeat(40), "..%2f..", "%00"] {
        let page = Visitor::of(&format!("{base}/{wrong}"))?.page().await?;
        assert_eq!(page.0, StatusCode::NOT_FOUND, "{wrong}: {}", page.1);
    }
    // What ended is forgotten like ended jobs.
    world.advance(Duration::from_hours(24 * 70)).await?;
    scheduler::prune::run_once(&world.process).await?;
    assert_eq!(world.count("SELECT count(*) FROM public_links").await?, 0);
    world.end().await
}

#[tokio::test]
async fn a_passphrase_is_asked_for_and_guessed_at_ten_times_at_most() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let (item, _) = uploaded(&world, &tenant).await?;
    let (_, mut visitor) = link(&tenant, item, json!({ "passphrase": "open sesame" })).await?;
    let (_, mut other) = link(&tenant, item, json!({ "passphrase": "open sesame" })).await?;
    let (status, page) = visitor.page().await?;
    assert!(status == StatusCode::OK && page.contains("Passphrase") && !page.contains("a.wav"), "{page}");
    assert_eq!(visitor.get("/media").await?.status(), StatusCode::NOT_FOUND, "nothing without it");
    let right = visitor.send("", &[("passphrase", "open sesame")]).await?;
    assert_eq!(
        (right.status(), right.headers()[header::LOCATION].to_str()?),
        (StatusCode::SEE_OTHER, visitor.url.as_str())
    );
    let cookie = right.headers()[header::SET_COOKIE].to_str()?.to_owned();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax") && cookie.contains("Path=/l/"), "{cookie}");
    visitor.cookie = cookie.split(';').next().map(str::to_owned);
    assert!(visitor.page().await?.1.contains("a.wav"));
    assert_eq!(visitor.get("/media").await?.status(), StatusCode::OK);
    other.cookie.clone_from(&visitor.cookie);
    assert_eq!(other.get("/media").await?.status(), StatusCode::NOT_FOUND, "another link's admission");
    other.cookie = Some("mws_link=99999999999.00".to_owned());
    assert_eq!(other.get("/media").await?.status(), StatusCode::NOT_FOUND, "an admission made up");

    // However long a guess takes, none is forgotten meanwhile.
    world.stop_clock().await?;
    let mut answers = Vec::new();
    for guess in 0..12 {
        answers.push(other.send("", &[("passphrase", &guess.to_string())]).await?.status().as_u16());
    }
    assert_eq!(answers, [[403; 10].as_slice(), &[429, 429]].concat());
    let late = other.send("", &[("passphrase", "open sesame")]).await?;
    assert_eq!(late.status(), StatusCode::TOO_MANY_REQUESTS, "the right one waits too");
    assert_eq!(visitor.get("/media").await?.status(), StatusCode::OK, "who is in stays in");
    world.advance(Duration::from_mins(16)).await?;
    assert_eq!(other.send("", &[("passphrase", "open sesame")]).await?.status(), StatusCode::SEE_OTHER);
    world.advance(Duration::from_hours(12)).await?;
    assert!(!visitor.page().await?.1.contains("a.wav"), "it is asked for again after twelve hours");
    world.end().await
}

#[tokio::test]
async fn a_guest_comments_where_the_link_allows_it() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::video(60)).await?;
    let (id, visitor) = link(&tenant, item, json!({ "rights": ["comment"] })).await?;
    let hostile = "</p><script>alert(1)</script>\r\nline two";
    let sent = visitor.send("/comments", &[("name", "<Ada>"), ("text", hostile), ("at", "0:05")]).await?;
    assert_eq!(sent.status(), StatusCode::SEE_OTHER);
    let back = sent.headers()[header::LOCATION].to_str()?.to_owned();
    assert!(back.starts_with(&format!("{}#cmt_", visitor.url)), "{back}");
    let comments = tenant.client.tool("list_comments", &json!({ "ref": item })).await?.data()?["comments"].clone();
    assert_eq!(comments[0]["author"], json!({ "type": "guest", "id": id, "name": "<Ada>" }));
    assert_eq!((&comments[0]["at"], &comments[0]["text"]), (&json!(5.0), &json!(hostile.replace("\r\n", "\n"))));
    let page = visitor.page().await?.1;
    assert!(page.contains("<bdi>&lt;Ada&gt;</bdi>") && page.contains("&lt;script&gt;alert(1)"), "{page}");
    assert_eq!(page.matches("<script>").count(), 1, "the page's own");

    // What can't be taken comes back with what was written, and why.
    for (fields, words) in [
        ([("name", "Ada"), ("text", "kept & shown"), ("at", "2:00")], "lasts 60 seconds"),
        ([("name", "Ada"), ("text", "kept & shown"), ("at", "soon")], "minutes and seconds"),
        ([("name", ""), ("text", "kept & shown"), ("at", "")], "Write your name"),
    ] {
        let again = visitor.send("/comments", &fields).await?;
        let (status, page) = (again.status(), again.text().await?);
        assert_eq!(status, StatusCode::BAD_REQUEST);
        assert!(page.contains(words) && page.contains("kept &amp; shown</textarea>"), "{words}: {page}");
    }
    let back = visitor.get("/comments").await?;
    let place = back.headers().get(header::LOCATION).and_then(|to| to.to_str().ok()).unwrap_or_default();
    assert_eq!((back.status(), place.ends_with("#comment")), (StatusCode::SEE_OTHER, true), "{place}");
    let request = visitor.form("/comments", &[("name", "a"), ("text", "b")]);
    let elsewhere = request.header(header::ORIGIN, "https://elsewhere.example").send().await?;
    assert_eq!(elsewhere.status(), StatusCode::FORBIDDEN, "a form of another page");
    let (_, silent) = link(&tenant, item, json!({})).await?;
    assert_eq!(silent.send("/comments", &[("name", "a"), ("text", "b")]).await?.status(), StatusCode::FORBIDDEN);

    let mut answers = Vec::new();
    for _ in 0..11 {
        answers.push(visitor.send("/comments", &[("name", "a"), ("text", "b")]).await?.status().as_u16());
    }
    assert_eq!(answers, [[303; 9].as_slice(), &[429, 429]].concat(), "ten in a minute");
    assert_eq!(world.count("SELECT count(*) FROM comments").await?, 10);
    world.end().await
}

#[tokio::test]
async fn what_was_said_is_read_on_the_page_and_goes_with_the_player() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::video(60)).await?;
    let data = json!({
        "language": "en", "text": "Good <morning>. Indeed.", "words": [],
        "segments": [
            { "start": 0.5, "end": 2.0, "text": "Good <morning>." },
            { "start": 65.0, "end": 66.0, "text": "Indeed." },
        ],
    });
    let reads = [
        ("transcript", json!({ "schema": 1, "kind": "transcript", "data": data })),
        ("speakers", json!({})),
        ("speech", json!({ "duration_seconds": 60, "data": { "segments": [{ "start": 0.5, "end": 2.0 }] } })),
    ];
    for (read, result) in reads {
        let stored = "INSERT INTO item_reads (item_id, read, job_id, engine, engine_version, result)
             VALUES ($1, $2, $3, 'test', '1', $4)";
        sqlx::query(stored).bind(item).bind(read).bind(JobId::mint()).bind(result).execute(world.pool()).await?;
    }
    sqlx::query("INSERT INTO turns (item_id, number, start_ms, end_ms, speaker) VALUES ($1, 1, 0, 9000, 'A')")
        .bind(item)
        .execute(world.pool())
        .await?;
    let (_, visitor) = link(&tenant, item, json!({})).await?;
    let page = visitor.page().await?.1;
    assert!(page.contains("<b><bdi>A</bdi></b> Good &lt;morning&gt;.") && page.contains("?t=65\">1:05</a>"), "{page}");
    let from = visitor.get("?t=1:05").await?.text().await?;
    assert!(from.contains("/media#t=65\"") && from.contains("autoplay"), "without a script it begins there");
    let captions = visitor.get("/captions.vtt").await?;
    assert_eq!(captions.headers()[header::CONTENT_TYPE], "text/vtt; charset=utf-8");
    let lanes = visitor.get("/lanes.svg").await?;
    assert_eq!(lanes.headers()[header::CONTENT_TYPE], "image/svg+xml");
    let svg = lanes.text().await?;
    assert!(svg.contains("class=\"speech\"") && !svg.contains("not read yet"), "what is not read is left out");
    world.end().await
}

#[tokio::test]
async fn a_link_is_made_once_and_its_token_is_nowhere() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::video(60)).await?;
    let once = [("idempotency-key", "k")];
    let body = json!({ "ref": item, "passphrase": "open sesame" }).to_string();
    let first = tenant.client.send("POST", "/tools/create_public_link", &once, Some(body.clone())).await?;
    let again = tenant.client.send("POST", "/tools/create_public_link", &once, Some(body)).await?;
    assert_eq!((first.status, &first.text), (200, &again.text), "the same link");
    let url = first.data()?["url"].as_str().context("no url")?.to_owned();
    let token = url.rsplit('/').next().context("no token")?;
    assert_eq!(token.len(), 40);
    for table in ["public_links", "idempotency_keys", "account_audit"] {
        let rows: Vec<String> = sqlx::query_scalar(sqlx::AssertSqlSafe(format!("SELECT t::text FROM {table} t")))
            .fetch_all(world.pool())
            .await?;
        assert!(!rows.is_empty(), "{table}");
        for secret in [token, "open sesame", &hex::encode("open sesame")] {
            assert!(rows.iter().all(|row| !row.contains(secret)), "{table} holds a secret: {rows:?}");
        }
    }
    // Whoever revoked it is not handed it again.
    let id = first.data()?["link"]["id"].clone();
    tenant.client.tool("revoke_public_link", &json!({ "link_id": id })).await?.data()?;
    let body = json!({ "ref": item, "passphrase": "open sesame" }).to_string();
    let gone = tenant.client.send("POST", "/tools/create_public_link", &once, Some(body)).await?;
    assert_eq!((gone.status, gone.code()), (422, "idempotency_key_reused"), "{}", gone.text);
    for wrong in [
        json!({ "expires_in": 59 }),
        json!({ "expires_in": 7_776_001 }),
        json!({ "rights": ["own"] }),
        json!({ "passphrase": "abc" }),
        json!({ "passphrase": "a\nbcd" }),
    ] {
        let mut body = json!({ "ref": item });
        body.as_object_mut().context("no object")?.extend(wrong.as_object().cloned().unwrap_or_default());
        let refused = tenant.client.tool("create_public_link", &body).await?;
        assert_eq!((refused.status, refused.code()), (400, "invalid_request"), "{wrong}: {}", refused.text);
    }
    sqlx::query(
        "INSERT INTO public_links (id, item_id, workspace_id, token_hash, may_download, may_comment, expires_at)
         SELECT gen_random_uuid(), $1, $2, sha256(n::text::bytea), false, false, mws_now() + interval '1 day'
         FROM generate_series(2, 1001) AS n",
    )
    .bind(item)
    .bind(tenant.workspace)
    .execute(world.pool())
    .await?;
    let full = tenant.client.tool("create_public_link", &json!({ "ref": item })).await?;
    assert_eq!((full.status, full.code()), (409, "quota_reached"), "{}", full.text);
    world.end().await
}

/// As where somebody asks for one upload, and for links and feeds that work, without end.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn strangers_wait_for_no_turn_of_those_who_are_known() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::video(60)).await?;
    let page = link(&tenant, item, json!({})).await?.1;
    let made = tenant.client.tool("create_calendar_feed", &json!({})).await?;
    let feed = Visitor::of(made.data()?["url"].as_str().context("no url")?)?;
    let bytes = silence(1)?;
    let upload = tenant.client.announce(bytes.len(), &json!({})).await?;
    let id: UploadId = upload["id"].as_str().context("no id")?.parse()?;
    let turns = &world.app().turns;
    let _uploads = [turns.uploads.turn(id).await, turns.uploads.turn(id).await];
    let (mut links, mut feeds) = (Vec::new(), Vec::new());
    for one in [[1; 32], [2; 32]] {
        links.extend([turns.public_links.turn(one).await, turns.public_links.turn(one).await]);
        feeds.push(turns.calendar_feeds.turn(one).await);
    }
    let url = upload["upload"]["url"].as_str().context("no url")?.replace("token=", "token=x");
    assert_eq!(tenant.client.put(&url, "audio/wav", bytes).await?.status, 401, "a wrong token");
    assert_eq!(page.page().await?.0, StatusCode::OK, "a link that nobody has opened yet");
    assert_eq!(feed.page().await?.0, StatusCode::OK, "a feed that nobody has read yet");
    world.end().await
}
