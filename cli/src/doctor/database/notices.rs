//! The check of the operators' own endpoint: whether it is set, and how the last messages went.

use crate::doctor::finding::Finding;
use runtime::config::Settings;
use runtime::operator_webhook::OperatorWebhook;
use sqlx::PgConnection;
use store::operator_notices::{self, Posts};

/// Looks at the settings of this process, and at what schedulers recorded.
pub(super) async fn notices(conn: &mut PgConnection, settings: &Settings) -> sqlx::Result<Finding> {
    if store::pending_migrations(conn).await? > 0 {
        let value = "not checked: the schema is older than this build";
        return Ok(Finding::warning("notices", value, "see `schema`"));
    }
    let is_set = match OperatorWebhook::of(settings, &[]) {
        Ok(endpoint) => endpoint.is_some(),
        Err(error) => return Ok(Finding::problem("notices", error.to_string(), "correct the setting, and restart")),
    };
    Ok(judged(is_set, &operator_notices::posts(conn).await?))
}

fn judged(is_set: bool, posts: &Posts) -> Finding {
    let Posts { accepted_at, refused_at, refusal, waiting } = posts;
    let last = accepted_at.map_or_else(
        || "no message was accepted yet".to_owned(),
        |at| format!("the last message was accepted at {}", at.format("%Y-%m-%d %H:%M:%S UTC")),
    );
    if !is_set {
        let value = format!("no endpoint of operators is set here (MWS_OPERATOR_WEBHOOK_URL); {last}");
        return Finding::fine("notices", value);
    }
    if let (Some(at), Some(why)) = (refused_at, refusal) {
        let at = at.format("%Y-%m-%d %H:%M:%S UTC");
        let value =
            format!("MWS_OPERATOR_WEBHOOK_URL did not take a message at {at}: {why}; notices wait: {waiting}; {last}");
        let cure = "see that it is reached from the schedulers' hosts and answers with a status 2xx within 5 s";
        return Finding::warning("notices", value, cure);
    }
    Finding::fine("notices", format!("MWS_OPERATOR_WEBHOOK_URL is set; {last}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::finding::State;
    use chrono::DateTime;

    #[test]
    fn an_endpoint_that_takes_nothing_is_warned_of_and_one_that_is_not_set_is_told() {
        let at = DateTime::from_timestamp(1_800_000_000, 0);
        let none = Posts { accepted_at: None, refused_at: None, refusal: None, waiting: 0 };
        let unset = judged(false, &none);
        assert!(unset.state == State::Fine && unset.value.contains("no endpoint of operators is set"), "{unset:?}");
        assert!(judged(true, &none).value.ends_with("is set; no message was accepted yet"));
        let accepted = Posts { accepted_at: at, ..none.clone() };
        assert!(judged(true, &accepted).value.ends_with("was accepted at 2027-01-15 08:00:00 UTC"));
        let refusal = Some("it answered with status 500".to_owned());
        let refused = judged(true, &Posts { refused_at: at, refusal, waiting: 2, ..none });
        assert_eq!(refused.state, State::Warning);
        assert!(refused.value.contains("status 500; notices wait: 2; no message"), "{}", refused.value);
    }
}
