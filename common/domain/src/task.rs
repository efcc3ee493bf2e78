//! The tasks of jobs, each with its queue, its rate and its engine.
//!
//! Clients see a job's kind and read (`job`); whoever runs or prices it sees its task.

use crate::job::kind::JobKind;
use crate::read::Read;

/// The task of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Task {
    /// Computes a read of an item.
    Read(Read),
    /// Makes a new item of others (`domain::render`).
    Render,
    /// Makes a new item with a model (`domain::generation`).
    Generation,
    /// Speaks an item in another language (`domain::dub`).
    Dub,
}

impl Task {
    /// All tasks, the reads first.
    pub const ALL: [Self; 9] = [
        Self::Read(Read::Transcript),
        Self::Read(Read::SearchIndex),
        Self::Read(Read::Speech),
        Self::Read(Read::Speakers),
        Self::Read(Read::Beats),
        Self::Read(Read::Levels),
        Self::Render,
        Self::Generation,
        Self::Dub,
    ];

    /// Returns the task of a job with this kind and read; `None` if there is no such task.
    pub const fn of(kind: JobKind, read: Option<Read>) -> Option<Self> {
        match (kind, read) {
            (_, Some(read)) => Some(Self::Read(read)),
            (JobKind::Render, None) => Some(Self::Render),
            (JobKind::Generation, None) => Some(Self::Generation),
            (JobKind::Dub, None) => Some(Self::Dub),
            _ => None,
        }
    }

    /// Returns its name in settings, balances and logs: that of a read, `render`, `generation` or `dub`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read(read) => read.name(),
            Self::Render => "render",
            Self::Generation => "generation",
            Self::Dub => "dub",
        }
    }

    /// Returns the task of this name; `None` if there is none.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|task| task.name() == name)
    }

    /// Returns the kind of its jobs.
    pub const fn kind(self) -> JobKind {
        match self {
            Self::Read(read) => JobKind::of(read),
            Self::Render => JobKind::Render,
            Self::Generation => JobKind::Generation,
            Self::Dub => JobKind::Dub,
        }
    }

    /// Returns the read that it computes, if it computes one.
    pub const fn read(self) -> Option<Read> {
        match self {
            Self::Read(read) => Some(read),
            Self::Render | Self::Generation | Self::Dub => None,
        }
    }
}

impl From<Read> for Task {
    fn from(read: Read) -> Self {
        Self::Read(read)
    }
}

impl std::fmt::Display for Task {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_comes_back_from_its_name_and_from_its_jobs() {
        for task in Task::ALL {
            assert_eq!(Task::from_name(task.name()), Some(task));
            assert_eq!(Task::of(task.kind(), task.read()), Some(task));
        }
        for read in Read::ALL {
            assert!(Task::ALL.contains(&Task::Read(read)), "{read} is no task");
        }
        assert_eq!(Task::of(JobKind::Read, None), None);
        assert_eq!(Task::from_name("rendering"), None);
    }
}
