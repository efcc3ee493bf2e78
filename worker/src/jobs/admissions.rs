//! Gives the places of paused jobs to other jobs of their accounts: apart from the claims, since an account may be
//! locked for a while.

use domain::ids::AccountId;
use runtime::ending;
use runtime::process::Process;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

/// Admits waiting jobs to free places.
pub(super) struct Admissions {
    process: Process,
    waiting: Arc<Mutex<WaitingAccounts>>,
}

/// Accounts whose waiting jobs are to be admitted: each once, however often its places come free.
#[derive(Default)]
struct WaitingAccounts {
    accounts: BTreeSet<AccountId>,
    is_under_way: bool,
}

impl Admissions {
    pub(super) fn new(process: Process) -> Self {
        Self { process, waiting: Arc::default() }
    }

    /// Admits other jobs of these accounts to their free places. It does one account at a time, so that pausing much
    /// work does not cause a burst of transactions.
    pub(super) fn admit(&self, freed: BTreeSet<AccountId>) {
        let mut all = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        all.accounts.extend(freed);
        if all.is_under_way || all.accounts.is_empty() {
            return;
        }
        all.is_under_way = true;
        let (process, waiting) = (self.process.clone(), Arc::clone(&self.waiting));
        let next = move || {
            let mut all = waiting.lock().unwrap_or_else(PoisonError::into_inner);
            let next = all.accounts.pop_first();
            all.is_under_way = next.is_some();
            next
        };
        tokio::spawn(async move {
            while let Some(account) = next() {
                if let Err(error) = ending::admit(&process.pool, &process.wakes, account).await {
                    tracing::warn!(account.id = %account, error = %error, "No waiting job was admitted yet.");
                }
            }
        });
    }
}
