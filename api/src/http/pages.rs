//! What all pages for browsers share: a content security policy for their style and script, the functions that answer,
//! the fields and the origin of forms, and cookies.

use crate::http::error::{Answer, ApiError, Code};
use crate::http::request::SentBody;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use futures_util::future::BoxFuture;
use poem::http::header;
use poem::{Request, Response};
use sha2::{Digest, Sha256};

/// The function of a page: it answers a visit, which is a request of somebody who is signed in.
pub type PageHandler<Visit> = Box<dyn Fn(Visit) -> BoxFuture<'static, Answer<Response>> + Send + Sync>;

/// Makes functions of pages one type.
pub fn boxed<Visit: 'static, F>(handler: impl Fn(Visit) -> F + Send + Sync + 'static) -> PageHandler<Visit>
where
    F: Future<Output = Answer<Response>> + Send + 'static,
{
    Box::new(move |visit| Box::pin(handler(visit)))
}

/// The start of a content security policy that allows this style and this script by their hashes, nothing else, and no
/// framing.
pub fn only(style: &str, script: &str) -> String {
    let (style, script) = (csp_hash(style), csp_hash(script));
    format!("default-src 'none'; style-src {style}; script-src {script}; base-uri 'none'; frame-ancestors 'none'")
}

/// How a content security policy names a style or a script that is written in its page.
pub fn csp_hash(text: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)))
}

/// The fields of a form that a browser sent.
pub fn form(request: &Request) -> Vec<(String, String)> {
    let body = request.data::<SentBody>().map(|sent| sent.0.clone()).unwrap_or_default();
    url::form_urlencoded::parse(&body).into_owned().collect()
}

/// A field of a form; empty where it is missing.
pub fn field(form: &[(String, String)], name: &str) -> String {
    form.iter().find(|(own, _)| own == name).map(|(_, value)| value.clone()).unwrap_or_default()
}

/// The value of the cookie of this name.
pub fn cookie<'a>(request: &'a Request, name: &str) -> Option<&'a str> {
    let pairs = request.header(header::COOKIE)?.split(';');
    pairs.filter_map(|pair| pair.trim().split_once('=')).find(|(own, _)| *own == name).map(|(_, value)| value)
}

/// Refuses a form that another page sent. Every browser names the origin of a form.
///
/// # Errors
/// `origin_forbidden`.
pub fn refuse_other_pages(public_url: &str, request: &Request) -> Answer<()> {
    let own = |origin: &str| {
        let host = request.header(header::HOST).unwrap_or_default();
        let here = [format!("http://{host}"), format!("https://{host}"), public_url.to_owned()];
        !host.is_empty() && here.iter().any(|own| own == origin)
    };
    let is_ours = match (request.header("sec-fetch-site"), request.header(header::ORIGIN)) {
        (Some(site), _) => site == "same-origin",
        (None, Some(origin)) => own(origin),
        (None, None) => false,
    };
    if is_ours {
        return Ok(());
    }
    Err(ApiError::new(
        Code::OriginForbidden,
        "This form was sent from another page. Open the page that it belongs to, and use its own.",
    ))
}
