//! Files that hold secrets: written whole or not at all, readable by their owner alone, and trusted only if nobody else
//! can have written them.

use anyhow::{Context, bail};
use std::fs::{self, File};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

/// Returns the file's text; none when it does not exist. A file that another user owns, or may write, is refused: they
/// could have chosen its secrets.
pub(super) fn read(path: &Path) -> anyhow::Result<Option<String>> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).with_context(|| format!("{} can't be read", path.display())),
    };
    let (found, user) = (file.metadata()?, rustix::process::geteuid().as_raw());
    if ![user, 0].contains(&found.uid()) || found.mode() & 0o022 != 0 {
        bail!(
            "{} can be written by others than the user {user}, who runs this: use a data folder of that user, or make the \
             file theirs with mode 600 once you have seen what is in it",
            path.display()
        );
    }
    let mut text = String::new();
    file.read_to_string(&mut text).with_context(|| format!("{} can't be read", path.display()))?;
    Ok(Some(text))
}

/// Replaces the file by `text`, with mode 0600. It survives a power cut once this returns.
pub(super) fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    let new = path.with_extension("new");
    let written = || -> std::io::Result<()> {
        // A file that a killed process left may have another mode, so the file is always created anew.
        if new.exists() {
            fs::remove_file(&new)?;
        }
        let mut file = File::options().write(true).create_new(true).mode(0o600).open(&new)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&new, path)?;
        path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
    };
    written().with_context(|| format!("{} can't be written", path.display()))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn what_others_may_write_is_not_believed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secrets.env");
        assert_eq!(super::read(&path).unwrap(), None);
        super::write(&path, "mine").unwrap();
        assert_eq!(super::read(&path).unwrap().as_deref(), Some("mine"));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o620)).unwrap();
        let refused = super::read(&path).unwrap_err().to_string();
        assert!(refused.contains("can be written by others"), "{refused}");
    }

    #[test]
    fn only_its_owner_reads_it_whatever_was_there_before() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secrets.env");
        std::fs::write(&path, "old").unwrap();
        std::fs::write(path.with_extension("new"), "half").unwrap();
        super::write(&path, "new").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
