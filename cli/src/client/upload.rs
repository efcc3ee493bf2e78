//! Sends a file: announces it, sends the bytes to the URL in the answer, and completes it. A connection that breaks
//! loses only the bytes on their way.

use super::media_types::content_type;
use super::retries::{MOST_IN_VAIN, Retries, may_pass};
use super::{Client, part};
use crate::failure::{Failure, Refusal};
use anyhow::Context;
use reqwest::{Body, RequestBuilder, StatusCode, header};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::io::SeekFrom;
use std::path::Path;
use std::time::{Duration, Instant};
use tokio::fs::File;
use tokio::io::{AsyncReadExt, AsyncSeekExt};
use tokio_util::io::ReaderStream;

/// The shortest time between two requests that wait for an item.
const LOOK: Duration = Duration::from_millis(300);
/// Seconds that the service waits for an item to be ready before it answers.
const WAIT_S: u64 = 10;
/// The time between two questions whether the service can start a decoder at all, while an item is processed. The first
/// comes as late: until then another worker may take the item.
const BETWEEN_LOOKS: Duration = Duration::from_secs(8);
/// The longest wait for an item, unless `--timeout` gives another.
pub const READY_TIMEOUT: Duration = Duration::from_mins(15);
/// How long the service may take to say how many bytes it has.
const ASKING: Duration = Duration::from_secs(30);
/// The codes for a request that appends at another place than where the service's bytes end: it says where that is.
const GO_ON: [&str; 2] = ["upload_offset_mismatch", "chunk_mismatch"];
/// The media type of a request that appends bytes.
const APPENDED: &str = "application/offset+octet-stream";
/// Bytes that are read at a time.
const READ_BYTES: usize = 64 << 10;

/// A file's SHA-256 in hexadecimal.
pub async fn sha256(path: &Path) -> anyhow::Result<String> {
    let mut file = File::open(path).await.with_context(|| format!("{} can't be opened", path.display()))?;
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

/// Uploads a file under this name. Returns its item, which is still being inspected; these reads start once it is
/// ready.
pub async fn upload_file(client: &Client, path: &Path, name: &str, reads: &[&str]) -> Result<Value, Failure> {
    let content_type = content_type(name).ok_or_else(|| {
        Failure::Usage(format!("`{name}` does not end like a media file; --name gives it a name that does"))
    })?;
    let bytes = tokio::fs::metadata(path).await.with_context(|| format!("{} can't be opened", path.display()))?.len();
    let mut announced =
        json!({ "filename": name, "content_type": content_type, "bytes": bytes, "sha256": sha256(path).await? });
    if !reads.is_empty() {
        announced["reads"] = json!(reads);
    }
    let upload = client.post("/uploads", &announced).await?;
    // The usual client, which waits 30 seconds for an answer, would give up on a large file.
    let sending = runtime::outbound::sending_client(&[]).context("no client can be made")?;
    let sender = Sender { client, sending, path, bytes, presigned: &upload["upload"] };
    match sender.bucket_links()? {
        links if links.is_empty() => sender.send().await?,
        links => sender.send_to_bucket(links, content_type).await?,
    }
    let id = upload["id"].as_str().unwrap_or_default();
    client.post(&format!("/uploads/{}/complete", part(id)), &json!({})).await
}

/// A file that is being sent: to the service by tus 1.0.0, so that it resumes where the service's bytes end when the
/// connection breaks; or, in parts, to a bucket.
struct Sender<'a> {
    client: &'a Client,
    sending: reqwest::Client,
    path: &'a Path,
    bytes: u64,
    /// The answer's `upload`.
    presigned: &'a Value,
}

/// A part of the file, and the URL at which a bucket takes it.
struct BucketLink<'a> {
    start: u64,
    bytes: u64,
    url: &'a str,
}

impl<'a> BucketLink<'a> {
    fn of(part: &'a Value) -> Option<Self> {
        Some(Self { start: part["start"].as_u64()?, bytes: part["bytes"].as_u64()?, url: part["url"].as_str()? })
    }
}

