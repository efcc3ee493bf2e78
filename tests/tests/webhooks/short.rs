//! The few lines that verify a signature, which `docs/webhooks.md` and the pages of deliveries show, judge the vectors
//! of job webhooks rightly. What hands them the vectors is in `tests/receivers`: `short.py` and its siblings.

use crate::documented::{assert_installed, block, cases, root, updating, vectors};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

mod rust {
    //! The document's lines, where the crate that they name is ours.
    use domain::signature as mws_signature;

    include!("../../receivers/short.rs");
}

/// The document's lines of this language.
fn short(language: &str) -> String {
    block(&format!("<!-- short: {language} -->"))
}

/// What hands lines of this language the vectors.
fn runner(kind: &str) -> String {
    fs::read_to_string(root().join(format!("tests/receivers/short.{kind}"))).expect("it is there")
}

fn of_jobs() -> Vec<Value> {
    cases().into_iter().filter(|case| case["system"] == "job").collect()
}

/// Holds what this command says of each case, a line for each, against what is to come of it.
fn hold(command: &mut Command, folder: &Path) {
    let (cases, path) = (of_jobs(), folder.join("vectors.json"));
    fs::write(&path, vectors(&cases)).expect("written");
    let output = command.arg(&path).current_dir(folder).output().expect("it starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8_lossy(&output.stdout);
    let judged: Vec<&str> = said.lines().collect();
    assert_eq!(judged.len(), cases.len(), "{said}");
    for (case, judged) in cases.iter().zip(judged) {
        assert_eq!(judged, case["accept"].to_string(), "{}", case["name"]);
    }
}

fn hold_interpreted(language: &str, kind: &str, program: &str) {
    assert_installed(program, "--version");
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join(format!("short.{kind}"));
    fs::write(&source, short(language) + &runner(kind)).expect("written");
    hold(Command::new(program).arg(&source), folder.path());
}

#[test]
fn the_lines_of_python_hold() {
    hold_interpreted("python", "py", "python3");
}

#[test]
fn the_lines_of_node_hold() {
    hold_interpreted("node", "mjs", "node");
}

#[test]
fn the_lines_of_ruby_hold() {
    hold_interpreted("ruby", "rb", "ruby");
}

#[test]
fn the_lines_of_go_hold() {
    assert_installed("go", "version");
    let folder = tempfile::tempdir().expect("a folder");
    let [lines, main, binary] = ["verify.go", "main.go", "verify"].map(|name| folder.path().join(name));
    fs::write(&lines, short("go")).expect("written");
    fs::write(&main, runner("go")).expect("written");
    let built = Command::new("go").args(["build", "-o"]).args([&binary, &lines, &main]).output().expect("it starts");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    hold(&mut Command::new(&binary), folder.path());
}

#[test]
fn the_lines_of_rust_hold() {
    let (copy, lines) = (root().join("tests/receivers/short.rs"), short("rust"));
    if updating() {
        fs::write(&copy, &lines).expect("written");
    }
    // The copy is what is compiled, so it must be what is documented.
    assert!(fs::read_to_string(&copy).expect("read") == lines, "run with UPDATE=1");
    for case in of_jobs() {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (header, body) = (text(&case["headers"]["Service-Signature"]), text(&case["body"]));
        let now = case["now"].as_i64().unwrap_or_default();
        let mut secrets = case["secrets"].as_array().into_iter().flatten().map(text);
        let accepted = secrets.any(|secret| rust::verify(&header, body.as_bytes(), &secret, now));
        assert_eq!(case["accept"], accepted, "{}", case["name"]);
    }
}
