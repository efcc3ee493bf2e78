//! `mws admin keys` as an operator runs it: the program itself, beside a real api.

use crate::operator::as_operator;
use mws_tests::world::World;
use serde_json::Value;

const TOKEN: &str = "token-of-anna-who-acts";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_account_without_a_key_gets_one_by_the_command_that_its_portal_names() -> anyhow::Result<()> {
    let world = World::with(|settings| settings.operator_tokens = Some(format!("anna:act:{TOKEN}").into())).await?;
    let admin = async |arguments: &[&str]| as_operator(&world, TOKEN, &[&["admin"][..], arguments].concat()).await;
    let opened: Value = serde_json::from_slice(&admin(&["accounts", "create", "Example", "--json"]).await?.stdout)?;
    let account = opened["account"]["id"].as_str().unwrap_or_default();
    let refused = admin(&["accounts", "portal", account]).await?;
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    let next = format!("next: `mws admin keys create --account {account}` makes one.");
    assert!(refused.status.code() == Some(4) && said.contains(&next), "{said}");

    let made = admin(&["keys", "create", "--account", account, "--name", "first"]).await?;
    let key = String::from_utf8(made.stdout.clone())?.trim().to_owned();
    assert!(made.status.success() && key.starts_with("es_live_"), "the key alone: {made:?}");
    let whose = world.client(Some(key)).send("GET", "/keys", &[], None).await?;
    assert_eq!(whose.json["data"][0]["name"], "first", "{}", whose.text);
    let linked = admin(&["accounts", "portal", account]).await?;
    assert!(String::from_utf8_lossy(&linked.stdout).contains("/portal/in/epc_"), "{linked:?}");
    world.end().await
}
