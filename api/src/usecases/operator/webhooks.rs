//! Enabling, disabling and testing endpoints of any account. A change and its rows in the operators' log and the
//! account's own are one transaction. A ping is in the operators' log alone: an account's own pings are in no log.

use super::missing;
use crate::app::App;
use crate::auth::operator::OperatorCaller;
use crate::http::error::{Answer, ApiError, Code};
use crate::usecases::account_audit::audit_value;
use crate::usecases::webhooks::endpoints::{After, record_ping};
use domain::ids::{AccountId, DeliveryId, EndpointId};
use runtime::wake::Wake;
use serde_json::{Value, json};
use sqlx::{Acquire, PgConnection};
use store::endpoints::{self, Endpoint, EndpointChange};
use store::{account_audit, accounts, audit};

/// An endpoint after an operator's change.
#[derive(Debug)]
pub struct ChangedWebhook {
    /// The account that owns it.
    pub account: AccountId,
    /// The endpoint.
    pub endpoint: Endpoint,
    /// The delivery of the ping; none when none was asked for.
    pub ping: Option<DeliveryId>,
}

/// Enables or disables an endpoint of any account, if `enabled` says so, and then sends it a ping, if asked. One that
/// is disabled already is so by operators from then on, and stays so when its account is resumed. What is asked for and
/// already so is not logged.
///
/// # Errors
/// `webhook_not_found` for an endpoint that does not exist or was removed, `illegal_transition` for enabling or
/// testing one of a suspended account, `rate_limited` for the eleventh ping within a minute.
pub async fn change_any_webhook(
    app: &App,
    operator: &OperatorCaller,
    id: EndpointId,
    enabled: Option<bool>,
    after: After,
) -> Answer<ChangedWebhook> {
    let none = || missing(Code::WebhookNotFound, id);
    let mut conn = app.conn().await?;
    let mut change_webhook = conn.begin().await?;
    let found = endpoints::every(&mut change_webhook, Some(id), None, None, 1).await?.pop();
    let account = found.filter(|one| one.deleted_at.is_none()).ok_or_else(none)?.account_id;
    if enabled == Some(true) || matches!(after, After::Ping) {
        refuse_suspended(&mut change_webhook, account).await?;
    }
    // The first locks it, so that what was before is what the second changes.
    let was =
        endpoints::update(&mut change_webhook, account, id, &EndpointChange::default()).await?.ok_or_else(none)?;
    let change = EndpointChange { enabled, is_operators: true, ..EndpointChange::default() };
    let is = endpoints::update(&mut change_webhook, account, id, &change).await?.ok_or_else(none)?;
    if standing(&was) != standing(&is) {
        let action = if is.enabled { "webhook.enable" } else { "webhook.disable" };
        let entry = operator.account_entry(account, action, id, Some(audit_value(&is)));
        account_audit::record(&mut change_webhook, &entry).await?;
        let entry = operator.changed(action, id, Some(standing(&was)), Some(standing(&is)));
        audit::record(&mut change_webhook, &entry).await?;
    }
    let pinged = match after {
        After::Nothing => None,
        After::Ping => Some(record_ping(&mut change_webhook, account, &is, None).await?),
    };
    if let Some((delivery, _)) = &pinged {
        let entry = operator.changed("webhook.ping", id, None, Some(json!({ "delivery_id": delivery })));
        audit::record(&mut change_webhook, &entry).await?;
    }
    change_webhook.commit().await?;
    // What waits for a disabled endpoint is ended.
    app.process.wakes.send([Wake::Duties]);
    let ping = pinged.map(|(delivery, ticket)| {
        app.process.wakes.tickets(&[ticket]);
        delivery
    });
    Ok(ChangedWebhook { account, endpoint: is, ping })
}

/// Refuses to enable or test endpoints of a suspended account. Locks the account, as suspending it does, so that it is
/// not suspended meanwhile.
async fn refuse_suspended(conn: &mut PgConnection, account: AccountId) -> Answer<()> {
    accounts::lock(conn, account).await?;
    let is_suspended = accounts::find(conn, account).await?.is_some_and(|row| row.suspended_at.is_some());
    if !is_suspended {
        return Ok(());
    }
    let message = format!("The account {account} is suspended: nothing is sent to its endpoints.");
    let refusal = ApiError::new(Code::IllegalTransition, message);
    Err(refusal.suggest("POST /operator/accounts/{id}/resume enables the endpoints that the suspension disabled."))
}

/// An endpoint as the operators' log shows it: nothing of its owner's.
fn standing(endpoint: &Endpoint) -> Value {
    json!({ "enabled": endpoint.enabled, "disabled_reason": endpoint.disabled_reason })
}
