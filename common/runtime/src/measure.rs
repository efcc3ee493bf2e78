//! Metrics for Prometheus: the one recorder of a process, its buckets, and its page.
//!
//! Code that measures calls the `metrics` macros; the meaning of each name is described once, here. No label names an
//! account, an endpoint, a job or a URL: the API shows those.

use domain::attempt::AttemptError;
use metrics::{Unit, describe_counter, describe_gauge, describe_histogram};
use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};
use std::sync::OnceLock;

/// Each bucket is a line for every route, so there are few: around the promised times (tens of milliseconds) and those
/// that alert (seconds).
const REQUEST_SECONDS: &[f64] = &[0.01, 0.05, 0.25, 1.0, 5.0, 30.0];
/// Buckets for times of waiting and running work: from what nobody notices to what wakes an operator.
const WORK_SECONDS: &[f64] = &[0.01, 0.1, 1.0, 10.0, 60.0, 600.0, 3600.0];
/// Buckets for what should take milliseconds.
const SHORT_SECONDS: &[f64] = &[0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10.0, 60.0];
/// Buckets for how many times faster than its media a read is: from one that is slower to what only skims.
const SPEED_RATIOS: &[f64] = &[0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 100.0, 300.0, 1_000.0];
const WORK: [&str; 4] =
    ["mws_job_wait_seconds", "mws_job_run_seconds", "mws_job_processor_seconds", "mws_job_unpaid_processor_seconds"];
const SHORT: [&str; 5] = [
    "mws_webhook_attempt_seconds",
    "mws_webhook_first_attempt_delay_seconds",
    "mws_project_webhook_seconds",
    "mws_db_pool_wait_seconds",
    "mws_thread_time_wait_seconds",
];

/// Returns the process's recorder. The first call installs it.
///
/// # Errors
/// When another recorder is installed already, or the buckets are empty.
pub fn recorder() -> Result<&'static PrometheusHandle, BuildError> {
    static RECORDER: OnceLock<PrometheusHandle> = OnceLock::new();
    static INSTALLING: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let _one_at_a_time = INSTALLING.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(handle) = RECORDER.get() {
        return Ok(handle);
    }
    let mut builder = PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Suffix("_duration_seconds".to_owned()), REQUEST_SECONDS)?;
    let named = WORK.map(|name| (name, WORK_SECONDS)).into_iter().chain(SHORT.map(|name| (name, SHORT_SECONDS)));
    for (name, buckets) in named.chain([("mws_read_speed_ratio", SPEED_RATIOS)]) {
        builder = builder.set_buckets_for_metric(Matcher::Full(name.to_owned()), buckets)?;
    }
    let handle = builder.install_recorder()?;
    describe();
    describe_work();
    count_from_zero();
    metrics::gauge!("mws_build_info", "version" => env!("CARGO_PKG_VERSION")).set(1.0);
    Ok(RECORDER.get_or_init(|| handle))
}

/// Shows the counters that alerts watch before anything is counted. Prometheus sees what is added to a series; one that
/// is born with its first event has nothing added to it, and no alert would see that event.
fn count_from_zero() {
    metrics::counter!("mws_connections_refused_total").increment(0);
    metrics::counter!("mws_job_leases_lost_total").increment(0);
    metrics::counter!("mws_operator_guesses_total").increment(0);
    metrics::counter!("mws_queue_restarts_total").increment(0);
    for outcome in ["without_result", "given_up", "rescue_refused"] {
        metrics::counter!("mws_job_ends_not_written_total", "outcome" => outcome).increment(0);
    }
    for attempt in ["first", "later"] {
        for result in AttemptError::ALL.map(AttemptError::name).into_iter().chain(["succeeded", "own_fault"]) {
            metrics::counter!("mws_webhook_attempts_total", "attempt" => attempt, "result" => result).increment(0);
        }
    }
}

