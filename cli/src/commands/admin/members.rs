//! `mws admin members`: members of workspaces.

use super::{Context, pages};
use crate::client::part;
use crate::commands::confirm::confirm;
use crate::failure::Failure;
use crate::output::Column;
use clap::Subcommand;
use serde_json::json;

const COLUMNS: [Column; 5] = [
    Column::new("USER", "/user_id"),
    Column::new("NAME", "/user_name"),
    Column::new("WORKSPACE", "/workspace_id"),
    Column::new("ROLE", "/role"),
    Column::new("SINCE", "/created_at"),
];

/// Commands about members.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the members of a workspace, or the memberships of a user.
    List {
        /// The members of this workspace.
        #[arg(long, required_unless_present = "user", conflicts_with = "user")]
        workspace: Option<String>,
        /// The memberships of this user.
        #[arg(long)]
        user: Option<String>,
        #[command(flatten)]
        pages: pages::Pages,
    },
    /// Make a user a member of a workspace, or change their role.
    #[command(after_help = "Example:\n  mws admin members set --workspace wsp_01J… --user usr_01J… --role editor")]
    Set {
        /// The workspace.
        #[arg(long)]
        workspace: String,
        /// The user.
        #[arg(long)]
        user: String,
        /// viewer reads, editor also starts work, owner also manages members.
        #[arg(long, value_parser = ["viewer", "editor", "owner"])]
        role: String,
    },
    /// End a membership, its sessions and the keys that the user made. Jobs that they started go on.
    Delete {
        /// The workspace.
        #[arg(long)]
        workspace: String,
        /// The user.
        #[arg(long)]
        user: String,
    },
}

pub(super) async fn run(command: Command, context: &Context) -> Result<(), Failure> {
    match command {
        Command::List { workspace, user, pages } => {
            let filters = [("workspace_id", workspace), ("user_id", user)];
            let list = pages::fetch(context, "/operator/members", &filters, pages).await?;
            context.out.list(&list, "user_id", &COLUMNS)
        }
        Command::Set { workspace, user, role } => {
            let asked = json!({ "workspace_id": workspace, "user_id": user, "role": role });
            let member = context.client.post("/operator/members", &asked).await?;
            context.out.record(&member, "user_id", &COLUMNS)
        }
        Command::Delete { workspace, user } => {
            confirm(context, &format!("Take {user} out of {workspace}?"))?;
            let path = format!("/operator/members/{}/{}", part(&workspace), part(&user));
            let deleted = context.client.delete(&path).await?;
            context.out.done(&deleted, &format!("{user} is no member of {workspace} any more."))
        }
    }
}
