//! `mws listen` as a developer runs it: the program itself, a real api and its stream, and a receiver that verifies.

#![expect(clippy::expect_used, reason = "what a test's helper can't do fails the test")]

use domain::signature::verify;
use mws_tests::world::{Media, Received, Receiver, Tenant, World, until};
use runtime::clock::host_unix_seconds;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};
use tokio::process::{Child, Command};
use tokio::task::JoinHandle;

/// What the program says on one of its streams, line by line as it comes.
type Said = Arc<Mutex<Vec<String>>>;

/// A running `mws listen`; killed when this is dropped.
struct Listener {
    child: Child,
    out: Said,
    err: Said,
    /// Ends when all that it says on its standard error is in `err`.
    err_ends: JoinHandle<()>,
}

fn collect(stream: impl AsyncRead + Unpin + Send + 'static) -> (Said, JoinHandle<()>) {
    let said = Said::default();
    let lines = Arc::clone(&said);
    let ends = tokio::spawn(async move {
        let mut reading = BufReader::new(stream).lines();
        while let Ok(Some(line)) = reading.next_line().await {
            lines.lock().expect("no panic").push(line);
        }
    });
    (said, ends)
}

impl Listener {
    /// Starts it at this base URL, and waits until it says that it listens.
    async fn start(base_url: &str, credential: &str, arguments: &[&str]) -> anyhow::Result<Self> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mws"));
        command.arg("listen").args(arguments).kill_on_drop(true);
        for name in ["MWS_LISTEN_SECRET", "MWS_OUTBOUND_ROOTS", "MWS_API_KEY_FILE", "MWS_PROFILE"] {
            command.env_remove(name);
        }
        command.env("MWS_BASE_URL", base_url).env("MWS_API_KEY", credential);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let (out, _) = collect(child.stdout.take().expect("piped"));
        let (err, err_ends) = collect(child.stderr.take().expect("piped"));
        let listener = Self { child, out, err, err_ends };
        until("it listens", async || {
            let ready = |line: &String| line.contains("Listening") || line.contains("\"ready\"");
            Ok((listener.out().iter().any(ready) || listener.err().iter().any(ready)).then_some(()))
        })
        .await?;
        Ok(listener)
    }

    fn out(&self) -> Vec<String> {
        self.out.lock().expect("no panic").clone()
    }

    fn err(&self) -> Vec<String> {
        self.err.lock().expect("no panic").clone()
    }

    /// Waits for so many lines of data.
    async fn says(&self, lines: usize) -> anyhow::Result<Vec<String>> {
        until(&format!("it has said {lines} lines"), async || {
            let out = self.out();
            Ok((out.len() >= lines).then_some(out))
        })
        .await
    }

    /// The objects of this type that `--json` has printed.
    fn objects(&self, of: &str) -> Vec<Value> {
        let all = self.out().into_iter().filter_map(|line| serde_json::from_str::<Value>(&line).ok());
        all.filter(|object| object["type"] == of).collect()
    }

    /// Ctrl-C: its exit code and its last words.
    async fn interrupt(mut self) -> anyhow::Result<(Option<i32>, String)> {
        let pid = self.child.id().and_then(|id| Pid::from_raw(id.cast_signed())).expect("it runs");
        kill_process(pid, Signal::INT)?;
        let status = self.child.wait().await?;
        (&mut self.err_ends).await?;
        Ok((status.code(), self.err().pop().unwrap_or_default()))
    }
}

/// So many jobs are started and cancelled, one after the other: each is an event. Returns their ids.
async fn happen(world: &World, tenant: &Tenant, jobs: usize) -> anyhow::Result<Vec<String>> {
    let mut ids = Vec::new();
    for item in world.items(tenant, jobs, Media::audio(60)).await? {
        let job = tenant.client.prepare(&[item], &["levels"]).await?.job_ids()?;
        tenant.client.tool("cancel_jobs", &json!({ "job_ids": job })).await?;
        ids.extend(job);
    }
    Ok(ids)
}

fn base(world: &World) -> String {
    format!("{}/api/v1", world.base_url())
}

fn jobs(received: &[Received]) -> Vec<String> {
    let id = |one: &Received| one.json()["data"]["job"]["id"].as_str().unwrap_or_default().to_owned();
    received.iter().map(id).collect()
}

fn verifies(received: &Received, secret: &str) -> bool {
    verify(received.header("service-signature"), &received.body, &[secret], host_unix_seconds(), 60).is_ok()
}

