//! One account or one address that takes as much as it can: the others are answered beside it, and it is told when to
//! come again (ARCHITECTURE.md, "What the service promises", 5).

use api::app::late_answers::Answered;
use api::http::scope::{Scope, ScopeState};
use domain::credential::ApiKey;
use futures_util::FutureExt;
use futures_util::future::{Either, select, select_all};
use mws_tests::world::{Answer, Media, Tenant, World, let_in, mcp_call, runners, until};
use serde_json::json;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Far more than sockets take on their own.
const LARGE: usize = 24 << 20;

fn address(world: &World) -> String {
    world.base_url().trim_start_matches("http://").to_owned()
}

fn assert_waits(answer: &Answer, status: u16, code: &str) {
    assert_eq!((answer.status, answer.code()), (status, code), "{}", answer.text);
    assert!(answer.header("retry-after").parse::<u64>().is_ok_and(|seconds| seconds >= 1), "{:?}", answer.headers);
}

#[tokio::test]
async fn an_account_has_so_many_requests_under_way_and_another_is_answered_beside_them() -> anyhow::Result<()> {
    let world = World::with_api(|_, api| api.max_account_requests = 3).await?;
    let (one, other) = (world.tenant("one").await?, world.tenant("other").await?);
    let item = world.item(&one, Media::audio(60)).await?;
    let jobs = one.client.prepare(&[item], &["levels"]).await?.job_ids()?;
    let wait = json!({ "job_ids": jobs, "wait_seconds": 30 });
    let waiting: Vec<_> = (0..3)
        .map(|_| {
            let (client, wait) = (one.client.clone(), wait.clone());
            // Until it is let in: those that look whether a further one is may be there before it.
            tokio::spawn(async move {
                let late = Instant::now() + Duration::from_mins(2);
                while Instant::now() < late {
                    let answer = client.tool("get_jobs", &wait).await?;
                    if answer.status != 429 {
                        return anyhow::Ok(answer);
                    }
                }
                anyhow::bail!("it was never let in")
            })
        })
        .collect();
    let refused = until("a fourth is refused", async || {
        let answer = one.client.send("GET", "/keys", &[], None).await?;
        Ok((answer.status != 200).then_some(answer))
    })
    .await?;
    assert_waits(&refused, 429, "rate_limited");
    assert_eq!(other.client.send("GET", "/keys", &[], None).await?.status, 200);
    world.work(runners::instant()).await?;
    for answered in waiting {
        assert_eq!(answered.await??.status, 200);
    }
    assert_eq!(one.client.send("GET", "/keys", &[], None).await?.status, 200);
    world.end().await
}

/// An upload of so many bytes: its id, and the path that they are put to.
async fn upload(tenant: &Tenant, bytes: usize) -> anyhow::Result<(String, String)> {
    let body = json!({ "filename": "a.wav", "content_type": "audio/wav", "bytes": bytes }).to_string();
    let made = tenant.client.send("POST", "/uploads", &[], Some(body)).await?;
    let url = made.json["upload"]["url"].as_str().unwrap_or_default();
    let path = url.split_once("/api/v1").map(|(_, path)| path.to_owned()).unwrap_or_default();
    Ok((made.json["id"].as_str().unwrap_or_default().to_owned(), path))
}

#[tokio::test]
async fn slow_uploads_of_an_account_keep_neither_calls_nor_uploads_of_others_out() -> anyhow::Result<()> {
    let world = World::with_api(|_, api| {
        (api.max_connections, api.max_account_uploads) = (64, 2);
    })
    .await?;
    let (slow, other) = (world.tenant("slow").await?, world.tenant("other").await?);
    let wav = [("content-type", "audio/wav")];
    let mut sending = Vec::new();
    for _ in 0..2 {
        let (id, path) = upload(&slow, 4).await?;
        let mut socket = TcpStream::connect(address(&world)).await?;
        let head =
            format!("PUT /api/v1{path} HTTP/1.1\r\nhost: a\r\ncontent-type: audio/wav\r\ncontent-length: 4\r\n\r\nRI");
        socket.write_all(head.as_bytes()).await?;
        until("it is let in", async || {
            let begun = "SELECT count(*) FROM uploads WHERE receiving_by IS NOT NULL";
            Ok((world.count(begun).await? == i64::try_from(sending.len())? + 1).then_some(()))
        })
        .await?;
        sending.push((id, socket));
    }
    let (_, third) = upload(&slow, 4).await?;
    let refused = slow.client.send("PUT", &third, &wav, Some("RIFF".to_owned())).await?;
    assert_waits(&refused, 429, "rate_limited");
    let (_, path) = upload(&other, 4).await?;
    assert_eq!(other.client.send("PUT", &path, &wav, Some("RIFF".to_owned())).await?.status, 200);
    for (_, socket) in &mut sending {
        socket.write_all(b"FF").await?;
        let mut answer = [0; 12];
        socket.read_exact(&mut answer).await?;
        assert_eq!(&answer, b"HTTP/1.1 200");
    }
    let again = let_in(async || slow.client.send("PUT", &third, &wav, Some("RIFF".to_owned())).await);
    assert_eq!(again.await?.status, 200);
    world.end().await
}

