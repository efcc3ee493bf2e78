//! `mws admin webhooks`: seeing, enabling, disabling and testing endpoints of all accounts.

use super::{Context, pages};
use crate::client::part;
use crate::commands::confirm::confirm;
use crate::failure::Failure;
use crate::output::Column;
use clap::Subcommand;
use serde_json::json;

const FIELDS: [Column; 7] = [
    Column::new("id", "/id"),
    Column::new("account", "/account_id"),
    Column::new("enabled", "/enabled"),
    Column::new("disabled because", "/disabled_reason"),
    Column::new("failures in a row", "/consecutive_failures"),
    Column::new("last success", "/last_success_at"),
    Column::new("ping", "/ping/delivery_id"),
];

const COLUMNS: [Column; 8] = [
    Column::new("ID", "/id"),
    Column::new("ACCOUNT", "/account_id"),
    Column::new("URL", "/url"),
    Column::new("ENABLED", "/enabled"),
    Column::new("DISABLED BECAUSE", "/disabled_reason"),
    Column::new("FAILURES", "/consecutive_failures"),
    Column::new("LAST SUCCESS", "/last_success_at"),
    Column::new("REMOVED", "/removed_at"),
];

/// Commands about endpoints.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List endpoints, newest first, with those that were removed lately. At twenty failures in a row one is disabled.
    #[command(after_help = "Examples:
  mws admin webhooks list --account acc_01J…
  mws admin webhooks list --all --json | jq '.data[] | select(.removed_at == null and .consecutive_failures > 9)'")]
    List {
        /// Only those of this account.
        #[arg(long)]
        account: Option<String>,
        #[command(flatten)]
        pages: pages::Pages,
    },
    /// Enable an endpoint; clears its count of failures. Its account must not be suspended.
    Enable {
        /// Its id.
        id: String,
    },
    /// Disable an endpoint: nothing is sent to it, and its events can be sent again later. One that is disabled already
    /// is so by operators from then on, and stays so when its account is resumed.
    Disable {
        /// Its id.
        id: String,
    },
    /// Send a ping to an endpoint now, also to a disabled one; refused where its account is suspended.
    Ping {
        /// Its id.
        id: String,
    },
}

pub(super) async fn run(command: Command, context: &Context) -> Result<(), Failure> {
    let (id, asked) = match command {
        Command::List { account, pages } => {
            let list = pages::fetch(context, "/operator/webhooks", &[("account_id", account)], pages).await?;
            return context.out.list(&list, "id", &COLUMNS);
        }
        Command::Enable { id } => (id, json!({ "enabled": true })),
        Command::Disable { id } => {
            confirm(context, &format!("Send nothing to {id} until it is enabled?"))?;
            (id, json!({ "enabled": false }))
        }
        Command::Ping { id } => (id, json!({ "test": true })),
    };
    let changed = context.client.patch(&format!("/operator/webhooks/{}", part(&id)), &asked).await?;
    context.out.record(&changed, "id", &FIELDS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_of_a_ping_says_when_it_is_refused() {
        let commands = Command::augment_subcommands(clap::Command::new("webhooks"));
        let about = commands.find_subcommand("ping").and_then(|ping| ping.get_about()).map(ToString::to_string);
        assert!(about.unwrap_or_default().ends_with("refused where its account is suspended"));
    }
}
