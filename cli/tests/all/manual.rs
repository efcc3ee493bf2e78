//! What shells and `man` are given: the program's own completions and pages, as they read them.

#![expect(clippy::unwrap_used, reason = "what a test's helper can't do fails the test")]

use serde_json::Value;
use std::fs;
use std::process::{Command, Output};

/// `mws` with these arguments and no variables.
fn mws(arguments: &[&str]) -> Output {
    let done = Command::new(env!("CARGO_BIN_EXE_mws")).args(arguments).env_clear().output().unwrap();
    assert!(done.status.success() && done.stderr.is_empty(), "{done:?}");
    done
}

fn printed(arguments: &[&str]) -> String {
    String::from_utf8(mws(arguments).stdout).unwrap()
}

/// What bash offers for the last of these words.
fn offered(script: &str, words: &[&str]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mws");
    fs::write(&file, script).unwrap();
    let complete = r#"source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
        _mws mws "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"; printf '%s\n' "${COMPREPLY[@]}""#;
    let done = Command::new("bash").args(["--norc", "-c", complete, "bash"]).arg(&file).args(words).output().unwrap();
    assert!(done.stderr.is_empty(), "{done:?}");
    String::from_utf8(done.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn bash_offers_commands_those_below_them_and_their_options() {
    let script = printed(&["completions", "bash"]);
    assert_eq!(offered(&script, &["mws", "remove-s"]), ["remove-silence"]);
    assert_eq!(offered(&script, &["mws", "admin", "accounts", "sus"]), ["suspend"]);
    assert_eq!(offered(&script, &["mws", "prepare", "--idem"]), ["--idempotency-key"]);
    assert_eq!(offered(&script, &["mws", "completions", "fi"]), ["fish"]);
}

#[test]
fn zsh_and_fish_have_completions_of_their_own_and_other_shells_are_refused() {
    let zsh = printed(&["completions", "zsh"]);
    assert!(zsh.starts_with("#compdef mws\n") && zsh.contains("remove-silence"), "{zsh}");
    let fish = printed(&["completions", "fish"]);
    assert!(fish.contains("complete -c mws ") && fish.contains("remove-silence"), "{fish}");
    let told: Value = serde_json::from_slice(&mws(&["completions", "fish", "--json"]).stdout).unwrap();
    assert_eq!(told["script"].as_str().map(str::trim_end), Some(fish.trim_end()));
    let other = Command::new(env!("CARGO_BIN_EXE_mws")).args(["completions", "csh"]).output().unwrap();
    assert_eq!(other.status.code(), Some(2), "{other:?}");
}

#[test]
fn each_command_has_a_page_and_none_shows_a_value_of_the_environment() {
    let page = printed(&["man"]);
    assert!(page.contains(".TH mws 1") && page.contains("remove\\-silence"), "{page}");
    let folder = tempfile::tempdir().unwrap();
    // It is made where it is missing.
    let pages = folder.path().join("man/man1");
    let mut command = Command::new(env!("CARGO_BIN_EXE_mws"));
    command.args(["man", "--out"]).arg(&pages).env_clear().env("MWS_SECRET_KEY", "hunter2");
    let done = command.output().unwrap();
    assert!(done.status.success() && done.stdout.is_empty(), "{done:?}");
    for name in ["mws", "mws-up", "mws-admin", "mws-admin-accounts-suspend", "mws-man"] {
        assert!(pages.join(format!("{name}.1")).exists(), "{name}");
    }
    let up = fs::read_to_string(pages.join("mws-up.1")).unwrap();
    assert!(up.contains("MWS_SECRET_KEY") && !up.contains("hunter2"), "{up}");
    assert!(up.contains("everything, on 127.0.0.1:8080"), "{up}");
}
