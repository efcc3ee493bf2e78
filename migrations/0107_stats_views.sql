-- Numbers for SQL tools (operations.md, "Numbers for SQL tools"): views that whoever may read them sees no other table by. Their columns are a
-- contract: columns are added at the end, and none is renamed or taken away.
CREATE SCHEMA mws_stats;
COMMENT ON SCHEMA mws_stats IS 'Numbers of the service for SQL tools. Days are of UTC, minutes and credits whole numbers of them with hundredths.';

CREATE VIEW mws_stats.jobs_daily AS
SELECT (created_at AT TIME ZONE 'UTC')::date AS day, payer_account_id AS account_id, kind, read, status, error_code, count(*) AS jobs,
    sum(charged) / 100.0 AS minutes, sum(charged_credits) / 100.0 AS credits,
    round(avg(extract(epoch FROM started_at - created_at)), 3) AS wait_seconds,
    round(avg(extract(epoch FROM finished_at - started_at)), 3) AS run_seconds
FROM jobs GROUP BY 1, 2, 3, 4, 5, 6;
COMMENT ON VIEW mws_stats.jobs_daily IS
    'Jobs by the day on which they were asked for, who pays, kind, read, status and error; what they were charged; seconds from the call to their last start, and from there to their end, on average. As long as jobs are kept.';

CREATE VIEW mws_stats.minutes_daily AS
SELECT (at AT TIME ZONE 'UTC')::date AS day, account_id, kind, count(*) AS entries,
    sum(month_amount) / 100.0 AS month_minutes, sum(bought_amount) / 100.0 AS bought_minutes, sum(credit_amount) / 100.0 AS credits
FROM minute_journal GROUP BY 1, 2, 3;
COMMENT ON VIEW mws_stats.minutes_daily IS
    'The journal by day, account and kind of entry: what it changed of the month, of what was bought, and of the credits. Never pruned.';

CREATE VIEW mws_stats.deliveries_daily AS
SELECT (created_at AT TIME ZONE 'UTC')::date AS day, account_id, endpoint_id, event_type, trigger, status, response_status, error,
    count(*) AS deliveries, sum(attempt_count) AS attempts
FROM deliveries GROUP BY 1, 2, 3, 4, 5, 6, 7, 8;
COMMENT ON VIEW mws_stats.deliveries_daily IS
    'Deliveries by the day on which they began, account, endpoint, event, trigger, status and last answer, with their attempts. As long as deliveries are kept.';

CREATE VIEW mws_stats.queue_now AS
SELECT kind, read,
    CASE WHEN status = 'running' THEN 'running' WHEN NOT admitted THEN 'waits for a place' WHEN due_at > mws_now() THEN 'delayed' ELSE 'due' END
        AS state,
    count(*) AS jobs, round(extract(epoch FROM mws_now() - min(due_at)), 3) AS oldest_seconds
FROM jobs WHERE finished_at IS NULL GROUP BY 1, 2, 3;
COMMENT ON VIEW mws_stats.queue_now IS 'Jobs that have not ended, by kind, read and state, and for how many seconds the oldest has been due.';