#[tokio::test]
async fn what_is_forwarded_is_what_an_endpoint_gets() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("one").await?;
    let (real, mine) = (Receiver::start()?, Receiver::start()?);
    world.endpoint(&tenant, &real.url).await?;
    world.work(mws_tests::world::runners::instant()).await?;
    let secret = tenant.client.send("POST", "/webhook-secret", &[], None).await?.json["secret"].clone();
    let secret = secret.as_str().unwrap_or_default();
    let listener = Listener::start(&base(&world), tenant.key.expose(), &["--forward", &mine.url]).await?;
    happen(&world, &tenant, 2).await?;
    let (delivered, forwarded) = (real.gets(2).await?, mine.gets(2).await?);
    for one in &forwarded {
        let same = delivered.iter().find(|other| other.header("service-delivery") == one.header("service-delivery"));
        let same = same.expect("the endpoint has it too");
        assert_eq!(one.body, same.body);
        for name in ["service-event", "service-attempt", "content-type", "user-agent"] {
            assert_eq!(one.header(name), same.header(name), "{name}");
        }
        assert!(verifies(one, secret) && verifies(same, secret));
    }
    mine.answer(500);
    happen(&world, &tenant, 1).await?;
    let lines = listener.says(3).await?;
    // The worker may have been there before the cancellation.
    let told = ["job.cancelled", "job.succeeded"].iter().any(|end| lines[0].contains(end));
    assert!(told && lines[0].contains("→ 200 in "), "{lines:?}");
    assert!(lines[2].contains("→ 500 in ") && lines[2].contains("only a 2xx"), "{lines:?}");
    let said = listener.err().join("\n");
    assert!(said.contains("the account's own secret") && !said.contains("whsec_"), "{said}");
    assert_eq!(mine.received().len(), 3, "a failure is not tried again");
    world.end().await
}

/// The lines of `docs/webhooks.md` that listen, with this server in the place of theirs: the arguments of each, and
/// what it is piped into.
fn documented(server: &str) -> anyhow::Result<Vec<(Vec<String>, String)>> {
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/webhooks.md"))?;
    let lines = page.lines().filter_map(|line| line.strip_prefix("mws listen "));
    let parts = lines.map(|line| {
        let line = line.split(" # ").next().unwrap_or_default().replace("localhost:3000", server);
        let (arguments, piped) = line.split_once('|').unwrap_or((&line, ""));
        (arguments.split_whitespace().map(str::to_owned).collect(), piped.trim().to_owned())
    });
    Ok(parts.collect())
}

#[tokio::test]
async fn what_the_documentation_shows_of_listening_works_as_it_stands() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, mine) = (world.tenant("one").await?, Receiver::start()?);
    let lines = documented(mine.url.split('/').nth(2).unwrap_or_default())?;
    let mut listeners = Vec::new();
    for (arguments, _) in &lines {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        listeners.push(Listener::start(&base(&world), tenant.key.expose(), &arguments).await?);
    }
    let [all, failures, bodies] = <[_; 3]>::try_from(listeners).ok().expect("there are three lines");
    let job = happen(&world, &tenant, 1).await?;
    assert_eq!(jobs(&mine.gets(1).await?), job);
    let body = bodies.says(1).await?.remove(0);
    let piped = format!("{} <<<\"$0\"", lines[2].1);
    let ran = Command::new("bash").args(["-c", &piped, &body]).output().await?;
    assert_eq!(String::from_utf8_lossy(&ran.stdout), "\"cancelled\"\n", "{ran:?}");
    let (_, words) = failures.interrupt().await?;
    assert!(words.contains("Stopped after 0 events."), "it was asked for failures alone: {words}");
    let told = all.says(1).await?.remove(0);
    assert!(told.contains("→ 200 in "), "{told}");
    world.end().await
}

#[tokio::test]
async fn a_connection_that_breaks_is_made_again_and_nothing_is_lost_or_sent_twice() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("one").await?;
    let mine = Receiver::start()?;
    let proxy = world.api_proxy().await?;
    let arguments = ["--json", "--forward", &mine.url];
    let listener = Listener::start(&proxy.url, tenant.key.expose(), &arguments).await?;
    let mut happened = Vec::new();
    for round in 1..=3 {
        happened.extend(happen(&world, &tenant, 2).await?);
        mine.gets(happened.len()).await?;
        proxy.cut();
        happened.extend(happen(&world, &tenant, 3).await?);
        until("it has seen that", async || Ok((listener.objects("disconnected").len() == round).then_some(()))).await?;
        proxy.restore();
        mine.gets(happened.len()).await?;
        let again = async || Ok((listener.objects("connected_again").len() == round).then_some(()));
        until("it has said so", again).await?;
    }
    happened.extend(happen(&world, &tenant, 1).await?);
    assert_eq!(jobs(&mine.gets(happened.len()).await?), happened, "each once, in order");
    let told = until("all is told", async || {
        let told = listener.objects("event");
        Ok((told.len() == happened.len()).then_some(told))
    })
    .await?;
    assert!(told.iter().all(|event| event["answer"]["status"] == 200), "{told:?}");
    world.end().await
}