impl Sender<'_> {
    fn url(&self) -> &str {
        let named = ["resumable_url", "url"].map(|name| self.presigned[name].as_str());
        named.into_iter().flatten().next().unwrap_or_default()
    }

    /// Returns the parts and their URLs at a bucket; empty where the service itself takes the file.
    fn bucket_links(&self) -> Result<Vec<BucketLink<'_>>, Failure> {
        if let Some(parts) = self.presigned["parts"].as_array() {
            let links: Option<Vec<_>> = parts.iter().map(BucketLink::of).collect();
            return Ok(links.context("the answer holds a part that can't be read")?);
        }
        let url = self.presigned["url"].as_str().context("the answer holds no URL to send the bytes to")?;
        let is_elsewhere = url != self.url();
        Ok(is_elsewhere.then_some(BucketLink { start: 0, bytes: self.bytes, url }).into_iter().collect())
    }

    /// Puts every part at its URL, and once more one that was cut off.
    async fn send_to_bucket(&self, links: Vec<BucketLink<'_>>, content_type: &str) -> Result<(), Failure> {
        for link in links {
            let mut in_vain = 0;
            while let Err(failure) = self.put(&link, content_type).await {
                in_vain += 1;
                if in_vain >= MOST_IN_VAIN || !is_passing(&failure) {
                    return Err(failure);
                }
                let wait = Duration::from_secs(1 << in_vain);
                self.client.out.say(&format!(
                    "The bytes are sent again in {} s: {}",
                    wait.as_secs(),
                    failure.message()
                ));
                tokio::time::sleep(wait).await;
            }
        }
        Ok(())
    }

    async fn put(&self, link: &BucketLink<'_>, content_type: &str) -> Result<(), Failure> {
        let body = self.body(link.start, link.bytes).await?;
        let request = self.sending.put(link.url).header("content-length", link.bytes).body(body);
        let response = request.header(header::CONTENT_TYPE, content_type).send().await;
        let status = response.map_err(|error| self.client.unreachable(&error))?.status();
        self.client.out.trace(&format!("PUT {} bytes to the bucket: {}", link.bytes, status.as_u16()));
        match status {
            status if status.is_success() => Ok(()),
            status if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS => {
                Err(Failure::TryLater(format!("the bucket answers with status {}", status.as_u16())))
            }
            status => Err(Failure::Work(format!("the bucket refuses the file with status {}", status.as_u16()))),
        }
    }

    /// A body of `bytes` bytes of the file from the offset `start` on, read while they are sent.
    async fn body(&self, start: u64, bytes: u64) -> Result<Body, Failure> {
        let mut file =
            File::open(self.path).await.with_context(|| format!("{} can't be opened", self.path.display()))?;
        file.seek(SeekFrom::Start(start)).await?;
        Ok(Body::wrap_stream(ReaderStream::with_capacity(file.take(bytes), READ_BYTES)))
    }

    async fn send(&self) -> Result<(), Failure> {
        let (mut at, mut in_vain) = (0, 0);
        loop {
            let (wait, failure) = match self.send_from(at).await {
                Ok(reached) if reached >= self.bytes => return Ok(()),
                Ok(reached) => (Duration::ZERO, Failure::Work(format!("the service took {reached} bytes and no more"))),
                Err(failure) if is_passing(&failure) => (Duration::from_secs(1 << in_vain), failure),
                Err(failure) => return Err(failure),
            };
            if !wait.is_zero() {
                self.client.out.say(&format!(
                    "The bytes are sent again in {} s: {}",
                    wait.as_secs(),
                    failure.message()
                ));
            }
            tokio::time::sleep(wait).await;
            // Where the service can't be asked, the next attempt finds out.
            let reached = self.ask_offset().await.unwrap_or(at);
            in_vain = if reached > at { 0 } else { in_vain + 1 };
            if in_vain >= MOST_IN_VAIN {
                return Err(failure);
            }
            self.client.out.trace(&format!("the upload goes on at {reached}"));
            at = reached;
        }
    }

    /// Sends the bytes from the offset `at` on. Returns how many the service has.
    async fn send_from(&self, at: u64) -> Result<u64, Failure> {
        let left = self.bytes.saturating_sub(at);
        let body = self.body(at, left).await?;
        let request = self.sending.patch(self.url()).header("content-length", left).header("upload-offset", at);
        self.send_request(request.header(header::CONTENT_TYPE, APPENDED).body(body)).await
    }

    /// Asks the service how many bytes it has.
    async fn ask_offset(&self) -> Result<u64, Failure> {
        self.send_request(self.sending.head(self.url()).timeout(ASKING)).await
    }

    async fn send_request(&self, request: RequestBuilder) -> Result<u64, Failure> {
        let response = request.header("tus-resumable", "1.0.0").send().await;
        let response = response.map_err(|error| self.client.unreachable(&error))?;
        let status = response.status();
        if status.is_success() {
            let offset = response.headers().get("upload-offset").and_then(|offset| offset.to_str().ok()?.parse().ok());
            return offset.ok_or_else(|| Failure::Work("the service does not say how far the bytes came".to_owned()));
        }
        let body = response.json().await.unwrap_or(Value::Null);
        Err(Failure::Refused(Box::new(Refusal::read(status.as_u16(), &body, None))))
    }
}

