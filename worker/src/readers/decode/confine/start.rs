//! Makes a confined child: everything is prepared here, then this process is copied into new namespaces, and the copy
//! takes its steps. The parent waits until the child has become its program, or hears why it has not.
//!
//! The copy is made by the system call itself, since the standard library can't start a process in a PID namespace. It
//! happens on one thread that lasts as long as this process: a child dies with the *thread* that started it.

use super::prepared::{Prepared, Texts};
use super::process::Process;
use super::root::{Root, WORK, text};
use super::rules::ruleset;
use super::steps::{Doing, become_program};
use super::users::Seat;
use super::{Limits, Namespaces, Start, Way, calls};
use seccompiler::BpfProgram;
use std::ffi::{CStr, CString, c_char, c_int};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, mpsc};

/// Descriptors of a child's streams are opened from this number on: `dup2` would close the one it copies onto.
const ABOVE_STREAMS: c_int = 10;
/// The child's user in its own user namespace.
const USER_INSIDE: u32 = 1_000;

/// A child that has started, with this process's ends of its streams.
#[derive(Debug)]
pub(in crate::readers::decode) struct Started {
    pub(in crate::readers::decode) process: Process,
    /// None when its input is a media file.
    pub(in crate::readers::decode) stdin: Option<OwnedFd>,
    pub(in crate::readers::decode) stdout: OwnedFd,
    pub(in crate::readers::decode) stderr: OwnedFd,
}

