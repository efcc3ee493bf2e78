//! `mws`: the whole service on one machine, and its command line.
//!
//! `up` runs the service; the other commands are its clients over HTTP. Data goes to standard output and everything
//! else to standard error; the exit code says how the command ended.

mod client;
mod commands;
mod data_dir;
mod database;
mod demo;
mod doctor;
#[cfg(test)]
mod documented;
mod down;
mod failure;
mod globals;
mod manual;
mod migrate;
mod output;
mod up;

use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};
use commands::ClientCommand;
use failure::Failure;
use globals::Globals;
use runtime::config::matches_of;
use runtime::config::secret_files::refuse_in_arguments;
use std::io::IsTerminal;
use std::process::ExitCode;
use up::UpArgs;

/// The Media and Workspace Service: runs it, and uses it.
#[derive(Debug, Parser)]
#[command(name = "mws", version, after_help = failure::help())]
struct Cli {
    #[command(flatten)]
    globals: Globals,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the whole service: api, worker and scheduler, with a PostgreSQL of its own.
    Up(Box<UpArgs>),
    /// Stop the `mws up` that runs on the data folder, and wait until it has ended.
    Down,
    /// Show the service at work on media made here, or on your own file.
    Demo(demo::DemoArgs),
    /// Check everything the service depends on, and say how to cure what is wrong.
    Doctor(Box<doctor::DoctorArgs>),
    /// Bring the schema of a PostgreSQL of your own up to date, and end.
    Migrate(Box<migrate::MigrateArgs>),
    #[command(flatten)]
    Client(Box<ClientCommand>),
    /// Write the completions of a shell, for it to load.
    Completions(manual::CompletionsArgs),
    /// Write the page of `mws` for `man`, or the pages of all commands.
    Man(manual::ManArgs),
    /// Show the version.
    Version,
}

fn main() -> ExitCode {
    if let Err(error) = refuse_in_arguments(std::env::args_os()) {
        let failure = Failure::Usage(error.to_string());
        failure.report(false);
        return failure.exit_code();
    }
    let matches = matches_of(Cli::command());
    let cli = match Cli::from_arg_matches(&matches) {
        Ok(cli) => cli,
        Err(error) => error.exit(),
    };
    let json = cli.globals.json;
    match run(cli, &matches) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.report(json);
            failure.exit_code()
        }
    }
}

fn run(cli: Cli, matches: &ArgMatches) -> Result<(), Failure> {
    runtime::process::close_to_others()?;
    let globals = cli.globals;
    match cli.command {
        Command::Up(up) if up.is_to_detach() => up::detach(&up, globals.json),
        Command::Up(mut up) => {
            // At a terminal, messages say what matters; the log shows only warnings, unless another level was chosen.
            if is_default(matches, "log") && std::io::stderr().is_terminal() {
                "warn".clone_into(&mut up.settings_mut().log);
            }
            let _traces = runtime::telemetry::start(up.settings_mut(), "up");
            Ok(up::run(*up, globals.json)?)
        }
        Command::Down => down::run(&globals),
        Command::Demo(args) => database::runtime()?.block_on(demo::run(args, globals)),
        Command::Doctor(mut args) => {
            if is_default(matches, "log") {
                "error".clone_into(&mut args.settings_mut().log);
            }
            runtime::telemetry::start_logs(args.settings_mut());
            doctor::run(*args, &globals)
        }
        Command::Migrate(mut args) => {
            runtime::telemetry::start_logs(args.settings_mut());
            migrate::run(*args, &globals)
        }
        Command::Client(command) => database::runtime()?.block_on(commands::run(*command, globals)),
        Command::Completions(args) => manual::completions(&args, Cli::command(), &globals),
        Command::Man(args) => manual::man(&args, Cli::command(), &globals),
        Command::Version => {
            let version = env!("CARGO_PKG_VERSION");
            if globals.json {
                output::document(&serde_json::json!({ "version": version }))
            } else {
                output::print(version)
            }
        }
    }
}

/// Whether this setting of the command was left at its default.
fn is_default(matches: &ArgMatches, setting: &str) -> bool {
    let chosen = matches.subcommand().and_then(|(_, of_command)| of_command.value_source(setting));
    chosen == Some(ValueSource::DefaultValue)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grammar_is_sound() {
        Cli::command().debug_assert();
    }

    /// Every example in the help, cut off where the shell's syntax begins.
    fn examples(command: &clap::Command, found: &mut Vec<String>) {
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        for line in help.lines() {
            let Some(start) = line.find("mws ") else { continue };
            if line.starts_with("  ") && !line.contains("xargs") {
                let example = line[start..].split(['|', '>', '&']).next().unwrap_or_default();
                found.push(example.split("   ").next().unwrap_or_default().to_owned());
            }
        }
        for inner in command.get_subcommands() {
            examples(inner, found);
        }
    }

    #[test]
    fn every_example_of_the_help_is_understood() {
        let mut found = Vec::new();
        examples(&Cli::command(), &mut found);
        assert!(found.len() > 20, "{found:?}");
        for example in found {
            // Quotes only ever hold one argument here; single ones hold JSON.
            let quote = if example.contains('\'') { '\'' } else { '"' };
            let mut words: Vec<String> = Vec::new();
            for (index, part) in example.split(quote).enumerate() {
                if index % 2 == 1 {
                    words.push(part.to_owned());
                } else {
                    words.extend(part.split_whitespace().map(str::to_owned));
                }
            }
            let parsed = Cli::command().try_get_matches_from(&words).map(|matches| Cli::from_arg_matches(&matches));
            assert!(matches!(parsed, Ok(Ok(_))), "{example}: {:?}", parsed.err());
        }
    }
}
