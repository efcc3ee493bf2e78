//! `mws workspaces`: the workspaces that the credential reaches, and their members.

use super::confirm::confirm;
use super::{Context, pages};
use crate::client::{ApiRequest, part};
use crate::failure::Failure;
use crate::output::Column;
use clap::Subcommand;
use reqwest::Method;
use serde_json::json;

const COLUMNS: [Column; 4] = [
    Column::new("ID", "/id"),
    Column::new("NAME", "/name"),
    Column::new("ROLE", "/role"),
    Column::new("CREATED", "/created_at"),
];

const FIELDS: [Column; 4] = [
    Column::new("id", "/id"),
    Column::new("name", "/name"),
    Column::new("role", "/role"),
    Column::new("created", "/created_at"),
];

const MEMBERS: [Column; 4] = [
    Column::new("USER", "/user_id"),
    Column::new("NAME", "/user_name"),
    Column::new("ROLE", "/role"),
    Column::new("SINCE", "/created_at"),
];

/// Commands about workspaces. Those that change one need an owner's credential.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the workspaces that the credential reaches.
    List(pages::Pages),
    /// Open another workspace of your account.
    Create {
        /// The workspace's name.
        name: String,
    },
    /// Rename the workspace that the credential acts in.
    Rename {
        /// Its id, as `mws workspaces list` shows it.
        id: String,
        /// Its new name.
        name: String,
    },
    /// List the members of the workspace that the credential acts in.
    Members {
        /// Its id, as `mws workspaces list` shows it.
        id: String,
        #[command(flatten)]
        pages: pages::Pages,
    },
    /// Give a user a role in the workspace, or change their role.
    SetMember {
        /// The workspace's id.
        id: String,
        /// The user's id.
        user: String,
        /// viewer, editor or owner.
        role: String,
    },
    /// End a membership, with the user's sessions there and the keys that they made.
    RemoveMember {
        /// The workspace's id.
        id: String,
        /// The user's id.
        user: String,
    },
}

pub(super) async fn run(command: Command, context: &Context) -> Result<(), Failure> {
    let client = &context.client;
    let member = |id: &str, user: &str| format!("/workspaces/{}/members/{}", part(id), part(user));
    match command {
        Command::List(pages) => {
            let list = pages::fetch(context, "/workspaces", &[], pages).await?;
            context.out.list(&list, "id", &COLUMNS)
        }
        Command::Create { name } => {
            let made = client.post("/workspaces", &json!({ "name": name })).await?;
            context.out.record(&made, "id", &FIELDS)
        }
        Command::Rename { id, name } => {
            let renamed = client.patch(&format!("/workspaces/{}", part(&id)), &json!({ "name": name })).await?;
            context.out.record(&renamed, "id", &FIELDS)
        }
        Command::Members { id, pages } => {
            let list = pages::fetch(context, &format!("/workspaces/{}/members", part(&id)), &[], pages).await?;
            context.out.list(&list, "user_id", &MEMBERS)
        }
        Command::SetMember { id, user, role } => {
            let (path, body) = (member(&id, &user), json!({ "role": role }));
            let call = ApiRequest { method: Method::PUT, path: &path, body: Some(&body), headers: &[] };
            context.out.record(&client.call(call).await?, "user_id", &MEMBERS)
        }
        Command::RemoveMember { id, user } => {
            confirm(context, &format!("End the membership of {user} in {id}?"))?;
            let ended = client.delete(&member(&id, &user)).await?;
            context.out.done(&ended, &format!("{user} is no member of {id} any more."))
        }
    }
}
