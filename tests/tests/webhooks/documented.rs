//! `docs/webhooks.md` is true: its programs, as they stand there, judge `docs/webhook-vectors.json` rightly, and what
//! we sign passes the library of Standard Webhooks.
//!
//! A program that can't be run here fails its test: `scripts/setup` installs all five languages. The vectors are made
//! from fixed inputs: `UPDATE=1 cargo test -p mws-tests --test webhooks documented` writes them, and the copy of the
//! Rust program.

#[expect(dead_code, reason = "a whole program, of which its check is called")]
#[path = "../../receivers/verify.rs"]
mod verify;

use crate::bench::Bench;
use crate::routes;
use domain::signature::{self, job_signature, new_secret, project_signature, standard_signature};
use runtime::clock::host_unix_seconds;
use secrecy::ExposeSecret;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

const TIME: i64 = 1_790_000_000;
const BODY: &str =
    r#"{"id":"evt_M8DB96KKJJR5PX2C6SF2ECFZP1","type":"job.succeeded","data":{"job":{"name":"Über 2.50 €"}}}"#;

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Whether copies are to be written anew.
pub fn updating() -> bool {
    std::env::var_os("UPDATE").is_some()
}

fn secret(seed: u8) -> String {
    new_secret([seed; 32]).expose_secret().to_owned()
}

/// A case of the vectors: what a receiver that knows these secrets gets at this time, and whether it is to be accepted.
struct Case(Value);

impl Case {
    fn job(name: &str, signature: &str) -> Self {
        Self(json!({
            "name": name, "system": "job", "secrets": [secret(2)], "now": TIME,
            "headers": { "Service-Signature": signature }, "body": BODY, "accept": false,
        }))
    }

    fn project(name: &str, signature: &str) -> Self {
        let headers = json!({ "X-Service-Signature": signature, "X-Service-Timestamp": TIME.to_string() });
        Self::job(name, "").with("system", "project").with("headers", headers)
    }

    fn with(mut self, field: &str, value: impl Into<Value>) -> Self {
        self.0[field] = value.into();
        self
    }

    fn accepted(self) -> Self {
        self.with("accept", true)
    }
}

/// The current secret is made of twos, the one before it of ones.
pub fn cases() -> Vec<Value> {
    let (new, old) = (secret(2), secret(1));
    let by = |secrets: &[&str]| job_signature(TIME, BODY.as_bytes(), secrets);
    let genuine = by(&[&new]);
    let project = project_signature(TIME, BODY.as_bytes(), &new);
    let rotating = by(&[&new, &old]);
    let changed = BODY.replace("2.50", "2.51");
    let digest = genuine.rsplit('=').next().unwrap_or_default().to_owned();
    let cases = [
        Case::job("a genuine delivery", &genuine).accepted(),
        Case::job("five minutes late", &genuine).with("now", TIME + 300).accepted(),
        Case::job("five minutes early", &genuine).with("now", TIME - 300).accepted(),
        Case::job("a late timestamp", &genuine).with("now", TIME + 301),
        Case::job("a timestamp in the future", &genuine).with("now", TIME - 301),
        Case::job("a changed byte", &genuine).with("body", changed.clone()),
        Case::job("a changed timestamp", &genuine.replace("t=1790000000", "t=1790000001")),
        Case::job("a changed signature", &genuine.replace(&digest[..4], "0000")),
        Case::job("signed with a secret of nobody's", &by(&[&secret(3)])),
        Case::job("during a rotation, the receiver knows the new secret", &rotating).accepted(),
        Case::job("during a rotation, the receiver knows the old secret", &rotating)
            .with("secrets", [&*old])
            .accepted(),
        Case::job("during a rotation, the receiver knows both", &genuine).with("secrets", [&*old, &*new]).accepted(),
        Case::job("signed with a retired secret", &by(&[&old])),
        Case::job("the receiver knows a retired secret alone", &genuine).with("secrets", [&*old]),
        Case::job("a later scheme stands beside", &genuine.replace(",v1", ",v2=x,v1")).accepted(),
        Case::job("another scheme alone", &genuine.replace(",v1", ",v2")),
        Case::job("a signature of another length", &genuine[..genuine.len() - 2]),
        Case::job("a signature that is no hex", &format!("t={TIME},v1={}", "é".repeat(32))),
        Case::job("two timestamps", &format!("t={TIME},{genuine}")),
        Case::job("a timestamp that is no number", &format!("t=now,v1={digest}")),
        Case::job("a header of another form", "nonsense"),
        Case::job("no header", "").with("headers", json!({})),
        Case::project("a genuine project webhook", &project).accepted(),
        Case::project("a project webhook with a late timestamp", &project).with("now", TIME + 301),
        Case::project("a project webhook with a changed byte", &project).with("body", changed),
        Case::project("a project webhook of a retired secret", &project_signature(TIME, BODY.as_bytes(), &old)),
        Case::project("a project webhook without its scheme", &project["sha256=".len()..]),
        Case::project("a project webhook of another scheme", &project.replace("sha256", "sha1")),
        Case::project("a project webhook that is not signed", "").with("headers", json!({})),
    ];
    cases.into_iter().map(|case| case.0).collect()
}

