//! `mws console`: a one-time link to the operators' pages.

use super::Context;
use crate::commands::admin::OperatorToken;
use crate::failure::Failure;
use crate::output::{document, print};
use serde_json::{Value, json};

/// The arguments of `mws console`.
#[derive(Debug, clap::Args)]
#[command(after_help = "The link can be used once, within ten minutes, by whoever has it.
Example:
  mws console")]
pub struct Args {
    #[command(flatten)]
    pub operator: OperatorToken,
}

pub(super) async fn run(context: &Context) -> Result<(), Failure> {
    let link = context.client.post("/operator/console-links", &Value::Null).await?;
    let address = context.client.access().base_url.trim_end_matches(api::http::API_PATH);
    // Where operators' routes have a port of their own, the console is on that port, and not at the public URL.
    let url = format!("{address}{}", link["path"].as_str().unwrap_or_default());
    if context.out.json {
        return document(&json!({ "url": url, "expires_at": link["expires_at"] }));
    }
    context.out.say("Good for one sign-in within ten minutes:");
    print(&url)
}
