//! Projects: their statuses, which change may follow which, and what becomes of the webhook of a change (contract §2,
//! "Project"; §3; §6.2; contract §3.3).
//!
//! It owns the rules alone. The conditional update that makes a change is in `store::projects`, the sending at most
//! once in the worker, and the project's shape in the api, which is the only one to write its bytes.

use super::series::words;
use serde::{Deserialize, Serialize};

words! {
    /// Where a project stands (contract §3).
    ProjectStatus {
        /// The agent works.
        Running = "running",
        /// It waits for the outputs of models.
        Generating = "generating",
        /// The work is complete: the result is ready, or waits for feedback.
        Idle = "idle",
        /// The final video is being rendered.
        Rendering = "rendering",
        /// It ended without a result; it may be taken up again.
        Failed = "failed",
        /// It was given up. It never changes again, and nobody is told.
        Cancelled = "cancelled",
    }
}

words! {
    /// Where the webhook of a change stands.
    WebhookStatus {
        /// It has not left.
        Pending = "pending",
        /// It is leaving, or has left; the answer is not known yet.
        Sent = "sent",
        /// It was answered with 2xx in time.
        Succeeded = "succeeded",
        /// It was answered otherwise, or not at all.
        Failed = "failed",
        /// Its sender ended between the request and its record: it may have arrived, and is never sent again.
        Unknown = "unknown",
    }
}

words! {
    /// Who works on a project.
    ProjectMode {
        /// The agent.
        Autonomous = "autonomous",
        /// Somebody outside, who reports its statuses.
        Manual = "manual",
    }
}

words! {
    /// What is to come out of a project.
    OutputType {
        /// One film.
        Assembled = "assembled",
        /// A timeline that is not rendered.
        Timeline = "timeline",
        /// Each moment as a film of its own.
        Clips = "clips",
    }
}

impl ProjectStatus {
    /// The status of a project that is created: an agent works on it, or it waits for somebody who does.
    pub const fn first(mode: ProjectMode) -> Self {
        match mode {
            ProjectMode::Autonomous => Self::Running,
            ProjectMode::Manual => Self::Idle,
        }
    }

    /// Whether a project in this status may come to be in that one (contract §3.3).
    pub const fn may_become(self, next: Self) -> bool {
        use ProjectStatus::{Cancelled, Failed, Generating, Idle, Rendering, Running};
        match (self, next) {
            (Cancelled, _) => false,
            (_, Cancelled)
            | (Running, Generating | Idle | Rendering | Failed)
            | (Generating, Running | Idle | Failed)
            | (Idle, Running | Rendering)
            | (Rendering, Idle | Failed)
            | (Failed, Running) => true,
            (Running | Generating | Idle | Rendering | Failed, _) => false,
        }
    }

    /// The statuses that this one may follow.
    pub fn may_follow(self) -> Vec<Self> {
        Self::ALL.iter().copied().filter(|before| before.may_become(self)).collect()
    }

    /// The statuses that may follow this one.
    pub fn may_lead_to(self) -> Vec<Self> {
        Self::ALL.iter().copied().filter(|next| self.may_become(*next)).collect()
    }

    /// Whether coming to be in this status fires a webhook: every one but `cancelled` (contract §6.2.2).
    pub const fn fires(self) -> bool {
        !matches!(self, Self::Cancelled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_transitions_are_those_of_the_table_and_no_other() {
        let table = [
            ("running", "generating idle rendering failed cancelled"),
            ("generating", "running idle failed cancelled"),
            ("idle", "running rendering cancelled"),
            ("rendering", "idle failed cancelled"),
            ("failed", "running cancelled"),
            ("cancelled", ""),
        ];
        assert_eq!(
            table.map(|(from, _)| from).to_vec(),
            ProjectStatus::ALL.iter().map(|s| s.name()).collect::<Vec<_>>()
        );
        for (from, to) in table {
            for status in ProjectStatus::ALL.iter().filter(|status| status.name() == from) {
                for next in ProjectStatus::ALL {
                    let listed = to.split(' ').any(|word| word == next.name());
                    assert_eq!(status.may_become(*next), listed, "{from} to {}", next.name());
                    assert_eq!(status.may_lead_to().contains(next), listed);
                    assert_eq!(next.may_follow().contains(status), listed);
                }
            }
        }
    }

    #[test]
    fn only_cancelled_is_final_and_only_cancelled_is_not_told() {
        for status in ProjectStatus::ALL.iter().copied() {
            let cancelled = status == ProjectStatus::Cancelled;
            assert_eq!(status.may_lead_to().is_empty(), cancelled);
            assert_eq!(status.fires(), !cancelled);
        }
    }
}
