-- Jobs that ended with success $10 days ago, and everything that the service writes for one. $11 is the beginning of an event's
-- body.
WITH ended AS (
    SELECT *, mws_now() - make_interval(days => $10) AS at,
        date_trunc('month', (mws_now() - make_interval(days => $10)) AT TIME ZONE 'UTC')::date AS month
    FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[], $6::text[], $7::text[], $8::uuid[], $9::uuid[])
        WITH ORDINALITY
        AS e (id, call_id, account_id, workspace_id, item_id, read, event_id, delivery_id, endpoint_id, place)
), called AS (
    INSERT INTO calls (id, account_id, workspace_id, tool, request_id, created_at)
    SELECT DISTINCT ON (call_id) call_id, account_id, workspace_id, 'prepare_media', 'req_bench', at FROM ended
), inserted AS (
    INSERT INTO jobs (id, call_id, payer_account_id, owner_account_id, workspace_id, item_id, kind, read, status, admitted,
        progress, claim_no, due_at, hold_month, held_month, held_bought, charged, result, created_at, started_at, finished_at)
    SELECT id, call_id, account_id, account_id, workspace_id, item_id,
        CASE read WHEN 'transcript' THEN 'transcription' ELSE 'read' END, read, 'succeeded', true,
        100, 1, at, month, 100, 0, 100, jsonb_build_object('stored_reads', jsonb_build_array(read)), at, at, at
    FROM ended ORDER BY place
), claimed AS (
    INSERT INTO job_claims (job_id, claim_no, worker, claimed_at, ended_at, outcome)
    SELECT id, 1, 'bench', at, at, 'succeeded' FROM ended ORDER BY place
), stored AS (
    INSERT INTO item_reads (item_id, read, job_id, engine, engine_version, quality, result, bytes, stored_at)
    SELECT item_id, read, id, 'bench', '1', 'standard', '{}', 2, at FROM ended ORDER BY place
), used AS (
    UPDATE minute_buckets AS b SET used = b.used + e.amount
    FROM (SELECT account_id, month, count(*) * 100 AS amount FROM ended GROUP BY account_id, month) AS e
    WHERE b.account_id = e.account_id AND b.month = e.month
), told AS (
    INSERT INTO events (id, type, job_id, workspace_id, account_id, body, created_at)
    SELECT event_id, 'job.succeeded', id, workspace_id, account_id, $11 || place || '}', at FROM ended ORDER BY place
), sent AS (
    INSERT INTO deliveries (id, endpoint_id, account_id, workspace_id, event_id, event_type, job_id, status, attempt_count,
        claim_no, claimed_at, claimed_by, due_at, response_status, created_at, finished_at)
    SELECT delivery_id, endpoint_id, account_id, workspace_id, event_id, 'job.succeeded', id, 'succeeded', 1,
        1, at, 'bench', at, 200, at, at
    FROM ended ORDER BY place
), logged AS (
    INSERT INTO delivery_attempts (delivery_id, claim_no, attempt, counted, worker, at, duration_ms, url_host, url_path,
        request_headers, response_status, response_excerpt)
    SELECT delivery_id, 1, 1, true, 'bench', at, 1, '127.0.0.1', '/e/0',
        jsonb_build_object('content-type', 'application/json', 'service-event', 'job.succeeded', 'service-delivery', event_id,
            'service-attempt', '1', 'service-signature', 't=1700000000,v1=' || repeat('0', 64)),
        200, ''
    FROM ended ORDER BY place
)
INSERT INTO minute_journal (account_id, month, kind, job_id, month_amount, at)
SELECT account_id, month, entry.kind, id, 100, at
FROM ended CROSS JOIN (VALUES (1, 'hold'), (2, 'settle')) AS entry (turn, kind) ORDER BY place, entry.turn