fn describe() {
    describe_histogram!("http_server_request_duration_seconds", Unit::Seconds, "API requests, by route template.");
    describe_counter!("http_server_requests_total", "API requests, by route template, method and status.");
    describe_counter!("mws_api_refusals_total", "Refusals answered, by error code.");
    describe_counter!("mws_rate_limited_total", "Requests refused because their account is over its rate.");
    describe_histogram!(
        "mws_thread_time_wait_seconds",
        Unit::Seconds,
        "What requests waited because their account was ahead of its part of the threads' time; none where it was not."
    );
    describe_counter!("mws_wrong_credentials_total", "Credentials refused as wrong, revoked or over.");
    describe_counter!(
        "mws_wrong_credentials_refused_total",
        "Credentials not looked up: their address sent too many wrong ones."
    );
    describe_counter!("mws_operator_guesses_total", "Credentials sent to operators' routes that were no operator's.");
    describe_counter!("mws_connections_refused_total", "Connections not served: too many in all, or of their address.");
    describe_counter!("mws_connections_closed_for_others_total", "Connections that rested, closed for another.");
    describe_counter!("mws_idempotent_replays_total", "Calls answered again from their Idempotency-Key.");
    describe_gauge!("mws_db_pool_connections", "Connections of this process's pool, by state.");
    describe_counter!(
        "mws_job_ends_not_written_total",
        "Ends of jobs that the database did not take, by what was done."
    );
    describe_counter!("mws_media_swept_total", "Objects that no row named, dropped.");
    describe_counter!("mws_media_writes_aborted_total", "Writes to the bucket that nobody had ended, aborted.");
    describe_counter!("mws_queue_restarts_total", "Queues that ended by a fault and were started again.");
    describe_gauge!(
        "mws_queue_depth",
        "Jobs with a place and deliveries that wait, by queue and by whether they are due."
    );
    describe_gauge!(
        "mws_queue_oldest_due_age_seconds",
        Unit::Seconds,
        "Since when the oldest of a queue that could be claimed is due; 0 where nothing is."
    );
    describe_counter!("mws_webhook_attempts_total", "Attempts of job webhooks, by what came of them.");
    describe_histogram!("mws_webhook_attempt_seconds", Unit::Seconds, "An attempt of a job webhook.");
    describe_counter!("mws_project_webhooks_total", "Webhooks of projects that were sent, by what came of them.");
    describe_histogram!("mws_project_webhook_seconds", Unit::Seconds, "The sending of a project's webhook.");
    describe_gauge!("mws_duty_every_seconds", Unit::Seconds, "How often a duty is done.");
    describe_gauge!("mws_duty_last_success_seconds", Unit::Seconds, "Unix time at which a duty last succeeded.");
    describe_gauge!(
        "mws_ledger_checked_seconds",
        Unit::Seconds,
        "Unix time at which this process last checked the ledger."
    );
    describe_gauge!("mws_ledger_drifting", "Balances that the journal does not explain.");
    describe_gauge!("mws_invariant_broken_rows", "Rows that break an invariant by its last check; 0 while it holds.");
    describe_gauge!("mws_seals", "Secrets that are not sealed under the current key, by what is known of theirs.");
    describe_gauge!("mws_build_info", "Always 1; the version is a label.");
}

