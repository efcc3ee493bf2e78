//! Counts what operators may resend, by endpoint (contract §11). A page looks at a bounded number of deliveries,
//! however many did not arrive; the whole count is of one page after the other.

use super::unsent::UnsentFilter;
use crate::endpoints;
use domain::event::EventType;
use domain::ids::{AccountId, EndpointId};
use domain::series::DeliveryStatus;
use sqlx::PgConnection;
use uuid::Uuid;

/// The deliveries that failed or were skipped that a page looks at.
pub const UNSENT_LOOKED_AT: i64 = 10_000;

/// The deliveries that a statement of the whole count looks at: at a few microseconds each, far from its time limit.
const AT_ONCE: i64 = 20_000;

/// How many events may be resent to an endpoint.
#[derive(Debug, Clone, Copy)]
pub struct UnsentOf {
    /// The endpoint.
    pub endpoint_id: EndpointId,
    /// The endpoint's account.
    pub account_id: AccountId,
    /// Whether the endpoint is enabled.
    pub enabled: bool,
    /// The number of events.
    pub count: i64,
}

/// Endpoints with the events that may be resent to them, in the order of their ids.
#[derive(Debug)]
pub struct UnsentPage {
    /// Those that were counted. Their numbers are whole, but for that of `cut`.
    pub endpoints: Vec<UnsentOf>,
    /// The endpoint at which the look ended, which may have more than were counted; none if all were looked at.
    pub cut: Option<EndpointId>,
    /// The last endpoint that was looked at whole; none if there is none. After it a page goes on.
    pub whole: Option<EndpointId>,
    /// Whether there may be more.
    pub has_more: bool,
}

struct Step {
    endpoint_id: EndpointId,
    account_id: Option<AccountId>,
    enabled: Option<bool>,
    unsent: i64,
    rows_left: i64,
}

/// Counts, per endpoint, the events that `unsent` would find, for endpoints with ids after `after`: of these endpoints,
/// or of all if none are named. Ends at `most` endpoints that have such events, or once `looked_at` deliveries that
/// failed or were skipped were looked at.
pub async fn unsent_page(
    conn: &mut PgConnection,
    endpoints: Option<&[EndpointId]>,
    filter: &UnsentFilter,
    after: Option<EndpointId>,
    looked_at: i64,
    most: i64,
) -> sqlx::Result<UnsentPage> {
    let steps = sqlx::query_file_as!(
        Step,
        "src/deliveries/unsent_page.sql",
        endpoints as Option<&[EndpointId]>,
        after.map_or(Uuid::nil(), EndpointId::uuid),
        looked_at,
        most,
        filter.since,
        filter.until,
        filter.status.map(DeliveryStatus::name),
        filter.event_type.map(EventType::name),
        filter.http_status,
        filter.error,
    )
    .fetch_all(conn)
    .await?;
    let is_cut = steps.last().is_some_and(|last| last.rows_left <= 0);
    let cut = if is_cut { steps.last().map(|last| last.endpoint_id) } else { None };
    let whole = steps.iter().rev().map(|step| step.endpoint_id).find(|id| Some(*id) != cut);
    let endpoints: Vec<UnsentOf> = steps.iter().filter_map(of).collect();
    let has_more = is_cut || i64::try_from(endpoints.len()).is_ok_and(|many| many >= most);
    Ok(UnsentPage { endpoints, cut, whole, has_more })
}

/// Returns the endpoints that are meant by an account, an endpoint or both; none if all are.
pub async fn named(
    conn: &mut PgConnection,
    account: Option<AccountId>,
    endpoint: Option<EndpointId>,
) -> sqlx::Result<Option<Vec<EndpointId>>> {
    let Some(account) = account else { return Ok(endpoint.map(|one| vec![one])) };
    let mut own = endpoints::of_account(conn, account).await?;
    own.retain(|id| endpoint.is_none_or(|one| one == *id));
    Ok(Some(own))
}

/// Counts, per endpoint, the events that `unsent` would find: of all endpoints, of an account's, or of one. An endpoint
/// of which a statement does not see all is counted again by one that looks at four times as many.
pub async fn unsent_of(
    conn: &mut PgConnection,
    account: Option<AccountId>,
    endpoint: Option<EndpointId>,
    filter: &UnsentFilter,
) -> sqlx::Result<Vec<UnsentOf>> {
    let named = named(conn, account, endpoint).await?;
    let (mut found, mut after, mut looked_at) = (Vec::new(), None, AT_ONCE);
    loop {
        let page = unsent_page(conn, named.as_deref(), filter, after, looked_at, i64::MAX).await?;
        found.extend(page.endpoints.into_iter().filter(|one| Some(one.endpoint_id) != page.cut));
        if !page.has_more {
            return Ok(found);
        }
        match page.whole {
            Some(whole) => (after, looked_at) = (Some(whole), AT_ONCE),
            None => looked_at *= 4,
        }
    }
}

/// Returns what was counted of an endpoint; none if nothing is unsent, or if it was removed.
fn of(step: &Step) -> Option<UnsentOf> {
    let (account_id, enabled) = (step.account_id?, step.enabled?);
    (step.unsent > 0).then_some(UnsentOf { endpoint_id: step.endpoint_id, account_id, enabled, count: step.unsent })
}
