//! Finds the service's URL and the key to use (contract §13).
//!
//! Flags take precedence over `MWS_*`, those over a profile of the configuration file, and that over what `mws up`
//! stored. URL and key come from one source unless both are given: a local key is never sent to another host. An
//! operator's token is found in the same way, in its own places.

use crate::data_dir::DataDir;
use crate::failure::Failure;
use crate::globals::Globals;
use anyhow::Context;
use secrecy::SecretString;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Which credential a command uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum As {
    /// A key of an account.
    Customer,
    /// An operator's token.
    Operator,
}

impl As {
    const fn noun(self) -> &'static str {
        match self {
            Self::Customer => "key",
            Self::Operator => "operator's token",
        }
    }

    const fn variable(self) -> &'static str {
        match self {
            Self::Customer => "MWS_API_KEY",
            Self::Operator => "MWS_OPERATOR_TOKEN",
        }
    }

    const fn flag(self) -> &'static str {
        match self {
            Self::Customer => "--api-key-file",
            Self::Operator => "--operator-token-file",
        }
    }
}

/// The API's URL and a key to it.
#[derive(Debug, Clone)]
pub struct Access {
    /// The URL that every path is below; ends in `/api/v1`.
    pub base_url: String,
    /// The key.
    pub key: SecretString,
    /// The name of the source of both, for `whoami` and `-v`.
    pub source: String,
}

/// What one source has of them.
#[derive(Debug, Clone, Default)]
struct Partial {
    base_url: Option<String>,
    key: Option<SecretString>,
    source: String,
}

#[derive(Deserialize)]
struct ConfigFile {
    #[serde(default)]
    profiles: BTreeMap<String, Profile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Profile {
    base_url: String,
    api_key: Option<String>,
    api_key_file: Option<PathBuf>,
    operator_token: Option<String>,
    operator_token_file: Option<PathBuf>,
}

impl Profile {
    /// The credential, as it is written there or in the file that is named; none where neither is.
    fn key(&self, who: As) -> Result<Option<SecretString>, Failure> {
        let places = match who {
            As::Customer => (&self.api_key, &self.api_key_file),
            As::Operator => (&self.operator_token, &self.operator_token_file),
        };
        match places {
            (Some(key), _) => Ok(Some(key.clone().into())),
            (None, Some(file)) => Ok(Some(key_file(file)?)),
            (None, None) => Ok(None),
        }
    }
}

/// Finds the URL and the credential. `file` is the file with the credential, if a flag named one.
pub fn access(globals: &Globals, who: As, file: Option<&Path>) -> Result<Access, Failure> {
    let given = given(globals, who, file)?;
    let kept = match profile(globals, who)? {
        Some(profile) => Some(profile),
        None => local(globals, who)?,
    };
    settle(who, given, kept, &globals.data_dir)
}

/// Chooses between what was given for this call and what is stored.
fn settle(who: As, given: Partial, kept: Option<Partial>, data_dir: &Path) -> Result<Access, Failure> {
    let (noun, variable, flag) = (who.noun(), who.variable(), who.flag());
    let whole = |partial: Partial| match (partial.base_url, partial.key) {
        (Some(base_url), Some(key)) => Some(Access { base_url, key, source: partial.source }),
        _ => None,
    };
    match (given.base_url.as_deref(), given.key.is_some()) {
        (Some(_), true) => {}
        (Some(url), false) => {
            let same = kept.filter(|kept| kept.base_url.as_deref() == Some(url)).and_then(whole);
            return same.ok_or_else(|| {
                Failure::SignedOut(format!("there is no {noun} for {url}: give one by {flag} or {variable}"))
            });
        }
        (None, true) => {
            let why = format!("the {noun} is given but no URL to use it at: give one by --base-url or MWS_BASE_URL");
            return Err(Failure::Usage(why));
        }
        (None, false) => {
            return kept.and_then(whole).ok_or_else(|| no_credentials(data_dir, variable));
        }
    }
    whole(given).ok_or_else(|| Failure::Usage(format!("no URL and {noun} were given")))
}

fn no_credentials(data_dir: &Path, variable: &str) -> Failure {
    let why = format!(
        "no credentials: there is none in the environment and no credentials.json in {}\n  \
         next: start the service with `mws up`, or set MWS_BASE_URL and {variable}",
        data_dir.display()
    );
    Failure::SignedOut(why)
}

/// The values of flags and the environment.
fn given(globals: &Globals, who: As, file: Option<&Path>) -> Result<Partial, Failure> {
    let from_file = file.map(key_file).transpose()?;
    let from_env = std::env::var(who.variable()).ok().filter(|key| !key.is_empty()).map(SecretString::from);
    let source = "flags and the environment".to_owned();
    let base_url = globals.base_url.as_deref().map(|url| url.trim_end_matches('/').to_owned());
    Ok(Partial { base_url, key: from_file.or(from_env), source })
}

fn key_file(path: &Path) -> anyhow::Result<SecretString> {
    let text =
        if path == Path::new("-") { std::io::read_to_string(std::io::stdin()) } else { std::fs::read_to_string(path) };
    let text = text.with_context(|| format!("the key can't be read from {}", path.display()))?;
    Ok(text.trim().to_owned().into())
}

/// The named profile of the configuration file, or the one named `default` if it exists.
fn profile(globals: &Globals, who: As) -> Result<Option<Partial>, Failure> {
    let folder = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from);
    let folder = folder.or_else(|| std::env::var_os("HOME").map(|home| Path::new(&home).join(".config")));
    let path = folder.unwrap_or_default().join("mws/config.toml");
    let Ok(text) = std::fs::read_to_string(&path) else {
        return match &globals.profile {
            Some(name) => Err(Failure::Usage(format!("there is no profile `{name}`: {} is missing", path.display()))),
            None => Ok(None),
        };
    };
    let file: ConfigFile = toml::from_str(&text).with_context(|| format!("{} is not understood", path.display()))?;
    let name = globals.profile.as_deref().unwrap_or("default");
    let Some(profile) = file.profiles.get(name) else {
        return match &globals.profile {
            Some(name) => Err(Failure::Usage(format!("there is no profile `{name}` in {}", path.display()))),
            None => Ok(None),
        };
    };
    let key = profile.key(who)?;
    let base_url = Some(profile.base_url.trim_end_matches('/').to_owned());
    Ok(Some(Partial { base_url, key, source: format!("profile `{name}` of {}", path.display()) }))
}

