//! Folders for the files of jobs while they run, all in one folder of their process.
//!
//! A folder goes with its job, and the process's with the last of its jobs. As long as a process lives, its folder is
//! locked: those of killed ones go when a worker starts (`sweep`), and before each new folder, since right after a kill
//! they are too young to be told from one that begins.

use std::collections::HashMap;
use std::fs::{self, DirBuilder, DirEntry, File, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};
use std::time::Duration;
use tempfile::TempDir;
use ulid::Ulid;

/// The beginning of the names of processes' folders.
const PREFIX: &str = "mws-scratch-";
/// A folder younger than this may be one that its process has yet to lock.
const SETTLED: Duration = Duration::from_mins(1);

/// The folders of this process, by the folder that they are in.
static OWN: LazyLock<Mutex<HashMap<PathBuf, Weak<ProcessFolder>>>> = LazyLock::new(Mutex::default);

/// The folder of a process.
#[derive(Debug)]
struct ProcessFolder {
    outer: TempDir,
    /// The lock that tells that the process lives.
    _lock: File,
}

/// A folder of a job, which only this user may enter. It is gone when this is dropped.
#[derive(Debug)]
pub struct ScratchFolder {
    path: PathBuf,
    _process: Arc<ProcessFolder>,
}

impl ScratchFolder {
    /// Returns a new one, in this process's folder within this one, after a [`sweep`].
    pub fn new(within: &Path) -> io::Result<Self> {
        sweep(within);
        let process = ProcessFolder::own(within)?;
        let path = process.outer.path().join(Ulid::generate().to_string());
        DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Self { path, _process: process })
    }

    /// Returns its path.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for ScratchFolder {
    fn drop(&mut self) {
        // What stays goes with the process's folder.
        let _ = fs::remove_dir_all(&self.path);
    }
}

impl ProcessFolder {
    fn own(within: &Path) -> io::Result<Arc<Self>> {
        let mut own = OWN.lock().unwrap_or_else(PoisonError::into_inner);
        let known = own.get(within).and_then(Weak::upgrade);
        // Who clears temporary files may have taken it away.
        if let Some(folder) = known.filter(|folder| folder.outer.path().is_dir()) {
            return Ok(folder);
        }
        own.retain(|_, folder| folder.strong_count() > 0);
        let folder = Arc::new(Self::new(within)?);
        own.insert(within.to_owned(), Arc::downgrade(&folder));
        Ok(folder)
    }

    fn new(within: &Path) -> io::Result<Self> {
        let outer = tempfile::Builder::new().prefix(PREFIX).tempdir_in(within)?;
        let lock = File::open(outer.path())?;
        lock.try_lock()?;
        // Decoders may be another user, who can pass through this folder but not list it.
        fs::set_permissions(outer.path(), Permissions::from_mode(0o711))?;
        Ok(Self { outer, _lock: lock })
    }
}

/// Deletes the folders of processes that were killed, which may hold hours of media.
pub fn sweep(within: &Path) {
    match swept(within) {
        Ok(0) => {}
        Ok(folders) => tracing::info!(folders, "Folders of processes that were cut off are gone."),
        Err(error) => tracing::warn!(error = %error, "Folders of processes that were cut off may be left."),
    }
}

fn swept(within: &Path) -> io::Result<usize> {
    let mut gone = 0;
    for entry in fs::read_dir(within)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(PREFIX) && is_left_behind(&entry).unwrap_or(false) {
            gone += usize::from(fs::remove_dir_all(entry.path()).is_ok());
        }
    }
    Ok(gone)
}

/// Whether this is a folder that no process has locked any more.
fn is_left_behind(entry: &DirEntry) -> io::Result<bool> {
    // A link is not followed.
    let metadata = entry.metadata()?;
    let settled = metadata.modified()?.elapsed().is_ok_and(|age| age > SETTLED);
    Ok(metadata.is_dir() && settled && File::open(entry.path())?.try_lock().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_process_left_is_dropped_and_what_a_living_one_works_in_stays() {
        let within = tempfile::tempdir().unwrap();
        let living = ScratchFolder::new(within.path()).unwrap();
        fs::write(living.path().join("file"), "media").unwrap();
        let (left, young) = (within.path().join("mws-scratch-left"), within.path().join("mws-scratch-young"));
        for folder in [&left, &young] {
            fs::create_dir_all(folder.join("inside")).unwrap();
            fs::write(folder.join("inside/output"), "half a film").unwrap();
        }
        let an_hour_ago = fs::metadata(&left).unwrap().modified().unwrap() - Duration::from_hours(1);
        for entry in fs::read_dir(within.path()).unwrap().map(Result::unwrap).filter(|entry| entry.path() != young) {
            File::open(entry.path()).unwrap().set_modified(an_hour_ago).unwrap();
        }
        assert_eq!(swept(within.path()).unwrap(), 1);
        assert!(living.path().join("file").exists() && young.exists() && !left.exists());
    }

    #[test]
    fn a_process_has_one_folder_and_it_goes_with_the_last_of_those_in_it() {
        let within = tempfile::tempdir().unwrap();
        let (one, other) = (ScratchFolder::new(within.path()).unwrap(), ScratchFolder::new(within.path()).unwrap());
        let outer = one.path().parent().unwrap().to_owned();
        assert!(one.path() != other.path() && other.path().starts_with(&outer));
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&outer), mode(one.path())), (0o711, 0o700));
        drop(one);
        assert!(other.path().exists());
        drop(other);
        assert_eq!(fs::read_dir(within.path()).unwrap().count(), 0);

        let cleared = ScratchFolder::new(within.path()).unwrap();
        fs::remove_dir_all(cleared.path().parent().unwrap()).unwrap();
        let next = ScratchFolder::new(within.path()).unwrap();
        assert!(next.path().exists() && !cleared.path().exists());
    }
}
