//! `mws api`: any request of the interface, with the credential.

use super::Context;
use crate::client::ApiRequest;
use crate::failure::Failure;
use crate::output::document;
use anyhow::Context as _;
use reqwest::Method;
use serde_json::Value;

/// The request to make.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mws api GET /balances
  echo '{\"code\":\"esx_…\"}' | mws api POST /sessions/redeem --input -")]
pub struct Args {
    /// GET, POST, PUT, PATCH or DELETE.
    method: String,
    /// The path below /api/v1, with its query.
    path: String,
    /// File with the JSON body; - for standard input.
    #[arg(long, value_name = "FILE")]
    input: Option<String>,
    /// A header, as name:value; may be given again.
    #[arg(long, short = 'H', value_name = "K:V")]
    header: Vec<String>,
}

pub(super) async fn run(args: Args, context: &Context) -> Result<(), Failure> {
    let method = args.method.to_ascii_uppercase();
    let known = ["GET", "POST", "PUT", "PATCH", "DELETE"].contains(&method.as_str());
    let method = Method::from_bytes(method.as_bytes()).ok().filter(|_| known);
    let method = method.ok_or_else(|| Failure::Usage(format!("`{}` is no method of the interface", args.method)))?;
    let path = args.path.strip_prefix(api::http::API_PATH).unwrap_or(&args.path);
    if !path.starts_with('/') {
        return Err(Failure::Usage(format!("`{path}` is no path: it begins with /")));
    }
    let headers = args.header.iter().map(|header| split(header)).collect::<Result<Vec<_>, _>>()?;
    let body = input(args.input.as_deref())?;
    let call = ApiRequest { method, path, body: body.as_ref(), headers: &headers };
    document(&context.client.call(call).await?)
}

fn split(header: &str) -> Result<(&str, &str), Failure> {
    let (name, value) =
        header.split_once(':').ok_or_else(|| Failure::Usage(format!("`{header}` is no header: write name:value")))?;
    Ok((name.trim(), value.trim()))
}

/// JSON from a file or from standard input.
pub(super) fn input(from: Option<&str>) -> Result<Option<Value>, Failure> {
    let Some(from) = from else { return Ok(None) };
    let text = if from == "-" { std::io::read_to_string(std::io::stdin()) } else { std::fs::read_to_string(from) };
    let text = text.with_context(|| format!("{from} can't be read"))?;
    let value = serde_json::from_str(&text).map_err(|error| Failure::Usage(format!("{from} is no JSON: {error}")))?;
    Ok(Some(value))
}
