//! What the documentation has people type: each `mws …` is understood, and each `make …` is a target of the Makefile.

mod shell;

use crate::Cli;
use anyhow::{Context, ensure};
use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The pages of a folder and of those in it.
fn pages(folder: &Path, found: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            pages(&path, found)?;
        } else if path.extension().is_some_and(|kind| kind == "md") {
            found.push(path);
        }
    }
    Ok(())
}

/// What a page shows: the blocks that are for a shell, and the code within its sentences.
fn code_of(page: &str) -> (Vec<String>, Vec<String>) {
    let (mut blocks, mut prose) = (Vec::new(), String::new());
    let mut block: Option<(&str, String)> = None;
    for line in page.lines() {
        match (line.trim_start().strip_prefix("```"), &mut block) {
            (Some(language), None) => block = Some((language.trim(), String::new())),
            (Some(_), Some(_)) => {
                let (language, text) = block.take().unwrap_or_default();
                if ["sh", "bash", "console"].contains(&language) {
                    blocks.push(text);
                }
                prose.push('\n');
            }
            // Of a session only what is typed counts.
            (None, Some(("console", text))) => {
                text.push_str(line.strip_prefix("$ ").unwrap_or_default());
                text.push('\n');
            }
            (None, Some((_, text))) => {
                text.push_str(line);
                text.push('\n');
            }
            (None, None) => {
                prose.push_str(line);
                prose.push('\n');
            }
        }
    }
    let paragraphs = prose.split("\n\n").filter(|paragraph| paragraph.matches('`').count() % 2 == 0);
    let spans = paragraphs.flat_map(|paragraph| paragraph.split('`').skip(1).step_by(2));
    (blocks, spans.map(|span| span.replace('\n', " ")).collect())
}

/// What `docker compose exec` or `run` has a container do; any other command is itself.
fn in_container(words: &[String]) -> &[String] {
    let Some(verb) = words.iter().position(|word| ["exec", "run"].contains(&word.as_str())) else { return words };
    let Some(service) = words.iter().skip(verb + 1).position(|word| !word.starts_with('-')) else { return words };
    let inner = words.get(verb + service + 2..).unwrap_or_default();
    if words[0] == "docker" && !inner.is_empty() { inner } else { words }
}

/// Checks a command against the grammar. Within a sentence it may be a part of one, but names no option that is none.
fn understood(grammar: &clap::Command, words: &[String], is_whole: bool) -> anyhow::Result<()> {
    let words = words.iter().filter(|word| !["…", "..."].contains(&word.as_str()));
    match grammar.clone().try_get_matches_from(words) {
        Ok(matches) => Cli::from_arg_matches(&matches).map(|_| ()).context("not understood"),
        Err(error) if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => Ok(()),
        Err(error) if is_whole || matches!(error.kind(), ErrorKind::UnknownArgument | ErrorKind::InvalidSubcommand) => {
            Err(error.into())
        }
        Err(_) => Ok(()),
    }
}

#[test]
fn every_command_of_the_documentation_is_one() -> anyhow::Result<()> {
    let makefile = fs::read_to_string(root().join("Makefile"))?;
    let targets: BTreeSet<_> = makefile.lines().filter_map(|line| Some(line.split_once(':')?.0)).collect();
    let grammar = Cli::command();
    let mut files: Vec<_> =
        ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md"].iter().map(|page| root().join(page)).collect();
    pages(&root().join("docs"), &mut files)?;
    let (mut whole, mut named, mut made) = (0, 0, 0);
    for file in files {
        let (blocks, spans) = code_of(&fs::read_to_string(&file)?);
        let texts = blocks.iter().map(|block| (block, true)).chain(spans.iter().map(|span| (span, false)));
        for (text, is_block) in texts {
            for typed in shell::commands(text) {
                let words = in_container(&typed);
                let told = || format!("{}: {}", file.display(), words.join(" "));
                match words[0].rsplit('/').next() {
                    Some("mws") => {
                        understood(&grammar, words, is_block).with_context(told)?;
                        *(if is_block { &mut whole } else { &mut named }) += 1;
                    }
                    Some("make") => {
                        let mut asked =
                            words[1..].iter().filter(|word| !word.contains('=') && !word.starts_with(['-', '…']));
                        let unknown = asked.find(|word| !targets.contains(word.as_str()));
                        ensure!(unknown.is_none(), "{}: no such target", told());
                        made += 1;
                    }
                    _ => {}
                }
            }
        }
    }
    ensure!(whole > 120 && named > 100 && made > 20, "only {whole}, {named} and {made} were found");
    Ok(())
}

#[test]
fn what_a_container_does_is_a_command_of_its_own() {
    let inner = |typed: &str| {
        let words: Vec<_> = typed.split(' ').map(str::to_owned).collect();
        in_container(&words).join(" ")
    };
    assert_eq!(inner("docker compose exec -T api mws console"), "mws console");
    assert_eq!(inner("docker compose run --rm migrate"), "docker compose run --rm migrate");
    assert_eq!(inner("mws run exec up"), "mws run exec up");
}
