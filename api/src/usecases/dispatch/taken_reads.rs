//! A call's candidates between taking their reads and deciding which become jobs.

use domain::ids::{ItemId, JobId};
use domain::job;
use domain::minutes::Rates;
use domain::plan::{self, Answer, Candidate, Means, Start};
use domain::read::Read;
use store::minutes::Balance;
use store::reads::Taken;

/// What an account with this balance has for new jobs.
pub(super) fn budget(balance: &Balance) -> Means {
    Means {
        left: balance.left(),
        bought: balance.bought,
        room: job::MAX_LIVE - balance.live,
        places: job::PLACES - balance.admitted,
    }
}

/// The candidates once their reads are taken.
pub(super) struct TakenReads {
    /// In the order of the candidates.
    candidates: Vec<Taking>,
    idle: Vec<JobId>,
    unneeded: Vec<(JobId, ItemId, Read)>,
}

/// What became of one candidate.
enum Taking {
    /// Another call or job has it: this is the answer.
    Answered(Answer),
    /// Its read is this call's to start.
    Own(Candidate),
}

/// What starts, and what does not.
pub(super) struct Decided {
    /// The answer for each candidate, in their order.
    pub(super) answers: Vec<Answer>,
    /// The jobs to write.
    pub(super) starts: Vec<Start>,
    /// Jobs that won't be: what they took is given back.
    pub(super) idle: Vec<JobId>,
    /// Speech that a speakers job took but another stores.
    pub(super) unneeded: Vec<(JobId, ItemId, Read)>,
}

impl TakenReads {
    /// By who owns each candidate's reads now. None when a job that was to be joined has just ended: look again.
    pub(super) fn of(candidates: &[Candidate], owners: &[Vec<Taken>]) -> Option<Self> {
        assert_eq!(candidates.len(), owners.len(), "the statement tells of every candidate");
        let mut taken = Self { candidates: Vec::new(), idle: Vec::new(), unneeded: Vec::new() };
        for (candidate, owners) in candidates.iter().zip(owners) {
            let answer = match owners.first()? {
                Taken::Own => {
                    let mut candidate = candidate.clone();
                    if candidate.with_speech && owners.get(1) != Some(&Taken::Own) {
                        candidate.with_speech = false;
                        taken.unneeded.push((candidate.job, candidate.item, Read::Speech));
                    }
                    taken.candidates.push(Taking::Own(candidate));
                    continue;
                }
                Taken::Joined(live) => Answer::joined(*live),
                Taken::Stored => Answer::Ready,
                Taken::Gone => return None,
            };
            taken.idle.push(candidate.job);
            taken.candidates.push(Taking::Answered(answer));
        }
        Some(taken)
    }

    /// Decides what starts, with what the account has left.
    pub(super) fn decide(self, balance: &Balance, rates: &Rates) -> Decided {
        let own = self.candidates.iter().filter_map(|one| match one {
            Taking::Own(candidate) => Some(candidate.clone()),
            Taking::Answered(_) => None,
        });
        let mut decisions = plan::decide(own.collect(), &mut budget(balance), rates).into_iter();
        let Self { candidates, mut idle, unneeded } = self;
        let mut starts = Vec::new();
        let mut answer = |taking| match taking {
            Taking::Answered(answer) => answer,
            Taking::Own(Candidate { job, .. }) => match decisions.next() {
                Some(Ok(start)) => {
                    let estimate = start.held();
                    starts.push(start);
                    Answer::Queued { job, estimate, already: false }
                }
                Some(Err(reason)) => {
                    idle.push(job);
                    Answer::Not(reason)
                }
                None => unreachable!("`plan::decide` decides about every candidate"),
            },
        };
        let answers = candidates.into_iter().map(&mut answer).collect();
        Decided { answers, starts, idle, unneeded }
    }
}
