WITH ends AS (
    SELECT e.*, i.deleted_at IS NOT NULL AS item_deleted
    FROM unnest($1::uuid[], $2::int[], $3::uuid[], $4::text[], $5::text[], $6::bigint[], $7::jsonb[], $8::interval[],
                $9::text[], $10::text[], $11::bool[])
        AS e (id, claim_no, item_id, status, outcome, charge, result, delay, error_code, error_message, error_retryable)
    LEFT JOIN items i ON i.id = e.item_id
), decided AS (
    SELECT j.id AS job_id, e.*,
        CASE
            WHEN e.status = 'succeeded' AND (e.item_deleted OR j.item_gone) THEN 'cancelled'
            WHEN e.status = 'queued' AND (j.cancel_requested OR e.item_deleted OR j.item_gone) THEN 'cancelled'
            ELSE e.status
        END AS becomes
    FROM ends e JOIN jobs j ON j.id = e.id AND j.claim_no = e.claim_no AND j.status = 'running'
    ORDER BY j.id
    FOR UPDATE OF j
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
        result = CASE d.becomes WHEN 'succeeded' THEN d.result END,
        error_code = CASE d.becomes WHEN 'failed' THEN d.error_code END,
        error_message = CASE d.becomes WHEN 'failed' THEN d.error_message END,
        error_retryable = CASE d.becomes WHEN 'failed' THEN d.error_retryable END,
        finished_at = CASE WHEN d.becomes <> 'queued' THEN mws_now() END
    FROM decided d
    WHERE j.id = d.job_id
    RETURNING j.*
), noted AS (
    UPDATE job_claims c SET
        ended_at = mws_now(),
        outcome = CASE WHEN d.becomes = 'cancelled' THEN 'cancelled' ELSE d.outcome END,
        error_code = d.error_code,
        error_message = d.error_message
    FROM decided d
    WHERE c.job_id = d.job_id AND c.claim_no = d.claim_no
)
SELECT
    j.id AS "id!: JobId", j.status AS "status!: JobStatus", j.read AS "read: Read", j.item_id AS "item_id: ItemId",
    j.payer_account_id AS "payer_account_id!: AccountId", j.owner_account_id AS "owner_account_id!: AccountId",
    j.workspace_id AS "workspace_id!: WorkspaceId", j.hold_month AS "hold_month!", j.held_month AS "held_month!",
    j.held_bought AS "held_bought!", j.charged, true AS "freed_place!", c.traceparent
FROM ended j LEFT JOIN calls c ON c.id = j.call_id