/// The file of these cases.
pub fn vectors(cases: &[Value]) -> String {
    let about = "What a receiver of webhooks that knows `secrets` gets at the unix time `now`, and whether it is to accept it. \
        See webhooks.md. Made by tests/tests/webhooks/documented.rs.";
    let all = json!({ "about": about, "tolerance_seconds": 300, "cases": cases });
    serde_json::to_string_pretty(&all).expect("JSON") + "\n"
}

#[test]
fn the_vectors_are_those_that_this_code_makes() {
    let path = root().join("docs/webhook-vectors.json");
    let made = vectors(&cases());
    if updating() {
        std::fs::write(&path, &made).expect("written");
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == made, "run: UPDATE=1 cargo test -p mws-tests --test webhooks documented");
}

#[test]
fn our_own_check_judges_the_vectors_as_they_say() {
    for case in cases() {
        let secrets: Vec<&str> = case["secrets"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let header = |name: &str| case["headers"][name].as_str().unwrap_or_default();
        let (body, now) = (case["body"].as_str().unwrap_or_default(), case["now"].as_i64().unwrap_or_default());
        let (body, tolerance) = (body.as_bytes(), signature::DEFAULT_TOLERANCE_S);
        let judged = if case["system"] == "job" {
            signature::verify(header("Service-Signature"), body, &secrets, now, tolerance)
        } else {
            let (signature, timestamp) = (header("X-Service-Signature"), header("X-Service-Timestamp"));
            signature::verify_project(signature, timestamp, body, &secrets, now, tolerance)
        };
        assert_eq!(judged.is_ok(), case["accept"] == true, "{}: {judged:?}", case["name"]);
    }
}

/// The code that stands below this mark in the document.
pub fn block(mark: &str) -> String {
    let text = std::fs::read_to_string(root().join("docs/webhooks.md")).expect("docs/webhooks.md");
    let (_, rest) = text.split_once(&format!("{mark}\n```")).unwrap_or_else(|| panic!("the document has no {mark}"));
    let (_, rest) = rest.split_once('\n').expect("code");
    rest.split_once("\n```\n").expect("its end").0.to_owned() + "\n"
}

/// The program of this language as it stands in the document.
fn documented(language: &str) -> String {
    block(&format!("<!-- receiver: {language} -->"))
}

/// Fails when this program of the machine's does not answer to this argument.
pub fn assert_installed(program: &str, argument: &str) {
    let answers = Command::new(program).arg(argument).output().is_ok_and(|output| output.status.success());
    assert!(answers, "{program} is not installed: run scripts/setup");
}

/// Holds a program against the vectors, and then against vectors that each tell one lie: it has to see every one, so
/// that a program which accepts or refuses whatever comes does not pass.
fn hold(run: impl Fn(&Path) -> Output) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("vectors.json");
    let all = cases();
    std::fs::write(&path, vectors(&all)).expect("written");
    let output = run(&path);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(said.trim(), format!("{} cases hold", all.len()));
    for lie in 0..all.len() {
        let mut cases = all.clone();
        cases[lie]["accept"] = (cases[lie]["accept"] == false).into();
        std::fs::write(&path, vectors(&cases)).expect("written");
        assert!(!run(&path).status.success(), "it did not see that `{}` was judged wrongly", cases[lie]["name"]);
    }
}

