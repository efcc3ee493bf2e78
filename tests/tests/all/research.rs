//! Research: posts of feeds and pages, fetched through the address policy, stored once, kept and forgotten.

use domain::ids::AccountId;
use futures_util::FutureExt;
use mws_tests::world::{Answer, Client, World, counted, in_line, until};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use store::posts::{NewPost, put_all};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// A site of pages, by their paths: each with its content type and its bytes.
#[derive(Clone, Default)]
struct Site(Arc<Mutex<Pages>>);

/// By its path: a page's content type and its bytes.
type Pages = BTreeMap<String, (String, Vec<u8>)>;

impl Site {
    async fn start(self) -> anyhow::Result<String> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}", listener.local_addr()?);
        tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                tokio::spawn(self.clone().answer(connection));
            }
        });
        Ok(url)
    }

    fn put(&self, path: &str, content_type: &str, body: impl Into<Vec<u8>>) {
        let page = (content_type.to_owned(), body.into());
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned(), page);
    }

    async fn answer(self, mut connection: TcpStream) -> std::io::Result<()> {
        let mut request = [0; 4_096];
        let read = connection.read(&mut request).await?;
        let line = String::from_utf8_lossy(&request[..read]).lines().next().unwrap_or_default().to_owned();
        let path = line.split(' ').nth(1).unwrap_or_default();
        let page = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned();
        let (status, (content_type, body)) = match page {
            Some((kind, body)) if kind == "location" => {
                let to = String::from_utf8_lossy(&body).into_owned();
                let head = format!("HTTP/1.1 302 Found\r\nlocation: {to}\r\ncontent-length: 0\r\n\r\n");
                return connection.write_all(head.as_bytes()).await;
            }
            Some(page) => ("200 OK", page),
            None => ("404 Not Found", ("text/plain".to_owned(), Vec::new())),
        };
        let head = format!(
            "HTTP/1.1 {status}\r\ncontent-type: {content_type}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
            body.len()
        );
        connection.write_all(head.as_bytes()).await?;
        connection.write_all(&body).await
    }
}

fn feed(posts: &[(&str, &str)]) -> String {
    let items = posts.iter().map(|(link, title)| {
        format!(
            "<item><link>{link}</link><title>{title}</title><description>&lt;b&gt;{title}&lt;/b&gt; \
             &lt;script&gt;x&lt;/script&gt;</description></item>"
        )
    });
    format!("<rss version=\"2.0\"><channel><title>River</title>{}</channel></rss>", items.collect::<String>())
}

async fn pull(client: &Client, url: &str) -> anyhow::Result<Answer> {
    client.tool("pull_posts", &json!({ "url": url })).await
}

fn posts(answer: &Value) -> Vec<Value> {
    answer["posts"].as_array().cloned().unwrap_or_default()
}

#[tokio::test]
async fn a_feed_is_pulled_once_however_often_it_is_asked_and_says_what_it_says_now() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let site = Site::default();
    site.put("/feed", "application/rss+xml", feed(&[("/one?utm_source=x", "One"), ("/two", "Two &lt;i&gt;")]));
    let base = site.clone().start().await?;
    let url = format!("{base}/feed");
    let first = posts(pull(&tenant.client, &url).await?.data()?);
    assert_eq!((first.len(), &first[0]["url"]), (2, &json!(format!("{base}/one"))));
    assert_eq!((&first[0]["title"], &first[0]["text"]), (&json!("One"), &json!("One")), "plain text");
    site.put("/feed", "application/rss+xml", feed(&[("/one", "One, corrected")]));
    let again = posts(pull(&tenant.client, &url).await?.data()?);
    assert_eq!((&again[0]["id"], &again[0]["title"]), (&first[0]["id"], &json!("One, corrected")));
    assert_ne!(again[0]["sha256"], first[0]["sha256"]);
    let listed = posts(tenant.client.tool("list_posts", &json!({})).await?.data()?);
    assert_eq!(listed.len(), 2);
    let found = posts(tenant.client.tool("list_posts", &json!({ "query": "CORRECTED" })).await?.data()?);
    assert_eq!(found.len(), 1);
    for (filter, many) in [(json!({ "source": url }), 2), (json!({ "source": "x" }), 0), (json!({ "kept": true }), 0)] {
        assert_eq!(posts(tenant.client.tool("list_posts", &filter).await?.data()?).len(), many, "{filter}");
    }
    let page = b"<html><head><title>\xd0\xe5\xea\xe0</title></head></html>";
    site.put("/page", "text/html; charset=windows-1251", page.to_vec());
    let read = posts(pull(&tenant.client, &format!("{base}/page")).await?.data()?);
    assert_eq!(read[0]["title"], json!("Река"), "by the header alone");
    world.end().await
}

