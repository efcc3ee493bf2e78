//! Reads secrets from files, and refuses them as arguments, which anyone who may list a machine's processes can read.
//!
//! Each secret setting has a variable `…_FILE` for a file that contains its value, as systemd's `LoadCredential=` and
//! container secrets provide it. This module owns those names; `config` owns what the values mean.

use super::Settings;
use clap::Args;
use secrecy::SecretString;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Files that hold secrets, each in the place of the setting of its name. Space around a value is left out.
#[derive(Debug, Clone, Default, Args)]
pub struct SecretFiles {
    /// File that holds `DATABASE_URL`.
    #[arg(long, env = "DATABASE_URL_FILE")]
    pub database_url_file: Option<PathBuf>,

    /// File that holds `MWS_DATABASE_DIRECT_URL`.
    #[arg(long, env = "MWS_DATABASE_DIRECT_URL_FILE")]
    pub database_direct_url_file: Option<PathBuf>,

    /// File that holds `MWS_SECRET_KEY`, such as `%d/secret-key` with systemd's `LoadCredential=`.
    #[arg(long, env = "MWS_SECRET_KEY_FILE")]
    pub secret_key_file: Option<PathBuf>,

    /// File that holds `MWS_SECRET_KEY_OLD`.
    #[arg(long, env = "MWS_SECRET_KEY_OLD_FILE")]
    pub secret_key_old_file: Option<PathBuf>,

    /// File that holds `MWS_OPERATOR_TOKEN`.
    #[arg(id = "operator_token_in_file", long = "operator-token-file", env = "MWS_OPERATOR_TOKEN_FILE")]
    pub operator_token_file: Option<PathBuf>,

    /// File that holds `MWS_OPERATOR_TOKENS`.
    #[arg(long, env = "MWS_OPERATOR_TOKENS_FILE")]
    pub operator_tokens_file: Option<PathBuf>,

    /// File that holds `MWS_DEFAULT_WEBHOOK_SECRET`.
    #[arg(long, env = "MWS_DEFAULT_WEBHOOK_SECRET_FILE")]
    pub default_webhook_secret_file: Option<PathBuf>,

    /// File that holds `MWS_OPERATOR_WEBHOOK_SECRET`.
    #[arg(long, env = "MWS_OPERATOR_WEBHOOK_SECRET_FILE")]
    pub operator_webhook_secret_file: Option<PathBuf>,

    /// File that holds `MWS_TRANSCRIBER_KEY`.
    #[arg(long, env = "MWS_TRANSCRIBER_KEY_FILE")]
    pub transcriber_key_file: Option<PathBuf>,

    /// File that holds `MWS_DIARIZER_KEY`.
    #[arg(long, env = "MWS_DIARIZER_KEY_FILE")]
    pub diarizer_key_file: Option<PathBuf>,
}

/// Flags that would show a secret in the list of processes; those of URLs do so only when the URL contains a password.
const SECRET_FLAGS: [(&str, &str); 10] = [
    ("--secret-key", "MWS_SECRET_KEY"),
    ("--secret-key-old", "MWS_SECRET_KEY_OLD"),
    ("--operator-token", "MWS_OPERATOR_TOKEN"),
    ("--operator-tokens", "MWS_OPERATOR_TOKENS"),
    ("--default-webhook-secret", "MWS_DEFAULT_WEBHOOK_SECRET"),
    ("--operator-webhook-secret", "MWS_OPERATOR_WEBHOOK_SECRET"),
    ("--transcriber-key", "MWS_TRANSCRIBER_KEY"),
    ("--diarizer-key", "MWS_DIARIZER_KEY"),
    ("--database-url", "DATABASE_URL"),
    ("--database-direct-url", "MWS_DATABASE_DIRECT_URL"),
];

