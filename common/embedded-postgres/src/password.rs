//! The password without which nobody can connect to the embedded server's socket.
//!
//! It is stored in the data folder, beside the cluster, readable only by the service's user; the server stores only its
//! hash. A cluster of an earlier release, which trusted its socket, gets a password at its next start, before it
//! listens. Servers of tests (`Durability::Tests`) keep trusting theirs: they hold nothing, and are connected to
//! thousands of times.

use std::fs::{self, OpenOptions, Permissions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use secrecy::{ExposeSecret, SecretString};

use super::cluster::Layout;
use super::error::{During, EmbeddedError};
use super::identity::Identity;
use super::process::{START_LIMIT, STILL_LOCKED};
use super::{Durability, ROLE};

/// Random bytes in a password.
const BYTES: usize = 32;
/// The pause before the next look whether a former server's processes have ended.
const RETRY: Duration = Duration::from_millis(100);

/// Returns the password that is stored for the cluster; none when there is none.
pub(super) fn known(layout: &Layout) -> Result<Option<SecretString>, EmbeddedError> {
    let path = layout.password();
    match fs::read_to_string(&path) {
        Ok(text) => Ok(Some(text.trim().into())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).during("read", &path),
    }
}

/// Makes sure that the stopped cluster requires a password, and returns it; none for tests. `is_new` says that the
/// cluster was just created.
pub(super) fn settled(
    bin: &Path,
    layout: &Layout,
    identity: &Identity,
    durability: Durability,
    is_new: bool,
) -> Result<Option<SecretString>, EmbeddedError> {
    let rule = match durability {
        Durability::Full => "local all all scram-sha-256\n",
        Durability::Tests => "local all all trust\n",
    };
    let rules = layout.rules();
    fs::write(&rules, rule).during("write", &rules)?;
    fs::set_permissions(&rules, Permissions::from_mode(0o600)).during("close to others", &rules)?;
    identity.take(&rules)?;
    if durability == Durability::Tests {
        return Ok(None);
    }
    if let Some(known) = known(layout)?.filter(|_| !is_new) {
        return Ok(Some(known));
    }
    let password = hex::encode(rand::random::<[u8; BYTES]>());
    set(bin, layout, identity, &password)?;
    keep(&layout.password(), &password)?;
    Ok(Some(password.into()))
}

/// Sets the role's password, with a single-user server that runs this statement alone and does not listen.
fn set(bin: &Path, layout: &Layout, identity: &Identity, password: &str) -> Result<(), EmbeddedError> {
    let program = bin.join("postgres");
    let deadline = Instant::now() + START_LIMIT;
    loop {
        let mut command = Command::new(&program);
        command.arg("--single").arg("-D").arg(layout.data());
        command.args(["-c", "password_encryption=scram-sha-256", "-c", "huge_pages=off", "postgres"]);
        command.current_dir(layout.folder()).env("LC_ALL", "C");
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = identity.apply(&mut command).spawn().during("run", &program)?;
        if let Some(mut input) = child.stdin.take() {
            // If the server has ended already, its output below says why.
            let _ = writeln!(input, "ALTER ROLE {ROLE} PASSWORD '{password}'");
        }
        let output = child.wait_with_output().during("wait for", &program)?;
        let said = String::from_utf8_lossy(&output.stderr).replace(password, "…").trim().to_owned();
        if output.status.success() && !said.contains("ERROR") {
            return Ok(());
        }
        if !said.contains(STILL_LOCKED) {
            return Err(EmbeddedError::Password { folder: layout.data(), said });
        }
        if Instant::now() > deadline {
            return Err(EmbeddedError::Timeout { after: START_LIMIT, log: layout.log() });
        }
        sleep(RETRY);
    }
}

/// Stores the password for this process's user alone, completely or not at all.
fn keep(path: &Path, password: &str) -> Result<(), EmbeddedError> {
    let unfinished = PathBuf::from(format!("{}.tmp", path.display()));
    let _left_behind = fs::remove_file(&unfinished);
    let opened = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&unfinished);
    let mut file = opened.during("create", &unfinished)?;
    writeln!(file, "{password}").and_then(|()| file.sync_all()).during("write", &unfinished)?;
    fs::rename(&unfinished, path).during("name", path)
}

/// Returns `:` and the password as plain text, for a URL; an empty string without a password.
pub(super) fn exposed(password: Option<&SecretString>) -> String {
    password.map(|password| format!(":{}", password.expose_secret())).unwrap_or_default()
}
