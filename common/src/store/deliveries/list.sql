-- One page of an endpoint's deliveries, newest first; a null filter passes everything.
SELECT
    id AS "id: DeliveryId",
    endpoint_id AS "endpoint_id: EndpointId",
    account_id AS "account_id: AccountId",
    workspace_id AS "workspace_id: WorkspaceId",
    event_id,
    event_type AS "event_type: EventType",
    job_id AS "job_id: JobId",
    status AS "status: DeliveryStatus",
    trigger AS "trigger: Trigger",
    resend_of AS "resend_of: DeliveryId",
    attempt_count,
    CASE WHEN status = 'pending' AND lease_until IS NULL THEN due_at END AS next_attempt_at,
    response_status,
    error,
    traceparent,
    created_at,
    finished_at
FROM deliveries
WHERE endpoint_id = $1
    AND ($2::uuid IS NULL OR id < $2)
    AND ($3::text IS NULL OR status = $3)
    AND ($4::text IS NULL OR event_type = $4)
    AND ($5::smallint IS NULL OR response_status = $5)
    AND ($6::timestamptz IS NULL OR created_at >= $6)
    AND ($7::timestamptz IS NULL OR created_at < $7)
    AND ($8::uuid IS NULL OR id = $8)
ORDER BY id DESC
LIMIT $9
