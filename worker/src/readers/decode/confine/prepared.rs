//! The instructions for a child, which are complete before it is made: `start` prepares them, `steps` carries them out.

use super::root::Root;
use seccompiler::BpfProgram;
use std::ffi::{CStr, CString, c_char, c_int};

/// Everything that a child needs from its parent's memory. It has a copy of that, and allocates nothing.
#[derive(Debug)]
pub(super) struct Prepared {
    pub(super) program: CString,
    /// Pointers to `texts`, and a null pointer.
    pub(super) arguments: Vec<*const c_char>,
    pub(super) environment: Vec<*const c_char>,
    pub(super) _texts: Texts,
    pub(super) folder: CString,
    pub(super) streams: [c_int; 3],
    pub(super) limits: Vec<(c_int, u64)>,
    pub(super) uid: Option<u32>,
    pub(super) user_map: Option<[(&'static CStr, Vec<u8>); 3]>,
    pub(super) root: Option<Root>,
    pub(super) ruleset: Option<c_int>,
    pub(super) filter: Option<&'static BpfProgram>,
    pub(super) has_media: bool,
    /// The descriptor that it reports to, and the parent's end of it.
    pub(super) report: c_int,
    pub(super) reports: c_int,
}

/// The arguments, the program's name first, and the environment.
pub(super) type Texts = (Vec<CString>, Vec<CString>);
