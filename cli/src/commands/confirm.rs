//! Asks for consent to what can't be undone.

use super::Context;
use crate::failure::Failure;
use std::io::{BufRead, IsTerminal, Write};

/// Asks the question, unless `--yes` was given.
///
/// # Errors
/// [`Failure::Usage`], which names `--yes`, where nobody can be asked: standard input is no terminal, or `--no-input`
/// was given. [`Failure::Work`] unless the answer is yes.
pub fn confirm(context: &Context, question: &str) -> Result<(), Failure> {
    if context.globals.yes {
        return Ok(());
    }
    let stdin = std::io::stdin();
    if context.globals.no_input || !stdin.is_terminal() {
        return Err(Failure::Usage(format!("{question} Say so with --yes.")));
    }
    let mut stderr = std::io::stderr();
    write!(stderr, "{question} [y/N] ")?;
    stderr.flush()?;
    let mut answer = String::new();
    stdin.lock().read_line(&mut answer)?;
    match answer.trim() {
        "y" | "Y" | "yes" => Ok(()),
        _ => Err(Failure::Work("nothing was done".to_owned())),
    }
}
