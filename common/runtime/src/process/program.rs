//! What each program does first and last, around its processes: the executor, the exit code, the protection from other
//! processes and the TLS provider.

use std::process::ExitCode;

/// The tasks that a thread polls before it looks at sockets and timers. With tokio's 61, and tasks that take forty
/// milliseconds each, a connection to the database took longer to open than callers wait for one.
const POLLS_BETWEEN_LOOKS: u32 = 7;

/// Returns what runs the tasks of a process that answers calls.
///
/// # Errors
/// That of the system when threads can't be started.
pub fn executor() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread().enable_all().event_interval(POLLS_BETWEEN_LOOKS).build()
}

/// Returns the exit code of a process. An error is logged like anything else, and the code is 1.
pub fn exit_code(service: &str, ended: anyhow::Result<()>) -> ExitCode {
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // The causes, without a backtrace.
            tracing::error!(error = format!("{error:#}"), "The {service} ended.");
            ExitCode::FAILURE
        }
    }
}

/// Protects this process from others of its user: they can't read its memory, environment or open files, nor trace it.
/// Call it first in `main`.
pub fn close_to_others() -> std::io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)?;
    Ok(())
}

/// Makes ring the TLS provider of the process. Call it first in `main`; a second call changes nothing.
pub fn install_crypto() {
    // It fails only when a provider is installed already.
    let _ = rustls::crypto::ring::default_provider().install_default();
}
