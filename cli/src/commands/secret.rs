//! `mws webhooks secret`: the secret that signs the account's webhooks, which is printed on standard output alone.

use super::Context;
use super::confirm::confirm;
use crate::failure::Failure;
use crate::output::{document, print};
use clap::Subcommand;
use serde_json::{Value, json};

/// Commands about the signing secret.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Print the secret.
    Show,
    /// Make a secret, unless there is one, and print it.
    Create,
    /// Make a new secret and print it; the old one verifies for 24 more hours.
    Rotate,
    /// Remove the secret; webhooks are then signed with the deployment's own.
    Delete,
}

pub(super) async fn run(command: Command, context: &Context) -> Result<(), Failure> {
    let client = &context.client;
    let secret = match command {
        Command::Show => client.get("/webhook-secret").await?,
        Command::Create => client.post("/webhook-secret", &json!({})).await?,
        Command::Rotate => client.post("/webhook-secret", &json!({ "rotate": true })).await?,
        Command::Delete => {
            confirm(context, "Remove the signing secret? Receivers can't verify with it any more.")?;
            let deleted = client.delete("/webhook-secret").await?;
            return context.out.done(&deleted, "Removed the signing secret.");
        }
    };
    tell(context, &secret)
}

fn tell(context: &Context, secret: &Value) -> Result<(), Failure> {
    if context.out.json {
        return document(secret);
    }
    if let Some(until) = secret["previous_expires_at"].as_str() {
        context.out.say(&format!("The one before it verifies until {until}."));
    }
    print(secret["secret"].as_str().unwrap_or_default())
}
