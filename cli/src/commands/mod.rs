//! The commands that are clients of the HTTP interface: one file for each resource (contract §13).
//!
//! A command makes its requests and hands the answers to `output`. None of them knows the database.

mod admin;
mod api;
mod audit;
mod balances;
mod boards;
mod brand;
mod calendar;
mod canvases;
mod comments;
mod confirm;
mod console;
mod deliveries;
mod documents;
mod download;
mod dubs;
mod edits;
mod errors;
mod events;
#[cfg(test)]
mod for_tests;
mod generate;
mod health;
mod items;
mod jobs;
mod keys;
mod links;
mod listen;
mod models;
mod overview;
mod pages;
mod portal;
mod prepare;
mod projects;
mod reads;
mod rendered;
mod research;
mod search;
mod secret;
mod show;
mod skills;
mod statement;
mod templates;
mod timelines;
mod tools;
mod top;
mod upload;
mod verify;
mod webhooks;
mod whoami;
mod workspaces;

pub use prepare::{ALL_READS, Request, asked_reads};

use crate::client::{As, Client, access};
use crate::failure::Failure;
use crate::globals::Globals;
use crate::output::Out;
use clap::Subcommand;
use serde_json::Value;

/// What commands share: the client, the output and the global flags.
#[derive(Debug)]
pub struct Context {
    /// The signed-in client.
    pub client: Client,
    /// The output.
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
    /// Show what to keep of an item without its silences, or make a new item of that.
    RemoveSilence(edits::SilenceArgs),
    /// Show how to turn music down under a voice, or mix both into a new item.
    Duck(edits::DuckArgs),
    /// Make pictures, films, speech and sound with models, and larger and cut-out versions of items.
    #[command(subcommand)]
    Generate(generate::Command),
    /// Dub what is said in an item or a timeline into another language.
    Dub(dubs::Args),
    /// See, change and speak dubs.
    #[command(subcommand)]
    Dubs(dubs::Command),
    /// See the models, and what a call costs.
    #[command(subcommand)]
    Models(models::Command),
    /// Show the AI credits that are left.
    Credits,
    /// See, follow and cancel jobs.
    #[command(subcommand)]
    Jobs(jobs::Command),
    /// See, change, download and delete items of the library.
    #[command(subcommand)]
    Items(items::Command),
    /// Edit pictures of layers, and render them.
    #[command(subcommand, visible_alias = "canvas")]
    Canvases(canvases::Command),
    /// Edit films, render them, and carry them to other editors.
    #[command(subcommand)]
    Timelines(timelines::Command),
    /// See and write comments on items and timelines.
    #[command(subcommand)]
    Comments(comments::Command),
    /// Show items to people who have no account.
    #[command(subcommand)]
    Links(links::Command),
    /// Plan with columns of cards about items.
    #[command(subcommand)]
    Boards(boards::Command),
    /// Plan when things will be published. Nothing is published by it.
    #[command(subcommand)]
    Calendar(calendar::Command),
    /// See and change the workspace's colours, fonts and logos.
    #[command(subcommand)]
    Brand(brand::Command),
    /// See and change what the workspace's tools do by default.
    #[command(subcommand)]
    Settings(brand::Command),
    /// Save calls of tools by name, and run them.
    #[command(subcommand)]
    Templates(templates::Command),
    /// See and write what agents read before they work.
    #[command(subcommand)]
    Skills(skills::Command),
    /// See what was read.
    #[command(subcommand)]
    Reads(reads::Command),
    /// Pull posts from feeds and pages, and keep them.
    #[command(subcommand)]
    Research(research::Command),
    /// Find what is said in videos and recordings.
    Search(search::Args),
    /// Draw what was read of an item on one time axis.
    Show(show::Args),
    /// Manage webhook endpoints and the signing secret.
    #[command(subcommand)]
    Webhooks(webhooks::Command),
    /// See what was sent to an endpoint, and send it again.
    #[command(subcommand)]
    Deliveries(deliveries::Command),
    /// See the events that endpoints are sent.
    #[command(subcommand)]
    Events(events::Command),
    /// See what agents work on.
    #[command(subcommand)]
    Projects(projects::Command),
    /// Follow the account's events, and forward them to a server on your machine.
    Listen(listen::Args),
    /// Show what is in the workspace, and what is under way.
    Overview,
    /// Show the minutes and AI credits that are left.
    Balances,
    /// Show a month of the account's journal, and what it adds up to.
    Statement(statement::Args),
    /// Manage API keys.
    #[command(subcommand)]
    Keys(keys::Command),
    /// See who changed keys, the signing secret, endpoints, public links and members.
    Audit(audit::Args),
    /// Make a one-time link to the account's own pages.
    Portal(portal::Args),
    /// See, open and rename workspaces, and manage their members.
    #[command(subcommand)]
    Workspaces(workspaces::Command),
    /// List and call tools.
    #[command(subcommand)]
    Tools(tools::Command),
    /// Make any request of the interface.
    Api(api::Args),
    /// Show how the service is and what helps next, with an operator's token.
    Health(health::Args),
    /// Show live what waits and runs and who works, with an operator's token.
    Top(top::Args),
    /// Show how jobs of the last day failed, those that failed alike on one line, with an operator's token.
    Errors(errors::Args),
    /// Make a one-time link to the operators' pages, with an operator's token.
    Console(console::Args),
    /// Operate the deployment, with an operator's token.
    Admin(admin::Args),
}

