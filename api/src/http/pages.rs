//! What all pages for browsers share: how their style and script are let in, what a form sends, and what a cookie
//! holds.

use crate::http::request::SentBody;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use poem::Request;
use poem::http::header;
use sha2::{Digest, Sha256};

/// The start of a content security policy that lets in nothing but this style and this script, by their hashes.
pub fn only(style: &str, script: &str) -> String {
    let [style, script] = [style, script].map(|text| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text))));
    format!("default-src 'none'; style-src {style}; script-src {script}; base-uri 'none'; frame-ancestors 'none'")
}

/// The fields of a form, as browsers send them.
pub fn form(request: &Request) -> Vec<(String, String)> {
    let body = request.data::<SentBody>().map(|sent| sent.0.clone()).unwrap_or_default();
    url::form_urlencoded::parse(&body).into_owned().collect()
}

/// A field of a form; empty where it is not there.
pub fn field(form: &[(String, String)], name: &str) -> String {
    form.iter().find(|(own, _)| own == name).map(|(_, value)| value.clone()).unwrap_or_default()
}

/// The cookie of this name.
pub fn cookie<'a>(request: &'a Request, name: &str) -> Option<&'a str> {
    let pairs = request.header(header::COOKIE)?.split(';');
    pairs.filter_map(|pair| pair.trim().split_once('=')).find(|(own, _)| *own == name).map(|(_, value)| value)
}
