//! `mws admin`: what operators do, over the operators' routes. One file for each resource.
//!
//! The token comes from `--operator-token-file`, `MWS_OPERATOR_TOKEN`, a profile, or what `mws up` wrote down.

mod accounts;
mod audit;
mod bulk;
mod credits;
mod deliveries;
mod items;
mod jobs;
mod keys;
mod members;
mod minutes;
mod reads;
mod retention;
mod users;
mod webhooks;
mod workspaces;

use super::{Context, pages};
use crate::failure::Failure;
use clap::Subcommand;
use std::path::PathBuf;

/// The operator's token.
#[derive(Debug, clap::Args)]
pub struct OperatorToken {
    /// File that holds the operator's token; - for standard input. `MWS_OPERATOR_TOKEN` may hold the token itself.
    #[arg(long = "operator-token-file", env = "MWS_OPERATOR_TOKEN_FILE", global = true)]
    pub token_file: Option<PathBuf>,
}

/// The arguments of `mws admin`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    pub operator: OperatorToken,
    #[command(subcommand)]
    pub command: Command,
}

/// Look at all accounts and change them.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Accounts.
    #[command(subcommand)]
    Accounts(accounts::Command),
    /// Users, and the OAuth tokens that stand for them.
    #[command(subcommand)]
    Users(users::Command),
    /// Items of all accounts.
    #[command(subcommand)]
    Items(items::Command),
    /// See and revoke the keys of an account.
    #[command(subcommand)]
    Keys(keys::Command),
    /// Workspaces of all accounts.
    #[command(subcommand)]
    Workspaces(workspaces::Command),
    /// Members of workspaces.
    #[command(subcommand)]
    Members(members::Command),
    /// Give accounts minutes.
    #[command(subcommand)]
    Minutes(minutes::Command),
    /// Give accounts AI credits.
    #[command(subcommand)]
    Credits(credits::Command),
    /// Pause and resume reads.
    #[command(subcommand)]
    Reads(reads::Command),
    /// Jobs of all accounts.
    #[command(subcommand)]
    Jobs(jobs::Command),
    /// Deliveries of all accounts.
    #[command(subcommand)]
    Deliveries(deliveries::Command),
    /// Send again all that did not arrive, by name, in the background.
    #[command(subcommand)]
    Bulk(bulk::Command),
    /// Endpoints of all accounts.
    #[command(subcommand)]
    Webhooks(webhooks::Command),
    /// Show what of old rows is deleted next, and how large tables are.
    Retention(retention::Args),
    /// Show what operators did.
    Audit(audit::Args),
}

pub(super) async fn run(command: Command, context: &Context) -> Result<(), Failure> {
    match command {
        Command::Accounts(command) => accounts::run(command, context).await,
        Command::Items(command) => items::run(command, context).await,
        Command::Keys(command) => keys::run(command, context).await,
        Command::Users(command) => users::run(command, context).await,
        Command::Workspaces(command) => workspaces::run(command, context).await,
        Command::Members(command) => members::run(command, context).await,
        Command::Minutes(command) => minutes::run(command, context).await,
        Command::Credits(command) => credits::run(command, context).await,
        Command::Reads(command) => reads::run(command, context).await,
        Command::Jobs(command) => jobs::run(command, context).await,
        Command::Deliveries(command) => deliveries::run(command, context).await,
        Command::Bulk(command) => bulk::run(command, context).await,
        Command::Webhooks(command) => webhooks::run(command, context).await,
        Command::Retention(args) => retention::run(&args, context).await,
        Command::Audit(args) => audit::run(args, context).await,
    }
}
