//! A call's candidates after their rows were taken and before it is decided which become jobs.

use domain::ids::JobId;
use domain::job;
use domain::minutes::Rates;
use domain::plan::{self, Answer, Candidate, Means, Start};
use domain::read::Read;
use sqlx::PgConnection;
use store::minutes::Balance;
use store::reads::{self, OwnedRead, Taken};

/// What an account with this balance can spend on new jobs.
pub(super) fn budget(balance: &Balance) -> Means {
    Means {
        left: balance.left(),
        bought: balance.bought,
        credits: balance.credits.left(),
        room: job::MAX_LIVE - balance.live,
        places: job::PLACES - balance.admitted,
    }
}

/// Which candidates this call may start, and which have an answer already.
pub struct Ownership {
    /// In the order of the candidates.
    candidates: Vec<Taking>,
    given_back: GivenBack,
}

/// The outcome of taking one candidate's rows.
enum Taking {
    /// Another call or job has it, with this answer.
    Answered(Answer),
    /// This call may start it.
    Own(Candidate),
}

/// Reads that were taken and must be freed, since they are not started.
#[derive(Default)]
pub(super) struct GivenBack {
    /// Jobs that do not start, with all that they took.
    idle: Vec<JobId>,
    /// Speech that a speakers job took but another job stores.
    unneeded: Vec<OwnedRead>,
}

/// Which jobs start, and the answers.
pub(super) struct Decided {
    /// The answer for each candidate, in their order.
    pub(super) answers: Vec<Answer>,
    /// The jobs to write.
    pub(super) starts: Vec<Start>,
    /// What to free where some start. Where none does, the transaction is rolled back.
    pub(super) given_back: GivenBack,
}

impl Ownership {
    /// From the owners of each candidate's reads. None when a job that was to be joined has just ended: look again.
    pub(super) fn of_reads(candidates: &[Candidate], owners: &[Vec<Taken>]) -> Option<Self> {
        assert_eq!(candidates.len(), owners.len(), "the statement tells of every candidate");
        let (mut taken, mut given_back) = (Vec::with_capacity(candidates.len()), GivenBack::default());
        for (candidate, owners) in candidates.iter().zip(owners) {
            let answer = match owners.first()? {
                Taken::Own => {
                    let mut candidate = candidate.clone();
                    if candidate.with_speech && owners.get(1) != Some(&Taken::Own) {
                        candidate.with_speech = false;
                        let job = candidate.job;
                        let unneeded = candidate.item.map(|item| OwnedRead { job, item, read: Read::Speech });
                        given_back.unneeded.extend(unneeded);
                    }
                    taken.push(Taking::Own(candidate));
                    continue;
                }
                Taken::Joined(live) => Answer::joined(*live),
                Taken::Stored => Answer::Ready,
                Taken::Gone => return None,
            };
            given_back.idle.push(candidate.job);
            taken.push(Taking::Answered(answer));
        }
        Some(Self { candidates: taken, given_back })
    }

    /// For candidates that this call may start, all of them. There is nothing to free.
    pub(super) fn of_all(candidates: &[Candidate]) -> Self {
        let candidates = candidates.iter().cloned().map(Taking::Own).collect();
        Self { candidates, given_back: GivenBack::default() }
    }

    /// Decides which jobs start, by what the account has left.
    pub(super) fn decide(self, balance: &Balance, rates: &Rates) -> Decided {
        let own = self.candidates.iter().filter_map(|one| match one {
            Taking::Own(candidate) => Some(candidate.clone()),
            Taking::Answered(_) => None,
        });
        let mut decisions = plan::decide(own.collect(), &mut budget(balance), rates).into_iter();
        let Self { candidates, mut given_back } = self;
        let mut starts = Vec::new();
        let answers = candidates.into_iter().map(|taking| match taking {
            Taking::Answered(answer) => answer,
            Taking::Own(Candidate { job, .. }) => match decisions.next() {
                Some(Ok(start)) => {
                    let estimate = start.held();
                    starts.push(start);
                    Answer::Queued { job, estimate, already: false }
                }
                Some(Err(reason)) => {
                    given_back.idle.push(job);
                    Answer::Not(reason)
                }
                None => unreachable!("`plan::decide` decides about every candidate"),
            },
        });
        Decided { answers: answers.collect(), starts, given_back }
    }
}

impl GivenBack {
    /// Frees these reads.
    pub(super) async fn write(self, conn: &mut PgConnection) -> sqlx::Result<()> {
        if !self.idle.is_empty() {
            reads::release_ownership(conn, &self.idle).await?;
        }
        if !self.unneeded.is_empty() {
            reads::release_reads(conn, &self.unneeded).await?;
        }
        Ok(())
    }
}