/// Runs a command.
pub async fn run(command: ClientCommand, globals: Globals) -> Result<(), Failure> {
    let out = Out::new(&globals);
    let (who, file) = match &command {
        ClientCommand::Admin(args) => (As::Operator, args.operator.token_file.clone()),
        ClientCommand::Health(args) => (As::Operator, args.operator.token_file.clone()),
        ClientCommand::Top(args) => (As::Operator, args.operator.token_file.clone()),
        ClientCommand::Errors(args) => (As::Operator, args.operator.token_file.clone()),
        ClientCommand::Console(args) => (As::Operator, args.operator.token_file.clone()),
        _ => (As::Customer, globals.api_key_file.clone()),
    };
    let client = Client::new(access(&globals, who, file.as_deref())?, out.clone())?;
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
        ClientCommand::RemoveSilence(args) => edits::remove_silence(args, context).await,
        ClientCommand::Duck(args) => edits::duck(args, context).await,
        ClientCommand::Generate(command) => generate::run(command, context).await,
        ClientCommand::Dub(args) => dubs::make(args, context).await,
        ClientCommand::Dubs(command) => dubs::run(command, context).await,
        ClientCommand::Models(command) => models::run(command, context).await,
        ClientCommand::Credits => balances::credits(context).await,
        ClientCommand::Jobs(command) => jobs::run(command, context).await,
        ClientCommand::Items(command) => items::run(command, context).await,
        ClientCommand::Canvases(command) => canvases::run(command, context).await,
        ClientCommand::Timelines(command) => timelines::run(command, context).await,
        ClientCommand::Comments(command) => comments::run(command, context).await,
        ClientCommand::Links(command) => links::run(command, context).await,
        ClientCommand::Boards(command) => boards::run(command, context).await,
        ClientCommand::Calendar(command) => calendar::run(command, context).await,
        ClientCommand::Brand(command) => brand::brand(command, context).await,
        ClientCommand::Settings(command) => brand::settings(command, context).await,
        ClientCommand::Templates(command) => templates::run(command, context).await,
        ClientCommand::Skills(command) => skills::run(command, context).await,
        ClientCommand::Reads(command) => reads::run(command, context).await,
        ClientCommand::Research(command) => research::run(command, context).await,
        ClientCommand::Search(args) => search::run(args, context).await,
        ClientCommand::Show(args) => show::run(args, context).await,
        ClientCommand::Webhooks(command) => webhooks::run(command, context).await,
        ClientCommand::Deliveries(command) => deliveries::run(command, context).await,
        ClientCommand::Events(command) => events::run(command, context).await,
        ClientCommand::Projects(command) => projects::run(command, context).await,
        ClientCommand::Listen(args) => listen::run(args, context).await,
        ClientCommand::Overview => overview::run(context).await,
        ClientCommand::Balances => balances::run(context).await,
        ClientCommand::Statement(args) => statement::run(args, context).await,
        ClientCommand::Keys(command) => keys::run(command, context).await,
        ClientCommand::Audit(args) => audit::run(args, context).await,
        ClientCommand::Workspaces(command) => workspaces::run(command, context).await,
        ClientCommand::Tools(command) => tools::run(command, context).await,
        ClientCommand::Api(args) => api::run(args, context).await,
        ClientCommand::Health(args) => health::run(&args, context).await,
        ClientCommand::Top(args) => top::run(&args, context).await,
        ClientCommand::Errors(args) => errors::run(&args, context).await,
        ClientCommand::Console(_) => console::run(context).await,
        ClientCommand::Portal(args) => portal::run(context, &args).await,
        ClientCommand::Admin(args) => admin::run(args.command, context).await,
    }
}

/// The object without its null fields, so that a request names only what was given.
fn without_nulls(mut value: Value) -> Value {
    if let Value::Object(fields) = &mut value {
        fields.retain(|_, field| !field.is_null());
    }
    value
}
