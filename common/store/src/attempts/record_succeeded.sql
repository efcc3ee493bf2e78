-- Logs attempts that succeeded, of endpoints to which nothing failed in the same batch: a success sets an endpoint's
-- failures in a row to 0, so nothing is counted and the batch is joined with itself only where an endpoint is to be
-- written. `record.sql` says the same of any batch. Endpoints are locked in the order in which they are named, and
-- before deliveries.
WITH ended AS (
    SELECT * FROM unnest(
        $1::uuid[], $2::int[], $3::uuid[], $4::smallint[], $5::boolean[], $6::text[], $7::timestamptz[], $8::int[],
        $9::text[], $10::text[], $11::text[], $12::smallint[], $13::text[],
        $15::int[], $16::int[], $17::int[], $18::int[], $19::int[], $20::text[]
    ) AS ended (
        delivery_id, claim_no, endpoint_id, attempt, counts, worker, at, duration_ms,
        url_host, url_path, kept_headers, response_status, response_excerpt, dns_ms, connect_ms, tls_ms, first_byte_ms,
        clock_ahead_seconds, response_headers
    )
), logged AS (
    INSERT INTO delivery_attempts (delivery_id, claim_no, attempt, counted, worker, at, duration_ms, url_host,
        url_path, request_headers, response_status, response_excerpt, dns_ms, connect_ms, tls_ms, first_byte_ms,
        clock_ahead_seconds, response_headers)
    SELECT delivery_id, claim_no, attempt, true, worker, at, duration_ms, url_host, url_path, kept_headers::jsonb,
        response_status, response_excerpt, dns_ms, connect_ms, tls_ms, first_byte_ms, clock_ahead_seconds,
        response_headers
    FROM ended
    ON CONFLICT (delivery_id, claim_no) DO NOTHING
    RETURNING delivery_id, claim_no
), held AS (
    SELECT w.id
    FROM unnest($14::uuid[]) AS told (id)
    JOIN webhook_endpoints AS w ON w.id = told.id
    WHERE w.enabled
        AND (w.consecutive_failures <> 0
            OR w.last_success_at IS NULL OR w.last_success_at < mws_now() - interval '10 s')
        -- A success that a rescue has logged as interrupted says nothing of its endpoint. OFFSET keeps this from being
        -- joined with all endpoints instead of asked of the few; the deletion is asked here, where no partial index can
        -- promise it.
        AND EXISTS (
            SELECT FROM ended JOIN logged USING (delivery_id, claim_no)
            WHERE ended.endpoint_id = w.id AND ended.counts AND w.deleted_at IS NULL
            OFFSET 0)
    FOR NO KEY UPDATE OF w
), counted AS (
    UPDATE webhook_endpoints AS w
    SET consecutive_failures = 0, last_success_at = mws_now()
    FROM held
    WHERE w.id = held.id AND w.enabled
    RETURNING 1
)
UPDATE deliveries AS d
SET
    status = 'succeeded',
    lease_until = NULL,
    interrupted_count = 0,
    response_status = ended.response_status,
    error = NULL,
    finished_at = mws_now()
FROM ended
WHERE d.id = ended.delivery_id AND d.claim_no = ended.claim_no AND d.status = 'pending'
    AND d.lease_until IS NOT NULL
    -- Reads the endpoints' update to its end before the first delivery is locked.
    AND (SELECT count(*) FROM counted) >= 0
