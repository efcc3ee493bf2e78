//! Where a download goes: a part that becomes the file, or standard output.
//!
//! The part's name holds the beginning of the hash that its bytes must have, so that the part of another item is never
//! continued. A part that is complete and right takes the file's place in one step; a wrong one is deleted. The name
//! that the service gives an item becomes that of one file in the folder, whatever it is (`domain::file_name`).

use crate::failure::Failure;
use anyhow::Context as _;
use domain::file_name::file_name;
use domain::upload::usual_extension;
use sha2::{Digest, Sha256};
use std::ffi::OsString;
use std::fs::TryLockError;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use tempfile::TempPath;
use tokio::io::{AsyncSeekExt, AsyncWriteExt};

/// Characters of the hash in a part's name.
const TOLD_BY: usize = 12;

/// The part or standard output, with the hash and the number of the bytes written.
pub(super) struct Target {
    place: Sink,
    hash: Sha256,
    taken: u64,
    /// Bytes still to skip, of an answer that began too early.
    skipped: u64,
}

enum Sink {
    Stdout(tokio::io::Stdout),
    File { part: PathBuf, open: tokio::fs::File, path: PathBuf, is_forced: bool },
}

impl Target {
    /// Opens the place that was asked for, with the bytes of an earlier attempt.
    pub(super) async fn open(
        output: Option<&Path>,
        is_forced: bool,
        name: &str,
        content_type: Option<&str>,
        sha256: &str,
    ) -> Result<Self, Failure> {
        if output == Some(Path::new("-")) {
            return Ok(Self::begun(Sink::Stdout(tokio::io::stdout()), Sha256::new(), 0));
        }
        let path = path_of(output, name, content_type);
        if !is_forced && path.symlink_metadata().is_ok() {
            let why = format!("{} is there already; --force replaces it, -o names another file", path.display());
            return Err(Failure::Usage(why));
        }
        let part = part_of(&path, sha256)?;
        let (open, hash, taken) = tokio::task::spawn_blocking({
            let part = part.clone();
            move || taken_up(&part)
        })
        .await
        .context("the part could not be read")??;
        let open = tokio::fs::File::from_std(open);
        Ok(Self::begun(Sink::File { part, open, path, is_forced }, hash, taken))
    }

    const fn begun(place: Sink, hash: Sha256, taken: u64) -> Self {
        Self { place, hash, taken, skipped: 0 }
    }

    /// How many bytes have been written.
    pub(super) const fn taken(&self) -> u64 {
        self.taken
    }

    /// Notes that the next bytes begin at this offset. Refuses a gap; bytes that were written already are skipped.
    pub(super) async fn go_on_from(&mut self, from: u64) -> Result<(), Failure> {
        if from > self.taken {
            return Err(Failure::Work("the service left bytes out".to_owned()));
        }
        self.skipped = 0;
        if from == self.taken {
            return Ok(());
        }
        match self.place {
            Sink::Stdout(_) => self.skipped = self.taken - from,
            Sink::File { .. } => self.begin_anew().await?,
        }
        Ok(())
    }

    /// Deletes the bytes that were written.
    pub(super) async fn begin_anew(&mut self) -> Result<(), Failure> {
        let Sink::File { open, .. } = &mut self.place else {
            return Err(Failure::Work("what was written to standard output is not the item's".to_owned()));
        };
        open.set_len(0).await?;
        open.rewind().await?;
        (self.hash, self.taken) = (Sha256::new(), 0);
        Ok(())
    }

    /// Writes bytes.
    pub(super) async fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let skipped = bytes.len().min(usize::try_from(self.skipped).unwrap_or(usize::MAX));
        self.skipped -= skipped as u64;
        let bytes = &bytes[skipped..];
        match &mut self.place {
            Sink::Stdout(stdout) => stdout.write_all(bytes).await?,
            Sink::File { open, part, .. } => {
                let written = open.write_all(bytes).await;
                written.with_context(|| format!("{} can't be written", part.display()))?;
            }
        }
        self.hash.update(bytes);
        self.taken += bytes.len() as u64;
        Ok(())
    }

    /// Puts the bytes into their place if they have this hash. Returns the path of the file; none for standard output.
    pub(super) async fn finish(self, sha256: &str) -> Result<Option<PathBuf>, Failure> {
        let found = hex::encode(self.hash.finalize());
        // An old item may have no hash.
        let is_right = sha256.is_empty() || found == sha256;
        let wrong =
            || Failure::Work(format!("what came has the sha256 {found}, and the item {sha256}; nothing is kept"));
        match self.place {
            Sink::Stdout(mut stdout) => {
                stdout.flush().await?;
                if is_right { Ok(None) } else { Err(wrong()) }
            }
            Sink::File { part, open, .. } if !is_right => {
                drop(open);
                tokio::fs::remove_file(&part).await?;
                Err(wrong())
            }
            Sink::File { part, mut open, path, is_forced } => {
                open.flush().await?;
                open.sync_all().await.with_context(|| format!("{} can't be written", part.display()))?;
                put(part, &path, is_forced)?;
                Ok(Some(path))
            }
        }
    }
}

