-- The same page of one item $7, which has a handful of jobs.
SELECT
    j.id AS "id!: JobId", j.workspace_id AS "workspace_id!: WorkspaceId", j.kind AS "kind!: JobKind",
    j.read AS "read: Read", j.item_id AS "item_id: ItemId", nullif(i.ref, '') AS "item_ref?", j.status AS "status!: JobStatus",
    j.progress AS "progress!", j.failures AS "failures!", j.losses AS "losses!",
    j.cancel_requested AS "cancel_requested!", j.held_month + j.held_bought AS "held!", j.charged,
    j.held_credits AS "held_credits!", j.charged_credits, j.result, j.error_code, j.error_message, j.error_retryable, c.context AS "context?", c.request_id AS "request_id?",
    j.created_at AS "created_at!", j.started_at, j.finished_at
FROM jobs j
LEFT JOIN items i ON i.id = j.item_id
LEFT JOIN calls c ON c.id = j.call_id
WHERE j.item_id = $7 AND j.workspace_id = $1 AND j.kind = ANY ($2) AND j.status = ANY ($3)
    AND j.created_at > $4 AND j.id < $5
ORDER BY j.id DESC
LIMIT $6
