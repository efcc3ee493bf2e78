-- Delays the tickets of these deliveries, which the caller is working, and with them those of these endpoints' first
-- attempts that wait, from an id on: the next that are to be fetched. Tickets that are delayed already keep their time.
WITH worked AS (
    SELECT d.ticket_id AS id, asked.by_ms
    FROM unnest($1::uuid[], $2::bigint[]) AS asked (id, by_ms)
    JOIN deliveries AS d ON d.id = asked.id
    WHERE d.status = 'pending' AND d.lease_until IS NULL AND d.ticket_id IS NOT NULL
), behind AS (
    SELECT waiting.ticket_id AS id, asked.by_ms
    FROM unnest($3::uuid[], $4::uuid[], $5::bigint[]) AS asked (endpoint_id, from_id, by_ms)
    CROSS JOIN LATERAL (
        SELECT ticket_id FROM deliveries
        WHERE endpoint_id = asked.endpoint_id AND status = 'pending' AND finished_at IS NULL AND lease_until IS NULL
            AND attempt_count = 0 AND id >= asked.from_id AND ticket_id IS NOT NULL
        ORDER BY id
        LIMIT $6
    ) AS waiting
), late AS (
    SELECT ticket.id, asked.by_ms
    FROM (
        SELECT id, by_ms, true AS is_worked FROM worked
        UNION ALL
        SELECT id, by_ms, false FROM behind
    ) AS asked
    JOIN apalis.jobs AS ticket ON ticket.id = asked.id
    WHERE asked.is_worked
        OR (ticket.job_type = 'webhook:first' AND ticket.status = 'Pending' AND ticket.run_at < now())
    FOR UPDATE OF ticket SKIP LOCKED
)
UPDATE apalis.jobs AS ticket
SET status = 'Pending', lock_by = NULL, lock_at = NULL, run_at = now() + late.by_ms * interval '1 ms'
FROM late
WHERE ticket.id = late.id
