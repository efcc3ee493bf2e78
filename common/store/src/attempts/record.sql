-- Logs attempts and draws every consequence in one statement. An attempt that is logged already, because a rescue came
-- first, changes nothing: `logged` holds only the rows that are new, and all counting starts from it. Endpoints are
-- locked in order and before deliveries.
WITH ended AS (
    SELECT * FROM unnest(
        $1::uuid[], $2::int[], $3::uuid[], $4::smallint[], $5::boolean[], $6::text[], $7::timestamptz[], $8::int[],
        $9::text[], $10::text[], $11::text[], $12::smallint[], $13::text[], $14::text[], $15::text[], $16::bigint[],
        $18::int[], $19::int[], $20::int[], $21::int[], $22::int[], $23::text[]
    ) WITH ORDINALITY AS ended (
        delivery_id, claim_no, endpoint_id, attempt, counts, worker, at, duration_ms,
        url_host, url_path, kept_headers, response_status, error, response_excerpt, next_status, retry_after_ms,
        dns_ms, connect_ms, tls_ms, first_byte_ms, clock_ahead_seconds, response_headers, position
    )
), logged AS (
    INSERT INTO delivery_attempts (delivery_id, claim_no, attempt, counted, worker, at, duration_ms, url_host,
        url_path, request_headers, response_status, error, response_excerpt, dns_ms, connect_ms, tls_ms, first_byte_ms,
        clock_ahead_seconds, response_headers)
    SELECT delivery_id, claim_no, attempt, true, worker, at, duration_ms, url_host, url_path, kept_headers::jsonb,
        response_status, error, response_excerpt, dns_ms, connect_ms, tls_ms, first_byte_ms, clock_ahead_seconds,
        response_headers
    FROM ended
    ON CONFLICT (delivery_id, claim_no) DO NOTHING
    RETURNING delivery_id, claim_no
), runs AS (
    -- A run is what stands between two successes; run 0 continues the failures that were counted before.
    SELECT endpoint_id, run, count(*) FILTER (WHERE failed) AS failures
    FROM (
        SELECT endpoint_id, error IS NOT NULL AS failed,
            count(*) FILTER (WHERE error IS NULL) OVER (PARTITION BY endpoint_id ORDER BY position) AS run
        FROM ended
        JOIN logged USING (delivery_id, claim_no)
        WHERE counts
    ) AS outcomes
    GROUP BY endpoint_id, run
), tallies AS (
    SELECT endpoint_id,
        max(run) > 0 AS succeeded,
        coalesce(max(failures) FILTER (WHERE run = 0), 0)::int AS continued,
        coalesce(max(failures) FILTER (WHERE run > 0), 0)::int AS longest,
        (array_agg(failures ORDER BY run DESC))[1]::int AS last
    FROM runs
    GROUP BY endpoint_id
), held AS (
    SELECT w.id
    FROM webhook_endpoints AS w
    JOIN tallies ON tallies.endpoint_id = w.id
    WHERE w.enabled AND w.deleted_at IS NULL AND (
        tallies.continued > 0 OR tallies.longest > 0 OR w.consecutive_failures <> 0
        OR w.last_success_at IS NULL OR w.last_success_at < mws_now() - interval '10 s')
    ORDER BY w.id
    FOR NO KEY UPDATE OF w
), counted AS (
    UPDATE webhook_endpoints AS w
    SET
        consecutive_failures = CASE
            WHEN w.consecutive_failures + tallies.continued >= $17 THEN w.consecutive_failures + tallies.continued
            WHEN tallies.longest >= $17 THEN tallies.longest
            WHEN tallies.succeeded THEN tallies.last
            ELSE w.consecutive_failures + tallies.continued
        END,
        last_success_at = CASE WHEN tallies.succeeded THEN mws_now() ELSE w.last_success_at END,
        -- An index holds it, so it is written once an hour.
        failed_at = CASE
            WHEN tallies.continued + tallies.longest > 0 AND coalesce(w.failed_at < mws_now() - interval '1 hour', true)
                THEN mws_now()
            ELSE w.failed_at
        END,
        enabled = NOT (w.consecutive_failures + tallies.continued >= $17 OR tallies.longest >= $17),
        disabled_reason = CASE
            WHEN w.consecutive_failures + tallies.continued >= $17 OR tallies.longest >= $17 THEN 'too_many_failures'
        END,
        disabled_at = CASE
            WHEN w.consecutive_failures + tallies.continued >= $17 OR tallies.longest >= $17 THEN mws_now()
        END,
        updated_at = CASE
            WHEN w.consecutive_failures + tallies.continued >= $17 OR tallies.longest >= $17 THEN mws_now()
            ELSE w.updated_at
        END
    FROM held
    JOIN tallies ON tallies.endpoint_id = held.id
    WHERE w.id = held.id AND w.enabled
    RETURNING w.id, w.account_id, w.enabled, w.consecutive_failures, tallies.last AS added
), settled AS (
    UPDATE deliveries AS d
    SET
        status = ended.next_status,
        due_at = CASE
            WHEN ended.next_status = 'pending' THEN mws_now() + ended.retry_after_ms * interval '1 ms'
            ELSE d.due_at
        END,
        ticket_id = CASE WHEN ended.next_status <> 'pending' THEN d.ticket_id END,
        lease_until = NULL,
        interrupted_count = 0,
        response_status = ended.response_status,
        error = ended.error,
        finished_at = CASE WHEN ended.next_status <> 'pending' THEN mws_now() END
    FROM ended
    WHERE d.id = ended.delivery_id AND d.claim_no = ended.claim_no AND d.status = 'pending'
        AND d.lease_until IS NOT NULL
        -- Reads the endpoints' update to its end before the first delivery is locked.
        AND (SELECT count(*) FROM counted) >= 0
    RETURNING 1
)
SELECT
    id AS "id!: EndpointId",
    account_id AS "account_id!: AccountId",
    enabled AS "enabled!",
    consecutive_failures AS "consecutive_failures!",
    added AS "added!"
FROM counted
