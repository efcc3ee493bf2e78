//! Finds the issuer's keys: its metadata (RFC 8414, OpenID Connect Discovery), and the JWK set that they name.
//!
//! The operator chooses the issuer, which may be in a private network: the rules for customers' URLs do not apply. But
//! it is reached only by HTTPS or on this machine, no redirect is followed, and the size of answers is limited.

use super::keys::Keys;
use reqwest::StatusCode;
use runtime::outbound;
use serde_json::Value;
use std::time::Duration;
use url::{Host, Url};

/// How long the requests for metadata and keys may take together.
const TIMEOUT: Duration = Duration::from_secs(5);
/// Bytes that either document may have.
const MOST_BYTES: usize = 256 << 10;

/// Why the issuer's keys could not be fetched. Its text goes to the log, never to a caller.
#[derive(Debug, thiserror::Error)]
pub enum DiscoveryError {
    /// The URL is one that may not be requested.
    #[error("`{0}` is neither https nor plain http on this machine")]
    Address(String),
    /// The request failed.
    #[error("{url}: {error}")]
    Http {
        /// The URL that was requested.
        url: String,
        /// Why it failed.
        error: reqwest::Error,
    },
    /// No answer in time.
    #[error("no answer within {} s", TIMEOUT.as_secs())]
    Timeout,
    /// A status other than 200.
    #[error("{url} answered {status}")]
    Status {
        /// The URL that was requested.
        url: String,
        /// The status that it answered.
        status: StatusCode,
    },
    /// A document that is too large, that is not JSON, or that lacks what it should hold.
    #[error("{url}: {what}")]
    Document {
        /// The URL that was requested.
        url: String,
        /// What is wrong with the document.
        what: &'static str,
    },
}

/// Fetches the keys of one issuer.
#[derive(Debug)]
pub struct Discovery {
    issuer: String,
    places: Vec<Url>,
    http: reqwest::Client,
}

impl Discovery {
    /// For the issuer with this name, exactly as its tokens spell it.
    ///
    /// # Errors
    /// [`DiscoveryError::Address`] when its URL may not be requested; the HTTP client's own errors.
    pub fn new(issuer: &str) -> Result<Self, DiscoveryError> {
        let url = trusted(issuer)?;
        let http = outbound::trusted_client(&[]).map_err(|_| DiscoveryError::Address(issuer.to_owned()))?;
        Ok(Self { issuer: issuer.to_owned(), places: places(&url), http })
    }

    /// Fetches the metadata and then the keys.
    pub async fn keys(&self) -> Result<Keys, DiscoveryError> {
        tokio::time::timeout(TIMEOUT, self.fetch()).await.map_err(|_| DiscoveryError::Timeout)?
    }

    async fn fetch(&self) -> Result<Keys, DiscoveryError> {
        let named = self.jwks_uri().await?;
        let url = trusted(&named)?;
        let wrong = |what| DiscoveryError::Document { url: url.to_string(), what };
        let keys = Keys::read(&self.get(&url).await?).ok_or_else(|| wrong("it is no JWK set"))?;
        if keys.count() == 0 {
            return Err(wrong("it holds no key for ES256 or RS256"));
        }
        Ok(keys)
    }

    /// Returns the URL of the keys from the first metadata found. Those that name another issuer are refused (RFC 8414,
    /// 3.3).
    async fn jwks_uri(&self) -> Result<String, DiscoveryError> {
        let mut last = None;
        for place in &self.places {
            let wrong = |what| DiscoveryError::Document { url: place.to_string(), what };
            match self.get(place).await {
                Ok(metadata) if metadata["issuer"] != self.issuer.as_str() => {
                    return Err(wrong("its `issuer` is not MWS_OAUTH_ISSUER to the letter"));
                }
                Ok(metadata) => {
                    let uri = metadata["jwks_uri"].as_str().ok_or_else(|| wrong("it names no `jwks_uri`"))?;
                    return Ok(uri.to_owned());
                }
                Err(error @ DiscoveryError::Status { .. }) => last = Some(error),
                Err(error) => return Err(error),
            }
        }
        Err(last.unwrap_or(DiscoveryError::Timeout))
    }

    async fn get(&self, url: &Url) -> Result<Value, DiscoveryError> {
        let failed = |error| DiscoveryError::Http { url: url.to_string(), error };
        let wrong = |what| DiscoveryError::Document { url: url.to_string(), what };
        let mut response = self.http.get(url.clone()).send().await.map_err(failed)?;
        if response.status() != StatusCode::OK {
            return Err(DiscoveryError::Status { url: url.to_string(), status: response.status() });
        }
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(failed)? {
            if body.len() + chunk.len() > MOST_BYTES {
                return Err(wrong("it is larger than 256 KiB"));
            }
            body.extend_from_slice(&chunk);
        }
        serde_json::from_slice(&body).map_err(|_| wrong("it is no JSON"))
    }
}

/// The URLs where metadata may be, in the order in which they are tried: between host and path, as RFC 8414 has it, and
/// after the path, as OpenID Connect has it.
fn places(issuer: &Url) -> Vec<Url> {
    let path = issuer.path().trim_end_matches('/');
    let at = |path: &str| {
        let mut url = issuer.clone();
        url.set_path(path);
        url
    };
    let mut places = vec![
        at(&format!("/.well-known/oauth-authorization-server{path}")),
        at(&format!("{path}/.well-known/openid-configuration")),
    ];
    if !path.is_empty() {
        places.push(at(&format!("/.well-known/openid-configuration{path}")));
    }
    places
}

/// Parses a URL without credentials or fragment: HTTPS, or plain HTTP on this machine.
fn trusted(text: &str) -> Result<Url, DiscoveryError> {
    let refused = || DiscoveryError::Address(text.to_owned());
    let url = Url::parse(text).map_err(|_| refused())?;
    let here = match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    let scheme = url.scheme() == "https" || (url.scheme() == "http" && here);
    let plain = url.username().is_empty() && url.password().is_none() && url.fragment().is_none();
    if scheme && plain { Ok(url) } else { Err(refused()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_is_looked_for_where_both_documents_put_it() {
        let of = |issuer: &str| -> Vec<String> {
            places(&trusted(issuer).expect("an address")).iter().map(ToString::to_string).collect()
        };
        for issuer in ["https://id.example", "https://id.example/"] {
            assert_eq!(
                of(issuer),
                [
                    "https://id.example/.well-known/oauth-authorization-server",
                    "https://id.example/.well-known/openid-configuration",
                ]
            );
        }
        assert_eq!(
            of("https://id.example/realms/a"),
            [
                "https://id.example/.well-known/oauth-authorization-server/realms/a",
                "https://id.example/realms/a/.well-known/openid-configuration",
                "https://id.example/.well-known/openid-configuration/realms/a",
            ]
        );
    }

    #[test]
    fn only_https_or_this_machine_is_asked() {
        for good in ["https://id.example", "http://127.0.0.1:3000", "http://[::1]/x", "http://localhost:3000/x"] {
            assert!(trusted(good).is_ok(), "{good}");
        }
        for bad in [
            "http://id.example",
            "http://10.0.0.1",
            "ftp://127.0.0.1",
            "https://a:b@id.example",
            "id.example",
            "https://id.example/#x",
            "http://localhost.example",
        ] {
            assert!(trusted(bad).is_err(), "{bad}");
        }
    }
}
