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
    let mut reports: Vec<Value> = Vec::new();
    // A busy machine may have time for a single look in the first of these.
    for time in ["7s", "20s", "60s"] {
        let done = watch(&["--json", "--timeout", time], TOKEN).await?;
        assert_eq!(done.status.code(), Some(6), "{done:?}");
        reports = String::from_utf8_lossy(&done.stdout).lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
        if reports.len() >= 2 {
            break;
        }
    }
    assert!(reports.len() >= 2, "{reports:?}");
    assert!(reports.iter().all(|report| report["state"] == "failing"), "no worker lives: {reports:?}");
    let refused = watch(&[], "another-token-of-somebody").await?;
    assert_eq!(refused.status.code(), Some(3), "{refused:?}");
    world.end().await
}
