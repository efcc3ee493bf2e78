//! The `jobs` table: dispatch's inserts, claims, ends, places, and what callers read of it.
//!
//! Every write names the state it leaves, and after a claim also `claim_no`, the fencing token: a worker that was
//! thought dead can't overwrite its successor. Frequent statements never have a condition on `finished_at`, so that the
//! planner uses the primary key (docs/decisions.md, "Index predicates").

mod cancel;
mod claim;
mod end;
mod failures;
mod life;
mod places;
mod query;
mod rerun;
mod search;
mod start;

pub use cancel::{
    cancel, cancel_for_dub, cancel_for_items, cancel_for_payer, cancel_unasked, cancel_without_item, stopped_by,
};
pub use claim::{
    ClaimAnswer, Claimed, ClaimedItem, ClaimedRender, HeldClaim, LostClaim, Music, Renewed, StoredSpeech, WaitingJob,
    claim, lock_expired, renew, waiting_for_slots,
};
pub use end::{End, EndedJob, Outcome, end};
pub use failures::{FailureGroup, failures};
pub use life::{ClaimRow, EndEvent, Standing, claims_of, event_of, of_trace, reruns, standing, traceparent};
pub use places::{
    Admitted, Freed, Line, Payer, ScanStart, admit, leave, payers_due_again, payers_with_waiting, reissue,
};
pub use query::{JobFilter, Queued, by_ids, live, page, queued};
pub use rerun::{NextReruns, RerunFilter, RerunOf, advance_reruns, finish_reruns, next_reruns, reruns_of};
pub use search::{FoundJob, JobSearchFilter, Origin, SearchScope, origin, search};
pub use start::{Call, Owners, Rerun, insert};
