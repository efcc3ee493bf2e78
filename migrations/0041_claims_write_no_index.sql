-- A claim of a job writes no index of `jobs`: none says anything of what it changes, and a page keeps room for a row's next
-- version. Jobs that run are found by their open claims, which are as many as there are slots; live ones by whether they have a
-- place. Everything is due at some time; that it is said has a count of places, which does not ask for it, left to its own index.
-- The strongest lock at once: one that grew while jobs are written would be a deadlock, which ends the migration.
LOCK TABLE jobs IN ACCESS EXCLUSIVE MODE;
CREATE INDEX job_claims_open ON job_claims (job_id) WHERE ended_at IS NULL;
CREATE INDEX jobs_placed ON jobs (due_at) WHERE admitted AND finished_at IS NULL AND due_at IS NOT NULL;
CREATE INDEX jobs_unplaced ON jobs (payer_account_id, seq) WHERE NOT admitted AND finished_at IS NULL;
ALTER TABLE jobs SET (fillfactor = 70);
DROP INDEX jobs_running, jobs_due, jobs_waiting;
ALTER INDEX jobs_placed RENAME TO jobs_due;
ALTER INDEX jobs_unplaced RENAME TO jobs_waiting;
-- Each claim leaves an entry in that index that is dead, and is read until it is vacuumed: 50,000 take some milliseconds.
ALTER TABLE job_claims SET (
    autovacuum_vacuum_threshold = 50000, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_delay = 0
);