fn describe_work() {
    describe_counter!("mws_claims_total", "Jobs that tickets named: claimed here, or another's, ended or put off.");
    describe_histogram!("mws_job_wait_seconds", Unit::Seconds, "From when a job was due to its claim.");
    describe_histogram!("mws_job_run_seconds", Unit::Seconds, "From a job's claim to its end.");
    describe_counter!("mws_jobs_ended_total", "Jobs that ended in this process.");
    let processor = "Processor time of a job's decoders and encoders.";
    describe_histogram!("mws_job_processor_seconds", Unit::Seconds, processor);
    describe_histogram!("mws_job_unpaid_processor_seconds", Unit::Seconds, "What of that is not paid for.");
    describe_histogram!("mws_read_speed_ratio", "Seconds of media that a read goes through in a second.");
    describe_counter!("mws_job_retries_total", "Attempts at jobs that failed and are made again.");
    describe_counter!("mws_jobs_handed_back_total", "Attempts at jobs that a stopping or lacking worker gave back.");
    describe_counter!("mws_job_leases_lost_total", "Jobs taken back from workers that died or lost the database.");
    describe_gauge!("mws_jobs_running", "Jobs that run in this process.");
    describe_gauge!("mws_worker_slots", "Jobs that this process runs at once.");
    describe_counter!("mws_spans_total", "Spans of traces, by whether the collector took them.");
    describe_counter!("mws_charged_hundredths_total", "Hundredths of minutes charged for jobs, at most.");
    describe_histogram!(
        "mws_webhook_first_attempt_delay_seconds",
        Unit::Seconds,
        "From when a delivery came to be to its first attempt."
    );
    describe_gauge!("mws_webhook_endpoints_disabled", "Endpoints disabled for their failures within the last hour.");
    describe_histogram!("mws_db_pool_wait_seconds", Unit::Seconds, "What calls of the API wait for a connection.");
    describe_gauge!("mws_media_store_free_ratio", "Free part of the disk that media is kept on; no bucket has one.");
    describe_gauge!("mws_workers_live", "Workers of the fleet that have written within half a minute.");
    describe_gauge!("mws_held_hundredths", "Hundredths of minutes that are held for jobs, of all accounts.");
    describe_gauge!("mws_media_stored_bytes", Unit::Bytes, "Bytes in the media store, with what is reserved.");
    describe_gauge!(
        "mws_db_clock_skew_seconds",
        Unit::Seconds,
        "How far this host's clock is ahead of the database's; negative if it is behind."
    );
    describe_gauge!("mws_event_streams", "Event streams that are open in this process.");
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: &str = include_str!("../../../deploy/prometheus/rules.yml");
    /// What has too many labels to be shown before. The alert on jobs counts what a series begins with, and that on
    /// requests wants a share of many, for minutes.
    const OF_MANY_LABELS: [&str; 2] = ["http_server_requests_total", "mws_jobs_ended_total"];

    /// The counters that the rules name, each with what its braces say.
    fn named_by_rules() -> Vec<(&'static str, &'static str)> {
        let part_of_name = |letter: char| letter.is_ascii_lowercase() || letter == '_';
        let ends = RULES.match_indices("_total").map(|(at, found)| at + found.len());
        ends.map(|end| {
            let begin = RULES[..end].rfind(|letter: char| !part_of_name(letter)).map_or(0, |before| before + 1);
            let braces = RULES[end..].strip_prefix('{').and_then(|rest| rest.split_once('}'));
            (&RULES[begin..end], braces.map_or("", |(within, _)| within))
        })
        .collect()
    }

    /// Whether a line of the page shows a series of this counter at 0, as the braces want it.
    fn is_shown(page: &str, name: &str, braces: &str) -> bool {
        let (label, wanted) = (braces.replace("!=", "="), !braces.contains("!="));
        let series = page.lines().filter_map(|line| line.strip_prefix(name)?.strip_suffix(" 0"));
        series
            .filter(|labels| labels.is_empty() || labels.starts_with('{'))
            .any(|labels| labels.contains(&label) == wanted)
    }

    #[test]
    fn every_counter_of_the_rules_is_shown_before_anything_is_counted() {
        let fresh = PrometheusBuilder::new().build_recorder();
        metrics::with_local_recorder(&fresh, count_from_zero);
        let page = fresh.handle().render();
        let named = named_by_rules();
        assert!(named.len() > 10, "only {named:?} were found");
        for (name, braces) in named.into_iter().filter(|(name, _)| !OF_MANY_LABELS.contains(name)) {
            assert!(is_shown(&page, name, braces), "count_from_zero leaves out {name}{{{braces}}}:\n{page}");
        }
    }

    #[test]
    fn the_recorder_of_a_process_begins_with_them() {
        let page = recorder().expect("a recorder").render();
        assert!(is_shown(&page, "mws_job_leases_lost_total", ""), "{page}");
    }
}
