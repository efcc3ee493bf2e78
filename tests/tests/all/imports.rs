//! Imports beside everything else: slow servers hold up nobody's uploads, and what is fetched at once stays within the
//! account's storage.

use mws_tests::plans;
use mws_tests::world::{Tenant, World, runners, until};
use runtime::queue::Queue;
use serde_json::json;
use std::time::{Duration, Instant};
use store::uploads::{self, Stage};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::interval;

/// What a server does once it has read a request.
#[derive(Clone)]
enum Server {
    /// Sends a byte a second of a file that it announces.
    Drips,
    /// Sends this, without a word of its length.
    Sends(Vec<u8>),
}

impl Server {
    async fn start(self) -> anyhow::Result<String> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}/a.wav", listener.local_addr()?);
        tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                // A client that has gone ends it.
                tokio::spawn(self.clone().answer(connection));
            }
        });
        Ok(url)
    }

    async fn answer(self, mut connection: TcpStream) -> std::io::Result<()> {
        let mut request = [0; 4_096];
        if connection.read(&mut request).await? == 0 {
            return Ok(());
        }
        match self {
            Self::Drips => {
                connection.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 9999999\r\n\r\n").await?;
                let mut seconds = interval(Duration::from_secs(1));
                loop {
                    seconds.tick().await;
                    connection.write_all(b"x").await?;
                }
            }
            Self::Sends(bytes) => {
                connection.write_all(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n").await?;
                let mut moments = interval(Duration::from_millis(20));
                for part in bytes.chunks(100_000) {
                    moments.tick().await;
                    connection.write_all(part).await?;
                }
                connection.shutdown().await
            }
        }
    }
}

/// A WAV file of silence with so many bytes of samples.
fn silence(bytes: u32) -> Vec<u8> {
    let (format, rate) = ([1_u8, 0, 1, 0], 8_000_u32);
    let mut file = b"RIFF".to_vec();
    file.extend((bytes + 36).to_le_bytes());
    file.extend(b"WAVEfmt ");
    file.extend(16_u32.to_le_bytes());
    file.extend(format);
    file.extend(rate.to_le_bytes());
    file.extend((rate * 2).to_le_bytes());
    file.extend([2, 0, 16, 0]);
    file.extend(b"data");
    file.extend(bytes.to_le_bytes());
    file.resize(44 + usize::try_from(bytes).unwrap_or_default(), 0);
    file
}

async fn import(tenant: &Tenant, url: &str) -> anyhow::Result<()> {
    let answer = tenant.client.tool("import_media", &json!({ "url": url })).await?;
    assert_eq!(answer.status, 200, "{}", answer.text);
    Ok(())
}

/// Sends a file. Returns its item.
async fn upload(tenant: &Tenant) -> anyhow::Result<String> {
    let bytes = silence(16_000);
    let announced = tenant.client.announce(bytes.len(), &json!({})).await?;
    tenant.client.send_announced(&announced, &bytes).await
}

