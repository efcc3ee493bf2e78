//! Where the service is and with which key to come in (people.md, "precedence").
//!
//! Flags go before `MWS_*`, those before a profile of the configuration file, that before what `mws up` wrote down. URL
//! and key come from one source unless both are given: a local key is never sent to another host.

use crate::data_dir::DataDir;
use crate::failure::Failure;
use crate::globals::Globals;
use anyhow::Context;
use secrecy::SecretString;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// An API's address and a key to it.
#[derive(Debug, Clone)]
pub struct Access {
    /// Where every path begins; ends in `/api/v1`.
    pub base_url: String,
    /// The key.
    pub key: SecretString,
    /// Where both were found, for `whoami` and `-v`.
    pub source: String,
}

/// What one place has to say.
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
}

/// Finds the address and the key.
pub fn access(globals: &Globals) -> Result<Access, Failure> {
    let given = given(globals)?;
    let kept = match profile(globals)? {
        Some(profile) => Some(profile),
        None => local(globals)?,
    };
    settle(given, kept, &globals.data_dir)
}

/// Decides between what was given for this call and what is kept.
fn settle(given: Partial, kept: Option<Partial>, data_dir: &Path) -> Result<Access, Failure> {
    let whole = |partial: Partial| match (partial.base_url, partial.key) {
        (Some(base_url), Some(key)) => Some(Access { base_url, key, source: partial.source }),
        _ => None,
    };
    match (given.base_url.as_deref(), given.key.is_some()) {
        (Some(_), true) => {}
        (Some(url), false) => {
            let same = kept.filter(|kept| kept.base_url.as_deref() == Some(url)).and_then(whole);
            return same.ok_or_else(|| {
                let why = format!("there is no key for {url}: give one by --api-key-file or MWS_API_KEY");
                Failure::SignedOut(why)
            });
        }
        (None, true) => {
            let why = "a key is given but no URL to use it at: give one by --base-url or MWS_BASE_URL";
            return Err(Failure::Usage(why.to_owned()));
        }
        (None, false) => {
            return kept.and_then(whole).ok_or_else(|| {
                let why = format!(
                    "no credentials: there is none in the environment and no credentials.json in {}\n  \
                     next: start the service with `mws up`, or set MWS_BASE_URL and MWS_API_KEY",
                    data_dir.display()
                );
                Failure::SignedOut(why)
            });
        }
    }
    whole(given).ok_or_else(|| Failure::Usage("no URL and key were given".to_owned()))
}

/// What flags and the environment say.
fn given(globals: &Globals) -> Result<Partial, Failure> {
    let from_file = globals.api_key_file.as_deref().map(key_file).transpose()?;
    let from_env = std::env::var("MWS_API_KEY").ok().filter(|key| !key.is_empty()).map(SecretString::from);
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

/// The named profile of the configuration file, or the one named `default`, if there is one.
fn profile(globals: &Globals) -> Result<Option<Partial>, Failure> {
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
    let key = match (&profile.api_key, &profile.api_key_file) {
        (Some(key), _) => Some(key.clone().into()),
        (None, Some(file)) => Some(key_file(file)?),
        (None, None) => None,
    };
    let base_url = Some(profile.base_url.trim_end_matches('/').to_owned());
    Ok(Some(Partial { base_url, key, source: format!("profile `{name}` of {}", path.display()) }))
}

/// What `mws up` wrote down.
fn local(globals: &Globals) -> Result<Option<Partial>, Failure> {
    let Ok(data_dir) = DataDir::find(&globals.data_dir) else { return Ok(None) };
    let source = data_dir.credentials_path().display().to_string();
    Ok(data_dir.credentials()?.map(|kept| Partial {
        base_url: Some(kept.base_url),
        key: Some(kept.api_key.into()),
        source,
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
        settle(given, kept, Path::new(".mws")).map(|access| (access.base_url, access.key.expose_secret().to_owned()))
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
