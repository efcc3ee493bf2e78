//! The steps that a new child takes before it becomes its program. With `start`, the only `unsafe` code of the worker.
//!
//! Everything here runs in a copy of a process of many threads, where only system calls are safe: no allocation, no
//! lock, no log, and none of those functions of the C library that signal other threads (`setuid` and its like), so
//! those calls are made directly. The child takes every step or ends: each result is checked, and the first error is
//! reported with its step. The order matters: mounts need privileges, the change of user ends them, it also clears the
//! death signal, and the filter of system calls comes last because it forbids most of the others.

#![expect(
    unsafe_code,
    reason = "limits, namespaces and users can only be changed by the child itself, by system calls"
)]

use super::NICER;
use super::prepared::Prepared;
use super::root::{Root, Step};
use libc::{c_int, c_long, c_ulong};
use std::ffi::CStr;
use std::ptr::null;

/// The step at which a child failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(in crate::readers::decode) enum Doing {
    /// Beginning a session of its own.
    Session = 1,
    /// Setting its user in its user namespace.
    UserMap,
    /// Making its private root.
    Root,
    /// Setting its limits.
    Limits,
    /// Changing its user.
    User,
    /// Giving up capabilities.
    Capabilities,
    /// Setting up its folder, its streams and its signals.
    Streams,
    /// Tying its life to its parent's.
    Tie,
    /// Refusing new privileges, and Landlock.
    Landlock,
    /// Opening its input anew.
    Input,
    /// Loading the filter of system calls.
    Filter,
    /// Becoming the program.
    Program,
}

impl Doing {
    const ALL: [(Self, &'static str); 12] = [
        (Self::Session, "begin a session"),
        (Self::UserMap, "be a user of its own namespace"),
        (Self::Root, "have a root of its own"),
        (Self::Limits, "be limited"),
        (Self::User, "change its user"),
        (Self::Capabilities, "give up its capabilities"),
        (Self::Streams, "take its folder and streams"),
        (Self::Tie, "be tied to its parent"),
        (Self::Landlock, "be confined by Landlock"),
        (Self::Input, "open its input"),
        (Self::Filter, "be confined by seccomp"),
        (Self::Program, "become its program"),
    ];

    /// Returns the step in words, after "could not".
    pub(in crate::readers::decode) fn words(self) -> &'static str {
        Self::ALL.iter().find(|(doing, _)| *doing == self).map_or("start", |(_, words)| words)
    }

    /// Returns the step that a number in a report stands for.
    pub(super) fn of(number: u8) -> Option<Self> {
        Self::ALL.iter().map(|(doing, _)| *doing).find(|doing| *doing as u8 == number)
    }
}

type Errno = c_int;
type Done = Result<(), Errno>;

/// The last function of a new child: it becomes its program, or reports why not and exits.
pub(super) fn become_program(child: &Prepared) -> ! {
    let (doing, errno) = match steps(child) {
        Ok(()) => (Doing::Program, exec(child)),
        Err(failed) => failed,
    };
    let mut report = [0; 5];
    report[0] = doing as u8;
    report[1..].copy_from_slice(&errno.to_le_bytes());
    // SAFETY: `report` lives until the call returns. Nobody can be told if it fails; the parent then sees the exit
    // code.
    unsafe {
        libc::write(child.report, report.as_ptr().cast(), report.len());
        libc::_exit(127)
    }
}

fn steps(child: &Prepared) -> Result<(), (Doing, Errno)> {
    let at = |doing: Doing| move |errno: Errno| (doing, errno);
    // SAFETY: plain numbers; a mask can't fail to be set. What the child makes is to be read by others, whatever the
    // service's is.
    done(unsafe {
        libc::umask(0o022);
        libc::syscall(libc::SYS_setsid)
    })
    .map_err(at(Doing::Session))?;
    if let Some(map) = &child.user_map {
        write_user_map(map).map_err(at(Doing::UserMap))?;
    }
    if let Some(root) = &child.root {
        enter(root).map_err(at(Doing::Root))?;
    }
    if let Some(uid) = child.uid {
        change_user(uid).map_err(at(Doing::User))?;
    }
    give_up_capabilities().map_err(at(Doing::Capabilities))?;
    streams(child).map_err(at(Doing::Streams))?;
    tie(child).map_err(at(Doing::Tie))?;
    restrict(child).map_err(at(Doing::Landlock))?;
    if child.has_media {
        open_input().map_err(at(Doing::Input))?;
    }
    give_way().map_err(at(Doing::Limits))?;
    // After the last descriptor is opened: until it becomes its program, a child has its parent's descriptors open.
    limit(child).map_err(at(Doing::Limits))?;
    install_filter(child).map_err(at(Doing::Filter))
}