#[tokio::test]
async fn dripping_imports_hold_up_nobodys_upload_and_no_import() -> anyhow::Result<()> {
    let world = World::new().await?;
    let url = Server::Drips.start().await?;
    let victim = world.tenant("victim").await?;
    for name in ["a", "b", "c", "d"] {
        let tenant = world.tenant(name).await?;
        for _ in 0..8 {
            import(&tenant, &url).await?;
        }
    }
    world.work(runners::instant()).await?;
    let scheduler = world.scheduler().await?;
    let held = "SELECT count(*) FROM uploads WHERE lease_until > mws_now()";
    until("they have all slots", async || Ok((world.count(held).await? == 16).then_some(()))).await?;

    // Neither waits for one of these: none of them has ended or was handed back, or there was no time for that.
    let given_up = "SELECT count(*) FROM uploads u JOIN accounts a ON a.id = u.account_id
        WHERE a.name <> 'victim' AND (u.finished_at IS NOT NULL OR u.claim_no > 1)";
    let began = Instant::now();
    import(&victim, &Server::Sends(silence(16_000)).start().await?).await?;
    let fetched = "SELECT count(*) FROM items WHERE status = 'ready'";
    until("an import is ready beside them", async || Ok((world.count(fetched).await? == 1).then_some(()))).await?;
    let took = began.elapsed();
    println!("fetched in {took:?} beside 32 dripping imports");
    assert!(took < Duration::from_secs(7) || world.count(given_up).await? == 0, "{took:?}");

    let began = Instant::now();
    let item = upload(&victim).await?;
    let ready = until("the upload is ready", async || {
        let shown = victim.client.send("GET", &format!("/library/items/{item}"), &[], None).await?;
        Ok((shown.json["status"] == "ready").then_some(()))
    });
    ready.await?;
    let took = began.elapsed();
    println!("ready in {took:?} beside 32 dripping imports");
    assert!(took < Duration::from_secs(15) || world.count(given_up).await? == 0, "{took:?}");
    let most = "SELECT coalesce(max(held), 0) FROM (SELECT count(*) AS held FROM uploads WHERE lease_until > mws_now()
        GROUP BY account_id) AS accounts";
    until("each has a quarter of a process's slots", async || {
        let most = world.count(most).await?;
        anyhow::ensure!(most <= 4, "{most} slots of one account");
        Ok((most == 4).then_some(()))
    })
    .await?;
    scheduler.stop().await?;
    world.end().await
}

/// By how many minutes the tickets of an account in this queue are dated back, the first that is taken first.
async fn dated_back(world: &World, tenant: &Tenant, queue: Queue) -> anyhow::Result<Vec<i64>> {
    let minutes = "SELECT floor(extract(epoch FROM now() - t.run_at) / 60)::bigint FROM uploads u
        JOIN apalis.jobs t ON t.id = u.ticket_id WHERE u.account_id = $1 AND t.job_type = $2 ORDER BY t.run_at";
    Ok(sqlx::query_scalar(minutes).bind(tenant.account).bind(queue.name()).fetch_all(world.pool()).await?)
}

#[tokio::test]
async fn an_accounts_first_comes_before_what_another_has_in_line() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (many, one) = (world.tenant("many").await?, world.tenant("one").await?);
    for (tenant, uploads) in [(&many, 4), (&one, 1)] {
        for _ in 0..uploads {
            import(tenant, "http://127.0.0.1:9/a.wav").await?;
            upload(tenant).await?;
        }
    }
    let lines = async || {
        for queue in [Queue::Fetch, Queue::Ingest] {
            assert_eq!(dated_back(&world, &many, queue).await?, [20, 19, 18, 17], "{queue:?}");
            assert_eq!(dated_back(&world, &one, queue).await?, [20], "{queue:?}");
        }
        anyhow::Ok(())
    };
    lines().await?;
    // As if all of them had been put off.
    sqlx::raw_sql("DELETE FROM apalis.jobs; UPDATE uploads SET ticket_id = NULL").execute(world.pool()).await?;
    assert_eq!(scheduler::reissue_uploads::run_once(&world.process).await?, 10);
    lines().await?;
    world.end().await
}

#[tokio::test]
async fn what_waits_for_a_ticket_is_not_read_to_count_what_has_one() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    upload(&tenant).await?;
    import(&tenant, "http://127.0.0.1:9/a.wav").await?;
    // As many as it would take minutes to send.
    let more = "INSERT INTO uploads (id, item_id, workspace_id, account_id, filename, object_key, status, expires_at)
        SELECT gen_random_uuid(), item_id, workspace_id, account_id, filename, 'none', status, expires_at
        FROM uploads, generate_series(1, 10000);
        ANALYZE uploads";
    sqlx::raw_sql(more).execute(world.pool()).await?;
    let mut count = world.pool().begin().await?;
    let before = plans::rows_read(&mut count, "uploads").await?;
    assert_eq!(uploads::in_line(&mut count, tenant.account, Stage::Probe).await?, 1);
    assert_eq!(uploads::in_line(&mut count, tenant.account, Stage::Fetch).await?, 1);
    let read = plans::rows_read(&mut count, "uploads").await? - before;
    assert!(read < 10, "{read} rows");
    count.rollback().await?;
    sqlx::raw_sql("DELETE FROM uploads WHERE object_key = 'none'").execute(world.pool()).await?;
    world.end().await
}

