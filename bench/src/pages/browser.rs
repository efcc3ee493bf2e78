//! A browser that is signed in to the console or to the portal, by a one-time link as people are.

use crate::load::OPERATOR;
use anyhow::{Context, ensure};
use domain::credential::ApiKey;
use reqwest::header::{CONTENT_TYPE, COOKIE, ORIGIN, SET_COOKIE};
use reqwest::{Client, RequestBuilder, StatusCode};
use serde_json::{Value, json};
use std::time::Instant;

/// The browser.
pub struct Browser<'a> {
    http: &'a Client,
    base: &'a str,
    cookie: String,
    /// The code of another link, which is not used up.
    pub code: String,
}

/// A page that came.
pub struct Page {
    /// When its first byte came, in milliseconds from the request.
    pub first_byte_ms: f64,
    /// The page.
    pub text: String,
}

impl<'a> Browser<'a> {
    /// Signs in to the console of the service at this address.
    pub async fn operator(http: &'a Client, base: &'a str) -> anyhow::Result<Self> {
        let link = || code(http.post(format!("{base}/api/v1/operator/console-links")).bearer_auth(OPERATOR), "path");
        let form = format!("code={}", link().await?);
        let cookie = cookie(http, base, "/console/in", form).await?;
        Ok(Self { http, base, cookie, code: link().await? })
    }

    /// Signs in to the portal of the service at this address, as the account with this key.
    pub async fn customer(http: &'a Client, base: &'a str, key: &ApiKey) -> anyhow::Result<Self> {
        let asked = || http.post(format!("{base}/api/v1/portal-sessions")).bearer_auth(key.expose()).json(&json!({}));
        let first = code(asked(), "url").await?;
        let cookie = cookie(http, base, &format!("/portal/in/{first}"), String::new()).await?;
        Ok(Self { http, base, cookie, code: code(asked(), "url").await? })
    }

    /// Asks for a page.
    pub async fn get(&self, path: &str) -> anyhow::Result<Page> {
        let request = self.http.get(format!("{}{path}", self.base)).header(COOKIE, &self.cookie);
        let began = Instant::now();
        let answer = request.send().await?;
        let first_byte_ms = began.elapsed().as_secs_f64() * 1_000.0;
        let status = answer.status();
        let text = answer.text().await?;
        ensure!(status == StatusCode::OK, "it answered {status}");
        Ok(Page { first_byte_ms, text })
    }
}

/// Makes a one-time link by this request, and returns its code. `field` of the answer has the link.
async fn code(asked: RequestBuilder, field: &str) -> anyhow::Result<String> {
    let made: Value = asked.send().await?.error_for_status()?.json().await?;
    let code = made[field].as_str().and_then(|link| link.rsplit('/').next());
    Ok(code.context("a link has a code")?.to_owned())
}

/// Sends the form of a link's page, and returns the cookie that it is answered with.
async fn cookie(http: &Client, base: &str, path: &str, form: String) -> anyhow::Result<String> {
    let request = http.post(format!("{base}{path}")).header(ORIGIN, base);
    let request = request.header(CONTENT_TYPE, "application/x-www-form-urlencoded").body(form);
    let answer = request.send().await?;
    ensure!(answer.status() == StatusCode::SEE_OTHER, "{path} did not sign in: {}", answer.status());
    let set = answer.headers().get(SET_COOKIE).context("a session has a cookie")?.to_str()?;
    Ok(set.split(';').next().unwrap_or_default().to_owned())
}