/// Turns the answer of a system call into a result.
fn done(answer: c_long) -> Done {
    // SAFETY: it answers where this thread's `errno` is, which the call has just set.
    if answer == -1 { Err(unsafe { *libc::__errno_location() }) } else { Ok(()) }
}

/// Maps the child's user into its new namespace; otherwise it could make no folder in its root.
fn write_user_map(map: &[(&CStr, Vec<u8>); 3]) -> Done {
    // SAFETY: plain numbers, and buffers that live until the calls return.
    unsafe {
        // A process that is not dumpable does not own its entries in /proc. Its program starts dumpable anyway.
        done(libc::prctl(libc::PR_SET_DUMPABLE, 1, 0, 0, 0).into())?;
        for (file, content) in map {
            let opened = libc::open(file.as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
            done(opened.into())?;
            let written = libc::write(opened, content.as_ptr().cast(), content.len());
            done(written as c_long)?;
            done(libc::close(opened).into())?;
        }
        done(libc::prctl(libc::PR_SET_DUMPABLE, 0, 0, 0, 0).into())
    }
}

/// Makes the private root and enters it.
fn enter(root: &Root) -> Done {
    let hidden = libc::MS_NOSUID | libc::MS_NODEV;
    mount(None, c"/", None, libc::MS_REC | libc::MS_PRIVATE, None)?;
    mount(Some(c"mws"), &root.place, Some(c"tmpfs"), hidden, Some(c"size=256k,mode=755"))?;
    for step in &root.steps {
        make(step)?;
    }
    mount(None, &root.place, None, libc::MS_REMOUNT | libc::MS_BIND | libc::MS_RDONLY | hidden, None)?;
    // SAFETY: paths that live until the calls return.
    unsafe {
        done(libc::chdir(root.place.as_ptr()).into())?;
        // The old root is mounted over the new one, and then taken away.
        done(libc::syscall(libc::SYS_pivot_root, c".".as_ptr(), c".".as_ptr()))?;
        done(libc::umount2(c".".as_ptr(), libc::MNT_DETACH).into())?;
        done(libc::chdir(c"/".as_ptr()).into())
    }
}

fn make(step: &Step) -> Done {
    // SAFETY: paths that live until the calls return.
    match step {
        Step::Folder(path) => match done(unsafe { libc::mkdir(path.as_ptr(), 0o755) }.into()) {
            Err(libc::EEXIST) => Ok(()),
            made => made,
        },
        Step::File(path) => {
            let flags = libc::O_WRONLY | libc::O_CREAT | libc::O_CLOEXEC;
            // SAFETY: as above, and the file is this call's own.
            let opened = unsafe { libc::open(path.as_ptr(), flags, 0o644) };
            done(opened.into())?;
            // SAFETY: as above.
            done(unsafe { libc::close(opened) }.into())
        }
        // SAFETY: as above.
        Step::Link(target, path) => done(unsafe { libc::symlink(target.as_ptr(), path.as_ptr()) }.into()),
        Step::Bind(from, to) => mount(Some(from), to, None, libc::MS_BIND | libc::MS_REC, None),
    }
}

fn mount(from: Option<&CStr>, to: &CStr, kind: Option<&CStr>, flags: c_ulong, options: Option<&CStr>) -> Done {
    let pointer = |text: Option<&CStr>| text.map_or(null(), CStr::as_ptr);
    // SAFETY: texts that live until the call returns, or none.
    let answer = unsafe { libc::mount(pointer(from), to.as_ptr(), pointer(kind), flags, pointer(options).cast()) };
    done(answer.into())
}

/// Lowers its priority below that of its parent, which may have a low one already.
fn give_way() -> Done {
    // SAFETY: plain numbers. The kernel answers with the priority as 1 to 40, the lowest first.
    unsafe {
        let priority = libc::syscall(libc::SYS_getpriority, libc::PRIO_PROCESS, 0);
        done(priority)?;
        let nice = (20 - priority + c_long::from(NICER)).min(19);
        done(libc::syscall(libc::SYS_setpriority, libc::PRIO_PROCESS, 0, nice))
    }
}

/// Sets the limits, hard and soft.
fn limit(child: &Prepared) -> Done {
    for (resource, most) in &child.limits {
        let limit = libc::rlimit64 { rlim_cur: *most, rlim_max: *most };
        // SAFETY: `limit` lives until the call returns, and the kernel only reads it.
        done(unsafe { libc::syscall(libc::SYS_prlimit64, 0, *resource, &raw const limit, 0) })?;
    }
    Ok(())
}

/// Becomes this user, with no other groups, and checks that it has.
fn change_user(uid: u32) -> Done {
    // SAFETY: plain numbers; `setgroups` is told that the list it could read has no entries.
    unsafe {
        done(libc::syscall(libc::SYS_setgroups, 0, 0))?;
        done(libc::syscall(libc::SYS_setresgid, uid, uid, uid))?;
        done(libc::syscall(libc::SYS_setresuid, uid, uid, uid))?;
        let is = libc::getuid() == uid && libc::geteuid() == uid && libc::getgid() == uid && libc::getegid() == uid;
        if is { Ok(()) } else { Err(libc::EPERM) }
    }
}

/// Gives up every capability, and checks that none is left.
fn give_up_capabilities() -> Done {
    #[repr(C)]
    struct Header {
        version: u32,
        process: c_int,
    }
    let header = Header { version: 0x2008_0522, process: 0 };
    let (mut none, mut left) = ([0_u32; 6], [u32::MAX; 6]);
    // SAFETY: the third version of these calls takes a header and six numbers, which live until the calls return.
    unsafe {
        done(libc::prctl(libc::PR_CAP_AMBIENT, libc::PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0).into())?;
        done(libc::syscall(libc::SYS_capset, &raw const header, none.as_mut_ptr()))?;
        done(libc::syscall(libc::SYS_capget, &raw const header, left.as_mut_ptr()))?;
    }
    if left == none { Ok(()) } else { Err(libc::EPERM) }
}

/// Takes its folder and its three streams; whatever else is open closes when it becomes its program.
fn streams(child: &Prepared) -> Done {
    // SAFETY: plain numbers, a path and signal sets that live until the calls return.
    unsafe {
        done(libc::chdir(child.folder.as_ptr()).into())?;
        for (stream, target) in child.streams.iter().zip(0..) {
            done(libc::dup2(*stream, target).into())?;
        }
        done(libc::syscall(libc::SYS_close_range, 3, u32::MAX, libc::CLOSE_RANGE_CLOEXEC))?;
        // Signals that Rust's runtime ignores would be ignored by its children too.
        if libc::signal(libc::SIGPIPE, libc::SIG_DFL) == libc::SIG_ERR {
            return done(-1);
        }
        let mut empty = std::mem::zeroed::<libc::sigset_t>();
        done(libc::sigemptyset(&raw mut empty).into())?;
        done(libc::sigprocmask(libc::SIG_SETMASK, &raw const empty, std::ptr::null_mut()).into())
    }
}

/// Makes the child die with the thread that started it. Fails if that is dead already, as a closed report tells.
fn tie(child: &Prepared) -> Done {
    // SAFETY: plain numbers, and a list of one that lives until the call returns.
    unsafe {
        done(libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL).into())?;
        done(libc::close(child.reports).into())?;
        let mut reader = libc::pollfd { fd: child.report, events: 0, revents: 0 };
        done(libc::poll(&raw mut reader, 1, 0).into())?;
        if reader.revents & libc::POLLERR == 0 { Ok(()) } else { Err(libc::ESRCH) }
    }
}

