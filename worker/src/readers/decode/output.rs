//! Collects the whole output of a child, for engines and filters that write text rather than samples.

use super::MediaTools;
use super::child::{Decoder, Ending};
use crate::readers::{JobCtx, Limit, ReadError};
use std::ffi::OsStr;
use std::fs::{File, Permissions};
use std::io::{self, Seek, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Runs `program` on `input` to its end, confined as a decoder is. Returns its output and how it ended.
///
/// `LimitExceeded` when the output is more than `most_bytes`; the errors of `Decoder::ended`. The caller judges the
/// exit status.
pub(crate) async fn whole_output<'a>(
    program: &Path,
    arguments: impl IntoIterator<Item = &'a OsStr>,
    input: &File,
    tools: &MediaTools,
    most_bytes: usize,
    ctx: &JobCtx,
) -> Result<(Vec<u8>, Ending), ReadError> {
    let mut child = Decoder::start(program, arguments, input, tools, ctx).await?;
    let mut answer = Vec::new();
    let mut buffer = vec![0; 16 * 1024];
    loop {
        let read = child.read(&mut buffer, ctx).await?;
        answer.extend(buffer.iter().take(read));
        if answer.len() > most_bytes {
            child.kill().await;
            let (found, allowed) = (answer.len() as u64, most_bytes as u64);
            return Err(ReadError::LimitExceeded { limit: Limit::OutputBytes, found, allowed });
        }
        if read == 0 {
            break;
        }
    }
    Ok((answer, child.wait(ctx).await?))
}

/// Returns an unnamed file with these bytes that a child of any user may read.
pub(crate) fn nameless(bytes: &[u8]) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    file.set_permissions(Permissions::from_mode(0o644))?;
    file.write_all(bytes)?;
    file.rewind()?;
    Ok(file)
}
