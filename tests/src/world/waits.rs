//! What tests wait for that no row of the database shows: calls that stand in a line or are let in, items that have
//! been looked at, and jobs that go on with the help of duties.

use super::{Answer, Client, World, until};
use anyhow::ensure;
use api::app::turns::Turns;
use serde_json::Value;
use tokio::task::JoinHandle;

/// Waits until this call stands in the line for one of these turns, in which nobody else stands. Fails if it ends
/// instead.
pub async fn in_line<K, T>(turns: &Turns<K>, call: &JoinHandle<T>, what: &str) -> anyhow::Result<()> {
    until(what, async || {
        ensure!(!call.is_finished(), "it waited for no turn: {what}");
        Ok((turns.waiting() > 0).then_some(()))
    })
    .await
}

/// Makes a call, and makes it again for as long as its answer says that it may succeed later. Of many calls at once a
/// busy machine may not get to each in the time that a call waits for its turn or for a lock.
pub async fn let_in(mut call: impl AsyncFnMut() -> anyhow::Result<Answer>) -> anyhow::Result<Answer> {
    until("it is let in", async || {
        let answer = call().await?;
        // Tools say it in so many words, and other routes by their status.
        let may_succeed_later = answer.json["error"]["retryable"] == true || answer.status == 429;
        Ok((!may_succeed_later || answer.code() == "internal").then_some(answer))
    })
    .await
}

impl Client {
    /// Waits until an item is ready or has failed, and answers it.
    pub async fn looked_at(&self, item: &str) -> anyhow::Result<Value> {
        let path = format!("/library/items/{item}");
        until("the item has been looked at", async || {
            let item = self.send("GET", &path, &[], None).await?.json;
            Ok((item["status"] == "ready" || item["status"] == "failed").then_some(item))
        })
        .await
    }
}

impl World {
    /// Waits until a job has that status, and answers it. The duties are run for as long as that takes: one run leaves
    /// out what workers hold at its moment.
    pub async fn brings(&self, client: &Client, job: &str, status: &str) -> anyhow::Result<Value> {
        until(&format!("the duties have brought {job} to {status}"), async || {
            Box::pin(self.duties()).await?;
            let job = client.job(job).await?;
            Ok((job["status"] == status).then_some(job))
        })
        .await
    }
}