#[tokio::test]
async fn accounts_with_many_uploads_in_line_leave_the_next_slot_to_the_first_of_another() -> anyhow::Result<()> {
    const EACH: usize = 12;
    let world = World::new().await?;
    let victim = world.tenant("victim").await?;
    for (tenant, uploads) in [(world.tenant("a").await?, EACH), (world.tenant("b").await?, EACH), (victim.clone(), 1)] {
        for _ in 0..uploads {
            upload(&tenant).await?;
        }
    }
    // As few slots as a process has: each account may have half of them.
    let worker = world.worker_with(runners::instant(), |settings| settings.worker_reads = Some(1)).await?;
    let scheduler = world.scheduler().await?;
    let live = "SELECT count(*) FROM uploads WHERE finished_at IS NULL";
    until("all are ready", async || Ok((world.count(live).await? == 0).then_some(()))).await?;
    let before =
        "SELECT count(*) FROM uploads WHERE finished_at < (SELECT finished_at FROM uploads WHERE account_id = $1)";
    let before: i64 = sqlx::query_scalar(before).bind(victim.account).fetch_one(world.pool()).await?;
    assert!(before < 12, "{before} of 24 were before the only one of another account");
    worker.stop().await?;
    scheduler.stop().await?;
    world.end().await
}

#[tokio::test]
async fn what_waits_for_its_own_accounts_uploads_is_called_as_they_end() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    for _ in 0..6 {
        upload(&tenant).await?;
    }
    // Two at a time, and nothing else gives the others their tickets: there is no scheduler.
    let worker = world.worker_with(runners::instant(), |settings| settings.worker_reads = Some(1)).await?;
    let ready = "SELECT count(*) FROM items WHERE status = 'ready'";
    until("all are ready", async || Ok((world.count(ready).await? == 6).then_some(()))).await?;
    worker.stop().await?;
    world.end().await
}

#[tokio::test]
async fn imports_at_once_keep_no_more_than_the_storage_there_is() -> anyhow::Result<()> {
    let world = World::with(|settings| settings.storage_quota_bytes = 2_000_000).await?;
    let tenant = world.tenant("a").await?;
    let url = Server::Sends(silence(700_000)).start().await?;
    for _ in 0..8 {
        import(&tenant, &url).await?;
    }
    world.work(runners::instant()).await?;
    let scheduler = world.scheduler().await?;
    let live = "SELECT count(*) FROM uploads WHERE finished_at IS NULL";
    let kept = "SELECT coalesce(sum(bytes), 0)::bigint FROM items WHERE deleted_at IS NULL";
    until("every import has ended", async || {
        assert!(world.count(kept).await? <= 2_000_000, "reserved");
        Ok((world.count(live).await? == 0).then_some(()))
    })
    .await?;
    let ready = world.count("SELECT count(*) FROM items WHERE status = 'ready'").await?;
    println!("{ready} of 8 are ready");
    assert!((1..=2).contains(&ready), "{ready}");
    assert_eq!(world.count(kept).await?, ready * 700_044);
    let refused =
        "SELECT count(*) FROM items WHERE error_code = 'file_too_large' AND error_message LIKE '%delete items%'";
    assert_eq!(world.count(refused).await?, 8 - ready);
    scheduler.stop().await?;
    world.end().await
}