#[tokio::test]
async fn the_posts_of_a_pull_are_stored_by_one_statement_and_each_of_them_once() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let site = Site::default();
    site.put("/feed", "application/rss+xml", feed(&[("/one", "One"), ("/two", "Two"), ("/one", "One again")]));
    let base = site.start().await?;
    let pulled = posts(pull(&tenant.client, &format!("{base}/feed")).await?.data()?);
    let told: Vec<Value> = pulled.iter().map(|post| json!([post["url"], post["title"]])).collect();
    let wanted = [json!([format!("{base}/two"), "Two"]), json!([format!("{base}/one"), "One again"])];
    assert_eq!(told, wanted, "what a feed says twice is one post, and says what it says last");

    let (urls, media): (Vec<String>, Value) = ((0..50).map(|at| format!("{base}/{at}")).collect(), json!([]));
    let new = |url| NewPost {
        url,
        author: None,
        title: Some("A title"),
        text: "",
        published_at: None,
        media: &media,
        sha256: &[0; 32],
    };
    let many: Vec<NewPost<'_>> = urls.iter().map(|url| new(url.as_str())).collect();
    let mut conn = world.pool().acquire().await?;
    let (put, statements) = counted(put_all(&mut conn, tenant.workspace, &base, &many)).await;
    assert!(put?.iter().map(|row| &row.url).eq(&urls), "in their order");
    assert_eq!(statements.len(), 1, "{statements:#?}");
    let client = &tenant.client;
    let kept = posts(client.tool("list_posts", &json!({ "source": base, "limit": 1 })).await?.data()?).remove(0);
    client.tool("keep_post", &json!({ "post_id": kept["id"] })).await?.data()?;
    let elsewhere = put_all(&mut conn, tenant.workspace, "https://example.com/feed", &many).await?;
    assert!(elsewhere.iter().map(|row| &row.url).eq(&urls), "kept ones too");
    let of_before: Vec<&str> = elsewhere.iter().filter(|row| row.source == base).map(|row| row.url.as_str()).collect();
    assert_eq!(of_before, [kept["url"].as_str().unwrap_or_default()], "a kept post stays with its source");
    drop(conn);
    world.end().await
}

#[tokio::test]
async fn a_page_is_one_post_with_what_its_oembed_adds_and_what_it_shows_is_imported_once() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let site = Site::default();
    let base = site.clone().start().await?;
    let page = format!(
        "<html><head><title>A talk</title><meta property=\"og:video\" content=\"{base}/talk.mp4\">\
         <link rel=\"alternate\" type=\"application/json+oembed\" href=\"/oembed\"></head></html>"
    );
    site.put("/talk", "text/html", page);
    site.put("/moved", "location", "/talk");
    site.put("/oembed", "application/json", r#"{"author_name":"Ada","html":"<script>"}"#);
    let post = posts(pull(&tenant.client, &format!("{base}/moved")).await?.data()?).remove(0);
    assert_eq!((&post["author"], &post["title"]), (&json!("Ada"), &json!("A talk")));
    let keep = json!({ "post_id": post["id"], "tags": ["river"], "import_media": true });
    tenant.client.tool("update_settings", &json!({ "reads_on_import": ["levels"] })).await?.data()?;
    let asked = json!({ "tool": "keep_post", "arguments": keep });
    let cost = tenant.client.tool("estimate_cost", &asked).await?.data()?["minutes_per_imported_minute"].clone();
    assert_eq!(cost, 0.1, "what the settings name is started with it");
    let kept = tenant.client.tool("keep_post", &keep).await?.data()?["post"].clone();
    assert_eq!(kept["tags"], json!(["river"]));
    assert!(kept["kept_at"].is_string() && kept["item_id"].is_string(), "{kept}");
    assert_eq!(world.count("SELECT count(*) FROM reads_on_ready WHERE reads = '{levels}'").await?, 1);
    let again = tenant.client.tool("keep_post", &keep).await?.data()?["post"].clone();
    assert_eq!(again["item_id"], kept["item_id"], "not imported again");
    let cost = tenant.client.tool("estimate_cost", &asked).await?.data()?["minutes_per_imported_minute"].clone();
    assert_eq!(cost, Value::Null, "nothing is imported, so nothing is read");
    let items = tenant.client.tool("list_items", &json!({})).await?.data()?.clone();
    assert_eq!(items["items"].as_array().map(Vec::len), Some(1));

    site.put("/bare", "text/html", "<title>Bare</title>");
    let bare = posts(pull(&tenant.client, &format!("{base}/bare")).await?.data()?).remove(0);
    let nothing = json!({ "post_id": bare["id"], "import_media": true });
    let refused = tenant.client.tool("keep_post", &nothing).await?;
    assert_eq!(refused.code(), "invalid_request");
    assert!(refused.text.contains("shows no media"), "{}", refused.text);

    world.advance(Duration::from_hours(31 * 24)).await?;
    scheduler::prune::run_once(&world.process).await?;
    let left = posts(tenant.client.tool("list_posts", &json!({})).await?.data()?);
    assert_eq!((left.len(), &left[0]["id"]), (1, &post["id"]), "what is kept stays");
    tenant.client.tool("delete_post", &json!({ "post_id": post["id"] })).await?.data()?;
    assert_eq!(tenant.client.tool("delete_post", &json!({ "post_id": post["id"] })).await?.code(), "post_not_found");
    world.end().await
}