/// Where the file comes to be: in the folder or under the name that was asked for, or else here under its own name.
fn path_of(output: Option<&Path>, name: &str, content_type: Option<&str>) -> PathBuf {
    let own = || file_name(name, content_type.and_then(usual_extension));
    match output {
        Some(folder) if folder.is_dir() => folder.join(own()),
        Some(file) => file.to_owned(),
        None => PathBuf::from(own()),
    }
}

/// The part's path: beside the file, named by the hash that its bytes must have.
fn part_of(path: &Path, sha256: &str) -> Result<PathBuf, Failure> {
    let name = path.file_name().ok_or_else(|| Failure::Usage(format!("{} names no file", path.display())))?;
    let mut part = OsString::from(name);
    part.push(format!(".{}.part", sha256.get(..TOLD_BY).unwrap_or("whole")));
    Ok(path.with_file_name(part))
}

/// Opens and locks the part, and hashes the bytes that it holds.
fn taken_up(part: &Path) -> Result<(std::fs::File, Sha256, u64), Failure> {
    let mut options = std::fs::OpenOptions::new();
    let open = options.read(true).write(true).create(true).truncate(false).open(part);
    let mut file = open.with_context(|| format!("{} can't be opened", part.display()))?;
    match file.try_lock() {
        // A file system may have no locks: that is as good as not asking for one.
        Ok(()) | Err(TryLockError::Error(_)) => {}
        Err(TryLockError::WouldBlock) => {
            return Err(Failure::Work(format!("another mws is downloading into {}", part.display())));
        }
    }
    let (mut hash, mut taken) = (Sha256::new(), 0);
    let mut block = vec![0; 1 << 16];
    loop {
        let read = file.read(&mut block).with_context(|| format!("{} can't be read", part.display()))?;
        if read == 0 {
            break;
        }
        hash.update(&block[..read]);
        taken += read as u64;
    }
    file.seek(std::io::SeekFrom::Start(taken))?;
    Ok((file, hash, taken))
}

/// Gives the part its name, in one step.
fn put(part: PathBuf, path: &Path, is_forced: bool) -> Result<(), Failure> {
    let part = TempPath::try_from_path(part)?;
    let put = if is_forced { part.persist(path) } else { part.persist_noclobber(path) };
    put.map_err(|failed| {
        let why = match failed.error.kind() {
            std::io::ErrorKind::AlreadyExists => "is there already; --force replaces it".to_owned(),
            _ => format!("can't be written: {}", failed.error),
        };
        // The downloaded bytes stay where they are.
        let kept = failed.path.keep().map(|part| format!("; the bytes are in {}", part.display())).unwrap_or_default();
        Failure::Work(format!("{} {why}{kept}", path.display()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn open(output: &Path, is_forced: bool, sha256: &str) -> Result<Target, Failure> {
        Target::open(Some(output), is_forced, "../talk", Some("video/mp4"), sha256).await
    }

    fn hash(bytes: &[u8]) -> String {
        hex::encode(Sha256::digest(bytes))
    }

    #[tokio::test]
    async fn a_part_is_gone_on_with_and_takes_its_place_once_it_is_right() {
        let folder = tempfile::tempdir().unwrap();
        let right = hash(b"abcdef");
        let mut first = open(folder.path(), false, &right).await.unwrap();
        first.write(b"abc").await.unwrap();
        let Sink::File { open: file, .. } = &mut first.place else { panic!("a file") };
        file.flush().await.unwrap();
        assert!(open(folder.path(), false, &right).await.is_err(), "it is locked");
        drop(first);
        let other = open(folder.path(), false, &hash(b"other")).await.unwrap();
        assert_eq!(other.taken(), 0, "a part of other bytes");
        let mut second = open(folder.path(), false, &right).await.unwrap();
        assert_eq!(second.taken(), 3);
        second.go_on_from(3).await.unwrap();
        second.write(b"def").await.unwrap();
        let path = second.finish(&right).await.unwrap().unwrap();
        assert_eq!(path, folder.path().join("__talk.mp4"), "in the folder, whatever it is called");
        assert_eq!(std::fs::read(&path).unwrap(), b"abcdef");
        assert!(matches!(open(folder.path(), false, &right).await, Err(Failure::Usage(_))));
        let forced = open(folder.path(), true, &right).await.unwrap();
        assert_eq!(forced.taken(), 0);
    }

    #[tokio::test]
    async fn wrong_bytes_are_never_kept_and_an_answer_that_begins_anew_is_taken_from_its_beginning() {
        let folder = tempfile::tempdir().unwrap();
        let (file, right) = (folder.path().join("a"), hash(b"abc"));
        let mut target = open(&file, false, &right).await.unwrap();
        target.write(b"xx").await.unwrap();
        target.go_on_from(0).await.unwrap();
        target.write(b"xyz").await.unwrap();
        assert!(target.go_on_from(9).await.is_err());
        assert!(matches!(target.finish(&right).await, Err(Failure::Work(_))));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
