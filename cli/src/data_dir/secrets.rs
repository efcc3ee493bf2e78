//! `secrets.env`: the deployment's secrets, one `NAME=value` on each line, as a shell and honcho read them.
//!
//! The environment and flags take precedence over the file and are never written into it. A secret is made only once:
//! without its `MWS_SECRET_KEY`, sealed data can't be opened again, so a file that can't be parsed is an error and is
//! never replaced.

use super::private_file;
use anyhow::bail;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use domain::credential::OperatorToken;
use domain::signature;
use runtime::config::Settings;
use secrecy::{ExposeSecret, SecretString};
use std::fmt::Write;
use std::path::Path;

/// One secret: its variable, where the settings hold it, and how a new one is made.
struct Secret {
    name: &'static str,
    slot: fn(&mut Settings) -> &mut Option<SecretString>,
    make: fn() -> SecretString,
}

const SECRETS: [Secret; 3] = [
    Secret {
        name: "MWS_SECRET_KEY",
        slot: |settings| &mut settings.secret_key,
        make: || STANDARD.encode(rand::random::<[u8; 32]>()).into(),
    },
    Secret {
        name: "MWS_OPERATOR_TOKEN",
        slot: |settings| &mut settings.operator_token,
        make: || OperatorToken::from_random(rand::random()).expose().into(),
    },
    Secret {
        name: "MWS_DEFAULT_WEBHOOK_SECRET",
        slot: |settings| &mut settings.default_webhook_secret,
        make: || signature::new_secret(rand::random()),
    },
];

/// Fills in the secrets that the settings lack, and stores those that had to be made.
pub(super) fn complete(path: &Path, settings: &mut Settings) -> anyhow::Result<()> {
    let mut kept = read(path)?;
    let before = kept.len();
    for secret in &SECRETS {
        let slot = (secret.slot)(settings);
        if slot.is_some() {
            continue;
        }
        let found = kept.iter().find(|(name, _)| name == secret.name).map(|(_, value)| value.clone());
        *slot = Some(found.unwrap_or_else(|| {
            let made = (secret.make)();
            kept.push((secret.name.to_owned(), made.clone()));
            made
        }));
    }
    if kept.len() > before { private_file::write(path, &text(&kept)) } else { Ok(()) }
}

/// Fills in the secrets that the settings lack and the file has.
pub(super) fn read_into(path: &Path, settings: &mut Settings) -> anyhow::Result<()> {
    let kept = read(path)?;
    for secret in &SECRETS {
        let slot = (secret.slot)(settings);
        if slot.is_none() {
            *slot = kept.iter().find(|(name, _)| name == secret.name).map(|(_, value)| value.clone());
        }
    }
    Ok(())
}

fn read(path: &Path) -> anyhow::Result<Vec<(String, SecretString)>> {
    let Some(text) = private_file::read(path)? else { return Ok(Vec::new()) };
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| match line.split_once('=') {
            Some((name, value)) if !value.is_empty() => Ok((name.to_owned(), SecretString::from(value))),
            _ => bail!("{} has a line that is not NAME=value: put the file right, or restore it", path.display()),
        })
        .collect()
}

fn text(kept: &[(String, SecretString)]) -> String {
    let mut text =
        "# Made by `mws up`. Keep it with the database: what is sealed can't be opened without it.\n".to_owned();
    for (name, value) in kept {
        let _infallible = writeln!(text, "{name}={}", value.expose_secret());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Args, FromArgMatches};

    fn settings() -> Settings {
        let command = Settings::augment_args(clap::Command::new("test"));
        Settings::from_arg_matches(&command.get_matches_from(["test"])).unwrap()
    }

    fn exposed(settings: &mut Settings) -> Vec<String> {
        SECRETS.iter().map(|secret| (secret.slot)(settings).as_ref().unwrap().expose_secret().to_owned()).collect()
    }

    #[test]
    fn secrets_are_made_once_and_found_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secrets.env");
        let (mut first, mut second) = (settings(), settings());
        complete(&path, &mut first).unwrap();
        complete(&path, &mut second).unwrap();
        assert_eq!(exposed(&mut first), exposed(&mut second));
    }

    #[test]
    fn what_the_environment_says_goes_first_and_is_not_written_down() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secrets.env");
        let mut given = settings();
        given.operator_token = Some("mine".into());
        complete(&path, &mut given).unwrap();
        assert_eq!(given.operator_token.unwrap().expose_secret(), "mine");
        assert!(!std::fs::read_to_string(&path).unwrap().contains("MWS_OPERATOR_TOKEN"));
    }

    #[test]
    fn a_file_that_is_not_understood_is_never_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secrets.env");
        private_file::write(&path, "MWS_SECRET_KEY").unwrap();
        assert!(complete(&path, &mut settings()).is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "MWS_SECRET_KEY");
    }
}
