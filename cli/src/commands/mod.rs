//! The commands that are clients of the HTTP interface: one file a noun (people.md, "The command line").
//!
//! A command makes its requests and hands what came back to `output`. None of them knows the database.

mod api;
mod balances;
mod confirm;
mod deliveries;
mod items;
mod jobs;
mod keys;
mod pages;
mod prepare;
mod reads;
mod secret;
mod show;
mod tools;
mod upload;
mod webhooks;
mod whoami;
mod workspaces;

pub use prepare::{ALL_READS, Request, asked_reads};

use crate::client::{Client, access};
use crate::failure::Failure;
use crate::globals::Globals;
use crate::output::Out;
use clap::Subcommand;

/// What a command works with.
#[derive(Debug)]
pub struct Context {
    /// The signed-in client.
    pub client: Client,
    /// Where words and data go.
    pub out: Out,
    /// The flags that every command takes.
    pub globals: Globals,
}

/// Commands over HTTP.
#[derive(Debug, Subcommand)]
pub enum ClientCommand {
    /// Show who you are signed in as, and where.
    Whoami,
    /// Put media into the library.
    Upload(upload::Args),
    /// Start reads on items of the library.
    Prepare(prepare::Args),
    /// See, follow and cancel jobs.
    #[command(subcommand)]
    Jobs(jobs::Command),
    /// See and delete items of the library.
    #[command(subcommand)]
    Items(items::Command),
    /// See what was read.
    #[command(subcommand)]
    Reads(reads::Command),
    /// Draw what was read of an item on one time axis.
    Show(show::Args),
    /// Manage webhook endpoints and the signing secret.
    #[command(subcommand)]
    Webhooks(webhooks::Command),
    /// See what was sent to an endpoint, and send it again.
    #[command(subcommand)]
    Deliveries(deliveries::Command),
    /// Show the minutes that are left.
    Balances,
    /// Manage API keys.
    #[command(subcommand)]
    Keys(keys::Command),
    /// See workspaces.
    #[command(subcommand)]
    Workspaces(workspaces::Command),
    /// List and call tools.
    #[command(subcommand)]
    Tools(tools::Command),
    /// Make any request of the interface.
    Api(api::Args),
}

/// Runs one of them.
pub async fn run(command: ClientCommand, globals: Globals) -> Result<(), Failure> {
    let out = Out::new(&globals);
    let client = Client::new(access(&globals)?, out.clone())?;
    let context = Context { client, out, globals };
    let done = dispatch(command, &context);
    match context.globals.timeout {
        None => done.await,
        Some(limit) => tokio::time::timeout(limit, done).await.unwrap_or_else(|_| {
            Err(Failure::TryLater(format!(
                "not done after {} s (--timeout); what was started goes on",
                limit.as_secs()
            )))
        }),
    }
}

async fn dispatch(command: ClientCommand, context: &Context) -> Result<(), Failure> {
    match command {
        ClientCommand::Whoami => whoami::run(context).await,
        ClientCommand::Upload(args) => upload::run(args, context).await,
        ClientCommand::Prepare(args) => prepare::run(args, context).await,
        ClientCommand::Jobs(command) => jobs::run(command, context).await,
        ClientCommand::Items(command) => items::run(command, context).await,
        ClientCommand::Reads(command) => reads::run(command, context).await,
        ClientCommand::Show(args) => show::run(args, context).await,
        ClientCommand::Webhooks(command) => webhooks::run(command, context).await,
        ClientCommand::Deliveries(command) => deliveries::run(command, context).await,
        ClientCommand::Balances => balances::run(context).await,
        ClientCommand::Keys(command) => keys::run(command, context).await,
        ClientCommand::Workspaces(command) => workspaces::run(command, context).await,
        ClientCommand::Tools(command) => tools::run(command, context).await,
        ClientCommand::Api(args) => api::run(args, context).await,
    }
}