/// Why a secret is refused.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    /// It is among the arguments.
    #[error(
        "{flag} would show a secret in the list of processes: set {variable}, or {variable}_FILE to a file that holds it"
    )]
    InArguments {
        /// The flag.
        flag: &'static str,
        /// The variable to set instead.
        variable: &'static str,
    },
    /// Both the setting and its file are set.
    #[error("{0} and {0}_FILE are both set: leave one out")]
    Twice(&'static str),
    /// The file can't be read.
    #[error("{variable}_FILE: {path} can't be read: {why}")]
    Unreadable {
        /// The setting.
        variable: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's error.
        why: io::Error,
    },
    /// The file is empty.
    #[error("{variable}_FILE: {path} holds nothing")]
    Empty {
        /// The setting.
        variable: &'static str,
        /// The file.
        path: PathBuf,
    },
}

/// Refuses to start with a secret among the program's arguments. Call it first in `main`.
///
/// # Errors
/// [`SecretError::InArguments`].
pub fn refuse_in_arguments<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Result<(), SecretError> {
    let texts: Vec<String> = arguments.into_iter().map(|one| one.as_ref().to_string_lossy().into_owned()).collect();
    for (index, argument) in texts.iter().enumerate() {
        let (name, value) = match argument.split_once('=') {
            Some((name, value)) => (name, value),
            None => (argument.as_str(), texts.get(index + 1).map_or("", String::as_str)),
        };
        let Some((flag, variable)) = SECRET_FLAGS.iter().find(|(flag, _)| *flag == name) else { continue };
        let is_url = flag.ends_with("-url");
        if !is_url || has_password(value) {
            return Err(SecretError::InArguments { flag, variable });
        }
    }
    Ok(())
}

/// Whether a URL has the form `postgres://user:password@host/…` or `…?password=…`.
fn has_password(url: &str) -> bool {
    let authority = url.split_once("://").map_or("", |(_, rest)| rest.split(['/', '?']).next().unwrap_or_default());
    let in_front = authority.rsplit_once('@').is_some_and(|(user, _)| user.contains(':'));
    in_front || url.contains("?password=") || url.contains("&password=")
}

