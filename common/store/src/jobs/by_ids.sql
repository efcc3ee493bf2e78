SELECT
    j.id AS "id!: JobId", j.workspace_id AS "workspace_id!: WorkspaceId", j.kind AS "kind!: JobKind",
    j.read AS "read: Read", j.item_id AS "item_id: ItemId", nullif(i.ref, '') AS "item_ref?", j.status AS "status!: JobStatus",
    j.progress AS "progress!", j.failures AS "failures!", j.losses AS "losses!",
    j.cancel_requested AS "cancel_requested!", j.held_month + j.held_bought AS "held!", j.charged,
    j.held_credits AS "held_credits!", j.charged_credits, j.result, j.error_code, j.error_message, j.error_retryable, c.context AS "context?", c.request_id AS "request_id?",
    j.created_at AS "created_at!", j.started_at, j.finished_at
FROM unnest($1::uuid[]) WITH ORDINALITY AS asked (id, place)
JOIN jobs j ON j.id = asked.id
LEFT JOIN items i ON i.id = j.item_id
LEFT JOIN calls c ON c.id = j.call_id
WHERE $2::uuid IS NULL OR j.workspace_id = $2
ORDER BY asked.place