/// Why a child did not start.
#[derive(Debug, thiserror::Error)]
pub(in crate::readers::decode) enum StartError {
    /// It could not do one of its steps.
    #[error("a decoder could not {}: {source}", .doing.words())]
    Step { doing: Doing, source: io::Error },
    /// It could not be made at all.
    #[error("a decoder could not be started: {0}")]
    Make(#[from] io::Error),
}

impl From<StartError> for io::Error {
    fn from(error: StartError) -> Self {
        match error {
            StartError::Make(error) => error,
            step @ StartError::Step { .. } => Self::other(step),
        }
    }
}

/// Files that stay open until the child has copies of them.
struct Open {
    streams: [OwnedFd; 3],
    ruleset: Option<OwnedFd>,
    report: OwnedFd,
}

/// Starts a child on a thread that lasts.
pub(super) async fn start(start: Start<'_>, way: &Way) -> Result<Started, StartError> {
    let (answer, answered) = tokio::sync::oneshot::channel();
    // When the job was dropped nobody waits any more; the child is then dropped there, which kills it.
    hand_over(errand(&start, way, |started| drop(answer.send(started)))?)?;
    answered.await.map_err(|_| gone())?
}

/// Starts a child on a thread that lasts, and blocks the caller's thread meanwhile.
pub(super) fn start_and_wait(start: &Start<'_>, way: &Way) -> Result<Started, StartError> {
    let (answer, answered) = mpsc::channel();
    hand_over(errand(start, way, move |started| drop(answer.send(started)))?)?;
    answered.recv().map_err(|_| gone())?
}

type Errand = Box<dyn FnOnce() + Send>;

/// Prepares everything. Returns the rest of the work, for the thread that starts children.
fn errand(
    start: &Start<'_>,
    way: &Way,
    answer: impl FnOnce(Result<Started, StartError>) + Send + 'static,
) -> Result<Errand, StartError> {
    let (ours, theirs) = pipes(start)?;
    let (reports, report) = io::pipe()?;
    let open =
        Open { streams: theirs, ruleset: way.landlock.then(|| ruleset(start)).transpose()?, report: above(&report)? };
    let seat = match (&start.seat, way.first_user) {
        (Some(seat), _) => Some(Arc::clone(seat)),
        (None, Some(first)) => Some(Arc::new(Seat::taken(first)?)),
        (None, None) => None,
    };
    let prepared = Sendable(Prepared { reports: reports.as_raw_fd(), ..prepared(start, way, seat.as_deref(), &open)? });
    let namespaces = way.namespaces;
    Ok(Box::new(move || {
        let made = make(prepared, namespaces);
        drop(open);
        let started = made.map_err(StartError::from).and_then(|(pid, pidfd)| {
            let process = Process::new(pid, pidfd, seat);
            heard(reports)?;
            process.go_first();
            process.give_way();
            let [stdin, stdout, stderr] = ours;
            let (Some(stdout), Some(stderr)) = (stdout, stderr) else { return Err(gone().into()) };
            Ok(Started { process, stdin, stdout, stderr })
        });
        answer(started);
    }))
}

fn gone() -> io::Error {
    io::Error::other("the thread that starts decoders has ended")
}

fn hand_over(errand: Errand) -> io::Result<()> {
    static STARTER: OnceLock<Mutex<mpsc::Sender<Errand>>> = OnceLock::new();
    let starter = STARTER.get_or_init(|| {
        let (errands, queue) = mpsc::channel::<Errand>();
        // A failure shows at the first errand, which then finds nobody at the other end.
        let _ = std::thread::Builder::new()
            .name("decoder-starter".to_owned())
            .spawn(move || queue.into_iter().for_each(|errand| errand()));
        Mutex::new(errands)
    });
    starter.lock().map_err(|_| gone())?.send(errand).map_err(|_| gone())
}

/// Pointers into texts that are sent along with them.
struct Sendable(Prepared);

#[expect(unsafe_code, reason = "pointers are not sent between threads by themselves")]
// SAFETY: the pointers lead to texts on the heap that `Prepared` owns and nobody changes.
unsafe impl Send for Sendable {}

/// Returns this process's ends of the streams, and the child's.
fn pipes(start: &Start<'_>) -> io::Result<([Option<OwnedFd>; 3], [OwnedFd; 3])> {
    let (out_reader, out_writer) = io::pipe()?;
    let (error_reader, error_writer) = io::pipe()?;
    let (stdin, feed) = if let Some(input) = start.input {
        (input.try_clone()?.into(), None)
    } else {
        let (reader, writer) = io::pipe()?;
        (OwnedFd::from(reader), Some(OwnedFd::from(writer)))
    };
    let ours = [feed, Some(out_reader.into()), Some(error_reader.into())];
    Ok((ours, [above(&stdin)?, above(&out_writer)?, above(&error_writer)?]))
}

/// Returns the same open file under a number above those of the streams.
fn above(file: &impl AsFd) -> io::Result<OwnedFd> {
    rustix::io::fcntl_dupfd_cloexec(file.as_fd(), ABOVE_STREAMS).map_err(io::Error::from)
}

fn prepared(start: &Start<'_>, way: &Way, seat: Option<&Seat>, open: &Open) -> io::Result<Prepared> {
    let is_private = way.namespaces.is_some();
    let folder = match start.folder {
        Some(_) if is_private => Path::new(WORK),
        Some(folder) => folder,
        None => Path::new("/"),
    };
    let texts = texts(start, folder)?;
    let pointers = |texts: &[CString]| -> Vec<*const c_char> {
        texts.iter().map(|text| text.as_ptr()).chain([std::ptr::null()]).collect()
    };
    Ok(Prepared {
        arguments: pointers(&texts.0),
        environment: pointers(&texts.1),
        _texts: texts,
        program: text(start.program)?,
        folder: text(folder)?,
        streams: [&open.streams[0], &open.streams[1], &open.streams[2]].map(AsRawFd::as_raw_fd),
        limits: limits(&start.limits, way),
        uid: seat.map(Seat::uid),
        user_map: (way.namespaces == Some(Namespaces::WithUsers)).then(user_map),
        root: is_private.then(|| Root::of(start)).transpose()?,
        ruleset: open.ruleset.as_ref().map(AsRawFd::as_raw_fd),
        filter: if way.filter { Some(compiled()?) } else { None },
        has_media: start.input.is_some(),
        report: open.report.as_raw_fd(),
        reports: -1,
    })
}

/// Returns the child's arguments and environment, which has nothing of this process's.
fn texts(start: &Start<'_>, folder: &Path) -> io::Result<Texts> {
    let arguments = [start.program.as_os_str()].into_iter().chain(start.arguments.iter().copied());
    let arguments = arguments.map(|argument| CString::new(argument.as_bytes())).collect::<Result<_, _>>()?;
    let home = |name: &str| CString::new([name.as_bytes(), folder.as_os_str().as_bytes()].concat());
    // A job has one core: engines that would use all of them wait for each other.
    let told = [CString::new("LC_ALL=C")?, CString::new("OMP_THREAD_LIMIT=1")?, home("HOME=")?, home("TMPDIR=")?];
    Ok((arguments, told.into()))
}

/// The filter, compiled once.
fn compiled() -> io::Result<&'static BpfProgram> {
    static FILTER: OnceLock<Result<BpfProgram, String>> = OnceLock::new();
    let made = FILTER.get_or_init(|| calls::seccomp_filter().map_err(|error| error.to_string()));
    made.as_ref().map_err(|error| io::Error::other(error.clone()))
}

