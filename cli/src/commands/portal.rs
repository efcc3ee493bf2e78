//! `mws portal`: a one-time link to the account's own pages.

use super::Context;
use crate::failure::Failure;
use crate::output::{document, print};
use serde_json::{Value, json};

/// The arguments of `mws portal`: what a link opens, and the look of its pages.
#[derive(Debug, clap::Args)]
#[command(after_help = "The link can be used once, within ten minutes, by whoever has it.
Example:
  mws portal --pages usage,webhooks --name 'Acme Video' --accent '#0f766e'")]
pub struct Args {
    /// Only these pages (comma-separated): webhooks, jobs, usage, keys.
    #[arg(long, value_delimiter = ',')]
    pub pages: Vec<String>,
    /// The URL that the pages link back to.
    #[arg(long)]
    pub return_url: Option<String>,
    /// The URL that a browser is sent to once its session has run out.
    #[arg(long)]
    pub refresh_url: Option<String>,
    /// The name that the pages show.
    #[arg(long)]
    pub name: Option<String>,
    /// The colour of the pages' head and buttons, such as #0f766e.
    #[arg(long)]
    pub accent: Option<String>,
    /// auto, light or dark.
    #[arg(long)]
    pub scheme: Option<String>,
}

impl Args {
    /// The body of the request.
    fn body(&self) -> Value {
        let mut theme = json!({});
        for (field, said) in [("name", &self.name), ("accent", &self.accent), ("scheme", &self.scheme)] {
            if let Some(said) = said {
                theme[field] = said.as_str().into();
            }
        }
        let mut body = json!({});
        if !self.pages.is_empty() {
            body["pages"] = json!(self.pages);
        }
        for (field, said) in [("return_url", &self.return_url), ("refresh_url", &self.refresh_url)] {
            if let Some(url) = said {
                body[field] = url.as_str().into();
            }
        }
        if theme != json!({}) {
            body["theme"] = theme;
        }
        body
    }
}

pub(super) async fn run(context: &Context, args: &Args) -> Result<(), Failure> {
    make(context, "/portal-sessions", args).await
}

/// Makes a link by the route at this path, and prints it.
pub(super) async fn make(context: &Context, path: &str, args: &Args) -> Result<(), Failure> {
    let link = context.client.post(path, &args.body()).await?;
    if context.out.json {
        return document(&link);
    }
    context.out.say("Good for one sign-in within ten minutes:");
    print(link["url"].as_str().unwrap_or_default())
}