#[tokio::test]
async fn what_can_not_be_pulled_says_why_and_stores_nothing() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let site = Site::default();
    site.put("/text", "text/plain", "hello");
    site.put("/broken", "text/xml", "<rss><channel><item>");
    site.put("/large", "text/html", vec![b'x'; 3 << 20]);
    site.put("/inward", "location", "http://10.0.0.1/");
    let base = site.start().await?;
    for (url, code, said) in [
        ("http://127.0.0.1:1/feed".to_owned(), "pull_failed", "the server takes no connection; try again later"),
        (format!("{base}/text"), "pull_failed", "neither a feed"),
        (format!("{base}/broken"), "pull_failed", "can't be read"),
        (format!("{base}/large"), "pull_failed", "larger than"),
        (format!("{base}/nothing"), "pull_failed", "Nothing was pulled: the server answered with status 404; there is"),
        (format!("{base}/inward"), "url_not_allowed", "redirects to a URL that is refused"),
        ("http://10.0.0.1/feed".to_owned(), "url_not_allowed", ""),
        ("file:///etc/passwd".to_owned(), "url_not_allowed", ""),
    ] {
        let refused = pull(&tenant.client, &url).await?;
        assert_eq!((refused.status, refused.code()), (422, code), "{url}: {}", refused.text);
        assert!(refused.text.contains(said), "{url}: {}", refused.text);
    }
    for wrong in [json!({ "url": base, "limit": 0 }), json!({ "url": base, "limit": 51 }), json!({ "query": "x" })] {
        assert_eq!(tenant.client.tool("pull_posts", &wrong).await?.code(), "invalid_request", "{wrong}");
    }
    let long = json!({ "query": "x".repeat(201) });
    assert_eq!(tenant.client.tool("list_posts", &long).await?.code(), "invalid_request");
    assert!(posts(tenant.client.tool("list_posts", &json!({})).await?.data()?).is_empty());
    world.end().await
}

#[tokio::test]
async fn an_account_keeps_so_many_posts_and_the_oldest_that_nobody_keeps_make_room() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let seeded = "INSERT INTO posts (id, workspace_id, source, url, text, media, sha256, pulled_at)
         SELECT gen_random_uuid(), $1, 'x', 'https://a.example/' || n, '', '[]', sha256(''), mws_now() - interval '1 hour'
         FROM generate_series($2::integer, $3) AS n";
    sqlx::query(seeded).bind(tenant.workspace).bind(1).bind(5_000).execute(world.pool()).await?;
    let site = Site::default();
    site.put("/feed", "text/xml", feed(&[("https://a.example/new", "New")]));
    let url = format!("{}/feed", site.start().await?);
    pull(&tenant.client, &url).await?.data()?;
    let count: i64 = sqlx::query_scalar("SELECT count(*) FROM posts").fetch_one(world.pool()).await?;
    assert_eq!(count, 5_000);
    sqlx::query("UPDATE posts SET kept_at = mws_now()").execute(world.pool()).await?;
    sqlx::query("DELETE FROM posts WHERE url = 'https://a.example/new'").execute(world.pool()).await?;
    sqlx::query(seeded).bind(tenant.workspace).bind(5_001).bind(5_001).execute(world.pool()).await?;
    sqlx::query("UPDATE posts SET kept_at = mws_now()").execute(world.pool()).await?;
    let full = pull(&tenant.client, &url).await?;
    assert_eq!((full.status, full.code()), (409, "quota_reached"), "{}", full.text);
    world.end().await
}

