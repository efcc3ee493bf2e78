//! Children that write a file: the same confinement as a decoder's, and a folder that they may write to.
//!
//! The folder is the job's own and goes with its `Workshop` (`runtime::scratch`). A child's output is trusted no more
//! than its input: `source` opens it anew as media.

use super::child::{Decoder, Ending, limits};
use super::confine::{Seat, Start};
use super::{MediaSource, MediaTools};
use crate::readers::{JobCtx, ReadError};
use runtime::scratch::ScratchFolder;
use std::ffi::OsStr;
use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::io::AsyncWriteExt;
use tokio::net::unix::pipe;

/// A folder for the files of one job, written to by its children and gone when this is dropped.
#[derive(Debug)]
pub(crate) struct Workshop {
    folder: ScratchFolder,
    /// The user that its children run as.
    seat: Option<Arc<Seat>>,
}

impl Workshop {
    /// Returns an empty one, for children that read this media.
    pub(crate) fn of(media: &MediaSource) -> io::Result<Self> {
        Self::new(media.tools())
    }

    /// Returns an empty one, for children that read no media.
    pub(crate) fn new(tools: &MediaTools) -> io::Result<Self> {
        let seat = tools.confiner.seat()?;
        let folder = ScratchFolder::new(&tools.scratch_dir)?;
        if let Some(seat) = &seat {
            std::os::unix::fs::chown(folder.path(), Some(seat.uid()), Some(seat.uid()))?;
        }
        Ok(Self { folder, seat })
    }

    /// Returns the path of a file with this name.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file there that its children can read.
    pub(crate) fn put(&self, name: &str, content: impl AsRef<[u8]>) -> io::Result<()> {
        fs::write(self.path(name), content)?;
        fs::set_permissions(self.path(name), Permissions::from_mode(0o644))
    }
}

/// The source of an encoder's standard input.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Feed<'a> {
    /// The bytes of an opened media, which the child opens anew.
    Media(&'a File),
    /// The bytes that the caller writes to it.
    Written,
}

/// A running child that writes into a workshop. Dropping it kills it.
#[derive(Debug)]
pub(crate) struct Encoder {
    child: Decoder,
    stdin: Option<pipe::Sender>,
}

impl Encoder {
    /// Starts `ffmpeg` in the workshop with these arguments. No file that it writes may grow beyond `most_bytes`.
    pub(crate) async fn start<'a>(
        tools: &MediaTools,
        workshop: &Workshop,
        arguments: impl IntoIterator<Item = &'a OsStr>,
        feed: Feed<'_>,
        most_bytes: u64,
        ctx: &JobCtx,
    ) -> Result<Self, ReadError> {
        Self::start_program(&tools.ffmpeg, tools, workshop, arguments, feed, most_bytes, ctx).await
    }

    /// Starts another program than `ffmpeg` in the workshop. No file that it writes may grow beyond `most_bytes`.
    pub(crate) async fn start_program<'a>(
        program: &Path,
        tools: &MediaTools,
        workshop: &Workshop,
        arguments: impl IntoIterator<Item = &'a OsStr>,
        feed: Feed<'_>,
        most_bytes: u64,
        ctx: &JobCtx,
    ) -> Result<Self, ReadError> {
        let input = match feed {
            Feed::Media(file) => Some(file),
            Feed::Written => None,
        };
        let start = Start {
            program,
            arguments: arguments.into_iter().collect(),
            input,
            folder: Some(workshop.folder.path()),
            limits: limits(tools, most_bytes, ctx)?,
            seat: workshop.seat.clone(),
        };
        let mut child = Decoder::start_as(start, tools, ctx).await?;
        let stdin = child.take_stdin();
        Ok(Self { child, stdin })
    }

    /// Writes bytes to the child. Those after the child has ended are dropped: `finish` reports why it has.
    pub(crate) async fn write(&mut self, bytes: &[u8], ctx: &JobCtx) -> Result<(), ReadError> {
        let Some(stdin) = &mut self.stdin else { return Ok(()) };
        let written = ctx.bounded(stdin.write_all(bytes)).await;
        match self.child.go_on(written).await? {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.stdin = None;
                Ok(())
            }
            written => Ok(written?),
        }
    }

    /// Reads from the child's standard output, 0 bytes at its end.
    pub(crate) async fn read(&mut self, buffer: &mut [u8], ctx: &JobCtx) -> Result<usize, ReadError> {
        self.child.read(buffer, ctx).await
    }

    /// Ends the child's input and waits for its end. `NoRoom` when its file became too large.
    pub(crate) async fn finish(mut self, ctx: &JobCtx) -> Result<Ending, ReadError> {
        drop(self.stdin.take());
        let mut buffer = [0; 4096];
        while self.child.read(&mut buffer, ctx).await? > 0 {}
        let ending = self.child.wait(ctx).await?;
        if ending.out_of_room() {
            return Err(ReadError::NoRoom);
        }
        if ending.stderr.contains("No space left on device") {
            return Err(io::Error::from(io::ErrorKind::StorageFull).into());
        }
        Ok(ending)
    }
}

/// Opens what an encoder made, as media like any other.
pub(crate) async fn made(
    workshop: &Workshop,
    name: &str,
    media: &MediaSource,
    ctx: &JobCtx,
) -> Result<MediaSource, ReadError> {
    let path: &Path = &workshop.path(name);
    MediaSource::open(path, media.shared_tools(), ctx).await
}
