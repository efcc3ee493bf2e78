//! Pictures are drawn in two lines. Usual ones take a second and some hundred megabytes at most, and two are drawn at
//! once. Large ones, which take many times as much, are drawn one at a time beside these. In each line an account has
//! one picture, and whoever drew lately lets those go first who did not.

use crate::outside::WaitLimits;
use crate::turns::{TurnPermit, Turns};
use domain::ids::AccountId;
use domain::still::Still;
use std::sync::LazyLock;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Usual pictures that are drawn at once.
const USUAL_AT_ONCE: usize = 2;
/// The processor time after which a picture is not a usual one, whatever its plan says: it goes on in the other line.
const USUAL_TIME: Duration = Duration::from_secs(2);
/// For how long an account that drew comes after those that did not: twenty large pictures take about as long.
const LATELY: Duration = Duration::from_mins(10);

/// Large pictures that wait outside their slots at once, and those of one account: one is drawn, and the sources of the
/// next are decoded.
const WAITING: usize = 8;
const AN_ACCOUNTS: usize = 2;
/// Large pictures that go on beside the slots when their turn has come: one is drawn, and one is put away.
const BESIDE: usize = 2;

/// Returns the limits under which large pictures wait for their turns, in a process that ends with `shutdown`.
pub(crate) fn drawing_limits(shutdown: &CancellationToken) -> WaitLimits {
    WaitLimits::new([WAITING, AN_ACCOUNTS], BESIDE, shutdown)
}

/// The turns of this process.
pub(super) static DRAWING_TURNS: LazyLock<DrawingTurns> = LazyLock::new(DrawingTurns::default);

/// The turns to draw a picture, and to encode it.
pub(super) struct DrawingTurns {
    usual: Turns,
    large: Turns,
}

/// A turn, which lasts until this is dropped.
pub(super) struct DrawingTurn {
    account: AccountId,
    is_usual: bool,
    _permit: TurnPermit,
}

impl Default for DrawingTurns {
    fn default() -> Self {
        Self { usual: Turns::new(USUAL_AT_ONCE, LATELY), large: Turns::new(1, LATELY) }
    }
}

impl DrawingTurns {
    /// Waits until this picture of the account can be drawn; what is for no account has one of its own. `None` if a
    /// semaphore is closed, which none ever is.
    pub async fn turn(&self, still: &Still, account: Option<AccountId>) -> Option<DrawingTurn> {
        self.turn_in(still.is_soon_drawn(), account.unwrap_or_else(AccountId::mint)).await
    }

    /// Returns the turn to go on with after so much processor time: a picture that turns out to be no usual one gives
    /// its turn back, and waits for that of a large one.
    pub async fn next(&self, turn: DrawingTurn, taken: Duration) -> Option<DrawingTurn> {
        if !turn.is_usual || taken < USUAL_TIME {
            return Some(turn);
        }
        let account = turn.account;
        drop(turn);
        self.turn_in(false, account).await
    }

    async fn turn_in(&self, is_usual: bool, account: AccountId) -> Option<DrawingTurn> {
        let line = if is_usual { &self.usual } else { &self.large };
        Some(DrawingTurn { account, is_usual, _permit: line.turn(account).await? })
    }
}

#[cfg(test)]
mod tests {
    use super::super::in_turn;
    use super::*;
    use crate::readers::{JobCtx, ReadError};
    use domain::ids::WorkspaceId;
    use domain::still::StillFormat;
    use futures_util::FutureExt;
    use runtime::queue::{LentSlots, Slot};
    use std::sync::Arc;
    use tokio::time::Instant;

    /// A picture without layers.
    fn still(width: u32, height: u32) -> Still {
        let (workspace, format, size) = (WorkspaceId::mint(), StillFormat::Png, [width, height]);
        Still { workspace, format, canvas: size, size, background: None, layers: Vec::new() }
    }

    #[tokio::test]
    async fn a_small_picture_waits_for_no_large_one_and_an_account_draws_one_of_each() {
        let (turns, small, large) = (DrawingTurns::default(), still(64, 64), still(8_192, 4_096));
        let [busy, other] = [(); 2].map(|()| AccountId::mint());
        let drawing = turns.turn(&large, Some(busy)).await.expect("a turn");
        let mut theirs = Box::pin(turns.turn(&large, Some(other)));
        assert!(theirs.as_mut().now_or_never().is_none(), "one large picture at a time");
        let first = turns.turn(&small, Some(other)).now_or_never().expect("at once");
        let mut second = Box::pin(turns.turn(&small, Some(other)));
        assert!(second.as_mut().now_or_never().is_none(), "its account's turn is taken");
        drop(turns.turn(&small, Some(busy)).now_or_never().expect("beside both"));
        drop(first);
        assert!(second.now_or_never().is_some());
        drop(drawing);
        assert!(theirs.now_or_never().is_some());
    }

