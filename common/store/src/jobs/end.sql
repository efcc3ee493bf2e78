-- Rows are looked up one by one, and those to be written by their ids, so that no plan which was made for empty tables
-- reads full ones from end to end.
WITH ends AS (
    SELECT e.*, (SELECT i.deleted_at FROM items i WHERE i.id = e.item_id) IS NOT NULL AS item_deleted
    FROM unnest($1::uuid[], $2::int[], $3::uuid[], $4::text[], $5::text[], $6::bigint[], $7::jsonb[], $8::interval[],
                $9::text[], $10::text[], $11::bool[], $12::bigint[])
        AS e (id, claim_no, item_id, status, outcome, charge, result, delay, error_code, error_message, error_retryable,
              credits)
    ORDER BY e.id
), decided AS MATERIALIZED (
    SELECT j.id AS job_id, e.*,
        CASE
            WHEN e.status = 'succeeded' AND (e.item_deleted OR j.item_gone) THEN 'cancelled'
            WHEN e.status = 'queued' AND (j.cancel_requested OR e.item_deleted OR j.item_gone) THEN 'cancelled'
            ELSE e.status
        END AS becomes
    FROM ends e
    CROSS JOIN LATERAL (
        SELECT id, cancel_requested, item_gone FROM jobs
        WHERE id = e.id AND claim_no = e.claim_no AND status = 'running'
        LIMIT 1 FOR UPDATE
    ) AS j
), ended AS (
    UPDATE jobs j SET
        status = d.becomes,
        admitted = d.becomes <> 'queued',
        failures = j.failures + (d.outcome = 'failed')::int,
        losses = j.losses + (d.outcome = 'lost')::int,
        due_at = mws_now() + d.delay,
        lease_until = NULL,
        ticket_id = NULL,
        progress = CASE d.becomes WHEN 'succeeded' THEN 100 WHEN 'queued' THEN 0 ELSE j.progress END,
        charged = CASE d.becomes
            WHEN 'queued' THEN NULL
            WHEN 'succeeded' THEN least(d.charge, j.held_month + j.held_bought)
            ELSE 0
        END,
        charged_credits = CASE d.becomes
            WHEN 'queued' THEN NULL
            WHEN 'succeeded' THEN least(d.credits, j.held_credits)
            ELSE 0
        END,
        result = CASE d.becomes WHEN 'succeeded' THEN d.result END,
        error_code = CASE d.becomes WHEN 'failed' THEN d.error_code END,
        error_message = CASE d.becomes WHEN 'failed' THEN d.error_message END,
        error_retryable = CASE d.becomes WHEN 'failed' THEN d.error_retryable END,
        finished_at = CASE WHEN d.becomes <> 'queued' THEN mws_now() END
    FROM decided d
    WHERE j.id = d.job_id AND j.id = ANY (ARRAY(SELECT job_id FROM decided))
    RETURNING j.*
), noted AS (
    UPDATE job_claims c SET
        ended_at = mws_now(),
        outcome = CASE WHEN d.becomes = 'cancelled' THEN 'cancelled' ELSE d.outcome END,
        error_code = d.error_code,
        error_message = d.error_message
    FROM decided d
    WHERE c.job_id = d.job_id AND c.claim_no = d.claim_no AND c.job_id = ANY (ARRAY(SELECT job_id FROM decided))
)
SELECT
    j.id AS "id!: JobId", j.workspace_id AS "workspace_id!: WorkspaceId", j.kind AS "kind!: JobKind",
    j.read AS "read: Read", j.item_id AS "item_id: ItemId", nullif(i.ref, '') AS "item_ref?",
    j.status AS "status!: JobStatus", j.progress AS "progress!", j.failures AS "failures!", j.losses AS "losses!",
    j.cancel_requested AS "cancel_requested!", j.held_month AS "held_month!", j.held_bought AS "held_bought!",
    j.held_credits AS "held_credits!", j.charged_credits, j.charged, j.result, j.error_code, j.error_message, j.error_retryable, c.context AS "context?",
    c.request_id AS "request_id?", j.created_at AS "created_at!", j.started_at, j.finished_at,
    j.payer_account_id AS "payer_account_id!: AccountId", j.owner_account_id AS "owner_account_id!: AccountId",
    j.hold_month AS "hold_month!", c.traceparent AS "traceparent?", true AS "freed_place!", j.seq AS "seq!"
FROM ended j
LEFT JOIN LATERAL (SELECT context, request_id, traceparent FROM calls WHERE id = j.call_id LIMIT 1) c ON true
LEFT JOIN LATERAL (SELECT ref FROM items WHERE id = j.item_id LIMIT 1) i ON true
