//! Hands a feed to its parser, and stops where the parser has gone too deep: it goes into media within media by calls
//! of its own, without a bound, and a thread whose stack is full ends the whole process.
//!
//! The parser asks for bytes from within those calls, so that what it has used of its stack can be seen here.

use std::io::{Error, Read, Result};

/// Bytes that are handed over at once. The parser looks for the feed's beginning in the first.
const PIECE: usize = 1 << 10;
const FIRST_PIECE: usize = 8 << 10;

/// The bytes of a feed, for a parser that runs on this thread.
pub(crate) struct Shallow<'a> {
    rest: &'a [u8],
    has_begun: bool,
    began_at: usize,
    most_stack: usize,
}

impl<'a> Shallow<'a> {
    /// Reading fails once `most_stack` bytes of the stack are used from here on.
    pub(crate) fn new(bytes: &'a [u8], most_stack: usize) -> Self {
        Self { rest: bytes, has_begun: false, began_at: stack_address(), most_stack }
    }
}

impl Read for Shallow<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        if stack_address().abs_diff(self.began_at) > self.most_stack {
            return Err(Error::other("media within media are nested too deep"));
        }
        let piece = if self.has_begun { PIECE } else { FIRST_PIECE };
        self.has_begun = true;
        let (now, later) = self.rest.split_at(piece.min(buffer.len()).min(self.rest.len()));
        buffer[..now.len()].copy_from_slice(now);
        self.rest = later;
        Ok(now.len())
    }
}

/// Returns where the stack of this thread is, about.
#[inline(never)]
fn stack_address() -> usize {
    let here = 0_u8;
    std::ptr::from_ref(&here).addr()
}