/// Forbids new privileges, and applies the ruleset.
fn restrict(child: &Prepared) -> Done {
    // SAFETY: plain numbers.
    unsafe {
        done(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0).into())?;
        match child.ruleset {
            Some(ruleset) => done(libc::syscall(libc::SYS_landlock_restrict_self, ruleset, 0)),
            None => Ok(()),
        }
    }
}

/// Opens the input again, as the program will.
fn open_input() -> Done {
    // SAFETY: a path that lives until the call returns; what is opened is this call's own.
    unsafe {
        let opened = libc::open(c"/proc/self/fd/0".as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC);
        done(opened.into())?;
        done(libc::close(opened).into())
    }
}

/// Loads the filter of system calls.
fn install_filter(child: &Prepared) -> Done {
    let Some(filter) = child.filter else { return Ok(()) };
    let program = libc::sock_fprog {
        len: u16::try_from(filter.len()).map_err(|_| libc::EINVAL)?,
        // An instruction is the same two bytes, two times one and four bytes here and there; the kernel only reads it.
        filter: filter.as_ptr().cast_mut().cast(),
    };
    // SAFETY: `program` and what it points to live until the call returns.
    done(unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, 0, &raw const program) })
}

/// Becomes the program; returns only the error if it could not.
fn exec(child: &Prepared) -> Errno {
    // SAFETY: texts and lists of texts that end with a null pointer, all of them the parent's copies.
    unsafe {
        libc::execve(child.program.as_ptr(), child.arguments.as_ptr(), child.environment.as_ptr());
        *libc::__errno_location()
    }
}
