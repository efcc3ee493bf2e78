-- Cancels those of the jobs $1 that are queued, and asks those that run to stop. $2 the workspace they must be in, or
-- null for any; $3 whether what they read is gone; $4 whether running ones that were asked before are asked again;
-- $5 the account whose call this is, or null.
WITH asked AS (
    SELECT id, status FROM jobs
    WHERE id = ANY ($1) AND ($2::uuid IS NULL OR workspace_id = $2) AND status IN ('queued', 'running')
        AND ($4 OR status = 'queued' OR NOT cancel_requested)
    ORDER BY id
    FOR UPDATE
), stopped AS (
    UPDATE jobs j SET
        status = CASE asked.status WHEN 'queued' THEN 'cancelled' ELSE j.status END,
        cancel_requested = j.status = 'running' OR j.cancel_requested,
        stopped_by = CASE WHEN j.cancel_requested THEN j.stopped_by ELSE $5 END,
        item_gone = j.item_gone OR $3,
        charged = CASE asked.status WHEN 'queued' THEN 0 END,
        charged_credits = CASE asked.status WHEN 'queued' THEN 0 END,
        finished_at = CASE asked.status WHEN 'queued' THEN mws_now() END
    FROM asked
    WHERE j.id = asked.id
    RETURNING j.*
)
SELECT
    j.id AS "id!: JobId", j.workspace_id AS "workspace_id!: WorkspaceId", j.kind AS "kind!: JobKind",
    j.read AS "read: Read", j.item_id AS "item_id: ItemId", nullif(i.ref, '') AS "item_ref?",
    j.status AS "status!: JobStatus", j.progress AS "progress!", j.failures AS "failures!", j.losses AS "losses!",
    j.cancel_requested AS "cancel_requested!", j.held_month AS "held_month!", j.held_bought AS "held_bought!",
    j.held_credits AS "held_credits!", j.charged_credits, j.charged, j.result, j.error_code, j.error_message, j.error_retryable, c.context AS "context?",
    c.request_id AS "request_id?", j.created_at AS "created_at!", j.started_at, j.finished_at,
    j.payer_account_id AS "payer_account_id!: AccountId", j.owner_account_id AS "owner_account_id!: AccountId",
    j.hold_month AS "hold_month!", c.traceparent AS "traceparent?", (j.admitted AND j.status = 'cancelled') AS "freed_place!",
    j.seq AS "seq!"
FROM stopped j
LEFT JOIN calls c ON c.id = j.call_id
LEFT JOIN items i ON i.id = j.item_id
