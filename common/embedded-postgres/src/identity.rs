//! The user that the server runs as, and whether that user can reach a folder.
//!
//! PostgreSQL refuses to run as root. When this process is root, the server runs as the owner of the cluster, else as
//! `postgres`, else as `nobody`. That user may be unable to enter a folder such as `/root`; the server would then fail
//! with a message that helps nobody, so every folder on the way is checked first.

use std::fs;
use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use super::error::{During, EmbeddedError};

/// The user and group that the server's processes run under.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Identity {
    name: String,
    uid: u32,
    gid: u32,
    /// Whether this process must change its identity to become it.
    lent: bool,
}

impl Identity {
    /// Chooses the identity for the cluster at `cluster`, which need not exist yet.
    pub(super) fn choose(cluster: &Path) -> Result<Self, EmbeddedError> {
        let uid = rustix::process::geteuid().as_raw();
        if uid != 0 {
            let gid = rustix::process::getegid().as_raw();
            return Ok(Self { name: uid.to_string(), uid, gid, lent: false });
        }
        // A cluster made before by an ordinary user stays with that user, who could not open it otherwise.
        if let Some(owner) = fs::metadata(cluster).ok().filter(|found| found.uid() != 0) {
            return Ok(Self { name: owner.uid().to_string(), uid: owner.uid(), gid: owner.gid(), lent: true });
        }
        ["postgres", "nobody"]
            .into_iter()
            .find_map(|name| {
                Some(Self { name: name.to_owned(), uid: id_of("-u", name)?, gid: id_of("-g", name)?, lent: true })
            })
            .ok_or(EmbeddedError::NoServerUser)
    }

    /// The user's id.
    pub(super) fn uid(&self) -> u32 {
        self.uid
    }

    /// Makes `command` run under this identity.
    pub(super) fn apply<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        if self.lent {
            command.uid(self.uid).gid(self.gid);
        }
        command
    }

    /// Gives `path` to this identity.
    pub(super) fn take(&self, path: &Path) -> Result<(), EmbeddedError> {
        if !self.lent {
            return Ok(());
        }
        chown(path, Some(self.uid), Some(self.gid)).during("change the owner of", path)
    }

    /// Fails when this identity can't reach a folder, which must exist and be canonical.
    pub(super) fn check_reachable(&self, folder: &Path) -> Result<(), EmbeddedError> {
        if !self.lent {
            return Ok(());
        }
        for ancestor in folder.ancestors() {
            let found = fs::metadata(ancestor).during("look at", ancestor)?;
            if !self.can_enter(found.mode(), found.uid(), found.gid()) {
                return Err(EmbeddedError::Unreachable {
                    user: self.name.clone(),
                    folder: ancestor.to_path_buf(),
                    wanted: folder.to_path_buf(),
                });
            }
        }
        Ok(())
    }

    /// Returns whether the permission bits let this identity through a folder. It has no groups but its own, since
    /// root's groups are dropped.
    fn can_enter(&self, mode: u32, owner: u32, group: u32) -> bool {
        let search_bit = if owner == self.uid {
            0o100
        } else if group == self.gid {
            0o010
        } else {
            0o001
        };
        mode & search_bit != 0
    }
}

/// Returns a user's or a group's number from the program `id`, which also knows users that are not in `/etc/passwd`.
fn id_of(flag: &str, name: &str) -> Option<u32> {
    let output = Command::new("id").args([flag, name]).output().ok().filter(|output| output.status.success())?;
    std::str::from_utf8(&output.stdout).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lent(uid: u32, gid: u32) -> Identity {
        Identity { name: "postgres".to_owned(), uid, gid, lent: true }
    }

    #[test]
    fn the_bits_of_owner_group_and_others_are_read_in_that_order() {
        let user = lent(101, 104);
        assert!(user.can_enter(0o700, 101, 0));
        assert!(!user.can_enter(0o077, 101, 104), "an owner is judged by the owner's bits alone");
        assert!(user.can_enter(0o710, 0, 104));
        assert!(user.can_enter(0o701, 0, 0));
        assert!(!user.can_enter(0o700, 0, 0));
    }

    #[test]
    fn a_folder_in_the_way_is_named() {
        use std::os::unix::fs::PermissionsExt;
        let root = tempfile::tempdir().unwrap();
        let closed = root.path().join("closed");
        let wanted = closed.join("data");
        fs::create_dir_all(&wanted).unwrap();
        fs::set_permissions(root.path(), fs::Permissions::from_mode(0o755)).unwrap();
        fs::set_permissions(&closed, fs::Permissions::from_mode(0o700)).unwrap();
        let error = lent(4_294_000_000, 4_294_000_000).check_reachable(&fs::canonicalize(&wanted).unwrap());
        // The innermost obstacle is `data` itself when the umask is strict; either way the message names the way out.
        let message = error.unwrap_err().to_string();
        assert!(message.contains("can't enter") && message.contains("MWS_DATA_DIR"), "{message}");
    }
}