    #[tokio::test]
    async fn who_drew_lets_an_account_go_first_that_did_not() {
        let (turns, large) = (DrawingTurns::default(), still(8_192, 4_096));
        let [busy, busy_too, fresh] = [(); 3].map(|()| AccountId::mint());
        for account in [busy, busy_too] {
            drop(turns.turn(&large, Some(account)).await);
        }
        let held = turns.turn(&large, None).await;
        let mut waiting = [busy, busy_too, fresh].map(|account| Box::pin(turns.turn(&large, Some(account))));
        // They come in this order, and of the busy ones only the first stands before who comes after both.
        assert!(waiting.iter_mut().all(|turn| turn.as_mut().now_or_never().is_none()));
        drop(held);
        let [busy, busy_too, fresh] = &mut waiting;
        drop(busy.as_mut().now_or_never().expect("the one that stood there before"));
        assert!(busy_too.as_mut().now_or_never().is_none());
        drop(fresh.as_mut().now_or_never().expect("the one that drew nothing"));
        assert!(busy_too.as_mut().now_or_never().is_some());
    }

    #[tokio::test]
    async fn a_picture_that_takes_long_goes_on_in_the_line_of_large_ones() {
        let (turns, small, large) = (DrawingTurns::default(), still(64, 64), still(8_192, 4_096));
        let [slow, other] = [(); 2].map(|()| AccountId::mint());
        let drawing = turns.turn(&large, Some(other)).await.expect("a turn");
        let turn = turns.turn(&small, Some(slow)).await.expect("a turn");
        let kept = turns.next(turn, USUAL_TIME / 2).now_or_never().flatten().expect("it goes on");
        let mut later = Box::pin(turns.next(kept, USUAL_TIME));
        assert!(later.as_mut().now_or_never().is_none(), "it waits for the large one");
        assert!(turns.turn(&small, Some(slow)).now_or_never().is_some(), "it left its own line");
        drop(drawing);
        let turn = later.now_or_never().flatten().expect("its turn");
        assert!(turns.next(turn, 10 * USUAL_TIME).now_or_never().is_some(), "there it stays");
    }

    /// The context of a job of this account in one of these slots.
    fn in_slot(slots: &LentSlots, limits: &WaitLimits, account: AccountId) -> JobCtx {
        let mut ctx = JobCtx::new(Instant::now() + Duration::from_mins(1), CancellationToken::new());
        let slot = slots.take().expect("one is free");
        ctx.outside = Some(Arc::new(limits.waiting(slot, account, Arc::default()).expect("a place")));
        ctx
    }

    #[tokio::test]
    async fn a_large_picture_waits_outside_its_slot_and_is_drawn_in_one() {
        let (turns, large) = (DrawingTurns::default(), still(8_192, 4_096));
        let (slots, limits) = (LentSlots::new(1), drawing_limits(&CancellationToken::new()));
        let [one, other] = [(); 2].map(|()| AccountId::mint());
        let ctx = in_slot(&slots, &limits, other);
        let mut coming = Box::pin(in_turn(&ctx, turns.turn(&large, Some(other))));
        let drawing = {
            let at_once = turns.turn(&large, Some(one)).now_or_never().flatten().expect("nobody draws");
            assert!(coming.as_mut().now_or_never().is_none(), "another large picture is drawn");
            at_once
        };
        assert_eq!(slots.free(), 1, "others may work in its slot meanwhile");
        let worker = slots.take();
        drop(drawing);
        assert!(coming.as_mut().now_or_never().is_none(), "its turn has come, and it waits for a slot");
        drop(worker);
        let (turn, _) = coming.await.expect("its turn");
        assert_eq!(slots.free(), 0);
        // Whoever need not wait stays in its slot.
        drop((turn, ctx));
        let ctx = in_slot(&slots, &limits, one);
        let _drawing = in_turn(&ctx, turns.turn(&large, Some(one))).await.expect("its turn");
        assert_eq!(slots.free(), 0);
    }

    #[tokio::test]
    async fn a_large_picture_that_is_cancelled_while_it_waits_gives_its_place_back() {
        let (turns, large) = (DrawingTurns::default(), still(8_192, 4_096));
        let (slots, limits) = (LentSlots::new(AN_ACCOUNTS), drawing_limits(&CancellationToken::new()));
        let account = AccountId::mint();
        let _drawing = turns.turn(&large, None).await;
        let jobs: Vec<_> = (0..AN_ACCOUNTS).map(|_| in_slot(&slots, &limits, account)).collect();
        let place = || limits.waiting(Slot::default(), account, Arc::default());
        assert!(place().is_none(), "these are all that its account has");
        jobs[0].cancel.cancel();
        let waited = in_turn(&jobs[0], turns.turn(&large, Some(account))).await;
        assert!(matches!(waited, Err(ReadError::Cancelled)));
        drop(jobs);
        assert!(place().is_some());
        assert_eq!(slots.free(), AN_ACCOUNTS);
    }
}
