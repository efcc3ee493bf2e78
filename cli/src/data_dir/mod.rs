//! The data folder: what `mws up` keeps between two starts, and a lock on it.
//!
//! Its `postgres` belongs to the embedded server and its `media` to the media store; `secrets.env`, `credentials.json`
//! and `up.lock` are this module's; `up.log` is that of an `up` in the background. Files with secrets can be read by
//! their owner alone. Nothing here talks to a database.

mod credentials;
mod private_file;
mod secrets;

pub use credentials::Credentials;

use anyhow::{Context, bail};
use runtime::config::Settings;
use std::fs::{self, File, Permissions, TryLockError};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// The data folder, by its full path.
#[derive(Debug, Clone)]
pub struct DataDir(PathBuf);

/// A lock: this process is the only one that runs on the data folder, until this is dropped.
#[derive(Debug)]
#[must_use = "the folder is free again as soon as this is dropped"]
pub struct Occupied(File);

impl Drop for Occupied {
    /// Says that nobody runs there any more, while the lock is still held.
    fn drop(&mut self) {
        // A text that stays is that of a process that was killed.
        let _ = self.0.set_len(0);
    }
}

impl DataDir {
    /// Makes the folder if it is missing. Others may pass through it, because the embedded server may run as another
    /// user, but not look into it.
    pub fn prepare(path: &Path) -> anyhow::Result<Self> {
        if !path.exists() {
            fs::DirBuilder::new()
                .recursive(true)
                .create(path)
                .and_then(|()| fs::set_permissions(path, Permissions::from_mode(0o711)))
                .with_context(|| format!("the data folder {} can't be made", path.display()))?;
        }
        Self::find(path)
    }

    /// The folder, which must exist.
    pub fn find(path: &Path) -> anyhow::Result<Self> {
        let found = fs::canonicalize(path);
        let found = found.with_context(|| format!("there is no data folder {}: `mws up` makes one", path.display()))?;
        Ok(Self(found))
    }

    /// Its full path.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Whether an embedded server's cluster was made in it.
    pub fn has_cluster(&self) -> bool {
        self.0.join("postgres/data").exists()
    }

    /// Makes the folder for media, which only its owner may enter.
    pub fn make_media_folder(&self) -> anyhow::Result<()> {
        let media = self.0.join("media");
        let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(&media);
        made.with_context(|| format!("the media folder {} can't be made", media.display()))
    }

    /// Locks the folder for this process. Others that find it locked are told `what`. Whoever can open the file can
    /// lock it, so only its owner can.
    pub fn occupy(&self, what: &str) -> anyhow::Result<Occupied> {
        let path = self.lock_path();
        let opened = File::options().read(true).write(true).create(true).truncate(false).mode(0o600).open(&path);
        let mut file = opened.with_context(|| format!("{} can't be opened", path.display()))?;
        // One of an older version may be open to others. Where the file system has no modes, it stays as it is.
        let _ = file.set_permissions(Permissions::from_mode(0o600));
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let holder = holder(&mut file).context("who uses the data folder can't be read")?;
                bail!(
                    "the data folder {} is in use by {holder}: stop that one, or give another folder with --data-dir",
                    self.0.display()
                );
            }
            Err(TryLockError::Error(error)) => return Err(error).context("the data folder can't be locked"),
        }
        file.set_len(0).and_then(|()| writeln!(file, "{what}, process {}", std::process::id()))?;
        Ok(Occupied(file))
    }

    /// Returns what the process that has locked the folder says it is; none when it is not locked.
    pub fn occupant(&self) -> anyhow::Result<Option<String>> {
        let path = self.lock_path();
        let unread = || format!("{} can't be read", path.display());
        let mut file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).with_context(unread),
        };
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => holder(&mut file).map(Some).with_context(unread),
            Ok(()) | Err(TryLockError::Error(_)) => Ok(None),
        }
    }

    fn lock_path(&self) -> PathBuf {
        self.0.join("up.lock")
    }

    /// Fills in the secrets that the settings lack, from the folder; missing ones are made and stored.
    pub fn complete_secrets(&self, settings: &mut Settings) -> anyhow::Result<()> {
        secrets::complete(&self.0.join("secrets.env"), settings)
    }

    /// Fills in the secrets that the folder has, and makes none.
    pub fn known_secrets(&self, settings: &mut Settings) -> anyhow::Result<()> {
        secrets::read_into(&self.0.join("secrets.env"), settings)
    }

    /// The path of the credentials.
    pub fn credentials_path(&self) -> PathBuf {
        self.0.join("credentials.json")
    }

    /// Returns the credentials that `mws up` stored; none before its first start.
    pub fn credentials(&self) -> anyhow::Result<Option<Credentials>> {
        Credentials::read(&self.credentials_path())
    }

    /// Stores the credentials, readable by their owner alone.
    pub fn keep_credentials(&self, credentials: &Credentials) -> anyhow::Result<()> {
        credentials.write(&self.credentials_path())
    }
}

/// What the holder of the lock says it is.
fn holder(lock: &mut File) -> io::Result<String> {
    let mut said = String::new();
    lock.read_to_string(&mut said)?;
    Ok(if said.is_empty() { "another mws".to_owned() } else { said.trim().to_owned() })
}

/// The number of the process that an occupant of the folder is.
pub fn process_of(occupant: &str) -> Option<i32> {
    let (_, number) = occupant.rsplit_once(", process ")?;
    number.parse().ok().filter(|number| *number > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_taken_folder_says_who_has_it() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = DataDir::prepare(&temporary.path().join("data")).unwrap();
        assert_eq!(folder.occupant().unwrap(), None);
        let held = folder.occupy("mws up on 127.0.0.1:1").unwrap();
        let said = folder.occupy("another").unwrap_err().to_string();
        assert!(said.contains("mws up on 127.0.0.1:1, process"), "{said}");
        let process = folder.occupant().unwrap().as_deref().and_then(process_of);
        assert_eq!(process, i32::try_from(std::process::id()).ok());
        drop(held);
        assert!(folder.occupy("another").is_ok());
    }

    #[test]
    fn only_its_owner_can_lock_a_folder_and_one_that_has_ended_is_no_longer_named() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = DataDir::prepare(&temporary.path().join("data")).unwrap();
        let (lock, old) = (folder.lock_path(), "`mws up` on 127.0.0.1:1, process 1\n");
        fs::write(&lock, old).unwrap();
        fs::set_permissions(&lock, Permissions::from_mode(0o644)).unwrap();
        let mode = || fs::metadata(&lock).unwrap().permissions().mode() & 0o777;
        let held = folder.occupy("one").unwrap();
        assert_eq!(mode(), 0o600, "that of an older version too");
        drop(held);
        assert_eq!(fs::read_to_string(&lock).unwrap(), "");
        let other = File::open(&lock).unwrap();
        other.lock().unwrap();
        assert_eq!(folder.occupant().unwrap().as_deref(), Some("another mws"), "nobody says who that is");
        drop(other);
        fs::remove_file(&lock).unwrap();
        let _held = folder.occupy("one").unwrap();
        assert_eq!(mode(), 0o600);
    }
}
