//! The settings of a test's service: the defaults, and what every test needs otherwise.

use anyhow::anyhow;
use clap::Parser;
use runtime::config::{ApiSettings, Settings};
use std::path::Path;
use std::sync::LazyLock;

/// All settings there are.
#[derive(Debug, Clone, Parser)]
struct All {
    #[command(flatten)]
    settings: Settings,
    #[command(flatten)]
    api: ApiSettings,
}

/// A rate limit that no test meets unless it wants to; small numbers of everything that is per process; secrets that
/// are the same in each process.
const CHANGED: &[&str] = &[
    "--secret-key=AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
    "--operator-token=operator-token-of-the-tests",
    "--default-webhook-secret=whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
    "--outbound-allow=127.0.0.0/8",
    "--rate-per-minute=6000000",
    "--rate-burst=1000000",
    "--worker-reads=4",
    "--worker-webhooks=16",
    "--drain-seconds=0",
];

/// Limits of an address and of an account that no test meets unless it wants to: all callers of tests are of one
/// address.
const API: &[&str] = &[
    "--listen=127.0.0.1:0",
    "--max-address-connections=4096",
    "--max-account-requests=4096",
    "--wrong-credentials-per-minute=1000000",
];

/// What the arguments say, read once a process and copied for each world: the parser checks all settings against each
/// other each time.
static ALL: LazyLock<Result<All, String>> = LazyLock::new(|| {
    let arguments = CHANGED.iter().chain(API).copied();
    All::try_parse_from(std::iter::once("test").chain(arguments)).map_err(|error| error.to_string())
});

fn all() -> anyhow::Result<&'static All> {
    ALL.as_ref().map_err(|error| anyhow!("the tests' settings: {error}"))
}

/// The settings of a service on this database, with its files in `folder`.
pub fn fixed(database_url: &str, folder: &Path) -> anyhow::Result<Settings> {
    let settings = all()?.settings.clone();
    Ok(Settings { database_url: Some(database_url.to_owned()), data_dir: folder.to_owned(), ..settings })
}

/// The settings of an api, before it is known where it listens.
pub fn api() -> anyhow::Result<ApiSettings> {
    Ok(all()?.api.clone())
}