#[tokio::test]
async fn long_uploads_of_an_account_leave_half_of_the_memory_for_them_to_others() -> anyhow::Result<()> {
    let world = World::with_api(|_, api| api.max_account_uploads = 64).await?;
    let (slow, other) = (world.tenant("slow").await?, world.tenant("other").await?);
    let wav = [("content-type", "audio/wav")];
    let mut sending = Vec::new();
    // Each may come to hold 8 MiB, and 256 are half of what there is.
    for _ in 0..32 {
        let (_, path) = upload(&slow, 8 << 20).await?;
        let mut socket = TcpStream::connect(address(&world)).await?;
        let head = format!(
            "PATCH /api/v1{path} HTTP/1.1\r\nhost: a\r\ntus-resumable: 1.0.0\r\nupload-offset: 0\r\n\
             content-type: application/offset+octet-stream\r\ncontent-length: 8388608\r\n\r\n"
        );
        socket.write_all(head.as_bytes()).await?;
        sending.push(socket);
    }
    until("all are let in", async || {
        let begun = "SELECT count(*) FROM uploads WHERE receiving_by IS NOT NULL";
        Ok((world.count(begun).await? == 32).then_some(()))
    })
    .await?;
    let (_, path) = upload(&slow, 8 << 20).await?;
    let refused = slow.client.send("PUT", &path, &wav, Some("RIFF".to_owned())).await?;
    assert_waits(&refused, 429, "rate_limited");
    assert!(refused.text.contains("as many bytes of uploads"), "{}", refused.text);
    let (_, theirs) = upload(&other, 4).await?;
    assert_eq!(other.client.send("PUT", &theirs, &wav, Some("RIFF".to_owned())).await?.status, 200);
    drop(sending);
    let again = let_in(async || slow.client.send("PUT", &path, &wav, Some("RIFF".to_owned())).await);
    assert_eq!(again.await?.status, 200);
    world.end().await
}

#[tokio::test]
async fn who_finds_an_upload_taken_learns_for_how_long() -> anyhow::Result<()> {
    let world = World::new().await?;
    world.stop_clock().await?;
    let tenant = world.tenant("a").await?;
    let (_, path) = upload(&tenant, 4).await?;
    // As a process leaves it that is killed while it takes the bytes.
    let killed = "UPDATE uploads SET receiving_by = gen_random_uuid(), receiving_until = mws_now() + interval '17 s'";
    sqlx::query(killed).execute(world.pool()).await?;
    let put =
        async || tenant.client.send("PUT", &path, &[("content-type", "audio/wav")], Some("RIFF".to_owned())).await;
    let refused = put().await?;
    assert_waits(&refused, 409, "upload_incomplete");
    let seconds: u64 = refused.header("retry-after").parse()?;
    assert!((10..=17).contains(&seconds), "{seconds}");
    world.advance(Duration::from_secs(seconds)).await?;
    assert_eq!(put().await?.status, 200);
    world.end().await
}

/// Makes a call with wrong credentials until no more of them are looked at, and returns its answer. On a busy machine
/// so much time may have passed that some are looked at again: one in ten seconds, and six after a minute.
async fn turned_away(mut call: impl AsyncFnMut() -> anyhow::Result<Answer>) -> anyhow::Result<Answer> {
    let mut looked_at = 0;
    until("no more are looked at", async || {
        let answer = call().await?;
        looked_at += i32::from(answer.status == 401);
        anyhow::ensure!(looked_at < 20, "so many are more than six a minute");
        Ok((answer.status != 401).then_some(answer))
    })
    .await
}

