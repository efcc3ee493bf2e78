-- What apalis keeps of a ticket and this service does not use. Its key to the worker that holds a ticket cost a look-up and a lock
-- on that worker at each fetch, and a look at all tickets for each worker that was deleted; its idempotency keys, which we give
-- none (docs/decisions.md, "Truth and tickets"), an entry in a full index at each change of a ticket.
-- Both tables at once and in the order of apalis's heartbeats, or the two could wait for each other.
DO $$ BEGIN
    LOCK TABLE apalis.workers, apalis.jobs IN ACCESS EXCLUSIVE MODE;
    ALTER TABLE apalis.jobs DROP CONSTRAINT IF EXISTS fk_worker_lock_by;
END $$;
DROP INDEX IF EXISTS apalis.idx_jobs_idempotency_key;
-- A claim's row is written when it is made and when it ends: with room beside it, its index is not.
ALTER TABLE job_claims SET (fillfactor = 70);