#[tokio::test]
async fn an_account_has_a_thousand_imports_under_way_and_no_more() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (one, other) = (world.tenant("one").await?, world.tenant("other").await?);
    let url = Server::Drips.start().await?;
    import(&one, &url).await?;
    // As many as it would take minutes to ask for.
    let more = "INSERT INTO uploads (id, item_id, workspace_id, account_id, filename, source_url, status, expires_at, due_at)
        SELECT gen_random_uuid(), item_id, workspace_id, account_id, filename, source_url, status, expires_at, 'infinity'
        FROM uploads, generate_series(1, 999)";
    sqlx::raw_sql(more).execute(world.pool()).await?;
    let refused = one.client.tool("import_media", &json!({ "url": url })).await?;
    assert_eq!((refused.status, refused.code()), (429, "rate_limited"), "{}", refused.text);
    assert!(!refused.header("retry-after").is_empty());
    import(&other, &url).await?;
    sqlx::raw_sql("DELETE FROM uploads WHERE due_at = 'infinity'").execute(world.pool()).await?;
    import(&one, &url).await?;
    world.end().await
}

#[tokio::test]
async fn reads_that_are_asked_for_with_an_import_start_once_it_is_fetched() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let (url, none) =
        (Server::Sends(silence(16_000)).start().await?, Server::Sends(b"no sound!".to_vec()).start().await?);
    let (reads, name) = (json!(["levels", "search_index"]), "a.wav");
    let cost = async |arguments: serde_json::Value| {
        let asked = json!({ "tool": "import_media", "arguments": arguments });
        let answer = tenant.client.tool("estimate_cost", &asked).await?;
        anyhow::Ok((answer.json["data"]["minutes_per_imported_minute"].clone(), answer.code().to_owned()))
    };
    let told = (json!(1.1), String::new());
    assert_eq!(cost(json!({ "url": url, "reads": reads })).await?, told, "0.1 for the levels, 1 for the index");
    assert_eq!(cost(json!({ "url": url })).await?.0, 0, "the settings name none");
    assert_eq!(cost(json!({ "url": url, "reads": ["smell"] })).await?.1, "invalid_request");
    assert_eq!(world.count("SELECT count(*) FROM items").await?, 0);
    let imported = tenant.client.tool("import_media", &json!({ "url": url, "name": name, "reads": reads })).await?;
    let item = &imported.data()?["item"]["id"];
    let more = tenant.client.post("/uploads", &json!({ "url": url, "filename": name, "reads": reads })).await?;
    assert_eq!(more.status, 201, "{}", more.text);
    let unreadable = tenant.client.tool("import_media", &json!({ "url": none, "reads": reads })).await?;
    assert_eq!(world.count("SELECT count(*) FROM reads_on_ready WHERE due_at IS NULL").await?, 3);
    world.work(runners::instant()).await?;
    let scheduler = world.scheduler().await?;
    for item in [item, &more.json["item_id"]] {
        let path = format!("/library/items/{}", item.as_str().unwrap_or_default());
        let found = until("its reads are answered", async || {
            let found = tenant.client.send("GET", &path, &[], None).await?.json;
            Ok(found["reads_on_ready"]["answers"].is_array().then_some(found))
        })
        .await?;
        let answers = &found["reads_on_ready"]["answers"];
        assert_eq!((&answers[0]["status"], &answers[1]["reason"]["code"]), (&json!("queued"), &json!("not_video")));
        let job = answers[0]["job_id"].as_str().unwrap_or_default().to_owned();
        assert_eq!(tenant.client.ended(&[job]).await?[0]["status"], "succeeded");
    }
    let failed = tenant.client.looked_at(unreadable.data()?["item"]["id"].as_str().unwrap_or_default()).await?;
    assert_eq!((&failed["status"], &failed["reads_on_ready"]["answers"]), (&json!("failed"), &serde_json::Value::Null));
    assert_eq!(world.count("SELECT count(*) FROM jobs").await?, 2);
    scheduler.stop().await?;
    world.end().await
}
