-- A delivery is written three times, and each writing adds an entry to every index that its row stands in. This one served
-- no statement: an event's id is derived from its job, so a job's deliveries are found by `deliveries_event`.
DROP INDEX deliveries_job;
