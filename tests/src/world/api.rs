//! The api as its clients meet it: on a loopback port, by HTTP.

use super::{Proxy, until};
use anyhow::{Context, ensure};
use api::app::App;
use api::http::API_PATH;
use reqwest::Method;
use reqwest::header::{HeaderMap, HeaderValue};
use runtime::config::{ApiSettings, Settings};
use runtime::process::Process;
use serde_json::{Value, json};
use std::fmt::Display;
use std::net::{SocketAddr, TcpListener};
use tokio::task::JoinHandle;

/// Returns the message that calls a tool over MCP.
pub fn mcp_call(tool: &str, arguments: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": tool, "arguments": arguments } })
}

/// An api that listens.
pub(super) struct Api {
    address: SocketAddr,
    http: reqwest::Client,
    base: String,
    app: App,
    serving: JoinHandle<std::io::Result<()>>,
}

impl Api {
    pub(super) fn start(process: &Process, mut settings: ApiSettings) -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        settings.listen = address;
        let app = api::assemble(process.clone(), settings)?;
        let base = app.base_url.clone();
        tokio::spawn(api::start_reads_on_ready(app.clone()));
        let serving = tokio::spawn(api::serve(tokio::net::TcpListener::from_std(listener)?, app.clone()));
        // It never speaks TLS. Otherwise each world's client would read all roots of the machine.
        #[expect(clippy::disallowed_methods, reason = "a client of the service, not the service as a client")]
        let http = reqwest::Client::builder().no_proxy().tls_certs_only([]).build()?;
        Ok(Self { address, http, base, app, serving })
    }

    pub(super) fn app(&self) -> &App {
        &self.app
    }

    /// Works on projects until it is aborted.
    pub(super) fn agent(&self) -> JoinHandle<()> {
        tokio::spawn(api::work_on_projects(self.app.clone()))
    }

    /// Takes bulk operations of failed reads forward until it is aborted.
    pub(super) fn reruns(&self) -> JoinHandle<()> {
        tokio::spawn(api::run_failed_reads_again(self.app.clone()))
    }

    pub(super) fn client(&self, credential: Option<String>) -> Client {
        Client { http: self.http.clone(), base: self.base.clone(), credential }
    }

    pub(super) async fn stopped(self) -> anyhow::Result<()> {
        // Connections that are kept alive would be waited for.
        drop(self.http);
        self.serving.abort();
        match self.serving.await {
            Ok(served) => Ok(served?),
            Err(error) => {
                ensure!(error.is_cancelled(), "the api panicked: {error}");
                Ok(())
            }
        }
    }
}

/// Somebody who calls the api.
#[derive(Debug, Clone)]
pub struct Client {
    http: reqwest::Client,
    base: String,
    credential: Option<String>,
}

/// What came back.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body as it came.
    pub text: String,
    /// The body as JSON; null when it is none.
    pub json: Value,
}

impl Answer {
    /// The error's code, of either envelope.
    pub fn code(&self) -> &str {
        self.json["error"]["code"].as_str().unwrap_or_default()
    }

    /// A header's text; empty when it is not there.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// `data` of a tool's answer, which must be a 200.
    pub fn data(&self) -> anyhow::Result<&Value> {
        ensure!(self.status == 200, "answered {}: {}", self.status, self.text);
        Ok(&self.json["data"])
    }

    /// `data.job_ids`.
    pub fn job_ids(&self) -> anyhow::Result<Vec<String>> {
        let ids = self.data()?["job_ids"].as_array().context("no job_ids")?;
        Ok(ids.iter().filter_map(Value::as_str).map(str::to_owned).collect())
    }

    /// The answers of `prepare_media` for each ref and read, as `status` or `status:code`.
    pub fn reads(&self) -> anyhow::Result<Vec<Vec<String>>> {
        let items = self.data()?["items"].as_array().context("no items")?;
        let one = |read: &Value| match read["reason"]["code"].as_str() {
            Some(code) => format!("{}:{code}", read["status"].as_str().unwrap_or("?")),
            None if read["already_queued"] == true => "already_queued".to_owned(),
            None => read["status"].as_str().unwrap_or("?").to_owned(),
        };
        Ok(items.iter().map(|item| item["reads"].as_array().into_iter().flatten().map(one).collect()).collect())
    }
}

impl Client {
    /// The same caller with another credential, or none.
    #[must_use]
    pub fn as_one_with(&self, credential: Option<&str>) -> Self {
        Self { credential: credential.map(str::to_owned), ..self.clone() }
    }