impl Settings {
    /// Reads the secrets from the files that are named, each into its setting.
    ///
    /// # Errors
    /// [`SecretError`], which names the variable to correct and never a secret.
    pub fn read_secret_files(&mut self) -> Result<(), SecretError> {
        let files = self.secret_files.clone();
        if let Some(url) = read("DATABASE_URL", files.database_url_file.as_deref(), self.database_url.is_some())? {
            self.database_url = Some(url);
        }
        let has_direct = self.database_direct_url.is_some();
        let direct = files.database_direct_url_file.as_deref();
        if let Some(url) = read("MWS_DATABASE_DIRECT_URL", direct, has_direct)? {
            self.database_direct_url = Some(url);
        }
        let is_old = !self.secret_key_old.is_empty();
        if let Some(keys) = read("MWS_SECRET_KEY_OLD", files.secret_key_old_file.as_deref(), is_old)? {
            let keys = keys.split(',').map(str::trim).filter(|key| !key.is_empty());
            self.secret_key_old = keys.map(SecretString::from).collect();
        }
        let slots: [(&'static str, Option<PathBuf>, &mut Option<SecretString>); 7] = [
            ("MWS_SECRET_KEY", files.secret_key_file, &mut self.secret_key),
            ("MWS_OPERATOR_TOKEN", files.operator_token_file, &mut self.operator_token),
            ("MWS_OPERATOR_TOKENS", files.operator_tokens_file, &mut self.operator_tokens),
            ("MWS_DEFAULT_WEBHOOK_SECRET", files.default_webhook_secret_file, &mut self.default_webhook_secret),
            ("MWS_OPERATOR_WEBHOOK_SECRET", files.operator_webhook_secret_file, &mut self.operator_webhook_secret),
            ("MWS_TRANSCRIBER_KEY", files.transcriber_key_file, &mut self.transcriber_key),
            ("MWS_DIARIZER_KEY", files.diarizer_key_file, &mut self.diarizer_key),
        ];
        for (variable, path, slot) in slots {
            if let Some(value) = read(variable, path.as_deref(), slot.is_some())? {
                *slot = Some(value.into());
            }
        }
        Ok(())
    }
}

fn read(variable: &'static str, path: Option<&Path>, is_set: bool) -> Result<Option<String>, SecretError> {
    let Some(path) = path else { return Ok(None) };
    if is_set {
        return Err(SecretError::Twice(variable));
    }
    let unreadable = |why| SecretError::Unreadable { variable, path: path.to_owned(), why };
    let text = fs::read_to_string(path).map_err(unreadable)?;
    match text.trim() {
        "" => Err(SecretError::Empty { variable, path: path.to_owned() }),
        value => Ok(Some(value.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::FromArgMatches;
    use secrecy::ExposeSecret;

    fn settings(arguments: &[&str]) -> Settings {
        let command = Settings::augment_args(clap::Command::new("test"));
        let all = std::iter::once(&"test").chain(arguments);
        Settings::from_arg_matches(&command.get_matches_from(all)).expect("settings")
    }

    fn refused(arguments: &[&str]) -> Option<String> {
        refuse_in_arguments(arguments).err().map(|error| error.to_string())
    }

    #[test]
    fn a_secret_among_the_arguments_is_refused_by_its_flags_name_and_not_shown() {
        for (flag, variable) in SECRET_FLAGS.iter().filter(|(flag, _)| !flag.ends_with("-url")) {
            for arguments in [vec![format!("{flag}=hunter2")], vec![(*flag).to_owned(), "hunter2".to_owned()]] {
                let why = refuse_in_arguments(&arguments).expect_err(flag).to_string();
                assert!(why.contains(flag) && why.contains(&format!("{variable}_FILE")), "{why}");
                assert!(!why.contains("hunter2"), "{why}");
            }
        }
        for with_password in ["postgres://a:b@h/d", "postgres://h/d?user=a&password=b", "postgresql://h?password=b"] {
            assert!(refused(&["mws", "up", "--database-url", with_password]).is_some(), "{with_password}");
            assert!(refused(&[&format!("--database-url={with_password}")]).is_some(), "{with_password}");
            assert!(refused(&["mws", "--database-direct-url", with_password]).is_some(), "{with_password}");
        }
        for fine in ["postgres://a@h/d", "postgres://h:5432/d?host=/run/postgresql", "postgres:///d"] {
            assert_eq!(refused(&["mws", "--database-url", fine]), None, "{fine}");
        }
        assert_eq!(refused(&["mws", "up", "--secret-key-file", "/run/key", "--operator-token-file=/run/token"]), None);
    }

    #[test]
    fn every_secret_setting_has_its_flag_in_the_list_and_a_file_that_may_hold_it() {
        let command = Settings::augment_args(clap::Command::new("test"));
        let flags: Vec<String> =
            command.get_arguments().filter_map(|one| one.get_long()).map(|one| format!("--{one}")).collect();
        for hidden in command.get_arguments().filter(|one| one.is_hide_env_values_set()) {
            let flag = format!("--{}", hidden.get_long().unwrap_or_default());
            assert!(SECRET_FLAGS.iter().any(|(known, _)| *known == flag), "{flag} is a secret");
            assert!(flags.contains(&format!("{flag}-file")), "{flag} has no file");
        }
    }

    #[test]
    fn a_file_stands_in_the_place_of_its_setting() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name).display().to_string();
        fs::write(path("key"), " hunter2\n").expect("a file");
        fs::write(path("empty"), "\n").expect("a file");
        let mut given = settings(&["--secret-key-file", &path("key"), "--database-url-file", &path("key")]);
        given.read_secret_files().expect("read");
        assert_eq!(given.secret_key.expect("a key").expose_secret(), "hunter2");
        assert_eq!(given.database_url.as_deref(), Some("hunter2"));
        for (arguments, wanted) in [
            (vec!["--secret-key-file", "/nowhere/at/all"], "MWS_SECRET_KEY_FILE: /nowhere/at/all can't be read"),
            (vec!["--operator-token-file", &path("empty")], "holds nothing"),
            (
                vec!["--secret-key=a", "--secret-key-file", &path("key")],
                "MWS_SECRET_KEY and MWS_SECRET_KEY_FILE are both set",
            ),
        ] {
            let why = settings(&arguments).read_secret_files().expect_err(wanted).to_string();
            assert!(why.contains(wanted), "{why}");
        }
    }
}
