//! Settings as the program itself takes them from its environment.

#![expect(clippy::unwrap_used, reason = "what a test's helper can't do fails the test")]

use std::process::{Command, Output};

/// `mws doctor` on the secrets alone, with these variables and nothing else.
fn doctor(variables: &[(&str, &str)]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_mws"));
    command.args(["doctor", "--only", "secrets"]).env_clear().env("MWS_DATA_DIR", folder.path());
    command.envs(variables.iter().copied()).output().unwrap()
}

const SECRETS: [(&str, &str); 3] =
    [("MWS_SECRET_KEY", "k"), ("MWS_OPERATOR_TOKEN", "o"), ("MWS_DEFAULT_WEBHOOK_SECRET", "d")];

#[test]
fn a_variable_that_is_set_to_nothing_is_not_set() {
    let empty = ["DATABASE_URL", "MWS_OUTBOUND_ALLOW", "MWS_WORKER_READS", "MWS_RATE_PER_MINUTE", "MWS_LOG_FORMAT"];
    let variables = [&SECRETS[..], &empty.map(|name| (name, ""))].concat();
    let done = doctor(&variables);
    assert!(done.status.success(), "{done:?}");
    let without = doctor(&[("MWS_SECRET_KEY", ""), SECRETS[1], SECRETS[2]]);
    assert!(String::from_utf8_lossy(&without.stdout).contains("not set: MWS_SECRET_KEY"), "{without:?}");
}

#[test]
fn a_variable_with_a_wrong_value_is_refused_by_its_name() {
    let done = doctor(&[("MWS_OUTBOUND_ALLOW", "everything")]);
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(said.contains("--outbound-allow") && said.contains("everything"), "{done:?}");
    assert_eq!(done.status.code(), Some(2));
}

#[test]
fn a_usage_shows_nothing_as_required_that_a_variable_gives() {
    let usage = |arguments: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mws"));
        command.args(arguments.split(' ')).env_clear().env("MWS_DATA_DIR", "/x").env("MWS_BASE_URL", "http://x");
        let done = command.output().unwrap();
        assert_eq!(done.status.code(), Some(2), "{done:?}");
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        said.lines().find(|line| line.starts_with("Usage: ")).unwrap_or(&said).to_owned()
    };
    assert_eq!(usage("prepare a"), "Usage: mws prepare --reads <READS> <REFS>...");
    for command in ["up", "console", "doctor", "migrate"] {
        let conflict = usage(&format!("{command} --json --ids"));
        assert_eq!(conflict, format!("Usage: mws {command} --json"));
    }
}
