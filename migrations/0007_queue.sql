-- apalis's tables as this service uses them: disposable tickets (docs/decisions.md, "Truth and tickets").

-- A worker subscribes to several queues under one name, `read:levels,read:speech`, and fetches from all of them with one
-- limit: its slots are the process's, not a queue's. Fetching by `id = ANY(ARRAY(...))` keeps the plan on the primary key
-- whatever the table's size; the shipped function joins, which hashes all rows once there are many.
CREATE OR REPLACE FUNCTION apalis.get_jobs(worker_id text, v_job_type text, v_job_count integer DEFAULT 5)
RETURNS SETOF apalis.jobs
LANGUAGE sql VOLATILE
AS $$
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
    RETURNING *
$$;

-- One notification a commit is sent by the process that pushed (common/src/queue.rs), not one a row in the transaction.
DROP TRIGGER IF EXISTS notify_workers ON apalis.jobs;

-- Both repeat what the primary key or the partial index below serve.
DROP INDEX IF EXISTS apalis.unique_job_id;
DROP INDEX IF EXISTS apalis.lidx;
DROP INDEX IF EXISTS apalis.idx_apalis_jobs_lock_by;
CREATE INDEX tickets_locked ON apalis.jobs (lock_by) WHERE lock_by IS NOT NULL;
CREATE INDEX tickets_done ON apalis.jobs (done_at) WHERE status = 'Done';

-- No column statistics: with them an acknowledgement of a small table is planned on the wrong index.
ALTER TABLE apalis.jobs SET (
    autovacuum_vacuum_threshold = 5000,
    autovacuum_vacuum_scale_factor = 0,
    autovacuum_vacuum_cost_delay = 0,
    autovacuum_analyze_threshold = 2000000000
);