/// Whether another attempt may succeed, now or from where the service's bytes end.
fn is_passing(failure: &Failure) -> bool {
    may_pass(failure) || matches!(failure, Failure::Refused(refusal) if GO_ON.contains(&refusal.code.as_str()))
}

/// Waits until the item was inspected, and returns it. Fails if its file can't be read, if the service says that it can
/// start no decoder, and once it has waited for `limit`.
pub async fn wait_until_ready(client: &Client, item: &str, limit: Duration) -> Result<Value, Failure> {
    let began = Instant::now();
    let (mut looked, mut retries) = (began, Retries::default());
    let path = format!("/library/items/{}?wait_seconds={WAIT_S}", part(item));
    loop {
        let asked = Instant::now();
        let found = match client.get(&path).await {
            Ok(found) => found,
            Err(failure) => {
                let next = format!("`mws items get {item}` says how it stands; the file was sent.");
                retries.wait(failure, &client.out, &next).await?;
                continue;
            }
        };
        retries = Retries::default();
        match found["status"].as_str() {
            Some("processing") => {
                let name = found["name"].as_str().unwrap_or(item);
                if began.elapsed() >= limit {
                    return Err(Failure::TryLater(still_processed(name, item, limit)));
                }
                if looked.elapsed() >= BETWEEN_LOOKS {
                    looked = Instant::now();
                    if client.can_decode_nothing().await {
                        return Err(Failure::TryLater(opened_by_nobody(name, item)));
                    }
                }
                // A service that can't wait answers at once.
                tokio::time::sleep(LOOK.saturating_sub(asked.elapsed())).await;
            }
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

fn opened_by_nobody(name: &str, item: &str) -> String {
    format!(
        "{name} was sent, and waits: the service can start no decoder (`decoders` of its /readyz), so nobody opens it\n  \
         next: `mws doctor`, where the service runs, says why. Then it goes on: `mws items get {item}`"
    )
}

fn still_processed(name: &str, item: &str, waited: Duration) -> String {
    let minutes = waited.as_secs() / 60;
    format!(
        "{name} was sent, and is still processed after {minutes} minutes, which goes on\n  \
         next: `mws items get {item}` says how it stands; --timeout 2h waits longer"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_waits_no_longer_is_told_where_to_look() {
        let said = still_processed("talk.mp4", "itm_1", READY_TIMEOUT);
        assert!(said.contains("after 15 minutes") && said.contains("`mws items get itm_1`"), "{said}");
        assert!(opened_by_nobody("talk.mp4", "itm_1").contains("`mws items get itm_1`"));
    }
}
