//! Sending a file: announce it, send the bytes to the URL that comes back, say that it is whole.

use super::{Client, part};
use crate::failure::{Failure, Refusal};
use anyhow::Context;
use reqwest::Body;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::path::Path;
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio_util::io::ReaderStream;

/// How often an item that is looked at is asked for.
const LOOK: Duration = Duration::from_millis(300);

/// Media types by the end of a file's name.
const TYPES: [(&str, &str); 22] = [
    ("mp4", "video/mp4"),
    ("m4v", "video/x-m4v"),
    ("mov", "video/quicktime"),
    ("webm", "video/webm"),
    ("mkv", "video/x-matroska"),
    ("avi", "video/x-msvideo"),
    ("ts", "video/mp2t"),
    ("3gp", "video/3gpp"),
    ("mp3", "audio/mpeg"),
    ("wav", "audio/wav"),
    ("flac", "audio/flac"),
    ("ogg", "audio/ogg"),
    ("oga", "audio/ogg"),
    ("opus", "audio/opus"),
    ("m4a", "audio/mp4"),
    ("aac", "audio/aac"),
    ("mka", "audio/x-matroska"),
    ("png", "image/png"),
    ("jpg", "image/jpeg"),
    ("jpeg", "image/jpeg"),
    ("webp", "image/webp"),
    ("gif", "image/gif"),
];

/// The media type that a file's name speaks of.
fn content_type(name: &str) -> Option<&'static str> {
    let end = Path::new(name).extension()?.to_str()?.to_ascii_lowercase();
    TYPES.iter().find(|(known, _)| *known == end).map(|(_, media_type)| *media_type)
}

/// A file's SHA-256 in hexadecimal.
pub async fn sha256(path: &Path) -> anyhow::Result<String> {
    let mut file = tokio::fs::File::open(path).await.with_context(|| format!("{} can't be opened", path.display()))?;
    let mut hash = Sha256::new();
    let mut block = vec![0; 1 << 16];
    loop {
        let read = file.read(&mut block).await.with_context(|| format!("{} can't be read", path.display()))?;
        if read == 0 {
            return Ok(hex::encode(hash.finalize()));
        }
        hash.update(&block[..read]);
    }
}

/// Uploads a file under this name and answers its item, which is still being looked at.
pub async fn upload_file(client: &Client, path: &Path, name: &str) -> Result<Value, Failure> {
    let content_type = content_type(name).ok_or_else(|| {
        Failure::Usage(format!("`{name}` does not end like a media file; --name gives it a name that does"))
    })?;
    let file = tokio::fs::File::open(path).await.with_context(|| format!("{} can't be opened", path.display()))?;
    let bytes = file.metadata().await?.len();
    let announced =
        json!({ "filename": name, "content_type": content_type, "bytes": bytes, "sha256": sha256(path).await? });
    let upload = client.post("/uploads", &announced).await?;
    let presigned = &upload["upload"];
    let url = presigned["url"].as_str().context("the answer holds no URL to send the bytes to")?;
    // The client that waits 30 seconds for an answer would give up on a large file that is still being sent.
    let sending = runtime::outbound::sending_client(&[]).context("no client can be made")?;
    let mut request = sending.put(url).header("content-length", bytes).body(Body::wrap_stream(ReaderStream::new(file)));
    for (header, value) in presigned["headers"].as_object().into_iter().flatten() {
        if let Some(value) = value.as_str().filter(|_| !header.eq_ignore_ascii_case("content-length")) {
            request = request.header(header, value);
        }
    }
    let response = request.send().await.map_err(|error| client.unreachable(&error))?;
    let status = response.status();
    if !status.is_success() {
        let body = response.json().await.unwrap_or(Value::Null);
        return Err(Failure::Refused(Box::new(Refusal::read(status.as_u16(), &body, None))));
    }
    let id = upload["id"].as_str().unwrap_or_default();
    client.post(&format!("/uploads/{}/complete", part(id)), &json!({})).await
}

/// Waits until the item was looked at, and answers it; one that can't be read is a failure.
pub async fn wait_until_ready(client: &Client, item: &str) -> Result<Value, Failure> {
    loop {
        let found = client.get(&format!("/library/items/{}", part(item))).await?;
        match found["status"].as_str() {
            Some("processing") => tokio::time::sleep(LOOK).await,
            Some("failed") => {
                let error = &found["error"];
                let (code, message) = (error["code"].as_str(), error["message"].as_str());
                let name = found["name"].as_str().unwrap_or(item);
                let why = format!("{name}: {} ({})", message.unwrap_or_default(), code.unwrap_or("failed"));
                return Err(Failure::Work(why));
            }
            _ => return Ok(found),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::upload::is_taken;

    #[test]
    fn every_type_that_a_name_can_have_is_one_that_the_service_takes() {
        assert!(TYPES.iter().all(|(_, media_type)| is_taken(media_type)));
        assert_eq!(content_type("Talk.final.MP4"), Some("video/mp4"));
        assert_eq!(content_type("notes.txt"), None);
        assert_eq!(content_type("mp4"), None);
    }
}