#[tokio::test]
async fn an_address_that_sends_wrong_credentials_is_refused_without_a_look_and_good_ones_go_on() -> anyhow::Result<()> {
    let world = World::with_api(|_, api| api.wrong_credentials_per_minute = 6).await?;
    let tenant = world.tenant("a").await?;
    assert_eq!(tenant.client.send("GET", "/keys", &[], None).await?.status, 200);
    let wrong = |number: u8| world.client(Some(ApiKey::from_random([number; 16]).expose().to_owned()));
    for number in 0..3 {
        let answer = wrong(number).send("GET", "/keys", &[], None).await?;
        assert_eq!((answer.status, answer.code()), (401, "unauthenticated"));
    }
    // Of other kinds too: what is no credential, an operator's, an upload's.
    assert_eq!(world.client(Some("nonsense".to_owned())).send("GET", "/keys", &[], None).await?.status, 401);
    assert_eq!(tenant.client.send("GET", "/operator/accounts", &[], None).await?.status, 401);
    let (id, _) = upload(&tenant, 4).await?;
    let put = format!("/uploads/{id}/content?token=esu_wrong");
    let send_wrong = async || world.client(None).send("PUT", &put, &[("content-type", "audio/wav")], None).await;
    assert_eq!(send_wrong().await?.status, 401);
    let unknown = wrong(9);
    let no_operator = world.client(Some("no-operator-of-the-tests".to_owned()));
    for refused in [
        turned_away(async || unknown.send("GET", "/keys", &[], None).await).await?,
        turned_away(send_wrong).await?,
        turned_away(async || no_operator.send("GET", "/operator/accounts", &[], None).await).await?,
    ] {
        assert_waits(&refused, 429, "rate_limited");
    }
    assert_eq!(tenant.client.send("GET", "/keys", &[], None).await?.status, 200, "it was right before");
    // An upload's URL is never known from before: it shows by itself that it was given out, for this upload alone.
    let (_, path) = upload(&tenant, 4).await?;
    let send_to = async |path: &str| {
        let (headers, bytes) = ([("content-type", "audio/wav")], Some("RIFF".to_owned()));
        world.client(None).send("PUT", path, &headers, bytes).await
    };
    assert_eq!(send_to(&path).await?.status, 200);
    let (_, token) = path.split_once('?').unwrap_or_default();
    let elsewhere = format!("/uploads/{id}/content?{token}");
    assert_waits(&turned_away(async || send_to(&elsewhere).await).await?, 429, "rate_limited");
    world.end().await
}

#[tokio::test]
async fn a_large_read_is_streamed_and_an_account_takes_four_at_once() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (one, other) = (world.tenant("one").await?, world.tenant("other").await?);
    world
        .work(runners::runner(|reading, _| async move {
            let mut outcome = runners::outcome(&reading);
            outcome.stored.data = json!({ "points": "x".repeat(LARGE) });
            Ok(outcome)
        }))
        .await?;
    let mut paths = Vec::new();
    for tenant in [&one, &other] {
        let item = world.item(tenant, Media::audio(60)).await?;
        let jobs = tenant.client.prepare(&[item], &["levels"]).await?.job_ids()?;
        tenant.client.ended(&jobs).await?;
        paths.push(format!("/library/items/{item}/reads/levels"));
    }
    let mut slow = Vec::new();
    for _ in 0..4 {
        let mut socket = TcpStream::connect(address(&world)).await?;
        let key = one.key.expose();
        let get = format!("GET /api/v1{} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer {key}\r\n\r\n", paths[0]);
        socket.write_all(get.as_bytes()).await?;
        let mut head = [0; 12];
        socket.read_exact(&mut head).await?;
        assert_eq!(&head, b"HTTP/1.1 200");
        slow.push(socket);
    }
    assert_waits(&one.client.send("GET", &paths[0], &[], None).await?, 429, "rate_limited");
    assert_eq!(one.client.send("GET", "/keys", &[], None).await?.status, 200);
    let whole = other.client.send("GET", &paths[1], &[], None).await?;
    assert_eq!(whole.status, 200);
    assert_eq!(whole.header("content-length"), whole.text.len().to_string());
    assert_eq!(whole.json["data"]["points"].as_str().map(str::len), Some(LARGE));
    slow.pop();
    until("there is room for another", async || {
        Ok((one.client.send("GET", &paths[0], &[], None).await?.status == 200).then_some(()))
    })
    .await?;
    world.end().await
}

