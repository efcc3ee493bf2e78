-- What has a place is counted for each payer, and what waits for one is found in `jobs_waiting`: together they are all that is
-- live. The index over all live jobs of a payer was written at every change of a job, and read through for each place that was
-- handed over. An item has a handful of jobs, which `jobs_item` finds.
CREATE INDEX jobs_admitted ON jobs (payer_account_id) WHERE admitted AND finished_at IS NULL;
DROP INDEX jobs_live_payer;
DROP INDEX jobs_live_item;