#[tokio::test]
async fn a_listener_goes_on_where_another_was_stopped_and_tells_only_what_was_asked_for() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("one").await?;
    let (base, key) = (base(&world), tenant.key.expose());
    let listener = Listener::start(&base, key, &["--print-json"]).await?;
    let first = happen(&world, &tenant, 2).await?;
    let bodies = listener.says(2).await?;
    let stored: Vec<String> =
        sqlx::query_scalar("SELECT body FROM events ORDER BY seq").fetch_all(world.pool()).await?;
    assert_eq!(bodies, stored);
    let (code, words) = listener.interrupt().await?;
    assert_eq!(code, Some(130));
    assert!(words.starts_with("Stopped after 2 events."), "{words}");
    let place = words.rsplit(' ').next().unwrap_or_default().to_owned();

    let second = happen(&world, &tenant, 2).await?;
    let nothing = ["--json", "--after", &place, "--events", "job.failed,job.succeeded"];
    let uninterested = Listener::start(&base, key, &nothing).await?;
    let listener = Listener::start(&base, key, &["--json", "--after", &place, "--events", "job.cancelled"]).await?;
    listener.says(3).await?;
    let told: Vec<Value> =
        listener.objects("event").iter().map(|object| object["event"]["data"]["job"]["id"].clone()).collect();
    assert_eq!(json!(told), json!(second), "and none of {first:?}");
    let (_, words) = uninterested.interrupt().await?;
    assert!(words.contains("Stopped after 0 events."), "{words}");
    world.end().await
}

#[tokio::test]
async fn without_a_secret_of_the_account_one_is_made_and_printed_once() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("one").await?;
    let mine = Receiver::start()?;
    let forward = ["--forward", mine.url.as_str()];
    let base = base(&world);
    let quiet = Listener::start(&base, tenant.key.expose(), &[&forward[..], &["--json"]].concat()).await?;
    let ready = quiet.objects("ready").remove(0);
    assert_eq!(ready["secret_of"], "made");
    let given = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
    let other = Receiver::start()?;
    let by_hand = ["--forward", &other.url, "--secret", given];
    let told = Listener::start(&base, tenant.key.expose(), &by_hand).await?;
    happen(&world, &tenant, 1).await?;
    assert!(verifies(&mine.gets(1).await?[0], ready["secret"].as_str().unwrap_or_default()));
    assert!(verifies(&other.gets(1).await?[0], given));
    assert!(!told.err().join("\n").contains(given), "it is known already");
    drop((quiet, told));

    // A session's token may follow events, and may not read the account's secret.
    tenant.client.send("POST", "/webhook-secret", &[], None).await?;
    let token = world.session_token(&tenant).await?;
    let listener = Listener::start(&base, &token, &forward).await?;
    let said = listener.err().join("\n");
    let (_, shown) = said.split_once("may not read the account's): ").expect("it says so");
    let shown = shown.lines().next().unwrap_or_default();
    assert!(shown.starts_with("whsec_"), "{said}");
    happen(&world, &tenant, 1).await?;
    assert!(verifies(&mine.gets(2).await?[1], shown));
    world.end().await
}

#[tokio::test]
async fn a_place_that_is_gone_with_a_restore_is_told_and_what_happens_from_then_on_is_heard() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("one").await?;
    let proxy = world.api_proxy().await?;
    let listener = Listener::start(&proxy.url, tenant.key.expose(), &["--json"]).await?;
    happen(&world, &tenant, 1).await?;
    until("it has heard that", async || Ok((listener.objects("event").len() == 1).then_some(()))).await?;
    proxy.cut();
    until("it has seen that", async || Ok((listener.objects("disconnected").len() == 1).then_some(()))).await?;
    // As after a restore of an older state, where the number went to an event of later.
    sqlx::query("UPDATE events SET created_at = mws_now()").execute(world.pool()).await?;
    proxy.restore();
    until("it is told", async || Ok((listener.objects("connected_again").len() == 1).then_some(()))).await?;
    until("that its place is lost is told", async || Ok((listener.objects("place_lost").len() == 1).then_some(())))
        .await?;
    let job = happen(&world, &tenant, 1).await?.remove(0);
    until("it has heard that", async || Ok((listener.objects("event").len() == 2).then_some(()))).await?;
    assert_eq!(listener.objects("event")[1]["event"]["data"]["job"]["id"], job.as_str());
    world.end().await
}
