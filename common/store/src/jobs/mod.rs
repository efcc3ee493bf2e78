//! The `jobs` table: dispatch's inserts, claims, ends, places, and what callers read of it.
//!
//! Every write names the state it leaves, and after a claim also `claim_no`, the fencing token: a worker that was
//! thought dead can't overwrite its successor. Frequent statements never have a condition on `finished_at`, so that the
//! planner uses the primary key (docs/decisions.md, "Index predicates").

mod cancel;
mod claim;
mod claimed;
mod end;
mod failures;
mod leases;
mod life;
mod places;
mod query;
mod rerun;
mod search;
mod start;
mod waiting;

pub use cancel::{
    cancel, cancel_for_dub, cancel_for_items, cancel_for_payer, cancel_unasked, cancel_without_item, stopped_by,
};
pub use claim::{ClaimAnswer, claim};
pub use claimed::{Claimed, ClaimedItem, ClaimedRender, Music, StoredSpeech};
pub use end::{End, EndedJob, Outcome, end};
pub use failures::{FailureGroup, failures};
pub use leases::{HeldClaim, LostClaim, Renewed, lock_expired, renew};
pub use life::{ClaimRow, EndEvent, Standing, claims_of, event_of, of_trace, reruns, standing, traceparent};
pub use places::{
    Admitted, Freed, Line, Payer, ScanStart, admit, leave, payers_due_again, payers_with_waiting, reissue,
};
pub use query::{JobFilter, Queued, by_ids, live, page, queued};
pub use rerun::{NextReruns, RerunFilter, RerunOf, advance_reruns, finish_reruns, next_reruns, reruns_of};
pub use search::{FoundJob, JobSearchFilter, Origin, SearchScope, origin, search};
pub use start::{Call, Owners, Rerun, insert};
pub use waiting::{WaitingJob, waiting_for_slots};
