//! What operators do, and that nobody else does it (contract §11).

mod accounts;
mod bulk;
mod bulk_reruns;
mod credits;
mod erasing;
mod keys;
mod portal;
mod retention;
mod stopping;
mod webhooks;
pub mod work;

use mws_tests::world::{Answer, Client, World};
use serde_json::Value;

pub const ANNA: &str = "token-of-anna-who-acts";
pub const BO: &str = "token-of-bo-who-reads";

/// A service with two operators beside the nameless one.
pub async fn stage() -> anyhow::Result<(World, Client)> {
    let world =
        World::with(|settings| settings.operator_tokens = Some(format!("anna:act:{ANNA},bo:read:{BO}").into())).await?;
    let anna = world.client(Some(ANNA.to_owned()));
    Ok((world, anna))
}

/// Sends a request with this body, where the method has one.
pub async fn send(client: &Client, method: &str, path: &str, body: &Value) -> anyhow::Result<Answer> {
    let body = (method != "GET" && method != "DELETE").then(|| body.to_string());
    client.send(method, path, &[], body).await
}

/// The answer's body; the status must be the one wanted.
pub async fn done(client: &Client, method: &str, path: &str, body: &Value, status: u16) -> anyhow::Result<Value> {
    let answer = send(client, method, path, body).await?;
    anyhow::ensure!(answer.status == status, "{method} {path} answered {}: {}", answer.status, answer.text);
    Ok(answer.json)
}

/// What a GET answers.
pub async fn get(client: &Client, path: &str) -> anyhow::Result<Value> {
    done(client, "GET", path, &Value::Null, 200).await
}

/// A text in an answer; empty when there is none.
pub fn text(value: &Value, pointer: &str) -> String {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Status and code.
pub fn refusal(answer: &Answer) -> (u16, &str) {
    (answer.status, answer.code())
}

/// `action target` of every change, the first one first; looks are left out.
pub async fn log(client: &Client) -> anyhow::Result<Vec<String>> {
    let list = get(client, "/operator/audit?limit=100").await?;
    let rows = list["data"].as_array().into_iter().flatten().rev().filter(|row| row["action"] != "view");
    Ok(rows.map(|row| format!("{} {}", text(row, "/action"), text(row, "/target"))).collect())
}
