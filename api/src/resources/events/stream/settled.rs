//! The number up to which all events are known: found out once for all streams of the process, and only when one of
//! them waits.
//!
//! It fixes the order of the two questions: first which number was issued last, then which transactions are running.

use domain::horizon::{Horizon, Look};
use sqlx::PgPool;
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::event_stream::{self, Cursor};
use tokio::sync::Mutex;
use tokio::time::sleep;

/// The longest that a new stream waits for issued numbers to settle. After that it begins earlier in the order.
const SETTLES_WITHIN: Duration = Duration::from_secs(1);
/// The pause between two looks while it waits.
const SETTLES_IN: Duration = Duration::from_millis(10);

/// The number up to which events are settled. Cheap to clone; clones share it.
#[derive(Clone, Default)]
pub struct Settled(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    horizon: Horizon,
    looked_at: Option<Instant>,
}

impl Settled {
    /// Returns the settled number that is known without a look.
    pub async fn known(&self) -> i64 {
        self.0.lock().await.horizon.settled()
    }

    /// Returns the settled number after a look that began after this call; another stream's look counts too.
    pub async fn look(&self, pool: &PgPool) -> sqlx::Result<i64> {
        let asked_at = Instant::now();
        let mut state = self.0.lock().await;
        if state.looked_at.is_some_and(|at| at > asked_at) {
            return Ok(state.horizon.settled());
        }
        let looked = look(pool, &state.horizon).await;
        let Ok((look, old)) = looked else {
            // The next answer may come from another server.
            *state = State::default();
            return looked.map(|(look, _)| look.issued);
        };
        state.looked_at = Some(look.at);
        state.horizon.settle(old);
        Ok(state.horizon.saw(look))
    }

    /// Returns the position of a stream that begins now.
    pub async fn now(&self, pool: &PgPool) -> sqlx::Result<Cursor> {
        let (began, issued) = (Instant::now(), event_stream::issued(&mut *pool.acquire().await?).await?);
        let mut settled = self.look(pool).await?;
        while settled < issued && began.elapsed() < SETTLES_WITHIN {
            sleep(SETTLES_IN).await;
            settled = self.look(pool).await?;
        }
        event_stream::cursor_at(&mut *pool.acquire().await?, settled.min(issued)).await
    }
}

/// Looks once; the first look also finds what is settled because of its age.
async fn look(pool: &PgPool, horizon: &Horizon) -> sqlx::Result<(Look, i64)> {
    let mut conn = pool.acquire().await?;
    let old = if horizon.settled() == 0 { event_stream::long_settled(&mut conn).await? } else { 0 };
    let at = Instant::now();
    let issued = event_stream::issued(&mut conn).await?;
    let (oldest, next) = event_stream::transactions(&mut conn).await?;
    Ok((Look { issued, oldest, next, at }, old.min(issued)))
}