/// Runs the document's program of this language with this interpreter.
fn hold_interpreted(language: &str, file: &str, command: &[&str], version: &str) {
    let program = documented(language);
    assert_installed(command[0], version);
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join(file);
    std::fs::write(&source, program).expect("written");
    hold(|vectors| {
        let mut run = Command::new(command[0]);
        run.args(&command[1..]).arg(&source).arg(vectors).current_dir(folder.path());
        run.output().expect("it starts")
    });
}

#[test]
fn the_python_program_holds() {
    hold_interpreted("python", "verify.py", &["python3"], "--version");
}

#[test]
fn the_node_program_holds() {
    hold_interpreted("node", "verify.mjs", &["node"], "--version");
}

#[test]
fn the_ruby_program_holds() {
    hold_interpreted("ruby", "verify.rb", &["ruby"], "--version");
}

#[test]
fn the_go_program_holds() {
    let program = documented("go");
    assert_installed("go", "version");
    let folder = tempfile::tempdir().expect("a folder");
    let (source, binary) = (folder.path().join("verify.go"), folder.path().join("verify"));
    std::fs::write(&source, program).expect("written");
    let built = Command::new("go").args(["build", "-o"]).args([&binary, &source]).output().expect("it starts");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    hold(|vectors| Command::new(&binary).arg(vectors).output().expect("it starts"));
}

#[test]
fn the_rust_program_holds() {
    let copy = Path::new(env!("CARGO_MANIFEST_DIR")).join("receivers/verify.rs");
    let program = documented("rust");
    if updating() {
        std::fs::write(&copy, &program).expect("written");
    }
    // The copy is what is compiled, so it must be what is documented.
    assert!(std::fs::read_to_string(&copy).expect("read") == program, "run with UPDATE=1");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("vectors.json").display().to_string();
    let all = cases();
    std::fs::write(&path, vectors(&all)).expect("written");
    assert_eq!(verify::check(&path).expect("all hold"), all.len());
    for lie in 0..all.len() {
        let mut cases = all.clone();
        cases[lie]["accept"] = (cases[lie]["accept"] == false).into();
        std::fs::write(&path, vectors(&cases)).expect("written");
        assert!(verify::check(&path).is_err(), "{}", cases[lie]["name"]);
    }
}

#[test]
fn the_rust_program_is_compiled_with_the_versions_that_it_is_said_to_need() {
    let read = |name: &str| std::fs::read_to_string(root().join(name)).expect("it is there");
    let (page, manifest) = (read("docs/webhooks.md"), read("Cargo.toml"));
    let (_, needs) = page.split_once("The program below needs ").expect("the document says what it needs");
    let needs: Vec<_> = needs.lines().next().unwrap_or_default().split('`').skip(1).step_by(2).collect();
    assert_eq!(needs.len(), 4, "{needs:?}");
    for need in needs {
        let (name, version) = need.split_once(" = ").expect("a version");
        let line = manifest.lines().find(|line| line.starts_with(&format!("{name} = "))).unwrap_or_default();
        assert!(line.contains(version), "the document needs {need}, the workspace {line}");
    }
}

/// Python with the library of Standard Webhooks, kept for the next run; why not, when it can't be had.
fn python_with_the_library() -> Result<PathBuf, String> {
    let venv = Path::new(env!("CARGO_TARGET_TMPDIR")).join("standardwebhooks-1.1.0");
    let python = venv.join("bin/python");
    let has_it = || Command::new(&python).args(["-c", "import standardwebhooks"]).output();
    if has_it().is_ok_and(|output| output.status.success()) {
        return Ok(python);
    }
    let run = |program: &Path, arguments: &[&str]| match Command::new(program).args(arguments).output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(String::from_utf8_lossy(&output.stderr).lines().last().unwrap_or_default().to_owned()),
        Err(error) => Err(error.to_string()),
    };
    run(Path::new("python3"), &["-m", "venv", &venv.display().to_string()])?;
    let quiet = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--timeout=15", "--retries=3"];
    run(&python, &[&quiet[..], &["standardwebhooks==1.1.0"]].concat())?;
    Ok(python)
}

