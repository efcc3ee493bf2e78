-- Live jobs by their read, for the operators' list of reads: each count reads what it counts, and no jobs that have ended. A
-- claim changes nothing that it says. Its predicate names the read, so that no other statement is planned with it.
CREATE INDEX jobs_live_read ON jobs (read) WHERE finished_at IS NULL AND read IS NOT NULL;
