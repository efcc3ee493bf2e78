//! A taken-over decoder: tries to reach everything, and tells what it reached through what it may say back.

#![expect(unsafe_code, reason = "an attacker makes the system calls that it likes")]

use super::service::NEIGHBOUR;
use serde::Deserialize;
use std::fs::{self, File, OpenOptions};
use std::net::TcpStream;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{SocketAddr, UnixStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// More threads than a child may have.
const THREADS: usize = 1_000;

#[derive(Debug, Deserialize)]
struct Targets {
    files: Vec<PathBuf>,
    folders: Vec<PathBuf>,
    sockets: Vec<PathBuf>,
    r#abstract: String,
    port: u16,
    processes: Vec<i32>,
    full: bool,
}

/// What was tried and what worked.
#[derive(Debug, Default)]
struct Report {
    tried: usize,
    lines: Vec<String>,
}

impl Report {
    fn note(&mut self, reached: bool, what: impl std::fmt::Display) {
        self.tried += 1;
        if reached {
            self.lines.push(format!("reached: {what}"));
        }
    }
}

/// Plays ffprobe.
pub fn run() {
    let media = fs::read_to_string("/proc/self/fd/0").unwrap();
    if media.starts_with(NEIGHBOUR) {
        loop {
            std::thread::sleep(Duration::from_secs(1));
        }
    }
    let targets: Targets = serde_json::from_str(&media).unwrap();
    let mut report = Report::default();
    files(&targets, &mut report);
    sockets(&targets, &mut report);
    processes(&targets, &mut report);
    itself(&mut report);
    calls(&mut report);
    new_processes(&targets, &mut report);
    say(&report);
}

fn files(targets: &Targets, report: &mut Report) {
    for path in &targets.files {
        report.note(File::open(path).is_ok(), format_args!("read {}", path.display()));
        report.note(OpenOptions::new().write(true).open(path).is_ok(), format_args!("write {}", path.display()));
        let open = fs::Permissions::from_mode(0o666);
        report.note(fs::set_permissions(path, open).is_ok(), format_args!("chmod {}", path.display()));
        // Names can be looked at where there is no private root.
        report.note(targets.full && path.metadata().is_ok(), format_args!("stat {}", path.display()));
    }
    let own = [std::env::var_os("TMPDIR").unwrap_or_default().into(), PathBuf::from(".")];
    for folder in targets.folders.iter().chain(&own) {
        report
            .note(fs::read_dir(folder).is_ok() && folder != Path::new("."), format_args!("list {}", folder.display()));
        let name = folder.join("left-by-the-attacker");
        report.note(fs::write(&name, "x").is_ok(), format_args!("make {}", name.display()));
        report.note(fs::create_dir(&name).is_ok(), format_args!("make the folder {}", name.display()));
        report.note(std::os::unix::fs::symlink("/", &name).is_ok(), format_args!("make the link {}", name.display()));
    }
}

fn sockets(targets: &Targets, report: &mut Report) {
    for path in &targets.sockets {
        report.note(UnixStream::connect(path).is_ok(), format_args!("connect to {}", path.display()));
    }
    let name = SocketAddr::from_abstract_name(&targets.r#abstract).unwrap();
    report.note(UnixStream::connect_addr(&name).is_ok(), "connect to an abstract socket");
    report.note(TcpStream::connect(("127.0.0.1", targets.port)).is_ok(), "connect by TCP");
    for family in [libc::AF_UNIX, libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK, libc::AF_PACKET, libc::AF_ALG] {
        for kind in [libc::SOCK_STREAM, libc::SOCK_DGRAM, libc::SOCK_RAW, libc::SOCK_SEQPACKET] {
            // SAFETY: plain numbers.
            let socket = unsafe { libc::socket(family, kind, 0) };
            report.note(socket >= 0, format_args!("a socket of family {family} and kind {kind}"));
        }
    }
}

fn processes(targets: &Targets, report: &mut Report) {
    let own = std::process::id().cast_signed();
    let listed = fs::read_dir("/proc").into_iter().flatten().filter_map(Result::ok);
    let listed = listed.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let others: Vec<i32> =
        targets.processes.iter().copied().chain(listed).chain(2..64).filter(|pid| *pid != own).collect();
    for pid in others {
        for entry in ["environ", "mem", "maps", "cmdline", "status", "fd/0", "root/etc/passwd", "cwd/x"] {
            let path = format!("/proc/{pid}/{entry}");
            report.note(File::open(&path).is_ok(), path);
        }
        report.note(fs::read_dir(format!("/proc/{pid}/fd")).is_ok(), format_args!("the files of {pid}"));
        report.note(fs::read_link(format!("/proc/{pid}/exe")).is_ok(), format_args!("the program of {pid}"));
        // SAFETY: plain numbers; nothing is read or written here.
        unsafe {
            report.note(libc::kill(pid, 0) == 0, format_args!("signal {pid}"));
            report.note(libc::ptrace(libc::PTRACE_SEIZE, pid, 0, 0) == 0, format_args!("trace {pid}"));
            report.note(libc::syscall(libc::SYS_pidfd_open, pid, 0) >= 0, format_args!("hold {pid}"));
            report.note(libc::syscall(libc::SYS_process_vm_readv, pid, 0, 0, 0, 0, 0) >= 0, format_args!("read {pid}"));
            let limit = libc::rlimit64 { rlim_cur: 1, rlim_max: 1 };
            let limited = libc::syscall(libc::SYS_prlimit64, pid, libc::RLIMIT_CORE, &raw const limit, 0);
            report.note(limited >= 0, format_args!("limit {pid}"));
        }
    }
}

fn itself(report: &mut Report) {
    for (name, value) in std::env::vars() {
        let known = ["LC_ALL", "OMP_THREAD_LIMIT", "HOME", "TMPDIR"].contains(&name.as_str());
        report.note(!known, format_args!("the environment's {name}={value}"));
    }
    // SAFETY: plain numbers, and a header and six numbers that live until the call returns.
    unsafe {
        report.note(libc::geteuid() == 0 || libc::getuid() == 0, "root");
        for file in 3..256 {
            report.note(libc::fcntl(file, libc::F_GETFD) >= 0, format_args!("the open file {file}"));
        }
        let (header, mut held) = ([0x2008_0522_u32, 0], [0_u32; 6]);
        let told = libc::syscall(libc::SYS_capget, header.as_ptr(), held.as_mut_ptr());
        report.note(told == 0 && held != [0; 6], "capabilities");
        report.note(libc::setuid(0) == 0, "become root");
        report.note(libc::prctl(libc::PR_SET_PDEATHSIG, 0) == 0, "outlive the service");
        report.note(libc::prctl(libc::PR_SET_DUMPABLE, 1) == 0, "prctl");
        let most = libc::rlimit64 { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
        report.note(libc::setrlimit64(libc::RLIMIT_AS, &raw const most) == 0, "more memory");
        report.note(libc::setpriority(libc::PRIO_PROCESS, 0, 0) == 0, "a higher priority");
    }
    report.note(fs::write("/proc/self/autogroup", "0").is_ok(), "a higher priority of its session");
}

/// Calls that lead out of a confinement: any answer but an error.
fn calls(report: &mut Report) {
    let tried = [
        ("mount", libc::SYS_mount),
        ("umount2", libc::SYS_umount2),
        ("pivot_root", libc::SYS_pivot_root),
        ("chroot", libc::SYS_chroot),
        ("setns", libc::SYS_setns),
        ("bpf", libc::SYS_bpf),
        ("perf_event_open", libc::SYS_perf_event_open),
        ("userfaultfd", libc::SYS_userfaultfd),
        ("io_uring_setup", libc::SYS_io_uring_setup),
        ("keyctl", libc::SYS_keyctl),
        ("add_key", libc::SYS_add_key),
        ("memfd_create", libc::SYS_memfd_create),
        ("inotify_init1", libc::SYS_inotify_init1),
        ("fanotify_init", libc::SYS_fanotify_init),
        ("timer_create", libc::SYS_timer_create),
        ("shmget", libc::SYS_shmget),
        ("mq_open", libc::SYS_mq_open),
        ("open_by_handle_at", libc::SYS_open_by_handle_at),
        ("init_module", libc::SYS_init_module),
        ("personality", libc::SYS_personality),
    ];
    for (name, call) in tried {
        // SAFETY: null pointers and zeros, which the kernel refuses or does harmless things with.
        let answered = unsafe { libc::syscall(call, 0, 0, 0, 0, 0, 0) } >= 0;
        // SAFETY: it answers where this thread's `errno` is.
        let known = unsafe { *libc::__errno_location() } != libc::ENOSYS;
        report.note(answered || known, format_args!("the call {name}"));
    }
    for flag in [libc::CLONE_NEWUSER, libc::CLONE_NEWNET, libc::CLONE_NEWNS, libc::CLONE_NEWPID] {
        // SAFETY: plain numbers.
        report.note(unsafe { libc::unshare(flag) } == 0, format_args!("a namespace {flag:x}"));
    }
}

fn new_processes(targets: &Targets, report: &mut Report) {
    // SAFETY: a copy of this process ends at once.
    unsafe {
        let made = libc::fork();
        if made == 0 {
            libc::_exit(0);
        }
        report.note(made > 0, "a process by fork");
    }
    report.note(Command::new("/bin/sh").args(["-c", "true"]).status().is_ok(), "a process by spawn");
    // SAFETY: texts that live until the call returns, and it does where it fails.
    unsafe {
        let arguments = [c"/bin/sh".as_ptr(), c"-c".as_ptr(), c"echo taken over".as_ptr(), std::ptr::null()];
        libc::execv(arguments[0], arguments.as_ptr());
    }
    report.note(false, "another program by exec");
    let mut threads = 0;
    let small = || std::thread::Builder::new().stack_size(64 << 10);
    while threads < THREADS && small().spawn(|| std::thread::sleep(Duration::from_mins(5))).is_ok() {
        threads += 1;
    }
    report.note(targets.full && threads == THREADS, format_args!("{threads} threads"));
}

/// As ffprobe says it: the secret in a codec's name, and the report in numbers.
fn say(report: &Report) {
    let text = format!("tried: {}\n{}", report.tried, report.lines.join("\n"));
    let text = text.get(..120_000).unwrap_or(&text);
    let mut streams = vec![serde_json::json!({
        "index": 0, "codec_type": "audio", "codec_name": "PRIVATE MEDIA BYTES", "sample_rate": "8000", "channels": 1,
    })];
    for word in text.as_bytes().chunks(4) {
        let mut number = [0; 4];
        number[..word.len()].copy_from_slice(word);
        streams.push(serde_json::json!({ "index": u32::from_le_bytes(number) }));
    }
    println!("{}", serde_json::json!({ "format": { "format_name": "wav", "duration": "1.0" }, "streams": streams }));
}