/// The values that `mws up` stored.
fn local(globals: &Globals, who: As) -> Result<Option<Partial>, Failure> {
    let Ok(data_dir) = DataDir::find(&globals.data_dir) else { return Ok(None) };
    let source = data_dir.credentials_path().display().to_string();
    Ok(data_dir.credentials()?.map(|kept| {
        let (base_url, key) = match who {
            As::Customer => (kept.base_url, kept.api_key),
            As::Operator => (kept.operator_base_url.unwrap_or(kept.base_url), kept.operator_token),
        };
        Partial { base_url: Some(base_url), key: Some(key.into()), source }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use secrecy::ExposeSecret;

    fn partial(base_url: Option<&str>, key: Option<&str>, source: &str) -> Partial {
        Partial { base_url: base_url.map(str::to_owned), key: key.map(SecretString::from), source: source.to_owned() }
    }

    fn settled(given: Partial, kept: Option<Partial>) -> Result<(String, String), Failure> {
        settle(As::Operator, given, kept, Path::new(".mws"))
            .map(|access| (access.base_url, access.key.expose_secret().to_owned()))
    }

    #[test]
    fn a_local_key_is_never_sent_to_another_host() {
        let local = || Some(partial(Some("http://here/api/v1"), Some("local"), "file"));
        let elsewhere = settled(partial(Some("https://there/api/v1"), None, "flags"), local());
        assert!(matches!(elsewhere, Err(Failure::SignedOut(_))));
        let here = settled(partial(Some("http://here/api/v1"), None, "flags"), local());
        assert_eq!(here.unwrap().1, "local");
        let orphan = settled(partial(None, Some("mine"), "flags"), local());
        assert!(matches!(orphan, Err(Failure::Usage(_))));
    }

    #[test]
    fn what_is_given_goes_before_what_is_kept() {
        let local = Some(partial(Some("http://here/api/v1"), Some("local"), "file"));
        let both = settled(partial(Some("https://there/api/v1"), Some("mine"), "flags"), local.clone());
        assert_eq!(both.unwrap(), ("https://there/api/v1".to_owned(), "mine".to_owned()));
        assert_eq!(settled(Partial::default(), local).unwrap().1, "local");
        assert!(matches!(settled(Partial::default(), None), Err(Failure::SignedOut(_))));
    }
}
