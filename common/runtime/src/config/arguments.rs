//! A process's arguments, and the variables that replace them.

use super::secret_files::refuse_in_arguments;

/// Returns the arguments of this process. A variable that is set but empty counts as unset, as in compose files that
/// pass on variables which they were not given. Ends the process with clap's message when an argument is wrong.
pub fn arguments<P: clap::Parser>() -> P {
    if let Err(error) = refuse_in_arguments(std::env::args_os()) {
        P::command().error(clap::error::ErrorKind::ValueValidation, error).exit();
    }
    let matches = without_empty_variables(P::command()).get_matches();
    P::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
}

/// Returns the command without its variables that are set but empty.
pub fn without_empty_variables(command: clap::Command) -> clap::Command {
    let is_empty = |arg: &clap::Arg| arg.get_env().and_then(std::env::var_os).is_some_and(|value| value.is_empty());
    command
        .mut_args(|arg| if is_empty(&arg) { arg.env(None::<&'static str>) } else { arg })
        .mut_subcommands(without_empty_variables)
}
