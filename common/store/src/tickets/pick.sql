-- The next tickets of the queues $1, at most $2. They are found without a lock, in the order of each queue's index, and
-- only those that are taken are locked. So many are looked at that those which a process with more slots has locked just
-- now hide no others. Each is looked up by its id, whatever the table was like when this was planned. Where $3 more are
-- looked at, all that were not taken are answered too.
WITH next AS MATERIALIZED (
    SELECT due.id, due.run_at
    FROM unnest($1::text[]) AS queue (name)
    CROSS JOIN LATERAL (
        SELECT id, priority, run_at FROM apalis.jobs
        WHERE (status = 'Pending' OR (status = 'Failed' AND attempts < max_attempts))
            AND run_at < now()
            AND job_type = queue.name
            AND lock_by IS NULL
        ORDER BY priority DESC, run_at
        LIMIT 2 * $2::bigint + 64 + $3::bigint
    ) AS due
    ORDER BY due.priority DESC, due.run_at
    LIMIT 2 * $2::bigint + 64 + $3::bigint
), picked AS MATERIALIZED (
    SELECT ticket.id, ticket.job
    FROM next
    CROSS JOIN LATERAL (
        -- Not by its status, which would lead through the index of all tickets that wait.
        SELECT id, job FROM apalis.jobs WHERE id = next.id AND lock_by IS NULL LIMIT 1 FOR UPDATE SKIP LOCKED
    ) AS ticket
    LIMIT $2
), rest AS (
    SELECT id, run_at FROM next WHERE $3 > 0 AND id <> ALL (ARRAY(SELECT id FROM picked))
)
SELECT
    (SELECT coalesce(array_agg(id), '{}') FROM picked) AS "ids!",
    (SELECT coalesce(array_agg(job), '{}') FROM picked) AS "jobs!",
    (SELECT count(*) FROM next) AS "looked_at!",
    (SELECT coalesce(array_agg(id ORDER BY id), '{}') FROM rest) AS "rest!",
    (SELECT coalesce(array_agg(extract(epoch FROM run_at)::bigint ORDER BY id), '{}') FROM rest) AS "rest_dates!"
