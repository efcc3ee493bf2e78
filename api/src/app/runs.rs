//! Who works on projects in this process is told here that there is something to do: a run was begun, or the last job
//! that one waits for has ended. What is missed is found by a look, some seconds later.

use domain::ids::{JobId, ProjectRunId};
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// Runs whose jobs are listened for.
const MOST: usize = 1_000;

/// A claim of a run that waits, and the jobs that have not ended.
type Waiting = HashMap<ProjectRunId, (i32, HashSet<JobId>)>;

/// What is to be told.
#[derive(Debug, Default)]
pub struct Runs {
    begun: Notify,
    waiting: Mutex<Waiting>,
}

impl Runs {
    /// A run was begun here.
    pub fn tell_begun(&self) {
        self.begun.notify_one();
    }

    /// Ends when one is.
    pub async fn begun(&self) {
        self.begun.notified().await;
    }

    /// This claim of a run waits for these jobs.
    pub fn wait(&self, run: ProjectRunId, claim_no: i32, jobs: HashSet<JobId>) {
        let mut waiting = self.waiting();
        // What ended before it was listened for stays here; without it those that wait look some seconds later.
        if waiting.len() >= MOST {
            waiting.clear();
        }
        waiting.insert(run, (claim_no, jobs));
    }

    /// A run waits no more.
    pub fn forget(&self, run: ProjectRunId) {
        self.waiting().remove(&run);
    }

    /// A job has ended: the claims of runs that wait for no other.
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

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
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
