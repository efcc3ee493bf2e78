//! Somebody with a browser, for pages: it follows nothing by itself, keeps one cookie, and sends forms as pages do.

use super::World;
use anyhow::ensure;
use reqwest::redirect::Policy;
use reqwest::{Client, Method, RequestBuilder, Response, StatusCode, header};

/// A browser at a service's pages.
#[derive(Debug)]
pub struct Browser {
    http: Client,
    base: String,
    /// What it shows with each request: a name and a value.
    pub cookie: Option<String>,
}

impl Browser {
    /// One that nobody knows.
    pub fn new(world: &World) -> anyhow::Result<Self> {
        #[expect(clippy::disallowed_methods, reason = "a client of the service, not the service as a client")]
        let http = Client::builder().redirect(Policy::none()).no_proxy().build()?;
        Ok(Self { http, base: world.base_url().to_owned(), cookie: None })
    }

    /// One that has sent this form of a page of ours, and keeps the cookie that it was given for it.
    pub async fn signed_in_by(world: &World, path: &str, fields: &[(&str, &str)]) -> anyhow::Result<Self> {
        let mut browser = Self::new(world)?;
        let answer = browser.post(path, fields).await?;
        ensure!(answer.status() == StatusCode::SEE_OTHER, "not signed in: {}", answer.status());
        let cookie = answer.headers()[header::SET_COOKIE].to_str()?.to_owned();
        browser.cookie = cookie.split(';').next().map(str::to_owned);
        Ok(browser)
    }

    /// A request with its cookie.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.http.request(method, format!("{}{path}", self.base));
        match &self.cookie {
            Some(cookie) => request.header(header::COOKIE, cookie),
            None => request,
        }
    }

    /// A page.
    pub async fn get(&self, path: &str) -> anyhow::Result<(StatusCode, String)> {
        let answer = self.request(Method::GET, path).send().await?;
        Ok((answer.status(), answer.text().await?))
    }

    /// A form that nobody says the origin of.
    pub fn form(&self, path: &str, fields: &[(&str, &str)]) -> RequestBuilder {
        let body = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        let request = self.request(Method::POST, path).body(body);
        request.header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
    }

    /// A form of a page of ours.
    pub async fn post(&self, path: &str, fields: &[(&str, &str)]) -> anyhow::Result<Response> {
        Ok(self.form(path, fields).header(header::ORIGIN, &self.base).send().await?)
    }
}
