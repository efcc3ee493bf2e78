//! The README as a newcomer follows it: all that its shell blocks show, in their order, by bash and the program itself,
//! in one folder beside a real service.
//!
//! Whatever it comes to show is run. What can't be run here is named in `NOT_RUN`, with the reason. What the
//! pages about films and pictures begin with is run too, and what the operators' page has bash do.

mod page;

use anyhow::{Context, ensure};
use domain::signature::{DEFAULT_TOLERANCE_S, verify};
use mws_tests::world::{Media, Receiver, Tenant, World, runners};
use page::Step;
use runtime::clock::host_unix_seconds;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Deserializer, Value, json};
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;
use tokio::time::timeout;
use worker::Engines;
use worker::readers::ReadError;

/// Lines that the README shows and no test runs as they stand, each with the reason.
const NOT_RUN: [(&str, &str); 8] = [
    ("make demo", "it compiles everything first: `demo.rs` runs its recipe, without that"),
    ("make test", "it runs this test"),
    ("make eval", "it measures for hours"),
    ("make bench", "it compiles everything anew and measures for half an hour"),
    ("make setup-to-run", "it installs packages, as it did for these tests"),
    ("cargo build -p mws && export PATH=\"$PWD/target/debug:$PATH\"", "cargo has built it, and the test sets the PATH"),
    ("mws up", "it runs until it is stopped: the second test here starts it and stops it"),
    ("mws listen --forward localhost:3000/hook", "it runs until it is stopped: `listen.rs` starts it and stops it"),
];

/// What the README names and a newcomer has: a talk with the silences and the word that its commands are about, and
/// the layers of a picture.
const FILES: &str = r##"
flite -voice slt -t "We look for the part about the river." -o talk.wav
ffmpeg -v error -f lavfi -i testsrc2=s=320x180:r=10 -i talk.wav -af adelay=1500,apad=pad_dur=1.5 -shortest \
    -c:v mpeg4 -c:a aac -movflags +faststart talk.mp4
echo '[{"type": "rect", "color": "#204060"}, {"type": "text", "text": "The river", "size": 64}]' >cover.json
"##;

/// The talk again, and a picture of it, by the names that the pages about films and pictures have for them.
const MORE_FILES: &str = "
cp talk.mp4 interview.mp4
ffmpeg -v error -i talk.mp4 -frames:v 1 -pix_fmt yuvj420p portrait.jpg
";

/// The token of the operator of a test's service.
const OPERATOR: &str = "operator-token-of-the-tests";
/// The URL that stands for a receiver in the README.
const RECEIVER: &str = "https://example.com/hook";
/// More than a line takes on a busy machine.
const TIMEOUT: Duration = Duration::from_mins(3);

fn readme() -> anyhow::Result<String> {
    Ok(std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md"))?)
}

/// A program in this folder, which finds `mws` where a shell looks for it, and no settings but those of the folder.
fn program(name: &str, folder: &Path) -> anyhow::Result<Command> {
    let mws = Path::new(env!("CARGO_BIN_EXE_mws")).parent().context("it is in a folder")?;
    let mut command = Command::new(name);
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("MWS_")) {
        command.env_remove(name);
    }
    command.env_remove("DATABASE_URL").current_dir(folder).kill_on_drop(true);
    command.env("PATH", format!("{}:{}", mws.display(), std::env::var("PATH").unwrap_or_default()));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Ok(command)
}

/// Has bash do this, and returns what it printed: both streams, data first.
async fn bash(folder: &Path, script: &str) -> anyhow::Result<[String; 2]> {
    let ran = program("bash", folder)?.args(["-euc", script]).output();
    let output = timeout(TIMEOUT, ran).await.with_context(|| format!("it goes on and on: {script}"))??;
    let [out, err] = [output.stdout, output.stderr].map(|stream| String::from_utf8_lossy(&stream).into_owned());
    ensure!(output.status.success(), "{script}: {}\n{out}\n{err}", output.status);
    Ok([out, err])
}

