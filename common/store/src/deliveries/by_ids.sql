-- These deliveries, of any endpoint or of one, newest first.
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
WHERE id = ANY ($1) AND ($2::uuid IS NULL OR endpoint_id = $2)
ORDER BY id DESC