    /// The same caller, whose paths begin at this URL.
    #[must_use]
    pub fn below(&self, base: &str) -> Self {
        Self { base: base.to_owned(), ..self.clone() }
    }

    /// Sends a message over MCP, as a client that keeps no session does.
    pub async fn mcp(&self, path: &str, message: &Value) -> anyhow::Result<Answer> {
        let headers = [("accept", "application/json, text/event-stream"), ("mcp-protocol-version", "2025-06-18")];
        self.send("POST", path, &headers, Some(message.to_string())).await
    }

    /// Sends a request below `/api/v1`.
    pub async fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<String>,
    ) -> anyhow::Result<Answer> {
        let method: Method = method.parse()?;
        let mut request = self.request(method, path);
        if let Some(body) = body {
            request = request.body(body);
            if !headers.iter().any(|(name, _)| *name == "content-type") {
                request = request.header("content-type", "application/json");
            }
        }
        for (name, value) in headers {
            request = request.header(*name, HeaderValue::from_bytes(value.as_bytes())?);
        }
        Self::answer(request).await
    }

    /// Puts a file where an upload said that it goes.
    pub async fn put(&self, url: &str, content_type: &str, bytes: Vec<u8>) -> anyhow::Result<Answer> {
        self.to(Method::PUT, url, &[("content-type", content_type)], bytes).await
    }

    /// Sends a request to a URL that the service gave out, without a credential.
    pub async fn to(
        &self,
        method: Method,
        url: &str,
        headers: &[(&str, &str)],
        bytes: Vec<u8>,
    ) -> anyhow::Result<Answer> {
        let mut request = self.http.request(method, url).body(bytes);
        for (name, value) in headers {
            request = request.header(*name, HeaderValue::from_bytes(value.as_bytes())?);
        }
        Self::answer(request).await
    }

    /// Posts a body in chunks, without saying how long it is.
    pub async fn send_chunked(&self, path: &str, body: String) -> anyhow::Result<Answer> {
        let chunks: Vec<_> = body.into_bytes().chunks(64 << 10).map(|chunk| Ok(chunk.to_vec())).collect();
        let chunks = futures_util::stream::iter(chunks as Vec<std::io::Result<Vec<u8>>>);
        let request = self.request(Method::POST, path).header("content-type", "application/json");
        Self::answer(request.body(reqwest::Body::wrap_stream(chunks))).await
    }

    /// What a GET of this path answers, whatever bytes they are; it must be a 2xx.
    pub async fn bytes(&self, path: &str) -> anyhow::Result<Vec<u8>> {
        let response = self.request(Method::GET, path).send().await?.error_for_status()?;
        Ok(response.bytes().await?.to_vec())
    }

    pub(super) fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        let request = self.http.request(method, format!("{}{path}", self.base));
        match &self.credential {
            Some(credential) => request.bearer_auth(credential),
            None => request,
        }
    }

    async fn answer(request: reqwest::RequestBuilder) -> anyhow::Result<Answer> {
        let response = request.send().await?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        // A stream has no end worth waiting for: that it was opened is the answer.
        let kind = headers.get("content-type").and_then(|value| value.to_str().ok()).unwrap_or_default();
        let text = if kind.starts_with("text/event-stream") { String::new() } else { response.text().await? };
        let json = serde_json::from_str(&text).unwrap_or_default();
        Ok(Answer { status, headers, text, json })
    }

    /// Posts this body.
    pub async fn post(&self, path: &str, body: &Value) -> anyhow::Result<Answer> {
        self.send("POST", path, &[], Some(body.to_string())).await
    }

    /// Announces a WAV file of so many bytes, with these fields beside what every announcement has. Returns the upload.
    pub async fn announce(&self, bytes: usize, more: &Value) -> anyhow::Result<Value> {
        let mut body = json!({ "filename": "a.wav", "content_type": "audio/wav", "bytes": bytes });
        for (name, value) in more.as_object().into_iter().flatten() {
            body[name] = value.clone();
        }
        let made = self.post("/uploads", &body).await?;
        ensure!(made.status == 201, "POST /uploads: {}", made.text);
        Ok(made.json)
    }

    /// Sends the bytes of an upload that was announced, and completes it. Returns its item's id.
    pub async fn send_announced(&self, upload: &Value, bytes: &[u8]) -> anyhow::Result<String> {
        let url = upload["upload"]["url"].as_str().context("no URL")?;
        let sent = self.put(url, "audio/wav", bytes.to_vec()).await?;
        ensure!(sent.status == 200, "PUT {url}: {}", sent.text);
        let path = format!("/uploads/{}/complete", upload["id"].as_str().context("no id")?);
        let completed = self.send("POST", &path, &[], None).await?;
        ensure!(completed.status == 200, "POST {path}: {}", completed.text);
        Ok(upload["item_id"].as_str().context("no item")?.to_owned())
    }

    /// Calls a tool.
    pub async fn tool(&self, name: &str, body: &Value) -> anyhow::Result<Answer> {
        self.send("POST", &format!("/tools/{name}"), &[], Some(body.to_string())).await
    }

    /// Calls `prepare_media`.
    pub async fn prepare<R: Display>(&self, refs: &[R], reads: &[&str]) -> anyhow::Result<Answer> {
        self.tool("prepare_media", &wish(refs, reads)).await
    }

    /// The same under an idempotency key.
    pub async fn prepare_once<R: Display>(&self, key: &str, refs: &[R], reads: &[&str]) -> anyhow::Result<Answer> {
        let body = wish(refs, reads).to_string();
        self.send("POST", "/tools/prepare_media", &[("Idempotency-Key", key)], Some(body)).await
    }

    /// The jobs with these ids, in their order.
    pub async fn jobs<R: Display>(&self, ids: &[R]) -> anyhow::Result<Vec<Value>> {
        let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
        let answer = self.tool("get_jobs", &json!({ "job_ids": ids })).await?;
        Ok(answer.data()?["jobs"].as_array().cloned().unwrap_or_default())
    }

    /// One job.
    pub async fn job(&self, id: &str) -> anyhow::Result<Value> {
        self.jobs(&[id]).await?.into_iter().next().with_context(|| format!("there is no {id}"))
    }
}

