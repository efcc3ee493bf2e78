//! One turn at a time for each account: work of one account waits for that account's other work, and for nobody else's.

use domain::ids::AccountId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use tokio::sync::Semaphore;

/// A semaphore of one permit for each account that has its turn or waits for it. Clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct OwnTurns(Arc<Mutex<HashMap<AccountId, Weak<Semaphore>>>>);

impl OwnTurns {
    /// Returns the account's semaphore, which is never closed. Whoever has its permit has the account's turn.
    pub fn of(&self, account: AccountId) -> Arc<Semaphore> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|_, own| own.strong_count() > 0);
        all.get(&account).and_then(Weak::upgrade).unwrap_or_else(|| {
            let own = Arc::new(Semaphore::new(1));
            all.insert(account, Arc::downgrade(&own));
            own
        })
    }
}