#[test]
fn the_library_of_standard_webhooks_accepts_what_we_sign_and_nothing_else() {
    let (new, old, now) = (secret(2), secret(1), host_unix_seconds());
    let delivery = |secret: &str, signed_by: &[&str], at: i64, body: &str, accept: bool| {
        let signature = standard_signature("evt_1", at, BODY.as_bytes(), signed_by).expect("the secrets are base64");
        let headers = json!({
            "webhook-id": "evt_1", "webhook-timestamp": at.to_string(), "webhook-signature": signature,
        });
        json!({ "secret": secret, "headers": headers, "body": body, "accept": accept })
    };
    let deliveries = json!([
        delivery(&new, &[&new], now, BODY, true),
        delivery(&old, &[&new, &old], now, BODY, true),
        delivery(&old, &[&new], now, BODY, false),
        delivery(&new, &[&new], now - 400, BODY, false),
        delivery(&new, &[&new], now, &BODY.replace("2.50", "2.51"), false),
    ]);
    judge_by_the_library(&deliveries);
}

/// Has the library judge deliveries, each of which says what is expected.
fn judge_by_the_library(deliveries: &Value) {
    // Tests of one process share the environment that it is installed in.
    static INSTALLED: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let python = INSTALLED.get_or_init(python_with_the_library).as_ref().expect("PyPI has the library");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("deliveries.json");
    std::fs::write(&path, deliveries.to_string()).expect("written");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("receivers/standard_webhooks.py");
    let output = Command::new(python).arg(script).arg(&path).output().expect("it starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[tokio::test]
async fn a_delivery_as_it_came_passes_receivers_that_are_not_ours() -> anyhow::Result<()> {
    let bench = Bench::with(|settings| settings.standard_webhooks = true).await?;
    bench.endpoint().await;
    let (_, current) = routes::post(&bench, "/webhook-secret", json!({})).await;
    bench.end_jobs(1).await;
    bench.work().await;
    let came = bench.receiver.received().remove(0);
    let body = String::from_utf8(came.body.to_vec())?;
    let headers: HashMap<&str, &str> =
        came.headers.iter().map(|(name, value)| Ok((name.as_str(), value.to_str()?))).collect::<anyhow::Result<_>>()?;
    let changed = body.replace('✓', "✗");
    let judged = |secret: &Value, body: &str, accept: bool| json!({ "secret": secret, "headers": headers, "body": body, "accept": accept });
    let other = Value::from(secret(9));
    judge_by_the_library(&json!([
        judged(&current["secret"], &body, true),
        judged(&current["secret"], &changed, false),
        judged(&other, &body, false),
    ]));
    // The document's program, on what came rather than on the vectors.
    let now = host_unix_seconds();
    let case = |name: &str, secret: &Value, body: &str, now: i64, accept: bool| {
        json!({
            "name": name, "system": "job", "headers": headers, "body": body, "secrets": [secret], "now": now,
            "accept": accept,
        })
    };
    let folder = tempfile::tempdir()?;
    let (program, path) = (folder.path().join("verify.py"), folder.path().join("came.json"));
    std::fs::write(&program, documented("python"))?;
    let cases = [
        case("as it came", &current["secret"], &body, now, true),
        case("a changed byte", &current["secret"], &changed, now, false),
        case("late", &current["secret"], &body, now + 400, false),
        case("a secret that never signed it", &other, &body, now, false),
    ];
    std::fs::write(&path, json!({ "cases": cases }).to_string())?;
    let output = Command::new("python3").arg(&program).arg(&path).output()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    bench.end().await
}
