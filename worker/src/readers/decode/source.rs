//! A media file, opened once, checked and probed: the input of every reader.
//!
//! The file is opened here and handed to children as an open file, so that what was checked is what is decoded, and a
//! name such as `-i.wav` or `%d.png` never reaches a decoder.

use super::MediaTools;
use super::probe::{Probe, probe};
use crate::readers::speech::passes::Passes;
use crate::readers::{JobCtx, ReadError};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::Arc;

/// An opened, probed media file within the limits. Clones share it: the jobs of one item that run together share the
/// file and the passes over its sound.
#[derive(Debug, Clone)]
pub struct MediaSource {
    file: Arc<File>,
    probe: Arc<Probe>,
    tools: Arc<MediaTools>,
    passes: Arc<Passes>,
}

impl MediaSource {
    /// Opens and probes the file at `path`.
    ///
    /// Refuses a file that is not regular, is empty or is no media (`Corrupt`), does not exist (`Missing`), or is
    /// beyond the limits (`LimitExceeded`).
    pub async fn open(path: &Path, tools: &Arc<MediaTools>, ctx: &JobCtx) -> Result<Self, ReadError> {
        let (path, with) = (path.to_owned(), Arc::clone(tools));
        let opening = tokio::task::spawn_blocking(move || {
            Ok::<File, ReadError>(with.confiner.readable(open_regular(&path)?, &with.scratch_dir)?)
        });
        let file = ctx.bounded(opening).await?.map_err(|_| ReadError::Crashed)??;
        let probe = probe(&file, tools, ctx).await?;
        Ok(Self { file: Arc::new(file), probe: Arc::new(probe), tools: Arc::clone(tools), passes: Arc::default() })
    }

    /// Returns the file's contents as probed.
    pub fn probe(&self) -> &Probe {
        &self.probe
    }

    /// Returns the opened file.
    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// Returns the same file, to be read for longer than this is borrowed.
    pub(crate) fn shared_file(&self) -> Arc<File> {
        Arc::clone(&self.file)
    }

    /// Returns the passes over its sound that are in use.
    pub(in crate::readers) fn passes(&self) -> &Passes {
        &self.passes
    }

    /// Returns the decoder to read it with.
    pub(crate) fn tools(&self) -> &MediaTools {
        &self.tools
    }

    /// Returns the same decoder, to read another source with.
    pub(super) fn shared_tools(&self) -> &Arc<MediaTools> {
        &self.tools
    }
}

/// Opens a regular, non-empty file, without following a link and without waiting for a FIFO that nobody writes to.
fn open_regular(path: &Path) -> Result<File, ReadError> {
    let opened = OpenOptions::new().read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(path);
    let file = match opened {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(ReadError::Missing),
        Err(error) if matches!(error.raw_os_error(), Some(libc::ELOOP | libc::ENXIO)) => {
            return Err(ReadError::Corrupt("it is no regular file"));
        }
        Err(error) => return Err(error.into()),
    };
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(ReadError::Corrupt("it is no regular file"));
    }
    if metadata.len() == 0 {
        return Err(ReadError::Corrupt("the file is empty"));
    }
    Ok(file)
}