impl Client {
    /// Waits until these jobs have ended, and answers them.
    pub async fn ended<R: Display>(&self, ids: &[R]) -> anyhow::Result<Vec<Value>> {
        until(&format!("{} jobs have ended", ids.len()), async || {
            let jobs = self.jobs(ids).await?;
            let live = |job: &Value| job["status"] == "queued" || job["status"] == "running";
            Ok((!jobs.iter().any(live)).then_some(jobs))
        })
        .await
    }

    /// Waits until this job has that status, and answers it.
    pub async fn reaches(&self, id: &str, status: &str) -> anyhow::Result<Value> {
        until(&format!("{id} is {status}"), async || {
            let job = self.job(id).await?;
            Ok((job["status"] == status).then_some(job))
        })
        .await
    }
}

fn wish<R: Display>(refs: &[R], reads: &[&str]) -> Value {
    let refs: Vec<String> = refs.iter().map(ToString::to_string).collect();
    json!({ "refs": refs, "reads": reads })
}

impl super::World {
    /// Another api of this service, which reaches the database through `proxy`: its process, which ends it, and
    /// somebody without a credential who calls it.
    pub async fn api_behind(&self, proxy: &Proxy) -> anyhow::Result<(Process, Client)> {
        self.api_at(&proxy.url).await
    }

    /// Another api of this service over the database at this URL, as [`Self::api_behind`] returns it.
    pub async fn api_at(&self, database_url: &str) -> anyhow::Result<(Process, Client)> {
        self.api_with(|settings| settings.database_url = Some(database_url.to_owned())).await
    }

    /// Another api of this service with other settings, as [`Self::api_behind`] returns it.
    pub async fn api_with(&self, change: impl FnOnce(&mut Settings)) -> anyhow::Result<(Process, Client)> {
        let mut settings = self.settings.clone();
        change(&mut settings);
        another(settings, super::FREE_DISK).await
    }

    /// Another api of this service on a disk of which so much is free, as [`Self::api_behind`] returns it.
    pub async fn api_on_disk(&self, free: f64) -> anyhow::Result<(Process, Client)> {
        another(self.settings.clone(), free).await
    }

    /// A caller with this credential, or none.
    pub fn client(&self, credential: Option<String>) -> Client {
        self.api.client(credential)
    }

    /// Where the api listens, whatever its links say.
    pub fn address(&self) -> SocketAddr {
        self.api.address
    }

    /// Where the interface begins, with the port.
    pub fn base_url(&self) -> &str {
        self.api.base.trim_end_matches(API_PATH)
    }
}

/// Another api with these settings on a disk of which so much is free, and somebody without a credential who calls it.
async fn another(settings: Settings, free: f64) -> anyhow::Result<(Process, Client)> {
    let mut process = Process::start(settings, super::CONNECTIONS, "api").await?;
    process.media = process.media.with_free_ratio(free);
    let api = Api::start(&process, super::settings::api()?)?;
    Ok((process, api.client(None)))
}
