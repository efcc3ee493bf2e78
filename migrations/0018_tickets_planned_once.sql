-- A function in plain SQL is planned at every call, and this one is called for every wake-up of every queue worker: planning
-- it was an eighth of all that the database did under a light load. In PL/pgSQL a session plans it once. What it does is
-- what it did (0007_queue.sql).
CREATE OR REPLACE FUNCTION apalis.get_jobs(worker_id text, v_job_type text, v_job_count integer DEFAULT 5)
RETURNS SETOF apalis.jobs
LANGUAGE plpgsql VOLATILE
AS $$
BEGIN
    RETURN QUERY
    UPDATE apalis.jobs
    SET status = 'Queued', lock_by = worker_id, lock_at = now()
    WHERE id = ANY (ARRAY(
        SELECT due.id
        FROM unnest(string_to_array(v_job_type, ',')) AS queue (name)
        CROSS JOIN LATERAL (
            SELECT id, priority, run_at FROM apalis.jobs
            WHERE (status = 'Pending' OR (status = 'Failed' AND attempts < max_attempts))
                AND run_at < now()
                AND job_type = queue.name
            ORDER BY priority DESC, run_at ASC
            LIMIT v_job_count
            FOR UPDATE SKIP LOCKED
        ) AS due
        ORDER BY due.priority DESC, due.run_at ASC
        LIMIT v_job_count
    ))
    RETURNING *;
END
$$;
