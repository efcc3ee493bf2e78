-- What a call that may start jobs has to know beside what it is about, as one row. $1 is the account that pays, $2 and
-- $3 the paces that it is held to and how many microseconds it may be ahead in each, $4 the reads that this release
-- knows, $5 and $6 the tool and the client's key, both null where no key was sent.
SELECT
    kinds.configured AS "configured!",
    kinds.paused AS "paused!",
    wait.what AS "wait_for?",
    wait.seconds AS "wait_seconds?",
    stored.fingerprint AS "fingerprint?",
    stored.answer AS "answer?",
    stored.call_id AS "call?: RequestId"
FROM (
    SELECT
        coalesce(array_agg(read) FILTER (WHERE engine_seen_at > mws_now() - interval '7 days'), '{}') AS configured,
        coalesce(array_agg(read) FILTER (WHERE paused_at IS NOT NULL), '{}') AS paused
    FROM read_kinds
    WHERE read = ANY ($4::text[])
) AS kinds
LEFT JOIN LATERAL (
    -- As `paces::longest_wait`.
    SELECT pace.what,
        ceil(extract(epoch FROM pace.theoretical_arrival - mws_now()) - most.ahead / 1000000.0)::bigint AS seconds
    FROM account_paces AS pace
    JOIN unnest($2::text[], $3::bigint[]) AS most (what, ahead) ON most.what = pace.what
    WHERE pace.account_id = $1 AND pace.theoretical_arrival > mws_now() + most.ahead * interval '1 microsecond'
    ORDER BY 2 DESC
    LIMIT 1
) AS wait ON true
-- As `idempotency::find`.
LEFT JOIN LATERAL (
    SELECT fingerprint, answer, call_id FROM idempotency_keys
    WHERE account_id = $1 AND tool = $5::text AND key = $6::text AND answer IS NOT NULL
    LIMIT 1
) AS stored ON true
