//! The names that some settings take: how strictly decoders are confined, how the log is written, and which kinds of
//! jobs are events.

use domain::job::JobKind;

/// How strictly a process that decodes customers' bytes is confined.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, clap::ValueEnum)]
pub enum Confinement {
    /// Limits alone: for a machine whose kernel has no Landlock, at your own risk.
    None,
    /// Landlock and seccomp: it opens only its input and the system's libraries, and has no network and no processes.
    #[default]
    Filtered,
    /// Landlock and seccomp, in namespaces of its own, with a private root.
    Full,
}

impl Confinement {
    /// Its name in the setting.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Filtered => "filtered",
            Self::Full => "full",
        }
    }
}

/// The shape of log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum LogFormat {
    /// Lines for people.
    Text,
    /// One JSON object a line.
    Json,
}

/// Parses the name of a kind of jobs.
pub(super) fn event_kind(name: &str) -> Result<JobKind, String> {
    let names = || JobKind::ALL.map(JobKind::name).join(", ");
    JobKind::from_name(name).ok_or_else(|| format!("expected one of {}", names()))
}
