//! The client of the HTTP interface: one request, its answer as JSON, a refusal as a [`Failure`].
//!
//! Answers stay JSON values, because what a server adds must reach `--json` unchanged. Nothing here knows a resource,
//! but for the upload of a file, which takes three requests, and the bytes behind an item's link.

mod download;
mod media_types;
mod retries;
mod source;
mod upload;

pub use download::Fetched;
pub use retries::Retries;
pub use source::{Access, As, access};
pub use upload::{READY_TIMEOUT, sha256, upload_file, wait_until_ready};

use crate::failure::{Failure, Refusal};
use crate::output::Out;
use anyhow::Context;
use api::http::API_PATH;
use reqwest::header::{HeaderName, HeaderValue};
use reqwest::{Method, Response};
use secrecy::ExposeSecret;
use serde_json::Value;
use std::fmt::Write;
use std::time::{Duration, Instant};

/// The longest that a probe of the service takes.
const PROBE_LIMIT: Duration = Duration::from_secs(5);

/// A client with an address and a key.
#[derive(Debug, Clone)]
pub struct Client {
    http: reqwest::Client,
    access: Access,
    out: Out,
}

/// One request to make.
#[derive(Debug)]
pub struct ApiRequest<'a> {
    /// Its method.
    pub method: Method,
    /// Its path below the base URL, with the query.
    pub path: &'a str,
    /// The JSON body.
    pub body: Option<&'a Value>,
    /// Headers beside the usual ones.
    pub headers: &'a [(&'a str, &'a str)],
}

impl Client {
    /// A client for this address and key.
    pub fn new(access: Access, out: Out) -> anyhow::Result<Self> {
        out.trace(&format!("credentials from {}", access.source));
        Ok(Self { http: runtime::outbound::trusted_client(&[])?, access, out })
    }

    /// The address and the key that it uses.
    pub fn access(&self) -> &Access {
        &self.access
    }

    /// `GET`.
    pub async fn get(&self, path: &str) -> Result<Value, Failure> {
        self.call(ApiRequest { method: Method::GET, path, body: None, headers: &[] }).await
    }

    /// `POST`.
    pub async fn post(&self, path: &str, body: &Value) -> Result<Value, Failure> {
        self.call(ApiRequest { method: Method::POST, path, body: Some(body), headers: &[] }).await
    }

    /// `PATCH`.
    pub async fn patch(&self, path: &str, body: &Value) -> Result<Value, Failure> {
        self.call(ApiRequest { method: Method::PATCH, path, body: Some(body), headers: &[] }).await
    }

    /// `DELETE`.
    pub async fn delete(&self, path: &str) -> Result<Value, Failure> {
        self.call(ApiRequest { method: Method::DELETE, path, body: None, headers: &[] }).await
    }

    /// Whether the service says that its worker can start no decoder. Where `/readyz` can't be reached: false.
    pub async fn can_decode_nothing(&self) -> bool {
        let Some(root) = self.access.base_url.strip_suffix(API_PATH) else { return false };
        let Ok(response) = self.http.get(format!("{root}/readyz")).timeout(PROBE_LIMIT).send().await else {
            return false;
        };
        let said: Value = response.json().await.unwrap_or_default();
        said["decoders"] == "refused"
    }

    /// Calls a tool. Returns the answer's `data`.
    pub async fn tool(&self, name: &str, arguments: &Value) -> Result<Value, Failure> {
        self.tool_with(name, arguments, &[]).await
    }

    /// Calls a tool with these headers. Returns the answer's `data`.
    pub async fn tool_with(&self, name: &str, arguments: &Value, headers: &[(&str, &str)]) -> Result<Value, Failure> {
        let path = format!("/tools/{name}");
        let call = ApiRequest { method: Method::POST, path: &path, body: Some(arguments), headers };
        Ok(self.call(call).await?["data"].take())
    }

    /// Makes the request and reads its answer.
    pub async fn call(&self, call: ApiRequest<'_>) -> Result<Value, Failure> {
        let response = self.open(call).await?;
        let text = response.bytes().await.map_err(|error| self.unreachable(&error))?;
        Ok(serde_json::from_slice(&text).unwrap_or(Value::Null))
    }

