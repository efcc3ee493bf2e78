//! Sending again what did not arrive at endpoints of any account: endpoint by endpoint and batch by batch, each batch
//! with its row of the audit log in its transaction.

use crate::app::App;
use crate::auth::operator::OperatorCaller;
use crate::http::error::Answer;
use crate::http::text::Time;
use crate::usecases::webhooks::series::{Batch, Rate, begin_some, find_some};
use domain::event::EventType;
use domain::ids::{AccountId, EndpointId};
use serde_json::{Value, json};
use sqlx::Acquire;
use store::audit;
use store::deliveries::{UnsentFilter, UnsentOf};
use store::endpoints;

/// Deliveries that did not arrive, as an operator selects them.
#[derive(Debug, Clone)]
pub struct UnsentSelection {
    /// Deliveries to endpoints of this account; of any, if none.
    pub account: Option<AccountId>,
    /// Deliveries to this endpoint; to any, if none.
    pub endpoint: Option<EndpointId>,
    /// Which of them.
    pub filter: UnsentFilter,
}

/// Batches that one call sends; the next call goes on from there.
const MOST_BATCHES: u32 = 50;

/// The outcome of a resend.
#[derive(Debug, Default)]
pub struct ResentAll {
    /// The endpoints that something was sent to.
    pub endpoints: Vec<ResentTo>,
    /// Whether there are more deliveries to send.
    pub has_more: bool,
}

/// The outcome for one endpoint.
#[derive(Debug, Clone, Copy)]
pub struct ResentTo {
    /// The endpoint.
    pub endpoint: EndpointId,
    /// Its account.
    pub account: AccountId,
    /// How many deliveries were begun again.
    pub resent: u64,
}

/// Sends again what these endpoints did not get. Those that are disabled or removed meanwhile are skipped.
pub async fn resend_all(
    app: &App,
    operator: &OperatorCaller,
    open: &[UnsentOf],
    filter: &UnsentFilter,
) -> Answer<ResentAll> {
    let mut all = ResentAll::default();
    let mut left = MOST_BATCHES;
    for one in open {
        let mut sent = 0;
        loop {
            if left == 0 {
                all.has_more = true;
                break;
            }
            left -= 1;
            match resend_batch(app, operator, one, filter).await? {
                Some(Batch::Some(count)) => sent += count,
                Some(Batch::Last(count)) => {
                    sent += count;
                    break;
                }
                None => break,
            }
        }
        if sent > 0 {
            all.endpoints.push(ResentTo { endpoint: one.endpoint_id, account: one.account_id, resent: sent });
        }
    }
    Ok(all)
}

/// Sends one batch to one endpoint. None when the endpoint no longer takes any.
async fn resend_batch(
    app: &App,
    operator: &OperatorCaller,
    one: &UnsentOf,
    filter: &UnsentFilter,
) -> Answer<Option<Batch>> {
    let mut conn = app.conn().await?;
    let found = find_some(&mut conn, one.endpoint_id, filter).await?;
    let mut resend_batch = conn.begin().await?;
    if endpoints::lock(&mut resend_batch, one.account_id, one.endpoint_id).await? != Some(true) {
        return Ok(None);
    }
    let (batch, tickets) =
        begin_some(&mut resend_batch, one.account_id, one.endpoint_id, &found, Rate::Unbound).await?;
    if let Batch::Some(count @ 1..) | Batch::Last(count @ 1..) = batch {
        let after = json!({ "filter": audit_value(filter), "resent": count });
        let entry = operator.changed("deliveries.resend", one.endpoint_id, None, Some(after));
        audit::record(&mut resend_batch, &entry).await?;
    }
    resend_batch.commit().await?;
    app.process.wakes.tickets(&tickets);
    Ok(Some(batch))
}

/// A filter as the audit log shows it.
pub(super) fn audit_value(filter: &UnsentFilter) -> Value {
    json!({
        "since": Time(filter.since).to_string(),
        "until": filter.until.map(|until| Time(until).to_string()),
        "status": filter.status, "event_type": filter.event_type.map(EventType::name),
        "http_status": filter.http_status, "error": filter.error,
    })
}
