//! A provider of generation models on a loopback port: keeps what it was asked, and answers as the test says.

use super::Received;
use super::until;
use futures_util::{StreamExt, stream};
use poem::http::{Method, StatusCode};
use poem::listener::TcpAcceptor;
use poem::{Body, Endpoint, Request, Response, Server};
use serde_json::{Value, json};
use std::io;
use std::net::TcpListener;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::task::JoinHandle;

/// A PNG of one pixel, in base64.
pub const PIXEL: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/// What a provider answers.
#[derive(Debug, Clone)]
pub enum Reply {
    /// This status and this JSON.
    Json(u16, Value),
    /// These bytes, as this media type.
    Bytes(Vec<u8>, &'static str),
    /// Go there.
    Redirect(String),
    /// Nothing, ever.
    Silence,
    /// The beginning of an answer, and then nothing, ever.
    Beginning(&'static str),
}

impl Reply {
    /// A prediction of Cog's that has succeeded with this output.
    pub fn predicted(output: impl Into<Value>) -> Self {
        Self::Json(200, json!({ "status": "succeeded", "output": output.into() }))
    }

    /// What a chat model answers that asks for these tools.
    pub fn calling(calls: &[(&str, Value)]) -> Self {
        let call = |(place, (name, arguments)): (usize, &(&str, Value))| {
            let function = json!({ "name": name, "arguments": arguments.to_string() });
            json!({ "id": place.to_string(), "type": "function", "function": function })
        };
        let calls: Vec<Value> = calls.iter().enumerate().map(call).collect();
        let message = json!({ "role": "assistant", "content": null, "tool_calls": calls });
        Self::Json(200, json!({ "choices": [{ "message": message }] }))
    }

    /// A prediction of Cog's that has succeeded, with the picture of one pixel in the answer itself.
    pub fn pixel() -> Self {
        Self::predicted(format!("data:image/png;base64,{PIXEL}"))
    }
}

type Script = Arc<dyn Fn(&Method, &str, usize, &[u8]) -> Reply + Send + Sync>;

struct Desk {
    asked: Mutex<Vec<(Method, Received)>>,
    script: Mutex<Script>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Endpoint for Desk {
    type Output = Response;

    async fn call(&self, mut request: Request) -> poem::Result<Response> {
        let (method, path) = (request.method().clone(), request.uri().to_string());
        let (headers, body) = (request.headers().clone(), request.take_body().into_bytes().await?);
        let before = {
            let mut asked = lock(&self.asked);
            let before = asked.iter().filter(|(one, _)| *one == method).count();
            asked.push((method.clone(), Received { path: path.clone(), headers, body: body.clone() }));
            before
        };
        let script = Arc::clone(&lock(&self.script));
        Ok(match script(&method, &path, before, &body) {
            Reply::Json(status, json) => {
                let status = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
                Response::builder().status(status).content_type("application/json").body(json.to_string())
            }
            Reply::Bytes(bytes, kind) => Response::builder().content_type(kind).body(bytes),
            Reply::Redirect(to) => Response::builder().status(StatusCode::FOUND).header("location", to).body(()),
            Reply::Silence => std::future::pending().await,
            Reply::Beginning(text) => {
                let begun = stream::iter([Ok::<_, io::Error>(text.as_bytes())]).chain(stream::pending());
                Response::builder().content_type("application/json").body(Body::from_bytes_stream(begun))
            }
        })
    }
}

/// A provider; it is gone when this is dropped.
pub struct Provider {
    /// Where it is, over plain http.
    pub url: String,
    desk: Arc<Desk>,
    serving: JoinHandle<io::Result<()>>,
}

impl Provider {
    /// One that answers by method, path, and how many requests of that method came before.
    pub fn start(script: impl Fn(&Method, &str, usize) -> Reply + Send + Sync + 'static) -> anyhow::Result<Self> {
        Self::scripted(Arc::new(move |method, path, before, _| script(method, path, before)))
    }

    /// One that answers by what it is sent, and how many requests of that method came before.
    pub fn chatting(script: impl Fn(&Value, usize) -> Reply + Send + Sync + 'static) -> anyhow::Result<Self> {
        Self::scripted(Arc::new(move |_, _, before, body| {
            script(&serde_json::from_slice(body).unwrap_or_default(), before)
        }))
    }

    fn scripted(script: Script) -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        listener.set_nonblocking(true)?;
        let url = format!("http://{}", listener.local_addr()?);
        let desk = Arc::new(Desk { asked: Mutex::default(), script: Mutex::new(script) });
        let server = Server::new_with_acceptor(TcpAcceptor::from_std(listener)?);
        let serving = tokio::spawn(server.run(Arc::clone(&desk)));
        Ok(Self { url, desk, serving })
    }

    /// Answers so from now on.
    pub fn answer(&self, script: impl Fn(&Method, &str, usize) -> Reply + Send + Sync + 'static) {
        lock(&self.desk.asked).clear();
        *lock(&self.desk.script) = Arc::new(move |method, path, before, _| script(method, path, before));
    }

    /// What it was asked, with which method.
    pub fn asked(&self, method: &Method) -> Vec<Received> {
        lock(&self.desk.asked).iter().filter(|(one, _)| one == method).map(|(_, received)| received.clone()).collect()
    }

    /// Waits until so many requests with this method have come, and returns all.
    pub async fn gets(&self, method: &Method, requests: usize) -> anyhow::Result<Vec<Received>> {
        until(&format!("{requests} requests have come"), async || {
            let asked = self.asked(method);
            Ok((asked.len() >= requests).then_some(asked))
        })
        .await
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        self.serving.abort();
    }
}