/// What `mws up` leaves in its folder.
fn keep_credentials(folder: &Path, world: &World, tenant: &Tenant) -> anyhow::Result<()> {
    let kept = json!({
        "base_url": format!("{}/api/v1", world.base_url()), "api_key": tenant.key.expose(), "operator_token": OPERATOR,
        "account_id": tenant.account.to_string(), "workspace_id": tenant.workspace.to_string(),
    });
    std::fs::create_dir(folder.join(".mws"))?;
    Ok(std::fs::write(folder.join(".mws/credentials.json"), kept.to_string())?)
}

/// Fails unless a script's answers are all there: the estimate, how both jobs stand, and where somebody speaks.
fn answers(printed: &str) -> anyhow::Result<()> {
    let answers = Deserializer::from_str(printed).into_iter().collect::<Result<Vec<Value>, _>>()?;
    let [estimate, jobs @ .., segments] = &answers[..] else { anyhow::bail!("too few: {printed}") };
    ensure!(estimate["minutes"].as_f64() > Some(0.0), "no estimate: {estimate}");
    let reads: Vec<_> = jobs.iter().map(|job| (job["read"].as_str(), job["status"].as_str())).collect();
    ensure!(reads == ["speech", "levels"].map(|read| (Some(read), Some("succeeded"))), "{reads:?}");
    ensure!(segments[0]["end"].as_f64() > Some(0.0), "nobody speaks: {segments}");
    Ok(())
}

