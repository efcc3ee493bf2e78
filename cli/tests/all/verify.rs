//! `mws webhooks verify` as somebody runs it whose receiver refused a webhook: the program itself, beside a real api.

use domain::signature::job_signature;
use mws_tests::world::World;
use serde_json::Value;
use std::fs;
use std::process::{Output, Stdio};
use tokio::process::Command;

const SIGNED_AT: i64 = 1_795_860_000;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_kept_webhook_is_checked_with_the_account_s_secret_or_with_one_in_a_file() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let made = tenant.client.send("POST", "/webhook-secret", &[], Some("{}".to_owned())).await?;
    let secret = made.json["secret"].as_str().unwrap_or_default();
    let folder = tempfile::tempdir()?;
    let (body, other) = (folder.path().join("body.json"), folder.path().join("other"));
    fs::write(&body, r#"{"id":"evt_1"}"#)?;
    fs::write(&other, "whsec_other\n")?;
    let header = job_signature(SIGNED_AT, br#"{"id":"evt_1"}"#, &[secret]);
    let verify = async |arguments: &[&str]| -> anyhow::Result<Output> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mws"));
        command.args(["webhooks", "verify", "--header", &header, "--body"]).arg(&body).args(arguments);
        command.stdin(Stdio::null()).kill_on_drop(true);
        for name in ["MWS_API_KEY_FILE", "MWS_PROFILE"] {
            command.env_remove(name);
        }
        command.env("MWS_BASE_URL", format!("{}/api/v1", world.base_url()));
        Ok(command.env("MWS_API_KEY", tenant.key.expose()).output().await?)
    };
    let genuine = verify(&["--json"]).await?;
    let told: Value = serde_json::from_slice(&genuine.stdout)?;
    assert!(told["genuine"] == true && told["signed_at"] == SIGNED_AT, "{genuine:?}");
    let of_another = verify(&["--secret-file", &other.to_string_lossy()]).await?;
    let said = String::from_utf8_lossy(&of_another.stderr);
    assert!(of_another.status.code() == Some(1) && said.contains("another secret made it"), "{of_another:?}");
    fs::write(&body, "{\"id\":\"evt_1\"}\n")?;
    let longer = verify(&[]).await?;
    let said = String::from_utf8_lossy(&longer.stderr);
    assert!(longer.status.code() == Some(1) && said.contains("a line break at its end"), "{longer:?}");
    world.end().await
}
