//! A process's arguments, and the variables that replace them.

use super::secret_files::refuse_in_arguments;
use clap::error::ContextKind;

/// Returns the arguments of this process. A variable that is set but empty counts as unset, as in compose files that
/// pass on variables which they were not given. Ends the process with clap's message when an argument is wrong.
pub fn arguments<P: clap::Parser>() -> P {
    if let Err(error) = refuse_in_arguments(std::env::args_os()) {
        P::command().error(clap::error::ErrorKind::ValueValidation, error).exit();
    }
    let matches = matches_of(P::command());
    P::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
}

/// Returns what the arguments and the variables of this process say to the command. Ends the process with clap's
/// message when an argument is wrong.
pub fn matches_of(command: clap::Command) -> clap::ArgMatches {
    let command = without_empty_variables(command);
    command.clone().try_get_matches().unwrap_or_else(|error| with_true_usage(error, command).exit())
}

/// Returns the error with the usage of the arguments alone: clap shows those that variables give as if they were
/// required.
fn with_true_usage(error: clap::Error, command: clap::Command) -> clap::Error {
    if error.get(ContextKind::Usage).is_none() {
        return error;
    }
    let is_same = |other: &clap::Error| {
        other.kind() == error.kind() && other.get(ContextKind::InvalidArg) == error.get(ContextKind::InvalidArg)
    };
    match without_variables(command).try_get_matches() {
        Err(other) if is_same(&other) => other,
        _ => error,
    }
}

fn without_variables(command: clap::Command) -> clap::Command {
    command.mut_args(|arg| arg.env(None::<&'static str>)).mut_subcommands(without_variables)
}

/// Returns the command without its variables that are set but empty.
fn without_empty_variables(command: clap::Command) -> clap::Command {
    let is_empty = |arg: &clap::Arg| arg.get_env().and_then(std::env::var_os).is_some_and(|value| value.is_empty());
    command
        .mut_args(|arg| if is_empty(&arg) { arg.env(None::<&'static str>) } else { arg })
        .mut_subcommands(without_empty_variables)
}
