-- An acknowledgement names its tickets by id and by the worker that holds them. An index over every ticket that has a worker
-- led it through all that this worker had done in the last five minutes: 17,000 rows for 96. This one knows only those that
-- are still held, which is what the search for the tickets of dead workers asks for.
DROP INDEX apalis.tickets_locked;
CREATE INDEX tickets_held ON apalis.jobs (lock_by) WHERE status IN ('Queued', 'Running');
