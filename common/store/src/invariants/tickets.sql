-- Of the $1 jobs with a place that are due first, up to $2 that are queued without a ticket.
WITH placed AS MATERIALIZED (
    SELECT id, status, ticket_id FROM jobs
    WHERE admitted AND finished_at IS NULL AND due_at IS NOT NULL ORDER BY due_at LIMIT $1
)
SELECT id AS "id!: JobId" FROM placed WHERE status = 'queued' AND ticket_id IS NULL LIMIT $2
