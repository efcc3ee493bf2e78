//! Why an attempt to deliver failed, for whoever runs the server that it was sent to.

/// Returns what an attempt's error means and what helps, in words for customers; none for an error that is unknown.
pub(super) fn words(error: &str) -> Option<&'static str> {
    Some(match error {
        "timeout" => "Your server took longer than ten seconds. Let it answer first, and work afterwards.",
        "dns_failed" => "The name in the address was not found. Check that it is spelled right and known to DNS.",
        "connect_failed" => {
            "No connection came about. Check that your server runs, and that a firewall lets us through."
        }
        "connection_lost" => "The connection broke before your server had answered. Its log may say why.",
        "tls_failed" => {
            "The certificate was not accepted: it has ended, is for another name, or its chain is not whole."
        }
        "url_not_public" => "The name leads to an address that is not public. Nothing is sent to private networks.",
        "redirect_refused" => "Your server led on to another address. Add the one that it leads to instead.",
        "http_status" => "Your server answered with an error. Only a status from 200 to 299 counts as received.",
        "invalid_response" => "What answered is not a web server: its answer was not HTTP.",
        "secret_unavailable" => "The signing secret could not be opened. Tell whoever runs this service.",
        "endpoint_disabled" => "The endpoint was disabled, so that nothing was sent. Enable it, and send it again.",
        "interrupted" => "We were interrupted. It is sent again, and does not count as a failure.",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::attempt::AttemptError;

    #[test]
    fn each_error_has_words_for_customers() {
        for error in AttemptError::ALL {
            let said = words(error.name()).unwrap_or_default();
            assert!(said.ends_with('.') && !said.contains("MWS_") && !said.contains("mws "), "{error}: {said}");
        }
        assert_eq!(words("odd"), None);
    }
}
