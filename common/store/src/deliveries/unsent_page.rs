//! A page of the endpoints that something unsent can be sent to again, for whoever looks before sending. It looks at a
//! bounded number of deliveries, however many did not arrive; `unsent_of` counts them all.

use super::search::UnsentOf;
use super::unsent::UnsentFilter;
use domain::event::EventType;
use domain::ids::{AccountId, EndpointId};
use domain::series::DeliveryStatus;
use sqlx::PgConnection;
use uuid::Uuid;

/// The deliveries that failed or were skipped that a page looks at.
pub const UNSENT_LOOKED_AT: i64 = 10_000;

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

/// Returns what was counted of an endpoint; none if nothing is unsent, or if it was removed.
fn of(step: &Step) -> Option<UnsentOf> {
    let (account_id, enabled) = (step.account_id?, step.enabled?);
    (step.unsent > 0).then_some(UnsentOf { endpoint_id: step.endpoint_id, account_id, enabled, count: step.unsent })
}