#[tokio::test]
async fn clients_behind_a_trusted_proxy_are_counted_by_their_own_addresses() -> anyhow::Result<()> {
    let world = World::with_api(|_, api| {
        api.max_address_connections = 2;
        api.trusted_proxies = "127.0.0.0/8".parse().into_iter().collect();
    })
    .await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::audio(60)).await?;
    let jobs = tenant.client.prepare(&[item], &["levels"]).await?.job_ids()?;
    let wait = json!({ "job_ids": jobs, "wait_seconds": 30 }).to_string();
    let waiting: Vec<_> = (0..2)
        .map(|_| {
            let (client, wait) = (tenant.client.clone(), wait.clone());
            let from = [("x-forwarded-for", "198.51.100.7")];
            tokio::spawn(async move {
                let late = Instant::now() + Duration::from_mins(2);
                while Instant::now() < late {
                    let answer = client.send("POST", "/tools/get_jobs", &from, Some(wait.clone())).await?;
                    if answer.status != 429 {
                        return anyhow::Ok(answer);
                    }
                }
                anyhow::bail!("it was never let in")
            })
        })
        .collect();
    let from = async |address: &str| tenant.client.send("GET", "/keys", &[("x-forwarded-for", address)], None).await;
    let refused = until("a third of that address is refused", async || {
        let answer = from("198.51.100.7").await?;
        Ok((answer.status != 200).then_some(answer))
    })
    .await?;
    assert_waits(&refused, 429, "rate_limited");
    assert_eq!(from("198.51.100.8").await?.status, 200);
    world.work(runners::instant()).await?;
    for answered in waiting {
        assert_eq!(answered.await??.status, 200);
    }
    world.end().await
}

#[tokio::test]
async fn a_stranger_who_sends_ahead_is_refused_at_the_pace_of_its_network() -> anyhow::Result<()> {
    let world = World::new().await?;
    let mut socket = TcpStream::connect(address(&world)).await?;
    let get = |more: &str| format!("GET /api/v1/nope HTTP/1.1\r\nhost: a\r\n{more}\r\n");
    let begun = Instant::now();
    socket.write_all((get("").repeat(349) + &get("connection: close\r\n")).as_bytes()).await?;
    let mut answers = Vec::new();
    socket.read_to_end(&mut answers).await?;
    assert_eq!(String::from_utf8_lossy(&answers).matches("HTTP/1.1 404").count(), 350);
    // 250 at once, and a hundred a second after that.
    assert!(begun.elapsed() >= Duration::from_secs(1), "they came within {:?}", begun.elapsed());
    world.end().await
}

/// Counts as many refusals of strangers from this address, or from an unknown one, as lead to the longest wait. Returns
/// the scope of one more.
fn refuse_many(world: &World, address: Option<IpAddr>) -> Scope {
    let stranger = Scope(Arc::new(ScopeState { address, ..ScopeState::default() }));
    let app = world.app();
    for _ in 0..1_250 {
        // It is counted, though nobody waits for it.
        let _ = app.late_answers.wait(&stranger, Answered::Refused, &app.process.shutdown).now_or_never();
    }
    stranger
}

#[tokio::test]
async fn a_late_refusal_keeps_its_place_among_its_addresss_requests_through_a_trusted_proxy() -> anyhow::Result<()> {
    let world = World::with_api(|_, api| {
        api.max_address_connections = 2;
        api.trusted_proxies = "127.0.0.0/8".parse().into_iter().collect();
    })
    .await?;
    let client = world.client(None);
    let (flooding, other) = ([("x-forwarded-for", "198.51.100.7")], [("x-forwarded-for", "198.51.100.8")]);
    refuse_many(&world, "198.51.100.7".parse().ok());
    let three = (0..3).map(|_| Box::pin(client.send("GET", "/keys", &flooding, None)));
    let (first, _, others) = select_all(three).await;
    assert_waits(&first?, 429, "rate_limited");
    assert_eq!(client.send("GET", "/keys", &other, None).await?.status, 401);
    drop(others);
    world.end().await
}

#[tokio::test]
async fn a_refused_call_over_mcp_is_no_strangers() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    // A call inside a message comes from nowhere.
    let stranger = refuse_many(&world, None);
    let message = mcp_call("detect_beats", &json!({ "ref": "nothing" }));
    {
        let app = world.app();
        let client = tenant.client.below(world.base_url());
        let called = pin!(client.mcp("/mcp", &message));
        let late = pin!(app.late_answers.wait(&stranger, Answered::Refused, &app.process.shutdown));
        let Either::Left((answer, _)) = select(called, late).await else { anyhow::bail!("it waited as strangers' do") };
        let answer = answer?;
        assert_eq!(answer.json["result"]["isError"], true, "{}", answer.text);
    }
    world.end().await
}
