-- Cancels those of the jobs $1 that are queued, and asks those that run to stop. $2 the workspace they must be in, or null for
-- any; $3 whether what they read is gone.
WITH asked AS (
    SELECT id, status FROM jobs
    WHERE id = ANY ($1) AND ($2::uuid IS NULL OR workspace_id = $2) AND status IN ('queued', 'running')
    ORDER BY id
    FOR UPDATE
), stopped AS (
    UPDATE jobs j SET
        status = CASE asked.status WHEN 'queued' THEN 'cancelled' ELSE j.status END,
        cancel_requested = j.status = 'running' OR j.cancel_requested,
        item_gone = j.item_gone OR $3,
        charged = CASE asked.status WHEN 'queued' THEN 0 END,
        finished_at = CASE asked.status WHEN 'queued' THEN mws_now() END
    FROM asked
    WHERE j.id = asked.id
    RETURNING j.*
)
SELECT
    j.id AS "id!: JobId", j.status AS "status!: JobStatus", j.read AS "read: Read", j.item_id AS "item_id: ItemId",
    j.payer_account_id AS "payer_account_id!: AccountId", j.owner_account_id AS "owner_account_id!: AccountId",
    j.workspace_id AS "workspace_id!: WorkspaceId", j.hold_month AS "hold_month!", j.held_month AS "held_month!",
    j.held_bought AS "held_bought!", j.charged,
    (j.admitted AND j.status = 'cancelled') AS "freed_place!", c.traceparent
FROM stopped j LEFT JOIN calls c ON c.id = j.call_id
