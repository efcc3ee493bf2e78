//! What helps after an attempt of a delivery that failed. Pure.

use domain::receiver_clock;
use store::deliveries::AttemptRow;

/// Returns what helps after an attempt that failed with this error: where the receiver refused it and its clock is off,
/// that comes first.
pub(super) fn helps(error: &str, attempt: &AttemptRow) -> &'static str {
    let is_refused = attempt.response_status.is_some_and(|status| (400..500).contains(&status));
    if is_refused && attempt.clock_ahead_seconds.is_some_and(receiver_clock::refuses) {
        return "Set the receiver's clock first, best by NTP: as it is, right signatures are refused too.";
    }
    cure(error)
}

/// Returns what the receiver's owner, or an operator, can do about an attempt's error.
fn cure(error: &str) -> &'static str {
    match error {
        "timeout" => "The receiver took longer than ten seconds: have it answer first and work later.",
        "dns_failed" => "The name does not resolve from here: look it up on this host.",
        "connect_failed" => "Nothing listens there, or a firewall is between: try it with curl from this host.",
        "connection_lost" => "The receiver closed the connection: look into its log at that time.",
        "tls_failed" => {
            "The certificate is not valid for the name, has ended, or is of a root that is not trusted here."
        }
        "url_not_public" => {
            "The name leads to a private address: MWS_OUTBOUND_ALLOW names networks that may be reached."
        }
        "redirect_refused" => "The receiver redirects: register the URL that it leads to.",
        "http_status" => "The receiver answered with an error: its answer is above.",
        "invalid_response" => "What answered speaks no HTTP.",
        "secret_unavailable" => "The account's secret can't be opened: see `mws doctor --only seals`.",
        "endpoint_disabled" => {
            "The endpoint is disabled: its owner or an operator enables it, and what was skipped can be sent again."
        }
        "interrupted" => "A worker ended during the attempt: it was sent again under the same number.",
        _ => "See docs/webhooks.md.",
    }
}