fn user_map() -> [(&'static CStr, Vec<u8>); 3] {
    let (uid, gid) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
    [
        (c"/proc/self/setgroups", b"deny".to_vec()),
        (c"/proc/self/uid_map", format!("{USER_INSIDE} {uid} 1").into_bytes()),
        (c"/proc/self/gid_map", format!("{USER_INSIDE} {gid} 1").into_bytes()),
    ]
}

/// Returns the limits by the kernel's numbers.
fn limits(limits: &Limits, way: &Way) -> Vec<(c_int, u64)> {
    let most = [
        (libc::RLIMIT_AS, Some(limits.memory_bytes)),
        (libc::RLIMIT_CPU, Some(limits.cpu_seconds)),
        (libc::RLIMIT_FSIZE, Some(limits.file_bytes)),
        (libc::RLIMIT_CORE, Some(0)),
        (libc::RLIMIT_NOFILE, Some(64)),
        (libc::RLIMIT_NPROC, way.most_tasks),
    ];
    most.into_iter().filter_map(|(resource, most)| Some((c_int::try_from(resource).ok()?, most?))).collect()
}

/// Copies this process into new namespaces, and has the copy become the program.
#[expect(unsafe_code, reason = "the standard library can't start a process in a namespace of its own")]
fn make(prepared: Sendable, namespaces: Option<Namespaces>) -> io::Result<(c_int, OwnedFd)> {
    let Sendable(prepared) = prepared;
    let flags = libc::SIGCHLD | libc::CLONE_PIDFD | namespaces.map_or(0, Namespaces::flags);
    let mut pidfd: c_int = -1;
    // SAFETY: without a stack of its own and without shared memory the call is a `fork`: the child goes on here with a
    // copy of this thread alone. It calls nothing but `become_program`, which makes system calls and never returns.
    let pid = unsafe { libc::syscall(libc::SYS_clone, flags, 0, &raw mut pidfd, 0, 0) };
    match pid {
        -1 => Err(io::Error::last_os_error()),
        0 => become_program(&prepared),
        // SAFETY: the kernel has just opened it for this process, and nobody else knows it.
        pid => Ok((c_int::try_from(pid).map_err(io::Error::other)?, unsafe { OwnedFd::from_raw_fd(pidfd) })),
    }
}

/// Reads the child's report; it is empty when the child has become its program.
fn heard(reports: io::PipeReader) -> Result<(), StartError> {
    let mut report = Vec::new();
    File::from(OwnedFd::from(reports)).read_to_end(&mut report)?;
    let Some((first, errno)) = report.split_first() else { return Ok(()) };
    let errno = errno.try_into().map_or(libc::EIO, i32::from_le_bytes);
    let doing = Doing::of(*first).unwrap_or(Doing::Program);
    Err(StartError::Step { doing, source: io::Error::from_raw_os_error(errno) })
}
