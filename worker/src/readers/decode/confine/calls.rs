//! The system calls that a confined child may make: a closed list, compiled once and loaded by the child as its last
//! step.
//!
//! Any other call fails with "not implemented", which programs and libraries can deal with. Left out on purpose:
//! everything about sockets, other processes (signals, tracing, their memory), new processes (threads may be made),
//! mounts, namespaces, keys, modes and owners of files, and interfaces such as `bpf`, `io_uring` and `userfaultfd`.
//! `execve` is there because the child must still become its program; Landlock limits which files it may execute.

use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule,
};
use std::collections::BTreeMap;

/// Calls that are allowed with any arguments.
const ALLOWED: &[i64] = &[
    // Open files and pipes.
    libc::SYS_read,
    libc::SYS_write,
    libc::SYS_readv,
    libc::SYS_writev,
    libc::SYS_pread64,
    libc::SYS_pwrite64,
    libc::SYS_preadv,
    libc::SYS_pwritev,
    libc::SYS_lseek,
    libc::SYS_close,
    libc::SYS_close_range,
    libc::SYS_dup,
    libc::SYS_dup3,
    libc::SYS_pipe2,
    libc::SYS_ppoll,
    libc::SYS_pselect6,
    libc::SYS_epoll_create1,
    libc::SYS_epoll_ctl,
    libc::SYS_epoll_pwait,
    libc::SYS_eventfd2,
    libc::SYS_ftruncate,
    libc::SYS_fallocate,
    libc::SYS_fsync,
    libc::SYS_fdatasync,
    libc::SYS_fadvise64,
    // Names, where Landlock allows them to be opened.
    libc::SYS_openat,
    libc::SYS_fstat,
    libc::SYS_newfstatat,
    libc::SYS_statx,
    libc::SYS_statfs,
    libc::SYS_fstatfs,
    libc::SYS_faccessat,
    libc::SYS_faccessat2,
    libc::SYS_readlinkat,
    libc::SYS_getdents64,
    libc::SYS_getcwd,
    libc::SYS_unlinkat,
    libc::SYS_renameat2,
    // Memory.
    libc::SYS_mmap,
    libc::SYS_munmap,
    libc::SYS_mprotect,
    libc::SYS_mremap,
    libc::SYS_madvise,
    libc::SYS_brk,
    libc::SYS_mlock,
    libc::SYS_munlock,
    libc::SYS_membarrier,
    // Threads, and the process itself.
    libc::SYS_futex,
    libc::SYS_rseq,
    libc::SYS_set_robust_list,
    libc::SYS_set_tid_address,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_execve,
    libc::SYS_wait4,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    libc::SYS_restart_syscall,
    libc::SYS_sched_yield,
    libc::SYS_sched_getaffinity,
    libc::SYS_umask,
    // Its identity, and the time.
    libc::SYS_getpid,
    libc::SYS_gettid,
    libc::SYS_getppid,
    libc::SYS_getuid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getegid,
    libc::SYS_getresuid,
    libc::SYS_getresgid,
    libc::SYS_uname,
    libc::SYS_sysinfo,
    libc::SYS_getrusage,
    libc::SYS_times,
    libc::SYS_clock_gettime,
    libc::SYS_clock_getres,
    libc::SYS_clock_nanosleep,
    libc::SYS_nanosleep,
    libc::SYS_gettimeofday,
    libc::SYS_getrandom,
    libc::SYS_getcpu,
];

/// Older names of these calls, where an architecture has them.
#[cfg(target_arch = "x86_64")]
const OLDER: &[i64] = &[
    libc::SYS_open,
    libc::SYS_stat,
    libc::SYS_lstat,
    libc::SYS_access,
    libc::SYS_readlink,
    libc::SYS_unlink,
    libc::SYS_rename,
    libc::SYS_renameat,
    libc::SYS_dup2,
    libc::SYS_pipe,
    libc::SYS_poll,
    libc::SYS_select,
    libc::SYS_epoll_wait,
    libc::SYS_getpgrp,
    libc::SYS_time,
    libc::SYS_arch_prctl,
];
#[cfg(not(target_arch = "x86_64"))]
const OLDER: &[i64] = &[];

/// The commands that `fcntl` allows: copies and flags of open files, and neither locks nor signals.
const OF_FCNTL: [libc::c_int; 6] =
    [libc::F_DUPFD, libc::F_DUPFD_CLOEXEC, libc::F_GETFD, libc::F_SETFD, libc::F_GETFL, libc::F_SETFL];
/// The options that `prctl` allows: the names of threads and of memory, and which capabilities there are.
const OF_PRCTL: [libc::c_int; 4] = [libc::PR_SET_NAME, libc::PR_GET_NAME, libc::PR_SET_VMA, libc::PR_CAPBSET_READ];
/// The flags of `clone` for a new namespace; and `CLONE_THREAD`, without which it makes a process.
const OF_CLONE: libc::c_int = libc::CLONE_THREAD
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWCGROUP;

/// Returns the filter for this machine's architecture.
pub(super) fn seccomp_filter() -> Result<BpfProgram, BackendError> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
        ALLOWED.iter().chain(OLDER).map(|call| (*call, Vec::new())).collect();
    let one_of = |argument: u8, values: &[u64]| -> Result<Vec<SeccompRule>, BackendError> {
        values.iter().map(|value| rule(argument, SeccompCmpOp::Eq, *value)).collect()
    };
    let as_values = |values: &[libc::c_int]| -> Vec<u64> { values.iter().map(|value| number(*value)).collect() };
    rules.insert(libc::SYS_fcntl, one_of(1, &as_values(&OF_FCNTL))?);
    rules.insert(libc::SYS_prctl, one_of(0, &as_values(&OF_PRCTL))?);
    // Whether an output is a terminal, and how wide; how much waits in a pipe; flags of an open file.
    rules.insert(
        libc::SYS_ioctl,
        one_of(1, &[libc::TCGETS, libc::TIOCGWINSZ, libc::FIONREAD, libc::FIOCLEX, libc::FIONBIO])?,
    );
    // Its own limits, which it can't raise.
    rules.insert(libc::SYS_prlimit64, one_of(0, &[0])?);
    // Threads alone. The arguments of `clone3` are in memory, where no filter can look, so it is left out.
    let thread = SeccompCmpOp::MaskedEq(number(OF_CLONE));
    rules.insert(libc::SYS_clone, vec![rule(0, thread, number(libc::CLONE_THREAD))?]);
    let not_there = SeccompAction::Errno(libc::ENOSYS.unsigned_abs());
    SeccompFilter::new(rules, not_there, SeccompAction::Allow, std::env::consts::ARCH.try_into()?)?.try_into()
}

/// Only the low 32 bits of the value are compared.
fn rule(argument: u8, operator: SeccompCmpOp, value: u64) -> Result<SeccompRule, BackendError> {
    SeccompRule::new(vec![SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)?])
}

fn number(flag: libc::c_int) -> u64 {
    u64::from(flag.cast_unsigned())
}
