//! A backend of apalis whose tasks are claimed already: the claim has deleted their tickets in the same transaction.
//!
//! It asks for as much work as there are free slots, with one request at a time: when it is woken, each second (while
//! the service is quiet, every five), and again at once while it gets all that it asked for: then as soon as a slot is
//! free, when work ends or has left its slot and tells. The slots it asks for are reserved meanwhile; slots that come
//! free are for the next request. A task has its slot until it ends or leaves it, even if apalis restarts the worker
//! meanwhile. At shutdown nothing more is asked for. Whatever a request claims then, or has claimed and not begun, is
//! run to its end, which hands the claim back.

use super::slots::{Slot, Slots};
use crate::wake::QueueWakes;
use apalis_core::backend::finalize::Ephemeral;
use apalis_core::backend::{Backend, BackendConfig};
use apalis_core::task::Task;
use apalis_core::task::builder::TaskBuilder;
use apalis_core::task::task_id::{RandomId, TaskId};
use apalis_core::worker::context::WorkerContext;
use futures_util::future::{BoxFuture, join_all};
use futures_util::{FutureExt, ready};
use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::OwnedSemaphorePermit;
use tokio::task::JoinSet;
use tokio::time::{Interval, MissedTickBehavior, interval, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;
use tokio_util::task::task_tracker::TaskTrackerToken;
use tower::layer::util::Identity;
use ulid::Ulid;

/// How often the queue is looked at even without a notification, unless the service is quiet.
pub(super) const POLL: Duration = Duration::from_secs(1);
/// The longest time of a request. One that takes longer has failed; if it claimed work all the same, the leases expire.
const LONGEST_ASK: Duration = Duration::from_secs(10);

/// Claims work for this many free slots, in one transaction that deletes its tickets. An error says that nothing was
/// claimed, or that nobody knows, as when the connection is lost at the commit: then the leases expire.
pub type Take = Arc<dyn Fn(usize) -> BoxFuture<'static, sqlx::Result<Taken>> + Send + Sync>;

/// Runs claimed work, in the slot that it is given.
pub type Work = Box<dyn FnOnce(Slot) -> BoxFuture<'static, ()> + Send>;

/// The result of claiming.
pub struct Taken {
    /// Runs each claimed piece of work to its end; there are at most as many as slots. Once the process is told to
    /// stop, work that has not begun hands its claim back.
    pub work: Vec<Work>,
    /// When to look for more work.
    pub next: Next,
}

/// When to look at a queue again, if slots are free.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// At once: there were as many tickets as slots.
    AtOnce,
    /// After this time, woken or not: there may be more.
    In(Duration),
    /// When the queue is woken: there were no more.
    WhenWoken,
}

/// Claimed work, its slot, and a token that shows that it has not ended.
pub(super) struct Claimed {
    work: BoxFuture<'static, ()>,
    slot: Slot,
    begun: TaskTrackerToken,
}

impl Claimed {
    /// Runs it to its end.
    pub(super) async fn run(self) {
        self.work.await;
        self.slot.leave();
        drop(self.begun);
    }
}

/// The backend.
pub(super) struct Claiming {
    take: Take,
    slots: Slots,
    wakes: QueueWakes,
    woken: BoxFuture<'static, ()>,
    left: BoxFuture<'static, ()>,
    timer: Interval,
    shutdown: CancellationToken,
    /// Whether to send a request as soon as a slot is free.
    is_due: bool,
    ask: Option<BoxFuture<'static, sqlx::Result<Taken>>>,
    /// Free slots, reserved for the current request.
    reserved: Vec<OwnedSemaphorePermit>,
    /// Work that is claimed but not begun.
    claimed: VecDeque<Claimed>,
    /// Such work that is handing its claims back at shutdown.
    handing_back: JoinSet<()>,
    /// Completes once all work that was begun has ended.
    all_ended: Option<BoxFuture<'static, ()>>,
}

impl Claiming {
    pub(super) fn new(take: &Take, slots: &Slots, wakes: QueueWakes, shutdown: CancellationToken) -> Self {
        let mut timer = interval(POLL);
        timer.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self {
            take: Arc::clone(take),
            slots: slots.clone(),
            left: slots.left(),
            woken: wakes.next(),
            wakes,
            timer,
            shutdown,
            is_due: false,
            ask: None,
            reserved: Vec::new(),
            claimed: VecDeque::new(),
            handing_back: JoinSet::new(),
            all_ended: None,
        }
    }

