-- What a call for reads of the items $1 has to know beside the items: the live jobs that will store reads on them, and
-- which of the reads $2 the fleet can run or an operator has paused. It is one row. OFFSET and LIMIT keep what is looked
-- up from being joined with all jobs.
SELECT
    kinds.configured AS "configured!",
    kinds.paused AS "paused!",
    live.items AS "items!: Vec<ItemId>",
    live.reads AS "reads!",
    live.jobs AS "jobs!: Vec<JobId>",
    live.estimates AS "estimates!"
FROM (
    SELECT
        coalesce(array_agg(read) FILTER (WHERE engine_seen_at > mws_now() - interval '7 days'), '{}') AS configured,
        coalesce(array_agg(read) FILTER (WHERE paused_at IS NOT NULL), '{}') AS paused
    FROM read_kinds
    WHERE read = ANY ($2::text[])
) AS kinds
CROSS JOIN (
    SELECT
        coalesce(array_agg(asked.id), '{}') AS items,
        coalesce(array_agg(owned.read), '{}') AS reads,
        coalesce(array_agg(job.id), '{}') AS jobs,
        coalesce(array_agg(job.estimate), '{}') AS estimates
    FROM unnest($1::uuid[]) AS asked (id)
    CROSS JOIN LATERAL (SELECT read, job_id FROM job_reads WHERE item_id = asked.id OFFSET 0) AS owned
    CROSS JOIN LATERAL (
        SELECT id, held_month + held_bought AS estimate FROM jobs WHERE id = owned.job_id LIMIT 1
    ) AS job
) AS live
