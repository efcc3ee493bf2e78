//! The grammar in the forms that shells and `man` read: completions, and pages of a manual.

use crate::failure::Failure;
use crate::globals::Globals;
use crate::output::{self, Out};
use anyhow::Context;
use clap::Command;
use clap_complete::Shell;
use clap_mangen::Man;
use serde_json::json;
use std::path::PathBuf;

/// Arguments of `mws completions`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mws completions bash > ~/.local/share/bash-completion/completions/mws
  mws completions zsh > ~/.zfunc/_mws        with ~/.zfunc in fpath, before compinit
  mws completions fish > ~/.config/fish/completions/mws.fish")]
pub struct CompletionsArgs {
    /// The shell.
    shell: Shell,
}

/// Arguments of `mws man`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mws man | man -l -                         the page of mws alone
  mws man --out ~/.local/share/man/man1      all pages, for `man mws-up`")]
pub struct ManArgs {
    /// Write a page for each command into this folder, which is made if it is missing.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Writes the completions of a shell.
pub fn completions(args: &CompletionsArgs, mut grammar: Command, globals: &Globals) -> Result<(), Failure> {
    let mut script: Vec<u8> = Vec::new();
    let name = grammar.get_name().to_owned();
    clap_complete::generate(args.shell, &mut grammar, name, &mut script);
    print("script", &script, globals)
}

/// Writes the page of `mws`, or into a folder those of all commands.
pub fn man(args: &ManArgs, grammar: Command, globals: &Globals) -> Result<(), Failure> {
    let Some(folder) = &args.out else {
        let mut page: Vec<u8> = Vec::new();
        Man::new(grammar).render(&mut page)?;
        return print("page", &page, globals);
    };
    std::fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(grammar, folder))
        .with_context(|| format!("the pages can't be written to {}", folder.display()))?;
    let folder = folder.display().to_string();
    Out::new(globals).done(&json!({ "folder": folder }), &format!("The pages are in {folder}."))
}

/// Prints a text as it is, or with `--json` as the field of this name.
fn print(field: &str, text: &[u8], globals: &Globals) -> Result<(), Failure> {
    let text = String::from_utf8_lossy(text);
    if globals.json { output::document(&json!({ field: text })) } else { output::print(&text) }
}
