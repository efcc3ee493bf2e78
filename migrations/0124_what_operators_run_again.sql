-- The job that an operator runs again by a call, with the same input or another. Most calls have none: the index holds the few that do.
ALTER TABLE calls ADD COLUMN rerun_of uuid;
CREATE INDEX calls_rerun_of ON calls (rerun_of) WHERE rerun_of IS NOT NULL;
