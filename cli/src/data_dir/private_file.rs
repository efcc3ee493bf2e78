//! Files that hold secrets: written whole or not at all, readable by their owner alone.

use anyhow::Context;
use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Replaces the file by `text`, mode 0600. It outlives a power cut once this returns.
pub(super) fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    let new = path.with_extension("new");
    let written = || -> std::io::Result<()> {
        // What a killed process left may have another mode: the file is always made anew.
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
