//! `mws health --watch` as an operator runs it: the program itself, beside a real api.

use crate::operator::as_operator;
use mws_tests::world::World;
use serde_json::Value;

const TOKEN: &str = "token-of-anna-who-acts";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_verdict_is_shown_anew_until_it_is_stopped() -> anyhow::Result<()> {
    let world = World::with(|settings| settings.operator_tokens = Some(format!("anna:act:{TOKEN}").into())).await?;
    let watch = async |arguments: &[&str], token: &str| {
        as_operator(&world, token, &[&["health", "--watch"][..], arguments].concat()).await
    };
    let done = watch(&["--json", "--timeout", "7s"], TOKEN).await?;
    assert_eq!(done.status.code(), Some(6), "{done:?}");
    let reports: Vec<Value> =
        String::from_utf8_lossy(&done.stdout).lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    assert!(reports.len() >= 2, "{done:?}");
    assert!(reports.iter().all(|report| report["state"] == "failing"), "no worker lives: {reports:?}");
    let refused = watch(&[], "another-token-of-somebody").await?;
    assert_eq!(refused.status.code(), Some(3), "{refused:?}");
    world.end().await
}
