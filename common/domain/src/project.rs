//! Projects: their statuses, which may follow which, and the states of the webhook of a change (contract §2, "Project";
//! §3; §3.3; §6.2).
//!
//! This file has only the rules. `store::projects` makes the conditional update of a change, the worker sends the
//! webhook at most once, and the api alone writes a project as JSON.

use super::series::words;
use serde::{Deserialize, Serialize};

words! {
    /// The status of a project (contract §3).
    ProjectStatus {
        /// The agent is working.
        Running = "running",
        /// It is waiting for the outputs of models.
        Generating = "generating",
        /// The work is complete: the result is ready, or waits for feedback.
        Idle = "idle",
        /// The final video is being rendered.
        Rendering = "rendering",
        /// It ended without a result; it may be resumed.
        Failed = "failed",
        /// It was cancelled. That is final, and no webhook is sent.
        Cancelled = "cancelled",
    }
}

words! {
    /// The status of the webhook of a change.
    WebhookStatus {
        /// It has not been sent.
        Pending = "pending",
        /// It was sent or is being sent, and the response is not known yet.
        Sent = "sent",
        /// The response was 2xx, in time.
        Succeeded = "succeeded",
        /// The response was another one, or none came.
        Failed = "failed",
        /// The sender ended between the request and its record: it may have arrived, and is never sent again.
        Unknown = "unknown",
    }
}

words! {
    /// The one who works on a project.
    ProjectMode {
        /// The agent.
        Autonomous = "autonomous",
        /// A client, which reports the statuses.
        Manual = "manual",
    }
}

words! {
    /// The type of a project's result.
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
    /// Returns the first status: `running` if the agent works, `idle` if a client does.
    pub const fn first(mode: ProjectMode) -> Self {
        match mode {
            ProjectMode::Autonomous => Self::Running,
            ProjectMode::Manual => Self::Idle,
        }
    }

    /// Whether this status may change to that one (contract §3.3).
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

    /// Returns the statuses from which this one may be reached.
    pub fn may_follow(self) -> Vec<Self> {
        Self::ALL.iter().copied().filter(|before| before.may_become(self)).collect()
    }

    /// Returns the statuses that may follow this one.
    pub fn may_lead_to(self) -> Vec<Self> {
        Self::ALL.iter().copied().filter(|next| self.may_become(*next)).collect()
    }

    /// Whether a change to this status sends a webhook: each but `cancelled` does (contract §6.2.2).
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
