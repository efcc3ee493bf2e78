//! `mws`: the whole service on one machine, and its command line.
//!
//! `up` runs the service; the other commands are its clients over HTTP. Data goes to standard output and everything else
//! to standard error; the exit code says what kind of end it was.

mod data_dir;
mod database;
mod up;

use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};
use std::io::IsTerminal;
use std::process::ExitCode;
use up::UpArgs;

/// The Media and Workspace Service: runs it, and talks to it.
#[derive(Debug, Parser)]
#[command(name = "mws", version, propagate_version = true)]
struct Cli {
    /// One JSON document on standard output.
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the whole service: api, worker and scheduler, with a PostgreSQL of its own.
    Up(Box<UpArgs>),
}

fn main() -> ExitCode {
    let matches = Cli::command().get_matches();
    let cli = match Cli::from_arg_matches(&matches) {
        Ok(cli) => cli,
        Err(error) => error.exit(),
    };
    let ended = match cli.command {
        Command::Up(mut up) => {
            quiet_on_a_terminal(&matches, &mut up);
            common::telemetry::start(up.settings_mut());
            up::run(*up, cli.json)
        }
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// A person at a terminal is told what matters in words; the log shows warnings, unless they asked for more.
fn quiet_on_a_terminal(matches: &ArgMatches, up: &mut UpArgs) {
    let chosen = matches.subcommand().and_then(|(_, of_command)| of_command.value_source("log"));
    if chosen == Some(ValueSource::DefaultValue) && std::io::stderr().is_terminal() {
        "warn".clone_into(&mut up.settings_mut().log);
    }
}
