SELECT queue AS "queue!",
    count(*) FILTER (WHERE due_at <= mws_now()) AS "due!",
    count(*) FILTER (WHERE due_at > mws_now()) AS "delayed!",
    coalesce(extract(epoch FROM mws_now() - min(due_at) FILTER (WHERE due_at <= mws_now())), 0)::double precision
        AS "oldest_due_seconds!"
FROM (
    SELECT coalesce('read:' || read, kind) AS queue, due_at
    FROM jobs
    WHERE admitted AND finished_at IS NULL AND due_at IS NOT NULL AND status = 'queued'
    UNION ALL
    SELECT CASE WHEN attempt_count = 0 THEN 'webhook:first' ELSE 'webhook:slow' END, due_at
    FROM deliveries
    WHERE status = 'pending' AND finished_at IS NULL AND lease_until IS NULL
) AS waiting
WHERE queue IS NOT NULL
GROUP BY queue
