//! The demo's uploads. Files whose bytes the library has already are not sent again.

use crate::client::{Client, READY_TIMEOUT, sha256, upload_file, wait_until_ready};
use crate::failure::Failure;
use crate::output::Out;
use serde_json::Value;
use std::path::PathBuf;
use std::time::Instant;

/// Uploads these files. Returns their items, which are ready.
pub async fn upload(client: &Client, files: &[PathBuf], out: &Out) -> Result<Vec<Value>, Failure> {
    let known = client.get("/library/items?limit=100").await?;
    let known: Vec<&Value> = known["data"].as_array().into_iter().flatten().collect();
    let mut items = Vec::new();
    for file in files {
        let began = Instant::now();
        let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let hash = sha256(file).await?;
        let stored = known.iter().find(|item| item["sha256"] == hash && item["status"] == "ready");
        let (item, how) = if let Some(item) = stored {
            ((*item).clone(), "already in the library".to_owned())
        } else {
            let item = upload_file(client, file, &name, &[]).await?;
            let item = wait_until_ready(client, item["id"].as_str().unwrap_or_default(), READY_TIMEOUT).await?;
            (item, format!("uploaded and looked at in {:.1} s", began.elapsed().as_secs_f64()))
        };
        let kind = item["type"].as_str().unwrap_or("media");
        let seconds = item["duration_seconds"].as_f64().map(|seconds| format!(" of {seconds:.1} s"));
        out.say(&format!("✓ {name:<18} {kind}{}, {how}", seconds.unwrap_or_default()));
        items.push(item);
    }
    Ok(items)
}