#[tokio::test]
async fn what_is_kept_says_what_its_own_source_says_and_is_imported_once_however_many_ask() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let (site, strange) = (Site::default(), Site::default());
    let (base, elsewhere) = (site.clone().start().await?, strange.clone().start().await?);
    let page = |title: &str| format!("<title>{title}</title><meta property=\"og:video\" content=\"{base}/talk.mp4\">");
    site.put("/talk", "text/html", page("A talk"));
    let post = posts(pull(&tenant.client, &format!("{base}/talk")).await?.data()?).remove(0);
    let talk = format!("{base}/talk");
    strange.put("/feed", "application/rss+xml", feed(&[(&talk, "Before it is kept")]));
    let told = posts(pull(&tenant.client, &format!("{elsewhere}/feed")).await?.data()?).remove(0);
    assert_eq!((&told["id"], &told["title"]), (&post["id"], &json!("Before it is kept")));
    pull(&tenant.client, &talk).await?.data()?;

    let keep = json!({ "post_id": post["id"], "tags": ["trusted"], "import_media": true });
    world.wait_for_locks().await?;
    let keeping = (0..8).map(|_| tenant.client.tool("keep_post", &keep));
    for kept in futures_util::future::try_join_all(keeping).await? {
        kept.data()?;
    }
    let items = tenant.client.tool("list_items", &json!({})).await?.data()?.clone();
    assert_eq!(items["items"].as_array().map(Vec::len), Some(1), "{items}");

    strange.put("/feed", "application/rss+xml", feed(&[(&talk, "Poisoned")]));
    let told = posts(pull(&tenant.client, &format!("{elsewhere}/feed")).await?.data()?).remove(0);
    assert_eq!((&told["id"], &told["title"], &told["tags"]), (&post["id"], &json!("A talk"), &json!(["trusted"])));
    site.put("/talk", "text/html", page("A talk, corrected"));
    let told = posts(pull(&tenant.client, &talk).await?.data()?).remove(0);
    assert_eq!(told["title"], json!("A talk, corrected"));
    world.end().await
}

#[tokio::test]
async fn a_pull_has_its_place_until_it_has_ended_also_when_its_client_hangs_up() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let slow = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}/feed", slow.local_addr()?);
    let mut asked = Vec::new();
    for _ in 0..2 {
        let (client, url) = (tenant.client.clone(), url.clone());
        let call = tokio::spawn(async move { pull(&client, &url).await });
        // The site, which answers nobody, is asked by who has a place.
        asked.push(slow.accept().await?);
        call.abort();
    }
    let third = pull(&tenant.client, &url).await?;
    assert_eq!((third.status, third.code()), (429, "rate_limited"), "{}", third.text);
    drop((slow, asked));
    world.end().await
}

#[tokio::test]
async fn what_is_pulled_is_parsed_in_its_accounts_turn() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let site = Site::default();
    site.put("/feed", "application/rss+xml", feed(&[("/one", "One")]));
    let url = format!("{}/feed", site.start().await?);
    let turns = &world.app().turns.short_pulls;
    let turn = turns.turn(tenant.account).await;
    let client = tenant.client.clone();
    let call = tokio::spawn(async move { pull(&client, &url).await });
    in_line(turns, &call, "it waits for its turn").await?;
    drop(turn);
    assert_eq!(posts(call.await??.data()?).len(), 1);
    world.end().await
}

/// What was found is stored in one of the account's turns of the database. All accounts have 32 turns to pull.
#[tokio::test]
async fn a_pull_that_waits_for_its_account_s_other_calls_keeps_no_pull_of_another_waiting() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (busy, other) = (world.tenant("busy").await?, world.tenant("other").await?);
    let site = Site::default();
    site.put("/feed", "application/rss+xml", feed(&[("/one", "One")]));
    let url = format!("{}/feed", site.start().await?);
    let app = world.app();
    let permit = app.pulls.take(AccountId::mint()).await?;
    let turn = || app.pull_turns.turn_among(AccountId::mint(), Some(permit.few()));
    let (mut held, mut own) = (Vec::new(), Vec::new());
    for _ in 0..31 {
        held.push(turn().await?);
    }
    for _ in 0..4 {
        own.push(world.process.own_turns.turn(busy.account).await?);
    }
    let parses = app.turns.short_pulls.turn(busy.account).await;
    let (client, from) = (busy.client.clone(), url.clone());
    let waiting = tokio::spawn(async move { pull(&client, &from).await });
    until("it has the last turn", async || Ok(turn().now_or_never().is_none().then_some(()))).await?;
    drop(parses);
    assert_eq!(posts(pull(&other.client, &url).await?.data()?).len(), 1);
    assert!(!waiting.is_finished(), "it waits for the account's other calls");
    drop((own, held));
    assert_eq!(posts(waiting.await??.data()?).len(), 1);
    world.end().await
}
