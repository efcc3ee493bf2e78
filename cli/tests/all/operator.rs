//! `mws` as an operator runs it, for the tests of all commands that take an operator's token.

use mws_tests::world::World;
use std::process::{Output, Stdio};
use tokio::process::Command;

/// Runs `mws` with these arguments and this token beside the world's api, with nothing on its standard input.
pub async fn as_operator(world: &World, token: &str, arguments: &[&str]) -> anyhow::Result<Output> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mws"));
    command.args(arguments).stdin(Stdio::null()).kill_on_drop(true);
    // Whoever runs the tests may have set these.
    for name in ["MWS_OPERATOR_TOKEN_FILE", "MWS_PROFILE"] {
        command.env_remove(name);
    }
    command.env("MWS_BASE_URL", format!("{}/api/v1", world.base_url())).env("MWS_OPERATOR_TOKEN", token);
    Ok(command.output().await?)
}
