//! Tells those who work on projects in this process that there is something to do: a run began, or the last job that a
//! run waits for has ended. Whatever is missed is found by polling, some seconds later.

use domain::ids::{JobId, ProjectRunId};
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// Waiting runs that are remembered.
const MOST: usize = 1_000;

/// For each run that waits: the number of its claim, and its jobs that have not ended.
type WaitingRuns = HashMap<ProjectRunId, (i32, HashSet<JobId>)>;

/// The runs of this process that begin, and those that wait for jobs.
#[derive(Debug, Default)]
pub struct Runs {
    begun: Notify,
    waiting: Mutex<WaitingRuns>,
}

impl Runs {
    /// Tells that a run began here.
    pub fn tell_begun(&self) {
        self.begun.notify_one();
    }

    /// Waits until a run begins.
    pub async fn wait_for_begun(&self) {
        self.begun.notified().await;
    }

    /// Notes that this claim of a run waits for these jobs.
    pub fn wait(&self, run: ProjectRunId, claim_no: i32, jobs: HashSet<JobId>) {
        let mut waiting = self.waiting();
        // A job that ended before it was noted leaves its entry here: a full map is emptied, and polling finds the
        // runs.
        if waiting.len() >= MOST {
            waiting.clear();
        }
        waiting.insert(run, (claim_no, jobs));
    }

    /// Notes that a run no longer waits.
    pub fn forget(&self, run: ProjectRunId) {
        self.waiting().remove(&run);
    }

    /// Notes that a job has ended. Returns the runs, with their claims' numbers, that waited for it alone.
    pub fn ended(&self, job: JobId) -> Vec<(ProjectRunId, i32)> {
        let mut waiting = self.waiting();
        let mut over = Vec::new();
        waiting.retain(|run, (claim_no, jobs)| {
            let is_last = jobs.remove(&job) && jobs.is_empty();
            if is_last {
                over.push((*run, *claim_no));
            }
            !is_last
        });
        over
    }

    fn waiting(&self) -> MutexGuard<'_, WaitingRuns> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_told_when_the_last_of_its_jobs_has_ended() {
        let (runs, run, jobs) = (Runs::default(), ProjectRunId::mint(), [JobId::mint(), JobId::mint()]);
        runs.wait(run, 3, jobs.into_iter().collect());
        assert_eq!(runs.ended(JobId::mint()), []);
        assert_eq!(runs.ended(jobs[1]), []);
        assert_eq!(runs.ended(jobs[0]), [(run, 3)]);
        assert_eq!(runs.ended(jobs[0]), [], "once");
        runs.wait(run, 4, jobs[..1].iter().copied().collect());
        runs.forget(run);
        assert_eq!(runs.ended(jobs[0]), []);
    }
}
