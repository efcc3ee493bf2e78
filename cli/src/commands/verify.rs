//! `mws webhooks verify`: whether a body and a header that a receiver kept are a genuine webhook of a job, and if not,
//! which of the usual mistakes was made.

use super::Context;
use crate::failure::Failure;
use crate::output::{document, print};
use anyhow::Context as _;
use domain::signature::{DEFAULT_TOLERANCE_S, SignatureError, verify};
use domain::verdict::span;
use runtime::clock::host_unix_seconds;
use secrecy::{ExposeSecret, SecretString};
use serde_json::json;
use std::io::Read;
use std::path::{Path, PathBuf};

/// What to check.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The secret is the account's own, unless a file holds another. Exits with 1 if the signature is not genuine.
Its age is shown, and makes no difference here. Examples:
  mws webhooks verify --header 't=1795860000,v1=5f0c…' --body body.json
  mws deliveries get dlv_01J… --json | jq -r '.attempts[-1].request_headers'   # the headers that were sent"
)]
pub struct Args {
    /// The value of `Service-Signature` as it came.
    #[arg(long)]
    header: String,
    /// File that holds the body, byte for byte as it came; - for standard input.
    #[arg(long, default_value = "-")]
    body: PathBuf,
    /// File that holds the secret, such as the one before a rotation.
    #[arg(long)]
    secret_file: Option<PathBuf>,
}

pub(super) async fn run(args: &Args, context: &Context) -> Result<(), Failure> {
    let body = bytes(&args.body)?;
    let secret = match &args.secret_file {
        Some(path) => String::from_utf8_lossy(&bytes(path)?).trim().to_owned(),
        None => context.client.get("/webhook-secret").await?["secret"].as_str().unwrap_or_default().to_owned(),
    };
    let at = judge(&args.header, &body, &SecretString::from(secret)).map_err(Failure::Work)?;
    let age = host_unix_seconds() - at;
    if context.out.json {
        return document(&json!({ "genuine": true, "signed_at": at, "age_seconds": age }));
    }
    print(&format!("Genuine. {}", told_age(age)))
}

fn bytes(path: &Path) -> anyhow::Result<Vec<u8>> {
    let mut read = Vec::new();
    let done = if path == Path::new("-") {
        std::io::stdin().read_to_end(&mut read).map(|_| read)
    } else {
        std::fs::read(path)
    };
    done.with_context(|| format!("{} can't be read", path.display()))
}

/// Returns when a genuine signature was made, in seconds since 1970, or why it is not genuine.
fn judge(header: &str, body: &[u8], secret: &SecretString) -> Result<i64, String> {
    let header = header.rsplit_once(':').map_or(header, |(_, value)| value).trim();
    let time = header.split(',').find_map(|part| part.trim().strip_prefix("t=")?.parse::<i64>().ok());
    let at = time.ok_or_else(|| SignatureError::Malformed.to_string())?;
    let checked = |body: &[u8], secret: &str| verify(header, body, &[secret], at, DEFAULT_TOLERANCE_S);
    let secret = secret.expose_secret();
    match checked(body, secret) {
        Ok(()) => return Ok(at),
        Err(SignatureError::NoMatch) => {}
        Err(error) => return Err(error.to_string()),
    }
    let whole = format!("whsec_{secret}");
    let why = if checked(body, &whole).is_ok() {
        "the key is the whole secret, `whsec_` included"
    } else if checked(body.trim_ascii_end(), secret).is_ok() {
        "the body has a line break at its end that was not sent; without it the signature is genuine"
    } else if checked(&compact(body), secret).is_ok() {
        "the body was written anew, with other spaces than were sent: check the raw bytes, before anything parses them"
    } else {
        "another secret made it (one before a rotation?), or these are not the bytes that were sent: a body that was \
         parsed and written again has another signature"
    };
    Err(format!("no signature matches: {why}"))
}

/// Takes out the spaces of JSON that stand outside of its texts.
fn compact(body: &[u8]) -> Vec<u8> {
    let (mut is_text, mut is_escaped) = (false, false);
    let mut kept = Vec::with_capacity(body.len());
    for &byte in body {
        if is_text || !byte.is_ascii_whitespace() {
            kept.push(byte);
        }
        if byte == b'"' && !is_escaped {
            is_text = !is_text;
        }
        is_escaped = byte == b'\\' && !is_escaped;
    }
    kept
}

/// Says how old a signature is, by this machine's clock, and whether a receiver would take it now.
fn told_age(seconds: i64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "it is told in words")]
    let words = span(seconds.unsigned_abs() as f64);
    let when = if seconds < 0 { format!("{words} ahead of this machine's clock") } else { format!("{words} ago") };
    let tolerated = DEFAULT_TOLERANCE_S / 60;
    if seconds.unsigned_abs() > DEFAULT_TOLERANCE_S.unsigned_abs() {
        return format!("It was signed {when}: receivers refuse what is more than {tolerated} minutes off.");
    }
    format!("It was signed {when}, within the {tolerated} minutes that receivers allow.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::signature::job_signature;

    const BODY: &[u8] = br#"{"id":"evt_1","said":"a \"b c\" d"}"#;

    fn why(header: &str, body: &[u8], secret: &str) -> String {
        judge(header, body, &secret.to_owned().into()).expect_err("it is not genuine")
    }

    #[test]
    fn a_genuine_signature_says_when_it_was_made_however_the_header_was_kept() {
        let header = job_signature(1_795_860_000, BODY, &["whsec_new", "whsec_old"]);
        for header in [header.clone(), format!("Service-Signature: {header}\n")] {
            for secret in ["whsec_new", "whsec_old"] {
                assert_eq!(judge(&header, BODY, &secret.to_owned().into()), Ok(1_795_860_000), "{header}");
            }
        }
    }

    #[test]
    fn each_usual_mistake_is_named() {
        let header = job_signature(1_795_860_000, BODY, &["whsec_a"]);
        assert!(why(&header, BODY, "a").contains("`whsec_` included"));
        assert!(why(&header, &[BODY, b"\r\n"].concat(), "whsec_a").contains("a line break at its end"));
        let pretty = b"{\n  \"id\": \"evt_1\",\n  \"said\": \"a \\\"b c\\\" d\"\n}\n";
        assert!(why(&header, pretty, "whsec_a").contains("written anew"));
        for (body, secret) in [(BODY, "whsec_b"), (&b"{}"[..], "whsec_a")] {
            assert!(why(&header, body, secret).contains("another secret made it"), "{secret}");
        }
        for header in ["", "v1=00", "t=x,v1=00", "t=1"] {
            assert!(why(header, BODY, "whsec_a").contains("not of the form t="), "{header}");
        }
    }

    #[test]
    fn an_age_is_told_with_what_a_receiver_makes_of_it() {
        assert_eq!(told_age(20), "It was signed 20 s ago, within the 5 minutes that receivers allow.");
        assert!(told_age(301).ends_with("more than 5 minutes off.") && told_age(-7_200).contains("2 h ahead of"));
    }
}