    /// Sets `is_due` when a wake or the timer has come, and registers for the next of each, and for slots that are
    /// left.
    fn look_for_wakes(&mut self, cx: &mut Context<'_>) {
        while self.left.poll_unpin(cx).is_ready() {
            self.left = self.slots.left();
        }
        while self.woken.poll_unpin(cx).is_ready() {
            self.woken = self.wakes.next();
            self.is_due = true;
            // Work may leave its slot before it ends. Not all of it tells, so the timer has to find it.
            self.timer.reset_after(POLL);
        }
        while self.timer.poll_tick(cx).is_ready() {
            let pause = if self.slots.is_full() { POLL } else { self.wakes.pause(POLL) };
            self.timer.reset_after(pause);
            self.is_due = true;
        }
    }

    /// Begins a request if one is due and may find work. It reserves all free slots and is the only request, so that
    /// everything it claims has a slot.
    fn ask(&mut self) {
        if !self.is_due || !self.claimed.is_empty() || self.shutdown.is_cancelled() {
            return;
        }
        self.reserved = self.slots.reserve();
        if self.reserved.is_empty() {
            return;
        }
        self.is_due = false;
        let (asked, shutdown) = (timeout(LONGEST_ASK, (self.take)(self.reserved.len())), self.shutdown.clone());
        // In a task of its own: apalis does not poll a worker that ends while some of its work runs. The request would
        // stop with its locks, and its claims with leases that nobody renews.
        let ask = tokio::spawn(async move {
            let late = |_| sqlx::Error::Io(io::Error::from(ErrorKind::TimedOut));
            let mut taken = asked.await.map_err(late).flatten()?;
            if shutdown.is_cancelled() {
                join_all(taken.work.drain(..).map(|work| work(Slot::default()))).await;
            }
            Ok(taken)
        });
        let ask = AbortOnDropHandle::new(ask);
        self.ask = Some(ask.map(|asked| asked.unwrap_or(Err(sqlx::Error::WorkerCrashed))).boxed());
    }

    /// Ready once no request is under way.
    fn poll_answer(&mut self, cx: &mut Context<'_>) -> Poll<sqlx::Result<()>> {
        let Some(ask) = &mut self.ask else { return Poll::Ready(Ok(())) };
        let taken = ready!(ask.poll_unpin(cx));
        self.ask = None;
        let mut reserved = std::mem::take(&mut self.reserved);
        let Taken { work, next } = taken?;
        if !work.is_empty() {
            self.wakes.found_work();
            // As after a wake, since the work may leave its slot before it ends.
            self.timer.reset_after(POLL);
        }
        match next {
            Next::AtOnce => self.is_due = true,
            Next::In(time) => self.timer.reset_after(time.min(POLL)),
            Next::WhenWoken => {}
        }
        for work in work {
            let permit = reserved.pop();
            debug_assert!(permit.is_some(), "more was claimed than there were free slots");
            let (slot, begun) = self.slots.given(permit);
            self.claimed.push_back(Claimed { work: work(slot.clone()), slot, begun });
        }
        Poll::Ready(Ok(()))
    }
}

impl Backend for Claiming {
    type Task = Task<Claimed>;
    type Error = sqlx::Error;

    fn poll_ready(&mut self, cx: &mut Context<'_>, _: &WorkerContext) -> Poll<Result<(), Self::Error>> {
        loop {
            self.look_for_wakes(cx);
            ready!(self.poll_answer(cx))?;
            self.ask();
            if self.ask.is_none() {
                return Poll::Ready(Ok(()));
            }
        }
    }

    fn poll_next(&mut self, _: &mut Context<'_>, _: &WorkerContext) -> Poll<Option<Result<Self::Task, Self::Error>>> {
        // When there is no work, `poll_ready` has registered for the next wake.
        let Some(claimed) = self.claimed.pop_front() else { return Poll::Pending };
        let task = TaskBuilder::new(claimed).task_id(TaskId::from_string(Ulid::generate().to_string()));
        Poll::Ready(Some(Ok(task.build())))
    }

    fn poll_close(&mut self, cx: &mut Context<'_>, _: &WorkerContext) -> Poll<Result<(), Self::Error>> {
        // Nothing is left to do after a failed request: it has claimed nothing, or its leases expire.
        let _ = ready!(self.poll_answer(cx));
        for claimed in self.claimed.drain(..) {
            self.handing_back.spawn(claimed.run());
        }
        while ready!(self.handing_back.poll_join_next(cx)).is_some() {}
        // What an earlier worker began before it lost the database may still run in the slots: it is waited for too.
        self.all_ended.get_or_insert_with(|| self.slots.all_ended()).poll_unpin(cx).map(Ok)
    }
}

impl BackendConfig for Claiming {
    type Args = Claimed;
    type Id = RandomId;
    type Kind = Ephemeral;
    type Config = ();
    type Layer = Identity;

    fn config(&self) -> &Self::Config {
        &()
    }

    fn middleware(&mut self, _: &mut WorkerContext) -> Self::Layer {
        Identity::new()
    }
}
