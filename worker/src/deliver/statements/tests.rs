//! What the scheduler is told where a flush breaks.

use super::*;
use crate::deliver::messages::{Events, Message};
use crate::deliver::scheduler::Lane;
use tokio::sync::mpsc;
use tokio_util::task::TaskTracker;

/// Has a flush panic that holds this; answers what the scheduler is told.
async fn broken(failed: Event<Claim, HeldTicket>) -> Option<Event<Claim, HeldTicket>> {
    let (tell, mut messages) = mpsc::unbounded_channel::<Message>();
    let tracker = TaskTracker::new();
    let awaited = Awaited::new(Events::new(&tell), failed, &tracker);
    let batcher = Batcher::new(1, |calls: Vec<Awaited>| async move {
        assert_eq!(calls.len(), 0, "broken");
        Vec::<()>::new()
    });
    assert!(batcher.call(awaited).await.is_err());
    messages.try_recv().ok().map(|message| message.event)
}

#[tokio::test]
async fn a_claim_whose_flush_panics_is_not_claimed() {
    let event = Event::NotClaimed { lane: Lane::First, endpoint: EndpointId::mint(), ticket: None };
    assert!(matches!(broken(event).await, Some(Event::NotClaimed { lane: Lane::First, ticket: None, .. })));
}

#[tokio::test]
async fn a_prefetch_whose_flush_panics_has_found_nothing_and_does_not_know_whether_there_is_more() {
    let cursor = Cursor { more: true, after: None };
    let event = Event::Prefetched { endpoint: EndpointId::mint(), leased: Vec::new(), cursor };
    let told = broken(event).await;
    assert!(
        matches!(&told, Some(Event::Prefetched { leased, cursor, .. }) if leased.is_empty() && cursor.more),
        "{told:?}"
    );
}
