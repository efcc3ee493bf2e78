//! A call's candidates between taking their reads and deciding which become jobs.

use common::domain::job;
use common::domain::minutes::Rates;
use common::domain::plan::Answer::Not;
use common::domain::plan::{self, Answer, Candidate, Means, Reason, Start};
use common::domain::read::Read;
use common::ids::{ItemId, JobId};
use common::store::minutes::Balance;
use common::store::reads::Taken;

/// What an account with this balance has for new jobs.
pub(super) fn means(balance: &Balance) -> Means {
    Means {
        left: balance.left(),
        bought: balance.bought,
        room: job::MAX_LIVE - balance.live,
        places: job::PLACES - balance.admitted,
    }
}

/// The candidates once their reads are taken, and the answer for each.
pub(super) struct Hands {
    /// In the order of the candidates; those still to be decided stand as not found until `decide`.
    pub(super) answers: Vec<Answer>,
    undecided: Vec<(usize, Candidate)>,
    /// Jobs that won't be: what they took is given back.
    pub(super) idle: Vec<JobId>,
    /// Speech that a speakers job took but another stores.
    pub(super) unneeded: Vec<(JobId, ItemId, Read)>,
}

impl Hands {
    /// None when a job that was to be joined has just ended: look again.
    pub(super) fn of(candidates: &[Candidate], fates: &[Vec<Taken>]) -> Option<Self> {
        let mut hands = Self { answers: Vec::new(), undecided: Vec::new(), idle: Vec::new(), unneeded: Vec::new() };
        for (index, (candidate, fates)) in candidates.iter().zip(fates).enumerate() {
            let mut candidate = candidate.clone();
            let answer = match fates.first()? {
                Taken::Own => {
                    if candidate.with_speech && fates.get(1) != Some(&Taken::Own) {
                        candidate.with_speech = false;
                        hands.unneeded.push((candidate.job, candidate.item, Read::Speech));
                    }
                    hands.undecided.push((index, candidate));
                    Not(Reason::ItemNotFound)
                }
                Taken::Joined(live) => Answer::joined(*live),
                Taken::Stored => Answer::Ready,
                Taken::Gone => return None,
            };
            if !matches!(fates.first(), Some(Taken::Own)) {
                hands.idle.push(candidates[index].job);
            }
            hands.answers.push(answer);
        }
        Some(hands)
    }

    /// Decides what starts, with what the account has left.
    pub(super) fn decide(&mut self, balance: &Balance, rates: &Rates) -> Vec<Start> {
        let mut means = means(balance);
        let (indexes, candidates): (Vec<usize>, Vec<Candidate>) =
            std::mem::take(&mut self.undecided).into_iter().unzip();
        let jobs: Vec<JobId> = candidates.iter().map(|candidate| candidate.job).collect();
        let mut starts = Vec::new();
        let decided = plan::decide(candidates, &mut means, rates);
        for ((index, job), decided) in indexes.into_iter().zip(jobs).zip(decided) {
            self.answers[index] = match decided {
                Ok(start) => {
                    let answer = Answer::Queued { job, estimate: start.held(), already: false };
                    starts.push(start);
                    answer
                }
                Err(reason) => {
                    self.idle.push(job);
                    Not(reason)
                }
            };
        }
        starts
    }
}
