//! `mws admin users`: users, and the OAuth tokens that stand for them.

use super::{Context, pages};
use crate::client::part;
use crate::commands::confirm::confirm;
use crate::commands::without_nulls;
use crate::failure::Failure;
use crate::output::Column;
use clap::Subcommand;
use serde_json::{Value, json};

const COLUMNS: [Column; 6] = [
    Column::new("ID", "/id"),
    Column::new("NAME", "/name"),
    Column::new("ACCOUNT", "/account_id"),
    Column::new("SUBJECT", "/oauth_subject"),
    Column::new("ISSUER", "/oauth_issuer"),
    Column::new("DISABLED", "/disabled_at"),
];

/// Commands about users.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List users, newest first.
    List {
        /// Only those of this account.
        #[arg(long)]
        account: Option<String>,
        /// Only those known to an issuer by this subject.
        #[arg(long)]
        oauth_subject: Option<String>,
        #[command(flatten)]
        pages: pages::Pages,
    },
    /// Add a user to an account.
    #[command(after_help = "Example:\n  mws admin users create Anna --account acc_01J… --oauth-subject auth0|17")]
    Create {
        /// The user's name.
        name: String,
        /// The account that pays for what they do.
        #[arg(long)]
        account: String,
        /// The `sub` of the access tokens that stand for them.
        #[arg(long)]
        oauth_subject: Option<String>,
        /// The issuer of those tokens. Without it: the deployment's.
        #[arg(long, requires = "oauth_subject")]
        oauth_issuer: Option<String>,
    },
    /// Change a user's name, or which tokens stand for them.
    Update {
        /// Their id.
        id: String,
        /// Another name.
        #[arg(long)]
        name: Option<String>,
        /// The `sub` of the access tokens that stand for them.
        #[arg(long)]
        oauth_subject: Option<String>,
        /// The issuer of those tokens. Without it: the deployment's.
        #[arg(long, requires = "oauth_subject")]
        oauth_issuer: Option<String>,
        /// Let no token stand for them any more.
        #[arg(long, conflicts_with = "oauth_subject")]
        no_oauth_subject: bool,
    },
    /// Refuse a user everywhere, end their sessions and revoke the keys that they made.
    Disable {
        /// Their id.
        id: String,
    },
    /// Let a disabled user in again. What was revoked stays revoked.
    Enable {
        /// Their id.
        id: String,
    },
}

pub(super) async fn run(command: Command, context: &Context) -> Result<(), Failure> {
    match command {
        Command::List { account, oauth_subject, pages } => {
            let filters = [("account_id", account), ("oauth_subject", oauth_subject)];
            let list = pages::fetch(context, "/operator/users", &filters, pages).await?;
            context.out.list(&list, "id", &COLUMNS)
        }
        Command::Create { name, account, oauth_subject, oauth_issuer } => {
            let asked = json!({
                "name": name, "account_id": account, "oauth_subject": oauth_subject, "oauth_issuer": oauth_issuer,
            });
            let added = context.client.post("/operator/users", &without_nulls(asked)).await?;
            context.out.record(&added, "id", &COLUMNS)
        }
        Command::Update { id, name, oauth_subject, oauth_issuer, no_oauth_subject } => {
            let asked = json!({ "name": name, "oauth_subject": oauth_subject, "oauth_issuer": oauth_issuer });
            let mut asked = without_nulls(asked);
            if no_oauth_subject {
                asked["oauth_subject"] = Value::Null;
            }
            let changed = context.client.patch(&format!("/operator/users/{}", part(&id)), &asked).await?;
            context.out.record(&changed, "id", &COLUMNS)
        }
        Command::Disable { id } => {
            confirm(context, &format!("Disable {id}, end their sessions and revoke the keys that they made?"))?;
            set_disabled(&id, true, context).await
        }
        Command::Enable { id } => set_disabled(&id, false, context).await,
    }
}

async fn set_disabled(id: &str, is_so: bool, context: &Context) -> Result<(), Failure> {
    let path = format!("/operator/users/{}", part(id));
    let changed = context.client.patch(&path, &json!({ "disabled": is_so })).await?;
    context.out.record(&changed, "id", &COLUMNS)
}
