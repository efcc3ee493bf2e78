WITH asked AS (
    SELECT id, status FROM jobs
    WHERE id = ANY (ARRAY(
            SELECT live.id FROM jobs live
            WHERE live.payer_account_id = $1 AND live.finished_at IS NULL AND NOT live.cancel_requested
            LIMIT $2
        ))
        AND status IN ('queued', 'running') AND NOT cancel_requested
    ORDER BY id
    FOR UPDATE
), stopped AS (
    UPDATE jobs j SET
        status = CASE asked.status WHEN 'queued' THEN 'cancelled' ELSE j.status END,
        cancel_requested = j.status = 'running' OR j.cancel_requested,
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