/// Runs all steps but those of `NOT_RUN`. Returns all that the lines printed.
async fn follow(folder: &Path, receiver: &Receiver) -> anyhow::Result<String> {
    let steps = page::steps(&readme()?)?;
    for (named, reason) in NOT_RUN {
        ensure!(
            steps.contains(&Step::Line(named.to_owned())),
            "not in the README: `{named}`, which is not run: {reason}"
        );
    }
    let (mut printed, mut scripts) = (String::new(), 0);
    for step in steps {
        match step {
            Step::Line(line) if NOT_RUN.iter().any(|(named, _)| *named == line) => {}
            Step::Line(line) => {
                let said = bash(folder, &page::filled(&line, &printed)?.replace(RECEIVER, &receiver.url)).await?;
                ensure!(said.iter().any(|stream| !stream.is_empty()), "{line}: it said nothing");
                printed.extend(said);
            }
            Step::Script(script) => {
                answers(&bash(folder, &script).await?[0]).context(script)?;
                scripts += 1;
            }
        }
    }
    ensure!(scripts == 1, "{scripts} scripts were run, and not the one for curl alone");
    Ok(printed)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_that_the_readme_shows_works_as_it_stands() -> anyhow::Result<()> {
    let world = World::new().await?;
    world.work(Engines::found(&world.process)).await?;
    let agent = world.agent();
    let (tenant, receiver, folder) = (world.tenant("a").await?, Receiver::start()?, TempDir::new()?);
    keep_credentials(folder.path(), &world, &tenant)?;
    bash(folder.path(), FILES).await?;
    let printed = follow(folder.path(), &receiver).await?;

    assert!(std::fs::read_to_string(folder.path().join("talk.srt"))?.contains("river"));
    let [talk, copy] = ["talk.mp4", "copy.mp4"].map(|name| std::fs::read(folder.path().join(name)));
    assert!(talk? == copy?, "byte for byte");
    let secret = printed.split_whitespace().find(|word| word.starts_with("whsec_")).context("no secret")?;
    let ping = receiver.gets(1).await?.remove(0);
    let signed =
        verify(ping.header("service-signature"), &ping.body, &[secret], host_unix_seconds(), DEFAULT_TOLERANCE_S);
    assert!(signed.is_ok(), "it is signed with the secret that was printed: {signed:?}");
    assert_eq!(world.count("SELECT count(*) FROM jobs WHERE status <> 'succeeded'").await?, 0);
    agent.abort();
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_pages_of_films_and_pictures_show_works_in_its_order() -> anyhow::Result<()> {
    let world = World::new().await?;
    world.work(Engines::found(&world.process)).await?;
    let (tenant, folder) = (world.tenant("a").await?, TempDir::new()?);
    keep_credentials(folder.path(), &world, &tenant)?;
    bash(folder.path(), FILES).await?;
    bash(folder.path(), MORE_FILES).await?;
    for name in ["timelines", "canvases"] {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../docs/{name}.md"));
        let mut printed = String::new();
        for step in page::steps(&std::fs::read_to_string(page)?)? {
            let Step::Line(line) = step else { anyhow::bail!("{name}: not typed line by line") };
            printed.extend(bash(folder.path(), &page::filled(&line, &printed)?).await.context(name)?);
        }
    }
    assert!(std::fs::read_to_string(folder.path().join("river.srt"))?.contains("-->"), "what is heard is captions");
    assert_eq!(world.count("SELECT count(*) FROM jobs WHERE status = 'succeeded'").await?, 3);
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_operators_page_has_bash_do_works_as_it_stands() -> anyhow::Result<()> {
    let world = World::new().await?;
    world.work(runners::failing(|| ReadError::Unsupported("it takes too long"))).await?;
    let (tenant, folder) = (world.tenant("a").await?, TempDir::new()?);
    keep_credentials(folder.path(), &world, &tenant)?;
    let item = world.item(&tenant, Media::audio(60)).await?;
    let job = tenant.client.prepare(&[item], &["levels"]).await?.job_ids()?.remove(0);
    tenant.client.reaches(&job, "failed").await?;
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/operators.md"))?;
    let [over_mcp] = page::scripts(&page)[..] else { anyhow::bail!("not one script, and each is to be looked at") };
    let [said, _] = bash(folder.path(), over_mcp).await?;
    for part in ["Media and Workspace Service, for operators\n", "\nget_health: ", job.as_str(), "not_supported"] {
        ensure!(said.contains(part), "{part}: {said}");
    }
    // The tool that is listed last, and behind it the verdict.
    let verdict = said.lines().skip_while(|line| !line.starts_with("update_read: ")).nth(1).unwrap_or_default();
    ensure!(verdict.split(' ').count() > 2, "no verdict: {said}");
    world.end().await
}

#[tokio::test]
async fn up_says_that_it_is_ready_gives_the_other_commands_their_key_and_stops_cleanly() -> anyhow::Result<()> {
    let folder = TempDir::new()?;
    // PostgreSQL's own user must get through this folder. PostgreSQL closes what is inside to others by itself.
    std::fs::set_permissions(folder.path(), Permissions::from_mode(0o711))?;
    let mut up = program("mws", folder.path())?;
    up.arg("up").env("MWS_LISTEN", "127.0.0.1:0").stderr(Stdio::null());
    let mut running = up.spawn()?;
    let mut lines = BufReader::new(running.stdout.take().context("piped")?).lines();
    let mut said = Vec::new();
    while !said.iter().any(|line| line == "ready") {
        let line = timeout(TIMEOUT, lines.next_line()).await??;
        said.push(line.with_context(|| format!("it ended, and was never ready: {said:?}"))?);
    }
    ensure!(said.iter().any(|line| line.starts_with("API ")), "the address comes before: {said:?}");
    let [balances, _] = bash(folder.path(), "mws balances").await?;
    ensure!(balances.contains("1000"), "{balances}");
    let pid = running.id().and_then(|id| Pid::from_raw(id.cast_signed())).context("it runs")?;
    kill_process(pid, Signal::TERM)?;
    let ended = timeout(TIMEOUT, running.wait()).await??;
    ensure!(ended.success(), "{ended}");
    Ok(())
}
