//! What a child process gives up between `fork` and `exec`: the only `unsafe` code of the worker.
//!
//! Everything here runs in the forked child, where only async-signal-safe system calls are allowed: no allocation, no
//! lock, no log. What the system refuses (a namespace inside a container, say) is gone without, since each measure
//! stands alone; limits are not, because without them a child could take the machine.

use std::io;
use tokio::process::Command;

/// `nobody` and `nogroup`, by the numbers that the common systems give them.
const NOBODY: u32 = 65_534;

/// What the child may use, and as whom it runs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Confinement {
    /// Address space in bytes.
    pub(super) memory_bytes: u64,
    /// Processor time in seconds.
    pub(super) cpu_seconds: u64,
    /// The largest file it may write, in bytes; pipes don't count.
    pub(super) file_bytes: u64,
    /// As whom it runs when this process is root.
    pub(super) user: User,
}

/// As whom a child runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum User {
    /// The user of this process.
    Same,
    /// A user that owns nothing.
    Nobody,
}

impl User {
    /// `Nobody` when this process is root and the input can be opened by anyone; otherwise nothing is left to give up,
    /// or the child could not open its input.
    pub(super) fn for_input(input: &std::fs::Metadata) -> Self {
        use std::os::unix::fs::PermissionsExt;
        if is_root() && input.permissions().mode() & 0o004 != 0 { Self::Nobody } else { Self::Same }
    }

    /// Makes a folder this user's own, so that its child can write there.
    pub(super) fn is_given(self, folder: &std::path::Path) -> io::Result<()> {
        match self {
            Self::Same => Ok(()),
            Self::Nobody => std::os::unix::fs::chown(folder, Some(NOBODY), Some(NOBODY)),
        }
    }
}

/// Whether this process runs as root.
#[expect(unsafe_code, reason = "the standard library does not tell the effective user")]
fn is_root() -> bool {
    // SAFETY: `geteuid` has no arguments, always succeeds and touches no memory.
    unsafe { libc::geteuid() == 0 }
}

/// Has `command` give everything up before it becomes the program. It dies with the thread that spawns it, so that
/// thread has to last (see `child`).
#[expect(unsafe_code, reason = "limits and namespaces can only be set in the child, between fork and exec")]
pub(super) fn confine(command: &mut Command, confinement: Confinement) {
    let parent = std::process::id();
    command.process_group(0);
    // SAFETY: the closure owns plain numbers and makes system calls that POSIX or Linux list as async-signal-safe.
    unsafe {
        command.pre_exec(move || {
            limit_resources(confinement)?;
            isolate(confinement.user, parent)
        });
    }
}

/// Sets the limits, hard and soft.
#[expect(unsafe_code, reason = "the standard library has no setrlimit")]
fn limit_resources(confinement: Confinement) -> io::Result<()> {
    let limits = [
        (libc::RLIMIT_AS, confinement.memory_bytes),
        (libc::RLIMIT_CPU, confinement.cpu_seconds),
        (libc::RLIMIT_FSIZE, confinement.file_bytes),
        (libc::RLIMIT_CORE, 0),
        (libc::RLIMIT_NOFILE, 64),
    ];
    for (resource, most) in limits {
        let limit = libc::rlimit { rlim_cur: most, rlim_max: most };
        // SAFETY: `limit` lives until the call returns, and the kernel only reads it.
        if unsafe { libc::setrlimit(resource, &raw const limit) } != 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

/// Takes the network and open files away, changes the user, forbids new privileges and ties the child's life to its parent's.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "the standard library has none of these system calls")]
fn isolate(user: User, parent: u32) -> io::Result<()> {
    // SAFETY: system calls on plain numbers; `setgroups` is told that the list it could read has no entries.
    unsafe {
        let offline = libc::unshare(libc::CLONE_NEWNET | libc::CLONE_NEWIPC) == 0;
        if user == User::Nobody {
            libc::setgroups(0, std::ptr::null());
            libc::setgid(NOBODY);
            libc::setuid(NOBODY);
        }
        if !offline {
            // Whoever is not root may have a network namespace of its own inside a user namespace of its own.
            libc::unshare(libc::CLONE_NEWUSER | libc::CLONE_NEWNET);
        }
        // Files that whoever started this process left open would else be the child's too.
        libc::syscall(libc::SYS_close_range, 3, u32::MAX, libc::CLOSE_RANGE_CLOEXEC);
        if libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 {
            return Err(io::Error::last_os_error());
        }
        // After the change of user, which clears it.
        if libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) != 0 {
            return Err(io::Error::last_os_error());
        }
        // A parent that died before the line above never sends that signal.
        if u32::try_from(libc::getppid()) != Ok(parent) {
            return Err(io::Error::from_raw_os_error(libc::ESRCH));
        }
    }
    Ok(())
}

/// Other systems have none of it; there the limits alone hold the child.
#[cfg(not(target_os = "linux"))]
fn isolate(_user: User, _parent: u32) -> io::Result<()> {
    Ok(())
}
