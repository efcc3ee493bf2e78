-- A page of the workspace $1: of each of the kinds $2 and statuses $3 the newest, and of those the newest. Older than $5, and
-- created after $4, which bounds ids too: they carry the time that they were minted at, but for what hosts' clocks differ.
WITH found AS MATERIALIZED (
    SELECT listed.id
    FROM unnest($2::text[]) AS kinds (kind)
    CROSS JOIN unnest($3::text[]) AS statuses (status)
    CROSS JOIN LATERAL (
        SELECT id FROM jobs
        WHERE workspace_id = $1 AND kind = kinds.kind AND status = statuses.status AND created_at > $4
            AND listed_as = CASE WHEN statuses.status IN ('queued', 'running') THEN 'live' ELSE statuses.status END
            AND uuid_send(id) < uuid_send($5::uuid)
            AND uuid_send(id) >= uuid_send(mws_first_id($4::timestamptz - interval '10 minutes'))
        ORDER BY uuid_send(id) DESC LIMIT $6
    ) AS listed
    ORDER BY listed.id DESC LIMIT $6
)
SELECT
    j.id AS "id!: JobId", j.workspace_id AS "workspace_id!: WorkspaceId", j.kind AS "kind!: JobKind",
    j.read AS "read: Read", j.item_id AS "item_id: ItemId", nullif(i.ref, '') AS "item_ref?", j.status AS "status!: JobStatus",
    j.progress AS "progress!", j.failures AS "failures!", j.losses AS "losses!",
    j.cancel_requested AS "cancel_requested!", j.held_month + j.held_bought AS "held!", j.charged,
    j.held_credits AS "held_credits!", j.charged_credits, j.result, j.error_code, j.error_message, j.error_retryable, c.context AS "context?", c.request_id AS "request_id?",
    j.created_at AS "created_at!", j.started_at, j.finished_at
FROM found
JOIN jobs j ON j.id = found.id
LEFT JOIN items i ON i.id = j.item_id
LEFT JOIN calls c ON c.id = j.call_id
ORDER BY j.id DESC
