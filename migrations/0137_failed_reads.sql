-- Failed reads in the order of their ids, which is that of time: what bulk operations of failed reads count and take. The column says the same
-- of a job from its start to its end ('live'), so that a claim writes no index. Its predicate names the read, so that no other statement is
-- planned with it.
CREATE INDEX jobs_failed_reads ON jobs (id) WHERE listed_as = 'failed' AND read IS NOT NULL;