    /// Sends the request, and returns once it has succeeded. The caller reads the body, which is still to come.
    pub async fn open(&self, call: ApiRequest<'_>) -> Result<Response, Failure> {
        let url = format!("{}{}", self.access.base_url, call.path);
        let mut request = self.http.request(call.method.clone(), &url).bearer_auth(self.access.key.expose_secret());
        for (name, value) in call.headers {
            let name: HeaderName = name.parse().with_context(|| format!("`{name}` is no header's name"))?;
            let value = HeaderValue::from_str(value).with_context(|| format!("`{name}` can't have that value"))?;
            request = request.header(name, value);
        }
        if let Some(body) = call.body {
            request = request.json(body);
        }
        let began = Instant::now();
        let response = request.send().await.map_err(|error| self.unreachable(&error))?;
        let status = response.status();
        let id = response.headers().get("x-request-id").and_then(|id| id.to_str().ok()).map(str::to_owned);
        let took_ms = began.elapsed().as_millis();
        let shown = id.as_deref().unwrap_or("-");
        self.out.trace(&format!("{} {} {} {took_ms} ms {shown}", call.method, call.path, status.as_u16()));
        if status.is_success() {
            return Ok(response);
        }
        let text = response.bytes().await.map_err(|error| self.unreachable(&error))?;
        let body: Value = serde_json::from_slice(&text).unwrap_or(Value::Null);
        let refusal = Refusal::read(status.as_u16(), &body, id.as_deref()).of_route(call.path);
        Err(misplaced(&self.access, &refusal).unwrap_or_else(|| Failure::Refused(Box::new(refusal))))
    }

    /// The failure when no answer comes, or it breaks off.
    pub fn unreachable(&self, error: &reqwest::Error) -> Failure {
        let url = &self.access.base_url;
        let why = if error.is_connect() {
            format!(
                "nothing answers at {url}\n  next: start the service with `mws up`, or name another with --base-url"
            )
        } else if error.is_timeout() {
            format!("no answer from {url} in time")
        } else {
            format!("the connection to {url} broke: {}", root_cause(error))
        };
        Failure::TryLater(why)
    }
}

/// The failure for a path that is not found because the base URL is not the API's.
fn misplaced(access: &Access, refusal: &Refusal) -> Option<Failure> {
    let Access { base_url, source, .. } = access;
    // Only an unknown path has these codes: a missing object has a code of its own.
    let is_no_path = refusal.status == 404 && ["route_not_found", "http_404"].contains(&refusal.code.as_str());
    if !is_no_path || base_url.ends_with(API_PATH) {
        return None;
    }
    Some(Failure::Usage(format!(
        "{base_url} is not where the API is: every path of it begins with {API_PATH}, and this URL (from {source}) does \
         not end in that\n  next: --base-url {base_url}{API_PATH}, or the same in MWS_BASE_URL or in your profile's base_url"
    )))
}

/// Only the innermost error says what went wrong.
fn root_cause(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}

/// A text, escaped as one segment of a path.
pub fn part(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            escaped.push(char::from(byte));
        } else {
            let _infallible = write!(escaped, "%{byte:02X}");
        }
    }
    escaped
}

/// A query string of the parameters that have a value.
pub fn query(parameters: &[(&str, Option<String>)]) -> String {
    let given = parameters.iter().filter_map(|(name, value)| Some(format!("{name}={}", part(value.as_ref()?))));
    let joined = given.collect::<Vec<_>>().join("&");
    if joined.is_empty() { joined } else { format!("?{joined}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_base_url_that_is_not_the_apis_is_told_with_the_one_that_may_be() {
        let access = |url: &str| Access {
            base_url: url.to_owned(),
            key: "mws_key".to_owned().into(),
            source: "flags and the environment".to_owned(),
        };
        let refused = |status, code: &str| Refusal::read(status, &json!({ "error": { "code": code } }), None);
        let Some(Failure::Usage(said)) = misplaced(&access("http://here:8080"), &refused(404, "route_not_found"))
        else {
            panic!("it should be told")
        };
        assert!(
            said.contains("--base-url http://here:8080/api/v1") && said.contains("flags and the environment"),
            "{said}"
        );
        // The answer of another kind of server.
        let page = Refusal::read(404, &Value::Null, None);
        assert!(misplaced(&access("http://here"), &page).is_some());
        assert!(misplaced(&access("http://here:8080/api/v1"), &refused(404, "route_not_found")).is_none());
        assert!(misplaced(&access("http://here/v1"), &refused(404, "item_not_found")).is_none());
        assert!(misplaced(&access("http://here"), &refused(401, "unauthenticated")).is_none());
    }

    #[test]
    fn what_a_user_typed_stays_one_part_of_a_path_or_a_query() {
        assert_eq!(part("itm_01/../keys?x=é"), "itm_01%2F..%2Fkeys%3Fx%3D%C3%A9");
        assert_eq!(query(&[("a", None), ("b", Some("x&y".to_owned())), ("c", Some("1".to_owned()))]), "?b=x%26y&c=1");
        assert_eq!(query(&[("a", None)]), "");
    }
}
